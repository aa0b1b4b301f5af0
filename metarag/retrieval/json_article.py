"""An article from a JSON object: all its fields as metarag writes them, or the few that anyone has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import ValidationError

from metarag.errors import InputError, suggest
from metarag.records import Article
from metarag.report.plain import shorten
from metarag.retrieval.text_lines import abstract_sections
from metarag.retrieval.validation import faults_of

_SHOWN_NAMES: Final = 5
_SHOWN_LENGTH: Final = 40
"""Characters of an unknown name that a message shows: it is text of the file, and may be of any length."""


def article_of(content: Mapping[str, Any]) -> Article:
    """Return the article that an object describes, either in itself or under ``article``.

    Besides the fields of :class:`~metarag.records.Article` these plain forms are taken: ``abstract`` (text),
    ``year`` (number), ``pmid`` as a number, and ``publication_types`` and ``mesh`` as lists of names.

    Raises
    ------
    InputError
        It has unknown fields, says the same thing twice, or its values do not fit. Names, never values.
    """
    given = content.get("article", content)
    if not isinstance(given, dict):
        raise InputError("what stands under 'article' is no object")
    unknown = [name for name in given if name not in _KNOWN]
    if unknown:
        raise InputError(_about_unknown(unknown))
    fields = dict(given)
    for simple, (full, converted) in _SIMPLE.items():
        if simple in fields:
            value = fields.pop(simple)
            if full != simple and fields.get(full):
                raise InputError(f"it has both {simple!r} and {full!r}; give one of them")
            fields[full] = converted(value)
    try:
        return Article.model_validate(fields)
    except ValidationError as error:
        raise InputError(faults_of(error)) from error


def _about_unknown(names: list[str]) -> str:
    shown = ", ".join(repr(shorten(name, _SHOWN_LENGTH)) for name in names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return f"unknown fields: {shown}{more}{suggest(shorten(names[0], _SHOWN_LENGTH), _KNOWN)}"


def _sections(value: object) -> object:
    if value is None:
        return ()
    if not isinstance(value, str):
        raise InputError("'abstract' is no text; sections go under 'abstract_sections'")
    sections = abstract_sections(value)
    # Without headings the paragraphs stay as they are.
    return tuple(sections) if len(sections) != 1 else ({"text": value.strip()},)


def _print_date(value: object) -> object:
    return None if value is None else {"year": value}


def _digits(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _named(field: str) -> Callable[[object], object]:
    def convert(value: object) -> object:
        if not isinstance(value, list):
            return () if value is None else value
        return [{field: item} if isinstance(item, str) else item for item in value]

    return convert


_SIMPLE: Final[Mapping[str, tuple[str, Callable[[object], object]]]] = MappingProxyType(
    {
        "abstract": ("abstract_sections", _sections),
        "year": ("print_date", _print_date),
        "pmid": ("pmid", _digits),
        "publication_types": ("publication_types", _named("name")),
        "mesh": ("mesh", _named("descriptor")),
    }
)
"""Plain field to the article's own field and what makes the one of the other."""

_KNOWN: Final = frozenset((*Article.model_fields, *_SIMPLE))
