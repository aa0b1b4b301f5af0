"""Which sentences are worth their tokens. Most are not, and looking first makes reading ten times faster."""

from __future__ import annotations

import re

_DIGITS = frozenset("0123456789")
_INTERVAL = (
    "CI",
    "nterval",
    "limit",
    "C.I",
    "c.i",
    "IC",
    "KI",
    "CrI",
    "UI",
    "HDI",
    "HPD",
    "CL",
    "Cl",
    "nceslimits",
    "PI",
)
_ABBREVIATION = ("HR", "OR", "RR", "MD", "RD", "PR", "VE", "WR", "TR", "SIR", "SMR", "ES")
_LABEL = re.compile(
    r"\b(?:[a-z]{1,3}|adj|A)?(?:HR|OR|RR|IRR|RaR|SMD|WMD|LSMD|MD|ETD|RD|ARD|PR|GMR|DOR|ROR|SMR|SIR|VE|RRR|WR|TR|ES)(?:s|adj|MH)?\b"
    r"|\bratios?\b|hazardratio|oddsratio",
    re.IGNORECASE,
)
_WORDED = (
    "ifferen",
    "reduc",
    "isk",
    "dds",
    "fficacy",
    "ffectiv",
    "ffect",
    "ohen",
    "edges",
    "d =",
    "g =",
    "d=",
    "g=",
    "hazard",
    "hange",
)
_P_VALUE = re.compile(r"\b[pP](?: ?-?values?)?\s?(?:[<>=\u2264\u2265]\s?)+\d?\.?\d+")
_COUNTED = re.compile(
    r"\d ?/ ?\d|(?:\d|\)|%|\b(?:no|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|[a-z]+ty))\s"
    r"(?:[a-z]+\s){0,3}?(?:of|among|in)\s(?:the\s|these\s|all\s|a\stotal\sof\s)?\d",
    re.IGNORECASE,
)
_SIZE = re.compile(r"\b[nN] ?= ?\d|\b(?:for|in|among|of|from) \d")
_SPREAD = ("\u00b1", "+/-", "SD", "SE", "tandard", "%)")


def may_hold(sentence: str) -> bool:
    """Tell whether a sentence may print an effect; never False where one could be read."""
    if _DIGITS.isdisjoint(sentence):
        return False
    if any(name in sentence for name in _INTERVAL):
        return True
    if (
        any(name in sentence for name in _ABBREVIATION) or "atio" in sentence or "ATIO" in sentence
    ) and _LABEL.search(sentence):
        return True
    if any(word in sentence for word in _WORDED) and not _DIGITS.isdisjoint(_P_VALUE.sub("", sentence)):
        return True
    if (
        "/" in sentence or " of " in sentence or " among " in sentence or " in " in sentence
    ) and _COUNTED.search(sentence):
        return True
    return any(mark in sentence for mark in _SPREAD) and _SIZE.search(sentence) is not None
