"""Population, intervention, comparator and outcome of questions and articles."""

from __future__ import annotations

from metarag.pico_article import article_pico
from metarag.pico_question import question_pico, text_pico
from metarag.pico_types import AskedPico, ExtractedPico, PicoTerm, TermKind
from metarag.records import Article
from metarag.types import Question

__all__ = [
    "AskedPico",
    "ExtractedPico",
    "PicoTerm",
    "TermKind",
    "article_pico",
    "extract_pico",
    "question_pico",
]


def extract_pico(source: str | Question | Article) -> ExtractedPico:
    """Return the facets of a text, a question or an article, each term with the words that say so.

    Parameters
    ----------
    source : str, Question or Article
        A :class:`Question` may carry the user's own PICO, which wins facet by facet; its options are never
        read. Of an article, title, MeSH headings, keywords and abstract are read.

    Examples
    --------
    >>> pico = extract_pico("Does metoprolol reduce mortality in adults with heart failure?")
    >>> pico.as_pico().intervention, pico.as_pico().outcome
    ('metoprolol', 'mortality')
    >>> pico.intervention[0].span.text
    'metoprolol'
    """
    if isinstance(source, Article):
        return article_pico(source)
    if isinstance(source, Question):
        return question_pico(source).used
    return text_pico(source)
