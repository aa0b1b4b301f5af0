"""An answer in the articles' own words: no model, nothing added."""

from __future__ import annotations

from collections import Counter

from pydantic import Field

from metarag.agreement import agreements
from metarag.audit import Verdict
from metarag.design_words import finding_words
from metarag.generation.agreement_words import agreement_sentences
from metarag.generation.base import Answer, AnswerSentence
from metarag.generation.citations import citation_of
from metarag.pipeline import Ranking
from metarag.records import Article, Frozen, TextOrigin
from metarag.relevance import QuestionTerms, stem, words
from metarag.sentences import concluding_region, sentences_of
from metarag.types import DesignFinding, Evidence, Question, Span, StudyDesign

_NO_RESULTS = (StudyDesign.PROTOCOL, StudyDesign.NOTICE, StudyDesign.ERRATUM)


class ExtractiveOptions(Frozen):
    """How much is quoted.

    Parameters
    ----------
    max_articles : int
        Articles quoted, best first, at least 1.
    min_relevance : float
        Articles below it are not quoted, in [0, 1]. Ours: an article that speaks of fewer than a
        third of the question's terms does not answer it.
    """

    max_articles: int = Field(default=3, ge=1, le=50)
    min_relevance: float = Field(default=1 / 3, ge=0, le=1)


class ExtractiveGenerator:
    """Quotes the best articles' concluding sentences, then says how all included articles compare."""

    name = "extractive"

    def __init__(self, options: ExtractiveOptions | None = None) -> None:
        self.options = options or ExtractiveOptions()

    def generate(self, question: Question, ranking: Ranking) -> Answer:
        """Return the quotes, best article first; abstain when no article speaks of the question."""
        terms = QuestionTerms.of(question)
        usable = [item for item in ranking if self._answers(item)]
        quoted = [s for s in (_quote(item, terms) for item in usable[: self.options.max_articles]) if s]
        if not quoted:
            return _abstain(ranking)
        notes = [AnswerSentence(text=text) for text in _notes(ranking, quoted=len(quoted))]
        compared = [
            sentence
            for found in agreements(question, ranking)
            for sentence in agreement_sentences(found, ranking)
        ]
        sentences = (*quoted, *compared, *notes)
        return Answer(
            text="\n".join(s.text for s in sentences),
            citations=tuple(dict.fromkeys(c for s in sentences for c in s.citations)),
            sentences=sentences,
            generator=self.name,
            ranking=ranking,
        )

    def _answers(self, item: Evidence) -> bool:
        if item.article.abstract is None or (item.appraisal and item.appraisal.design.design in _NO_RESULTS):
            return False
        return item.relevance is None or item.relevance >= self.options.min_relevance


def conclusion_span(article: Article, terms: QuestionTerms) -> Span | None:
    """Return the sentence that best concludes on the question.

    Sentences of a concluding section count before the rest of the abstract; among them the one with most
    of the question's terms, the last on a tie.
    """
    text = article.abstract
    if not text:
        return None
    region = concluding_region(article)
    candidates = [(b, e) for b, e in sentences_of(text) if region[0] <= b < region[1]]
    if not candidates:
        return None
    start, end = max(candidates, key=lambda span: (_overlap(text[span[0] : span[1]], terms), span[0]))
    return _without_label(article, text, start, end)


def _quote(item: Evidence, terms: QuestionTerms) -> AnswerSentence | None:
    span = conclusion_span(item.article, terms)
    if span is None:
        return None
    cited = citation_of(item.article)
    origin = "summary of the study" if item.article.text_origin is TextOrigin.SUMMARY else "abstract"
    year = f", {item.article.year}" if item.article.year else ""
    design = finding_words(item.appraisal.design if item.appraisal else DesignFinding())
    return AnswerSentence(
        text=f'{design}{year}: "{span.text}" [{item.article.label}, {origin}]',
        citations=(cited,),
        quote=span,
    )


_LEFT_OUT = {
    "eligibility.retracted": "retracted",
    "eligibility.retraction_notice": "retraction notices",
    "eligibility.superseded": "superseded by a newer version",
    "eligibility.duplicate": "duplicates",
    "eligibility.no_text": "without title and abstract",
    "extrapolation.total_mismatch": "that do not apply to the question",
    "heterogeneity.influence": "unlike all other studies of their pool",
}


def _notes(ranking: Ranking, *, quoted: int) -> list[str]:
    notes = []
    rest = len(ranking) - quoted
    if rest > 0:
        noun = "article was" if rest == 1 else "articles were"
        notes.append(f"{rest} more {noun} ranked and not quoted here; some may be about other questions.")
    if ranking.excluded:
        reasons = Counter(
            _LEFT_OUT.get(d.criterion, d.criterion.split(".", 1)[-1].replace("_", " "))
            for d in ranking.audit.decisions
            if d.verdict is Verdict.EXCLUDED
        )
        listed = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
        notes.append(f"Left out: {listed}.")
    return notes


def _abstain(ranking: Ranking) -> Answer:
    found = len(ranking) + len(ranking.excluded)
    if not found:
        why = "no article was found"
    else:
        articles = "the one article found is not" if found == 1 else f"none of the {found} articles found is"
        why = f"{articles} eligible and close enough to the question"
    return Answer(
        text=f"This question cannot be answered from the evidence at hand: {why}.",
        abstained=True,
        generator=ExtractiveGenerator.name,
        ranking=ranking,
    )


def _overlap(sentence: str, terms: QuestionTerms) -> float:
    present = {stem(word) for word in words(sentence)}
    return sum(weight for term, weight in terms.weights.items() if term in present)


def _without_label(article: Article, text: str, start: int, end: int) -> Span:
    for section in article.abstract_sections:
        label = f"{section.label}: "
        if section.label and text.startswith(label, start):
            start += len(label)
            break
    return Span(where="abstract", start=start, end=end, text=text[start:end])
