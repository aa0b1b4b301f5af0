"""Leave out what is no evidence at all, for reasons that do not depend on results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from metarag.audit import Decision, Measurement, StageReport, Verdict
from metarag.records import Article, Frozen, PartialDate
from metarag.retraction_watch import RetractionWatch, gravest
from metarag.types import Appraisal, Evidence, Question, RetractionState

NAME = "eligibility"

_STANDING = {
    RetractionState.RETRACTED: ("eligibility.retracted", "Retracted: its results must not be used"),
    RetractionState.RETRACTION_NOTICE: ("eligibility.retraction_notice", "A retraction notice, not a study"),
    RetractionState.SUPERSEDED: ("eligibility.superseded", "Superseded by an update of the same article"),
}
_STANDING_WORDS = {
    RetractionState.EXPRESSION_OF_CONCERN: "an expression of concern stands against it",
    RetractionState.CORRECTED: "it was corrected",
    RetractionState.CONCERN_NOTICE: "it is a notice of concern about another article",
    RetractionState.CORRECTION_NOTICE: "it is a correction of another article",
    RetractionState.NONE_SEEN: "no retraction is recorded",
    RetractionState.NOT_CHECKED: "its retraction state was not checked",
}


class EligibilityOptions(Frozen):
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
        evidence = [self._with_standing(item) for item in evidence]
        duplicates = _duplicates(evidence)
        siblings = _same_trial(evidence)
        decisions = tuple(self._decide(item, duplicates.get(item.key), siblings) for item in evidence)
        kept = {d.key for d in decisions if d.verdict is not Verdict.EXCLUDED}
        return StageReport(evidence=tuple(e for e in evidence if e.key in kept), decisions=decisions)

    def _with_standing(self, item: Evidence) -> Evidence:
        found = self.retraction_watch.status(item.article) if self.retraction_watch else None
        if found is None or item.appraisal is None:
            return item
        standing = gravest(item.appraisal.retraction, found)
        return item.assessed(appraisal=Appraisal(**{**dict(item.appraisal), "retraction": standing}))

    def _decide(
        self, item: Evidence, original: Evidence | None, siblings: dict[str, tuple[str, ...]]
    ) -> Decision:
        found = _fault(item, original)
        measurements = _measurements(item, siblings)
        if found is None:
            state = _state(item)
            reason = f"Eligible; {_STANDING_WORDS[state]}."
            return Decision(
                stage=NAME,
                key=item.key,
                verdict=Verdict.INCLUDED,
                criterion="eligibility.eligible",
                reason=reason,
                measurements=measurements,
            )
        criterion, reason = found
        stays = self.options.allows(criterion)
        return Decision(
            stage=NAME,
            key=item.key,
            verdict=Verdict.INCLUDED if stays else Verdict.EXCLUDED,
            criterion=criterion,
            reason=f"{reason}; kept because the settings say so." if stays else f"{reason}.",
            measurements=measurements,
        )


def _state(item: Evidence) -> RetractionState:
    return item.appraisal.retraction.state if item.appraisal else RetractionState.NOT_CHECKED


def _fault(item: Evidence, original: Evidence | None) -> tuple[str, str] | None:
    article = item.article
    if original is not None:
        return "eligibility.duplicate", f"The same record as {original.article.label} ({original.key})"
    standing = _STANDING.get(_state(item))
    if standing is not None:
        detail = item.appraisal.retraction.detail if item.appraisal else None
        return standing[0], standing[1] + (f" ({detail})" if detail else "")
    if not article.title.strip() and article.abstract is None:
        return "eligibility.no_text", "Neither title nor abstract: there is nothing to appraise"
    return None


def _measurements(item: Evidence, siblings: dict[str, tuple[str, ...]]) -> dict[str, Measurement]:
    status: dict[str, Measurement] = {"retraction_state": _state(item).value}
    if item.appraisal and item.appraisal.retraction.source:
        status["retraction_source"] = item.appraisal.retraction.source
    if item.appraisal and item.appraisal.retraction.as_of:
        status["retraction_as_of"] = _iso(item.appraisal.retraction.as_of)
    if item.key in siblings:
        status["same_trial_as"] = ", ".join(siblings[item.key])
    return status


def _iso(date: PartialDate) -> str | None:
    parts = [f"{date.year:04d}" if date.year else None]
    parts += [f"{part:02d}" if part else None for part in (date.month, date.day)]
    known = []
    for part in parts:
        if part is None:
            break
        known.append(part)
    return "-".join(known) or None


def _duplicates(evidence: Sequence[Evidence]) -> dict[str, Evidence]:
    """Map the key of each repeat to the record that stays."""
    repeats: dict[str, Evidence] = {}
    for group in _groups(evidence):
        best = min(group, key=_preference)
        repeats |= {item.key: best for item in group if item is not best}
    return repeats


def _groups(evidence: Sequence[Evidence]) -> Iterable[list[Evidence]]:
    """Records that are one: the same id, or the same DOI unless two PMIDs say that they are two.

    Two PMIDs with one DOI do occur (a supplement and its article); they are one only when they also
    have the same title.
    """
    root_of: dict[str, str] = {}
    members: dict[str, list[Evidence]] = defaultdict(list)
    for item in sorted(evidence, key=_preference):
        article = item.article
        doi = article.doi.lower() if article.doi else None
        names = [article.id] + ([f"{doi} {_bare_title(article)}"] if doi else [])
        # Records with a PMID sort first, so a DOI alone is looked up by those without one only.
        looked_up = names + ([f"doi:{doi}"] if doi and article.pmid is None else [])
        root = next((root_of[name] for name in looked_up if name in root_of), item.key)
        for name in [*names, f"doi:{doi}"] if doi else names:
            root_of.setdefault(name, root)
        members[root].append(item)
    return [group for group in members.values() if len(group) > 1]


def _bare_title(article: Article) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in article.title.casefold()).split())


def _preference(item: Evidence) -> tuple[bool, int, tuple[int, int, int], int, str, str, str, str]:
    """Sort key: which of two records of one article stays. Independent of the order they came in."""
    article = item.article
    revised = article.date_revised or PartialDate()
    when = (-(revised.year or 0), -(revised.month or 0), -(revised.day or 0))
    text = article.abstract or ""
    types = "|".join(t.name for t in article.publication_types)
    size = len(article.title) + len(text)
    return (article.pmid is None, -article.version, when, -size, article.id, article.title, text, types)


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
