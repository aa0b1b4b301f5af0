"""Untrusted text made safe for a terminal, a page and any file."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Controls can move the cursor or rewrite the title bar; format characters (bidi overrides, zero-width)
# can make a line read as what it is not. Line breaks would forge lines of our own output.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# More marks than any language sets on one letter run over the lines above and below.
_STACKED: Final = re.compile(
    r"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{3})"
    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def plain(text: str) -> str:
    """Return ``text`` on one line, without control, format and surrogate characters and non-characters.

    Of marks set on one letter, the first three stay.
    """
    if not text.isprintable():
        text = "".join(" " if _is_unsafe(c) else c for c in text)
    if not text.isascii():
        text = _STACKED.sub(r"\1", text)
    return " ".join(text.split())


def plain_lines(text: str) -> str:
    """Return ``text`` made plain line by line; later lines are indented, to be told from new messages."""
    lines = (plain(line) for line in text.splitlines())
    return "\n  ".join(line for line in lines if line)


def shorten(text: str, width: int) -> str:
    """Return plain text of at most ``width`` characters, cut with an ellipsis."""
    clean = plain(text)
    return clean if len(clean) <= width else clean[: max(1, width - 1)].rstrip() + "…"


def _is_unsafe(character: str) -> bool:
    return not character.isprintable() and (
        unicodedata.category(character) in _UNSAFE or _is_noncharacter(ord(character))
    )


def _is_noncharacter(code: int) -> bool:
    """Tell what Unicode keeps for nothing, e.g. U+FFFE; XML may not hold it. Unknown characters may be new ones."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
