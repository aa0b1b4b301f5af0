"""Says what a body is that should have been PubMed records, and what to do. Never quotes it freely."""

from __future__ import annotations

import json
import re

_SHOWN_CHARACTERS = 200
# Keys, session ids and addresses: an error text of NCBI may repeat the caller's key or IP address.
_SECRET = re.compile(
    r"[0-9A-Za-z_\-]{20,}"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9A-Fa-f]{1,4}:){2,7}[0-9A-Fa-f:]*"
    r"|[\w.+\-]{1,64}@[\w.\-]{1,255}"
)
_ERROR = re.compile(rb"<ERROR\b[^<>]{0,99}>([^<]{0,2000})<", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.\-]{0,63}:)?([A-Za-z_][\w.\-]{0,63})[\s/>]")
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z archive",
    b"(\xb5/\xfd": "a zstd file",
    b"%PDF": "a PDF document",
}
_ROOTS = {
    b"eSearchResult": "the answer of a search (esearch); fetch its ids with efetch and retmode=xml",
    b"eSummaryResult": "an esummary answer, which has no abstracts; use efetch with retmode=xml",
    b"ePostResult": "an epost answer; use its WebEnv with efetch and retmode=xml",
    b"eLinkResult": "an elink answer; fetch its ids with efetch and retmode=xml",
    b"MedlineCitationSet": "an older MEDLINE format; get the records again from PubMed",
    b"pmc-articleset": "full text from PMC, not PubMed records; use efetch with db=pubmed",
    b"article": "full text from PMC, not PubMed records; use efetch with db=pubmed",
}


def safe_detail(text: str) -> str:
    """Return an error text of the service, shortened and without what may be a key or an address."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text[:2000]).split())
    return _SECRET.sub("[...]", flat)[:_SHOWN_CHARACTERS]


def describe(head: bytes, name: str, damage: str | None = None) -> str:
    """Return what the source is instead of PubMed XML, and what to do.

    Parameters
    ----------
    head : bytes
        Its beginning.
    name : str
        What to call the source.
    damage : str or None
        What was wrong with the bytes themselves, such as cut gzip data.
    """
    kind = kind_of(head)
    return f"{name} holds no PubMed XML: it is {kind}" + (f" ({damage})" if damage else "")


def kind_of(head: bytes) -> str:
    """Return what a body is that begins like this, and what to do with it."""
    body = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    lower = body[:512].lower()
    if not body:
        return "empty; fetch the records again"
    if archive := next((what for magic, what in _ARCHIVES.items() if body.startswith(magic)), None):
        return f"{archive}; unpack it and name the XML file in it"
    if error := _ERROR.search(body):
        return f"an error that PubMed answered with: {safe_detail(error[1].decode('utf-8', 'replace'))}"
    if lower.startswith((b"<!doctype html", b"<html")) or b"<html" in lower:
        return "a web page, often a notice of maintenance or of a proxy; try again later, with retmode=xml"
    if body[:1] in (b"{", b"["):
        return _json_kind(body)
    if body.startswith(b"PMID-"):
        return "MEDLINE text; read it with read_medline or read_records"
    if body.startswith(b"TY  -"):
        return "RIS; read it with read_ris or read_records"
    if body.startswith(b"<"):
        return _xml_kind(body)
    return "neither XML nor anything known; PubMed XML is what efetch gives with retmode=xml"


def _json_kind(body: bytes) -> str:
    try:
        answer = json.loads(body.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        answer = None
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, str):
        return f"an error that the service answered with: {safe_detail(error)}; wait and ask more slowly"
    return "JSON; ask efetch for retmode=xml"


def _xml_kind(body: bytes) -> str:
    root = _ROOT.search(re.sub(rb"<[!?][^<>]{0,2000}>", b"", body[:20_000]))
    if root is None:
        return "XML that ends before its first record; fetch it again"
    if root[1] in _ROOTS:
        return _ROOTS[root[1]]
    return f"XML with the root element {root[1].decode()!r}; PubMed XML has PubmedArticleSet there"
