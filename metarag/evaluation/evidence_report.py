"""What the models of an experiment were given to read: how like the right answer, and how like the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metarag.evaluation.evidence_quality import (
    Embedder,
    EvidenceQuality,
    LexicalEmbedder,
    evidence_quality,
    mean_quality,
)
from metarag.evaluation.items import Dataset, Item
from metarag.evaluation.metrics import by_cell
from metarag.evaluation.pools import StoredPool
from metarag.evaluation.results import ItemResult
from metarag.records import Article

NGRAM = 13
"""Consecutive words that a question and a text share only if one holds the other (Brown 2020, appendix C)."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CellEvidence:
    """The articles that one cell showed.

    Attributes
    ----------
    similarity : float or None
        Mean over questions of the mean cosine of articles and gold claim; ``None`` where nothing was shown.
    questions : int
        With at least one article.
    without : int
        Without any.
    """

    dataset: str
    model: str
    system: str
    similarity: float | None
    questions: int
    without: int


@dataclass(frozen=True, slots=True)
class Leakage:
    """What of a data set's questions stands in its evidence.

    Attributes
    ----------
    sources_removed : int
        Questions whose own source article was found and taken out.
    overlapping : tuple of str
        Questions of which at least 13 consecutive words stand in a candidate article.
    """

    dataset: str
    questions: int
    sources_removed: int
    overlapping: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """Both, with the name of what measured the similarity."""

    embedder: str
    cells: tuple[CellEvidence, ...]
    leakage: tuple[Leakage, ...]


def look_at(
    results: Iterable[ItemResult],
    datasets: Sequence[Dataset],
    pools: Iterable[StoredPool],
    *,
    embedder: Embedder | None = None,
) -> EvidenceReport:
    """Return what the articles that were shown have to do with questions and right answers.

    Parameters
    ----------
    datasets : sequence of Dataset
        With the questions of the results; results of other questions are left out.
    embedder : Embedder or None
        ``None`` is the lexical one.

    References
    ----------
    Brown TB, et al. Language models are few-shot learners. NeurIPS 2020.
    """
    measure = embedder or LexicalEmbedder()
    items = {(item.dataset, item.id): item for dataset in datasets for item in dataset}
    stored = {(pool.dataset, pool.item): pool for pool in pools}
    texts = {found.article.id: _text(found.article) for pool in stored.values() for found in pool.articles}
    known = [result for result in results if (result.dataset, result.item) in items]
    asked = {(result.dataset, result.item) for result in known}
    measured = _Measured(measure, items, texts)
    return EvidenceReport(
        embedder=measure.name,
        cells=tuple(_cell(cell, found, measured) for cell, found in sorted(by_cell(known).items())),
        leakage=tuple(_leakage(dataset, asked, stored) for dataset in datasets),
    )


def shares_words(question: str, text: str, *, n: int = NGRAM) -> bool:
    """Return whether n consecutive words of the question stand in the text; a shorter question as a whole.

    A question of fewer than six words shares nothing: such words stand in many texts.
    """
    asked, said = (_WORD.findall(each.casefold()) for each in (question, text))
    length = min(n, len(asked))
    if length < n // 2:
        return False
    joined = f" {' '.join(said)} "
    return any(
        f" {' '.join(asked[start : start + length])} " in joined for start in range(len(asked) - length + 1)
    )


class _Measured:
    """Similarities by question and articles, each measured once however many cells showed them."""

    def __init__(self, embedder: Embedder, items: dict[tuple[str, str], Item], texts: dict[str, str]) -> None:
        self._embedder, self._items, self._texts = embedder, items, texts
        self._known: dict[tuple[str, str, tuple[str, ...]], EvidenceQuality] = {}

    def of(self, result: ItemResult) -> EvidenceQuality:
        key = result.dataset, result.item, result.evidence
        if key not in self._known:
            shown = [self._texts.get(name.partition("#")[0], "") for name in result.evidence]
            item = self._items[result.dataset, result.item]
            self._known[key] = evidence_quality(item, shown, embedder=self._embedder)
        return self._known[key]


def _cell(cell: tuple[str, str, str], results: Sequence[ItemResult], measured: _Measured) -> CellEvidence:
    found = [measured.of(result) for result in results]
    shown = sum(quality.mean is not None for quality in found)
    return CellEvidence(*cell, mean_quality(found), shown, len(found) - shown)


def _leakage(
    dataset: Dataset, asked: set[tuple[str, str]], stored: dict[tuple[str, str], StoredPool]
) -> Leakage:
    pools = [
        (item, pool)
        for item in dataset
        if (item.dataset, item.id) in asked and (pool := stored.get((item.dataset, item.id)))
    ]
    return Leakage(
        dataset=dataset.name,
        questions=len(pools),
        sources_removed=sum(bool(pool.removed) for _, pool in pools),
        overlapping=tuple(
            item.id
            for item, pool in pools
            if any(shares_words(item.question, _text(found.article)) for found in pool.articles)
        ),
    )


def _text(article: Article) -> str:
    return "\n".join(part for part in (article.title, article.abstract) if part)
