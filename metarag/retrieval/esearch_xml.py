"""Reads the answer of an E-utilities search, with everything it says about how the query was changed."""

from __future__ import annotations

import re

from metarag.errors import PubMedRecordError, PubMedUnavailableError
from metarag.records import Frozen
from metarag.retrieval.answer_xml import small_root
from metarag.retrieval.foreign_content import safe_detail
from metarag.retrieval.pubmed_fields import child, text_of, texts_of

_NUMBER = re.compile(r"\d{1,12}", re.ASCII)


class EsearchWarnings(Frozen):
    """What PubMed did not find or left out of the query, in its own words.

    The first four change what the query means; ``output_messages`` are notices, such as "No items found.".
    """

    phrases_not_found: tuple[str, ...] = ()
    fields_not_found: tuple[str, ...] = ()
    phrases_ignored: tuple[str, ...] = ()
    quoted_phrases_not_found: tuple[str, ...] = ()
    output_messages: tuple[str, ...] = ()


class EsearchAnswer(Frozen):
    """The answer of a search.

    Parameters
    ----------
    count : int
        Records that match; of these ``ids`` is one page, as strings in the order of the answer.
    query_translation : str or None
        The query as PubMed ran it.
    webenv, query_key : str or None
        The session on the history server, when one was asked for.
    """

    count: int
    ids: tuple[str, ...] = ()
    query_translation: str | None = None
    warnings: EsearchWarnings = EsearchWarnings()
    webenv: str | None = None
    query_key: str | None = None

    @property
    def query_changed(self) -> bool:
        """True when a part of the query was dropped, so that the hits answer another question."""
        told = self.warnings
        not_found = (told.phrases_not_found, told.fields_not_found, told.quoted_phrases_not_found)
        return any((*not_found, told.phrases_ignored))


def read_esearch_xml(data: bytes) -> EsearchAnswer:
    """Read an ``eSearchResult``.

    Raises
    ------
    PubMedUnavailableError
        The answer is an error of the service, although it came with status 200.
    PubMedRecordError
        It is no whole ``eSearchResult``, or has no count.
    """
    root = small_root(data, "eSearchResult")
    if error := text_of(root, "ERROR"):
        raise PubMedUnavailableError(f"PubMed answered the search with an error: {safe_detail(error)}")
    count = text_of(root, "Count")
    ids = texts_of(child(root, "IdList"), "Id")
    if count is None or not all(_NUMBER.fullmatch(number) for number in (count, *ids)):
        raise PubMedRecordError(
            "the answer of the search has no count, or ids that are no numbers; try again"
        )
    errors, warnings = child(root, "ErrorList"), child(root, "WarningList")
    return EsearchAnswer(
        count=int(count),
        ids=tuple(ids),
        query_translation=text_of(root, "QueryTranslation"),
        warnings=EsearchWarnings(
            phrases_not_found=tuple(texts_of(errors, "PhraseNotFound")),
            fields_not_found=tuple(texts_of(errors, "FieldNotFound")),
            phrases_ignored=tuple(texts_of(warnings, "PhraseIgnored")),
            quoted_phrases_not_found=tuple(texts_of(warnings, "QuotedPhraseNotFound")),
            output_messages=tuple(texts_of(warnings, "OutputMessage")),
        ),
        webenv=text_of(root, "WebEnv"),
        query_key=text_of(root, "QueryKey"),
    )
