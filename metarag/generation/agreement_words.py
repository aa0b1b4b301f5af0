"""How the articles agree, in sentences that a clinician can check, each with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.agreement import Agreement
from metarag.generation.base import AnswerSentence
from metarag.generation.citations import citation_of, cited
from metarag.generation.weighing import Side, Weighing, people_of, side_of
from metarag.generation.wording import outcome_words, people, result_words
from metarag.results import ArticleResult, Result
from metarag.types import Evidence

Articles = Mapping[str, Evidence]

_REVIEWS = ("review of randomised studies", "reviews of randomised studies")
_TIERS = {
    "review": ("systematic review", "systematic reviews"),
    "randomised": ("report of a randomised study", "reports of randomised studies"),
    "observational_review": ("review of observational studies", "reviews of observational studies"),
    "observational": ("observational study", "observational studies"),
    "other": ("other article", "other articles"),
}
_RANDOMISED = ("review", "randomised")
_NOTHING_DECIDES = "no randomised study or review of such studies tells a clear result"


def verdict_sentences(weighing: Weighing, articles: Articles, *, named: bool = True) -> list[AnswerSentence]:
    """Return whether the articles agree on an outcome and, where not, which side has the better evidence.

    Parameters
    ----------
    named : bool
        False where none of the sentences quoted names what is asked; it is said where there is no result.
    """
    found = weighing.agreement
    outcome, of = outcome_words(found.outcome), f" of {found.treatment}" if found.treatment else ""
    if not found.results:
        # Without it, quotations on the topic would pass for an answer.
        text = f"No clear result on {outcome} could be read from any article on this treatment and people"
        text += "." if named else ", and no sentence quoted here names it."
        return [AnswerSentence(text=text), *_beside(found, articles)]
    if not weighing.disagrees:
        return [_agreed(found, outcome, articles), *_beside(found, articles)]
    first = AnswerSentence(text=f"The articles disagree on {outcome}.")
    facts = _facts(weighing, articles)
    if weighing.better is None:
        text = f"It is not clear which side has the better evidence on {outcome}{_with(found)}: {facts}."
    else:
        harm = " and points to harm" if weighing.harm else ""
        text = f"On {outcome} the better evidence shows {weighing.better.value}{of}{harm}: {facts}."
    used = [*weighing.deciding, *(weighing.trials or found.results)]
    verdict = AnswerSentence(text=text, citations=_citations(used, articles))
    return [first, verdict, *_beside(found, articles)]


def tier_sentences(found: Agreement, articles: Articles) -> list[AnswerSentence]:
    """Return what each kind of study found, counted, and how many articles tell no clear result.

    Results are counted by kind of study and never added up over kinds.
    """
    sentences = []
    for tier in _TIERS:
        results = [result for result in found.results if result.tier == tier]
        if results:
            text = f"{_noun(tier, results, articles)} on {outcome_words(found.outcome)}{_counted(results, found, articles)}."
            sentences.append(AnswerSentence(text=text, citations=_citations(results, articles)))
    if found.results and found.silent:
        noun = "article" if found.silent == 1 else "articles"
        outcome = outcome_words(found.outcome)
        text = f"In {found.silent} more {noun} on this treatment no clear result on {outcome} could be read."
        sentences.append(AnswerSentence(text=text))
    return sentences


def _beside(found: Agreement, articles: Articles) -> list[AnswerSentence]:
    """Return what was not counted, because it is on more than the outcome, or on a related treatment."""
    outcome = outcome_words(found.outcome)
    groups = (
        (found.combined, f"on outcomes that count {outcome} together with others"),
        (found.related, f"on {outcome} with a related treatment"),
    )
    return [
        AnswerSentence(
            text=f"Not counted, {about}: {'; '.join(_by_tier(results, found, articles))}.",
            citations=_citations(results, articles),
        )
        for results, about in groups
        if results
    ]


def _by_tier(results: Sequence[ArticleResult], found: Agreement, articles: Articles) -> list[str]:
    by_tier = {tier: [r for r in results if r.tier == tier] for tier in _TIERS}
    return [
        f"{_noun(tier, those, articles)}{_counted(those, found, articles)}"
        for tier, those in by_tier.items()
        if those
    ]


def _with(found: Agreement) -> str:
    """Return the treatment that the results are of, as far as it was read."""
    return f" with {found.treatment}" if found.treatment else ""


def _agreed(found: Agreement, outcome: str, articles: Articles) -> AnswerSentence:
    said = f"{result_words(found.results[0].result, found)} {_cited(found.results, articles)}"
    if len(found.results) == 1:
        text = f"One article tells a clear result on {outcome}{_with(found)}: {said}."
    else:
        every = "Both" if len(found.results) == 2 else f"All {len(found.results)}"
        text = f"{every} articles with a clear result on {outcome}{_with(found)} found {said}."
    return AnswerSentence(text=text, citations=_citations(found.results, articles))


def _facts(weighing: Weighing, articles: Articles) -> str:
    """Return what the verdict rests on: the newest review, and the people in randomised studies."""
    found = weighing.agreement
    facts = []
    for review in weighing.deciding:
        item = articles[review.key]
        size = people_of(item)
        about = ", ".join(str(p) for p in (item.article.year, people(size) if size else None) if p)
        said = f"{result_words(review.result, found)} {_cited([review], articles)}"
        what = f"the newest review with a clear result{f' ({about})' if about else ''}"
        facts.append(f"{what} found {said}")
    if weighing.trials and weighing.people:
        facts += _trial_facts(weighing, articles)
    if weighing.better is None:
        return "; ".join([*facts, *_without_randomisation(weighing, articles)]) if facts else _NOTHING_DECIDES
    others = [r for r in found.results if side_of(r.result, found) is not weighing.better]
    facts += _other_side(others, weighing, articles) if others else []
    return "; ".join(facts)


def _without_randomisation(weighing: Weighing, articles: Articles) -> list[str]:
    """Return the sides that no randomised study and no review of such studies is on."""
    found = weighing.agreement
    sides = {
        side: [r for r in found.results if side_of(r.result, found) is side] for side in weighing.keys_by_side
    }
    return [
        f"only articles without randomisation found {side.value} {_cited(those, articles)}"
        for side, those in sides.items()
        if not any(r.tier in _RANDOMISED for r in those)
    ]


def _trial_facts(weighing: Weighing, articles: Articles) -> list[str]:
    """Return how the people in randomised studies are spread over the sides."""
    found = weighing.agreement
    if weighing.better is None:
        parts = []
        for side, keys in weighing.keys_by_side.items():
            trials = [t for t in weighing.trials if t.key in keys]
            if trials:
                said = f"found {side.value} {_cited(trials, articles)}"
                parts.append(f"randomised studies with {_size(trials, articles)} {said}")
        return parts
    share = _size(weighing.trials, articles)
    if weighing.people < weighing.people_in_all:
        share = f"{weighing.people:,} of the {people(weighing.people_in_all)}"
    facts = [
        f"randomised studies with {share} found {weighing.better.value} {_cited(weighing.trials, articles)}"
    ]
    worse = [t for t in weighing.trials if t.result is Result.HARM]
    if worse and weighing.better is Side.NO_BENEFIT and len(worse) < len(weighing.trials):
        said = f"{result_words(Result.HARM, found)} {_cited(worse, articles)}"
        facts.append(f"of these, studies with {_size(worse, articles)} found {said}")
    return facts


def _other_side(others: Sequence[ArticleResult], weighing: Weighing, articles: Articles) -> list[str]:
    """Return what the other side rests on, where the facts on the better side do not show it."""
    side = side_of(others[0].result, weighing.agreement).value
    if not any(r.tier in _RANDOMISED for r in others):
        return [f"only articles without randomisation found {side} {_cited(others, articles)}"]
    trials = [r for r in others if r.tier == "randomised"]
    if trials and not weighing.trials:
        size = _size(trials, articles)
        return [f"randomised studies with {size} found {side} {_cited(trials, articles)}"]
    return []


def _size(trials: Sequence[ArticleResult], articles: Articles) -> str:
    """Return the people in studies; reports with the same number count once."""
    sizes = [people_of(articles[t.key]) for t in trials]
    known = people(sum({n for n in sizes if n}))
    return f"{known}, as far as sizes are known," if None in sizes else known


def _noun(tier: str, results: Sequence[ArticleResult], articles: Articles) -> str:
    one, many = _TIERS[tier]
    appraisals = [articles[r.key].appraisal for r in results]
    if tier == "review" and all(a and "of_randomized_trials" in a.design.labels for a in appraisals):
        one, many = _REVIEWS
    return f"1 {one}" if len(results) == 1 else f"{len(results)} {many}"


def _counted(results: Sequence[ArticleResult], found: Agreement, articles: Articles) -> str:
    parts = []
    for result in Result:
        those = [r for r in results if r.result is result]
        if those:
            parts.append((len(those), f"found {result_words(result, found)} {_cited(those, articles)}"))
    if len(parts) == 1:
        count, said = parts[0]
        together = {1: " ", 2: ": both "}.get(count, ": all ")
        return f"{together}{said}"
    return ": " + "; ".join(f"{count} {said}" for count, said in parts)


def _cited(results: Sequence[ArticleResult], articles: Articles) -> str:
    return cited([articles[result.key].article for result in results])


def _citations(results: Sequence[ArticleResult], articles: Articles) -> tuple[str, ...]:
    return tuple(dict.fromkeys(citation_of(articles[result.key].article) for result in results))
