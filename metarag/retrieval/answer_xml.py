"""The small XML answers of the E-utilities as a tree; nothing is expanded and nothing is fetched."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, XMLParser

from metarag.errors import PubMedRecordError
from metarag.retrieval.foreign_content import kind_of


def small_root(data: bytes, name: str) -> Element:
    """Return the root element of an answer, which has that name.

    Raises
    ------
    PubMedRecordError
        It is no whole answer of that name.
    """
    if b"<!ENTITY" in data:
        raise PubMedRecordError("the answer of PubMed declares entities, which it never does; not read")
    # Nothing to expand is left, and expat fetches nothing by itself.
    parser = XMLParser()  # noqa: S314
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, ValueError, LookupError) as error:
        if f"<{name}".encode() in data[:20_000]:
            raise PubMedRecordError(
                f"the answer of PubMed is no whole {name}: it is damaged; try again"
            ) from error
        raise PubMedRecordError(_not_an_answer(data, name)) from error
    if root.tag != name:
        raise PubMedRecordError(_not_an_answer(data, name))
    return root


def _not_an_answer(data: bytes, name: str) -> str:
    return f"the answer of PubMed is no whole {name}: it is {kind_of(data[:20_000])}"
