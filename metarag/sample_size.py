"""How many took part, read from title and abstract, in all and per arm.

A number counts when it stands with people ("120 adults were randomised", "we enrolled one hundred and
twenty women") or with its letter ("n = 120"). Percentages, ages, doses and years are not taken: people have
to follow, or ``n =`` to stand before. Arms are given only where they add up to the total. The count of an
arm ("9 of 135 men given tablets and 23 of 134 given placebo") is never the total: a total stated anywhere
stands before arms, and the sum of two arms is the total only where the text says that they were allocated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from metarag.design_text import sentence_around
from metarag.literals import holds_one, places_of
from metarag.number_words import NUMBER, PEOPLE, to_number
from metarag.records import Article
from metarag.sample_size_text import COUNTED, KIND, WERE, CountingText, compiled
from metarag.types import SampleSize, Span

# Not over "300 were": what follows is said of those 300.
_FILL: Final = r"(?:\s(?!\d[\d,]*(?:\s[a-z]{1,20})?\s(?:were|was|had|received)\b)[^\s.;:]{1,25}){0,%d}?"
_RANDOMISED: Final = (
    r"(?:randomi[sz]ed|randomly\s(?:assigned|allocated|divided)"
    r"|(?:assigned|allocated)\s(?:randomly|at\srandom))"
)
_ENROLLED: Final = r"(?:enrolled|recruited|entered|participated|took\spart)"
_ANALYSED: Final = r"(?:analy[sz]ed|evaluable|completed|included\sin\sthe\sanalys[ie]s)"
_REVIEWED: Final = (
    "(?:included|identified|eligible|met|involving|with|enrolling|comprising|totall?ing|reporting)"
)
_AFTER_N: Final = r"(?P<number>\d{1,3}(?:[, ]\d{3})+(?!\d)|\d{1,6})\b"
# "At month three they were randomised", "until December 2014 ...", "at least 60 patients".
_NOT_AFTER: Final = re.compile(
    r"(?:\b(?:months?|weeks?|days?|years?|visits?|phase|stage|grade|type|age|aged|level|least"
    r"|one\sin|of\sthe|than|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|since|until)\s)$"
)
# "For each case, 2 referent patients": a ratio of groups, which is nearly always below ten.
_FOR_EACH: Final = re.compile(r"\bfor\s(?:each|every)\b[^.;:]{0,120}\Z")
_MOST_FOR_EACH: Final = 9
# One or two are a part of the people ("2 patients (0.06%) had"), unless a study of so few says that it is one.
_FEW: Final = 2
_STUDY_OF_FEW: Final = re.compile(
    r"\b(?:we|article|paper|report)\s(?:also\s)?(?:report|describe|present|saw|treated|studied)"
    r"|\bto\s(?:report|describe|present)\b|\b(?:described|studied|conducted|examined|evaluated|investigated|encountered)\b"
    r"|\b(?:patients|participants|subjects|people)\swere\srandom"
    r"|\b(?:examin|evaluat|investigat)(?:es?|ing)\b|\b(?:cases?\s(?:reports?|series|of)|reports?\sof)\b|\bstudy\sof\b"
)
_IN_PERCENT: Final = re.compile(r"[^.;:()]{0,10}\(\s?\d{1,3}(?:[.\u00b7]\d{1,3})?\s?%")
_LEFT: Final = re.compile(
    r"(?:\s[^\s.;:]{1,25}){0,5}?\s(?:withdrew|dropped|died|discontinued|excluded|refused|declined"
    r"|experienced|lost|relapsed|responded|failed|missed|did\snot|required|needed)\b"
)

_NUMBERS: Final = "numbers"
_COUNTS: Final = "counts"
_COUNTS_AFTER: Final = re.compile(r"(?:in|of|among|to|data\sfrom|with)\s\Z")
_LONGEST_BEFORE_COUNT: Final = 10


class _Rule(NamedTuple):
    """A pattern and where it is tried, so that no pattern walks over the whole text.

    Attributes
    ----------
    at : str or tuple of str
        Where a match can begin: at numbers, at counts of people, or at one of some literals before a count.
    needs : tuple of str
        Literals of which each match holds one; often empty.
    """

    kind: str
    at: str | tuple[str, ...]
    pattern: str
    needs: tuple[str, ...] = ()


_CLEAR: Final = (
    _Rule("randomised", _COUNTS, rf"{COUNTED}{_FILL % 20}\s{_RANDOMISED}\b", ("random",)),
    _Rule(
        "randomised",
        ("randomi", "randomly", "assigned", "allocated"),
        rf"{_RANDOMISED}{_FILL % 3}\s{COUNTED}",
    ),
    _Rule(
        "randomised",
        _NUMBERS,
        rf"{NUMBER}(?:\sof\s\S{{1,9}})?{_FILL % 2}\s(?:were|was)\s{_RANDOMISED}\b",
        ("random",),
    ),
    _Rule(
        "enrolled",
        _COUNTS,
        rf"{COUNTED}{_FILL % 10}\s{_ENROLLED}\b",
        ("enrolled", "recruited", "entered", "participated", "took"),
    ),
    _Rule(
        "enrolled",
        ("enrolled", "recruited", "entered", "participated", "took"),
        rf"{_ENROLLED}{_FILL % 3}\s{COUNTED}",
    ),
    _Rule("enrolled", _NUMBERS, rf"{NUMBER}\s(?:took\spart|participated)\b", ("took", "participated")),
    _Rule(
        "included",
        _NUMBERS,
        rf"{NUMBER}(?:\s{PEOPLE})?\s(?:in\s(?:all|total)|altogether)\b",
        ("all", "total", "altogether"),
    ),
    _Rule(
        "included",
        ("total", "comprised", "included", "involving", "sample", "series"),
        rf"(?:total\sof|comprised|included|involving|sample\sof|series\sof)\s{COUNTED}",
    ),
    _Rule(
        "included",
        _COUNTS,
        rf"{COUNTED}{_FILL % 8}\s(?:included|investigated|treated"
        r"|followed|examined|received|underwent)\b",
        ("included", "investigated", "treated", "followed", "examined", "received", "underwent"),
    ),
    _Rule(
        "analysed",
        _COUNTS,
        rf"{COUNTED}{_FILL % 6}\s{_ANALYSED}\b",
        ("analys", "analyz", "evaluable", "completed"),
    ),
)
_WIDEST_FROM_NUMBER: Final = 260
"""Characters, at most, of a match that begins at a number but not at people: seven number words and eight more."""
_WIDEST_TO_COUNT: Final = 110
"""Characters, at most, from a literal to the count that it stands before: two words and three more."""
_PEOPLE_WITH_N: Final = rf"{PEOPLE}(?:\s[^\s.;:()]{{1,25}}){{0,3}}?\s\(n\s?=\s?{_AFTER_N}\)"
_WIDEST_BEFORE_N: Final = 100
_WIDEST_AFTER_N: Final = 40
_ANY_COUNT: Final = _Rule("included", _COUNTS, COUNTED)
_STUDIES: Final = _Rule(
    "studies",
    _NUMBERS,
    rf"{NUMBER}{KIND}\s(?:trials|studies|rcts|articles|reports|reviews){_FILL % 6}\s{_REVIEWED}\b",
    ("trials", "studies", "rcts", "articles", "reports", "reviews"),
)
_ARM: Final = re.compile(rf"\bn\s?=\s?{_AFTER_N}")
_GROUPS: Final = re.compile(
    r"\b(?:groups?|arms?|placebo|control|assigned|allocated|randomi[sz]ed|received|matched|versus|or)\b"
)
_WIDEST_BEFORE: Final = 80
_OF_BEFORE: Final = re.compile(r"(?<![a-z\d])\d[\d,]*(?:\s[a-z]{1,20}){0,5}\s(?:of|among)\s(?:the\s)?\Z")
_ALLOCATED: Final = re.compile(r"\b(?:random|assigned|allocated|given\seither)")
_COMPARED: Final = re.compile(r"\b(?:groups?|arms?|placebo|controls?|versus|vs|compared)\b")
_OF_AN_ARM: Final = re.compile(
    rf"{NUMBER}{KIND}\s(?:(?:placebo|control)\s{PEOPLE}\b|{PEOPLE}{WERE}\sin\sthe"
    r"\s(?!(?:study|whole|total|entire)\s)(?:[^\s.;:(),]{1,25}\s){1,4}?(?:group|arm)\b"
    rf"|{PEOPLE}\s(?:given|allocated|assigned)\s(?!randomly|(?:to\s)?either\b)"
    r"(?![^.;:]{0,80}\b(?:or|either|and|versus|vs)\b))"
)
_LONGEST_WORD_BEFORE: Final = 14
_JUST_BEFORE: Final = 50
_MOST_ARMS: Final = 8
_OF_THE_SAME: Final = 600
"""Characters around the total in which its arms are looked for."""


def extract_sample_size(article: Article) -> SampleSize | None:
    """Return how many took part, or ``None`` when no number can be read.

    Randomised stands before enrolled, included and analysed; of one kind the first in the abstract counts,
    then in the title. Where only arms are counted, the total is their sum, of the kind ``arms``. ``studies``
    is given only where no number of people is.
    """
    abstract = CountingText.of("abstract", article.abstract or "")
    texts = (abstract, CountingText.of("title", article.title))
    counting = tuple(text for text in texts if text.numbers)
    found = (
        _read(_CLEAR, counting)
        or _from_arms_alone(abstract)
        or _from_people_with_n(texts)
        or _from_counts_after_a_preposition(texts)
        or _read((_ANY_COUNT,), counting)
        or _from_rows(abstract)
        or _read((_STUDIES,), counting)
    )
    if found is None or found.arms:
        return found
    rows = (tuple(row.sizes.values()) for row in abstract.rows)
    return found.model_copy(update={"arms": next((row for row in rows if sum(row) == found.total), ())})


def _read(rules: tuple[_Rule, ...], texts: tuple[CountingText, ...]) -> SampleSize | None:
    for rule in rules:
        for text in texts:
            for match in _matches(rule, text):
                if _is_a_size(match, text, rule.kind):
                    return _size(rule.kind, match, text, match.start())
    return None


def _is_an_arm(start: int, text: CountingText) -> bool:
    """Tell whether the count there is that of an arm: in a row, "in the placebo group", "3 of 40 given"."""
    if any(start in row.sizes for row in text.rows):
        return True
    before = text.folded[max(0, start - _WIDEST_BEFORE) : start]
    said = _OF_AN_ARM.match(text.folded, start) or _OF_BEFORE.search(before)
    return bool(said and _COMPARED.search(sentence_around(text.folded, start, start)))


def _from_rows(text: CountingText) -> SampleSize | None:
    """Return the sum of the arms that were allocated, unless two sentences give different sums."""
    clear = []
    for row in text.rows:
        start = min(row.sizes)
        around = sentence_around(text.folded, start, row.end)
        of = _OF_BEFORE.search(text.folded[max(0, start - _WIDEST_BEFORE) : start])
        if all(row.sizes.values()) and (_ALLOCATED.search(around) or (of and _COMPARED.search(around))):
            clear.append(row)
    if len({sum(row.sizes.values()) for row in clear}) != 1:
        return None
    row = clear[0]
    sizes = tuple(row.sizes.values())
    return SampleSize(total=sum(sizes), kind="arms", arms=sizes, span=text.span(min(row.sizes), row.end))


def _from_people_with_n(texts: tuple[CountingText, ...]) -> SampleSize | None:
    """Return the first "healthy adults (n = 40)"."""
    search = compiled(_PEOPLE_WITH_N).search
    for text in texts:
        end = 0
        for bracket in places_of("(n", text.folded):
            low, high = max(end, bracket - _WIDEST_BEFORE_N), bracket + _WIDEST_AFTER_N
            match = search(text.folded, low, high)
            if match and _is_a_size(match, text, "included"):
                return _size("included", match, text, match.start())
            end = match.end() if match else end
    return None


def _from_counts_after_a_preposition(texts: tuple[CountingText, ...]) -> SampleSize | None:
    """Return the first "in 40 adults": how many there were, although nothing says what was done to them."""
    for text in texts:
        end = 0
        for start in text.counts:
            before = _COUNTS_AFTER.search(text.folded, max(end, start - _LONGEST_BEFORE_COUNT), start)
            match = compiled(COUNTED).match(text.folded, start) if before else None
            if before and match:
                if _is_a_size(match, text, "included"):
                    return _size("included", match, text, before.start())
                end = match.end()
    return None


def _matches(rule: _Rule, text: CountingText) -> Iterator[re.Match[str]]:
    """Yield the matches that do not overlap, from left to right."""
    end = 0
    for start in _starts(rule, text):
        match = compiled(rule.pattern).match(text.folded, start) if start >= end else None
        if match:
            yield match
            end = match.end()


def _starts(rule: _Rule, text: CountingText) -> list[int]:
    """Return where a match of the rule may begin; what it needs is looked for before the pattern is tried."""
    if rule.at == _COUNTS:
        clauses = zip(text.counts, text.clauses, strict=True)
        return [n for n, clause in clauses if not rule.needs or holds_one(clause, rule.needs)]
    if rule.at == _NUMBERS:
        if not holds_one(text.folded, rule.needs):
            return []
        ahead = _WIDEST_FROM_NUMBER
        return [n for n in text.numbers if holds_one(text.folded[n : n + ahead], rule.needs)]
    starts = (n for literal in rule.at for n in places_of(literal, text.folded)) if text.counts else ()
    return sorted(n for n in starts if _stands_before(n, text.counts))


def _stands_before(start: int, counts: tuple[int, ...]) -> bool:
    following = bisect_right(counts, start)
    return following < len(counts) and counts[following] - start <= _WIDEST_TO_COUNT


def _is_a_size(match: re.Match[str], text: CountingText, kind: str) -> bool:
    start = match.start("number")
    before = text.folded[max(0, start - _LONGEST_WORD_BEFORE) : start]
    number = to_number(match["number"])
    return bool(
        number
        and not (number <= _MOST_FOR_EACH and _FOR_EACH.search(text.folded[max(0, start - 130) : start]))
        and (number > _FEW or kind == _STUDIES.kind or _is_a_study_of_few(match, text))
        and not _is_an_arm(start, text)
        and not _NOT_AFTER.search(before)
        and not _LEFT.match(text.folded, match.end())
    )


def _is_a_study_of_few(match: re.Match[str], text: CountingText) -> bool:
    """True for "we report two patients with ..."; a part of the people is told in percent, or of no study."""
    said = sentence_around(text.folded, match.start("number"), match.end())
    return bool(_STUDY_OF_FEW.search(said) and not _IN_PERCENT.match(text.folded, match.end()))


def _size(kind: str, match: re.Match[str], text: CountingText, start: int) -> SampleSize:
    span = text.span(start, match.end())
    total = to_number(match["number"])
    return SampleSize(total=total, kind=kind, arms=_arms(total, span, text), span=span)


def _from_arms_alone(text: CountingText) -> SampleSize | None:
    """Return the arms and their sum where a sentence has two or more: "drug (n = 25), placebo (n = 24)"."""
    for match in _arm_sizes(text.folded):
        sentence = sentence_around(text.folded, match.start(), match.end())
        if not _GROUPS.search(sentence):
            continue
        offset = text.folded.find(sentence, max(0, match.start() - len(sentence)))
        arms = list(_arm_sizes(sentence))
        sizes = _said_once(tuple(to_number(arm["number"]) for arm in arms))
        if len(sizes) < 2 or not all(sizes):
            continue
        kind = "randomised" if "random" in sentence else "included"
        span = text.span(offset + arms[0].start(), offset + arms[-1].end())
        return SampleSize(total=sum(sizes), kind=kind, arms=sizes, span=span)
    return None


def _arm_sizes(folded: str) -> Iterator[re.Match[str]]:
    """Yield each "n = 40"; the sign is rarer than the letter, so that it is looked for."""
    for sign in places_of("=", folded):
        match = _ARM.match(folded, sign - (1 if folded[sign - 1 : sign] == "n" else 2)) if sign else None
        if match:
            yield match


def _said_once(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Drop a first division that the second one repeats: (31, 31, 38, 24) are two arms of 62, not four."""
    for middle in range(1, len(sizes) - 1):
        if sum(sizes[:middle]) == sum(sizes[middle:]) and len(set(sizes)) > 1:
            return sizes[middle:]
    return sizes


def _arms(total: int, span: Span, text: CountingText) -> tuple[int, ...]:
    """Return the sizes of the arms around the total, if the first two or more add up to it exactly."""
    around = text.folded[max(0, span.start - _JUST_BEFORE) : span.end + _OF_THE_SAME]
    sizes = [to_number(match["number"]) for match in _arm_sizes(around)]
    for start in (0, 1):
        for end in range(start + 2, min(len(sizes), start + _MOST_ARMS) + 1):
            arms = sizes[start:end]
            if sum(arms) == total and all(arms):
                return tuple(arms)
    return ()
