"""Names that a question joins to its treatment and that neither the vocabulary nor any article knows.

"Does aspirin plus zorblaxin prevent stroke?" can be answered on aspirin alone, and then that has to be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from metarag.asked_treatment import distinct
from metarag.names import names
from metarag.pico_question import question_pico
from metarag.pico_types import TermKind
from metarag.pico_vocabulary import vocabulary
from metarag.relevance import is_ordinary
from metarag.types import Evidence, Question

_TREATMENTS: Final = (TermKind.DRUG, TermKind.PROCEDURE)
_LINK: Final = (
    r"(?:\s+(?:plus|and|with|or|versus|vs\.?|than|combined with|together with|in combination with|added to"
    r"|compared (?:with|to)|instead of)\s+|\s*[+/,&]\s*)(?:an? |the )?"
)
_NAME: Final = r"(?P<name>[^\W\d_][\w-]{3,})"
_BEHIND: Final = re.compile(rf"\A{_LINK}{_NAME}(?:\s+(?P<next>[^\W\d_]+))?", re.IGNORECASE)
_BEFORE: Final = re.compile(rf"(?:\b(?P<next>[^\W\d_]+)\s+)?\b{_NAME}{_LINK}\Z", re.IGNORECASE)


def joined_names(question: Question) -> tuple[str, ...]:
    """Return words next to a known treatment, joined by "plus", "and", "versus" or a sign, that are no known name."""
    text, found = question.text, []
    for term in question_pico(question).used.intervention:
        if term.span.where == "text" and term.kind in _TREATMENTS:
            beside = _BEHIND.match(text[term.span.end :]), _BEFORE.search(text[: term.span.start])
            # Part of a longer name, as in "intensive monitoring", is none.
            found += [m["name"] for m in beside if m and (m["next"] is None or is_ordinary(m["next"]))]
    return tuple(name for name in dict.fromkeys(found) if is_unknown_name(name))


def named_by_none(joined: Iterable[str], evidence: Iterable[Evidence]) -> list[str]:
    """Return those of the joined names that stand in no article."""
    missing = {name: distinct(name) for name in joined}
    for item in evidence:
        missing = {name: roots for name, roots in missing.items() if not item.stems.mentions(roots)}
    return list(missing)


def is_unknown_name(name: str) -> bool:
    """True for a word that is neither of the language nor a name that is known."""
    if is_ordinary(name) or not distinct(name):
        return False
    return not names().in_text(name) and not vocabulary().concepts_in(name)
