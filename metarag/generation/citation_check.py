"""Citations in what a model wrote: kept where the source was given to it, removed and counted elsewhere.

A sentence may cite in brackets, in parentheses or in running text; whatever looks like a citation and is
none of the sources goes. What remains cites nothing but the sources.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metarag.generation.base import AnswerSentence

MOST_CITATIONS = 3
"""For one sentence; the first three count. As in BioRAGent's prompt."""
NO_SOURCE = "no_source"
_PLACE = "⟦{}⟧"
_PLACES = re.compile(r"⟦([a-c])⟧")
_NEAR = 200
"""Characters behind a citation that are searched for words."""
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST = 20_000
"""Characters of an answer that are read; 200 words have some 1,400."""

_REF = r"ref\s?:\s?[0-9a-f]{1,16}"
_DOI = r"10\.\d{4,9}/[^\s\];,)]{1,200}"
_ID = rf"(?:{_REF}|(?:doi\s?:\s?)?{_DOI}|(?:PMIDs?\s?:?\s?)?\d{{1,12}})"
_SEPARATOR = r"\s{0,3}(?:[,;|&]|\band\b)?\s{0,3}"
_ONLY_IDS = re.compile(rf"\s{{0,3}}{_ID}(?:{_SEPARATOR}{_ID}){{0,40}}[\s.,;]{{0,3}}", re.IGNORECASE)
_TOKEN = re.compile(rf"{_REF}|{_DOI}|\d{{1,12}}", re.IGNORECASE)
_BRACKET = re.compile(r"\[([^\[\]]{0,400})\]")
_PARENTHESIS = re.compile(r"\(([^()]{0,400})\)")
_INLINE = re.compile(rf"PMIDs?\s?:?\s?(\d{{1,12}})|({_REF})", re.IGNORECASE)
_UNCLOSED = re.compile(r"\[\s?(?:PMID|ref|doi)[^\[\]\n.]{0,80}|\[\s?\d{4,12}(?=[\s.,;]|$)", re.IGNORECASE)
# "CI [3, 7]" is an interval, unless its numbers are called ids.
_INTERVAL_BEFORE = re.compile(r"(?:\bCI|\binterval|\brange|\bIQR|%|=)\W{0,6}\Z", re.IGNORECASE)
_NAMED_ID = re.compile(rf"\bPMID|\bref\s?:|\bdoi\b|{_DOI}", re.IGNORECASE)
_OTHER_CITATION = re.compile(
    r"\bet al\b|\bcitations?\b|\bsources?\b|^\s?[A-Z][^\W\d]{1,30}[ ,]{0,3}(?:19|20)\d\d[a-z]?\s?$",
    re.IGNORECASE,
)
# A citation behind the full stop belongs to the sentence before it.
_BEHIND_STOP = re.compile(r"([.!?])(\s{0,3}(?:\[[^\[\]]{0,400}\]\s{0,2}){1,6})(?=\s|$)")
_END = re.compile(
    r"(?<=[.!?])(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bal\.)(?<!\bno\.)(?<!\bNo\.)(?<!\bca\.)(?<!\bFig\.)"
    r"(?<!\bDr\.)(?<!\bSt\.)(?<!\b[A-Z]\.)\s+|\n+"
)
_DECORATION = re.compile(r"^\s{0,8}(?:[-*•#>]{1,6}|\d{1,2}[.)])\s+|\*\*|__", re.MULTILINE)
_SPACE_BEFORE = re.compile(r"\s+([.,;:!?])")


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A model's text, sentence by sentence, citing only what it was given.

    Attributes
    ----------
    sentences : tuple of AnswerSentence
        ``text`` without any citation, but with a mark where one stood before other words (see
        :func:`with_places`); a sentence that cites nothing has the flag ``no_source``.
    counts : Counter of str
        ``invented_citations``, ``repeated_citations``, ``surplus_citations`` (beyond three),
        ``malformed_citations``, ``unsupported_sentences``.
    """

    sentences: tuple[AnswerSentence, ...]
    counts: Counter[str] = field(default_factory=Counter)


def check_citations(text: str, known: Mapping[str, str]) -> CheckedText:
    """Return the sentences of an answer with the citations that are among ``known``.

    Parameters
    ----------
    text : str
        As the model wrote it; the first 20,000 characters are read.
    known : mapping of str to str
        Id as the model was given it (``123``, ``ref:0a1b2c3d``) to citation.
    """
    counts: Counter[str] = Counter()
    names = {name.casefold(): citation for name, citation in known.items()}
    plain = _DECORATION.sub("", text[:_LONGEST]).replace("⟦", "[").replace("⟧", "]")
    moved = _BEHIND_STOP.sub(lambda m: f" {m[2].strip()}{m[1]}", plain)
    sentences = []
    for piece in _END.split(moved):
        sentence = _Sentence(names, counts).read(piece)
        if sentence is not None:
            sentences.append(sentence)
    return CheckedText(tuple(sentences), +counts)


def with_places(text: str, labels: Sequence[str] = ()) -> str:
    """Return a sentence with labels where it cites in the middle: "the study [PMID 1] found", or without.

    Parameters
    ----------
    labels : sequence of str
        Of the sentence's citations, in their order; empty takes the marks out.
    """

    def label(match: re.Match[str]) -> str:
        place = ord(match[1]) - ord("a")
        return f"[{labels[place]}]" if place < len(labels) else ""

    return _SPACE_BEFORE.sub(r"\1", " ".join(_PLACES.sub(label, text).split()))


@dataclass(slots=True)
class _Sentence:
    """One sentence while its citations are taken out."""

    names: Mapping[str, str]
    counts: Counter[str]
    found: list[str] = field(default_factory=list)

    def read(self, piece: str) -> AnswerSentence | None:
        """Return the sentence without citations; ``None`` when nothing else is in it."""
        text = _BRACKET.sub(self._bracket, piece)
        text = _PARENTHESIS.sub(self._parenthesis, text)
        text = _UNCLOSED.sub(self._malformed, text)
        text = self._without_inline(" ".join(text.split()))
        text = _SPACE_BEFORE.sub(r"\1", text).strip()
        if sum(c.isalnum() for c in text) < 2:
            return None
        kept = tuple(self.found[:MOST_CITATIONS])
        self.counts["surplus_citations"] += len(self.found) - len(kept)
        self.counts["unsupported_sentences"] += not kept
        return AnswerSentence(text=text, citations=kept, flags=() if kept else (NO_SOURCE,))

    def _bracket(self, match: re.Match[str]) -> str:
        inside = match[1]
        if _ONLY_IDS.fullmatch(inside):
            before = match.string[: match.start()]
            if (
                _INTERVAL_BEFORE.search(before)
                and not _NAMED_ID.search(inside)
                and not self._known_in(inside)
            ):
                return match[0]
            return self._all(match)
        if not inside.strip() or _NAMED_ID.search(inside) or _OTHER_CITATION.search(inside):
            return self._malformed(match)
        return match[0]

    def _parenthesis(self, match: re.Match[str]) -> str:
        """Take a citation in parentheses; a number in them is a number unless it is called an id or is one."""
        inside = match[1]
        if _ONLY_IDS.fullmatch(inside):
            return self._all(match) if _NAMED_ID.search(inside) or self._known_in(inside) else match[0]
        return self._malformed(match) if _OTHER_CITATION.search(inside) else match[0]

    def _all(self, match: re.Match[str]) -> str:
        return self._placed(match, _TOKEN.findall(match[1]))

    def _placed(self, match: re.Match[str], tokens: Sequence[str]) -> str:
        """Take citations; where words follow, leave marks, or nobody could tell which study is meant."""
        places = [self._take(token) for token in tokens]
        behind = match.string[match.end() : match.end() + _NEAR]
        if not _LETTER.search(_BRACKET.sub("", behind)):
            return " "
        kept = [place for place in places if place is not None and place < MOST_CITATIONS]
        return f" {' '.join(_PLACE.format('abc'[place]) for place in kept)} "

    def _without_inline(self, text: str) -> str:
        """Take what is cited in running text, until what is left has no id: "PMID PMID 1 2" has two."""
        while (left := " ".join(_INLINE.sub(self._inline, text).split())) != text:
            text = left
        return text

    def _inline(self, match: re.Match[str]) -> str:
        return self._placed(match, [match[1] or match[2]])

    def _malformed(self, match: re.Match[str]) -> str:
        self.counts["malformed_citations"] += 1
        return self._placed(match, self._known_in(match[0]))

    def _take(self, token: str) -> int | None:
        """Return the place of a citation among those of the sentence; ``None`` for an invented one."""
        citation = self.names.get(_normal(token))
        if citation is None:
            self.counts["invented_citations"] += 1
            return None
        if citation in self.found:
            self.counts["repeated_citations"] += 1
        else:
            self.found.append(citation)
        return self.found.index(citation)

    def _known_in(self, text: str) -> list[str]:
        return [token for token in _TOKEN.findall(text) if _normal(token) in self.names]


def _normal(token: str) -> str:
    """Return an id as it stands among the known: lower case, without spaces and leading zeros."""
    bare = re.sub(r"\s", "", token).casefold()
    return (bare.lstrip("0") or "0") if bare.isdecimal() else bare
