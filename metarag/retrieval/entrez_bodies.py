"""Finds the error that a body is, whatever it came as: XML, JSON, plain text, or beside records."""

from __future__ import annotations

import json
import re
from typing import Final

RATE = re.compile(r"rate limit|too many requests", re.IGNORECASE)
"""PubMed's words for its kinds of errors; these, unlike others, come as plain text too."""
HISTORY = re.compile(
    r"unable to obtain query"
    r"|(?:webenv|query.?key|history)\b.{0,60}\b(?:expired|invalid|unknown|not found|does not exist)"
    r"|(?:expired|invalid|unknown) (?:webenv|query.?key|history)",
    re.IGNORECASE,
)
IDS = re.compile(r"invalid uid|cannot get document summary", re.IGNORECASE)
NO_IDS = re.compile(r"id list is empty|no correct ids?\b", re.IGNORECASE)
OVERLOAD = re.compile(
    r"external viewer error|cannot process id list|status: ?timeout|empty response|timed?.?out", re.IGNORECASE
)
ROOT = re.compile(rb"<([A-Za-z_][\w.\-]{0,63})[\s/>]")
HEAD: Final = 20_000
"""Bytes of a body in which its kind is looked for."""

_XML_ERROR = re.compile(rb"<ERROR\b[^<>]{0,99}>([^<]{0,2000})")
_RECORD = re.compile(rb"<Pubmed(?:Book)?Article\b")
_RECORD_ENDS: Final = (b"</PubmedArticle>", b"</PubmedBookArticle>")
_LONGEST_SENTENCE: Final = 2_000
"""Bytes up to which an answer in plain text is read as an error."""


def beginning(body: bytes) -> bytes:
    """Return the first bytes of a body, without a byte order mark and white space before."""
    return body[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")


def holds_records(body: bytes) -> bool:
    """True when a record begins in the body."""
    return _RECORD.search(body) is not None


def error_text(body: bytes) -> str | None:
    """Return the error that a body is; ``None`` when it is none, also for a record that speaks of errors."""
    begin = beginning(body)
    if begin[:1] == b"{":
        return _json_error(body)
    if begin[:1] != b"<":
        return _sentence(body)
    root = ROOT.search(begin)
    if root is None or root[1] in (b"html", b"HTML"):
        return None
    error = _XML_ERROR.search(_around_records(body) if root[1] == b"PubmedArticleSet" else begin)
    return error[1].decode("utf-8", "replace") if error else None


def _sentence(body: bytes) -> str | None:
    """Return a plain text that is one of PubMed's errors; what else it may be is told by its form."""
    said = body.decode("utf-8", "replace") if len(body) <= _LONGEST_SENTENCE else ""
    return said if any(known.search(said) for known in (RATE, HISTORY, IDS, NO_IDS, OVERLOAD)) else None


def _around_records(body: bytes) -> bytes:
    """Return what stands before the first record of a set and after its last one, where no text of a record is."""
    first = _RECORD.search(body)
    if first is None:
        return body[:HEAD]
    end = max(body.rfind(mark) + len(mark) for mark in _RECORD_ENDS)
    return body[: first.start()][-HEAD:] + body[max(end, first.start()) :][:HEAD]


def _json_error(body: bytes) -> str | None:
    answer = load_json(body)
    places = [answer, *(value for value in answer.values() if isinstance(value, dict))] if answer else []
    for place in places:
        error = place.get("ERROR") or place.get("error")
        if isinstance(error, list):
            error = "; ".join(map(str, error))
        if isinstance(error, str) and error:
            return error
    return None


def load_json(body: bytes) -> dict[str, object] | None:
    """Return a JSON object; ``None`` when it is none. Line breaks inside strings, as PubMed sends, are taken."""
    try:
        answer = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None
