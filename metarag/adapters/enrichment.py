"""Documents with a PMID, completed with the full record that an index or PubMed has of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from metarag.adapters.documents import Converted, GradedFrom
from metarag.errors import MetaragError
from metarag.records import Article
from metarag.retrieval.local_index import LocalIndex
from metarag.types import Retrieved

Enrich = Callable[[Sequence[str]], Mapping[str, Article | Retrieved]]
"""PMIDs to the full records that a local index or PubMed has of them."""

_RETRACTED = "Retracted Publication"


def records_of(
    converted: Sequence[Converted], enrich: Enrich | None
) -> tuple[list[Retrieved | None], list[Converted]]:
    """Return the record of each document, ``None`` where there was nothing to make it of, and the documents.

    Where the records cannot be had, the documents stand as they are, with a note. A retraction that only the
    host knows of stays known: the index may be older than it.

    Parameters
    ----------
    enrich : callable or None
        Called once, and only if a document has a PMID.
    """
    pmids = [each.article.pmid for each in converted if each.article and each.article.pmid]
    known, problem = _ask(enrich, pmids)
    if problem:
        note = f"could not be completed from its full record: {problem}"
        converted = [_noted(each, note) for each in converted]
    pairs = [_record(each, known) for each in converted]
    return [record for record, _ in pairs], [each for _, each in pairs]


def _ask(enrich: Enrich | None, pmids: Sequence[str]) -> tuple[Mapping[str, Article | Retrieved], str | None]:
    if enrich is None or not pmids:
        return {}, None
    try:
        return enrich(list(dict.fromkeys(pmids))), None
    except MetaragError as error:
        return {}, str(error)


def _noted(converted: Converted, note: str) -> Converted:
    has_pmid = converted.article is not None and converted.article.pmid is not None
    return replace(converted, notes=(*converted.notes, note)) if has_pmid else converted


def _record(
    converted: Converted, known: Mapping[str, Article | Retrieved]
) -> tuple[Retrieved | None, Converted]:
    host = converted.article
    if host is None:
        return None, converted
    found = known.get(host.pmid or "")
    if found is None:
        return Retrieved(article=host), converted
    record = Retrieved(article=found) if isinstance(found, Article) else found
    if host.has_type(_RETRACTED) and not record.article.has_type(_RETRACTED):
        types = (
            *record.article.publication_types,
            *(t for t in host.publication_types if t.name == _RETRACTED),
        )
        record = Retrieved(article=record.article.model_copy(update={"publication_types": types}))
    return record, replace(converted, graded_from=GradedFrom.RECORD)


def index_records(corpus: LocalIndex) -> Enrich:
    """Return what completes documents from a local index, with the appraisals that it holds.

    Parameters
    ----------
    corpus : LocalIndex
        Open for as long as the adapter is used.
    """

    def find(pmids: Sequence[str]) -> dict[str, Article | Retrieved]:
        found = {pmid: article for pmid in pmids if (article := corpus.get(pmid)) is not None}
        return {
            pmid: Retrieved(article=article, appraisal=corpus.appraisal(pmid))
            for pmid, article in found.items()
        }

    return find
