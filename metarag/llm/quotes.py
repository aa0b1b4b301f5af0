"""Whether what a model quotes is really in the text, and where."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from itertools import accumulate

SHORTEST_QUOTE = 8
"""Letters and digits. Ours: shorter strings occur in any abstract and support nothing."""
_ALIKE = str.maketrans(
    {
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "–": "-",
        "—": "-",
        "−": "-",
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "·": ".",
    }
)
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def find_quote(quote: str, text: str, *, shortest: int = SHORTEST_QUOTE) -> tuple[int, int] | None:
    """Return where in ``text`` the quote stands, as ``(start, end)`` in characters.

    White space, case, invisible characters, Unicode compatibility forms and the kinds of dashes and
    quotation marks make no difference; every letter, digit and other sign does. A quote counts from
    word to word: ``randomised`` is not found in ``nonrandomised``. Quotation marks and an ellipsis
    around the quote are the model's and left out.

    Parameters
    ----------
    shortest : int
        Letters and digits that a quote needs at least.
    """
    wanted = "".join(_folded(quote.strip().strip("\"'“”‘’….").strip()))
    if sum(c.isalnum() for c in wanted) < shortest:
        return None
    pieces = _folded(text)
    haystack = "".join(pieces)
    ends = list(accumulate(map(len, pieces)))
    found = haystack.find(wanted)
    while found >= 0:
        # A character counts for none (white space), one, or several of the folded text.
        start, end = bisect_right(ends, found), bisect_right(ends, found + len(wanted) - 1) + 1
        if _at_word_boundary(text, start, end):
            return start, end
        found = haystack.find(wanted, found + len(wanted))
    return None


def _folded(text: str) -> list[str]:
    """Return the comparable form of each character; empty for those that make no difference."""
    forms = {c: "" if c.isspace() or c in _INVISIBLE else _form(c) for c in set(text)}
    return [forms[c] for c in text]


def _form(character: str) -> str:
    return unicodedata.normalize("NFKC", character).casefold().translate(_ALIKE)


def _at_word_boundary(text: str, start: int, end: int) -> bool:
    """Return whether neither a word nor a number is cut at either end."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before[-1:].isalnum() and text[start].isalnum():
        return False
    if after[:1].isalnum() and text[end - 1].isalnum():
        return False
    if text[start].isdigit() and _continues_number(before[::-1]):
        return False
    return not (text[end - 1].isdigit() and _continues_number(after) and after[:1] != "-")


def _continues_number(neighbours: str) -> bool:
    """Return whether a digit's neighbours, nearest first, are of the same number.

    ``500`` is no quote from ``1,500`` or ``-500``, nor ``1`` from ``1.5``; a range (``10-20``) has two.
    """
    if neighbours[:1] in ("-", "\u2212"):
        return not neighbours[1:].isalnum()
    return neighbours[:1] in (".", ",", "\u00b7") and neighbours[1:].isdigit()
