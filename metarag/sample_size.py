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
    rf"|(?:{_ANY_WORD})(?:(?:-|\s(?:and\s)?)(?:{_ANY_WORD})){{0,6}}\b)(?!\s?%|\s(?:percent|per cent)\b)"
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
# Words between the number and the people; a unit or a further number there means that it counts something else.
_KIND: Final = (
    r"(?:\s(?!(?:years?|months?|weeks?|days?|hours?|min|mg|kg|ml|percent|of|to|or|and|trials?"
    "|studies|centers?|centres?|hospitals?"
    r"|sites?|clinics?|practices)\b)[a-z][^\s.;:()\d]{0,25}){0,5}?"
)
_COUNTED: Final = rf"{_NUMBER}{_KIND}\s{_PEOPLE}\b"
_FILL: Final = r"(?:\s[^\s.;:]{1,25}){0,%d}?"
_RANDOMISED: Final = r"(?:randomi[sz]ed|randomly\s(?:assigned|allocated|divided)|(?:assigned|allocated)\s(?:randomly|at\srandom))"
_ENROLLED: Final = r"(?:enrolled|recruited|entered|participated|took\spart|were\sstudied)"
_ANALYSED: Final = r"(?:analy[sz]ed|evaluable|completed|included\sin\sthe\sanalys[ie]s)"
_REVIEWED: Final = (
    r"(?:included|identified|eligible|met|involving|with|enrolling|comprising|totalling|totaling|reporting)"
)
_AFTER_N: Final = r"(?P<number>\d{1,3}(?:[, ]\d{3})+(?!\d)|\d{1,6})\b"
# "At month three they were randomised", "one in ten children", "at least 60 patients".
_NOT_AFTER: Final = re.compile(
    r"(?:\b(?:months?|weeks?|days?|years?|visits?|phase|stage|grade|type|age|aged|level|least"
    r"|one\sin|of\sthe|than)\s)$"
)
_LEFT: Final = re.compile(
    r"(?:\s[^\s.;:]{1,25}){0,5}?\s(?:withdrew|dropped|died|discontinued|excluded|refused|declined"
    "|experienced|lost|relapsed"
    r"|responded|failed|missed|did\snot|required|needed)\b"
)

_RULES: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("randomised", rf"{_COUNTED}{_FILL % 12}\s{_RANDOMISED}\b"),
        ("randomised", rf"{_RANDOMISED}{_FILL % 3}\s{_COUNTED}"),
        ("randomised", rf"{_NUMBER}{_FILL % 2}\s(?:were|was)\s{_RANDOMISED}\b"),
        ("enrolled", rf"{_COUNTED}{_FILL % 10}\s{_ENROLLED}\b"),
        ("enrolled", rf"{_ENROLLED}{_FILL % 3}\s{_COUNTED}"),
        ("included", rf"(?:total\sof|comprised|included|involving|sample\sof|series\sof)\s{_COUNTED}"),
        (
            "included",
            rf"{_COUNTED}{_FILL % 8}\s(?:included|investigated|treated|followed|examined|received|underwent)\b",
        ),
        ("analysed", rf"{_COUNTED}{_FILL % 6}\s{_ANALYSED}\b"),
        ("included", rf"{_PEOPLE}(?:\s[^\s.;:()]{{1,25}}){{0,3}}?\s\(n\s?=\s?{_AFTER_N}\)"),
        ("included", rf"(?:in|of|among|to|data\sfrom|with)\s{_COUNTED}"),
        ("included", _COUNTED),
        (
            "studies",
            rf"{_NUMBER}{_KIND}\s(?:trials|studies|rcts|articles|reports|reviews){_FILL % 6}\s{_REVIEWED}\b",
        ),
    )
)
_ARM: Final = re.compile(rf"\bn\s?=\s?{_AFTER_N}")
_GROUPS: Final = re.compile(
    r"\b(?:groups?|arms?|placebo|control|assigned|allocated|randomi[sz]ed|received|versus|or)\b"
)
_OF_THE_SAME: Final = 600
"""Characters around the total in which its arms are looked for."""


class _Found(NamedTuple):
    total: int
    kind: str
    span: Span


def extract_sample_size(article: Article) -> SampleSize | None:
    """Return how many took part, or ``None`` when no number can be read.

    Randomised stands before enrolled, included and analysed; of one kind the first in the abstract counts,
    then in the title. ``studies`` is given only where no number of people is.
    """
    texts = (("abstract", article.abstract or ""), ("title", article.title))
    for kind, pattern in _RULES:
        if kind == "studies":
            arms = _from_arms_alone(article.abstract or "")
            if arms:
                return arms
        for where, text in texts:
            found = _first(pattern, kind, where, text[:MAX_CHARACTERS])
            if found:
                return SampleSize(total=found.total, kind=kind, arms=_arms(found, text), span=found.span)
    return None


def _from_arms_alone(text: str) -> SampleSize | None:
    """Return the arms and their sum where one sentence gives two or more: "drug (n = 25), placebo (n = 24)"."""
    folded = fold(text[:MAX_CHARACTERS])
    for match in _ARM.finditer(folded):
        sentence = sentence_around(folded, match.start(), match.end())
        offset = folded.find(sentence, max(0, match.start() - len(sentence)))
        arms = list(_ARM.finditer(sentence))
        sizes = _said_once(tuple(to_number(arm["number"]) for arm in arms))
        if len(sizes) < 2 or not all(sizes) or not _GROUPS.search(sentence):
            continue
        start, end = offset + arms[0].start(), offset + arms[-1].end()
        span = Span(where="abstract", start=start, end=end, text=text[start:end])
        kind = "randomised" if "random" in sentence else "included"
        return SampleSize(total=sum(sizes), kind=kind, arms=sizes, span=span)
    return None


def _said_once(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Drop a first division that the second one repeats: (31, 31, 38, 24) are two arms of 62, not four."""
    for middle in range(1, len(sizes) - 1):
        if sum(sizes[:middle]) == sum(sizes[middle:]) and len(set(sizes)) > 1:
            return sizes[middle:]
    return sizes


def _first(pattern: re.Pattern[str], kind: str, where: str, text: str) -> _Found | None:
    folded = fold(text)
    for match in pattern.finditer(folded):
        total = to_number(match["number"])
        start = match.start("number")
        if (
            total
            and not _NOT_AFTER.search(folded[max(0, start - 14) : start])
            and not _LEFT.match(folded, match.end())
        ):
            quote = text[match.start() : match.end()]
            return _Found(total, kind, Span(where=where, start=match.start(), end=match.end(), text=quote))
    return None


def _arms(found: _Found, text: str) -> tuple[int, ...]:
    """Return the sizes of the arms around the total, if the first two or more add up to it exactly."""
    around = fold(text)[max(0, found.span.start - 50) : found.span.end + _OF_THE_SAME]
    sizes = [to_number(match["number"]) for match in _ARM.finditer(around)]
    for start in (0, 1):
        for end in range(start + 2, min(len(sizes), start + 8) + 1):
            arms = sizes[start:end]
            if sum(arms) == found.total and all(arms):
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
