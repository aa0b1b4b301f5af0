"""What a title or an abstract itself says of the article's standing, in the forms publishers use."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from metarag.records import Article
from metarag.types import RetractionState

_RETRACTED, _CONCERN = RetractionState.RETRACTED, RetractionState.CONCERN_NOTICE
_NOTICE = RetractionState.RETRACTION_NOTICE


class Said(NamedTuple):
    """A standing that the text states: ``[start:end]`` of the title or the abstract, as ``where`` says."""

    state: RetractionState
    where: str
    start: int
    end: int
    words: str

    @property
    def detail(self) -> str:
        """Say which words of which text: ``title, characters 0 to 10: "RETRACTED:"``."""
        return f'{self.where}, characters {self.start} to {self.end}: "{self.words}"'


# What publishers put before a title. A title that goes on to speak of retractions is about them.
_BEFORE: Final = re.compile(
    r"\W{0,3}(?:"
    r"(?P<notice>(?:(?:notice|statement)\s+of\s+(?:retraction|withdrawal)|retraction\s+(?:notice|note|statement)"
    r"|retraction\s+and\s+replacement)(?:\s+(?:to|for|of))?\s*:"
    r"|(?:retraction|withdrawal)\s+(?:of|to)\s*:|retraction\s+(?:notice|note)\s+to\b)"
    r"|(?P<concern>(?:editorial\s+)?(?:expression|notice)\s+of\s+concern(?:\s+(?:about|on|for|regarding))?\s*:)"
    r"|(?P<retracted>retracted(?:\s+(?:article|paper|study|chapter))?\s*:|temporary\s+removal\s*:"
    r"|\[\s*retracted(?:\s+article)?\s*\]|\(\s*retracted(?:\s+article)?\s*\))"
    r")",
    re.IGNORECASE,
)
# In capitals only, as publishers write them: "Withdrawn: ..." begins titles on withdrawal.
_CAPITALS: Final = re.compile(
    r"\W{0,3}(?:(?P<retracted>WITHDRAWN(?:\s+ARTICLE)?\s*:)|(?P<notice>RETRACTION\s*:))"
)
# "Retraction: " and a whole title behind it with its capital; surgeons write "Retraction: a technique".
_BEFORE_TITLE: Final = re.compile(
    r"\W{0,3}(?P<of_title>[Rr]etraction\s*:)(?=\s*[\"'\u201c\u2018\[]?[A-Z0-9\u0391-\u03a9]\S*(?:\s+\S+){2})"
)
_BEHIND: Final = re.compile(
    r"(?P<retracted>(?<=[.?!] )(?-i:RETRACTED(?: ARTICLE)?|Retracted article)(?:[.,]\s+(?:see|vol)\b.{0,80})?(?=\W{0,3}\Z)"
    r"|[\[(]\s*(?:retracted|withdrawn)(?:\s+(?:article|paper))?(?:[.,:;]\s*see\b[^\])]{0,80})?\s*[\])])\W{0,3}\Z",
    re.IGNORECASE,
)
_ABOUT_IT: Final = re.compile(r"\b(?:retract|withdraw|expressions?\s+of\s+concern|journals\b)", re.IGNORECASE)
_LONGEST_TITLE: Final = 300
"""Characters at the beginning of a text without a title that can be one."""
_STATES: Final = {"notice": _NOTICE, "of_title": _NOTICE, "concern": _CONCERN, "retracted": _RETRACTED}

# "This paper was retracted" in the middle of a text tells of the paper named before it.
_SENTENCE: Final = (
    r"this\s+(?:article|paper|publication|manuscript|review|chapter|study|report)\s+"
    r"(?:{verbs})\s+(?:(?:now|since|been|being|formally|subsequently)\s+){{0,3}}(?:retracted|withdrawn)\b"
)
_OPENING: Final = re.compile(
    r"(?m)^(?:[^\n:.]{1,40}:\s*)?\W{0,3}(?P<said>"
    + _SENTENCE.format(verbs="has|is|was")
    + r")(?!\s+from\s+(?:the|our)\s+(?:analys|review|trial))",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"[.!?]\s+\W{0,3}(?P<said>" + _SENTENCE.format(verbs="has|is") + r")[^.!?\n]{0,200}[.!?)\]]{0,3}\s*\Z",
    re.IGNORECASE,
)


def standing_said(article: Article) -> Said | None:
    """Return what title or abstract state of the article itself; ``None`` for nothing.

    Articles about retractions ("Retracted articles in oncology: a survey") state nothing of themselves.
    """
    abstract = article.abstract or ""
    if article.title.strip():
        return _in_title(article.title) or _in_abstract(abstract)
    # A text that was handed over without a title may begin with it.
    first, *_ = abstract.splitlines() or [""]
    said = _in_title(first[:_LONGEST_TITLE])
    return said._replace(where="abstract") if said else _in_abstract(abstract)


def unmarked_title(article: Article) -> str:
    """Return the title without the words that mark it as retracted, or as a notice on another."""
    said = _in_title(article.title)
    return (
        article.title
        if said is None
        else f"{article.title[: said.start]} {article.title[said.end :]}".strip()
    )


def _in_title(title: str) -> Said | None:
    folded = title.casefold()
    if not any(cue in folded for cue in ("retract", "withdraw", "concern", "removal")):
        return None
    for pattern in (_BEFORE, _CAPITALS, _BEFORE_TITLE):
        found = pattern.match(title)
        if found and (found.lastgroup == "notice" or not _ABOUT_IT.search(title, found.end())):
            return _said(found, "title")
    behind = _BEHIND.search(title)
    return _said(behind, "title") if behind else None


def _in_abstract(abstract: str) -> Said | None:
    folded = abstract.casefold()
    if "retracted" not in folded and "withdrawn" not in folded:
        return None
    found = _OPENING.search(abstract) or _CLOSING.search(abstract)
    if found is None:
        return None
    start, end = found.span("said")
    return Said(_RETRACTED, "abstract", start, end, " ".join(abstract[start:end].split()))


def _said(found: re.Match[str], where: str) -> Said:
    group = found.lastgroup or ""
    start, end = found.span(group)
    return Said(_STATES[group], where, start, end, " ".join(found[group].split()))
