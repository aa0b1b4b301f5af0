"""The sentences of an abstract, and which of them conclude."""

from __future__ import annotations

import re

from metarag.records import Article

_CONCLUSION = re.compile(r"conclu|interpret|implication", re.IGNORECASE)
_BEFORE_RESULTS = frozenset({"BACKGROUND", "OBJECTIVE", "METHODS"})
_BEFORE = re.compile(
    r"background|introduction|importance|context|objective|aim|purpose|question|hypothes|method|design|setting"
    r"|participant|patients|intervention|measure",
    re.IGNORECASE,
)
_AIM = re.compile(r"\bwhether\b|\b(?:aim|aims|aimed|objective|purpose)\b|\bhypothesi[sz]ed?\b", re.IGNORECASE)
# A full stop ends a sentence unless a number, an initial or a known abbreviation stands before it.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bal\.)(?<!\b[A-Z]\.)\s+(?=[A-Z0-9(\[])"
)


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each sentence of a text, in order."""
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        position = start
        for match in _SENTENCE_END.finditer(line):
            spans.append((position, start + match.start()))
            position = start + match.end()
        spans.append((position, start + len(line.rstrip())))
        start += len(line)
    return [(begin, end) for begin, end in spans if text[begin:end].strip()]


def concluding_region(article: Article) -> tuple[int, int]:
    """Return start and end of the concluding section in the abstract; the whole abstract without one."""
    text = article.abstract or ""
    position, region = 0, (0, len(text))
    for section in article.abstract_sections:
        length = len(f"{section.label}: {section.text}" if section.label else section.text)
        if section.nlm_category == "CONCLUSIONS" or (section.label and _CONCLUSION.search(section.label)):
            region = (position, position + length)
        position += length + 1
    return region


def finding_sentences(article: Article) -> list[tuple[int, int]]:
    """Return the sentences that may tell a finding: not those of background, aims and methods."""
    text, hidden, position = article.abstract or "", [], 0
    for section in article.abstract_sections:
        length = len(f"{section.label}: {section.text}" if section.label else section.text)
        if section.nlm_category in _BEFORE_RESULTS or (section.label and _BEFORE.search(section.label)):
            hidden.append((position, position + length))
        position += length + 1
    return [
        (start, end)
        for start, end in sentences_of(text)
        if not any(first <= start < last for first, last in hidden) and not _AIM.search(text[start:end])
    ]
