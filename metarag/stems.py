"""The words of a text as stems, and how often each of them stands in an article."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection
from functools import cache, lru_cache
from typing import Final, Self

from pydantic import Field

from metarag.folded_words import WordMemo
from metarag.records import Article, Frozen
from metarag.unchecked import unchecked

_SPACED = bytes(ord(chr(c).lower()) if chr(c).isascii() and chr(c).isalnum() else 32 for c in range(256))
"""ASCII in lower case, with a space for all that is no letter or digit."""
_GREEK = re.compile(r"[\u0370-\u03ff]")
# British to American, so that one question finds both; order matters.
_SPELLINGS = (
    ("haem", "hem"), ("aemi", "emi"), ("paed", "ped"), ("anaes", "anes"), ("oesoph", "esoph"),
    ("oestr", "estr"), ("oedem", "edem"), ("aetiol", "etiol"), ("gynae", "gyne"), ("tumour", "tumor"),
    ("isation", "ization"), ("foet", "fet"), ("rrhoea", "rrhea"), ("fibre", "fiber"),
)  # fmt: skip
_MIN_STEM = 3
_FEW = 24
"""Stems up to which searching the text for each is quicker than taking it apart."""


class ArticleStems(Frozen):
    """How often each stem stands in an article, and which stand in front.

    An article has about a hundred stems and a question ten, so all of them are one string that is
    searched as it is: half the size of a mapping in JSON, and nothing is taken apart to be read.

    Attributes
    ----------
    text : str
        Groups of stems. ``|+3 aspirin stroke |1 day |`` says that aspirin and stroke stand in the title,
        the MeSH headings or the keywords (``+``) and three times each in the abstract, and day once in the
        abstract only. Each stem once, with a space on either side.
    words : int
        Words of title and abstract, >= 0.
    """

    text: str = Field(default="", pattern=r"^(\|\+?[0-9]+ ([a-z0-9]+ )+)*$")
    words: int = Field(default=0, ge=0)

    @classmethod
    def of(cls, article: Article) -> Self:
        """Count the stems of an article."""
        title, body = words(article.title), words(article.abstract or "")
        headings = words(" ".join([*[heading.descriptor for heading in article.mesh], *article.keywords]))
        root_of = _roots().__getitem__
        counts = Counter(map(root_of, body))
        front = dict.fromkeys(map(root_of, (*title, *headings)))
        in_front: defaultdict[int, list[str]] = defaultdict(list)
        for root in front:
            in_front[counts.pop(root, 0)].append(root)
        behind: defaultdict[int, list[str]] = defaultdict(list)
        for root, count in counts.items():
            behind[count].append(root)
        groups = [f"|+{count} {' '.join(roots)} " for count, roots in in_front.items()]
        groups += [f"|{count} {' '.join(roots)} " for count, roots in behind.items()]
        # The pattern of the text holds by the way it is made, and trying it takes as long as all the rest.
        return unchecked(cls, {"text": "".join(groups), "words": len(title) + len(body)}, _FIELDS)

    def mentions(self, roots: Collection[str]) -> dict[str, tuple[int, bool]]:
        """Return, for those of ``roots`` that stand in the article, in their order, how often and where.

        A number of mentions in the abstract, and whether the stem stands in front.
        """
        if len(roots) > _FEW:
            labels: dict[str, str] = {}
            for group in self.text.split("|")[1:]:
                label, *stems = group.split()
                labels |= dict.fromkeys(stems, label)
            return {root: _read(labels[root]) for root in roots if root in labels}
        text = self.text
        found = {}
        for root in roots:
            # Most stand nowhere, not even in a longer stem, and that is told without putting a text together.
            if root in text and (at := text.find(f" {root} ")) >= 0:
                start = text.rindex("|", 0, at) + 1
                found[root] = _read(text[start : text.index(" ", start)])
        return found


# Pydantic asks for a set that is not frozen; a copy has a copy of it.
_FIELDS: Final = set(ArticleStems.model_fields)


def _read(label: str) -> tuple[int, bool]:
    return int(label), label[0] == "+"


def words(text: str) -> list[str]:
    """Return the lower-case words of a text: accents dropped, Greek letters spelt out, hyphens split."""
    if not text.isascii():
        spelt = _GREEK.sub(_spelt_out, text)
        text = unicodedata.normalize("NFKD", spelt)
    return text.encode("ascii", "ignore").translate(_SPACED).decode("ascii").split()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a word without plural and with American spelling; drugs' and diseases' names stay apart."""
    for british, american in _SPELLINGS:
        if british in word:
            word = word.replace(british, american)
    if len(word) > _MIN_STEM + 1:
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith(("sses", "xes", "ches", "shes")):
            return word[:-2]
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            return word[:-1]
    return word


@cache
def _roots() -> WordMemo[str]:
    """Return the stems by their words: an article asks for hundreds, most of which were asked for before."""
    return WordMemo(stem)


def _spelt_out(match: re.Match[str]) -> str:
    name = unicodedata.name(match.group(), "")
    return f" {name.split()[3].lower()} " if name.startswith("GREEK SMALL LETTER") else match.group()
