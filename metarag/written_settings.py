"""Settings as people write them, in TOML, YAML or JSON: read so that nothing that was written is lost unseen."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from metarag.written_yaml import TOO_DEEP, parse_yaml


def parse_settings(path: Path, text: str) -> object:
    """Return what the text of a file of settings says, by the ending of the file's name.

    Raises
    ------
    ValueError
        It cannot be read, or gives one name twice: then nobody knows which of the two is meant.
    KeyError
        The ending is none of :data:`READERS`.
    """
    return READERS[path.suffix.lower()](text)


def parse_json(text: str) -> object:
    """Return what JSON text says; a name that stands twice in one object is refused.

    Raises
    ------
    ValueError
        It is no JSON, holds a name twice, or is nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_object_of)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(name, _)] = Counter([name for name, _ in pairs]).most_common(1)
        raise ValueError(f"the name {name!r} stands twice")
    return found


READERS: Final[Mapping[str, Callable[[str], object]]] = MappingProxyType(
    {".toml": tomllib.loads, ".json": parse_json, ".yaml": parse_yaml, ".yml": parse_yaml}
)
"""How a file of settings is read, by its ending."""
