"""The options of a question, as a reply can name them: by label or by text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from metarag.choices.text import plain

_SPACES = re.compile(r"\s+")
_LATIN = "A-Za-z0-9À-ɏ"
_WORD = 4
_FIRST_WITHOUT_SPACES = 0x2E80
_EDGES = " \t\n.,;:!?\"'()[]{}<>-"


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Labels and texts of the options.

    Attributes
    ----------
    labels : dict of str to str
        Label as a reply may write it (both cases, where no other label is meant) to the label itself.
    texts : dict of str to tuple of str
        Folded option text to the labels that have it; two when options are the same.
    token : re.Pattern
        A label, or any single Latin letter, standing by itself.
    """

    labels: dict[str, str]
    texts: dict[str, tuple[str, ...]]
    token: re.Pattern[str]

    @classmethod
    def of(cls, options: Mapping[str, str]) -> AnswerOptions:
        """Prepare a mapping of labels to texts; an empty label cannot be named and is left out."""
        written: dict[str, set[str]] = {}
        for label in options:
            bare = plain(label).strip(_EDGES)
            for form in {bare, bare.upper(), bare.lower()} - {""}:
                written.setdefault(form, set()).add(label)
        exact = {plain(label).strip(_EDGES): label for label in options}
        labels = {form: next(iter(meant)) for form, meant in written.items() if len(meant) == 1}
        labels |= {bare: label for bare, label in exact.items() if bare and bare == label}
        texts: dict[str, tuple[str, ...]] = {}
        for label, text in options.items():
            folded = fold(plain(text))
            if folded:
                texts[folded] = (*texts.get(folded, ()), label)
        longest_first = dict(sorted(texts.items(), key=lambda item: -len(item[0])))
        return cls(labels, longest_first, _token(labels))

    def label(self, token: str) -> str | None:
        """Return the label that a token names; ``None`` when it names none of them."""
        return self.labels.get(token)

    def by_text(self, text: str) -> tuple[str, ...]:
        """Return the labels whose text is this one; more than one when options are the same."""
        return self.texts.get(fold(text), ())

    def text_at(self, text: str) -> tuple[tuple[str, ...], int]:
        """Return the labels of the longest option text that ``text`` begins with, and where it ends."""
        for folded, labels in self.texts.items():
            end = _prefix_end(text, folded)
            if end:
                return labels, end
        return (), 0

    def text_of(self, label: str) -> str:
        """Return the folded text of a label; empty when it has none."""
        return next((text for text, labels in self.texts.items() if label in labels), "")

    def begins_a_text(self, word: str) -> bool:
        """True when some option's text begins with this word."""
        wanted = fold(word)
        return bool(wanted) and any(
            text == wanted or text.startswith((f"{wanted} ", f"{wanted}-", f"{wanted},"))
            for text in self.texts
        )


def fold(text: str) -> str:
    """Return a text as texts are compared: no case, single spaces, no punctuation at its ends.

    A minus sign or a comparison at the beginning stays: "-2" is not "2".
    """
    flat = _SPACES.sub(" ", text).strip()
    return flat.lstrip(" .,;:!?\"'").rstrip(" .,;:!?\"'").casefold()


def _prefix_end(text: str, folded: str) -> int:
    """Return where ``folded`` ends in the unfolded ``text`` it begins; 0 when it does not begin it.

    White space and a plural's "s" may differ. Folding may change lengths, so the two are walked together.
    """
    position = 0
    index = 0
    while index < len(folded):
        if position >= len(text):
            return 0
        if folded[index] == " ":
            if not text[position].isspace():
                return 0
            while position < len(text) and text[position].isspace():
                position += 1
            index += 1
            continue
        form = text[position].casefold()
        if not folded.startswith(form, index):
            return 0
        index += len(form)
        position += 1
    if folded[-1].isalpha() and len(folded) >= _WORD and text[position : position + 1] == "s":
        position += 1
    following = text[position : position + 2]
    if following[:1].isalnum() and folded[-1].isalnum():
        return 0
    # "1" does not begin "1.5" or "1,500".
    if folded[-1].isdigit() and following[:1] in (".", ",") and following[1:2].isdigit():
        return 0
    return position


def _token(labels: Mapping[str, str]) -> re.Pattern[str]:
    longer = sorted({label for label in labels if not _is_latin_letter(label)}, key=lambda x: (-len(x), x))
    single = rf"(?<![{_LATIN}])(?:[A-Za-z])(?![{_LATIN}])(?!'[a-z])(?!-[{_LATIN}])"
    return re.compile("|".join([*map(_standing_alone, longer), single]))


def _standing_alone(label: str) -> str:
    part = re.escape(label)
    if label.isascii():
        # A number must not be the beginning of a longer one ("1" of "1.5").
        return rf"(?<![{_LATIN}]){part}(?![{_LATIN}])(?![.,]\d)"
    # Chinese, Japanese and Korean have no spaces between words.
    return part if ord(label[0]) >= _FIRST_WITHOUT_SPACES else rf"(?<!\w){part}(?!\w)"


def _is_latin_letter(label: str) -> bool:
    return len(label) == 1 and label.isascii() and label.isalpha()
