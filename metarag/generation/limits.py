"""What limits the certainty of an answer, as far as it can be counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from metarag.agreement import facet_decisions, facet_of
from metarag.audit import Decision, Verdict
from metarag.generation.base import AnswerSentence
from metarag.generation.citations import citation_of
from metarag.generation.wording import listed, text_kind
from metarag.pipeline import Ranking
from metarag.results import tier_name
from metarag.types import Evidence

MOST_NAMED = 3
"""Articles that are indirect, or on other people, named in one sentence; ours."""
_LEFT_OUT = {
    "eligibility.retracted": "retracted",
    "eligibility.retraction_notice": "retraction notices",
    "eligibility.superseded": "superseded by a newer version",
    "eligibility.duplicate": "duplicates",
    "eligibility.no_text": "without title and abstract",
    "extrapolation.total_mismatch": "not applicable to the question",
    "heterogeneity.influence": "unlike all other studies of their pool",
    "heterogeneity.algorithm_1": "dissenting and not reliable enough",
    "paper_heterogeneity.algorithm_1": "dissenting and not reliable enough",
}
_RANDOMISED = ("review", "randomised")


def limit_sentences(
    items: Sequence[Evidence], ranking: Ranking, *, related: Sequence[Evidence] | None = None
) -> list[AnswerSentence]:
    """Return what a reader has to know before trusting an answer from these articles.

    Parameters
    ----------
    related : sequence of Evidence or None
        Articles to name where they are on other people or a related treatment; ``None`` is ``items``.
    """
    said = []
    if items and not any(tier_name(item) in _RANDOMISED for item in items):
        said.append(
            AnswerSentence(text="None of these articles is a randomised study or a review of such studies.")
        )
    indirect = _indirect(items if related is None else related, facet_decisions(ranking))
    if indirect:
        said.append(indirect)
    said.append(
        AnswerSentence(text=f"Read were {text_kind(items)}, no full texts; the certainty is not graded.")
    )
    return said


def left_out_sentence(ranking: Ranking) -> AnswerSentence | None:
    """Return how many articles were left out for which reason; ``None`` when none was."""
    if not ranking.excluded:
        return None
    reasons = Counter(
        _LEFT_OUT.get(d.criterion, d.criterion.split(".", 1)[-1].replace("_", " "))
        for d in ranking.audit.decisions
        if d.verdict is Verdict.EXCLUDED
    )
    counted = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    return AnswerSentence(text=f"Left out: {counted}.")


def _indirect(items: Sequence[Evidence], facets: Mapping[str, Decision]) -> AnswerSentence | None:
    """Name the articles on other people, or on a related treatment, with what is different."""
    named = []
    for item in items:
        decision = facets.get(item.key)
        found = [facet_of(decision, facet) for facet in ("population", "intervention")]
        reasons = [f.partition(": ")[2] for f in found if f.startswith(("mismatch", "partial"))]
        if reasons:
            named.append((item, "; ".join(filter(None, reasons))))
    if not named:
        return None
    return named_sentence("Indirect for this question", named)


def named_sentence(said: str, named: Sequence[tuple[Evidence, str]]) -> AnswerSentence:
    """Return a sentence that names articles, each with a reason: the first of them, and how many more."""
    first = named[:MOST_NAMED]
    shown = [f"{item.article.label} ({why})" for item, why in first]
    more = len(named) - len(first)
    return AnswerSentence(
        text=f"{said}: {listed([*shown, f'{more} more'] if more else shown)}.",
        citations=tuple(citation_of(item.article) for item, _ in first),
    )
