"""Whether a clause tells of some of the people only: "in patients over 75", "among women", "in the high-risk group".

What holds for some is no answer on all. Whoever is not simply the patients, an arm of the study, or the people that
the question or the article's title names, is taken for some of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from metarag.other_treatments import names_asked
from metarag.outcome_keys import outcomes_in
from metarag.records import Article
from metarag.result_frames import without_asides
from metarag.sentences import finding_sentences, sentences_of
from metarag.stems import stem
from metarag.types import Question

_SHORTEST_ALIKE: Final = 7
_SHORTEST_ROOT: Final = 5
_LONGEST_ENDING: Final = 4
_TOKEN: Final = re.compile(r"[^\W_]+|[<>\u2264\u2265]|[,;:]")
_PEOPLE: Final = frozenset(
    """patients patient people participants participant subjects individuals persons adults those cases volunteers
    outpatients inpatients respondents completers""".split()
)
# Arms as a rule, whatever they are called: "the HRT group", unless it is a group by risk or age.
_ARMS: Final = frozenset(
    "groups group arms arm users recipients population populations cohort cohorts sample".split()
)
_NO_ARM: Final = frozenset(
    """risk age aged older younger elderly diabetic nondiabetic obese overweight severe mild moderate severity
    hypertensive smoking adherent compliant male female white black asian african european
    american chinese japanese""".split()
)
_SOME_PEOPLE: Final = frozenset(
    """women woman men man males male females female boys girls children infants babies neonates newborns
    adolescents teenagers youths mothers smokers nonsmokers drinkers diabetics elderly seniors carriers workers
    athletes veterans survivors responders nonresponders whites blacks hospitals centres centers countries wards
    regions areas regions communities settings quartile tertile quintile stratum strata subset""".split()
)
_ALL_PEOPLE: Final = _PEOPLE | _ARMS | _SOME_PEOPLE
_SINGULAR: Final = {
    "women": "woman",
    "men": "man",
    "females": "woman",
    "female": "woman",
    "males": "man",
    "male": "man",
}
# Words that narrow nobody: numbers and arms, and how people came to be studied.
_NEUTRAL: Final = frozenset(
    """a an the this these that those our its their his her such same each all any both either two three four five
    other every total whole entire overall and or nor of more fewer less most many no not few likely
    randomised randomized assigned allocated treated untreated given receiving taking using evaluable eligible
    enrolled included analysed analyzed study trial treatment intervention control controls placebo sham active
    experimental comparison comparator exposed unexposed dummy usual standard care therapy drug dose doses
    respective corresponding individual adult human general only established known confirmed documented
    diagnosed mg g daily use usage supplementation supplement never ever current significantly significant
    statistically mean median proportion percentage number percent
    between among in for with on to by than as from at was were is are had have did do versus vs compared""".split()
)
_STOPS: Final = frozenset(
    """a an the and or nor of more fewer less most many no not few between among in for with on to by than as from at
    within per after during was were is are had have has did do does versus vs compared , ; : that which who where
    when while but if whose because reduced increased improved decreased lowered showed had gave significantly
    affected prevented raised led caused""".split()
)
_GIVEN: Final = frozenset(
    """given receiving received taking took taken using used treated randomised randomized assigned allocated exposed
    unexposed on needed""".split()
)
_NARROWS: Final = frozenset(
    """with without aged age older younger over under above below whose having suffering undergoing requiring needing
    from after at who not adherent""".split()
)
_BEHIND: Final = frozenset(
    """, ; : was were is are had have has did do does than compared versus vs but while in on by during
    showed experienced reported died adjusted developed""".split()
)
_CONTRARY: Final = (
    ("man", "woman"), ("boy", "girl"), ("with", "without"), ("older", "younger"), ("over", "under"), ("high", "low"),
    ("mild", "severe"), ("diabetic", "nondiabetic"), ("smoker", "nonsmoker"),
)  # fmt: skip
_PREPOSITIONS: Final = frozenset("in among for of with within than".split())
_ONLY_SOME: Final = re.compile(
    r"\b(?:only|solely|mainly|mostly|primarily|predominantly|chiefly|exclusively)"
    r" (?:in|among|for|when|if|within|at)\b"
    r"|\brestrict\w*|\bexclu(?:sion of|ding)\b|\bper[- ]protocol\b|\bas[- ]treated\b|\bsub-?(?:sets?|populations?)\b"
    r"|\b(?:when|if|once) (?:it (?:was|is) )?(?:given|started|begun|initiated|taken|administered) (?:early|late|within"
    r"|before|after|at|for|during)\b"
    r"|\bin (?:only |just )?(?:one|two|some|several|a few|a single|most|many|\w+ of the|one of)"
    r" (?:[\w-]+ ){0,3}?(?:trials?|stud(?:y|ies)|cent(?:re|er)s?|hospitals?|reports?|countries|cohorts?)\b"
    r"|\bin the (?:first|second|third|larger|smaller|other|earlier|later|(?-i:[A-Z][a-z]+(?:ese|ish|can|an)))"
    r" (?:trial|study)\b"
    r"|\b(?:who|that) (?:took all|completed|adhered|complied|finished|kept)\b|\b(?:if|provided|unless|as long as)\b"
    r"|\bwhen (?!all\b|compared|they (?:were|are) (?:treated|given)|(?:the )?(?:trials|studies|results|data)\b|pooled)"
    r"(?:[\w-]+ ){1,3}(?:was|were|is)\b"
    r"|\b(?:at )?ages? (?:of )?(?:over|under|above|below)\b|\bover-\d\ds\b",
    re.IGNORECASE,
)
_OLDER: Final = re.compile(
    r"\b(?:(older than|above|over the age of|aged over)|younger than|below|under the age of|aged under)\b",
    re.I,
)
_ALL_KINDS: Final = re.compile(
    r"\b(?:in|among|for) (?:both )?(?:men and women|women and men|males and females|boys and girls|smokers and non-?smokers"
    r"|(?:younger|older) and (?:younger|older) (?:patients|people|adults)"
    r"|(?:patients|people) with (?:and|or) without [\w ]{3,30})\b",
    re.IGNORECASE,
)
_WITH_AND_WITHOUT: Final = re.compile(
    r"\b(?:with (?P<one>[^\W\d_]+)\b.*\bwithout (?P=one)|without (?P<two>[^\W\d_]+)\b.*\bwith (?P=two))\b",
    re.IGNORECASE | re.DOTALL,
)
# Who took part; not how they were divided.
_TOOK_PART: Final = re.compile(
    r"\b(?:randomi[sz]ed|randomly|assigned|allocated|enrolled|recruited|took part|participated|were (?:included|studied"
    r"|eligible)|eligible|inclusion)\b|\A\W*(?:to|we aimed to|in order to) (?:determine|assess|compare|evaluate|investigate"
    r"|examine|study|test|explore)\b",
    re.IGNORECASE,
)
_IN_PARTS: Final = re.compile(
    r"%|\b(?:sub-?groups?|subsets?|strat\w+|including|respectively|than|associated|compared|(?:reduc|increas|improv|lower|high"
    r"|decreas)\w*)\b",
    re.IGNORECASE,
)
_AT_RISK: Final = re.compile(
    r"\bat (high|low|increased|higher|lower|intermediate|moderate)(?: \w+)? risk\b", re.IGNORECASE
)
# "In the intensive care unit, ...": neither time nor kind of analysis.
_BEGINS: Final = re.compile(r"\A\W*(?:In|Within|For|Among|Of|At) (?P<what>[^,]{3,80}),")
_NO_PEOPLE: Final = re.compile(
    r"\b(?:trial|stud|analys|model|review|conclusion|summary|addition|contrast|general|fact|total|particular|short|long"
    r"|term|month|week|year|day|hour|minute|end|follow|baseline|comparison|attack|time|time-?points?|phase|period|data"
    r"|\d+ of)",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(r"(?<=[a-z,]) (?:in|from) (?:the )?(?P<name>[A-Z][a-z]{3,})\b")


def people_of(question: Question) -> str:
    """Return the words in which a question tells of its people: all of it, and the population of its own facets."""
    return f"{question.text} {(question.pico and question.pico.population) or ''}"


def is_with_and_without(sentence: str) -> bool:
    """True where a sentence tells two kinds of people apart: "women with flushing" and "women without flushing"."""
    return _WITH_AND_WITHOUT.search(sentence) is not None


@dataclass(frozen=True, slots=True)
class People:
    """The people that a question and an article are about, in words.

    Attributes
    ----------
    known : frozenset of str
        Stems of the words in which the question or the title may tell of its people, without contraries: a title on
        "men and women" is on neither alone.
    treatments : frozenset of str
        The treatments asked about: "patients on aspirin" are an arm.
    """

    known: frozenset[str]
    treatments: frozenset[str]

    @classmethod
    def of(cls, asked: str, article: Article, treatments: frozenset[str]) -> People:
        """Read the people of a question, of an article's title, and of those who took part by its abstract."""
        abstract = article.abstract or ""
        found = set(finding_sentences(article))
        sentences = ((place in found, abstract[slice(*place)]) for place in sentences_of(abstract))
        took_part = [
            text
            for is_found, text in sentences
            if not (is_found and not _TOOK_PART.search(text)) and not _IN_PARTS.search(text)
        ]
        told = (
            _OLDER.sub(lambda m: "over" if m[1] else "under", text)
            for text in (asked, article.title, *took_part)
        )
        known = {_form(token) for text in told for token in _tokens(text)}
        both = {word for pair in _CONTRARY if known.issuperset(pair) for word in pair}
        return cls(frozenset(known - both), treatments)

    def are_some(self, clause: str) -> bool:
        """True where a clause tells of some of the people, and not of all of them."""
        plain = _OLDER.sub(lambda m: "over" if m[1] else "under", _ALL_KINDS.sub(" ", without_asides(clause)))
        if _ONLY_SOME.search(plain) or self._is_elsewhere(plain):
            return True
        risk = _AT_RISK.search(plain)
        if risk and not self._are_all_known([risk[1].lower(), "risk"]):
            return True
        tokens = _tokens(plain)
        return any(self._is_narrowed(tokens, place) for place in _people_in(tokens))

    def _is_elsewhere(self, clause: str) -> bool:
        begins = _BEGINS.match(clause)
        if begins and not _NO_PEOPLE.search(begins["what"]):
            tokens = _tokens(begins["what"])
            if next(_people_in(tokens), None) is None and not self._are_all_known(tokens):
                return True
        return any(not self._are_all_known([m["name"].lower()]) for m in _PLACE.finditer(clause))

    def _is_narrowed(self, tokens: Sequence[str], place: int) -> bool:
        noun, before, behind = tokens[place], tokens[:place], tokens[place + 1 :]
        narrowing = list(takewhile(lambda word: word not in _STOPS, reversed(before)))
        if noun in _ARMS:
            narrowing = [word for word in narrowing if word in _NO_ARM]
        if noun not in _PEOPLE | _ARMS:
            narrowing.append(noun)
        return not self._are_all_known(narrowing) or self._is_narrowed_behind(noun, before, behind)

    def _is_narrowed_behind(self, noun: str, before: Sequence[str], behind: Sequence[str]) -> bool:
        first = behind[0] if behind else ""
        if first == "with" and behind[1:2] and behind[1] in ("respect", "regard"):
            return False
        if first.isdigit() and "years" in behind[1:5]:
            return not self.known.issuperset(word for word in behind[:4] if word.isdigit())
        governed = noun not in _ARMS and any(word in _PREPOSITIONS for word in before[-4:])
        participle = governed and first.endswith("ed") and first not in _GIVEN | _BEHIND
        if first not in _NARROWS and not participle:
            return False
        said = list(takewhile(lambda word: word not in _BEHIND, behind[1:8]))
        if first == "who":
            return not (_GIVEN.intersection(behind[1:6]) or outcomes_in(" ".join(behind[1:7])))
        if first in ("with", "after") and names_asked(" ".join(said), self.treatments) and self.treatments:
            return False
        if first == "without" and said and said[0] in ("it", "them", "this", "treatment", "therapy"):
            return False
        own = () if first in ("with", "after", "at", "from") or participle else (first,)
        if first == "at" and "risk" not in said:
            return False
        return not said or not self._are_all_known([*own, *said])

    def _are_all_known(self, tokens: Sequence[str]) -> bool:
        forms = (_form(token) for token in tokens if token not in _NEUTRAL and not token.isdigit())
        unknown = [form for form in forms if form not in self.known and not self._is_alike(form)]
        numbers = [token for token in tokens if token.isdigit() and len(tokens) > 1]
        if any(token in ("over", "under", "aged", "older", "younger", "above", "below") for token in tokens):
            unknown += [number for number in numbers if number not in self.known]
        return not [form for form in unknown if not (self.treatments and names_asked(form, self.treatments))]

    def _is_alike(self, form: str) -> bool:
        """True where a word is another form of a known one: "hypertensive" for "hypertension"."""
        if len(form) < _SHORTEST_ALIKE:
            return False
        return any(_is_same_root(form, word) for word in self.known)


def _is_same_root(one: str, two: str) -> bool:
    size = max(_SHORTEST_ROOT, min(len(one), len(two)) - _LONGEST_ENDING)
    return len(two) >= size and one[:size] == two[:size]


def _tokens(text: str) -> list[str]:
    return [found.group().lower() for found in _TOKEN.finditer(text)]


def _form(token: str) -> str:
    return _SINGULAR.get(token) or stem(token)


def _people_in(tokens: Sequence[str]) -> Iterator[int]:
    for place, token in enumerate(tokens):
        if token in _ALL_PEOPLE or token.endswith("genarians"):
            yield place
