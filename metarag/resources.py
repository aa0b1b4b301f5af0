"""Find the data files metarag ships, installed or in a checkout."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from metarag.errors import ConfigurationError


def data_file(name: str) -> Traversable:
    """Return ``data/<name>``.

    The file lives once, at the top of the repository. The wheel carries a copy at
    ``metarag/data`` (see ``force-include`` in pyproject.toml); an editable install
    does not, so a checkout is read in place and can never go stale.

    Raises
    ------
    ConfigurationError
        The file is in neither place.
    """
    places = (
        resources.files("metarag") / "data" / name,
        Path(__file__).resolve().parents[1] / "data" / name,
    )
    for place in places:
        if place.is_file():
            return place
    raise ConfigurationError(
        f"data file {name!r} is missing; looked in {', '.join(map(str, places))}. Reinstall metarag-ebm."
    )
