"""What must hold between the levels of a hierarchy: order, no repeats, no review above what it reviews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from metarag.design_words import design_words
from metarag.evidence_level_loader import Location
from metarag.hierarchy import Hierarchies
from metarag.level_table import LevelTable
from metarag.types import DesignFinding, StudyDesign

SYNTHESES: Final = (
    StudyDesign.SYSTEMATIC_REVIEW,
    StudyDesign.META_ANALYSIS,
    StudyDesign.NETWORK_META_ANALYSIS,
    StudyDesign.UMBRELLA_REVIEW,
)
Problem = tuple[Location, str]
"""Where it is, and what is wrong."""


def rule_problems(hierarchies: Hierarchies) -> Iterator[Problem]:
    """Yield what is wrong with hierarchies whose every field is right by itself."""
    for name, hierarchy in hierarchies.hierarchies.items():
        around: Location = ("hierarchies", name, "tables")
        kinds = ((i, "kinds", kind) for i, table in enumerate(hierarchy.tables) for kind in table.kinds)
        yield from _repeats(around, kinds, "kind of question")
        yield from _repeats(around, ((i, "name", t.name) for i, t in enumerate(hierarchy.tables)), "table")
        for index, table in enumerate(hierarchy.tables):
            if index and not table.kinds:
                yield (*around, index), "kinds are missing: only the first table may serve all questions"
            for location, text in _table_problems(table):
                yield (*around, index, *location), text


def _table_problems(table: LevelTable) -> Iterator[Problem]:
    for index, (stronger, level) in enumerate(pairwise(table.levels), 1):
        if level.weight >= stronger.weight:
            text = f"weight {level.weight} is not below {stronger.weight} of level {stronger.id!r} before it"
            yield ("levels", index, "weight"), text
    for index, level in enumerate(table.levels):
        graded = level.types(printed_only=False) or level.designs or level.labelled
        if not graded and level.id != table.others:
            yield ("levels", index), "empty: no publication type and no design is graded here"
    if table.others is not None and table.others not in {level.id for level in table.levels}:
        yield ("others",), f"there is no level {table.others!r}"
    for what, entries in _names(table).items():
        yield from _repeats(("levels",), entries, what)
    yield from _case_series_problems(table)


def _names(table: LevelTable) -> dict[str, list[tuple[int, str, str]]]:
    """Return what may stand once in a table: what it is, and where each name stands."""
    levels = list(enumerate(table.levels))
    return {
        "level": [(i, "id", level.id) for i, level in levels],
        "publication type": [
            (i, field, listed.name)
            for i, level in levels
            for field in ("publication_types", "added_publication_types")
            for listed in getattr(level, field)
        ],
        "design": [(i, "designs", design) for i, level in levels for design in level.designs],
        "labelled design": [
            (i, "labelled", f"{label}: {design}")
            for i, level in levels
            for label, designs in level.labelled.items()
            for design in designs
        ],
    }


def _repeats(around: Location, entries: Iterable[tuple[int, str, str]], what: str) -> Iterator[Problem]:
    """Yield every name that stands a second time."""
    seen: set[str] = set()
    for index, field, name in entries:
        if name in seen:
            yield (*around, index, field), f"{what} {str(name)!r} stands here a second time"
        seen.add(name)


def _case_series_problems(table: LevelTable) -> Iterator[Problem]:
    """A review is as good as what it reviews: one of case series must not outrank a trial."""
    trial = table.position(DesignFinding(design=StudyDesign.RANDOMIZED_TRIAL))
    for design in SYNTHESES:
        placed = table.position(DesignFinding(design=design, labels=("of_case_series",)))
        if trial is not None and placed is not None and placed <= trial:
            text = (
                f"a {design_words(design)} of case series would stand no lower than a randomised trial; add"
                f" 'labelled: {{of_case_series: [{design}]}}' to a level below {table.levels[trial].id!r}"
            )
            yield ("levels", placed), text
