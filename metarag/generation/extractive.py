"""An answer in the articles' own words, with how they agree counted by rules: no model, nothing added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from pydantic import Field

from metarag.agreement import agreements, facet_decisions, facet_of, is_withdrawn
from metarag.asked_treatment import is_on_people_without, is_studied, not_on_treatment
from metarag.generation.agreement_words import tier_sentences, verdict_sentences
from metarag.generation.base import Answer, AnswerSentence
from metarag.generation.harms import harm_sentence, other_harms
from metarag.generation.limits import left_out_sentence, limit_sentences
from metarag.generation.question_notes import (
    may_be_quoted,
    names_nothing,
    other_people_sentence,
    question_sentences,
    uncounted_sentence,
    unstudied_text,
    unstudied_treatment,
)
from metarag.generation.quoting import Quoted, quote
from metarag.generation.references import references_of
from metarag.generation.selection import Selected, Selection, SelectionOptions, select
from metarag.generation.snippets import Topic
from metarag.generation.sources import also_cited, source_of
from metarag.generation.weighing import Side, Weighing, weigh
from metarag.option_models import Options
from metarag.pipeline import Ranking
from metarag.results import tier_name
from metarag.types import Evidence, Question

MOST_OF_THE_PEOPLE = 2
"""Sentences on just the people of the question that come before a verdict; ours."""


class ExtractiveOptions(Options):
    """How much is quoted.

    Parameters
    ----------
    max_articles : int
        Articles quoted, at least 1. Those that must be in (the most reliable design, both sides of a
        disagreement) come before the order of the ranking.
    min_relevance : float
        Articles below it are not quoted, in [0, 1]. Ours: an article that speaks of fewer than a
        third of the question's terms does not answer it.
    """

    max_articles: int = Field(default=4, ge=1, le=50)
    min_relevance: float = Field(default=1 / 3, ge=0, le=1)

    @property
    def selection(self) -> SelectionOptions:
        """The same for the selection; quotes are short, so there is no limit of tokens."""
        return SelectionOptions(
            max_sources=self.max_articles, max_tokens=10**9, min_relevance=self.min_relevance
        )


class ExtractiveGenerator:
    """Says how the articles agree and which side has the better evidence, and quotes the best of them."""

    name = "extractive"

    def __init__(self, options: ExtractiveOptions | None = None) -> None:
        self.options = options or ExtractiveOptions()

    def generate(self, question: Question, ranking: Ranking) -> Answer:
        """Return verdict, quotes, counts and limits; abstain when no article speaks of the question."""
        topic, articles = Topic.of(question), {item.key: item for item in ranking}
        weighings = [weigh(found, articles) for found in agreements(question, ranking)]
        if names_nothing(question) or unstudied_treatment(question, ranking):
            return abstention(question, ranking, generator=self.name)
        fitting = tuple(item for item in ranking if may_be_quoted(question, item))
        pool = ranking.model_copy(update={"evidence": fitting})
        names = topic.asked.named_by if topic.asked.is_known else None
        selection = select(pool, self.options.selection, weighings=weighings, names_asked=names)
        quoted = {s.item.key: q for s in selection.selected if (q := quote(s.item, topic))}
        if not quoted:
            return abstention(question, ranking, generator=self.name)
        harms = harm_sentence(other_harms(question, ranking))
        counted = [r.key for w in weighings for r in w.agreement.results]
        others = other_people_sentence(question, counted, articles, ranking)
        limited = _not_for_all(weighings, quoted)
        first = _of_the_people_asked(question, ranking, topic)
        named = [q.names_asked for q in quoted.values()]
        behind = _behind(selection, quoted, topic, counted=bool(counted))
        sentences = (
            *question_sentences(question, ranking, topic.asked),
            *uncounted_sentence(question, topic.asked, named),
            *first,
            *(s for w in weighings for s in verdict_sentences(w, articles, named=any(named))),
            *([others] if others else []),
            *([harms] if harms else []),
            *(sentence for sentence in limited if sentence not in first),
            *_quotes(selection, quoted, told=(*limited, *first), behind=behind),
            *(sentence for w in weighings for sentence in tier_sentences(w.agreement, articles)),
            *self._notes(selection, quoted, ranking),
        )
        citations = tuple(dict.fromkeys(c for s in sentences for c in s.citations))
        sources = tuple(
            source_of(s.item, s.reason, quoted[s.item.key].snippets)
            for s in selection.selected
            if s.item.key in quoted
        )
        more = also_cited(citations, sources, ranking, weighings=weighings, topic=topic)
        return Answer(
            text="\n".join(s.text for s in sentences),
            citations=citations,
            sentences=sentences,
            generator=self.name,
            question=question,
            sources=(*sources, *more),
            references=references_of(citations, [item.article for item in ranking]),
            ranking=ranking,
        )

    def _notes(
        self, selection: Selection, quoted: Mapping[str, Quoted], ranking: Ranking
    ) -> list[AnswerSentence]:
        items = [item for item in selection.items if item.key in quoted]
        notes = limit_sentences(items, ranking, related=self._related(ranking))
        rest = len(ranking) - len(items)
        if rest:
            noun = "article was" if rest == 1 else "articles were"
            on_topic = len(selection.eligible) - len(items)
            text = f"{rest} more {noun} ranked and not quoted here, {on_topic} of them close to the question."
            notes.append(AnswerSentence(text=text))
        left_out = left_out_sentence(ranking)
        return [*notes, left_out] if left_out else notes

    def _related(self, ranking: Ranking) -> list[Evidence]:
        """Return the articles on the question's treatment, or a related one, whoever the people are."""
        facets = facet_decisions(ranking)
        return [
            item
            for item in ranking
            if not is_withdrawn(item)
            and (item.article.title or item.article.abstract)
            and (item.relevance is None or item.relevance >= self.options.min_relevance)
            and not facet_of(facets.get(item.key), "intervention").startswith("mismatch")
        ]


def abstention(question: Question, ranking: Ranking, *, generator: str) -> Answer:
    """Return an answer that says why there is none."""
    found, treatment = len(ranking) + len(ranking.excluded), unstudied_treatment(question, ranking)
    about = not_on_treatment(question)
    if treatment:
        why = ""
    elif about and found:
        why = f"it is about {about}, and no article found is a study of that"
    elif not found:
        why = "no article was found"
    elif names_nothing(question):
        why = "it names nothing that an article could speak of"
    else:
        articles = "the one article found is not" if found == 1 else f"none of the {found} articles found is"
        why = f"{articles} eligible and close enough to the question"
    return Answer(
        text=unstudied_text(treatment, ranking)
        if treatment
        else f"This question cannot be answered from the evidence at hand: {why}.",
        abstained=True,
        generator=generator,
        question=question,
        ranking=ranking,
    )


def _not_for_all(weighings: Sequence[Weighing], quoted: Mapping[str, Quoted]) -> list[AnswerSentence]:
    """Return for whom a benefit does not hold, of the articles that it rests on: it belongs beside the verdict."""
    behind = [r.key for w in weighings if w.better is Side.BENEFIT for r in (*w.deciding, *w.trials)]
    found = [quoted[key].exception for key in dict.fromkeys(behind) if key in quoted]
    return [exception for exception in found if exception]


def _of_the_people_asked(question: Question, ranking: Ranking, topic: Topic) -> list[AnswerSentence]:
    """Return what studies of the treatment say of the people asked about, where it does not hold for them.

    It comes first: what the whole of a study showed is no answer on them.
    """
    found: list[AnswerSentence] = []
    for item in ranking:
        if tier_name(item) in ("review", "randomised") and not is_withdrawn(item):
            about = quote(item, topic) if is_studied(item.article, question) else None
            said = about.exception if about else None
            if said and said.quote and is_on_people_without(said.quote.text, question):
                found.append(said)
    return found[:MOST_OF_THE_PEOPLE]


def _behind(selection: Selection, quoted: Mapping[str, Quoted], topic: Topic, *, counted: bool) -> Set[str]:
    """Return the keys of the articles of which no sentence quoted names what is asked.

    Where results are counted, a study of it may be quoted with words that leave it out.
    """
    unnamed = [i for i in selection.items if i.key in quoted and not quoted[i.key].names_asked]
    return {item.key for item in unnamed if not (counted and topic.asked.named_by(item.article))}


def _quotes(
    selection: Selection, quoted: Mapping[str, Quoted], *, told: Sequence[AnswerSentence], behind: Set[str]
) -> Sequence[AnswerSentence]:
    """Return the quotes, the most reliable article first; what was not assessed stands in the middle.

    Articles of which no sentence names what is asked stand ``behind`` the others.
    """

    def order(selected: Selected) -> tuple[bool, float]:
        sure = selected.item.reliability
        return selected.item.key in behind, -(0.5 if sure is None else sure)

    sentences: list[AnswerSentence] = []
    for found in [quoted[s.item.key] for s in sorted(selection.selected, key=order) if s.item.key in quoted]:
        sentences += found.sentences
        if found.exception and found.exception not in told:
            sentences.append(found.exception)
    return sentences
