"""Which articles report the same study, where no registry number says so: its name, or its authors and size.

A pool counts each study once. Registry numbers tell most secondary reports; older trials and many
sub-studies have none, and are known by their name ("the ISIS-4 trial") or by number of participants with
the first author or two authors, in years that fit. A link never removes an article from a ranking: it only
keeps a second result of the same people out of a pool.

References
----------
Senn (2009), BMC Med Res Methodol 9:10 (double counting); Cochrane Handbook 4.6.2 (criteria for linking
reports: trial names, registry numbers, authors, numbers of participants, dates). The windows are ours.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from metarag.study_names import are_different
from metarag.types import SYNTHESES, Evidence

MAX_YEARS_APART = 5
"""Between reports of one study that are linked by authors and size; ours."""
MAX_YEARS_TO_FOLLOW_UP = 25
"""The same for one whose title says that it is a follow-up; ours, as long as trials are followed."""
MOST_AUTHORS = 6
"""Of an article, the last one among them, that are compared with another's; ours."""
MIN_PARTICIPANTS = 30
"""Below it, equal numbers are too likely by chance; ours."""

MOST_STUDIES = 50
"""Known to be different that have one name, or authors and size; of more it tells nothing. Ours."""
_FOLLOW_UP: Final = re.compile(
    r"\bfollow(?:ed)?[- ]?up\b|\blong(?:er)?[- ]term\b|\bextended\b|\bextension\b|\blegacy\b"
    r"|\b(?:\d+|five|ten|fifteen|twenty)[- ]years?\b|\byears (?:after|later|on)\b",
    re.IGNORECASE,
)
_REGISTRY: Final = re.compile(r"[\W_]*\d.*$")


def study_ids(evidence: Iterable[Evidence]) -> dict[str, frozenset[str]]:
    """Return, for each piece of appraised evidence, ids that it shares with other reports of its study.

    Parameters
    ----------
    evidence : iterable of Evidence
        In any order: the result does not depend on it.

    Returns
    -------
    dict of str to frozenset of str
        Evidence key to the article's id, its registry numbers, and what links it with others:
        ``name:ISIS4``, ``report:smith j:1234`` or ``authors:...``. Reports with different numbers of one
        registry, or different names, are never linked so; numbers of two registries may be of one study.
        Where a name is that of two studies, a report without number is linked with the nearest in size and
        year. Reviews and comments have only their own ids.
    """
    items = sorted((item for item in evidence if item.appraisal is not None), key=lambda item: item.key)
    ids = {item.key: {item.article.id, *_registered(item)} for item in items}
    groups: dict[str, list[_Report]] = defaultdict(list)
    reports = []
    for item in items:
        report = _Report.of(item)
        reports.append(report)
        for link in _links(item, report):
            groups[link].append(report)
    several = {link: members for link, members in groups.items() if len(members) > 1}
    shared = [
        (link, span)
        for link, members in sorted(several.items(), key=_surest)
        for span in _spans(link, members)
    ]
    studies = _joined(reports, [span for _, span in shared])
    for link, span in shared:
        for name, keys in _names(link, span, studies):
            for key in keys:
                ids[key].add(name)
    return {key: frozenset(found) for key, found in ids.items()}


def in_words(shared: Iterable[str]) -> str:
    """Return what links two reports in words for a reader; empty where an id speaks for itself."""
    kinds: Mapping[str, str] = {
        "name": "the study's name",
        "report": "first author and participants",
        "authors": "authors and participants",
    }
    found = {kinds[kind] for i in shared if (kind := i.split(":", 1)[0]) in kinds}
    if kinds["report"] in found:
        found.discard(kinds["authors"])
    return " and ".join(sorted(found))


@dataclass(frozen=True, slots=True)
class _Report:
    """What of an article tells its study."""

    key: str
    year: int | None
    size: int | None
    names: frozenset[str]
    registered: Mapping[str, frozenset[str]]
    is_follow_up: bool

    @classmethod
    def of(cls, item: Evidence) -> _Report:
        numbers: dict[str, set[str]] = defaultdict(set)
        for number in _registered(item):
            numbers[_REGISTRY.sub("", number)].add(number)
        size = item.appraisal.sample_size if item.appraisal else None
        return cls(
            key=item.key,
            year=item.article.year,
            size=size.total if size and size.kind != "studies" else None,
            names=frozenset(item.appraisal.study_names if item.appraisal else ()),
            registered={name: frozenset(found) for name, found in numbers.items()},
            is_follow_up=bool(_FOLLOW_UP.search(item.article.title or "")),
        )


@dataclass(slots=True, eq=False)
class _Study:
    """Reports that nothing tells apart."""

    reports: list[_Report]
    names: set[str]
    registered: dict[str, set[str]]

    @classmethod
    def of(cls, report: _Report) -> _Study:
        numbers = {registry: set(found) for registry, found in report.registered.items()}
        return cls([report], set(report.names), numbers)

    def absorb(self, other: _Study) -> None:
        self.reports += other.reports
        self.names |= other.names
        for registry, numbers in other.registered.items():
            self.registered.setdefault(registry, set()).update(numbers)

    def may_be(self, other: _Study) -> bool:
        if self.names and other.names and are_different(self.names, other.names):
            return False
        shared = self.registered.keys() & other.registered.keys()
        return not any(self.registered[r].isdisjoint(other.registered[r]) for r in shared)

    def distance(self, report: _Report) -> tuple[bool, int, str]:
        """Return how far a report is from these: equal size, years between, first key."""
        same_size = any(report.size is not None and one.size == report.size for one in self.reports)
        years = [abs(one.year - report.year) for one in self.reports if one.year and report.year]
        return not same_size, min(years, default=MAX_YEARS_TO_FOLLOW_UP), min(r.key for r in self.reports)


def _registered(item: Evidence) -> tuple[str, ...]:
    return item.appraisal.registry_ids if item.appraisal else ()


def _links(item: Evidence, report: _Report) -> Iterable[str]:
    appraisal = item.appraisal
    if appraisal is None or not appraisal.effects or appraisal.design.design in SYNTHESES:
        return
    yield from (f"name:{name}" for name in report.names)
    if report.size is None or report.size < MIN_PARTICIPANTS or report.year is None:
        return
    authors = [
        f"{a.last} {(a.initials or a.fore or '')[:1]}".casefold() for a in item.article.authors if a.last
    ]
    if authors:
        yield f"report:{authors[0]}:{report.size}"
    compared = {*authors[: MOST_AUTHORS - 1], *authors[-1:]}
    yield from (f"authors:{one}+{two}:{report.size}" for one, two in combinations(sorted(compared), 2))


def _surest(group: tuple[str, list[_Report]]) -> tuple[int, str]:
    """Sort names before first authors before pairs of authors: what is joined first, tells what may follow."""
    link = group[0]
    return ("name", "report", "authors").index(link.split(":", 1)[0]), link


def _spans(link: str, members: Sequence[_Report]) -> Iterable[list[_Report]]:
    """Cut where too many years lie between one report and the next, so that one more never cuts."""
    spans: list[list[_Report]] = []
    for report in sorted(members, key=lambda report: (report.year or 0, report.key)):
        longest = MAX_YEARS_TO_FOLLOW_UP if report.is_follow_up else MAX_YEARS_APART
        gap = (report.year or 0) - (spans[-1][-1].year or 0) if spans else 0
        if spans and (link.startswith("name:") or gap <= longest):
            spans[-1].append(report)
        else:
            spans.append([report])
    return (span for span in spans if len(span) > 1)


def _joined(reports: Iterable[_Report], spans: Iterable[list[_Report]]) -> dict[str, _Study]:
    """Return the study of each report: by registry numbers, then by links that nothing speaks against."""
    of: dict[str, _Study] = {}
    first: dict[str, str] = {}
    for report in reports:
        of[report.key] = _Study.of(report)
        for number in sorted(n for numbers in report.registered.values() for n in numbers):
            _join(of[first.setdefault(number, report.key)], of[report.key], of)
    for span in spans:
        seen: list[_Study] = []
        # Reports with registry numbers first, for they tell studies apart.
        for report in sorted(span, key=lambda r: (not r.registered, not r.names, r.year or 0, r.key)):
            own = of[report.key]
            fitting = [study for study in seen if study.may_be(own)]
            if fitting:
                nearest = fitting[0] if len(fitting) == 1 else min(fitting, key=lambda s: s.distance(report))
                seen[seen.index(nearest)] = _join(nearest, own, of)
            elif len(seen) == MOST_STUDIES:
                break
            else:
                seen.append(own)
    return of


def _join(one: _Study, other: _Study, of: dict[str, _Study]) -> _Study:
    """Return what the two become; the smaller goes over, so that many joins cost no square of their number."""
    if one is other:
        return one
    larger, smaller = (one, other) if len(one.reports) >= len(other.reports) else (other, one)
    larger.absorb(smaller)
    of.update((report.key, larger) for report in smaller.reports)
    return larger


def _names(
    link: str, span: Iterable[_Report], studies: Mapping[str, _Study]
) -> Iterable[tuple[str, list[str]]]:
    """Yield the id that reports of one study share by a link, with their keys; one report needs none."""
    parts: dict[int, list[str]] = defaultdict(list)
    for report in span:
        parts[id(studies[report.key])].append(report.key)
    for keys in parts.values():
        if len(keys) > 1:
            yield link if len(parts) == 1 else f"{link}:{min(keys)}", keys
