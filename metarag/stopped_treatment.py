"""Whether a study, or a sentence of it, is about stopping a treatment: its result is not that of giving it."""

from __future__ import annotations

import re
from typing import Final

from metarag.records import Article

_ACT: Final = (
    r"(?:stopping|discontinuing|discontinuation|withdrawing|withdrawal|withholding|interrupting|interruption"
    r"|deprescribing)"
)
# "Stopping rule", "discontinuation due to": of the study, or of single people.
_OTHER: Final = r"(?! (?:rules?|boundar\w+|guidelines?|early|the (?:trial|study)|due|because|rates?))"
_TITLE: Final = re.compile(rf"\b{_ACT}\b{_OTHER}|\bcontinu(?:e|ing) or stop", re.IGNORECASE)
_ARMS: Final = re.compile(
    r"\b(?:randomi[sz]\w+|assigned|allocated)\b[^.;]{0,120}?\b(?:to|or|either|versus|vs) (?:either |the )?"
    rf"(?:{_ACT}|stop|discontinue|withdraw|cessation of)\b{_OTHER}",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    r"\b(?:who|that) (?:had )?(?:stopped|discontinued|withdrew|interrupted)\b"
    rf"|\b(?:after|with|by|on|of) (?:the )?{_ACT}\b{_OTHER}"
    rf"|\A\W*(?:the )?{_ACT}\b{_OTHER}"
    rf"|\b{_ACT} (?:group|arm)\b"
    rf"|\b(?:if|when|once) (?:\w+ ){{1,4}}(?:was|were) (?:stopped|discontinued|withdrawn|withheld)\b",
    re.IGNORECASE,
)


def is_of_stopping(article: Article) -> bool:
    """True where a title or the arms of a study say that the treatment was stopped, not begun."""
    return bool(_TITLE.search(article.title) or _ARMS.search(article.abstract or ""))


def tells_of_stopping(sentence: str) -> bool:
    """True where a sentence tells what became of those whose treatment was stopped."""
    return _SAID.search(sentence) is not None
