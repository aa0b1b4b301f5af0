"""Reads the answer of a search in either of its formats; a server may send JSON where XML was asked for."""

from __future__ import annotations

import re
from typing import Any, Final

from metarag.errors import PubMedRecordError
from metarag.retrieval.entrez_bodies import load_json
from metarag.retrieval.esearch_xml import EsearchAnswer, EsearchWarnings, read_esearch_xml

_NUMBER = re.compile(r"\d{1,12}", re.ASCII)
_ERRORS: Final = {"phrases_not_found": "phrasesnotfound", "fields_not_found": "fieldsnotfound"}
_WARNINGS: Final = {
    "phrases_ignored": "phrasesignored",
    "quoted_phrases_not_found": "quotedphrasesnotfound",
    "output_messages": "outputmessages",
}


def read_esearch(data: bytes) -> EsearchAnswer:
    """Read the answer of a search, XML or JSON.

    Raises
    ------
    PubMedUnavailableError
        The answer is an error of the service.
    PubMedRecordError
        It is no whole answer, or has no count.
    """
    if data[:100].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _read_json(data)
    return read_esearch_xml(data)


def _read_json(data: bytes) -> EsearchAnswer:
    found = (load_json(data) or {}).get("esearchresult")
    answer: dict[str, Any] = found if isinstance(found, dict) else {}
    count, ids = answer.get("count"), _texts(answer.get("idlist"))
    if not all(_NUMBER.fullmatch(str(number)) for number in (count, *ids)):
        raise PubMedRecordError(
            "the answer of the search has no count, or ids that are no numbers; try again"
        )
    told = {
        field: _texts(_part(answer, part).get(name))
        for part, names in (("errorlist", _ERRORS), ("warninglist", _WARNINGS))
        for field, name in names.items()
    }
    return EsearchAnswer(
        count=int(str(count)),
        ids=ids,
        query_translation=_text(answer.get("querytranslation")),
        warnings=EsearchWarnings(**told),
        webenv=_text(answer.get("webenv")),
        query_key=_text(answer.get("querykey")),
    )


def _part(answer: dict[str, Any], name: str) -> dict[str, Any]:
    part = answer.get(name)
    return part if isinstance(part, dict) else {}


def _texts(values: object) -> tuple[str, ...]:
    return tuple(str(value) for value in values if value) if isinstance(values, list) else ()


def _text(value: object) -> str | None:
    return str(value) if value else None
