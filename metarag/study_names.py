"""The name of the study that an article reports, where it gives one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from metarag.literals import holds_one
from metarag.pico_vocabulary import vocabulary
from metarag.records import Article

# Bounded: a title of nothing but capitals would otherwise be read in the square of its length.
_NAME: Final = r"(?P<name>[A-Z][A-Za-z]{0,20}[A-Z][A-Za-z]{0,20}(?:[- ]?\d{1,2}|[- ](?:I{1,3}|IV|V|VI))?)"
_TRIAL: Final = (
    r"(?:[ -](?:randomi[sz]ed|clinical|controlled|cluster))*[ -](?:[Tt]rial|[Ss]tudy|STUDY|TRIAL)\b"
)
_IN_TITLE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Tt]he {_NAME}{_TRIAL}",
        rf"\((?:[Tt]he )?{_NAME}{_TRIAL}\)",
        rf"\({_NAME}\){_TRIAL}",
    )
)
_OPENS_TITLE: Final = re.compile(rf"{_NAME}(?: \([^()]*\))?:.*\b(?:[Tt]rial|[Ss]tudy|randomi[sz]ed)\b")
_IN_ABSTRACT: Final = re.compile(rf"\b[Tt]he {_NAME}{_TRIAL} (?:was|is) (?:a|an)\b")
_IN_GROUP: Final = re.compile(
    rf"(?:[Ff]or )?(?:[Tt]he )?{_NAME} (?:\([^()]*\) )?"
    r"(?:(?:[Tt]rial|[Ss]tudy|[Cc]ollaborative|[Ss]teering) )*"
    r"(?:[Ii]nvestigators|[Tt]rialists|(?<=[Tt]rial )[Gg]roup|(?<=[Ss]tudy )[Gg]roup|(?<=ative )[Gg]roup)\b"
)
# Plain pieces are looked for first: the patterns begin with a name, which may begin at any word.
_SAY_TRIAL: Final = ("rial", "tudy", "RIAL", "TUDY")
_SAY_WHAT_IT_WAS: Final = tuple(f"{trial} {verb} a" for trial in _SAY_TRIAL for verb in ("was", "is"))
_DIGITS: Final = "0123456789"
_NUMERALS: Final = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "VI": "6"}
_NUMERAL: Final = re.compile(r"[- ](I{1,3}|IV|V|VI)$")
# Groups and bodies that run many trials: their name says nothing of which.
_BODIES: Final = frozenset(
    "ACOSOG ACRIN ACTG ANZCTR CALGB CDC COG ECOG EORTC ESPAC FDA GELA GOG HOVON MRC NCCTG NCI NCIC NHLBI NHS"
    " NIH NINDS NRG NSABP RCT RTOG SWOG UKCCCR VA WHO".split()
)


def study_names(article: Article) -> frozenset[str]:
    """Return the name of the study that the article reports, folded (``ISIS4``); empty where it names none.

    Names are read where a report names its own study: title, group authors, and a sentence "the X trial was
    a ...". Two different names in these places are no name: the article speaks of several studies.
    Conditions, drugs and bodies that run many trials are not names of a study.
    """
    found = {folded for name in _spelled(article) if (folded := _folded(name)) is not None}
    return frozenset(found) if len(found) == 1 else frozenset()


def are_different(names: Iterable[str], others: Iterable[str]) -> bool:
    """Tell whether no name can be another's: FEBRIS1 is not FEBRIS2, but FEBRIS may be either."""
    stems = [(name.rstrip(_DIGITS), name) for name in others]
    return not any(
        name == other or (name.rstrip(_DIGITS) == stem and stem in (name, other))
        for name in names
        for stem, other in stems
    )


def _spelled(article: Article) -> Iterable[str]:
    title = article.title or ""
    if match := _OPENS_TITLE.match(title):
        yield match["name"]
    if holds_one(title, _SAY_TRIAL):
        for pattern in _IN_TITLE:
            yield from (match["name"] for match in pattern.finditer(title))
    for author in article.authors:
        if author.collective and (match := _IN_GROUP.match(author.collective)):
            yield match["name"]
    for section in article.abstract_sections:
        if holds_one(section.text, _SAY_WHAT_IT_WAS):
            yield from (match["name"] for match in _IN_ABSTRACT.finditer(section.text))


def _folded(name: str) -> str | None:
    numbered = _NUMERAL.sub(lambda match: _NUMERALS[match[1]], name)
    folded = re.sub(r"[- ]", "", numbered).upper()
    letters = folded.rstrip(_DIGITS)
    if len(letters) < 3 or letters in _BODIES or vocabulary().concepts_in(re.sub(r"[- ]?\d+$", "", name)):
        return None
    return folded
