"""From lexical tokens to what they mean: labels, interval names, P values, signed numbers, spreads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metarag.effect_abbreviations import Abbreviations
from metarag.effect_lexicon import LONGEST_PHRASE, Entry, IntervalName, Measure, canonical, lexicon
from metarag.effect_p_values import p_value_at
from metarag.effect_tokens import IntervalMark, Token

_ADJUSTED = frozenset(
    "adjusted multivariable multivariate multivariably multivariably-adjusted fully ajustado ajustada ajusté"
    " adjustierte adjustiertes adj multiadjusted covariate".split()
)
_CRUDE = frozenset("crude unadjusted univariate univariable univariably unadj bivariate cruda crudo".split())
_LEVEL_ADJECTIVES = frozenset(
    "bootstrap bootstrapped bayesian bayes wald exact profile likelihood adjusted corrected multiplicity one two"
    " sided repeated robust posterior simultaneous bias accelerated equal tailed highest density wilson asymptotic"
    " percentile nominal de d central unadjusted stratified 1-sided 2-sided upper lower based binomial credible"
    " à of level bonferroni newcombe confidence interval".split()
)
_LEVEL_LINKS = frozenset(("à", "al", "a", "at", "of", "zu", "ao"))
_LETTER_LABELS = {
    "d": Measure("SMD", "identity"),
    "g": Measure("SMD", "identity"),
    **dict.fromkeys(("r", "β", "b", "rs", "ρ", "κ", "f", "t", "χ2"), Measure("other", "identity")),
}
_SPREAD_WORDS = {
    "sd": "sd", "sds": "sd", "se": "se", "ses": "se", "sem": "sem", "s.d": "sd", "s.e": "se", "n": "n", "stdev": "sd",
}  # fmt: skip
_BEGINNINGS = frozenset((*_LETTER_LABELS, *_SPREAD_WORDS, "p", "pvalue", "standard"))
_NOT_BEHIND_MEASURE = frozenset(
    "rate rates patients interval intervals variability monitor monitoring max reserve staff zone zones training"
    " activity disease variation room nurses surgery time times symptoms sample samples telemetry recovery".split()
)
_CURRENCIES = frozenset("$\u20ac\u00a3\u00a5")
_COMPOUND_KEEPS_NUMBER = frozenset("to fold percent per ci cis x times".split())


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
        self.lexicon = lexicon()
        self.out: list[Token] = []
        self.at = 0

    def run(self) -> list[Token]:
        while self.at < len(self.tokens):
            kind = self.tokens[self.at].kind
            if kind == "word":
                self._word()
            elif kind == "num":
                self._number()
            elif kind == "dash":
                self._dash()
            elif kind == "plus_minus":
                self._plus_minus()
            elif kind == "plus" and self._kind(self.at + 1) == "num":
                self.at += 1
            else:
                self._copy()
        return self.out

    def _kind(self, index: int) -> str:
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def _copy(self, taken: int = 1) -> None:
        self.out.extend(self.tokens[self.at : self.at + taken])
        self.at += taken

    def _adjacent(self, index: int) -> bool:
        """Tell whether no space stands between the token and the one after it."""
        return index + 1 < len(self.tokens) and self.tokens[index].end == self.tokens[index + 1].start

    def _word(self) -> None:
        token = self.tokens[self.at]
        if not self._may_mean(token):
            self._copy()
            return
        p_value = (
            p_value_at(self.tokens, self.at, self.out)
            if token.norm == "p" or token.norm == "pvalue"
            else None
        )
        if p_value is not None:
            taken, found = p_value
            self.out.append(found)
            self.at += taken
            return
        taken, entry = self._entry()
        if isinstance(entry, Measure):
            self._label(taken, entry)
        elif isinstance(entry, IntervalName):
            self._interval(taken, entry)
        elif not self._spread():
            self._copy()

    def _may_mean(self, token: Token) -> bool:
        """Tell whether a word can begin anything; most cannot."""
        norm = token.norm
        return (
            canonical(norm) in self.lexicon.phrases
            or norm in _BEGINNINGS
            or self.text[token.start : token.end] in self.lexicon.abbreviations
            or self.text[token.start : token.end].rstrip("s") in self.abbreviations.measures
        )

    def _entry(self) -> tuple[int, Entry | None]:
        token = self.tokens[self.at]
        printed = self.text[token.start : token.end]
        found = self._phrase()
        if found is not None and found[0] > 1:
            return self._taken(found[0]), found[1]
        short = self._meaning_of(printed)
        if short is not None and not self._is_other_use(printed):
            return 1, short
        letter = _LETTER_LABELS.get(token.norm)
        if letter is not None and self._kind(self.at + 1) == "op" and self.tokens[self.at + 1].norm == "=":
            return 1, letter
        return (1, found[1]) if found is not None else (0, None)

    def _phrase(self) -> tuple[int, Entry] | None:
        """Find the longest phrase here; 'mortality rate' gives way to 'rate ratio' behind it."""
        words = self._words_ahead()
        found = self.lexicon.longest(words)
        if found is not None and isinstance(found[1], Measure) and found[1].soft:
            if words[found[0] : found[0] + 1] in (["ratio"], ["difference"], ["reduction"]):
                return None
        return found

    def _meaning_of(self, printed: str) -> Entry | None:
        bare = printed.rstrip("s")
        if bare in self.abbreviations.measures:
            return self.abbreviations.measures[bare]
        short = self.lexicon.abbreviations.get(printed)
        if not isinstance(short, Measure):
            return short
        return None if short.defined_only or bare in self.abbreviations.other else short

    def _is_other_use(self, printed: str) -> bool:
        """Tell whether an abbreviation is part of another name: 'HR-QoL', 'RD rate', 'FEVER OR CHILLS'."""
        following = self.at + 1
        if printed == "OR" and self._in_capitals(following):
            return True
        if self._kind(following) == "dash" and self._adjacent(self.at) and self._adjacent(following):
            return self._kind(following + 1) == "word"
        return self._norm(following) in _NOT_BEHIND_MEASURE

    def _in_capitals(self, index: int) -> bool:
        """Tell whether the next word shouts: 'FEVER OR CHILLS' names no odds ratio."""
        if self._kind(index) != "word":
            return False
        printed = self.text[self.tokens[index].start : self.tokens[index].end]
        return len(printed) > 2 and printed.isupper()

    def _words_ahead(self) -> list[str]:
        words: list[str] = []
        for token in self.tokens[self.at : self.at + 2 * LONGEST_PHRASE]:
            if token.kind == "word":
                words.append(canonical(token.norm))
            elif token.kind != "dash" and token.norm != "'":
                break
        return words

    def _taken(self, words: int) -> int:
        index = self.at
        while words:
            words -= self.tokens[index].kind == "word"
            index += 1
        return index - self.at

    def _label(self, taken: int, measure: Measure) -> None:
        start = self.tokens[self.at].start
        self.at += taken
        adjusted = self._adjustment(measure)
        self._skip_definition()
        if adjusted is not measure.adjusted:
            measure = replace(measure, adjusted=adjusted)
        self._merge("label", start, measure)

    def _merge(self, kind: str, start: int, meaning: Measure | IntervalMark) -> None:
        end = self.tokens[self.at - 1].end
        norm = self.text[start:end].lower()
        self.out.append(Token(kind, start, end, norm, meaning=meaning))  # type: ignore[arg-type]

    def _adjustment(self, measure: Measure) -> bool | None:
        nearby = {token.norm for token in self.out[-4:] if token.kind == "word"}
        if self._kind(self.at) == "word" and self.tokens[self.at].norm in ("adj", "adjusted"):
            return True
        last = self.tokens[self.at - 1]
        printed = self.text[last.start : last.end]
        if nearby & _CRUDE or self.tokens[self.at - 1].norm == "unadjusted":
            return False
        if (
            nearby & _ADJUSTED
            or printed[:1] == "a"
            and printed[1:2].isupper()
            or printed[:3] in ("AOR", "AHR")
        ):
            return True
        return measure.adjusted

    def _skip_definition(self) -> None:
        """Step over '(OR)', '[HR]' after the words it stands for."""
        inside = self.at + 1
        if (
            self._kind(self.at) == "open"
            and self._kind(inside) == "word"
            and self._kind(inside + 1) == "close"
            and self._abbreviation(inside) is not None
        ):
            self.at += 3

    def _abbreviation(self, index: int) -> Entry | None:
        token = self.tokens[index]
        printed = self.text[token.start : token.end]
        return self.lexicon.abbreviations.get(printed) or self.abbreviations.measures.get(printed.rstrip("s"))

    def _interval(self, taken: int, name: IntervalName) -> None:
        start, level, one_sided = self._level_before()
        if level is None and self._adjacent_level_number(taken):
            level = self.tokens[self.at + taken].value
            taken += 1 + (self._kind(self.at + taken + 1) == "percent")
        first = self.tokens[self.at].start
        self.at += taken
        self._skip_definition()
        if level is None and name.kind != "other":
            level = self._level_after()
        if name.needs_level and level is None:
            self.at -= taken
            self._copy()
            return
        if start is not None:
            first = self.out[start].start
            del self.out[start:]
        self._merge("interval", first, IntervalMark(level, name.kind, one_sided))

    def _adjacent_level_number(self, taken: int) -> bool:
        index = self.at + taken
        return (
            self._kind(index) == "num"
            and self.tokens[index - 1].end == self.tokens[index].start
            and 50 <= self.tokens[index].value < 100
        )

    def _level_before(self) -> tuple[int | None, float | None, bool]:
        """Find '95%' before the name, across words such as 'one-sided' and 'bootstrap'."""
        words: set[str] = set()
        index = len(self.out) - 1
        while index >= 0 and len(self.out) - index <= 7:
            token = self.out[index]
            if token.kind == "dash" or (token.kind in ("word", "name") and token.norm in _LEVEL_ADJECTIVES):
                words.add(token.norm)
            elif token.kind != "percent" and token.norm not in ("percent", "per", "cent", "pct"):
                break
            elif index > 0 and self.out[index - 1].kind == "num":
                return self._level_at(index - 1, words)
            index -= 1
        if index >= 0 and self.out[index].kind == "num" and index == len(self.out) - 1:
            # '95 CI' without its sign; only numbers that are levels.
            if self.out[index].value in (90.0, 95.0, 97.5, 98.0, 99.0):
                return self._level_at(index, words)
        return None, None, False

    def _level_at(self, index: int, words: set[str]) -> tuple[int | None, float | None, bool]:
        level = self.out[index].value
        if not 50 <= level < 100:
            return None, None, False
        before = {token.norm for token in self.out[max(0, index - 4) : index]}
        nearby = words | before
        one_sided = ("one" in nearby and "sided" in nearby) or "1-sided" in nearby or "one-sided" in nearby
        return index, level, one_sided

    def _level_after(self) -> float | None:
        """Find the level in 'CI 95%', 'CI (95%)', 'CI, 95%'; limits in percent are not one."""
        index = self.at
        while (
            self._kind(index) in ("open", "comma", "colon") or self._norm(index) in _LEVEL_LINKS
        ) and index - self.at < 2:
            index += 1
        if self._kind(index) != "num" or self._kind(index + 1) != "percent":
            return None
        after = index + 2
        if self._kind(after) in ("dash", "em_dash", "tilde") or self._norm(after) in ("to", "and"):
            return None
        limits = sum(token.kind == "num" for token in self.tokens[after : after + 8])
        enclosed = self._kind(index - 1) == "open" and self._kind(after) == "close"
        if not (limits >= 2 or enclosed) or not 50 <= self.tokens[index].value < 100:
            return None
        self.at = after + enclosed
        return self.tokens[index].value

    def _norm(self, index: int) -> str:
        return self.tokens[index].norm if 0 <= index < len(self.tokens) else ""

    def _spread(self) -> bool:
        """Take 'SD 4.8', 'SE = 0.5', 'n=85', 'standard error of 0.5' as one token with its number."""
        token = self.tokens[self.at]
        what, index = _SPREAD_WORDS.get(token.norm), self.at + 1
        if any(before.norm in ("per", "each", "every") for before in self.out[-2:]):
            return False
        if token.norm == "standard" and self._norm(index) in ("error", "deviation", "errors", "deviations"):
            what, index = ("se" if self._norm(index).startswith("error") else "sd"), index + 1
            if (self._norm(index), self._norm(index + 1), self._norm(index + 2)) == ("of", "the", "mean"):
                what, index = "sem", index + 3
        if what is None:
            return False
        if (
            self._kind(index) == "open"
            and self._norm(index + 1) in ("sd", "se", "sem")
            and self._kind(index + 2) == "close"
        ):
            index += 3
        while (self._kind(index) in ("op", "colon", "comma") and self._norm(index) not in "<>") or self._norm(
            index
        ) in ("of", "was", "were"):
            index += 1
        if self._kind(index) != "num" or (
            what == "n" and index == self.at + 1 and not self._adjacent(self.at)
        ):
            return False
        self.out.append(
            Token(
                "noise",
                token.start,
                self.tokens[index].end,
                what,
                self.tokens[index].value,
                self.tokens[index].half_unit,
            )
        )
        self.at = index + 1
        return True

    def _plus_minus(self) -> None:
        token, index = self.tokens[self.at], self.at + 1
        if self._kind(index) != "num":
            self._copy()
            return
        number = self.tokens[index]
        what = "pm"
        after = index + 1 + (self._kind(index + 1) == "percent")
        after += self._kind(after) == "open"
        if self._kind(after) == "word" and self._norm(after) in _SPREAD_WORDS and self._norm(after) != "n":
            what = _SPREAD_WORDS[self._norm(after)]
        self.out.append(Token("noise", token.start, number.end, what, number.value, number.half_unit))
        self.at = index + 1

    def _dash(self) -> None:
        """A dash before a number is its sign, unless it parts two numbers or belongs to a name."""
        following = self.at + 1
        if self._norm(following) in _CURRENCIES:
            following += 1
        if self._kind(following) != "num":
            self._copy()
            return
        token, last = self.tokens[self.at], self.out[-1] if self.out else None
        glued_left = last is not None and last.end == token.start
        glued_right = self._adjacent(self.at)
        if last is not None and last.kind == "word" and glued_left and glued_right:
            self._name(following)
        elif last is not None and (
            last.kind in ("num", "percent", "close", "name", "noise") or self._is_unit(last)
        ):
            self._copy()
        else:
            self._signed(following)

    def _is_unit(self, last: Token) -> bool:
        """Tell whether the word stands behind a number, as in '-49.9 cm2 - -6.3 cm2'."""
        before = self.out[-2] if len(self.out) > 1 else None
        return (
            last.kind == "word"
            and before is not None
            and before.kind == "num"
            and last.norm not in ("to", "and")
        )

    def _signed(self, index: int) -> None:
        sign, number = self.tokens[self.at], self.tokens[index]
        self.out.append(number._replace(start=sign.start, norm="-" + number.norm, value=-number.value))
        self.at = index + 1

    def _name(self, index: int) -> None:
        self.out.append(self.tokens[self.at])
        self.out.append(self.tokens[index]._replace(kind="name"))
        self.at = index + 1

    def _number(self) -> None:
        token, dash = self.tokens[self.at], self.at + 1
        glued = self._adjacent(self.at) and self._kind(dash) == "dash" and self._adjacent(dash)
        if glued and self._kind(dash + 1) == "word" and self._norm(dash + 1) not in _COMPOUND_KEEPS_NUMBER:
            word = self.tokens[dash + 1]
            self.out.append(token._replace(kind="name", end=word.end, norm=f"{token.norm}-{word.norm}"))
            self.at = dash + 2
        else:
            self._copy()
