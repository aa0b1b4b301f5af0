"""The paper's measure of evidence: how like the supplied articles are to the claim with the right option.

It is a proxy. An article can be like the claim and wrong, and a similarity depends on what measures it, so the
embedder's name belongs to every number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from metarag.evaluation.items import Item
from metarag.relevance import stem, words
from metarag.retrieval.free_text import FUNCTION_WORDS

Vectors = npt.NDArray[np.float64]


class Embedder(Protocol):
    """Turns texts into vectors whose cosine is a similarity."""

    @property
    def name(self) -> str:
        """Name and version, as they stand beside a number."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, shape (texts, dimensions)."""


class LexicalEmbedder:
    """Counts of word stems, damped (1 + log), without function words. No model, no collection, no download."""

    name = "lexical-1"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors over the stems of these texts; the cosine of two does not depend on the others."""
        counted = [_stems(text) for text in texts]
        places = {root: i for i, root in enumerate(sorted({root for roots in counted for root in roots}))}
        vectors = np.zeros((len(texts), len(places)))
        for row, roots in enumerate(counted):
            for root in roots:
                vectors[row, places[root]] += 1
        return np.where(vectors > 0, 1 + np.log(np.maximum(vectors, 1)), 0.0)


@dataclass(frozen=True, slots=True)
class EvidenceQuality:
    """How like the articles of one question are to its right answer.

    Attributes
    ----------
    embedder : str
        What measured it.
    similarities : tuple of float
        Cosines, in the order of the articles, in [-1, 1]; of the lexical embedder in [0, 1].
    """

    embedder: str
    similarities: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        """Mean over the articles; ``None`` without any."""
        return sum(self.similarities) / len(self.similarities) if self.similarities else None


def gold_claim(item: Item) -> str:
    """Return the claim that the paper calls gold: the question with the text of its right option."""
    return f"{item.question} {item.gold_text}"


def evidence_quality(
    item: Item, texts: Sequence[str], *, embedder: Embedder | None = None
) -> EvidenceQuality:
    """Return how like each text is to the claim with the right option.

    Parameters
    ----------
    texts : sequence of str
        Of the articles that the model was shown, in order.
    embedder : Embedder or None
        ``None`` is the lexical one.

    Raises
    ------
    ValueError
        The embedder gave another number of vectors, or values that are not finite.

    References
    ----------
    Sun M, et al. META-RAG. arXiv 2510.24003, figure 6; the paper names no embedder.
    """
    measure = embedder or LexicalEmbedder()
    if not texts:
        return EvidenceQuality(measure.name, ())
    vectors = np.asarray(measure.embed([gold_claim(item), *texts]), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(texts) + 1 or not np.isfinite(vectors).all():
        raise ValueError(
            f"embedder {measure.name!r} must return one finite vector a text; got shape {vectors.shape}"
        )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return EvidenceQuality(measure.name, tuple(float(value) for value in unit[1:] @ unit[0]))


def mean_quality(found: Iterable[EvidenceQuality]) -> float | None:
    """Return the mean over questions of the mean over their articles; ``None`` without any.

    Raises
    ------
    ValueError
        The qualities were measured by different embedders.
    """
    qualities = list(found)
    if len({quality.embedder for quality in qualities}) > 1:
        raise ValueError("similarities by different embedders cannot be averaged")
    means = [quality.mean for quality in qualities if quality.mean is not None]
    return sum(means) / len(means) if means else None


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text) if word not in FUNCTION_WORDS]
