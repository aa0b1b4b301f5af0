"""What one article found on an outcome: benefit, no difference or harm, with the words that say so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from enum import StrEnum

from metarag.comparison_keys import is_control_first
from metarag.direction import Direction, direction_of
from metarag.heterogeneity_signs import contradicts_words
from metarag.other_treatments import (
    is_against_asked,
    is_of_another,
    is_of_another_alone,
    is_of_the_class,
    names_asked,
)
from metarag.outcome_keys import OutcomeKey, outcome_key, outcomes_in
from metarag.outcome_mentions import (
    CONTRARIES,
    USUAL_PARTS,
    clauses,
    holds_all,
    is_on_combined,
    is_part,
    is_taken_back,
    listed_in,
    named_by_itself,
    named_together,
    stands_for_several,
)
from metarag.pico_question import question_pico
from metarag.pico_types import PicoTerm
from metarag.pooling import Tier, tier_of
from metarag.records import Article, Frozen
from metarag.result_doubts import (
    has_another_subject,
    is_no_result,
    is_not_of_the_outcome,
    tells_of_control,
)
from metarag.result_frames import is_insignificant, is_stated, without_asides
from metarag.result_negations import blames_lack
from metarag.result_words import clause_before, is_of_control, is_of_part, is_of_the_contrary, is_overall
from metarag.sentences import finding_sentences
from metarag.stopped_treatment import tells_of_stopping
from metarag.types import EffectEstimate, Evidence, Question, Span, StudyDesign

_Z = 1.959963984540054
_HARM = re.compile(r"\b(?:did|does|caused|causes) (?:\w+ )?harm\b", re.IGNORECASE)
# A finding in some of the people is no finding in the people of the question.
_SOME_PEOPLE = re.compile(
    r"\bonly (?:in|among|for)\b|\b(?:but|and) not (?:in|among|for)\b|\bexcept (?:in|among|for)\b",
    re.IGNORECASE,
)
# Neither advice nor an aim tells what was found.
_NO_FINDING = re.compile(
    r"\b(?:is|are) (?:recommended|needed|warranted|required)\b"
    r"|\bthis (?:\w+ ){0,2}(?:analysis|study|trial|review)"
    r" (?:explore|examine|estimate|assesse|evaluate|investigate|compare)s\b",
    re.IGNORECASE,
)
REVIEW = "review"
OBSERVATIONAL_REVIEW = "observational_review"
"""A review of observational studies only: no stronger than what it sums up."""
_OPINIONS = frozenset(
    {
        StudyDesign.NARRATIVE_REVIEW,
        StudyDesign.SCOPING_REVIEW,
        StudyDesign.GUIDELINE,
        StudyDesign.CONSENSUS_STATEMENT,
    }
)
_OBSERVED = (Tier.OBSERVATIONAL.value, OBSERVATIONAL_REVIEW)
# A rate with an interval, and a ratio for each year of use, compare nobody with a control.
_OF_NO_TWO_ARMS = frozenset({"difference_from_words", "per_unit"})
_RESULT_ROLES = ("study", "secondary", "pooled")
_Named = Callable[[str], OutcomeKey | None]
MOST_OUTCOMES = 3
"""A question that names more is answered on its first three."""


class Result(StrEnum):
    """What an article found for the patient, on the question's outcome."""

    BENEFIT = "benefit"
    NO_DIFFERENCE = "no difference"
    HARM = "harm"


class ArticleResult(Frozen):
    """One article's result with the words or numbers that say so.

    Parameters
    ----------
    tier : str
        ``review``, ``observational_review``, ``randomised``, ``observational`` or ``other``.
    basis : str
        ``effect`` (an interval) or ``words`` (a concluding sentence).
    """

    key: str
    tier: str
    result: Result
    basis: str
    span: Span


def asked_outcomes(question: Question) -> tuple[OutcomeKey, ...]:
    """Return the outcomes that a question asks about, at most three.

    Only what was read as its outcome counts: in "mortality after myocardial infarction" the infarction is
    the patients' condition. Empty when the question names no outcome that is known, or no treatment: then
    nobody can tell which articles are about it.
    """
    asked = question_pico(question).used
    if not asked.intervention:
        return ()
    treated = {term.span for term in asked.intervention}
    named = [_named_in(term, question.text) for term in asked.outcome if term.span not in treated]
    parts = [part for found in named if found for part in _parts(found, question.text)]
    return tuple({found.key: found for found in parts}.values())[:MOST_OUTCOMES]


def _named_in(term: PicoTerm, text: str) -> OutcomeKey | None:
    """Return the outcome of a term of a question, by its whole name: "HDL cholesterol" is not any cholesterol."""
    whole = [hit for hit in outcomes_in(text) if hit.start <= term.span.start and term.span.end <= hit.end]
    if term.span.where == "text" and whole:
        return whole[0]
    return outcome_key(term.span.text) or outcome_key(term.concept)


def asked_together(question: Question) -> frozenset[str]:
    """Return the keys of outcomes that a question names in one list ("heart attack or stroke"); else empty."""
    asked = {found.key for found in asked_outcomes(question)}
    lists = (frozenset(hit.key.split("+")) for hit in outcomes_in(question.text) if "+" in hit.key)
    # Of "death, heart attack or stroke" studies count together the deaths of some causes only.
    events = (keys - {"all_cause_death"} for keys in lists if keys <= asked)
    return next((keys for keys in events if len(keys) > 1), frozenset())


def _parts(found: OutcomeKey, text: str) -> Iterable[OutcomeKey]:
    """Yield the outcomes of "heart attack or stroke" one by one: a study may change one and not the other."""
    lists = [hit for hit in outcomes_in(text) if found.key in hit.key.split("+")]
    for key in (lists[0] if lists else found).key.split("+"):
        yield replace(found, key=key)


def article_result(
    item: Evidence, wanted: OutcomeKey, *, treatments: frozenset[str] = frozenset()
) -> ArticleResult | None:
    """Return what an article found on an outcome; ``None`` where it does not say so clearly.

    An effect on the outcome counts by its interval; without one, the clauses on the outcome in results and
    conclusions, if they agree. A combined outcome with infarctions and strokes is one of cardiovascular events.

    Parameters
    ----------
    treatments : frozenset of str
        The drugs asked about: effects of others against them, and clauses on others alone, do not count.
    """
    effects = item.appraisal.effects if item.appraisal else ()
    found = _result(
        item,
        _on_outcome(effects, wanted, item.article.abstract or ""),
        lambda clause: named_by_itself(clause, wanted.key),
        wanted.polarity,
        treatments,
    )
    if found is None and stands_for_several(wanted.key):
        return combined_result(item, USUAL_PARTS, treatments=treatments)
    for contrary in () if found else CONTRARIES.get(wanted.key, ()):
        found = found or article_result(item, OutcomeKey(contrary, "benefit", 0, 0), treatments=treatments)
    return found


def class_result(
    item: Evidence, wanted: OutcomeKey, *, treatments: frozenset[str] = frozenset()
) -> ArticleResult | None:
    """Return what an observational study found on an outcome for the class of a treatment alone.

    ``None`` too where it tells of nothing but the class: then :func:`article_result` has counted it.
    """
    tier = tier_name(item)
    found = article_result(item, wanted) if tier in _OBSERVED else None
    if found and _Reader(item.article, tier, treatments).is_of_the_class_only(found.span):
        return found
    return None


def combined_result(
    item: Evidence, wanted: Set[str], *, treatments: frozenset[str] = frozenset()
) -> ArticleResult | None:
    """Return what an article found on a combined outcome that holds all of some outcomes, if on any.

    Parameters
    ----------
    wanted : set of str
        Keys of the outcomes. All are worse for the patient, as combined outcomes are.
    treatments : frozenset of str
        As in :func:`article_result`.
    """
    abstract = item.article.abstract or ""
    lists = [keys for s in finding_sentences(item.article) if (keys := listed_in(abstract[slice(*s)]))]
    if lists and not any(holds_all(keys, wanted) for keys in lists):
        return None  # its "cardiovascular events" are those that it lists
    effects = [
        effect
        for effect in (item.appraisal.effects if item.appraisal else ())
        if effect.role in _RESULT_ROLES and is_on_combined(effect, wanted, abstract)
    ]
    return _result(item, effects, lambda clause: named_together(clause, wanted), "harm", treatments)


def _result(
    item: Evidence,
    effects: Iterable[EffectEstimate],
    named: _Named,
    polarity: str | None,
    treatments: frozenset[str],
) -> ArticleResult | None:
    """Return the result of the first effect with an interval, else of the clauses, if they agree."""
    tier = tier_name(item)
    read = _Reader(item.article, tier, treatments)
    for effect in effects:
        if not _is_of_the_treatment(effect, item, treatments) or read.leaves_out(effect.span):
            continue
        result = effect_result(effect, polarity)
        if result:
            return ArticleResult(key=item.key, tier=tier, result=result, basis="effect", span=effect.span)
    said = read.in_words(named, polarity)
    # Sentences that disagree ("fewer lethal arrhythmias", "mortality did not differ") decide nothing.
    if len({result for result, _ in said}) != 1:
        return None
    result, span = said[-1]
    return ArticleResult(key=item.key, tier=tier, result=result, basis="words", span=span)


class _Reader:
    """The findings of one article, sentence by sentence.

    Outside a randomised study groups differ in much, so that there a sentence has to name the treatment; and
    what is told of its class is not told of the treatment where other findings are on the treatment itself.
    """

    def __init__(self, article: Article, tier: str, treatments: frozenset[str]) -> None:
        self._abstract = article.abstract or ""
        self._treatments = treatments
        self._observed = tier in _OBSERVED
        self._sentences = finding_sentences(article)
        self._in_title = names_asked(article.title, treatments)
        self._tells_all = any(is_overall(self._abstract[slice(*s)]) for s in self._sentences)
        self._names_itself = self._observed and any(
            names_asked(self._abstract[slice(*s)], treatments)
            and not is_of_the_class(self._abstract[slice(*s)], treatments)
            for s in self._sentences
        )

    def leaves_out(self, span: Span) -> bool:
        """True where an effect is of the class only, or of some people where all are told of, too."""
        if self.is_of_the_class_only(span):
            return True
        return (
            self._is_of_part(clause_before(self._abstract, span.start)) if span.where == "abstract" else False
        )

    def _is_of_part(self, clause: str) -> bool:
        return self._tells_all and is_of_part(clause)

    def is_of_the_class_only(self, span: Span) -> bool:
        """True where the sentence around a span is on the treatment's class, and others on the treatment."""
        if not self._names_itself or span.where != "abstract":
            return False
        around = [s for s in self._sentences if s[0] <= span.start < s[1]]
        return any(is_of_the_class(self._abstract[slice(*s)], self._treatments) for s in around)

    def in_words(self, named: _Named, polarity: str | None) -> list[tuple[Result, Span]]:
        """Return what each clause on the outcome says, in order."""
        abstract, said = self._abstract, []
        for start, end in self._sentences:
            sentence = Span(where="abstract", start=start, end=end, text=abstract[start:end])
            if self.is_of_the_class_only(sentence) or _NO_FINDING.search(sentence.text):
                continue
            if not self._tells_of_the_treatment(sentence.text):
                continue
            for first, last in clauses(abstract, start, end):
                result = self._of_clause(abstract[first:last], named, polarity, behind=abstract[last:end])
                if result is Result.NO_DIFFERENCE and _HARM.search(sentence.text):
                    result = Result.HARM  # "did not prevent ...; it did harm"
                said += [(result, sentence)] if result else []
        return said

    def _tells_of_the_treatment(self, sentence: str) -> bool:
        """True unless a sentence is on other drugs, or neither it nor the title says whose result it is."""
        if is_of_another(sentence, self._treatments) or has_another_subject(sentence, self._treatments):
            return False
        if names_asked(sentence, self._treatments):
            return True
        return not self._observed and (self._in_title or tells_of_control(sentence))

    def _of_clause(self, clause: str, named: _Named, polarity: str | None, *, behind: str) -> Result | None:
        hit = named(clause)
        if hit is None or is_not_of_the_outcome(clause, hit) or is_no_result(clause, self._treatments):
            return None
        if _SOME_PEOPLE.search(clause) or is_of_another(clause, self._treatments):
            return None
        if is_of_control(clause) or self._is_of_part(clause) or tells_of_stopping(clause):
            return None
        if is_taken_back(clause + behind, hit.end):
            return Result.NO_DIFFERENCE
        found = direction_of(clause, outcome=clause[hit.start : hit.end])
        if found is not None and found.basis == "effect":
            # What the words say beside a number: the number has a reader of its own.
            bare = without_asides(clause)
            return self._of_clause(bare, named, polarity, behind="") if bare != clause else None
        if found is None or not is_stated(clause, hit, found):
            return None
        told = Direction.NO_DIFFERENCE if is_insignificant(clause, hit) else found.direction
        return _of_direction(told, hit.polarity or polarity)


def tier_name(item: Evidence) -> str:
    """Return ``review``, ``observational_review``, ``randomised``, ``observational`` or ``other``.

    Guidelines and reviews that pool or list nothing are ``other``: they tell an opinion on studies.
    """
    if item.appraisal is None or item.appraisal.design.design in _OPINIONS:
        return "other"
    found, labels = tier_of(item.appraisal.design.design), item.appraisal.design.labels
    if found == REVIEW and "of_observational_studies" in labels and "of_randomized_trials" not in labels:
        return OBSERVATIONAL_REVIEW
    return str(found or "other")


def _on_outcome(effects: Iterable[EffectEstimate], wanted: OutcomeKey, abstract: str) -> list[EffectEstimate]:
    return [
        effect
        for effect in effects
        if effect.role in _RESULT_ROLES
        and effect.outcome_key == wanted.key
        and _OF_NO_TWO_ARMS.isdisjoint(effect.flags)
        # A ratio on what is measured ("pain") is one of responders, whichever way they were defined.
        and not (wanted.quantity and effect.scale == "log")
        and not is_part(effect.outcome_span, abstract)
    ]


def counted_effects(item: Evidence, treatments: frozenset[str]) -> list[EffectEstimate]:
    """Return the effects that are results of an article on the treatments, on any outcome."""
    effects = item.appraisal.effects if item.appraisal else ()
    return [e for e in effects if e.role in _RESULT_ROLES and _is_of_the_treatment(e, item, treatments)]


def _is_of_the_treatment(effect: EffectEstimate, item: Evidence, treatments: frozenset[str]) -> bool:
    """True unless an effect's sign is that of the control, or nobody knows whose it is: words have to tell then."""
    against = is_against_asked(effect, treatments) or is_control_first(effect)
    abstract = item.article.abstract or ""
    if against or contradicts_words(effect, abstract):
        return False
    if effect.span.where != "abstract":
        return True
    before = clause_before(abstract, effect.span.start)
    told = before + effect.span.text
    if blames_lack(before) or is_of_control(before) or is_of_the_contrary(told) or tells_of_stopping(told):
        return False
    return not (is_of_another(told, treatments) or is_of_another_alone(told, treatments))


def effect_result(effect: EffectEstimate, polarity: str | None) -> Result | None:
    """Return what an effect says by its 95% interval; ``None`` without one.

    Parameters
    ----------
    polarity : str or None
        ``harm`` where more of the outcome is worse for the patient; the effect's own orientation comes first.
    """
    if effect.effect is None or effect.standard_error is None:
        return None
    half = _Z * effect.standard_error
    if effect.effect - half <= 0 <= effect.effect + half:
        return Result.NO_DIFFERENCE
    more, bad = effect.effect > 0, (effect.orientation or polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT


def _of_direction(direction: Direction, polarity: str | None) -> Result:
    if direction is Direction.NO_DIFFERENCE:
        return Result.NO_DIFFERENCE
    more, bad = direction is Direction.INCREASED, (polarity or "harm") == "harm"
    return Result.HARM if more is bad else Result.BENEFIT
