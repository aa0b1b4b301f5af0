"""What a tantivy index knows of its sources, of withdrawals and of its own state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import tantivy

from metarag.records import Frozen
from metarag.retrieval.corpus_info import SourceInfo
from metarag.retrieval.corpus_write import Place, Withdrawal
from metarag.retrieval.source_files import Release
from metarag.retrieval.tantivy_schema import Kind, addresses, note_content, note_document

STATE_KEY: Final = "state"


class IndexState(Frozen):
    """What is true of the whole index.

    Attributes
    ----------
    next_row, next_source : int
        Numbers that no record and no source has had.
    unfinished : tuple of str
        Sources that a build has still to do.
    built_at : str or None
        When a source was last indexed, in ISO 8601.
    """

    next_row: int = 1
    next_source: int = 1
    unfinished: tuple[str, ...] = ()
    built_at: str | None = None

    def document(self) -> tantivy.Document:
        """Return what the index keeps of it."""
        return note_document(Kind.STATE, STATE_KEY, self.model_dump(mode="json"))


def source_key(source_id: int) -> str:
    """Return the key of a source's document."""
    return f"source:{source_id}"


def source_document(source_id: int, source: SourceInfo) -> tantivy.Document:
    """Return the document of a source."""
    content = {"id": source_id, **source.model_dump(mode="json")}
    return note_document(Kind.SOURCE, source_key(source_id), content)


def withdrawal_key(source_id: int, article_id: str) -> str:
    """Return the key of the document of a deletion."""
    return f"withdrawal:{source_id}:{article_id}"


def withdrawal_document(source_id: int, article_id: str, version: int | None) -> tantivy.Document:
    """Return the document of a deletion that a source told."""
    content = {"source": source_id, "article": article_id, "version": version}
    document = note_document(Kind.WITHDRAWAL, withdrawal_key(source_id, article_id), content)
    document.add_text("key", article_id)
    return document


def read_state(searcher: tantivy.Searcher, schema: tantivy.Schema) -> IndexState:
    """Return the state of an index; that of a new one where nothing was committed yet.

    Raises
    ------
    ValueError
        What is there is no state.
    """
    found = addresses(searcher, tantivy.Query.term_query(schema, "key", STATE_KEY))
    if not found:
        return IndexState()
    return IndexState.model_validate(note_content(searcher.doc(found[0])))


def read_sources(searcher: tantivy.Searcher, schema: tantivy.Schema) -> dict[int, SourceInfo]:
    """Return the sources of an index by their numbers, in the order in which they were first indexed.

    Raises
    ------
    ValueError
        One of them cannot be read.
    """
    query = tantivy.Query.term_query(schema, "kind", Kind.SOURCE)
    found = {}
    for address in addresses(searcher, query):
        content = note_content(searcher.doc(address))
        source_id = int(content.pop("id"))
        found[source_id] = SourceInfo.model_validate(content)
    return dict(sorted(found.items()))


def place_of(source_id: int, sources: Mapping[int, SourceInfo]) -> Place:
    """Return a source's place among the others."""
    source = sources.get(source_id)
    return Place(source_id, Release.of(source.name) if source else None)


def withdrawal_of(document: tantivy.Document, sources: Mapping[int, SourceInfo]) -> tuple[str, Withdrawal]:
    """Return which article a source withdrew, and up to which version."""
    content = note_content(document)
    version = content["version"]
    place = place_of(int(content["source"]), sources)
    return str(content["article"]), Withdrawal(None if version is None else int(version), place)
