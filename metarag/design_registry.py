"""Registration numbers of trials and reviews, from the record's own list and from its text.

References
----------
Formats: the primary registries of the WHO International Clinical Trials Registry Platform,
https://www.who.int/tools/clinical-trials-registry-platform/network/primary-registries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from metarag.design_reasons import Claim, Reasons
from metarag.design_text import fold
from metarag.literals import holds_one, places_of
from metarag.records import Article
from metarag.types import SignalSource, Span
from metarag.types import StudyDesign as D

# Letters of the pattern are matched in any case; blanks and hyphens inside a number are ways of writing it.
_FORMATS: Final = (
    ("ClinicalTrials.gov", r"NCT[ -]?(?P<nct>\d{8})"),
    ("ISRCTN", r"ISRCTN[ -]?(?P<isrctn>\d{8})"),
    ("EudraCT", r"(?:EudraCT|EUDRACT)[^\d\n]{1,20}(?P<eudract>(?:19|20)\d{2}-\d{6}-\d{2})"),
    ("CTIS", r"(?P<ctis>20\d{2}-5\d{5}-\d{2}-\d{2})"),
    ("ANZCTR", r"ACTRN[ -]?(?P<actrn>\d{14})"),
    ("ChiCTR", r"ChiCTR[ -]?(?P<chictr>(?:[A-Z]{3,4}-)?\d{8,10})"),
    ("CTRI", r"CTRI/(?P<ctri>20\d{2}/\d{2,3}/\d{6})"),
    ("DRKS", r"DRKS[ -]?(?P<drks>\d{8})"),
    ("IRCT", r"IRCT[ -]?(?P<irct>\d{10,16}N\d{1,3})"),
    ("UMIN", r"UMIN[ -]?(?P<umin>\d{9})"),
    ("jRCT", r"jRCT[s]?(?P<jrct>[a-z]{0,1}\d{9,10})"),
    ("KCT", r"KCT[ -]?(?P<kct>\d{7})"),
    ("NTR", r"\bNTR[ -]?(?P<ntr>\d{3,5})\b"),
    ("PACTR", r"PACTR[ -]?(?P<pactr>\d{15,16})"),
    ("ReBec", r"RBR-(?P<rebec>[0-9a-z]{6,8})"),
    ("SLCTR", r"SLCTR/(?P<slctr>20\d{2}/\d{3})"),
    ("TCTR", r"TCTR[ -]?(?P<tctr>\d{11})"),
    ("PROSPERO", r"CRD[ -]?(?P<prospero>42\d{9,12}|42\d{6,12})"),
)
_PREFIXES: Final = {
    "ClinicalTrials.gov": "NCT",
    "ISRCTN": "ISRCTN",
    "ANZCTR": "ACTRN",
    "ChiCTR": "ChiCTR-",
    "CTRI": "CTRI/",
    "DRKS": "DRKS",
    "IRCT": "IRCT",
    "UMIN": "UMIN",
    "jRCT": "jRCT",
    "KCT": "KCT",
    "NTR": "NTR",
    "PACTR": "PACTR",
    "ReBec": "RBR-",
    "SLCTR": "SLCTR/",
    "TCTR": "TCTR",
    "PROSPERO": "CRD",
}
_ANY: Final = re.compile("|".join(pattern for _, pattern in _FORMATS), re.IGNORECASE)
_REGISTRIES: Final = {
    group: registry for registry, pattern in _FORMATS for group in re.findall(r"\?P<(\w+)>", pattern)
}
_OPENINGS: Final = (
    "nct", "isrctn", "eudract", "actrn", "chictr", "ctri/", "drks", "irct", "umin", "jrct", "kct", "ntr",
    "pactr", "rbr-", "slctr/", "tctr", "crd",
)  # fmt: skip
"""What the formats open with, in lower case; that of CTIS opens with a year."""
_CTIS_YEAR: Final = len("2022")
_ZEROED: Final = bytes(ord("0") if chr(code) in "123456789" else code for code in range(256))
_SIGNS: Final = (b"000000", b"ntr0", b"ntr 0", b"ntr-0", b"rbr-", b"slctr/")

_TRIAL: Final = Claim(D.CLINICAL_TRIAL, 0.35)
_REVIEW: Final = Claim(D.SYSTEMATIC_REVIEW, 0.50)


class Registration(NamedTuple):
    """A registration number in its usual form, and where it stands (``None``: in the record's list)."""

    registry: str | None
    id: str
    span: Span | None


def registrations(article: Article) -> tuple[Registration, ...]:
    """Return each registration once: the record's list first, then title and abstract in reading order."""
    found = [Registration(known.registry, known.id.upper(), None) for known in article.registry_ids]
    for where, text in (("title", article.title), ("abstract", article.abstract or "")):
        for match in _numbers(text, fold(text)):
            group = match.lastgroup or ""
            registry = _REGISTRIES[group]
            number = _PREFIXES.get(registry, "") + match[group].upper()
            span = Span(where=where, start=match.start(), end=match.end(), text=match.group())
            found.append(Registration(registry, number.upper(), span))
    first: dict[str, Registration] = {}
    for one in found:
        first.setdefault(one.id, one)
    return tuple(first.values())


def _numbers(text: str, folded: str) -> Iterator[re.Match[str]]:
    """Yield the numbers in a text; the formats are tried only where one of their openings stands."""
    if not _may_hold_a_number(folded):
        return
    starts = {start for opening in _OPENINGS for start in places_of(opening, folded)}
    starts.update(start - _CTIS_YEAR for start in places_of("-5", folded) if start >= _CTIS_YEAR)
    end = 0
    for start in sorted(starts):
        match = _ANY.match(text, start) if start >= end else None
        if match:
            yield match
            end = match.end()


def _may_hold_a_number(folded: str) -> bool:
    """Return whether openings are worth looking for: all but three formats hold six digits in a row."""
    digits = folded.encode("latin-1", "replace").translate(_ZEROED)
    return holds_one(digits, _SIGNS)


def registry_reasons(article: Article) -> Reasons:
    """Return what the record's own registrations say: mostly a trial, with PROSPERO a review.

    Weak, because observational studies are registered, too.
    """
    return Reasons.gather(
        *(
            (_REVIEW if is_review_registration(known.id) else _TRIAL).reasons(SignalSource.REGISTRY, known.id)
            for known in article.registry_ids
        )
    )


def is_review_registration(number: str) -> bool:
    """Return whether the number is one of PROSPERO, the register of systematic reviews."""
    return number.upper().startswith("CRD")
