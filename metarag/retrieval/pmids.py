"""PMIDs as people and other programs write them, and the address of a record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import SupportsIndex

Id = str | SupportsIndex
"""What may be a PMID: a text, or a whole number, of numpy or pandas too."""

_PMID = re.compile(
    r"(?:pmid:?\s*"
    r"|(?:https?://)?(?:www\.)?ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/"
    r"|(?:https?://)?pubmed\.ncbi\.nlm\.nih\.gov/)?"
    r"0*([1-9]\d{0,9})/?(?:[?#].*)?",
    re.IGNORECASE | re.ASCII,
)


def pmid_in(text: object) -> str | None:
    """Return the PMID that a text is: a number, ``PMID: 123``, or the address of a record; else ``None``.

    >>> pmid_in("http://www.ncbi.nlm.nih.gov/pubmed/90000001")
    '90000001'
    """
    if isinstance(text, SupportsIndex) and not isinstance(text, bool):
        text = _written(text)
    match = _PMID.fullmatch(text.strip()) if isinstance(text, str) else None
    return match[1] if match else None


def _written(number: SupportsIndex) -> str:
    """Return a whole number as it is written; an array has the form of one, and is none."""
    try:
        return str(number.__index__())
    except TypeError:
        return ""


def pubmed_url(pmid: Id) -> str:
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


def sort_out(ids: Iterable[Id] | Id) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the PMIDs, each once and in order, and what is none. One text is one id, not its characters."""
    given = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, str) else [ids]
    found = [(pmid_in(each), each) for each in given]
    pmids = dict.fromkeys(pmid for pmid, _ in found if pmid)
    return tuple(pmids), tuple(_shown(each) for pmid, each in found if pmid is None)


def _shown(each: object) -> str:
    return "".join(c if c.isprintable() else " " for c in str(each)[:60])
