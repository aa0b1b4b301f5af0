"""How many records went through each stage, and why some did not go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from metarag.audit import Verdict
from metarag.pipeline import SCORE_STAGE, Ranking
from metarag.report.drawing import Drawing, Label, Line, Polygon, Shape, rectangle
from metarag.report.numbers import count
from metarag.report.plain import plain
from metarag.report.words import criterion_words, sentence_case, stage_words

_WIDTH, _BOX, _SIDE, _GAP = 680.0, 300.0, 340.0, 22.0
_LINE: Final = 18.0
_BOX_CHARACTERS, _SIDE_CHARACTERS = 42, 46


@dataclass(frozen=True, slots=True)
class StageFlow:
    """What one stage did.

    Attributes
    ----------
    entered, left_out, not_assessed : int
        Articles it was given; of these, how many it left out, and how many it could not judge (they go on).
    reasons : tuple of (str, int)
        Criterion and number of articles left out by it, most frequent first.
    """

    stage: str
    entered: int
    left_out: int
    not_assessed: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def remaining(self) -> int:
        """Articles that went on to the next stage."""
        return self.entered - self.left_out


@dataclass(frozen=True, slots=True)
class Flow:
    """The way of all records through the pipeline.

    Attributes
    ----------
    matched : int or None
        Records that match the search; ``None`` where no search told it.
    identified : int
        Records that came in.
    stages : tuple of StageFlow
        In order, without the final score, which leaves nothing out.
    ranked, unscored : int
        Articles in the ranking; of these, those that could not be scored.
    """

    matched: int | None
    identified: int
    stages: tuple[StageFlow, ...]
    ranked: int
    unscored: int

    @property
    def left_out(self) -> int:
        """Articles that any stage left out."""
        return sum(stage.left_out for stage in self.stages)


def flow_of(ranking: Ranking) -> Flow:
    """Return the counts of a ranking, from its decisions."""
    audit = ranking.audit
    verdicts: Counter[tuple[str, Verdict]] = Counter()
    reasons: dict[str, Counter[str]] = {}
    for decision in audit.decisions:
        verdicts[decision.stage, decision.verdict] += 1
        if decision.verdict is Verdict.EXCLUDED:
            reasons.setdefault(decision.stage, Counter())[decision.criterion] += 1
    decided = dict.fromkeys(decision.stage for decision in audit.decisions)
    names = [name for name in dict.fromkeys((*audit.signature.stages, *decided)) if name != SCORE_STAGE]
    return Flow(
        matched=audit.query.total if audit.query else None,
        identified=len(audit.identified),
        stages=tuple(
            StageFlow(
                stage=name,
                entered=sum(verdicts[name, verdict] for verdict in Verdict),
                left_out=verdicts[name, Verdict.EXCLUDED],
                not_assessed=verdicts[name, Verdict.NOT_ASSESSED],
                reasons=tuple(_most_frequent(reasons.get(name, Counter()))),
            )
            for name in names
        ),
        ranked=len(ranking),
        unscored=verdicts[SCORE_STAGE, Verdict.NOT_ASSESSED],
    )


def _most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def flow_diagram(flow: Flow) -> Drawing:
    """Return the flow as a figure: our own stages, and no box for what was not done."""
    shapes: list[Shape] = []
    top = 4.0
    boxes = list(_boxes(flow))
    for number, (texts, side) in enumerate(boxes):
        height = max(_height(texts), _height(side))
        middle = top + height / 2
        shapes += _box(0, middle - _height(texts) / 2, _BOX, texts)
        if side:
            shapes += _box(_SIDE, middle - _height(side) / 2, _WIDTH - _SIDE - 2, side)
            shapes += _arrow(_BOX, middle, _SIDE, middle)
        if number < len(boxes) - 1:
            lower, upper = top + height + _GAP, middle + _height(texts) / 2
            following = boxes[number + 1]
            inset = (max(_height(following[0]), _height(following[1])) - _height(following[0])) / 2
            shapes += _arrow(_BOX / 2, upper, _BOX / 2, lower + inset)
        top += height + _GAP
    told = (
        f"{count(flow.identified, 'record')} identified, {flow.left_out:,} left out, {flow.ranked:,} ranked."
    )
    return Drawing(_WIDTH, top - _GAP + 4, tuple(shapes), "Flow of records", told)


def _boxes(flow: Flow) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the lines of each box and of the box at its side."""
    head = [f"Records identified: {flow.identified:,}"]
    if flow.matched is not None and flow.matched > flow.identified:
        head.append(f"(of {flow.matched:,} that match the search)")
    yield head, []
    for stage in flow.stages:
        lines = wrap(f"{plain(stage_words(stage.stage))}: {stage.entered:,} assessed", _BOX_CHARACTERS)
        if stage.not_assessed:
            lines.append(f"of these {stage.not_assessed:,} could not be judged and stay")
        side = [f"Left out: {stage.left_out:,}"] if stage.left_out else []
        for criterion, number in stage.reasons:
            reason = sentence_case(plain(criterion_words(criterion)))
            side += wrap(f"{reason}: {number:,}", _SIDE_CHARACTERS)
        yield lines, side
    tail = [f"Ranked: {flow.ranked:,}"]
    if flow.unscored:
        tail.append(f"of these {flow.unscored:,} without a score")
    yield tail, []


def _height(lines: list[str]) -> float:
    return len(lines) * _LINE + 16 if lines else 0.0


def _box(x: float, y: float, width: float, lines: list[str]) -> Iterator[Shape]:
    yield rectangle(x + 1, y, width - 2, _height(lines), "box")
    for number, line in enumerate(lines):
        yield Label(x + 12, y + 8 + _LINE * (number + 0.75), line, bold=number == 0)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> Iterator[Shape]:
    yield Line(x1, y1, x2, y2, "axis")
    if y1 == y2:
        yield Polygon(((x2, y2), (x2 - 8, y2 - 4), (x2 - 8, y2 + 4)), "pool")
    else:
        yield Polygon(((x2, y2), (x2 - 4, y2 - 8), (x2 + 4, y2 - 8)), "pool")
