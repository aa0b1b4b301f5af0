"""Haystack loads components from this namespace only, so that the ranker is defined here."""

from haystack_integrations.components.rankers.metarag.ranker import MetaragRanker

__all__ = ["MetaragRanker"]
