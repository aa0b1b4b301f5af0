"""How many took part, read from title and abstract, in all and per arm.

A number counts when it stands with people ("120 adults were randomised", "we enrolled one hundred and
twenty women") or with its letter ("n = 120"). Percentages, ages, doses and years are not taken: people have
to follow, or ``n =`` to stand before. Arms are given only where they add up to the total.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from metarag.design_text import fold, sentence_around
from metarag.records import Article
from metarag.types import SampleSize, Span

MAX_CHARACTERS: Final = 20_000
"""Characters that are read: an abstract, or the beginning of a full text."""

_ONES: Final = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
        start=1,
    )
}
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_SCALES: Final = {"hundred": 100, "thousand": 1000}
_ANY_WORD: Final = "|".join(sorted({*_ONES, *_TENS, *_SCALES}, key=len, reverse=True))
_NUMBER: Final = (
    r"(?<![\w.,/%-])(?P<number>\d{1,3}(?:[, ]\d{3}){1,2}(?![\d,.]\d)|\d{1,6}(?![\d%]|[.,]\d)"
    rf"|(?:{_ANY_WORD})(?:(?:-|\s(?:and\s)?)(?:{_ANY_WORD})){{0,6}}\b)(?!\s?%|\s?(?:percent|per\scent"
    r"|kg|mg|g|ml|cm|mm|µg|mcg|iu|years?|months?|weeks?|days?|hours?|min|minutes)\b)"
)
_PEOPLE: Final = (
    "(?:patients|participants|subjects|adults|children|infants|neonates|newborns|women|men|people"
    "|persons|individuals"
    "|volunteers|adolescents|girls|boys|mothers|students|workers|nurses|physicians|veterans"
    "|residents|smokers|athletes"
    "|households|families|couples|outpatients|inpatients|survivors|males|females|cases|pregnancies"
    "|eyes|knees|teeth"
    "|recipients|youths?|carriers|donors|responders|dyads|pairs|caregivers|employees|soldiers"
    "|teachers|boys|asthmatics)"
)
# Words between the number and the people; a unit there means that something else is counted.
_KIND: Final = (
    r"(?:\s(?!(?:years?|months?|weeks?|days?|hours?|min|mg|kg|ml|percent|of|to|or|and|in|trials?"
    "|studies|centers?|centres?|hospitals?"
    r"|sites?|clinics?|practices)\b)[a-z][^\s.;:()\d]{0,25}){0,5}?"
)
_COUNTED: Final = rf"{_NUMBER}{_KIND}\s{_PEOPLE}\b"
_FILL: Final = r"(?:\s[^\s.;:]{1,25}){0,%d}?"
_RANDOMISED: Final = (
    r"(?:randomi[sz]ed|randomly\s(?:assigned|allocated|divided)"
    r"|(?:assigned|allocated)\s(?:randomly|at\srandom))"
)
_ENROLLED: Final = r"(?:enrolled|recruited|entered|participated|took\spart)"
_ANALYSED: Final = r"(?:analy[sz]ed|evaluable|completed|included\sin\sthe\sanalys[ie]s)"
_REVIEWED: Final = (
    r"(?:included|identified|eligible|met|involving|with|enrolling|comprising|totalling|totaling|reporting)"
)
_AFTER_N: Final = r"(?P<number>\d{1,3}(?:[, ]\d{3})+(?!\d)|\d{1,6})\b"
# "At month three they were randomised", "until December 2014 ...", "at least 60 patients".
_NOT_AFTER: Final = re.compile(
    r"(?:\b(?:months?|weeks?|days?|years?|visits?|phase|stage|grade|type|age|aged|level|least"
    r"|one\sin|of\sthe|than|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|since|until)\s)$"
)
_LEFT: Final = re.compile(
    r"(?:\s[^\s.;:]{1,25}){0,5}?\s(?:withdrew|dropped|died|discontinued|excluded|refused|declined"
    "|experienced|lost|relapsed"
    r"|responded|failed|missed|did\snot|required|needed)\b"
)

_Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _compiled(*rules: tuple[str, str]) -> _Rules:
    return tuple((kind, re.compile(pattern)) for kind, pattern in rules)


_CLEAR: Final = _compiled(
    ("randomised", rf"{_COUNTED}{_FILL % 12}\s{_RANDOMISED}\b"),
    ("randomised", rf"{_RANDOMISED}{_FILL % 3}\s{_COUNTED}"),
    ("randomised", rf"{_NUMBER}{_FILL % 2}\s(?:were|was)\s{_RANDOMISED}\b"),
    ("enrolled", rf"{_COUNTED}{_FILL % 10}\s{_ENROLLED}\b"),
    ("enrolled", rf"{_ENROLLED}{_FILL % 3}\s{_COUNTED}"),
    ("included", rf"(?:total\sof|comprised|included|involving|sample\sof|series\sof)\s{_COUNTED}"),
    (
        "included",
        rf"{_COUNTED}{_FILL % 8}\s(?:included|investigated|treated"
        r"|followed|examined|received|underwent)\b",
    ),
    ("analysed", rf"{_COUNTED}{_FILL % 6}\s{_ANALYSED}\b"),
)
_WEAK: Final = _compiled(
    ("included", rf"{_PEOPLE}(?:\s[^\s.;:()]{{1,25}}){{0,3}}?\s\(n\s?=\s?{_AFTER_N}\)"),
    ("included", rf"(?:in|of|among|to|data\sfrom|with)\s{_COUNTED}"),
    ("included", _COUNTED),
    (
        "studies",
        rf"{_NUMBER}{_KIND}\s(?:trials|studies|rcts|articles|reports|reviews){_FILL % 6}\s{_REVIEWED}\b",
    ),
)
_ARM: Final = re.compile(rf"\bn\s?=\s?{_AFTER_N}")
_GROUPS: Final = re.compile(
    r"\b(?:groups?|arms?|placebo|control|assigned|allocated|randomi[sz]ed|received|versus|or)\b"
)
_LONGEST_WORD_BEFORE: Final = 14
_JUST_BEFORE: Final = 50
_MOST_ARMS: Final = 8
_OF_THE_SAME: Final = 600
"""Characters around the total in which its arms are looked for."""


class _Text(NamedTuple):
    where: str
    text: str
    folded: str

    @classmethod
    def of(cls, where: str, text: str) -> _Text:
        read = text[:MAX_CHARACTERS]
        return cls(where, read, fold(read))

    def span(self, start: int, end: int) -> Span:
        return Span(where=self.where, start=start, end=end, text=self.text[start:end])


def extract_sample_size(article: Article) -> SampleSize | None:
    """Return how many took part, or ``None`` when no number can be read.

    Randomised stands before enrolled, included and analysed; of one kind the first in the abstract counts,
    then in the title. ``studies`` is given only where no number of people is.
    """
    abstract = _Text.of("abstract", article.abstract or "")
    texts = (abstract, _Text.of("title", article.title))
    return _read(_CLEAR, texts) or _from_arms_alone(abstract) or _read(_WEAK, texts)


def _read(rules: _Rules, texts: tuple[_Text, ...]) -> SampleSize | None:
    for kind, pattern in rules:
        for text in texts:
            found = _first(pattern, text)
            if found:
                total, span = found
                return SampleSize(total=total, kind=kind, arms=_arms(total, span, text), span=span)
    return None


def _from_arms_alone(text: _Text) -> SampleSize | None:
    """Return the arms and their sum where a sentence has two or more: "drug (n = 25), placebo (n = 24)"."""
    for match in _ARM.finditer(text.folded):
        sentence = sentence_around(text.folded, match.start(), match.end())
        offset = text.folded.find(sentence, max(0, match.start() - len(sentence)))
        arms = list(_ARM.finditer(sentence))
        sizes = _said_once(tuple(to_number(arm["number"]) for arm in arms))
        if len(sizes) < 2 or not all(sizes) or not _GROUPS.search(sentence):
            continue
        kind = "randomised" if "random" in sentence else "included"
        span = text.span(offset + arms[0].start(), offset + arms[-1].end())
        return SampleSize(total=sum(sizes), kind=kind, arms=sizes, span=span)
    return None


def _said_once(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Drop a first division that the second one repeats: (31, 31, 38, 24) are two arms of 62, not four."""
    for middle in range(1, len(sizes) - 1):
        if sum(sizes[:middle]) == sum(sizes[middle:]) and len(set(sizes)) > 1:
            return sizes[middle:]
    return sizes


def _first(pattern: re.Pattern[str], text: _Text) -> tuple[int, Span] | None:
    for match in pattern.finditer(text.folded):
        total = to_number(match["number"])
        start = match.start("number")
        before = text.folded[max(0, start - _LONGEST_WORD_BEFORE) : start]
        if total and not _NOT_AFTER.search(before) and not _LEFT.match(text.folded, match.end()):
            return total, text.span(match.start(), match.end())
    return None


def _arms(total: int, span: Span, text: _Text) -> tuple[int, ...]:
    """Return the sizes of the arms around the total, if the first two or more add up to it exactly."""
    around = text.folded[max(0, span.start - _JUST_BEFORE) : span.end + _OF_THE_SAME]
    sizes = [to_number(match["number"]) for match in _ARM.finditer(around)]
    for start in (0, 1):
        for end in range(start + 2, min(len(sizes), start + _MOST_ARMS) + 1):
            arms = sizes[start:end]
            if sum(arms) == total and all(arms):
                return tuple(arms)
    return ()


def to_number(words: str) -> int:
    """Return ``1,200``, ``1 200`` or ``one thousand two hundred`` as a number; 0 when it is none."""
    digits = words.replace(",", "").replace(" ", "")
    if digits.isdecimal():
        return int(digits)
    total = part = 0
    for word in re.split(r"[-\s]+", words):
        if word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if _SCALES[word] == _SCALES["thousand"]:
                total, part = total + part, 0
        else:
            part += _ONES.get(word, 0) + _TENS.get(word, 0)
    return total + part
