"""The reranker of an adapter, which may be changed after it was made: hosts and users set attributes."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from metarag.adapters.enrichment import Enrich
from metarag.adapters.reranking import Reranker


class KeptReranker:
    """Makes a reranker when it is first asked for, and again when other settings are asked for.

    Two are always equal: what an adapter is lies in its own fields.
    """

    def __init__(self) -> None:
        self._made: tuple[tuple[object, ...], Reranker] | None = None

    def __eq__(self, other: object) -> bool:
        """Leave it to the adapter's fields."""
        return isinstance(other, KeptReranker)

    def __hash__(self) -> int:
        """Follow equality."""
        return hash(KeptReranker)

    def of(
        self, settings: Mapping[str, Any] | None, *, drop_excluded: bool = False, enrich: Enrich | None = None
    ) -> Reranker:
        """Return the reranker for these settings.

        Raises
        ------
        ConfigurationError
            A setting is unknown or wrong.
        """
        asked = (dict(settings or {}), drop_excluded, enrich)
        made = self._made  # looked at once: another thread may be making its own
        if made is None or made[0] != asked:
            kept = deepcopy(asked[0]), drop_excluded, enrich
            made = kept, Reranker(settings, drop_excluded=drop_excluded, enrich=enrich)
            self._made = made
        return made[1]
