"""Leave out what is no evidence at all, for reasons that do not depend on results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from metarag.audit import Decision, Measurement, StageReport, Verdict
from metarag.option_models import Options
from metarag.record_copies import bare_title, copies, preference
from metarag.records import Article
from metarag.retraction_shared import with_shared_standings
from metarag.retraction_watch import RetractionWatch, gravest
from metarag.types import Appraisal, Evidence, Question, RetractionState

NAME = "eligibility"
# Looked up once: Python 3.11 takes a tenth of a microsecond for a member of an enumeration.
_INCLUDED, _EXCLUDED = Verdict.INCLUDED, Verdict.EXCLUDED

_ELIGIBLE = "eligibility.eligible"
_SHOWN_YEARS = 5
"""Warnings about single records; the others are counted."""
_STANDING = {
    RetractionState.RETRACTED: ("eligibility.retracted", "Retracted: its results must not be used"),
    RetractionState.RETRACTION_NOTICE: ("eligibility.retraction_notice", "A retraction notice, not a study"),
    RetractionState.SUPERSEDED: ("eligibility.superseded", "Superseded by an update of the same article"),
    RetractionState.EXPRESSION_OF_CONCERN: (
        _ELIGIBLE,
        "Eligible; an expression of concern stands against it.",
    ),
    RetractionState.CORRECTED: (_ELIGIBLE, "Eligible; it was corrected."),
    RetractionState.CONCERN_NOTICE: (_ELIGIBLE, "Eligible; it is a notice of concern about another article."),
    RetractionState.CORRECTION_NOTICE: (_ELIGIBLE, "Eligible; it is a correction of another article."),
    RetractionState.NONE_SEEN: (_ELIGIBLE, "Eligible; no retraction is recorded."),
    RetractionState.NOT_CHECKED: (_ELIGIBLE, "Eligible; its retraction state was not checked."),
}


class EligibilityOptions(Options):
    """Which exclusions apply; all of them by default.

    Parameters
    ----------
    retraction_watch : Path or None
        A Retraction Watch table (CSV) of yours; it adds to what the records themselves show.
    exclude_retracted, exclude_superseded, exclude_duplicates, exclude_without_text : bool
        Switching one off keeps such records, and the decision still says what they are.
    """

    retraction_watch: Path | None = None
    exclude_retracted: bool = True
    exclude_superseded: bool = True
    exclude_duplicates: bool = True
    exclude_without_text: bool = True

    def allows(self, criterion: str) -> bool:
        """True when a record that meets ``criterion`` is to stay."""
        switches = {
            "eligibility.retracted": self.exclude_retracted,
            "eligibility.retraction_notice": self.exclude_retracted,
            "eligibility.superseded": self.exclude_superseded,
            "eligibility.duplicate": self.exclude_duplicates,
            "eligibility.no_text": self.exclude_without_text,
        }
        return not switches[criterion]


class EligibilityStage:
    """Excludes retracted and superseded records, notices, duplicates and records without any text.

    Protocols, editorials, letters and comments stay, as what they are. Reports of the same trial are
    linked by registry id and stay too.
    """

    name = NAME
    options_type = EligibilityOptions

    def __init__(self, options: EligibilityOptions | None = None) -> None:
        self.options = options or EligibilityOptions()
        path = self.options.retraction_watch
        self.retraction_watch = RetractionWatch.from_csv(path) if path else None

    def assess(self, question: Question, evidence: Sequence[Evidence]) -> StageReport:
        """Decide on each record; the question plays no part."""
        if self.retraction_watch:
            evidence = with_shared_standings([self._with_standing(item) for item in evidence])
        duplicates = _duplicates(evidence)
        siblings = _same_trial(evidence)
        decisions = tuple([self._decide(item, duplicates.get(item.key), siblings) for item in evidence])
        out = {d.key for d in decisions if d.verdict is _EXCLUDED}
        kept = tuple([e for e in evidence if e.key not in out])
        return StageReport(evidence=kept, decisions=decisions, warnings=_absurd_years(evidence))

    def _with_standing(self, item: Evidence) -> Evidence:
        found = self.retraction_watch.status(item.article) if self.retraction_watch else None
        if found is None or item.appraisal is None:
            return item
        standing = gravest(item.appraisal.retraction, found)
        return item.assessed(appraisal=Appraisal(**{**dict(item.appraisal), "retraction": standing}))

    def _decide(
        self, item: Evidence, original: Evidence | None, siblings: dict[str, tuple[str, ...]]
    ) -> Decision:
        state = _state(item)
        measurements = _measurements(item, siblings, state)
        if not self.options.exclude_duplicates and _STANDING[state][0] != _ELIGIBLE:
            original = None
        criterion, reason = _finding(item, original, state)
        if criterion == _ELIGIBLE:
            return Decision.on(item, NAME, _INCLUDED, criterion, reason, measurements)
        stays = self.options.allows(criterion)
        verdict = _INCLUDED if stays else _EXCLUDED
        reason = f"{reason}; kept because the settings say so." if stays else f"{reason}."
        return Decision.on(item, NAME, verdict, criterion, reason, measurements)


def _state(item: Evidence) -> RetractionState:
    return item.appraisal.retraction.state if item.appraisal else RetractionState.NOT_CHECKED


def _finding(item: Evidence, original: Evidence | None, state: RetractionState) -> tuple[str, str]:
    """Return the criterion and why; a fault's reason is without a full stop."""
    article = item.article
    if original is not None:
        return "eligibility.duplicate", _same_as(article, original)
    criterion, reason = _STANDING[state]
    detail = item.appraisal.retraction.detail if item.appraisal else None
    if criterion != _ELIGIBLE:
        return criterion, reason + (f" ({detail})" if detail else "")
    if not article.title.strip() and article.abstract is None:
        return "eligibility.no_text", "Neither title nor abstract: there is nothing to appraise"
    return criterion, f"{reason.removesuffix('.')} ({detail})." if detail else reason


def _same_as(article: Article, original: Evidence) -> str:
    same = f"The same record as {original.article.label} ({original.key})"
    if bare_title(article) == bare_title(original.article):
        return same
    shared = "PMID" if article.pmid and article.pmid == original.article.pmid else "DOI"
    return f"{same}, by its {shared}, although the titles differ"


def _absurd_years(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return a warning for each record with a year that is none, so that it counts as unknown."""
    found = []
    for item in evidence:
        article = item.article
        for date in (article.electronic_date, article.print_date, article.date_revised):
            if date is not None and (year := date.absurd_year):
                found.append(f"{item.key}: {year} is no year of an article; it counts as unknown.")
    shown = found[:_SHOWN_YEARS]
    more = len(found) - len(shown)
    return (*shown, f"{more} more years are none; they count as unknown.") if more else tuple(shown)


def _measurements(
    item: Evidence, siblings: dict[str, tuple[str, ...]], state: RetractionState
) -> dict[str, Measurement]:
    status: dict[str, Measurement] = {"retraction_state": str(state)}
    known = item.appraisal.retraction if item.appraisal else None
    if known and known.source:
        status["retraction_source"] = known.source
    if known and (date := known.as_of):
        status["retraction_as_of"] = _iso(date.year, date.month, date.day)
    if item.key in siblings:
        status["same_trial_as"] = ", ".join(siblings[item.key])
    return status


@lru_cache(maxsize=1_024)
def _iso(year: int | None, month: int | None, day: int | None) -> str | None:
    known = []
    for form, part in (("{:04d}", year), ("{:02d}", month), ("{:02d}", day)):
        if not part:
            break
        known.append(form.format(part))
    return "-".join(known) or None


def _duplicates(evidence: Sequence[Evidence]) -> dict[str, Evidence]:
    """Map the key of each repeat to the record that stays."""
    repeats: dict[str, Evidence] = {}
    for group in copies(evidence):
        best = min(group, key=preference)
        repeats |= {item.key: best for item in group if item is not best}
    return repeats


def _same_trial(evidence: Sequence[Evidence]) -> dict[str, tuple[str, ...]]:
    by_registry: dict[str, list[str]] = defaultdict(list)
    for item in evidence:
        for registry_id in item.appraisal.registry_ids if item.appraisal else ():
            by_registry[registry_id].append(item.key)
    linked: dict[str, set[str]] = defaultdict(set)
    for keys in by_registry.values():
        for key in keys:
            linked[key] |= set(keys) - {key}
    return {key: tuple(sorted(others)) for key, others in linked.items() if others}
