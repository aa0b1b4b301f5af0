"""Which way the articles point, what was pooled on the question, and what conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from metarag.agreement import Agreement, facet_decisions, fits_question
from metarag.audit import AuditTrail, Decision, Synthesis
from metarag.heterogeneity_reviews import overlap_sentence
from metarag.pipeline import Ranking
from metarag.report.numbers import count
from metarag.report.plain import shorten
from metarag.report.references import Piece, References
from metarag.report.synthesis_view import ENOUGH, SynthesisView, synthesis_view
from metarag.report.words import outcome_words, sentence_case
from metarag.results import OBSERVATIONAL_REVIEW, REVIEW, Result

_TIERS: Final = (
    ("review", "Reviews"),
    ("randomised", "Randomised studies"),
    ("observational_review", "Reviews of observational studies"),
    ("observational", "Observational studies"),
    ("other", "Other articles"),
)
MOST_FIGURES: Final = 12
MOST_SINGLE: Final = 60
"""Single results listed; the run file holds all."""
_UNPOOLED: Final[Mapping[str, str]] = {
    "heterogeneity.no_effect": "print no effect that could be compared",
    "heterogeneity.not_pooled": "print effects that cannot be pooled",
    "heterogeneity.single_study": "have the only poolable result of their kind",
    "heterogeneity.few_studies": "have a result in a pool of fewer than five",
}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One kind of study: the articles with each result."""

    name: str
    benefit: tuple[Piece, ...]
    no_difference: tuple[Piece, ...]
    harm: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class AgreementView:
    """All results on one outcome of the question.

    Attributes
    ----------
    status : str
        In a sentence: do they conflict?
    silent : str
        How many articles say nothing of it; empty for none.
    overlap : str
        That reviews may share trials; empty where fewer than two have a result.
    """

    outcome: str
    status: str
    is_conflict: bool
    rows: tuple[AgreementRow, ...]
    silent: str
    overlap: str


@dataclass(frozen=True, slots=True)
class PoolsView:
    """What was pooled, sorted by what it has to do with the question.

    Attributes
    ----------
    asked : tuple of SynthesisView
        Pools on the question's treatment and outcome.
    beside : tuple of SynthesisView
        Other outcomes of the question's treatment, harms among them.
    single : tuple of SynthesisView
        Results on the question's treatment that stand alone, reviews' own results among them.
    elsewhere : tuple of SynthesisView
        Pools on other treatments that were retrieved as well.
    hidden : str
        What is only counted here; empty when all is shown.
    nothing : str
        A sentence when nothing on the question could be pooled; empty otherwise.
    none_stands_out : str
        Why no study is said to stand out, where none is.
    """

    asked: tuple[SynthesisView, ...]
    beside: tuple[SynthesisView, ...]
    single: tuple[SynthesisView, ...]
    elsewhere: tuple[SynthesisView, ...]
    hidden: str
    nothing: str
    none_stands_out: str


def agreement_view(found: Agreement, references: References) -> AgreementView:
    """Return the results on an outcome by kind of study, each with its articles."""
    return AgreementView(
        outcome=sentence_case(outcome_words(found.outcome)),
        status=agreement_status(found),
        is_conflict=found.is_conflict,
        rows=tuple(_rows(found, references)),
        silent=(
            f"In {count(found.silent, 'more article')} on this treatment no clear result on it could be read."
            if found.silent
            else ""
        ),
        overlap=_overlap(found),
    )


def _overlap(found: Agreement) -> str:
    """Return what two reviews of the same kind of study are not; of two kinds, they cannot share a study."""
    reviews = max(
        sum(result.tier == tier for result in found.results) for tier in (REVIEW, OBSERVATIONAL_REVIEW)
    )
    return overlap_sentence(reviews) if reviews > 1 else ""


def agreement_status(found: Agreement) -> str:
    """Return whether the results on an outcome agree, in one sentence with their numbers."""
    outcome, total = outcome_words(found.outcome), len(found.results)
    if not total:
        return f"No article states a clear result on {outcome}."
    if found.is_conflict:
        return f"The evidence on {outcome} conflicts: studies of the same kind differ in their result."
    if found.kinds_differ:
        return f"Kinds of studies differ on {outcome}; within reviews and randomised studies there is no conflict."
    if total == 1:
        return f"Only one article states a clear result on {outcome}: nothing says whether others agree."
    return f"All {total:,} articles with a clear result on {outcome} agree ({found.results[0].result.value})."


def _rows(found: Agreement, references: References) -> Iterator[AgreementRow]:
    for tier, name in _TIERS:
        results = [result for result in found.results if result.tier == tier]
        if results:
            by = {
                kind: tuple(references.to(result.key) for result in results if result.result is kind)
                for kind in Result
            }
            yield AgreementRow(name, by[Result.BENEFIT], by[Result.NO_DIFFERENCE], by[Result.HARM])


def sort_pools(
    ranking: Ranking, outcomes: Sequence[str]
) -> tuple[list[Synthesis], list[Synthesis], list[Synthesis]]:
    """Return the syntheses on the question, those on its treatment otherwise, and the rest.

    A synthesis is on the question's treatment when one of its studies is, by the decision on its
    applicability; where no such decision was made, all are.

    Parameters
    ----------
    outcomes : sequence of str
        Keys of the outcomes that the question names; empty makes every outcome one of the question's.
    """
    facets = facet_decisions(ranking)
    wanted = {part for key in outcomes for part in key.split("+")}
    asked, beside, elsewhere = [], [], []
    for synthesis in ranking.audit.syntheses:
        if not any(fits_question(facets.get(study.key)) for study in synthesis.studies):
            elsewhere.append(synthesis)
        elif not wanted or wanted & set(synthesis.outcome.split("+")):
            asked.append(synthesis)
        else:
            beside.append(synthesis)
    return asked, beside, elsewhere


def pools_view(ranking: Ranking, outcomes: Sequence[str], references: References) -> PoolsView:
    """Return all pools, those on the question first and the largest of them first."""
    audit = ranking.audit
    asked, beside, elsewhere = (sorted(group, key=_size) for group in sort_pools(ranking, outcomes))
    figures = [s for s in (*asked, *beside) if _is_pool(s)]
    single = [s for s in (*asked, *beside) if not _is_pool(s)]
    others = [s for s in elsewhere if _is_pool(s)]
    views = {
        s.id: synthesis_view(s, references, ident=f"s{number}")
        for number, s in enumerate((*figures[:MOST_FIGURES], *single[:MOST_SINGLE], *others[:MOST_FIGURES]))
    }

    def shown(group: Sequence[Synthesis]) -> tuple[SynthesisView, ...]:
        return tuple(views[s.id] for s in group if s.id in views)

    return PoolsView(
        asked=shown([s for s in asked if _is_pool(s)]),
        beside=shown([s for s in beside if _is_pool(s)]),
        single=shown(single),
        elsewhere=shown(others),
        hidden=_hidden(len(audit.syntheses) - len(views)),
        nothing="" if any(_is_pool(s) for s in asked) else _nothing(audit, single),
        none_stands_out=_none_stands_out(audit),
    )


def _size(synthesis: Synthesis) -> tuple[int, str]:
    return -len(synthesis.studies), synthesis.id


def _is_pool(synthesis: Synthesis) -> bool:
    return len(synthesis.studies) > 1


def _hidden(number: int) -> str:
    if number <= 0:
        return ""
    return (
        f"{count(number, 'more result')} on other treatments or outcomes, each of one study, in the run file."
    )


def _nothing(audit: AuditTrail, single: Sequence[Synthesis]) -> str:
    said = "Nothing could be pooled on the question: no two studies print a comparable effect on its outcome."
    if single:
        said += f" {sentence_case(count(len(single), 'result'))} that stand alone are listed below."
    counts = Counter(_on_effects(d)[0] for d in audit.decisions if d.stage == "heterogeneity")
    why = [f"{counts[name]:,} {words}" for name, words in _UNPOOLED.items() if counts[name]]
    return said + (f" Of all articles, {'; '.join(why)}." if why else "")


def _none_stands_out(audit: AuditTrail) -> str:
    enough = [s for s in audit.syntheses if len(s.studies) >= ENOUGH]
    if not enough:
        return (
            f"No pool has the {ENOUGH} studies from which on a single one can be said to stand out, so none was"
            " looked for, and none was left out for its result."
        )
    return "No study stands out from its pool. I² alone never leaves a study out."


def standing_out(audit: AuditTrail, references: References) -> tuple[tuple[str, Piece, str], ...]:
    """Return key, link and reason of each article that stood out of a pool or was left out for its result."""
    telling = ("heterogeneity.outlier", "heterogeneity.influence")
    return tuple(
        (decision.key, references.to(decision.key), shorten(reason, 400))
        for decision in audit.decisions
        for criterion, reason in (_on_effects(decision),)
        if criterion in telling
    )


def _on_effects(decision: Decision) -> tuple[str, str]:
    """Return what was found of an article's effects, also where its stance decided (policy ``paper``)."""
    criterion = decision.measurements.get("on_effects")
    if criterion is None:
        return decision.criterion, decision.reason
    return str(criterion), str(decision.measurements.get("on_effects_reason") or "")
