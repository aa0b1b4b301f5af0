"""All that one text reports, sentence by sentence: readings with their words around them and their roles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metarag.effect_checks import bounds
from metarag.effect_document import Document
from metarag.effect_grammar import read_intervals
from metarag.effect_lexicon import Measure
from metarag.effect_marks import mark
from metarag.effect_points import read_points
from metarag.effect_raw import RawEffect, raw_effects
from metarag.effect_readings import Reading
from metarag.effect_roles import Printed, Surroundings, roles_of
from metarag.effect_text import PlainText, sentences
from metarag.effect_tokens import IntervalMark, Token, lex
from metarag.effect_triggers import marked_sentences

_GOES_ON = re.compile(
    r"\W*(?:For|The corresponding|Corresponding|Similarly|Likewise|The respective"
    r"|Respective|In contrast|It|Its)\b"
)
_CLAUSE_END = re.compile(r";|\. |, and | and |, but | but |, whereas | whereas | while ")
_NEXT_BEGINS = re.compile(r"[;,] |\. | and | but | whereas | while ")
_GOES_BACK = re.compile(
    r"[\s)\]]*(?:in|with|for|among|at|on|of|by|per|during|within|from|under|over|versus|vs"
    r"|after|before|when|favou?ring)\b"
)
_LONGEST_BRACKET = 200
_SHORT = 8
"""Words before a ratio that still let it belong to counts printed just before it."""


@dataclass(frozen=True, slots=True)
class Found:
    """One effect of a text with its place in the plain text, its words and its role.

    ``estimate`` is where its first number stands. ``listed`` says which of how many effects of one list
    it is ('0.80, 0.75 and 0.95, respectively'), ``list_before`` and ``list_after`` where the words before and
    behind that list stand.
    """

    item: Reading | RawEffect
    start: int
    end: int
    around: Surroundings
    sentence: tuple[int, int]
    role: str
    text_level: float | None
    estimate: tuple[int, int]
    listed: tuple[int, int] = (0, 1)
    list_before: tuple[int, int] = (0, 0)
    list_after: tuple[int, int] = (0, 0)

    @property
    def before(self) -> tuple[int, int]:
        """Where the words before its first number stand."""
        return self.start - len(self.around.before), self.estimate[0]

    @property
    def after(self) -> tuple[int, int]:
        """Where the words of its clause behind it stand."""
        return self.end, self.end + len(self.around.after)


def find_effects(source: PlainText, document: Document) -> Iterator[Found]:
    """Yield what each sentence reports, in the order of the text."""
    text = source.text
    level: float | None = None
    carried: Measure | None = None
    last: list[Found] = []
    for start, stop, goes_on in marked_sentences(text, sentences(text)):
        if not goes_on:
            yield from last
            carried, last = None, []
        tokens = mark(
            text, lex(text, start, stop, decimal_comma=document.decimal_comma), document.abbreviations
        )
        level = _level(tokens) or level
        if carried is not None and not _GOES_ON.match(text, start, stop):
            carried = None
        found = _sentence(text, (start, stop), tokens, carried, document, level)
        if last and found:
            last = _same_as_next(last, found)
        yield from last
        readings = [one.item for one in found if isinstance(one.item, Reading)]
        carried = readings[-1].measure if readings else None
        last = found
    yield from last


def _level(tokens: Sequence[Token]) -> float | None:
    """Return the level of the sentence's intervals, in percent."""
    for token in tokens:
        if (
            isinstance(token.meaning, IntervalMark)
            and token.meaning.level is not None
            and not token.meaning.one_sided
        ):
            return token.meaning.level
    return None


def _sentence(
    text: str,
    place: tuple[int, int],
    tokens: Sequence[Token],
    carried: Measure | None,
    document: Document,
    level: float | None,
) -> list[Found]:
    readings = read_intervals(tokens, carried)
    readings += read_points(tokens, readings)
    raw = raw_effects(tokens, text[place[0] : place[1]], document)
    items: list[Reading | RawEffect] = sorted([*readings, *raw], key=_first)
    if not items:
        return []
    spans = [(tokens[_first(item)].start, tokens[_stop(item) - 1].end) for item in items]
    arounds = _surroundings(text, place, spans, document)
    printed = [_printed(item, around) for item, around in zip(items, arounds, strict=True)]
    roles = roles_of(printed, document)
    found = [
        Found(item, start, end, around, place, _role(item, role), level, _place_of(tokens[_estimate(item)]))
        for item, (start, end), around, role in zip(items, spans, arounds, roles, strict=True)
    ]
    found = _numbered(found)
    return _same_outcome(found)


def _estimate(item: Reading | RawEffect) -> int:
    return item.estimate if isinstance(item, Reading) else item.pair.one.first


def _place_of(token: Token) -> tuple[int, int]:
    return token.start, token.end


def _numbered(found: Sequence[Found]) -> list[Found]:
    """Number the readings that share one label."""
    runs: list[list[Found]] = []
    for one in found:
        if isinstance(one.item, Reading) and one.item.inherited and runs:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [
        replace(
            one,
            listed=(place, len(run)),
            list_before=run[0].before,
            list_after=(run[-1].end, one.sentence[1]),
        )
        for run in runs
        for place, one in enumerate(run)
    ]


def _first(item: Reading | RawEffect) -> int:
    return item.first if isinstance(item, Reading) else item.pair.first


def _stop(item: Reading | RawEffect) -> int:
    return item.stop if isinstance(item, Reading) else item.pair.stop


def _surroundings(
    text: str, place: tuple[int, int], spans: Sequence[tuple[int, int]], document: Document
) -> list[Surroundings]:
    sentence = text[place[0] : place[1]]
    section = document.section_at(spans[0][0])
    floor = place[0]
    found: list[Surroundings] = []
    for index, (start, end) in enumerate(spans):
        ceiling = spans[index + 1][0] if index + 1 < len(spans) else place[1]
        clause_end = _clause_end(text, end, max(end, ceiling), last=index + 1 == len(spans))
        found.append(
            Surroundings(
                before=text[min(floor, start) : start],
                inside=text[start:end],
                after=text[end:clause_end],
                sentence=sentence,
                section=section,
                bracket=text[end : _bracket_end(text, end, place[1])],
            )
        )
        floor = clause_end
    return found


def _bracket_end(text: str, start: int, stop: int) -> int:
    """Return where the brackets that ``start`` lies in close, or ``start`` where it lies in none."""
    depth = 0
    for index in range(start, min(stop, start + _LONGEST_BRACKET)):
        if text[index] in "([":
            depth += 1
        elif text[index] in ")]":
            if depth == 0:
                return index
            depth -= 1
    return start


def _clause_end(text: str, start: int, stop: int, *, last: bool) -> int:
    """Return where the words after an effect stop being about it.

    '... in the per-protocol population and 0.81' is about the effect before it up to 'and'; anything
    that does not begin with a preposition is about the effect that follows, if one does.
    """
    if not last and not _GOES_BACK.match(text, start, stop):
        return start
    cut = (_CLAUSE_END if last else _NEXT_BEGINS).search(text, start, stop)
    return cut.start() if cut else stop


def _printed(item: Reading | RawEffect, around: Surroundings) -> Printed:
    if isinstance(item, RawEffect):
        return Printed(item.measure, item.role, None, True, around)
    measure = item.measure
    return Printed(measure.name, measure.role, measure.adjusted, item.interval is not None, around)


def _role(item: Reading | RawEffect, role: str) -> str:
    return item.role if isinstance(item, RawEffect) and item.role is not None else role


def _same_outcome(found: list[Found]) -> list[Found]:
    """Mark raw data whose ratio or difference is printed beside them: one result, not two."""
    marked = list(found)
    claimed: set[int] = set()
    for index, one in enumerate(found):
        if not isinstance(one.item, RawEffect):
            continue
        for other in _neighbours(found, index):
            if other not in claimed and _belongs(one, found[other]):
                claimed.add(other)
                marked[index] = replace(one, role="same_outcome")
                break
    return marked


def _neighbours(found: Sequence[Found], index: int) -> Iterator[int]:
    for step in (1, -1):
        other = index + step
        while 0 <= other < len(found) and isinstance(found[other].item, Reading):
            yield other
            other += step


def _belongs(raw: Found, reading: Found) -> bool:
    """Tell whether a reading is the effect of the raw data beside it."""
    item = reading.item
    if not isinstance(raw.item, RawEffect) or not isinstance(item, Reading):
        return False
    wanted = ("MD", "SMD") if raw.item.measure == "means" else ("OR", "RR", "HR", "IRR", "RD", "PR", "MD")
    if item.measure.name not in wanted:
        return False
    gap = reading.around.before if reading.start > raw.start else raw.around.before
    words = gap.replace("(", " ").split()
    return (len(words) <= 3 and ";" not in gap) or _agrees(raw.item, item)


def _agrees(raw: RawEffect, reading: Reading) -> bool:
    """Tell whether the crude effect lies within the printed limits, widened by half for adjustment."""
    if raw.derived is None:
        return False
    if reading.numbers.scale == "log":
        if raw.measure == "means":
            return False
        crude = raw.derived.effect
    elif raw.measure == "means" and reading.measure.name == "MD":
        crude = raw.derived.effect
    else:
        return True
    lower, upper, centre = bounds(reading.numbers, 1), bounds(reading.numbers, 2), bounds(reading.numbers, 0)
    if lower is None or upper is None or centre is None:
        return centre is not None and abs(crude - (centre[0] + centre[1]) / 2) < 0.25
    slack = 0.25 * (upper[1] - lower[0])
    return lower[0] - slack <= crude <= upper[1] + slack or lower[0] - slack <= -crude <= upper[1] + slack


def _same_as_next(last: list[Found], following: Sequence[Found]) -> list[Found]:
    """Mark counts whose ratio opens the next sentence ('The hazard ratio was 0.79 ...')."""
    reading, raw = following[0], last[-1]
    if (
        not isinstance(reading.item, Reading)
        or not isinstance(raw.item, RawEffect)
        or raw.role == "same_outcome"
    ):
        return last
    if (
        len(reading.around.before.split()) <= _SHORT
        and _belongs(raw, reading)
        and _agrees(raw.item, reading.item)
    ):
        return [*last[:-1], replace(raw, role="same_outcome")]
    return last
