"""Values of a host's metadata as plain Python: text, numbers, dates, lists and dicts, whatever handed them over.

Stores, data frames and arrays have types of their own. They are known by their module, so that none of these
libraries is imported for it, and of anything else no method is called: a value that belongs to somebody may do
anything, also fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from itertools import islice
from math import isfinite
from typing import Final

MAX_ITEMS: Final = 2_000
"""Members of a list that are looked at; a record with the most authors known has about 5,000, most have ten."""
_MAX_DEPTH: Final = 5
"""Lists within lists; beyond that, and in a list that holds itself, there is nothing to read."""
_BOXES: Final = frozenset(("numpy", "pandas"))
_MISSING: Final = frozenset(("NAType", "NaTType"))


def plain(value: object, depth: int = 0) -> object:
    """Return a value as plain Python, ``None`` for what means *missing* (NaN, NaT, NA).

    Returns
    -------
    object
        ``None``, bool, int, float, str, date, list or dict; anything else as it was given, to be called
        unreadable by whoever wants to read it.
    """
    if isinstance(value, (list, tuple)):
        return _listed(value, depth)
    if isinstance(value, (set, frozenset)):
        # A set of texts has another order in every process.
        members = list(value)
        return _listed(sorted(members) if all(isinstance(m, str) for m in members) else members, depth)
    if isinstance(value, Mapping):
        pairs = islice(value.items(), MAX_ITEMS) if depth < _MAX_DEPTH else ()
        return {key: plain(member, depth + 1) for key, member in pairs if isinstance(key, str)}
    if isinstance(value, Enum):
        return plain(value.value, depth + 1) if depth < _MAX_DEPTH else None
    return _scalar(value, depth)


def _scalar(value: object, depth: int) -> object:
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value
    if isinstance(value, Decimal):
        return _number(float(value)) if value.is_finite() else None
    if type(value).__name__ in _MISSING:
        return None
    if type(value).__module__.partition(".")[0] in _BOXES and not isinstance(value, (str, date)):
        unboxed = getattr(value, "tolist", None)
        return plain(unboxed(), depth + 1) if unboxed and depth < _MAX_DEPTH else value
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> object:
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() else value


def _listed(values: Iterable[object], depth: int) -> list[object]:
    if depth >= _MAX_DEPTH:
        return []
    return [plain(value, depth + 1) for value in islice(values, MAX_ITEMS)]


def copied(value: object, depth: int = 0) -> object:
    """Return a copy of lists and dicts with what they hold; everything else is shared.

    A host's metadata may hold a client, a lock or an array, which cannot or should not be copied. Nothing
    here changes a value, and with copied containers nobody who changes a result changes what was given.
    """
    if depth > 2 * _MAX_DEPTH:
        return value
    if type(value) is dict:
        return {key: copied(member, depth + 1) for key, member in value.items()}
    if type(value) is list:
        return [copied(member, depth + 1) for member in value]
    if type(value) is tuple:
        return tuple([copied(member, depth + 1) for member in value])
    if type(value) is set:
        return set(value)
    return value
