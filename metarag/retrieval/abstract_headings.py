"""Headings of an abstract that no colon marks: ``Background - ...``, ``METHODS. ...``, or alone on a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

HEADINGS: Final = (
    r"Background|Introduction|Context|Importance|Rationale|Objectives?|Aims?|Purposes?"
    r"|Hypothes[ie]s|(?:Study )?[Dd]esign|Setting|Patients|Participants|Subjects|Materials?|Methods?|Methodology"
    r"|Interventions?|Measurements|(?:Main )?[Oo]utcome measures?|(?:Main )?[Rr]esults?|(?:Main )?[Ff]indings"
    r"|Conclusions?|Interpretation|Discussion|Limitations"
)
"""The usual ones, as a pattern."""
TELLING: Final = re.compile(r"method|result|finding|conclu", re.IGNORECASE)
"""What one of several headings at least speaks of."""

_NAME: Final = rf"((?-i:(?=[A-Z]))(?:{HEADINGS})(?:(?:,? and|,| &|/) ?[a-z]+){{0,3}})"
_BEGINS: Final = r"(?:\A|(?<=[.!?;)\]%\"'] ))"
# Behind it begins a sentence: "Methods - based on" and "Results. they" go on.
_SENTENCE: Final = r"(?=(?-i:[A-Z0-9(\"'“]|to ))"
_ALONE: Final = re.compile(rf"^[^\S\n]*{_NAME}[^\S\n]*[:.–—-]?[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
_RUN_IN: Final = (
    re.compile(rf"{_BEGINS}{_NAME}(?: ?— ?| [–-] ){_SENTENCE}", re.IGNORECASE),
    re.compile(rf"{_BEGINS}{_NAME}\. {_SENTENCE}", re.IGNORECASE),
)


class Part(NamedTuple):
    """A heading, ``None`` before the first one, and the text that stands under it."""

    label: str | None
    text: str


def headed_parts(text: str) -> list[Part]:
    """Return the parts of an abstract whose headings stand alone on their lines, or before a dash or a full stop.

    Only usual headings count, and only where several different ones are written in the same way, one of them
    for methods, results or conclusions, and text stands under each; before a dash or full stop, the first one
    must begin the abstract. All but the sign behind a heading is kept; white space becomes single blanks.

    Returns
    -------
    list of Part
        Empty where the text has no such headings.
    """
    if parts := _parts(text, _ALONE.finditer(text)):
        return parts
    flat = " ".join(text.split())
    for written in _RUN_IN:
        parts = _parts(flat, written.finditer(flat))
        if parts and parts[0].label:
            return parts
    return []


def _parts(text: str, found: Iterable[re.Match[str]]) -> list[Part]:
    headings = list(found)
    names = {heading[1].casefold() for heading in headings}
    if len(names) < 2 or not any(map(TELLING.search, names)):
        return []
    ends = [heading.start() for heading in headings[1:]]
    parts = [
        Part(heading[1], " ".join(text[heading.end() : end].split()))
        for heading, end in zip(headings, [*ends, len(text)], strict=True)
    ]
    if not all(part.text for part in parts):
        return []
    before = " ".join(text[: headings[0].start()].split())
    return [Part(None, before), *parts] if before else parts
