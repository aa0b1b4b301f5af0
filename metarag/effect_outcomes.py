"""Which outcome an effect is about, in the article's words and as a key, and whether more of it is worse."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metarag.effect_lexicon import lexicon
from metarag.effect_outcome_names import is_cause, narrowed
from metarag.effect_phrases import phrase
from metarag.effect_text import last_match
from metarag.outcome_keys import OutcomeKey, Polarity, normal_form, outcomes_in

_POPULATION = re.compile(
    r"\b(?:patients|those|people|adults|women|men|participants|children|individuals"
    r"|infants|subjects|persons|mothers|survivors)"
    r" (?:with|after|who had|having|suffering from|hospitali[sz]ed (?:with|for)|admitted (?:with|for)|at"
    r" (?:high |low )?risk (?:of|for)|undergoing)(?: [\w-]{1,30}){0,3} $"
    r"|\b(?:history of|treatment of|treat|prevention of|for secondary prevention after"
    r"|diagnosis of|previous|prior|baseline) (?:[\w-]{1,30} ){0,2}$",
    re.IGNORECASE,
)
_ASSOCIATION = phrase(
    "associated|linked|related|predict|likel|correlated|risk|odds|hazard|rate|incidence|chance|probability",
    r"\b(?:associated with|linked (?:to|with)|related to|predict(?:ed|s|or of|ors of)"
    r"|likely to(?: be| have| develop| report| experience| receive)?|correlated with|risk"
    r" factors? for|(?:risk|odds|hazard|rate|rates|incidence|likelihood|chance"
    r"|probability) of)\b",
)
_RATIO_FOR = phrase(
    "ratio|difference|reduction|efficacy|effectiveness|increase",
    r"\b(?:ratios?|difference|reduction|efficacy|effectiveness|increase)(?:"
    r" \([^)]{1,12}\))? (?:for|in|of|against|on) (?:the )?",
)
_NAMED_BEHIND = re.compile(r"[\s)\],]*(?:for|in the risk of|in) (?:the )?", re.IGNORECASE)
_RESPECTIVELY = re.compile(
    r"[^.;]{0,40}?\b(?:for|of|in the risk of|in)\b(?P<names>[^.;]{4,120}),? respectively", re.IGNORECASE
)
_PRIMARY = phrase(
    "primary",
    r"\b(?:co-?)?primary (?:composite |efficacy |safety |study )?(?:outcome|end ?-?point|endpoint)",
)
_DEFINED = re.compile(
    r"\bprimary (?:composite |efficacy |safety |study )?(?:outcome|end ?-?point)(?:"
    r" measure)?s?,? (?:was|were|is|comprised|consisted of|:|being) (?P<what>[^.;]{4,220})",
    re.IGNORECASE,
)
_TURNED_BEHIND = re.compile(
    r"[ -](?:failures?|loss|losses|deficits?|impairment|problems|relief|free(?:dom)?)\b", re.IGNORECASE
)
_TURNED_BEFORE = re.compile(r"\b(?:lack of|loss of|failure of|absence of|without|non|no)[ -]$", re.IGNORECASE)
_NOT_AN_OUTCOME = re.compile(
    r"\b(?:ratios?|difference|hazards?|odds|efficacy|inferiority|superiority|analys[ei]s"
    r"|model|trial|study|studies|results?"
    r"|groups?|arms?|patients|women|men|children|adults|participants|people|infants"
    r"|individuals|subjects|it|they|this)$|\b(?:review|pooled|cochrane|meta-analysis)\b",
    re.IGNORECASE,
)
_PHRASE_END = re.compile(
    r"\b(?:was|were|is|are|had|has|did|does|occurred|developed|fell|rose|increased|declined"
    r"|decreased|reduced|improved|lowered|between|compared|with|in|at|by|than|among|versus"
    r"|vs|when|after|during|from|for|per|were|remained|showed|favou?red|predicted|on)\b"
    r"|[.,;:(\[]"
)
_DECIMALS = re.compile(r"(?<=\d)\.\d")
_LEADING = re.compile(r"(?:[\s)\],;:]|(?:and|or|but) )*")
_DETERMINERS = frozenset(
    "the a an of any each fewer more less all no first in and or both this that overall"
    " significantly significant adjusted results"
    " reduced increased decreased lowered improved fell rose showed reported"
    " outcome outcomes higher lower greater similar mean rate rates risk number"
    " proportion incidence new there also however".split()
)
_HARM = frozenset(
    "infection failure bleed fracture pain relapse recurrence complication injury disease"
    " symptom depression anxiety fall readmission"
    " hospitalization admission death mortality stroke cancer event syndrome ulcer"
    " illness attack thrombosis leak rejection disorder"
    " loss toxicity nausea vomiting fever rash damage impairment disability smoking"
    " obesity overdose carriage harm distress stress"
    " malformation defect hypoxia hypoxemia desaturation error violence abuse"
    " malnutrition stunting wasting wheeze cough bleeding"
    " caries deficiency dropout fatigue insomnia hypoglycemia hyperglycemia hypotension"
    " hypertension pneumonia sepsis".split()
)
_BENEFIT = frozenset(
    "recovery survival success cure remission response healing abstinence cessation"
    " adherence improvement satisfaction function"
    " uptake attendance participation knowledge breastfeeding completion retention"
    " coverage recovered ability wellbeing".split()
)
_NEGATING = frozenset("non no not lack loss failure without inadequate insufficient poor incomplete".split())
_RELIEF = frozenset(("relief", "freedom"))
_SAY_LITTLE = frozenset(
    "event rate disease symptom outcome score function level response ability risk".split()
)
_MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome in the text's words, with where they stand in it.

    ``key`` is ``None`` where the words do not identify an outcome ('the primary outcome').
    """

    text: str
    start: int
    end: int
    key: str | None
    polarity: Polarity | None


def outcome_for(
    text: str,
    before: tuple[int, int],
    after: tuple[int, int],
    *,
    listed: tuple[int, int],
    list_before: tuple[int, int],
    list_after: tuple[int, int],
) -> Outcome | None:
    """Return the outcome of one effect of a sentence.

    Parameters
    ----------
    text : str
        The plain text.
    before, after : tuple of int
        Where the words before the effect's first number and those of its clause behind it stand.
    listed : tuple of int
        Which of how many effects of a list it is: 'for death and stroke were 0.80 and 0.95,
        respectively'; (0, 1) for an effect by itself.
    list_before, list_after : tuple of int
        Where the words before and behind that list stand.
    """
    place, count = listed
    if count > 1 and (named_list := _RESPECTIVELY.match(text, *list_after)) is not None:
        hits = own_hits(text, *named_list.span("names"))
        if len(hits) == count:
            return told(text, hits[place])
    behind = _NAMED_BEHIND.match(text, *after)
    if behind is not None:
        named = _first_hit(text, behind.end(), min(after[1], behind.end() + 60))
        if named is not None and named.start - behind.end() < 20:
            return told(text, named)
    if count > 1:
        hits = own_hits(text, *list_before)
        if len(hits) == count:
            return told(text, hits[place])
    own = _outcome_before(text, *before)
    if own is None and place > 0:
        return _outcome_before(text, *list_before)
    return own


def _outcome_before(text: str, first: int, stop: int) -> Outcome | None:
    start = _start_of_outcome(text, first, stop)
    hits = own_hits(text, first, stop)
    hits = [hit for hit in hits if hit.start >= start]
    outside = [hit for hit in hits if not _is_aside(text, first, hit, stop)]
    if hits:
        return told(text, (outside or hits)[-1])
    primary = last_match(_PRIMARY, text, first, stop)
    if primary is not None:
        return _primary(text, primary)
    return _own_words(text, start, stop, named=start > first)


def _is_aside(text: str, first: int, hit: OutcomeKey, stop: int) -> bool:
    """Tell whether a name stands in brackets that close before the effect: 'any side effect (nausea or rash)'."""
    opened = text.rfind("(", first, hit.start)
    closed = text.find(")", hit.end, stop)
    return opened >= 0 and closed >= 0 and text.find(")", opened, hit.start) < 0


def own_hits(text: str, start: int, stop: int) -> list[OutcomeKey]:
    """Return the outcomes named in a stretch of text, without patients' diseases and causes of death."""
    return [
        hit
        for hit in _hits(text, start, stop)
        if not describes(text, start, hit) and not is_cause(text, start, hit)
    ]


def describes(text: str, start: int, hit: OutcomeKey) -> bool:
    """Tell whether a name is part of 'patients with stroke' or turned round ('recovery failure')."""
    before = text[max(start, hit.start - 80) : hit.start]
    return bool(
        _POPULATION.search(before) or _TURNED_BEFORE.search(before) or _TURNED_BEHIND.match(text, hit.end)
    )


def defined_primary(text: str) -> OutcomeKey | None:
    """Return what the text defines its primary outcome to be."""
    found = _DEFINED.search(text)
    hits = outcomes_in(found["what"]) if found else ()
    return hits[0] if len(hits) == 1 else None


def _hits(text: str, start: int, stop: int) -> list[OutcomeKey]:
    return [_moved(hit, start) for hit in outcomes_in(text[start:stop])]


def _first_hit(text: str, start: int, stop: int) -> OutcomeKey | None:
    return next(iter(_hits(text, start, stop)), None)


def _moved(hit: OutcomeKey, by: int) -> OutcomeKey:
    return OutcomeKey(hit.key, hit.polarity, hit.start + by, hit.end + by, hit.quantity)


def told(text: str, hit: OutcomeKey) -> Outcome:
    """Return a name of the vocabulary as an outcome, with the words that narrow it."""
    name = narrowed(text, hit)
    return Outcome(text[name.start : name.end], name.start, name.end, name.key, hit.polarity)


def _primary(text: str, found: re.Match[str]) -> Outcome:
    defined = defined_primary(text)
    key, polarity = (defined.key, defined.polarity) if defined is not None else (None, None)
    return Outcome(found.group(), found.start(), found.end(), key, polarity)


def _start_of_outcome(text: str, start: int, stop: int) -> int:
    """Return where the outcome's name begins: behind 'associated with', 'risk of', 'ratio for'."""
    last = start
    for pattern in (_ASSOCIATION, _RATIO_FOR):
        for found in pattern.finditer(text, start, stop):
            last = max(last, found.end())
    return last


def _own_words(text: str, start: int, stop: int, *, named: bool) -> Outcome | None:
    """Return the article's own name for an outcome that the vocabulary does not hold."""
    leading = _LEADING.match(text, start, stop)
    start = leading.end() if leading is not None else start
    end = _PHRASE_END.search(text, start + 1, stop)
    if end is None and not named:
        return None
    words = list(re.finditer(r"[^\W_][\w'-]*", text[start : end.start() if end else stop]))
    while words and words[0].group().lower() in _DETERMINERS:
        words.pop(0)
    if not words or len(words) > _MOST_WORDS or not any(word.group()[0].isalpha() for word in words):
        return None
    first, last = start + words[0].start(), start + words[-1].end()
    if _DECIMALS.match(text, last):
        # The sentence went on with a number: 'at 90 days 25.5% of them'.
        return None
    if _NOT_AN_OUTCOME.search(text[first:last]) or text[first:last] in lexicon().abbreviations:
        return None
    forms = [normal_form(part) for word in words for part in word.group().split("-")]
    polarity = _polarity(forms)
    known = polarity is not None and not {*forms} <= _SAY_LITTLE
    key = "term:" + "_".join(forms) if known else None
    return Outcome(text[first:last], first, last, key, polarity)


def word_polarity(text: str) -> Polarity | None:
    """Return whether more of what a text names is worse or better, by its last word that tells."""
    return _polarity([normal_form(word) for word in re.findall(r"[^\W_]+", text)])


def _polarity(words: Sequence[str]) -> Polarity | None:
    if not _NEGATING.isdisjoint(words):
        return None
    if not _RELIEF.isdisjoint(words) or words[-1:] == ["free"]:
        return "benefit"
    for word in reversed(words):
        if word in _HARM:
            return "harm"
        if word in _BENEFIT:
            return "benefit"
    return None
