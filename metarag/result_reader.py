"""The findings of one article on an outcome, as its effects and its sentences tell them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from metarag.direction import Direction, direction_of
from metarag.other_treatments import is_of_another, is_of_the_class, names_asked
from metarag.outcome_keys import OutcomeKey
from metarag.outcome_mentions import clauses, is_taken_back
from metarag.records import Article
from metarag.result_comparisons import compares_otherwise, is_in_both
from metarag.result_doubts import has_another_subject, is_no_result, is_not_of_the_outcome, tells_of_control
from metarag.result_effects import is_of_the_treatment
from metarag.result_frames import is_insignificant, is_stated, without_asides
from metarag.result_people import People, is_with_and_without
from metarag.result_subjects import is_of_a_level, is_of_another_factor
from metarag.result_words import is_of_control
from metarag.sentences import finding_sentences
from metarag.stopped_treatment import tells_of_stopping
from metarag.types import EffectEstimate, Span

_HARM: Final = re.compile(r"\b(?:did|does|caused|causes) (?:\w+ )?harm\b", re.IGNORECASE)
# A finding in some of the people is no finding in the people of the question.
_SOME_PEOPLE: Final = re.compile(
    r"\bonly (?:in|among|for)\b|\b(?:but|and) not (?:in|among|for|against|on|of)\b|\bexcept (?:in|among|for)\b",
    re.IGNORECASE,
)
# Neither advice nor an aim tells what was found.
_NO_FINDING: Final = re.compile(
    r"\b(?:is|are) (?:recommended|needed|warranted|required)\b"
    r"|\bthis (?:\w+ ){0,2}(?:analysis|study|trial|review)"
    r" (?:explore|examine|estimate|assesse|evaluate|investigate|compare)s\b",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"\A[^,;]{3,80},")
_LONGEST_NEXT: Final = 200
"""Characters of the next sentence that are read. Ours."""
_GOES_ON: Final = re.compile(r"\s+(?:It|They|So did|The same|With placebo|On placebo|Placebo)\b[^.]*")
_Named = Callable[[str], OutcomeKey | None]


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says of an outcome: which way it went, and whether more of it is worse, if its name tells."""

    direction: Direction
    polarity: str | None
    span: Span


class Reader:
    """The findings of one article, effect by effect and sentence by sentence.

    Outside a randomised study groups differ in much, so that there a sentence has to name the treatment; and
    what is told of its class is not told of the treatment where other findings are on the treatment itself.

    Parameters
    ----------
    people : str
        The words in which the question tells of its people.
    observed : bool
        True outside randomised studies and reviews of them.
    """

    def __init__(self, article: Article, treatments: frozenset[str], people: str, *, observed: bool) -> None:
        self._article = article
        self._abstract = article.abstract or ""
        self.treatments = treatments
        self._observed = observed
        self._people = People.of(people, article, treatments)
        self._sentences = finding_sentences(article)
        self._in_title = names_asked(article.title, treatments)
        self._names_itself = self._observed and any(
            names_asked(self._abstract[slice(*s)], treatments)
            and not is_of_the_class(self._abstract[slice(*s)], treatments)
            for s in self._sentences
        )

    def counts(self, effect: EffectEstimate) -> bool:
        """True where an effect is a result of the treatment, and not of its class only."""
        if not self._is_named(effect.span) or self.is_of_the_class_only(effect.span):
            return False
        return self.is_of_the_treatment(effect)

    def _is_named(self, span: Span) -> bool:
        """True unless neither the title nor the findings name the treatment: all had it beside what was studied."""
        if self._in_title or span.where != "abstract":
            return True
        return any(names_asked(self._abstract[slice(*s)], self.treatments) for s in self._sentences)

    def is_of_the_treatment(self, effect: EffectEstimate) -> bool:
        """True where an effect is a result of the treatment or its class against a control, in all the people."""
        return is_of_the_treatment(
            effect, self._article, self.treatments, self._people, observed=self._observed
        )

    def is_of_the_class_only(self, span: Span) -> bool:
        """True where the sentence around a span is on the treatment's class, and others on the treatment."""
        if not self._names_itself or span.where != "abstract":
            return False
        around = [s for s in self._sentences if s[0] <= span.start < s[1]]
        return any(is_of_the_class(self._abstract[slice(*s)], self.treatments) for s in around)

    def in_words(self, named: _Named) -> Iterator[Said]:
        """Yield what each clause on the outcome says, in order."""
        abstract = self._abstract
        for start, end in self._sentences:
            sentence = Span(where="abstract", start=start, end=end, text=abstract[start:end])
            if self.is_of_the_class_only(sentence) or _NO_FINDING.search(sentence.text):
                continue
            if not self._tells_of_the_treatment(sentence.text):
                continue
            for first, last in clauses(abstract, start, end):
                said = self._of_clause(abstract[first:last], named, sentence, behind=abstract[last:end])
                if said and said.direction is Direction.NO_DIFFERENCE and _HARM.search(sentence.text):
                    yield Said(Direction.INCREASED, "harm", sentence)  # "did not prevent ...; it did harm"
                elif said:
                    yield said

    def _tells_of_the_treatment(self, sentence: str) -> bool:
        """True unless a sentence is on other drugs, or neither it nor the title says whose result it is."""
        if is_of_another(sentence, self.treatments) or has_another_subject(sentence, self.treatments):
            return False
        leading = _LEADING.match(sentence)
        if is_with_and_without(sentence) or (leading and self._people.are_some(leading.group())):
            return False
        if names_asked(sentence, self.treatments):
            return True
        return not self._observed and (self._in_title or tells_of_control(sentence))

    def _of_clause(self, clause: str, named: _Named, sentence: Span, *, behind: str) -> Said | None:
        hit = named(clause)
        if hit is None or is_not_of_the_outcome(clause, hit) or is_no_result(clause, self.treatments):
            return None
        if self._is_of_something_else(clause, hit):
            return None
        if is_taken_back(clause + behind, hit.end):
            return Said(Direction.NO_DIFFERENCE, hit.polarity, sentence)
        found = direction_of(clause, outcome=clause[hit.start : hit.end])
        if found is not None and found.basis == "effect":
            # What the words say beside a number: the number has a reader of its own.
            bare = without_asides(clause)
            return self._of_clause(bare, named, sentence, behind="") if bare != clause else None
        if (
            found is None
            or not is_stated(clause, hit, found)
            or is_in_both(self._with_next(sentence), found, self.treatments)
        ):
            return None
        told = Direction.NO_DIFFERENCE if is_insignificant(clause, hit) else found.direction
        return Said(told, hit.polarity, sentence)

    def _with_next(self, sentence: Span) -> str:
        """Return a sentence with the one behind it if that goes on: "It fell more with placebo"."""
        behind = self._abstract[sentence.end : sentence.end + _LONGEST_NEXT]
        goes_on = _GOES_ON.match(behind)
        return f"{sentence.text[:-1]}, {goes_on.group().strip()}" if goes_on else sentence.text

    def _is_of_something_else(self, clause: str, hit: OutcomeKey) -> bool:
        """True where a clause is on some people, another drug, dose or factor, the control, or stopping."""
        if _SOME_PEOPLE.search(clause) or self._people.are_some(clause):
            return True
        if is_of_another(clause, self.treatments) or compares_otherwise(clause, self.treatments):
            return True
        if is_of_a_level(clause, self.treatments):
            return True
        if is_of_another_factor(clause, hit.start, self.treatments):
            return True
        return is_of_control(clause) or tells_of_stopping(clause)
