"""Haystack: ``MetaragRanker``, from the namespace that Haystack loads pipelines from.

>>> from metarag.adapters.haystack import MetaragRanker
>>> MetaragRanker(top_k=5).top_k
5
"""

from haystack_integrations.components.rankers.metarag import MetaragRanker

__all__ = ["MetaragRanker"]
