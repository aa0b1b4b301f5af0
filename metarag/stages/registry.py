"""Stages by name: ours and anybody's come through the same entry-point group."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from metarag.errors import ConfigurationError, UnknownStageError
from metarag.stages.base import Stage

GROUP = "metarag.stages"


def stage_names() -> tuple[str, ...]:
    """Return the names of all registered stages, sorted; loads none of them."""
    return tuple(sorted({entry.name for entry in _entries(tuple(sys.path))}))


def load_stage(name: str) -> Callable[..., Stage]:
    """Return the class or factory registered as ``name``, importing it now.

    Raises
    ------
    UnknownStageError
        Nothing is registered under that name; the message holds the closest one.
    ConfigurationError
        Two distributions claim the name, or the module behind it cannot be imported.
    """
    found = [entry for entry in _entries(tuple(sys.path)) if entry.name == name]
    if not found:
        raise UnknownStageError(name, stage_names())
    targets = {entry.value for entry in found}
    if len(targets) > 1:
        raise ConfigurationError(
            f"stage {name!r} is registered more than once ({', '.join(sorted(targets))}); uninstall one"
        )
    try:
        factory: Callable[..., Stage] = found[0].load()
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"stage {name!r} ({found[0].value}) cannot be imported: {error}") from error
    return factory


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Scan what is installed, once for each search path: the scan costs more than ranking ten articles."""
    return tuple(entry_points(group=GROUP))
