"""Documents of a host as articles: metadata where there are any, else what the text itself says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from pydantic import ValidationError

from metarag.adapters.metadata import Fields, fields_of
from metarag.adapters.metadata_values import is_known_type
from metarag.records import Article, TextOrigin
from metarag.retrieval.text_lines import abstract_sections

MAX_GRADED_CHARACTERS = 30_000
"""Of a document's text that are graded; abstracts have about 2,000. The document itself is kept whole."""

MAX_TITLE_CHARACTERS = 2_000
"""Of a title; those of PubMed have up to about 500."""

_MARKED: Final = re.compile(
    r"\s*(?:#+ |\*\*)?title(?:\*\*)?\s*[:=]\s*(?P<title>[^\n]{3,400})\n+\s*"
    r"(?:(?:\*\*)?(?:abstract|text|content)(?:\*\*)?\s*[:=])?",
    re.IGNORECASE,
)
_FIRST_LINE: Final = re.compile(r"\s*(?:# )?(?P<title>[^\n]{10,300})\n\s*(?=\S)")
_FIRST_SENTENCE: Final = re.compile(r"(?P<title>[A-Z][^.?!\n]{10,250}[.?!])(?:\s+(?=[A-Z])|$)")
# A title hardly ever has one of these; the first sentence of an abstract hardly ever has none.
_SENTENCE_WORDS: Final = re.compile(
    r"\b(?:are|is|was|were|be|been|has|have|had|we|our|this|these|there|may|can|remains?|aim(?:ed|s)?|"
    r"objective|background|introduction|purpose|to (?:assess|compare|determine|evaluate|examine|investigate))\b",
    re.IGNORECASE,
)
_PMID_IN_TEXT: Final = re.compile(r"\bPMID\s*[:=]?\s*([1-9]\d{0,9})\b", re.IGNORECASE)
_MARGIN: Final = 300
"""Characters at the beginning and the end where a PMID names the document and not one it cites; ours."""


class GradedFrom(StrEnum):
    """What an appraisal could rest on."""

    RECORD = "record"
    """A full record that a PMID led to."""
    METADATA = "metadata"
    """The host's metadata (publication types, MeSH ...) and its text."""
    TEXT = "text"
    """The text alone."""
    NOTHING = "nothing"
    """There was neither."""


@dataclass(frozen=True, slots=True)
class HostDocument:
    """A document as its host has it.

    Parameters
    ----------
    text : str or None
        What would be shown to a reader; ``None``, and anything that is no text, counts as empty.
    metadata : mapping or None
        The host's own; read, never changed.
    score : float or None
        The host's retrieval score, on whatever scale: shown, not used.
    """

    text: str | None
    metadata: Mapping[Any, Any] | None = field(default_factory=dict)
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Converted:
    """An article made of a document; ``None`` where there was nothing to make it of."""

    article: Article | None
    graded_from: GradedFrom
    notes: tuple[str, ...] = ()


def to_article(document: HostDocument) -> Converted:
    """Make an article of a document, whatever its metadata look like.

    Returns
    -------
    Converted
        With a note for each thing that could not be read: a bad value costs the value, not the document.
    """
    fields, unread = fields_of(document.metadata)
    notes = [f"its metadata's {name} could not be read" for name in unread]
    text = _cut(_text_of(document.text, notes), notes)
    if "abstract" in fields:
        fields["abstract"] = _cut(fields["abstract"], notes)
    used = _graded_from(fields, text)
    if "pmid" not in fields and (pmid := _pmid_of(text)):
        fields["pmid"] = pmid
    article = _build(_whole(fields, text), notes)
    return Converted(article, used if article else GradedFrom.NOTHING, tuple(notes))


def _text_of(text: object, notes: list[str]) -> str:
    if text is not None and not isinstance(text, str):
        notes.append(f"its text is no text but of type {type(text).__name__}")
    return text if isinstance(text, str) else ""


def _cut(text: str, notes: list[str]) -> str:
    if len(text) > MAX_GRADED_CHARACTERS:
        notes.append(f"graded from the first {MAX_GRADED_CHARACTERS:,} of its {len(text):,} characters")
    return _valid(text[:MAX_GRADED_CHARACTERS])


def _graded_from(fields: Fields, text: str) -> GradedFrom:
    types = fields.get("publication_types", ())
    if "mesh" in fields or "abstract" in fields or any(is_known_type(each["name"]) for each in types):
        return GradedFrom.METADATA
    return GradedFrom.TEXT if text.strip() or "title" in fields else GradedFrom.NOTHING


def _pmid_of(text: str) -> str | None:
    margins = text if len(text) <= 2 * _MARGIN else f"{text[:_MARGIN]} \n {text[-_MARGIN:]}"
    found = set(_PMID_IN_TEXT.findall(margins))
    return found.pop() if len(found) == 1 else None


def _whole(fields: Fields, text: str) -> Fields:
    """Return the article's own fields: title and abstract from where they are, the year as a date."""
    fields = dict(fields)
    title, abstract = _valid(fields.pop("title", ""))[:MAX_TITLE_CHARACTERS], fields.pop("abstract", "")
    year = fields.pop("year", None)
    if year is not None:
        fields["print_date"] = {"year": year}
    if not abstract:
        title, abstract = _split(text, title)
    fields |= {"title": title, "abstract_sections": abstract_sections(abstract)}
    return fields | {"text_origin": TextOrigin.HOST_TEXT}


def _split(text: str, title: str) -> tuple[str, str]:
    """Return title and abstract of a text, which may carry both."""
    stripped = text.strip()
    if title:
        rest = stripped.removeprefix(title) if stripped.startswith(title) else stripped
        return title, rest.lstrip(" .:\n")
    marked = _MARKED.match(stripped)
    if marked:
        return marked["title"].strip(), stripped[marked.end() :].strip()
    first = _FIRST_LINE.match(stripped)
    if first and not re.search(r"[.;:,]\s*$", first["title"]):
        return first["title"].strip(), stripped[first.end() :].strip()
    sentence = _FIRST_SENTENCE.match(stripped)
    if sentence and not _SENTENCE_WORDS.search(sentence["title"]):
        return sentence["title"], stripped[sentence.end() :].strip()
    return "", stripped


def _build(fields: Fields, notes: list[str]) -> Article | None:
    """Build the article without what does not validate; at most one field goes in each round."""
    for _ in range(len(fields) + 1):
        try:
            return Article.model_validate(fields)
        except ValidationError as error:
            wrong = {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]} & fields.keys()
            if not wrong:
                return None
            notes += [f"its metadata's {name} could not be read" for name in sorted(wrong)]
            fields = {name: value for name, value in fields.items() if name not in wrong}
    return None


def _valid(text: str) -> str:
    """Return the text without lone surrogates, which no encoding can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
