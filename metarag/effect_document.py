"""What a whole text says that its sentences need: abbreviations, spreads, what kind of text it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from metarag.effect_abbreviations import Abbreviations, abbreviations_of
from metarag.effect_phrases import phrase
from metarag.effect_text import SectionKind, sections, uses_decimal_comma
from metarag.literals import holds_one

_RETRACTED = re.compile(
    r"^\W*RETRACTED\b|\b(?:article|paper|study|publication|report|trial) (?:has been|was"
    r"|is) (?:retracted|withdrawn)\b|\bretracted (?:article|publication|paper)"
    r"|\bRETRACTED:",
    re.IGNORECASE,
)
_REVIEW = re.compile(
    r"\b(?:(?:we|this|the present|our|(?<!with )(?<!than )(?<!unlike )(?<!by )an?|the current|updated)"
    r" (?:(?!(?:recent|previous|earlier|prior|published|large|(?:19|20)\d\d|cochrane)\b)[\w,-]{1,30}"
    r" ){0,4}?(?:systematic review|meta-?analys|umbrella review|network meta|scoping"
    r" review)"
    r"|we (?:pooled|searched|systematically|meta-analy|included (?:[\w,-]{1,30}"
    r" ){0,3}(?:trials|studies|RCTs|cohorts))"
    r"|(?:studies|trials|RCTs|reports) (?:[\w(),=-]{1,30} ){0,4}?(?:were included|were"
    r" eligible|met (?:the|our) |were identified|were pooled|fulfilled)"
    r"|(?:MEDLINE|PubMed|Embase|Cochrane Library|Cochrane Central|Web of Science|Scopus"
    r"|CINAHL)\b|included (?:[\w,-]{1,30} ){0,3}(?:studies|trials|RCTs)\b)",
    re.IGNORECASE,
)
_SAY_REVIEW = (
    "eta-analy", "etaanaly", "ystematic", "eview", "ooled", "earched", "EDLINE", "ubMed", "mbase", "EMBASE",
    "ochrane", "Scopus", "CINAHL", "studies", "trials", "RCTs",
)  # fmt: skip
_TRIAL = re.compile(
    r"\b(?:randomly|randomi[sz]ed) (?:[\w-]{1,30} ){0,3}?(?:assign|allocat|to\b|\d)|\bwe"
    r" randomi[sz]ed|\bwere randomi[sz]ed"
    r"|\b(?:our|this|the present) (?:[\w-]{1,30} ){0,2}?(?:trial|cohort|patients|participants)\b(?! level)",
    re.IGNORECASE,
)
_PHARMACOVIGILANCE = re.compile(
    r"\bFAERS\b|\bVigiBase\b|\bdisproportionality|\bpharmacovigilance|\bspontaneous report"
    r"|\badverse event reporting system|\bEudraVigilance|\bVAERS\b",
    re.IGNORECASE,
)
# Plain pieces are looked for first: a pattern over the whole text takes twenty times as long.
_SAY_RETRACTED = ("etract", "RETRACT", "ithdrawn")
_SAY_REPORTS = ("AERS", "aers", "igi", "VIGI", "isproportional", "pontaneous", "eporting", "EPORTING")
_SHARED_DESIGN = phrase(
    "cluster|cross|paired|split|within-subject",
    r"\bcluster\b|\bclusters\b|\bclustered\b|\bcross-? ?over\b|\bpaired\b|\bsplit[-"
    r" ](?:mouth|body|face)|\bwithin-subject",
)
_DECLARED = re.compile(
    r"(?:\b(?i:means?)|\u00b1|\+/-)[^.;]{0,24}?(?P<what>\bSDs?\b|\bSEMs?\b|\bSEs?\b"
    r"|standard deviations?|standard errors?)"
)
_BRACKETED = re.compile(
    r"\bmeans? ?[(\[]\s?(?:\u00b1|\+/-)?\s?(?P<what>SD|SEM|SE|standard deviation|standard error)[)\]]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SpreadNames:
    """What a text says its plus-minus and its brackets behind a mean hold: ``sd``, ``se`` or ``None``."""

    plus_minus: str | None = None
    bracket: str | None = None


def spread_names(text: str) -> SpreadNames:
    """Read 'mean (SD)', 'values are mean \u00b1 SEM' and the like."""
    if "SD" not in text and "SE" not in text and "tandard" not in text:
        return SpreadNames()
    declared, bracketed = _DECLARED.search(text), _BRACKETED.search(text)
    return SpreadNames(
        _short(declared["what"]) if declared else None, _short(bracketed["what"]) if bracketed else None
    )


def _short(what: str) -> str:
    return "sd" if "d" in what.lower().replace("standard", "") else "se"


class Document:
    """What a whole plain text says of all its effects; each looked up once, and only when asked."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def abbreviations(self) -> Abbreviations:
        """Its own definitions of the names of measures."""
        return abbreviations_of(self._text)

    @cached_property
    def decimal_comma(self) -> bool:
        """True when it writes 0,76 for 0.76."""
        return uses_decimal_comma(self._text)

    @cached_property
    def spreads(self) -> SpreadNames:
        """What its plus-minus and its brackets behind a mean hold."""
        return spread_names(self._text)

    @cached_property
    def _sections(self) -> tuple[tuple[int, SectionKind], ...]:
        return sections(self._text)

    def section_at(self, position: int) -> SectionKind:
        """Return the headed part of an abstract that a position lies in."""
        return self._sections[bisect_right(self._sections, position, key=itemgetter(0)) - 1][1]

    @cached_property
    def retracted(self) -> bool:
        """True when the text says of itself that it is retracted."""
        return holds_one(self._text, _SAY_RETRACTED) and bool(_RETRACTED.search(self._text))

    @cached_property
    def review(self) -> bool:
        """True when the text reports on other studies' results and randomised nobody itself."""
        if not holds_one(self._text, _SAY_REVIEW):
            return False
        found = any(self.section_at(hit.start()) != "background" for hit in _REVIEW.finditer(self._text))
        return found and not _TRIAL.search(self._text)

    @cached_property
    def pharmacovigilance(self) -> bool:
        """True for an analysis of spontaneous reports."""
        return holds_one(self._text, _SAY_REPORTS) and bool(_PHARMACOVIGILANCE.search(self._text))

    @cached_property
    def shares_participants(self) -> bool:
        """True for cluster and cross-over designs, whose raw counts are not independent."""
        return bool(_SHARED_DESIGN.search(self._text))
