"""What the words around a term of a question make of it: "opioid use" is measured, "propofol-induced" is no treatment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from metarag.pico_phrases import asked_intervention, title_arms
from metarag.pico_types import ExtractedPico, Noted, PicoTerm, TermKind
from metarag.relevance import is_ordinary

_K = TermKind
_TREATMENTS: Final = (_K.DRUG, _K.PROCEDURE)
_EVENTS: Final = frozenset({"exacerbation", "recurrence"})
_EXERCISE: Final = "exercise"
"""Concepts of the vocabulary."""
# How much of a treatment is used, where something is to change that.
_AMOUNT: Final = re.compile(r"\s(?:use|consumption|requirements?|needs?|intake|demands?|prescri\w+)\b", re.I)
_CHANGED: Final = re.compile(
    r"\b(?:reduc|lower|decreas|increas|limit|less|fewer|more|need for|spare|affect|chang)\w*\s(?:[\w-]+\s){0,2}\Z",
    re.I,
)
_ABILITY: Final = re.compile(r"\s(?:capacity|tolerance|performance|endurance)\b", re.I)
_MADE_MORE: Final = re.compile(
    r"\w\s(?:increase|improve|promote|raise|enhance|encourage|change|affect)s?\s(?:[\w-]+\s)?\Z", re.I
)
# What a treatment does or how it is given, where something else is to help against that.
_CAUSES: Final = re.compile(r"[ -](?:induced|associated|related)\b", re.I)
_GIVEN: Final = re.compile(
    r"\b(?:on|upon|during|from|after|with|by|due to|caused by)\s(?:the\s)?(?:[\w-]+\s)?(?:injection|infusion|injecting)"
    r"\s(?:of\s)?\Z",
    re.I,
)
_HOW_LONG: Final = re.compile(
    r"\b(?:prolong|extend|lengthen|shorten|hasten)\w*\s(?:the\s)?(?:[\w-]+\s)?\Z|\b(?:duration|onset|length)\sof\s(?:[\w-]+\s)?\Z",
    re.I,
)
_ANALGESIA: Final = "analgesia"
_FUNCTION: Final = "function"
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)\s\Z")
# Function of the body as a whole, or of a part that moves; what may stand before the word without naming another.
_PHYSICAL: Final = frozenset(
    """physical motor daily functional body bodily knee hip shoulder hand arm limb leg ankle elbow wrist foot spine back
    joint extremity neurological neurologic preserve preserves restore restores maintain maintains impair impairs
    worsen worsens relieve relieves regain recover poor good""".split()
)
_THEIRS: Final = re.compile(
    r"\b(?<!reduction )(?<!decrease )(?<!increase )(?<!change )(?<!difference )(?<!fall )(?<!rise )(?<!decline )"
    r"(?:in|during|with|having|treat|treating|(?:treatment|management) of)\s(?:an?\s|the\s)?"
    r"(?:(?:acute|severe|moderate|mild|infective|frequent|an?|people|patients|adults|children|women|men|who have|with"
    r"|asthma|COPD|pulmonary)\s){0,6}\Z",
    re.I,
)
_BETTER_THAN: Final = re.compile(
    r"\b(?:better|worse|safer|superior|inferior|(?:more|less|as)\s[\w-]+|preferable)\s(?:than|to|as)\s(?:an?\s|the\s)?\Z",
    re.I,
)
_PLACE: Final = re.compile(r"\s(?:for|in|at|to|when|after|during|as|among|with)\s", re.I)
_NOBODY: Final = re.compile(r"(?:any|some|no|every)(?:thing|one)?\b|what\b|which\b|there\b|it\b", re.I)


def as_asked(read: ExtractedPico, text: str) -> ExtractedPico:
    """Return what was read of a question with the terms where the words around them put them.

    Where that leaves no known treatment, it is looked for by the form of the question: "Does X reduce ...".
    """
    outcome = [kept for term in read.outcome if (kept := _outcome(term, text)) is not None]
    measured = {term: found for term in read.intervention if (found := _measured(term, text))}
    intervention = [t for t in read.intervention if t not in measured and not _is_what_caused(t, text)]
    outcome += [found for found in measured.values() if found.span not in {t.span for t in outcome}]
    first, comparator = _set_against(intervention, read.comparator, text)
    unknown, against = _without_known(first, comparator, text)
    if not unknown and not any(t.kind in _TREATMENTS for t in first):
        first, outcome = list(read.intervention), list(read.outcome)
    return read.model_copy(
        update={
            "outcome": tuple(outcome),
            "intervention": (*first, *unknown),
            "comparator": (*read.comparator, *comparator, *against),
        }
    )


def _without_known(
    first: Iterable[PicoTerm], comparator: Iterable[PicoTerm], text: str
) -> tuple[tuple[PicoTerm, ...], tuple[PicoTerm, ...]]:
    """Return the arms by the form of a question that names no known treatment; else none."""
    if any(term.kind in _TREATMENTS for term in first):
        return (), ()
    intervention, against = ([], []) if comparator else title_arms(text, "text")
    told = intervention or asked_intervention(text, "text")
    return _terms(told), _terms(against if intervention else ())


def _terms(noted: Iterable[Noted]) -> tuple[PicoTerm, ...]:
    return tuple(each.term() for each in noted)


def _set_against(
    intervention: list[PicoTerm], controls: Iterable[PicoTerm], text: str
) -> tuple[list[PicoTerm], list[PicoTerm]]:
    """Part the treatments from those that an unknown one is set against: "Is X better than aspirin?"."""
    known = [t for t in intervention if t.kind in _TREATMENTS and t.span.where == "text"]
    start = min((term.span.start for term in known), default=0)
    if not known or not _BETTER_THAN.search(text, 0, start):
        return intervention, []
    unknown = asked_intervention(text, "text")
    if not unknown or unknown[0].end > start or _NOBODY.match(unknown[0].text):
        return intervention, []
    if any(term.span.where == "text" and term.span.start < unknown[0].end for term in controls):
        return intervention, []  # "Is usual care better than aspirin?" is a question on aspirin.
    place = _PLACE.search(text, start)
    end = place.start() if place else len(text)
    against = [term for term in known if term.span.start < end]
    return [term for term in intervention if term not in against], against


def _outcome(term: PicoTerm, text: str) -> PicoTerm | None:
    """Return an outcome as the question means it; ``None`` where it tells of the people."""
    start, end, said = term.span.start, term.span.end, term.span.text.casefold()
    if term.span.where != "text":
        return term
    if term.concept in _EVENTS and _THEIRS.search(text, 0, start):
        return None
    if said == _ANALGESIA and _HOW_LONG.search(text, 0, start):
        return _open(text, start, end)
    before = _WORD_BEFORE.search(text, 0, start) if said == _FUNCTION else None
    if before and not is_ordinary(before[1]) and before[1].lower() not in _PHYSICAL:
        return _open(text, before.start(1), end)
    return term


def _measured(term: PicoTerm, text: str) -> PicoTerm | None:
    """Return the outcome that a treatment's name is part of: "opioid use", "exercise capacity"."""
    start, end = term.span.start, term.span.end
    if term.span.where != "text" or term.kind not in _TREATMENTS:
        return None
    amount = _AMOUNT.match(text, end) if _CHANGED.search(text, 0, start) else None
    if amount is None and term.concept == _EXERCISE:
        amount = _ABILITY.match(text, end)
        if amount is None and _MADE_MORE.search(text, 0, start) and _is_last(text, end):
            return _open(text, start, end)
    return _open(text, start, amount.end()) if amount else None


def _is_last(text: str, end: int) -> bool:
    return re.match(r"\s(?:in|among|of|for|at)\b|\s?[?.]|\s*\Z", text[end:], re.I) is not None


def _is_what_caused(term: PicoTerm, text: str) -> bool:
    """True for what the question's problem comes from: "pain on injection of propofol", "olanzapine-induced"."""
    if term.span.where != "text" or term.kind not in _TREATMENTS:
        return False
    return bool(_CAUSES.match(text, term.span.end) or _GIVEN.search(text, 0, term.span.start))


def _open(text: str, start: int, end: int) -> PicoTerm:
    said = text[start:end]
    return Noted(" ".join(said.lower().split()), _K.OPEN, "text", start, end, said).term()
