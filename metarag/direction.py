"""Which way an outcome sentence points: more, less, or no difference, by its numbers and its words.

Direction is that of the outcome, not of benefit: fewer deaths and less weight are both *decreased*.
It is a channel of its own, weaker than an effect with its interval, for the many sentences that print none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from metarag.effect_outcomes import word_polarity
from metarag.effect_sizes import extract_effects
from metarag.outcome_keys import normal_form, outcome_key
from metarag.types import EffectEstimate, Span


class Direction(StrEnum):
    """What became of the outcome under the intervention, compared with the comparator."""

    INCREASED = "increased"
    DECREASED = "decreased"
    NO_DIFFERENCE = "no_difference"


@dataclass(frozen=True, slots=True)
class DirectionFinding:
    """A direction with the words or numbers that say so.

    Attributes
    ----------
    direction : Direction
    span : Span
        The deciding words, in the text as given.
    basis : str
        ``effect`` (limits or a P value of an effect), ``significance`` (words, confirmed by a P value or
        'significantly') or ``words`` alone.
    confidence : float
        In [0, 1]: about the share of sentences of this basis that were right on labelled trials; see
        ``benchmarks/effects.py``.
    """

    direction: Direction
    span: Span
    basis: str
    confidence: float


CONFIDENCE = {"denied": 0.93, "effect": 0.85, "significance": 0.82, "insignificant": 0.85, "words": 0.7}

_CLAUSE = re.compile(r"(?:[.;](?=\s)|,? (?:but|whereas|while|although|however|though)\b)")
_NONE = re.compile(
    r"\bno (?:[\w/-]+ ){0,5}?(?:differences?|effects?|changes?|increases?|decreases?|reductions?|improvements?|benefits?|impact"
    r"|associations?|evidence|influence|interactions?|alterations?|advantages?|excess|differential)\b"
    r"|\b(?:not|neither|nor|never|cannot|didn't)\b (?!only)(?:[\w/-]+ ){0,5}?(?:differ\w*|significan\w*|chang\w*|affect\w*|improv\w*|increas\w*"
    r"|reduc\w*|decreas\w*|alter\w*|influenc\w*|associated|superior|inferior|effective|lower|higher|enhanc\w*|modif\w*|reach\w*|show\w*"
    r"|result\w*|found|detect\w*|observ\w*|benefit|statistically|greater|better|prevent\w*|more|less)\b"
    r"|\b(?:similar|similarly|comparable|unchanged|unaffected|unaltered|equivalent|identical|equal|equally|non-?significant(?:ly)?"
    r"|nonsignificant(?:ly)?|insignificant(?:ly)?|non-?inferior\w*|the same)\b"
    r"|\b(?:fail(?:ed|s)? to|trends? (?:towards?|to|for)|without (?:[\w/-]+ ){0,4}(?:difference|effect|change|increase|decrease|altering|affecting)"
    r"|unlikely to|lack of|tend(?:ed|ency) to(?:wards?)?|little (?:effect|difference|impact))\b|\bNS\b|\bn\.s\.",
    re.IGNORECASE,
)
_UP = (
    r"increas\w*|higher|greater|more|longer|larger|rose|rise|elevat\w*|gain(?:ed)?|enhanc\w*|raised?|prolong\w*|accelerat\w*|exceed\w*"
    r"|doubled|tripled|augment\w*|faster|stronger|heavier|induced|stimulat\w*|promot\w*|upregulat\w*|up-regulat\w*"
)
_DOWN = (
    r"decreas\w*|lower(?:ed|ing|s)?|reduc\w*|fewer|less|shorter|shorten\w*|smaller|declin\w*|fell|fall|dropp?\w*|diminish\w*|attenuat\w*"
    r"|suppress\w*|prevent\w*|inhibit\w*|blunt\w*|lessen\w*|halved|slower|weaker|decrement\w*|downregulat\w*|down-regulat\w*|minimi[sz]\w*|alleviat\w*|relie[fv]\w*|eliminat\w*|abolish\w*|limit(?:ed|s)"
)
_BETTER = r"improv\w*|better|superior\w*|favou?r\w*|best|benefi\w*|effective\w*|ameliorat\w*"
_WORSE = r"wors\w*|inferior\w*|deteriorat\w*|impair\w*|poorer"
_CHANGE = re.compile(rf"\b(?:(?P<down>{_DOWN})|(?P<up>{_UP})|(?P<better>{_BETTER})|(?P<worse>{_WORSE}))\b", re.IGNORECASE)
_STRENGTH = frozenset("greater larger more higher stronger further bigger marked".split())
_P = re.compile(r"\b[pP](?:[ -]?values?)?\s?(?P<sign>[<>=\u2264\u2265]{1,2})\s?(?P<value>\d?\s?[.\u00b7,]\s?\d+)")
_SIGNIFICANT = re.compile(r"\bsignifican(?:t|tly|ce)\b|\bmarkedly\b|\bsubstantial", re.IGNORECASE)
_CONTROL = r"(?:placebo|controls?|sham|usual care|standard care|conventional|untreated|waiting|wait-?list|comparator|baseline)"
_IN_CONTROL = re.compile(rf"^(?:[^,;.(]{{0,60}}?)\b(?:in|with|for|among|by|on) (?:the |those |patients )?(?:[\w-]+ ){{0,2}}?{_CONTROL}\b", re.IGNORECASE)
_THAN = re.compile(r"\b(?:than|compared|versus|vs|relative)\b", re.IGNORECASE)


def direction_of(text: str, *, outcome: str | None = None, where: str = "text") -> DirectionFinding | None:
    """Return which way a sentence says that its outcome went, or ``None`` where it does not say.

    Parameters
    ----------
    text : str
        One or a few sentences about an outcome.
    outcome : str or None
        The outcome that is asked for; chooses the clause about it where a sentence has several.
    where : str
        What ``Span.where`` says.
    """
    clauses = list(_clauses(text))
    if outcome is not None:
        wanted = _forms(outcome)
        clauses.sort(key=lambda clause: -len(wanted & _forms(text[slice(*clause)])))
    for start, stop in clauses:
        found = _in_clause(text, start, stop, outcome, where)
        if found is not None:
            return found
    return None


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _CLAUSE.finditer(text):
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _forms(text: str) -> set[str]:
    return {normal_form(word) for word in re.findall(r"[^\W_]{3,}", text)} - {"the", "and", "with", "for", "was"}


def _in_clause(text: str, start: int, stop: int, outcome: str | None, where: str) -> DirectionFinding | None:
    clause = text[start:stop]
    none, change = _NONE.search(clause), _CHANGE.search(clause)
    p = _P.search(clause)
    if none is not None and (change is None or none.start() <= change.start() or none.end() >= change.end() or _is_large(p)):
        return _finding(Direction.NO_DIFFERENCE, text, start + none.start(), start + none.end(), "words", "denied", where)
    effect = _clear_effect(clause)
    if effect is not None:
        return _by_effect(effect, clause, change, text, start, where, outcome)
    if _is_large(p):
        assert_p = p
        return _finding(Direction.NO_DIFFERENCE, text, start + assert_p.start(), start + assert_p.end(), "significance", "insignificant", where)  # type: ignore[union-attr]
    if change is None:
        return None
    direction = _direction(change, clause, outcome)
    sure = p is not None or _SIGNIFICANT.search(clause) is not None
    basis = "significance" if sure else "words"
    return _finding(direction, text, start + change.start(), start + change.end(), basis, basis, where)


def _is_large(p: re.Match[str] | None) -> bool:
    if p is None:
        return False
    value = float(re.sub(r"\s", "", p["value"]).replace("\u00b7", ".").replace(",", "."))
    return p["sign"][0] in ">\u2265" or (p["sign"][0] == "=" and value > 0.05)


def _clear_effect(clause: str) -> EffectEstimate | None:
    effects = [e for e in extract_effects(clause) if e.effect is not None and e.lower is not None and e.upper is not None]
    return effects[0] if effects else None


def _by_effect(effect, clause, change, text, start, where, outcome):
    null = 1.0 if effect.scale == "log" else 0.0
    low, high = effect.lower, effect.upper
    s, e = start + effect.span.start, start + effect.span.end
    if low <= null <= high:
        return _finding(Direction.NO_DIFFERENCE, text, s, e, "effect", "effect", where)
    if change is not None:
        return _finding(_direction(change, clause, outcome), text, s, e, "effect", "effect", where)
    return _finding(Direction.INCREASED if effect.effect > 0 else Direction.DECREASED, text, s, e, "effect", "effect", where)


def _direction(change: re.Match[str], clause: str, outcome: str | None) -> Direction:
    word = change.group().lower()
    up = change["up"] is not None
    rest = clause[change.end():]
    following = _CHANGE.match(rest.lstrip()) if word in _STRENGTH else None
    if following is None and word in _STRENGTH:
        near = _CHANGE.search(rest[:40])
        following = near if near is not None and (near["down"] or near["better"] or near["worse"]) else None
    if following is not None:
        change = following
        up = change["up"] is not None
    if change["better"] is not None or change["worse"] is not None:
        polarity = _polarity(outcome or clause)
        up = (polarity != "harm") == (change["better"] is not None)
    if _flips(clause, change):
        up = not up
    return Direction.INCREASED if up else Direction.DECREASED


def _polarity(text: str) -> str | None:
    known = outcome_key(text)
    return known.polarity if known is not None else word_polarity(text)


def _flips(clause: str, change: re.Match[str]) -> bool:
    """Tell whether the change is said of the control arm: 'higher in the placebo group than ...'."""
    behind = clause[change.end() :]
    return _IN_CONTROL.match(behind) is not None and not _THAN.search(behind[: _IN_CONTROL.match(behind).end()])


def _finding(direction, text, start, stop, basis, kind, where):
    return DirectionFinding(direction, Span(where=where, start=start, end=stop, text=text[start:stop]), basis, CONFIDENCE[kind])
