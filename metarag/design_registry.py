"""Registration numbers of trials and reviews, from the record's own list and from its text.

References
----------
Formats: the primary registries of the WHO International Clinical Trials Registry Platform,
https://www.who.int/tools/clinical-trials-registry-platform/network/primary-registries.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from metarag.design_reasons import Claim, Reasons
from metarag.design_text import fold
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
_DIGITS: Final = {ord(digit): "0" for digit in "123456789"}
_SIGNS: Final = ("000000", "ntr0", "ntr 0", "ntr-0", "rbr-", "slctr/")

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
        for match in _ANY.finditer(text) if _may_hold_a_number(fold(text)) else ():
            group = match.lastgroup or ""
            registry = _REGISTRIES[group]
            number = _PREFIXES.get(registry, "") + match[group].upper()
            span = Span(where=where, start=match.start(), end=match.end(), text=match.group())
            found.append(Registration(registry, number.upper(), span))
    return tuple({one.id: one for one in reversed(found)}[key] for key in dict.fromkeys(f.id for f in found))


def _may_hold_a_number(folded: str) -> bool:
    """Return whether the formats are worth trying: their many alternatives are slow on plain prose.

    All but three formats hold six digits in a row.
    """
    digits = folded.translate(_DIGITS)
    return any(sign in digits for sign in _SIGNS)


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
