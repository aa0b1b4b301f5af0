"""PMIDs as people and other programs write them, and the address of a record."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PMID = re.compile(
    r"(?:pmid:?\s*"
    r"|(?:https?://)?(?:www\.)?ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/"
    r"|(?:https?://)?pubmed\.ncbi\.nlm\.nih\.gov/)?"
    r"0*([1-9]\d{0,9})/?(?:[?#].*)?",
    re.IGNORECASE | re.ASCII,
)


def pmid_in(text: str | int) -> str | None:
    """Return the PMID that a text is: a number, ``PMID: 123``, or the address of a record; else ``None``.

    >>> pmid_in("http://www.ncbi.nlm.nih.gov/pubmed/90000001")
    '90000001'
    """
    match = _PMID.fullmatch(str(text).strip()) if isinstance(text, str | int) else None
    return match[1] if match else None


def pubmed_url(pmid: str | int) -> str:
    """Return the address of a record; :func:`pmid_in` gives the PMID back.

    Raises
    ------
    ValueError
        It is no PMID.
    """
    number = pmid_in(pmid)
    if number is None:
        raise ValueError(f"{str(pmid)[:60]!r} is no PMID, which is a number of at most ten digits")
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/"


def sort_out(ids: Iterable[str | int] | str | int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the PMIDs, each once and in order, and what is none. One text is one id, not its characters."""
    given = [ids] if isinstance(ids, str | int) else list(ids)
    found = [(pmid_in(each), str(each)[:60]) for each in given]
    pmids = dict.fromkeys(pmid for pmid, _ in found if pmid)
    return tuple(pmids), tuple(text for pmid, text in found if pmid is None)
