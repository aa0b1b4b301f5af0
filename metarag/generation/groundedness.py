"""Whether the numbers and quotations of an answer stand in the articles that it cites: by rule.

A number that no cited article has is the commonest invention, and the one that can be seen without
understanding the sentence. What was computed from the article's numbers is flagged too: nobody checked it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal

from metarag.generation.base import AnswerSentence
from metarag.llm.quotes import SHORTEST_QUOTE, find_quote

QUOTE_FLAG = "quote"
NUMBER_FLAG = "number:"
_NUMBER = re.compile(
    r"(?<![\w.,·])(\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?:[.·]\d+)?|\d+(?:[.·]\d+)?|[.·]\d+)(?![\w]*\d)"
)
# Digits inside names are no numbers: COVID-19, 5-HT3, ISIS-4, IL-6, H1N1, B12.
_NAME = re.compile(r"\b[^\W\d_]+[-‐‑]?\d+(?:[-‐‑]?[^\W_]+)*\b|\b\d+[-‐‑][A-Z]{2,}\w*\b")
_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
# Thousands set apart by a space, or by a point where decimals have a comma.
_APART = re.compile(r"(?<![\w.,·])\d{1,3}(?: \d{3})+(?![\w]*\d)")
_APART_BY_POINTS = re.compile(r"(?<![\w.,·])\d{1,3}(?:\.\d{3})+(?![\w]*\d)")
_QUOTED = re.compile(r"[“\"]([^”\"“]{1,600})[”\"]")


@dataclass(frozen=True, slots=True)
class Grounding:
    """Sentences with flags for what is not in their sources.

    Attributes
    ----------
    counts : Counter of str
        ``numbers``, ``numbers_not_in_sources``, ``quotes``, ``quotes_not_in_sources``.
    """

    sentences: tuple[AnswerSentence, ...]
    counts: Counter[str] = field(default_factory=Counter)


def check_groundedness(
    sentences: Sequence[AnswerSentence],
    texts: Mapping[str, str],
    *,
    everywhere: str = "",
    decimal_comma: bool = False,
) -> Grounding:
    """Return the sentences, flagged where a number or a quotation is in none of the articles they cite.

    Parameters
    ----------
    sentences : sequence of AnswerSentence
        A sentence without citations is compared with all texts.
    texts : mapping of str to str
        By citation, what the article says: title, abstract, and what was told of it beside them.
    everywhere : str
        Text that any sentence may use: the question, and what was told of all articles together.
    decimal_comma : bool
        Read ``0,83`` in the sentences as 0.83 and ``29.011`` as 29011: they are in a language that writes so.
    """
    counts: Counter[str] = Counter()
    checked = []
    for sentence in sentences:
        cited = [texts[c] for c in sentence.citations if c in texts] or list(texts.values())
        flags = _number_flags(sentence.text, [*cited, everywhere], counts, decimal_comma=decimal_comma)
        flags += _quote_flags(sentence.text, cited, counts)
        checked.append(
            sentence.model_copy(update={"flags": (*sentence.flags, *flags)}) if flags else sentence
        )
    return Grounding(tuple(checked), +counts)


def numbers_in(text: str) -> list[tuple[str, Decimal]]:
    """Return the numbers of a text as printed and as values; digits within names are none.

    Thousands may be set apart by a comma or a narrow space, decimals by a point or a raised one.
    """
    found = []
    for match in _NUMBER.finditer(_NAME.sub(lambda m: " " * len(m[0]), text)):
        bare = re.sub(r"[,\u00a0\u2009\u202f]", "", match[1]).replace("·", ".")
        found.append((match[1], Decimal(bare)))
    return found


def _joined(text: str, known: Set[Decimal], *, decimal_comma: bool) -> str:
    """Return a text with its thousands joined where the sources have the number, and points for decimals.

    "29 011" may be one number or two ("in 29 011 was chosen"), so that only one which a source has is joined.
    """

    def join(match: re.Match[str]) -> str:
        bare = re.sub(r"[ .]", "", match[0])
        return bare if Decimal(bare) in known else match[0]

    text = _APART.sub(join, text)
    if not decimal_comma:
        return text
    return _COMMA.sub(".", _APART_BY_POINTS.sub(join, text))


def _number_flags(
    text: str, sources: Sequence[str], counts: Counter[str], *, decimal_comma: bool
) -> list[str]:
    known = {value for source in sources for _, value in numbers_in(source)}
    said = numbers_in(_joined(text, known, decimal_comma=decimal_comma))
    counts["numbers"] += len(said)
    missing = [printed for printed, value in said if value not in known]
    counts["numbers_not_in_sources"] += len(missing)
    return [f"{NUMBER_FLAG}{printed}" for printed in dict.fromkeys(missing)]


def _quote_flags(text: str, sources: Sequence[str], counts: Counter[str]) -> list[str]:
    quotes = [q for q in _QUOTED.findall(text) if sum(c.isalnum() for c in q) >= SHORTEST_QUOTE]
    missing = [q for q in quotes if not any(find_quote(q, source) for source in sources)]
    counts["quotes"] += len(quotes)
    counts["quotes_not_in_sources"] += len(missing)
    return [QUOTE_FLAG] if missing else []
