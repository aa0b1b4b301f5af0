"""Records as rows: what is stored of an article, what is indexed of it, and which revision is newer."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from metarag.errors import IndexUnusableError
from metarag.records import Article, Frozen
from metarag.retraction import retraction_status
from metarag.retrieval.corpus_facets import day, facet_text
from metarag.retrieval.free_text import fold
from metarag.types import Appraisal, RetractionState

Model = TypeVar("Model", bound=Frozen)
Appraise = Callable[[Article], Appraisal]


def to_json(model: Frozen) -> bytes:
    """Return the model as JSON without the fields at their default; a changed default needs a migration.

    Raises
    ------
    ValueError
        The text is not valid Unicode (a lone surrogate).
    """
    try:
        return model.model_dump_json(exclude_defaults=True).encode()
    except PydanticSerializationError as error:
        # Ctrl-C within pydantic comes out as an error of the record, which would be left out and counted as read.
        if str(error).startswith("Error serializing to JSON: KeyboardInterrupt"):
            raise KeyboardInterrupt from error
        raise


def pack(json: bytes) -> bytes:
    """Return JSON compressed; :func:`unpack` gives the model back."""
    return zlib.compress(json, 1)


def unpack(kind: type[Model], blob: bytes) -> Model:
    """Return the model whose JSON :func:`pack` compressed, equal to the original.

    Raises
    ------
    IndexUnusableError
        The bytes are damaged, or were written by a version with other fields.
    """
    try:
        return kind.model_validate_json(zlib.decompress(blob))
    except (zlib.error, ValidationError) as error:
        raise IndexUnusableError(
            f"a stored {kind.__name__.lower()} is damaged or of another version of metarag: build a new index"
        ) from error


def digest_of(json: bytes) -> bytes:
    """Return 16 bytes that tell one article's JSON from another's."""
    return hashlib.blake2b(json, digest_size=16).digest()


def indexed_text(article: Article) -> tuple[str, str, str]:
    """Return title, abstract and subject terms as they are indexed.

    The index keeps no copy: removing an article needs exactly the text that was put in. A change
    here, or in :func:`~metarag.retrieval.free_text.fold`, needs a migration that indexes all anew.
    """
    qualifiers = (q.name for heading in article.mesh for q in heading.qualifiers)
    terms = dict.fromkeys(
        (
            *(heading.descriptor for heading in article.mesh),
            *qualifiers,
            *(concept.name for concept in article.supplementary_mesh),
            *article.chemicals,
            *article.keywords,
        )
    )
    return fold(article.title), fold(article.abstract or ""), fold("\n".join(terms))


@dataclass(frozen=True, slots=True, order=True)
class Revision:
    """Which of two states of a record is the newer: by version, then by date of revision.

    ``revised`` is ``yyyymmdd`` and 0 when unknown, so that an undated copy (a RIS export) does not
    replace a dated one.
    """

    version: int
    revised: int

    @classmethod
    def of(cls, article: Article) -> Self:
        """Return the revision that an article is."""
        date = article.date_revised
        revised = (date.year or 0) * 10_000 + (date.month or 0) * 100 + (date.day or 0) if date else 0
        return cls(version=article.version, revised=revised)

    def is_unordered(self, other: Revision) -> bool:
        """Return True when nothing tells which is the newer: one version, and not two different dates."""
        dated = self.revised and other.revised
        return self.version == other.version and (not dated or self.revised == other.revised)


@dataclass(frozen=True, slots=True)
class Row:
    """An article ready to be written; made before any table is touched, so that it fails alone.

    Attributes
    ----------
    packed, appraisal : bytes
        As :func:`pack` makes them; no appraisal where none was made.
    digest : bytes
        Of the article's JSON, by which an unchanged one is known.
    text : tuple of str
        Title, abstract and subject terms as the engine indexes them.
    published_print, published_online : int or None
        As ``yyyymmdd``.
    standing : RetractionState
        What the article says of its own standing.
    """

    article_id: str
    pmid: int | None
    revision: Revision
    text_origin: str
    packed: bytes
    digest: bytes
    text: tuple[str, str, str]
    facets: str
    published_print: int | None
    published_online: int | None
    appraisal: bytes | None = None
    appraisal_version: str = ""
    standing: RetractionState = RetractionState.NOT_CHECKED

    @classmethod
    def of(cls, article: Article, appraise: Appraise | None = None) -> Self:
        """Return the row of an article, with what ``appraise`` says of it.

        Raises
        ------
        ValueError
            Its text is not valid Unicode.
        """
        json = to_json(article)
        appraisal = appraise(article) if appraise else None
        return cls(
            article_id=article.id,
            pmid=int(article.pmid) if article.pmid else None,
            revision=Revision.of(article),
            text_origin=article.text_origin.value,
            packed=pack(json),
            digest=digest_of(json),
            text=indexed_text(article),
            facets=facet_text(article),
            published_print=day(article.print_date),
            published_online=day(article.electronic_date),
            appraisal=pack(to_json(appraisal)) if appraisal else None,
            appraisal_version=appraisal.version if appraisal else "",
            standing=(appraisal.retraction if appraisal else retraction_status(article)).state,
        )
