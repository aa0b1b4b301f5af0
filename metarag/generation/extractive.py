"""An answer in the articles' own words: no model, nothing added."""

from __future__ import annotations

from pydantic import Field

from metarag.agreement import agreement
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
        notes = [AnswerSentence(text=text) for text in _notes(ranking, quoted_articles=usable)]
        compared = agreement_sentences(agreement(question, ranking), ranking)
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


def _notes(ranking: Ranking, *, quoted_articles: list[Evidence]) -> list[str]:
    notes = []
    rest = len(ranking) - len(quoted_articles)
    if rest:
        notes.append(
            f"{rest} more included {_plural(rest, 'article')} say too little of the question to be quoted."
        )
    if ranking.excluded:
        reasons: dict[str, int] = {}
        for decision in ranking.audit.decisions:
            if decision.verdict is Verdict.EXCLUDED:
                words_ = decision.criterion.split(".", 1)[1].replace("_", " ")
                reasons[words_] = reasons.get(words_, 0) + 1
        listed = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
        notes.append(f"Left out: {listed}.")
    return notes


def _plural(n: int, word: str) -> str:
    return word if n == 1 else f"{word}s"


def _abstain(ranking: Ranking) -> Answer:
    found = len(ranking) + len(ranking.excluded)
    why = (
        "no article was found"
        if not found
        else f"none of the {found} articles found is eligible and speaks of the question enough"
    )
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
