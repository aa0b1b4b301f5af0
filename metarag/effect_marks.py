"""From lexical tokens to what they mean: labels, interval names, P values, signed numbers, spreads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from types import MappingProxyType

from metarag.effect_abbreviations import Abbreviations
from metarag.effect_levels import level_after, level_before, level_glued
from metarag.effect_lexicon import LONGEST_PHRASE, Entry, IntervalName, Measure, canonical, lexicon
from metarag.effect_p_values import p_value_at
from metarag.effect_signs import dash_at, is_glued, number_at
from metarag.effect_spreads import SPREAD_WORDS, plus_minus_at, spread_at
from metarag.effect_tokens import IntervalMark, Kind, Token, kind_at, norm_at

_ADJUSTED = frozenset(
    "adjusted multivariable multivariate multivariably fully ajustado ajustada ajusté adjustierte"
    " adjustiertes adj multiadjusted covariate".split()
)
_CRUDE = frozenset("crude unadjusted univariate univariable univariably unadj bivariate cruda crudo".split())
_LETTER_LABELS = MappingProxyType(
    {
        "d": Measure("SMD", "identity"),
        "g": Measure("SMD", "identity"),
        **dict.fromkeys(("r", "β", "b", "rs", "ρ", "κ", "f", "t", "χ2"), Measure("other", "identity")),
    }
)
_LONGEST_FOOTNOTED = 4
_LOGARITHM = Measure("other", "identity")
_BEGINNINGS = frozenset((*_LETTER_LABELS, *SPREAD_WORDS, "p", "pvalue", "standard"))
_NOT_BEHIND_MEASURE = frozenset(
    "rate rates patients interval intervals variability monitor monitoring max reserve staff zone zones"
    " training activity disease variation room nurses surgery time times symptoms sample samples telemetry"
    " recovery".split()
)
_SIGNS = frozenset(("dash", "plus_minus", "plus"))
_OTHER_WORDS_OF_RATIOS = frozenset(("ratio", "difference", "reduction"))


def mark(text: str, tokens: Sequence[Token], abbreviations: Abbreviations) -> list[Token]:
    """Return the tokens of a sentence with their meaning.

    Parameters
    ----------
    text : str
        The plain text that the tokens index.
    tokens : sequence of Token
        As :func:`metarag.effect_tokens.lex` yields them.
    abbreviations : Abbreviations
        As the whole text defines them.
    """
    return _Marker(text, tokens, abbreviations).run()


class _Marker:
    """One pass from left to right; each step takes tokens at ``self.at`` and adds to ``self.out``."""

    def __init__(self, text: str, tokens: Sequence[Token], abbreviations: Abbreviations) -> None:
        self.text = text
        self.tokens = tokens
        self.abbreviations = abbreviations
        self.defined = {short.lower() for short in abbreviations.measures}
        self.lexicon = lexicon()
        self.out: list[Token] = []
        self.at = 0

    def run(self) -> list[Token]:
        tokens = self.tokens
        for place in self._telling():
            if place >= self.at:
                self.out += tokens[self.at : place]
                self.at = place
                self._mark(tokens[place])
        self.out += tokens[self.at :]
        return self.out

    def _telling(self) -> list[int]:
        """Return where a step may begin that does more than copy a token."""
        defined = self.defined
        kinds = [token.kind for token in self.tokens]
        return [
            place
            for place, kind, following in zip(range(len(kinds)), kinds, (*kinds[1:], ""), strict=True)
            if (
                kind == "word"
                and (_may_begin(norm := self.tokens[place].norm) or norm.rstrip("s") in defined)
            )
            or (kind == "num" and following == "dash")
            or kind in _SIGNS
        ]

    def _mark(self, token: Token) -> None:
        kind = token.kind
        if kind == "word":
            self._word(token)
        elif kind == "dash":
            taken, found = dash_at(self.tokens, self.at, self.out)
            self._add(taken, *found)
        elif kind == "num":
            taken, number = number_at(self.tokens, self.at)
            self._add(taken, number)
        elif kind == "plus_minus":
            self._add_or_copy(plus_minus_at(self.tokens, self.at))
        elif kind_at(self.tokens, self.at + 1) == "num":
            self.at += 1

    def _add(self, taken: int, *found: Token) -> None:
        self.out.extend(found)
        self.at += taken

    def _add_or_copy(self, found: tuple[int, Token] | None) -> None:
        taken, token = found or (1, self.tokens[self.at])
        self._add(taken, token)

    def _printed(self, index: int) -> str:
        return self.text[self.tokens[index].start : self.tokens[index].end]

    def _word(self, token: Token) -> None:
        p_value = p_value_at(self.tokens, self.at, self.out) if token.norm in ("p", "pvalue") else None
        if p_value is not None:
            self._add(*p_value)
            return
        taken, entry = self._entry()
        if isinstance(entry, Measure):
            self._label(taken, entry)
        elif isinstance(entry, IntervalName):
            self._interval(taken, entry)
        else:
            self._add_or_copy(spread_at(self.tokens, self.at, self.out))

    def _entry(self) -> tuple[int, Entry | None]:
        """Return the name that begins here and how many tokens it takes: phrase, abbreviation or letter."""
        phrase = self._phrase()
        if phrase is not None and phrase[0] > 1:
            return self._taken(phrase[0]), phrase[1]
        short = self._meaning_of(self._printed(self.at))
        if short is not None and not self._is_other_use():
            return 1, short
        letter = _LETTER_LABELS.get(self.tokens[self.at].norm)
        if letter is not None and norm_at(self.tokens, self.at + 1) == "=":
            return 1, letter
        return (1, phrase[1]) if phrase is not None else (0, None)

    def _phrase(self) -> tuple[int, Entry] | None:
        """Find the longest phrase here; 'mortality rate' gives way to 'rate ratio' behind it."""
        found = self.lexicon.longest(self._words_ahead())
        if found is None or not isinstance(found[1], Measure) or not found[1].soft:
            return found
        following = next(islice(self._words_ahead(), found[0], None), "")
        return None if following in _OTHER_WORDS_OF_RATIOS else found

    def _words_ahead(self) -> Iterator[str]:
        for token in self.tokens[self.at : self.at + 2 * LONGEST_PHRASE]:
            if token.kind == "word":
                yield canonical(token.norm)
            elif token.kind != "dash" and token.norm != "'":
                break

    def _taken(self, words: int) -> int:
        index = self.at
        while words:
            words -= self.tokens[index].kind == "word"
            index += 1
        return index - self.at

    def _meaning_of(self, printed: str) -> Entry | None:
        """Return what an abbreviation stands for in this text."""
        bare = printed.rstrip("s")
        if bare in self.abbreviations.measures:
            return self.abbreviations.measures[bare]
        if printed[:2] == "CI" and len(printed) <= _LONGEST_FOOTNOTED and printed[2:].islower():
            # '95% CIa': a footnote mark.
            printed = "CI"
        short = self.lexicon.abbreviations.get(printed)
        if not isinstance(short, Measure):
            return short
        return None if short.defined_only or bare in self.abbreviations.other else short

    def _is_other_use(self) -> bool:
        """Tell whether an abbreviation is part of another name: 'HR-QoL', 'RD rate', 'FEVER OR CHILLS'."""
        following = self.at + 1
        if self._printed(self.at) == "OR" and kind_at(self.tokens, following) == "word":
            printed = self._printed(following)
            if len(printed) > 2 and printed.isupper():
                return True
        glued = is_glued(self.tokens, self.at) and is_glued(self.tokens, following)
        if kind_at(self.tokens, following) == "dash" and glued:
            return kind_at(self.tokens, following + 1) == "word"
        return norm_at(self.tokens, following) in _NOT_BEHIND_MEASURE

    def _label(self, taken: int, measure: Measure) -> None:
        start = self.tokens[self.at].start
        if self._is_logarithm():
            measure = _LOGARITHM
        self.at += taken
        adjusted = self._adjustment(measure)
        self._skip_definition()
        known = measure if adjusted is measure.adjusted else replace(measure, adjusted=adjusted)
        self._merge("label", start, known)

    def _is_logarithm(self) -> bool:
        """Tell whether 'log', 'ln(' stands right before: 'log odds ratio 0.84' is no odds ratio of 0.84."""
        last = [token.norm for token in self.out[-2:] if token.norm not in ("(", "-", "[")]
        return last[-1:] in (["log"], ["ln"], ["loge"], ["logarithmic"])

    def _adjustment(self, measure: Measure) -> bool | None:
        nearby = {token.norm for token in self.out[-4:] if token.kind == "word"}
        if norm_at(self.tokens, self.at) in ("adj", "adjusted"):
            return True
        printed = self._printed(self.at - 1)
        if nearby & _CRUDE or printed == "unadjusted":
            return False
        by_letter = printed[:1] == "a" and printed[1:2].isupper()
        return True if nearby & _ADJUSTED or by_letter or printed[:3] in ("AOR", "AHR") else measure.adjusted

    def _skip_definition(self, *, with_level: bool = False) -> None:
        """Step over '(OR)', '[HR]', '[95% CI]' after the words it stands for."""
        inside = self.at + 1
        if (
            with_level
            and kind_at(self.tokens, inside) == "num"
            and kind_at(self.tokens, inside + 1) == "percent"
        ):
            inside += 2
        if [kind_at(self.tokens, index) for index in (self.at, inside, inside + 1)] != [
            "open",
            "word",
            "close",
        ]:
            return
        printed = self._printed(inside)
        if printed in self.lexicon.abbreviations or printed.rstrip("s") in self.abbreviations.measures:
            self.at = inside + 2

    def _interval(self, taken: int, name: IntervalName) -> None:
        before, behind = level_before(self.out), self.at + taken
        level = before
        if level is None and (glued := level_glued(self.tokens, behind)) is not None:
            level, behind = glued, glued.place
        first, self.at = self.tokens[self.at].start, behind
        self._skip_definition(with_level=True)
        if (
            level is None
            and name.kind != "other"
            and (after := level_after(self.tokens, self.at)) is not None
        ):
            level, self.at = after, after.place
        if name.needs_level and level is None:
            self.at = behind - taken
            self._add(taken, *self.tokens[self.at : behind])
            return
        if before is not None:
            first = self.out[before.place].start
            del self.out[before.place :]
        value, one_sided = (level.value, level.one_sided) if level is not None else (None, False)
        self._merge("interval", first, IntervalMark(value, name.kind, one_sided))

    def _merge(self, kind: Kind, start: int, meaning: Measure | IntervalMark) -> None:
        end = self.tokens[self.at - 1].end
        norm = self.text[start:end].lower()
        self.out.append(Token(kind, start, end, norm, meaning=meaning))


@lru_cache(maxsize=8_192)
def _may_begin(norm: str) -> bool:
    """Tell whether a word begins something in any text."""
    if norm in lexicon().beginnings or norm.replace(".", "") in _BEGINNINGS:
        return True
    return norm[:2] == "ci" and len(norm) <= _LONGEST_FOOTNOTED
