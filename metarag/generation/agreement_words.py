"""Agreement and conflict in sentences a clinician can check, each with what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from metarag.agreement import Agreement
from metarag.generation.base import AnswerSentence
from metarag.generation.citations import citation_of, cited
from metarag.pipeline import Ranking
from metarag.results import ArticleResult, Result
from metarag.types import Evidence

_TIERS = (
    ("review", "review", "reviews"),
    ("randomised", "randomised study", "randomised studies"),
    ("observational", "observational study", "observational studies"),
    ("other", "other article", "other articles"),
)
_WORDS = {
    Result.BENEFIT: "in favour of the treatment",
    Result.NO_DIFFERENCE: "no difference",
    Result.HARM: "against the treatment",
}


def agreement_sentences(found: Agreement, ranking: Ranking) -> list[AnswerSentence]:
    """Return what each kind of study finds on the outcome, and whether they conflict.

    Results are counted by kind of study and never added up over kinds. What says nothing of the outcome
    is counted too.
    """
    if not found.results:
        return []
    articles = {item.key: item for item in ranking}
    outcome = (
        found.outcome.replace("+", " or ")
        .replace("all_cause_death", "death from any cause")
        .replace("_", " ")
    )
    sentences = []
    if found.is_conflict:
        sentences.append(AnswerSentence(text=f"The evidence on {outcome} conflicts."))
    elif found.kinds_differ:
        sentences.append(AnswerSentence(text=f"Kinds of studies differ on {outcome}."))
    for tier, one, many in _TIERS:
        results = [result for result in found.results if result.tier == tier]
        if results:
            sentences.append(_tier_sentence(results, one, many, outcome, articles))
    largest = _largest(found.results, articles)
    if found.is_conflict and largest:
        sentences.append(_largest_sentence(*largest, articles))
    if found.silent:
        noun = "article" if found.silent == 1 else "articles"
        text = f"In {found.silent} more {noun} on this treatment no clear result on {outcome} could be read."
        sentences.append(AnswerSentence(text=text))
    return sentences


def _tier_sentence(
    results: Sequence[ArticleResult], one: str, many: str, outcome: str, articles: dict[str, Evidence]
) -> AnswerSentence:
    parts, citations = [], []
    for result in Result:
        keys = [found.key for found in results if found.result is result]
        if keys:
            parts.append(f"{len(keys)} {_WORDS[result]} {cited([articles[k].article for k in keys])}")
            citations += [citation_of(articles[key].article) for key in keys]
    noun = one if len(results) == 1 else many
    text = f"{len(results)} {noun} on {outcome}: {'; '.join(parts)}."
    return AnswerSentence(text=text, citations=tuple(citations))


def _largest(
    results: Sequence[ArticleResult], articles: dict[str, Evidence]
) -> tuple[ArticleResult, int] | None:
    sized = []
    for result in results:
        appraisal = articles[result.key].appraisal
        if result.tier == "randomised" and appraisal and appraisal.sample_size:
            sized.append((appraisal.sample_size.total, result))
    if len(sized) < 2:
        return None
    total, result = max(sized, key=lambda entry: (entry[0], entry[1].key))
    return result, total


def _largest_sentence(result: ArticleResult, total: int, articles: dict[str, Evidence]) -> AnswerSentence:
    article = articles[result.key].article
    text = (
        f"The largest randomised study ({total:,} people) finds {_found(result.result)} {cited([article])}."
    )
    return AnswerSentence(text=text, citations=(citation_of(article),), quote=result.span)


def _found(result: Result) -> str:
    return {
        Result.BENEFIT: "a benefit",
        Result.NO_DIFFERENCE: "no difference",
        Result.HARM: "harm",
    }[result]
