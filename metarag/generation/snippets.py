"""The sentences of an article that say most to a question: verbatim, with their place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from metarag.generation.answer_parts import Snippet
from metarag.generation.asked_words import Asked, AskedWords
from metarag.outcome_keys import outcomes_in
from metarag.pico_question import question_pico
from metarag.records import Article
from metarag.relevance import QuestionTerms, stem, words
from metarag.sentences import finding_sentences, sentences_of
from metarag.types import Evidence, Question, Span

MOST_SNIPPETS = 3
"""Of one article; ours: a conclusion, the result with its numbers, and whom it holds for."""
# Ours. The words of the question weigh most; a sentence that tells a result on the outcome asked about,
# with numbers, comes before one that only names the topic.
_TERMS, _OUTCOME, _TREATMENT, _CONCLUDES, _REPORTS, _EFFECT = 0.35, 0.15, 0.1, 0.2, 0.1, 0.2
_NOT_A_FINDING = 0.3
"""Factor for sentences of background, aims and methods; ours."""
_CONCLUSION = re.compile(r"conclu|interpret|implication", re.IGNORECASE)
_RESULT = re.compile(r"result|finding", re.IGNORECASE)
_RESULT_ROLES = ("study", "secondary", "pooled", "subgroup")
# For abstracts without headings: words that conclude, and words of aims and methods. Ours.
_CONCLUDING_WORDS = re.compile(
    r"\b(?:in conclusion|in summary|we conclude|these (?:results|findings|data)|our (?:results|findings|data))\b",
    re.IGNORECASE,
)
_METHOD_WORDS = re.compile(
    r"^\W{0,3}(?:(?:objectives?|aims?|purpose|methods?|design|background)\b\W{0,3})?to [a-z]{4,}\b"
    r"|\brandomly (?:assigned|allocated)\b|\b(?:outcome|efficacy) (?:variables?|measures?|criteri(?:a|on))\b"
    r"|\b(?:was|were) (?:randomi[sz]ed|enrolled|recruited|assigned|allocated|included|searched|pooled|conducted"
    r"|examined|evaluated|assessed|studied|investigated|identified|determined|compared|treated|given)\b|\bMEDLINE\b"
    r"|^\W{0,3}(?:background|introduction|context|importance|objectives?|aims?|purpose|methods?)\s?[:.\u2013-]"
    r"|\bused the same\b|\b(?:end-?points?|outcomes?)(?: of \w+| measures?)? (?:was|were|sought|included?)\b"
    r"|\bthis (?:is|was) an? (?:[\w-]+,? ){0,10}(?:trial|study|review|analysis)\b"
    r"|\bwe (?:conducted|searched|compared|studied|investigated|examined|evaluated|pooled|enrolled|included"
    r"|assessed)\b|\bthis (?:study|trial|experiment|review|paper) (?:also )?(?:\w+ed|aims?)\b",
    re.IGNORECASE,
)
BEGINNING, _END = 0.4, 0.75
"""Shares of an abstract without headings before which nothing is found yet, and behind which it concludes."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What of a question a sentence is searched for.

    Attributes
    ----------
    terms : QuestionTerms
        Weighted stems of the question.
    treatment : frozenset of str
        Stems of the intervention.
    outcomes : frozenset of str
        Keys of the outcomes asked about.
    asked : AskedWords
        What the question asks of its treatment, in its own words.
    """

    terms: QuestionTerms
    treatment: frozenset[str] = field(default_factory=frozenset)
    outcomes: frozenset[str] = field(default_factory=frozenset)
    asked: AskedWords = field(default_factory=lambda: AskedWords(Asked.UNKNOWN))

    @classmethod
    def of(cls, question: Question) -> Topic:
        """Read a question once, for all articles."""
        asked = question_pico(question).used
        named = " ".join(f"{term.span.text} {term.concept}" for term in asked.intervention)
        words_asked = AskedWords.of(question)
        return cls(
            terms=QuestionTerms.of(question),
            treatment=frozenset(stem(word) for word in words(named)),
            outcomes=words_asked.outcomes,
            asked=words_asked,
        )


def rule_snippets(item: Evidence, topic: Topic, *, most: int = MOST_SNIPPETS) -> tuple[Snippet, ...]:
    """Return the sentences of the title and abstract that say most to the question, in the text's order.

    A score in [0, 1] adds up shares for the question's terms, its outcome, its treatment, a concluding or
    a results section, and an effect in numbers; sentences of background and methods keep 0.3 of theirs.
    Sentences without any term or outcome of the question are no snippets. The title stands in for a missing abstract.
    """
    scored = [snippet for snippet in scored_sentences(item, topic) if snippet.score]
    best = sorted(scored, key=lambda s: (-(s.score or 0.0), s.span.start))[:most]
    return tuple(sorted(best, key=lambda s: s.span.start))


def scored_sentences(item: Evidence, topic: Topic) -> list[Snippet]:
    """Return every sentence of the abstract with its score; the title where there is no abstract."""
    article, text = item.article, item.article.abstract
    if not text:
        return [_title_snippet(article, topic)] if article.title else []
    findings = set(finding_sentences(article))
    effects = item.appraisal.effects if item.appraisal else ()
    scored = []
    for start, end in sentences_of(text):
        span, section = sentence_span(article, start, end)
        if not span.text:
            continue
        reports = any(e.role in _RESULT_ROLES and holds(span, e.span) for e in effects)
        score = _score(span, section, topic)
        score += _EFFECT if score and reports else 0.0
        told = (start, end) in findings
        if section is None and told:
            told = reports or not (is_method(span.text) or end < BEGINNING * len(text))
            score += _CONCLUDES if score and start >= _END * len(text) else 0.0
        score *= 1.0 if told else _NOT_A_FINDING
        scored.append(Snippet(span=span, section=section, score=min(1.0, score)))
    return scored


def sentence_span(article: Article, start: int, end: int) -> tuple[Span, str | None]:
    """Return a sentence of the abstract without the label of its section, and that label."""
    text, section = article.abstract or "", section_at(article, start)
    label = f"{section}: "
    if section and text.startswith(label, start):
        start = min(end, start + len(label))
    return Span(where="abstract", start=start, end=end, text=text[start:end]), section


def section_at(article: Article, position: int) -> str | None:
    """Return the label of the abstract section at a position; ``None`` where it has none."""
    begins = 0
    for section in article.abstract_sections:
        length = len(f"{section.label}: {section.text}" if section.label else section.text)
        if begins <= position < begins + length:
            return section.label
        begins += length + 1
    return None


def _title_snippet(article: Article, topic: Topic) -> Snippet:
    span = Span(where="title", start=0, end=len(article.title), text=article.title)
    return Snippet(span=span, score=min(1.0, _share(article.title, topic.terms)))


def _score(span: Span, section: str | None, topic: Topic) -> float:
    share = _share(span.text, topic.terms)
    if topic.outcomes:
        on_outcome = any(hit.key in topic.outcomes for hit in outcomes_in(span.text))
    else:
        on_outcome = topic.asked.named_in(span.text)
    if not share and not on_outcome:
        return 0.0
    heading = section or ""
    score = _TERMS * share + _OUTCOME * on_outcome
    score += _TREATMENT * any(stem(word) in topic.treatment for word in words(span.text))
    score += _CONCLUDES * bool(
        _CONCLUSION.search(heading) or (not section and _CONCLUDING_WORDS.search(span.text))
    )
    return score + _REPORTS * bool(_RESULT.search(heading))


def is_method(sentence: str) -> bool:
    """True where a sentence of an abstract without headings has words of aims and methods."""
    return _METHOD_WORDS.search(sentence) is not None


def holds(outer: Span, inner: Span) -> bool:
    """True where one span lies within another of the same text."""
    return outer.where == inner.where and outer.start <= inner.start and inner.end <= outer.end


def _share(sentence: str, terms: QuestionTerms) -> float:
    """Return the weighted share of the question's terms that a sentence has."""
    present = {stem(word) for word in words(sentence)}
    return sum(weight for term, weight in terms.weights.items() if term in present)
