"""What an article says to a question, in its own words: its conclusion, its numbers, whom they hold for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from metarag.direction import direction_of
from metarag.generation.answer_parts import Snippet
from metarag.generation.asked_words import long_forms
from metarag.generation.base import AnswerSentence
from metarag.generation.citations import citation_of
from metarag.generation.snippets import (
    BEGINNING,
    Topic,
    holds,
    is_method,
    scored_sentences,
    section_at,
    sentence_span,
)
from metarag.generation.sources import heading
from metarag.outcome_keys import outcomes_in
from metarag.outcome_mentions import holds_all
from metarag.records import Article, TextOrigin
from metarag.relevance import QuestionTerms, stem, words
from metarag.sentences import concluding_region, finding_sentences
from metarag.types import Evidence, Span

LONGEST_NUMBERS = 500
"""Characters of a sentence with numbers that is quoted beside the conclusion; ours."""
_RESULT_ROLES = ("study", "secondary", "pooled")
# A result that holds for some of the people only. Ours: words seen in conclusions of trials and reviews.
_SOME_PEOPLE = re.compile(
    r"\b(?:only|but not|except) (?:in|among|for)\b|\bvaried with\b|\bdepended on\b|\bsubgroups?\b",
    re.IGNORECASE,
)
# Whom it does not hold for: named by what they do not have, and denied an effect.
_PEOPLE_WITHOUT = re.compile(
    r"\b(?:patients|people|women|men|those|participants|adults|children) (?:without|with no|not receiving)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:did|does|do|was|were) not\b|\bno (?:benefit|effect|difference|gain|reduction|improvement)\b",
    re.IGNORECASE,
)
# What was done, not found: "a subgroup analysis was also performed". Ours.
_DONE = re.compile(
    r"\b(?:was|were|will be|had been) (?:[\w-]+ ){0,3}?(?:performed|carried out|undertaken|done|planned|made|calculated"
    r"|stratified|divided|grouped|classified|categori[sz]ed|defined|sub-?divided|split|tested|analy[sz]ed|used)\b"
    r"|\b(?:has|have) been (?:investigated|studied|evaluated|examined|assessed)\b"
    r"|\b(?:patients|participants|subjects|parents) (?:were )?(?:also )?(?:recorded|completed|received|underwent"
    r"|provided|permitted|allowed|instructed|asked)\b"
    r"|\bwe (?:[\w-]+ ){0,2}?(?:performed|divided|stratified|grouped|classified|categori[sz]ed|defined|analy[sz]ed"
    r"|calculated|tested|planned|used|carried out)\b|\bsub-?groups? (?:analys[ei]s )?(?:were based on|included?)\b",
    re.IGNORECASE,
)
_SAME = MappingProxyType({"overall_survival": "all_cause_death"})
_ALIKE = re.compile(
    r"\bconsistent\b|\bsimilar\b|\b(?:across|in all) (?:\w+ ){0,2}subgroups\b|\bno (?:\w+ ){0,2}interaction",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Sentences of an answer about one article, and the words they quote.

    Attributes
    ----------
    exception : AnswerSentence or None
        For whom the result does not hold; not among ``sentences``.
    names_asked : bool
        True where one of the sentences names what the question asks.
    """

    sentences: tuple[AnswerSentence, ...]
    snippets: tuple[Snippet, ...]
    exception: AnswerSentence | None = None
    names_asked: bool = False


def quote(item: Evidence, topic: Topic) -> Quoted | None:
    """Return the article's conclusion on the question, its result in numbers, and for whom it does not hold.

    ``None`` where the abstract has no sentence that could be quoted.
    """
    scored = {snippet.span: snippet for snippet in scored_sentences(item, topic)}
    conclusion = conclusion_span(item.article, topic.terms, scored)
    if conclusion is None:
        return None
    if _is_on_others(conclusion.text, topic):
        conclusion = _finding_on(item, topic, scored) or conclusion
    numbers = _numbers_span(item, topic, [conclusion])
    names = partial(topic.asked.named_in, long_forms=long_forms(item.article))
    if not any(names(span.text) for span in (conclusion, numbers) if span):
        conclusion = _finding_that(names, item, topic, scored) or conclusion
        numbers = _numbers_span(item, topic, [conclusion])
    spans = [conclusion, *([numbers] if numbers else [])]
    exception = _exception_span(item, spans)
    spans += [exception] if exception else []
    citations = (citation_of(item.article),)
    texts = [f"{heading(item)}: “{conclusion.text}” [{item.article.label}, {_origin(item)}]"]
    texts += [f"In numbers: “{numbers.text}” [{item.article.label}]"] if numbers else []
    texts += [f"Not for all: “{exception.text}” [{item.article.label}]"] if exception else []
    sentences = tuple(
        AnswerSentence(text=text, citations=citations, quote=span)
        for text, span in zip(texts, spans, strict=True)
    )
    said = sentences[:-1] if exception else sentences
    return Quoted(
        said,
        tuple(sorted((scored[span] for span in spans), key=lambda s: s.span.start)),
        sentences[-1] if exception else None,
        any(names(span.text) for span in spans),
    )


def conclusion_span(article: Article, terms: QuestionTerms, scored: Mapping[Span, Snippet]) -> Span | None:
    """Return the sentence that best concludes on the question.

    Of a concluding section it is the one with most of the question's terms; without such a section the one
    with the highest score that is not on aims and methods. The last on a tie.
    """
    if not article.abstract:
        return None
    first, last = concluding_region(article)
    if (first, last) == (0, len(article.abstract)):
        found = [span for span in scored if not is_method(span.text)] or list(scored)
        return max(found, key=lambda span: (scored[span].score or 0.0, span.start), default=None)
    candidates = [span for span in scored if first <= span.start < last]
    # What a subgroup showed is no conclusion where the article has one on everybody.
    whole = [s for s in candidates if _overlap(s.text, terms) and not is_for_some_people(s.text)]
    candidates = whole or candidates
    return max(candidates, key=lambda span: (_overlap(span.text, terms), span.start), default=None)


def _numbers_span(item: Evidence, topic: Topic, taken: Sequence[Span]) -> Span | None:
    """Return the finding with an effect on the outcome asked about, else with any; none if it is quoted.

    Numbers on another outcome are none on the question, unless they are of what is quoted.
    """
    effects = [e for e in (item.appraisal.effects if item.appraisal else ()) if e.role in _RESULT_ROLES]
    found = [s for s in _findings(item) if any(holds(s, e.span) for e in effects)]
    found = [s for s in found if len(s.text) <= LONGEST_NUMBERS]
    if not found or any(holds(span, effect.span) for span in taken for effect in effects):
        return None
    on_topic = [s for s in found if any(hit.key in topic.outcomes for hit in outcomes_in(s.text))]
    if not on_topic:
        forms = long_forms(item.article)
        on_topic = [s for s in found if topic.asked.named_in(s.text, forms)]
    told = {hit.key for span in taken for hit in outcomes_in(span.text)}
    keys = [{hit.key for hit in outcomes_in(s.text)} for s in found]
    rest = [s for s, named in zip(found, keys, strict=True) if not named or not named.isdisjoint(told)]
    return next(iter(on_topic or rest), None)


def _is_on_others(sentence: str, topic: Topic) -> bool:
    """True where a sentence names outcomes, and none that is asked about or that holds or is part of one.

    What the question itself names, as the condition of its people, is no other outcome.
    """
    outcomes, hits = topic.outcomes, outcomes_in(sentence)
    if any(
        {stem(w) for w in words(sentence[hit.start : hit.end])} <= topic.terms.weights.keys() for hit in hits
    ):
        return False
    named = {_SAME.get(part, part) for hit in hits for part in hit.key.split("+")}
    near = any(holds_all(named, {key}) for key in outcomes) or any(
        holds_all(outcomes, {key}) for key in named
    )
    return bool(outcomes and named) and not near


def _finding_on(item: Evidence, topic: Topic, scored: Mapping[Span, Snippet]) -> Span | None:
    """Return the best finding on an outcome asked about."""
    found = [
        span
        for span in _findings(item)
        if span in scored
        and len(span.text) <= LONGEST_NUMBERS
        and any(
            not topic.outcomes.isdisjoint(hit.key.split("+"))
            and direction_of(span.text, outcome=span.text[hit.start : hit.end])
            for hit in outcomes_in(span.text)
        )
    ]
    return max(found, key=lambda span: (scored[span].score or 0.0, span.start), default=None)


def _finding_that(
    names: Callable[[str], bool], item: Evidence, topic: Topic, scored: Mapping[Span, Snippet]
) -> Span | None:
    """Return the best finding that names what is asked: with the treatment, and of those that conclude, if any."""
    found = [s for s in _findings(item) if s in scored and len(s.text) <= LONGEST_NUMBERS and names(s.text)]
    found = [
        span for span in found if not _is_done(span.text) and not _is_before_findings(span, item.article)
    ]
    found = [s for s in found if any(stem(word) in topic.treatment for word in words(s.text))] or found
    first, last = concluding_region(item.article)
    concluding = [span for span in found if first <= span.start < last]
    return max(concluding or found, key=lambda span: (scored[span].score or 0.0, span.start), default=None)


def _is_before_findings(span: Span, article: Article) -> bool:
    """True at the beginning of an abstract without headings, where nothing is found yet."""
    begins = BEGINNING * len(article.abstract or "")
    return span.end < begins and section_at(article, span.start) is None


def _exception_span(item: Evidence, taken: Sequence[Span]) -> Span | None:
    """Return the finding that says for whom a result does not hold, unless it is quoted already."""
    found = [
        s for s in _findings(item) if is_for_some_people(s.text) and s not in taken and not _is_done(s.text)
    ]
    return found[0] if found and not any(is_for_some_people(s.text) for s in taken) else None


def _is_done(sentence: str) -> bool:
    """True where a sentence tells how people were divided or what was computed, whatever its section is."""
    return bool(_DONE.search(sentence)) or is_method(sentence)


def is_for_some_people(sentence: str) -> bool:
    """True where a sentence says that a result holds for some of the people, or not for some of them."""
    if _SOME_PEOPLE.search(sentence):
        return _ALIKE.search(sentence) is None
    return bool(_PEOPLE_WITHOUT.search(sentence) and _DENIED.search(sentence))


def _findings(item: Evidence) -> list[Span]:
    """Return the sentences after the methods, in order."""
    spans = [sentence_span(item.article, b, e) for b, e in finding_sentences(item.article)]
    return [span for span, section in spans if span.text and (section or not is_method(span.text))]


def _origin(item: Evidence) -> str:
    return "summary of the study" if item.article.text_origin is TextOrigin.SUMMARY else "abstract"


def _overlap(sentence: str, terms: QuestionTerms) -> float:
    present = {stem(word) for word in words(sentence)}
    return sum(weight for term, weight in terms.weights.items() if term in present)
