"""Whether what a model quotes is really in the text, and where."""

from __future__ import annotations

import unicodedata

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
_OPEN_CHARACTERS = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


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
    wanted = "".join(folded for folded, _ in _folded(quote.strip().strip("\"'“”‘’….").strip()))
    if sum(c.isalnum() for c in wanted) < shortest:
        return None
    pieces = _folded(text)
    haystack = "".join(folded for folded, _ in pieces)
    origins = [index for folded, index in pieces for _ in folded]
    found = haystack.find(wanted)
    while found >= 0:
        start, end = origins[found], origins[found + len(wanted) - 1] + 1
        if _at_word_boundary(text, start, end):
            return start, end
        found = haystack.find(wanted, found + len(wanted))
    return None


def _folded(text: str) -> list[tuple[str, int]]:
    """Return for each character that counts its comparable form and its position."""
    return [
        (unicodedata.normalize("NFKC", c).casefold().translate(_ALIKE), i)
        for i, c in enumerate(text)
        if not c.isspace() and c not in _OPEN_CHARACTERS
    ]


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
