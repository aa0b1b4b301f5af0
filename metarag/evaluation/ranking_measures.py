"""Measures of a ranking against judgements of relevance: nDCG, average precision, recall, work saved.

All are ``None`` where nothing was judged relevant: there is nothing to find, which is not a failure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranked: Sequence[str], judged: Mapping[str, int], *, k: int | None = None) -> float | None:
    """Return the normalised discounted cumulative gain, in [0, 1].

    The gain is the grade itself and the discount log2(rank + 1), as in trec_eval. What was not judged counts
    as grade 0.

    Parameters
    ----------
    ranked : sequence of str
        Documents, best first, each once.
    judged : mapping of str to int
        Document to grade, 0 or more.
    k : int or None
        Ranks that count, at least 1; ``None`` is all.

    References
    ----------
    Järvelin K, Kekäläinen J. Cumulated gain-based evaluation of IR techniques. ACM TOIS 2002;20:422-46.
    """
    top = _checked(ranked, judged, k)
    ideal = sorted((grade for grade in judged.values() if grade > 0), reverse=True)[:k]
    if not ideal:
        return None
    return _gain([judged.get(document, 0) for document in top]) / _gain(ideal)


def average_precision(
    ranked: Sequence[str], judged: Mapping[str, int], *, k: int | None = None
) -> float | None:
    """Return the mean of the precision at each relevant document's rank, in [0, 1].

    Relevant is a grade above 0. Relevant documents that are not found count with precision 0, also where there
    are more of them than ``k``.
    """
    top = _checked(ranked, judged, k)
    relevant = _relevant(judged)
    if not relevant:
        return None
    found, total = 0, 0.0
    for rank, document in enumerate(top, 1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def recall(ranked: Sequence[str], judged: Mapping[str, int], *, k: int | None = None) -> float | None:
    """Return the share of the relevant documents that is found, in [0, 1]."""
    top = _checked(ranked, judged, k)
    relevant = _relevant(judged)
    return len(relevant.intersection(top)) / len(relevant) if relevant else None


def work_saved(ranked: Sequence[str], judged: Mapping[str, int], *, at_recall: float = 0.95) -> float | None:
    """Return the share of documents that need not be read to find so many of the relevant ones, less chance.

    (1 - read / all) - (1 - recall): 0 is what a random order saves, and a bad order saves less. All documents have
    to be ranked; one that is relevant and not ranked makes it ``None``.

    Parameters
    ----------
    at_recall : float
        In (0, 1].

    References
    ----------
    Cohen AM, et al. Reducing workload in systematic review preparation using automated citation classification.
    J Am Med Inform Assoc 2006;13:206-19.
    """
    if not 0 < at_recall <= 1:
        raise ValueError(f"at_recall must be in (0, 1], got {at_recall}")
    top = _checked(ranked, judged, None)
    relevant = _relevant(judged)
    ranks = [rank for rank, document in enumerate(top, 1) if document in relevant]
    if not relevant or len(ranks) < len(relevant):
        return None
    # Rounded first: 0.95 of 20 is 19 and a little in binary.
    read = ranks[math.ceil(round(at_recall * len(relevant), 9)) - 1]
    return 1 - read / len(top) - (1 - at_recall)


def _relevant(judged: Mapping[str, int]) -> frozenset[str]:
    return frozenset(document for document, grade in judged.items() if grade > 0)


def _gain(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _checked(ranked: Sequence[str], judged: Mapping[str, int], k: int | None) -> Sequence[str]:
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if len(set(ranked)) < len(ranked):
        raise ValueError("a document is ranked twice")
    if any(grade < 0 for grade in judged.values()):
        raise ValueError("a grade is negative")
    return ranked[:k]
