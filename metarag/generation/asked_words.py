"""What a question asks of its treatment, in its own words, and whether a sentence names it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from metarag.outcome_keys import outcomes_in
from metarag.outcome_mentions import CONTRARIES, holds_all
from metarag.pico_abbreviations import abbreviations
from metarag.pico_question import question_pico
from metarag.pico_types import ExtractedPico, PicoTerm
from metarag.pico_vocabulary import vocabulary
from metarag.records import Article
from metarag.relevance import NamedThing, QuestionTerms, is_ordinary, stem, words
from metarag.results import asked_outcomes
from metarag.types import Question, Span

_VERBS: Final = (
    r"(?:reduc|improv|prevent|lower|increas|decreas|reliev|affect|caus|worsen|rais|shorten|prolong|delay|slow"
    r"|enhanc|promot|alleviat|attenuat|ameliorat|suppress|induc|influenc|diminish|minimi[sz]|limit|accelerat"
    r"|eliminat|cur|heal|treat|help|control|protect)(?:e?s|ed?|ing)?(?:\sagainst|\swith)?"
)
_ENDS: Final = (
    r"(?=\s+(?:in|after|at|for|among|compared|than|during|when|while|with|without|versus|vs|following|on|before|from"
    r"|as|to|by|of|or|and|if)\b|\s*[?.,;:()]|\s*\Z)"
)
_SAID: Final = r"(?P<said>[^?.,;:()]{3,80}?)"
_OF: Final = (
    r"(?:(?:the|an?|less|more|fewer|better|worse|greater|new|overall|any|severe|risk|rates?|incidence|frequency|severity|number"
    r"|duration|occurrence|likelihood|odds|onset|prevalence|amount|need)\s+(?:of\s+|for\s+)?)*"
)
_OBJECT: Final = re.compile(rf"\b{_VERBS}\s+{_OF}{_SAID}{_ENDS}", re.IGNORECASE)
_FOR: Final = re.compile(
    rf"\b(?:effective|efficacious|safe|useful|better|superior|beneficial|helpful|work)\b[^?.;:]{{0,60}}?"
    rf"\b(?:for|at|against|in)\s+{_OF}{_SAID}{_ENDS}",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(r"\s(?:rises?|increases?|elevations?|changes?|levels?|concentrations?)\Z", re.I)
# Heads that many measures share: "blood pressure" does not name the pressure in the eye.
_GENERAL: Final = frozenset(
    stem(word)
    for word in """function pressure symptoms rate score activity use capacity events failure quality time status
    consumption protein disease disorder syndrome outcome response control loss gain relief index""".split()
)
_VERB: Final = re.compile(rf"\b{_VERBS}\s", re.IGNORECASE)
_SAME: Final = {"overall_survival": "all_cause_death"}


class Asked(StrEnum):
    """What is known of the outcome of a question."""

    COUNTED = "counted"
    READ = "read"
    CONDITION = "condition"
    UNKNOWN = "unknown"
    NO_TREATMENT = "no treatment"


@dataclass(frozen=True, slots=True)
class AskedWords:
    """What a question asks of its treatment.

    Attributes
    ----------
    kind : Asked
        Whether results on it can be counted: only on an outcome that has a key, with a treatment. Of a
        condition that is to be relieved, nothing else is asked.
    phrases : tuple of str
        The question's words for it; empty where its form is not known.
    outcomes : frozenset of str
        Keys of the outcomes asked about.
    """

    kind: Asked
    phrases: tuple[str, ...] = ()
    outcomes: frozenset[str] = frozenset()
    _roots: tuple[tuple[str, ...], ...] = ()
    _concepts: frozenset[str] = frozenset()
    _things: tuple[NamedThing, ...] = ()

    @classmethod
    def of(cls, question: Question) -> AskedWords:
        """Read a question once, for all sentences."""
        used = question_pico(question).used
        outcomes = frozenset(outcome.key for outcome in asked_outcomes(question))
        treated = {term.span for term in used.intervention}
        read = [term for term in used.outcome if term.span not in treated]
        phrases = tuple(dict.fromkeys(_phrases(question.text, used, read)))
        named = [said.casefold() for said in phrases]
        # "Acute otitis media" is otitis media; "negative symptoms" are not any symptoms.
        terms = [t for t in read if t.span.text.casefold() in named]
        people = [t for t in used.population if any(said.endswith(t.span.text.casefold()) for said in named)]
        kind = Asked.READ if read else Asked.CONDITION if people else Asked.UNKNOWN
        kind = Asked.COUNTED if outcomes else kind
        return cls(
            kind if used.intervention else Asked.NO_TREATMENT,
            phrases,
            outcomes,
            tuple(tuple(dict.fromkeys(_roots(said))) for said in phrases),
            frozenset(term.concept for term in (*terms, *people)),
            QuestionTerms.of(question).things,
        )

    @property
    def is_known(self) -> bool:
        """True where a sentence can be told to name it or not."""
        return bool(self.outcomes or self._roots)

    def named_in(
        self, sentence: str, long_forms: Iterable[tuple[str, str]] = (), *, nearly: bool = False
    ) -> bool:
        """True where a sentence names it: by an outcome's key, a concept, or its words.

        Parameters
        ----------
        long_forms : iterable of (str, str)
            Abbreviations that the article defines; see :func:`long_forms`.
        nearly : bool
            True takes what is called alike, too: cancer for lung cancer.
        """
        if self.outcomes and _is_near(self.outcomes, sentence):
            return True
        present = {stem(word) for word in words(sentence)}
        for short, long in long_forms:
            if re.search(rf"(?<!\w){re.escape(short)}s?(?!\w)", sentence):
                present.update(stem(word) for word in words(long))
        for thing in self._things:
            if any(roots and present.issuperset(roots) for _, roots in thing.others):
                present.update(thing.own)
        if any(_has(roots, present, whole=bool(self._concepts) and not nearly) for roots in self._roots):
            return True
        return bool(self._concepts) and any(
            c.name in self._concepts for c in vocabulary().concepts_in(sentence)
        )

    def named_by(self, article: Article) -> bool:
        """True where the title or the abstract names it, or what is called alike."""
        return self.named_in(f"{article.title}\n{article.abstract or ''}", long_forms(article), nearly=True)


def long_forms(article: Article) -> tuple[tuple[str, str], ...]:
    """Return the abbreviations that an article defines, each with what it stands for."""
    text = f"{article.title}\n{article.abstract or ''}"
    return tuple((short, text[start:end]) for short, (start, end) in abbreviations(text).items())


def _phrases(text: str, used: ExtractedPico, read: Iterable[PicoTerm]) -> Iterator[str]:
    """Yield the question's words for what it asks: its outcomes, else the object of its verb.

    An outcome is told with the words before it: "negative symptoms", not any.
    """
    objects = list(_objects(text, [t.span for t in used.intervention if t.span.where == "text"]))
    for term in read:
        inside = term.span.where == "text"
        whole = (said for start, end, said in objects if start <= term.span.start and term.span.end <= end)
        said = next(whole, term.span.text) if inside else term.span.text
        if _roots(said):
            yield said
    if not read:
        yield from (said for *_, said in objects[:1])


def _objects(text: str, treatments: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Yield where the objects of verbs stand, and what they say; not those that are part of a treatment's name."""
    first = min((span.start for span in treatments), default=0)
    for pattern in (_OBJECT, _FOR):
        for match in pattern.finditer(text):
            start, end = match.span("said")
            said = _CHANGE.sub("", " ".join(match["said"].split()))
            part = any(
                s.start <= start and end <= s.end and s.end - s.start > end - start for s in treatments
            )
            if start >= first and not part and _roots(said) and not _VERB.search(said):
                yield start, end, said


def _roots(said: str) -> list[str]:
    """Return the stems that tell a phrase from others; of "opioid use" both, for one alone is something else."""
    found = [word for word in words(said) if len(word) > 1]
    telling = [word for word in found if not is_ordinary(word)]
    return [stem(word) for word in (found if len(telling) == 1 else telling)]


def _has(roots: tuple[str, ...], present: set[str], *, whole: bool) -> bool:
    """True where all words of a phrase are there, or the last one, if that tells it from others."""
    return present.issuperset(roots) or (not whole and roots[-1] in present and roots[-1] not in _GENERAL)


def _is_near(outcomes: frozenset[str], sentence: str) -> bool:
    """True where a sentence names an outcome asked about, its contrary, or one that holds or is part of one."""
    named = {_SAME.get(part, part) for hit in outcomes_in(sentence) for part in hit.key.split("+")}
    contrary = {part for key in outcomes for part in CONTRARIES.get(key, ())}
    if not named or not named.isdisjoint(contrary):
        return bool(named)
    return any(holds_all(named, {key}) for key in outcomes) or any(
        holds_all(outcomes, {key}) for key in named
    )
