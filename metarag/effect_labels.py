"""Which label an estimate belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metarag.effect_lexicon import Measure
from metarag.effect_tokens import Token
from metarag.effect_wording import difference_in_words, measure_in_words

_REACH = 45
"""Tokens from a label to its estimate: 'the hazard ratio for ... with ... versus ... was 0.84'."""
_UNNAMED_REACH = 25
_LINKS = frozenset("for of in on to with the a an overall by per between".split())
_VERBS = frozenset("was were is are had reached showed remained being became".split())


class Label(NamedTuple):
    """A measure, where its label stands (``None`` for one told in words), and whether it served before."""

    measure: Measure
    place: int | None
    inherited: bool


def label_of(
    tokens: Sequence[Token], estimate: int, limits: tuple[int, int], floor: int, carried: Measure | None
) -> Label | None:
    """Return the label of the number at ``estimate`` whose limits take the tokens ``limits``.

    A label between the two wins, then the nearest on the left, then words for a relative change, then
    the measure carried over from the sentence before.
    """
    interval = limits[0]
    between = _first_between(tokens, estimate, interval)
    if between is not None:
        measure = tokens[between].meaning
        usable = isinstance(measure, Measure) and measure.name != "other"
        return Label(measure, between, inherited=False) if usable and isinstance(measure, Measure) else None
    index = _nearest_left(tokens, estimate)
    if index is None:
        worded = measure_in_words(tokens, estimate, limits)
        if worded is None and carried is not None:
            return Label(carried, None, inherited=True)
        return _label_behind(tokens, limits[1]) or _label_in_words(tokens, estimate, limits)
    measure = tokens[index].meaning
    if not isinstance(measure, Measure):
        return None
    if measure.name == "other" or (
        not measure.named and not _unnamed_reaches(tokens, index, estimate, interval, again=index < floor)
    ):
        return _label_behind(tokens, limits[1]) or _label_in_words(tokens, estimate, limits)
    if _is_cut_off(tokens, index, estimate, floor):
        return None
    return Label(measure, index, inherited=index < floor)


def _label_behind(tokens: Sequence[Token], stop: int) -> Label | None:
    """Return the label of '24% (95% CI 8 to 37) proportional reduction'."""
    for index in range(stop, min(stop + 4, len(tokens))):
        measure = tokens[index].meaning
        if isinstance(measure, Measure):
            usable = measure.transform in ("reduction", "increase")
            return Label(measure, index, inherited=False) if usable else None
        if tokens[index].kind not in ("close", "word", "percent"):
            return None
    return None


def _label_in_words(tokens: Sequence[Token], estimate: int, limits: tuple[int, int]) -> Label | None:
    worded = measure_in_words(tokens, estimate, limits) or difference_in_words(tokens, estimate, limits[0])
    return Label(worded, None, inherited=False) if worded is not None else None


def _first_between(tokens: Sequence[Token], estimate: int, interval: int) -> int | None:
    for index in range(estimate + 1, min(interval, estimate + 8)):
        measure = tokens[index].meaning
        if isinstance(measure, Measure) and not measure.soft:
            return index
    return None


def _nearest_left(tokens: Sequence[Token], estimate: int) -> int | None:
    """Return the nearest label to the left; a word that is part of an outcome's name is not one."""
    for index in range(estimate - 1, max(-1, estimate - _REACH), -1):
        measure = tokens[index].meaning
        if isinstance(measure, Measure):
            governing = _governing(tokens, index) if measure.soft else None
            return governing if governing is not None else index
    return None


def _governing(tokens: Sequence[Token], soft: int) -> int | None:
    """Return the label that a soft word completes: 'hazard ratio for response rate'."""
    linked = False
    for index in range(soft - 1, max(-1, soft - 14), -1):
        token = tokens[index]
        if isinstance(token.meaning, Measure):
            if token.meaning.soft:
                continue
            return index if linked and token.meaning.name != "other" else None
        linked = linked or token.norm in _LINKS
        if token.kind in ("semicolon", "num", "interval", "p") or token.norm in _VERBS:
            return None
    return None


def _unnamed_reaches(
    tokens: Sequence[Token], index: int, estimate: int, interval: int, *, again: bool
) -> bool:
    """Tell whether a bare 'difference' may own the number; most often it only says that there is none.

    ``again``: it already owns an earlier one, so that this one is the next of a list.
    """
    if estimate - index > _UNNAMED_REACH:
        return False
    between = tokens[index + 1 : estimate]
    if (not again and any(token.kind == "p" for token in between)) or _has_semicolon(
        tokens, index + 1, estimate
    ):
        return False
    behind = interval
    while behind < len(tokens) and behind - interval < 9 and tokens[behind].kind != "close":
        behind += 1
    following = tokens[behind + 1].norm if behind + 1 < len(tokens) else ""
    if following in ("vs", "versus", "v", "compared") and any(token.kind == "open" for token in between):
        return False
    denied = {token.norm for token in tokens[max(0, index - 4) : index]} & {
        "no",
        "not",
        "without",
        "nor",
        "neither",
    }
    return (
        not denied
        or tokens[estimate].value <= 0
        or (tokens[estimate - 1].kind == "open" and not _verb(between))
    )


def _has_semicolon(tokens: Sequence[Token], start: int, stop: int) -> bool:
    """Tell whether a semicolon parts two clauses; one before '95% CI' is part of a heading."""
    return any(
        tokens[at].kind == "semicolon" and tokens[at + 1].kind != "interval" for at in range(start, stop)
    )


def _verb(between: Sequence[Token]) -> bool:
    return any(token.norm in _VERBS for token in between)


def _is_cut_off(tokens: Sequence[Token], index: int, estimate: int, floor: int) -> bool:
    """Tell whether a clause of its own begins between the label and the number."""
    if index >= floor:
        goes_on = estimate > 1 and tokens[estimate - 2].norm in ("it", "this", "which")
        parted = _has_semicolon(tokens, index + 3, estimate) and tokens[index + 1].kind != "open"
        return parted and not goes_on
    return any(
        token.kind == "word" and token.norm in ("mean", "median", "rates", "survival")
        for token in tokens[floor:estimate]
    )
