"""Counts of an answer as sentences for a person."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_WORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "invented_citations": (
            "citation of an article that was not given to the model was removed",
            "citations of articles that were not given to the model were removed",
        ),
        "malformed_citations": (
            "citation that could not be read was removed",
            "citations that could not be read were removed",
        ),
        "surplus_citations": (
            "citation beyond three in one sentence was left out",
            "citations beyond three in one sentence were left out",
        ),
        "unsupported_sentences": (
            "sentence of the model cites no source",
            "sentences of the model cite no source",
        ),
        "numbers_not_in_sources": (
            "number is not in the sources cited for it",
            "numbers are not in the sources cited for them",
        ),
        "quotes_not_in_sources": (
            "quotation is not in the sources cited for it",
            "quotations are not in the sources cited for them",
        ),
        "directions_not_in_sources": (
            "statement on an outcome is not what its sources found, as the rules read them",
            "statements on outcomes are not what their sources found, as the rules read them",
        ),
        "sentences_not_supported": (
            "sentence was not found in its sources by a model's reading",
            "sentences were not found in their sources by a model's reading",
        ),
        "sentences_contradicted": (
            "sentence is contradicted by its sources by a model's reading",
            "sentences are contradicted by their sources by a model's reading",
        ),
        "sentences_not_assessed": (
            "sentence could not be compared with its sources by a model",
            "sentences could not be compared with their sources by a model",
        ),
        "dropped_sentences": (
            "sentence with such a fault was left out",
            "sentences with such faults were left out",
        ),
        "sentences_over_the_limit": (
            "sentence was left out because the answer was too long",
            "sentences were left out because the answer was too long",
        ),
        "short_numbers_not_in_sources": (
            "number of the short answer is in none of the sources",
            "numbers of the short answer are in none of the sources",
        ),
        "short_directions_not_in_sources": (
            "statement of the short answer on an outcome is not what any source found, as the rules read them",
            "statements of the short answer on outcomes are not what any source found, as the rules read them",
        ),
        "short_sentences_over_the_limit": (
            "sentence of the short answer was left out because it was too long",
            "sentences of the short answer were left out because it was too long",
        ),
        "suspicious_sources": (
            "article was not shown to the model: its text tries to instruct one, or hides something",
            "articles were not shown to the model: their texts try to instruct one, or hide something",
        ),
        "snippets_not_in_article": (
            "text that a model picked is not in its article and was dropped",
            "texts that a model picked are not in their articles and were dropped",
        ),
        "snippet_calls_failed": (
            "article has sentences picked by rule, because the model's call failed",
            "articles have sentences picked by rule, because the model's calls failed",
        ),
        "snippet_ids_unknown": (
            "id in the model's order of sentences was not given to it",
            "ids in the model's order of sentences were not given to it",
        ),
        "snippet_ids_repeated": (
            "id in the model's order of sentences came twice",
            "ids in the model's order of sentences came twice",
        ),
    }
)


def warnings_of(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return what a reader has to know, each with its number; counts of what is no fault say nothing."""
    return tuple(
        f"{counts[name]} {one if counts[name] == 1 else many}"
        for name, (one, many) in _WORDS.items()
        if counts.get(name)
    )
