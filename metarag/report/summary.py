"""The strip at the head of a report: what decided, how sure it is, what conflicts, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from metarag.audit import Synthesis, Verdict
from metarag.generation.agreement_words import tier_sentences, verdict_sentences
from metarag.generation.base import AnswerBody
from metarag.generation.weighing import Weighing, people_of
from metarag.pipeline import Ranking
from metarag.pooling import Tier
from metarag.report.agreement_view import agreement_status, standing_out
from metarag.report.articles import long_title
from metarag.report.flow import Flow
from metarag.report.numbers import count, score
from metarag.report.plain import shorten
from metarag.report.references import Piece, References
from metarag.report.synthesis_view import conflict_sentence, spread_sentence
from metarag.report.words import criterion_words, outcome_words, sentence_case

MOST_LINKS: Final = 8
"""Articles named for one reason; the table of what was left out holds all."""
MOST_SPREADS: Final = 3


@dataclass(frozen=True, slots=True)
class Lead:
    """An article that much rests on: in which part, and why it stands where it stands."""

    part: str
    link: Piece
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What a reader has to know first.

    Attributes
    ----------
    counts : tuple of (str, str)
        Number and what it counts.
    sure : tuple of str
        How far the results agree, and how precise the pools are. No grade of certainty.
    conflicts : tuple of tuple of Piece
        One sentence each, with links.
    left_out : tuple of (str, tuple of Piece)
        Reason with its number, and the articles.
    """

    counts: tuple[tuple[str, str], ...]
    leads: tuple[Lead, ...]
    sure: tuple[str, ...]
    conflicts: tuple[tuple[Piece, ...], ...]
    left_out: tuple[tuple[str, tuple[Piece, ...]], ...]


def summary(
    ranking: Ranking,
    answer: AnswerBody | None,
    flow: Flow,
    weighings: Sequence[Weighing],
    pools: Sequence[Synthesis],
    references: References,
) -> Summary:
    """Return the strip.

    Parameters
    ----------
    weighings : sequence of Weighing
        The results on each outcome of the question.
    pools : sequence of Synthesis
        Those on the question's treatment and outcome.
    """
    return Summary(
        counts=(
            (f"{flow.identified:,}", "found"),
            (f"{flow.ranked:,}", "kept and ranked"),
            (f"{flow.left_out:,}", "left out"),
        ),
        leads=tuple(_leads(ranking, answer, weighings, references)),
        sure=tuple(_sure(ranking, answer, weighings, pools)),
        conflicts=tuple(_conflicts(ranking, weighings, pools, references)),
        left_out=tuple(_left_out(ranking, flow, references)),
    )


def _leads(
    ranking: Ranking, answer: AnswerBody | None, weighings: Sequence[Weighing], references: References
) -> Iterator[Lead]:
    """Yield what decided by the rules on agreement, what the answer cites first, and what ranks first."""
    if answer and answer.abstained:
        return
    parts: dict[str, list[str]] = {}
    for weighing in weighings:
        for key, part in _deciding(weighing, references):
            parts.setdefault(key, []).append(part)
    cited = next(filter(None, map(references.cited, answer.citations if answer else ())), None)
    if cited:
        parts.setdefault(cited, []).append("cited first in the answer")
    if len(ranking):
        parts.setdefault(ranking[0].key, []).append("first in the ranking")
    for lead, told in parts.items():
        place, item = ranking.rank_of(lead), references.items[lead]
        placed = f"Rank {place:,} of {len(ranking):,}, score {score(item.score)}." if place else ""
        yield Lead(
            part=sentence_case(", ".join(told)),
            link=references.to(lead),
            title=long_title(item.article),
            why=f"{placed} {_reasons(ranking, lead)}".strip(),
        )


def _deciding(weighing: Weighing, references: References) -> Iterator[tuple[str, str]]:
    outcome = outcome_words(weighing.agreement.outcome)
    for review in weighing.deciding:
        yield review.key, f"newest review of studies on {outcome}"
    sized = [(size, t.key) for t in weighing.trials if (size := people_of(references.items[t.key]))]
    if sized:
        size, key = max(sized)
        yield key, f"largest randomised study on {outcome} ({size:,} people)"


def _reasons(ranking: Ranking, key: str) -> str:
    telling = [
        decision.reason
        for decision in ranking.audit.of(key)
        if decision.stage not in ("eligibility", "relevance", "score")
        and decision.verdict is Verdict.INCLUDED
    ]
    return shorten(" ".join(telling), 600)


def _sure(
    ranking: Ranking, answer: AnswerBody | None, weighings: Sequence[Weighing], pools: Sequence[Synthesis]
) -> Iterator[str]:
    if answer and answer.abstained:
        yield "No answer is given, so there is nothing to be sure of."
    elif not len(ranking):
        yield "No article is left to answer from."
    for weighing in weighings:
        yield agreement_status(weighing.agreement)
    if not weighings and len(ranking):
        yield (
            "No treatment with a known outcome could be read from the question, so the articles' results were"
            " not compared with each other."
        )
    # What was randomised first: the others tell less.
    ordered = sorted(pools, key=lambda synthesis: synthesis.tier != Tier.RANDOMISED)
    spreads = [said for synthesis in ordered if (said := spread_sentence(synthesis))]
    yield from spreads[:MOST_SPREADS]
    if weighings and not spreads:
        yield "No two studies print effects that could be pooled on it, so there is no pooled estimate."


def _conflicts(
    ranking: Ranking, weighings: Sequence[Weighing], pools: Sequence[Synthesis], references: References
) -> Iterator[tuple[Piece, ...]]:
    for weighing in weighings:
        if weighing.agreement.kinds_differ:
            said = verdict_sentences(weighing, references.items)
            for sentence in (*said, *tier_sentences(weighing.agreement, references.items)):
                if sentence.citations:
                    yield references.linked(sentence.text, sentence.citations)
    for synthesis in pools:
        conflict = conflict_sentence(synthesis)
        if conflict:
            about = sentence_case(outcome_words(synthesis.outcome))
            links = [part for study in synthesis.studies for part in (Piece(" "), references.to(study.key))]
            yield (Piece(f"{about}, pooled effects: {shorten(conflict, 400)}"), *links)
    asked = {study.key for synthesis in pools for study in synthesis.studies}
    for key, link, reason in standing_out(ranking.audit, references):
        if key in asked:
            yield link, Piece(f": {reason}")


def _left_out(
    ranking: Ranking, flow: Flow, references: References
) -> Iterator[tuple[str, tuple[Piece, ...]]]:
    keys: dict[str, list[str]] = {}
    for decision in ranking.audit.decisions:
        if decision.verdict is Verdict.EXCLUDED:
            keys.setdefault(decision.criterion, []).append(decision.key)
    for stage in flow.stages:
        for criterion, number in stage.reasons:
            named = tuple(references.to(key) for key in keys[criterion][:MOST_LINKS])
            yield f"{sentence_case(criterion_words(criterion))}: {count(number, 'article')}", named
