"""Parses one record on its own: no DTD, no network, no external or declared entities, no surprises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import html5
from xml.etree.ElementTree import Element, ParseError, XMLParser
from xml.parsers.expat import ErrorString, errors

MAX_TAGS = 1_000_000
"""A record of 16 MB that is all tags would take half a gigabyte as a tree; 15,000 authors have 200,000."""

# Prefixes that the PubMed DTD declares by default, so that a file without the DTD still may use them.
_KNOWN_PREFIXES = {
    b"mml": b"http://www.w3.org/1998/Math/MathML",
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
}
_DECLARATION = re.compile(rb"\sxmlns(?::([A-Za-z_][\w.\-]*))?\s*=\s*(?:\"([^\"<&]*)\"|'([^'<&\"]*)')")
# The first alternative takes CDATA as a whole (to the end when it is not closed): there "&nbsp;" is text.
_NAMED_ENTITY = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|&([A-Za-z][A-Za-z0-9._\-]{0,63});", re.DOTALL)
_USED_PREFIX = re.compile(rb"[<\s/]([A-Za-z_][\w.\-]{0,63}):[A-Za-z_]")
_PREDEFINED = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_REPAIRABLE = frozenset(
    errors.codes[fault] for fault in (errors.XML_ERROR_UNDEFINED_ENTITY, errors.XML_ERROR_UNBOUND_PREFIX)
)
_MAX_PLACEHOLDERS = 50
_USUAL_OPENING = b"<records%b>" % b"".join(b' xmlns:%b="%b"' % pair for pair in _KNOWN_PREFIXES.items())


class FragmentError(ValueError):
    """The bytes are no well-formed element; the message never holds any of them. Becomes a ReadFailure."""


def parse_fragment(data: bytes, *, declarations: bytes = b"", encoding: str = "utf-8") -> Element:
    """Return the element, its tags without the namespace that the record itself is in.

    Parameters
    ----------
    data : bytes
        One whole element.
    declarations : bytes
        Start tag of the element around it, for its ``xmlns`` attributes.
    encoding : str
        Of ``data``.

    Notes
    -----
    An entity such as ``&nbsp;`` that only the DTD defines becomes its character (HTML5 names, which cover
    the ISO and MathML sets); an unknown one stays visible as ``&name;``. A prefix whose declaration is
    lost with a damaged root gets a placeholder.

    Raises
    ------
    FragmentError
        Not well-formed, not in its encoding, or of more than :data:`MAX_TAGS` tags.
    """
    if encoding != "utf-8":
        data = _recoded(data, encoding)
    # A record of fewer bytes cannot have so many.
    if len(data) > MAX_TAGS and data.count(b"<") > MAX_TAGS:
        raise FragmentError(f"it has more than {MAX_TAGS:,} tags")
    opening = _opening(declarations) if b"xmlns" in declarations else _USUAL_OPENING
    try:
        element = _parse(data, opening)
    except ParseError as error:
        if error.code not in _REPAIRABLE:
            raise FragmentError(f"its XML is damaged: {ErrorString(error.code)}") from error
        element = _parse_repaired(data, declarations)
    return _without_own_namespace(element)


def _recoded(data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeError as error:
        raise FragmentError(f"it holds bytes that are not {encoding}, as the file says it is") from error


def _parse(data: bytes, opening: bytes) -> Element:
    # A fragment has no DOCTYPE (inside an element it would not be well-formed), so there is nothing to
    # load, to expand or to fetch.
    parser = XMLParser()  # noqa: S314
    parser.feed(b"".join((opening, data, b"</records>")))
    root: Element = parser.close()
    if len(root) != 1:
        raise FragmentError("its XML is damaged: more than one element where one should be")
    return root[0]


def _parse_repaired(data: bytes, declarations: bytes) -> Element:
    try:
        return _parse(_NAMED_ENTITY.sub(_resolved, data), _opening(declarations, _placeholders(data)))
    except ParseError as error:
        raise FragmentError(f"its XML is damaged: {ErrorString(error.code)}") from error


def _resolved(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name is None or name in _PREDEFINED:
        return match[0]
    character = html5.get(f"{name.decode()};")
    return character.encode() if character else b"&amp;" + name + b";"


def _opening(declarations: bytes, placeholders: Mapping[bytes, bytes] = _KNOWN_PREFIXES) -> bytes:
    """Return the start tag of an element to put the fragment in, with all namespaces it may need."""
    namespaces = {**placeholders, **_KNOWN_PREFIXES, **_declared(declarations)}
    attributes = [b' xmlns%b%b="%b"' % (b":" if p else b"", p, uri) for p, uri in namespaces.items()]
    return b"<records%b>" % b"".join(attributes)


def _declared(start_tag: bytes) -> dict[bytes, bytes]:
    found = {m[1] or b"": m[2] or m[3] or b"" for m in _DECLARATION.finditer(start_tag)}
    return {prefix: uri for prefix, uri in found.items() if _is_declarable(prefix, uri)}


def _is_declarable(prefix: bytes, uri: bytes) -> bool:
    # "xml" and "xmlns" are reserved, and only the default namespace may be empty.
    if prefix.lower().startswith(b"xml") or b"http://www.w3.org/2000/xmlns/" in uri:
        return False
    return bool(uri or not prefix) and uri.isascii() and uri.decode().isprintable()


def _placeholders(data: bytes) -> dict[bytes, bytes]:
    prefixes = sorted(set(_USED_PREFIX.findall(data)))[:_MAX_PLACEHOLDERS]
    return {prefix: b"urn:undeclared:" + prefix for prefix in prefixes if _is_declarable(prefix, b"urn:x")}


def _without_own_namespace(element: Element) -> Element:
    namespace, brace, _ = element.tag.rpartition("}")
    if brace:
        own = namespace + brace
        for each in element.iter():
            each.tag = each.tag.removeprefix(own)
    return element
