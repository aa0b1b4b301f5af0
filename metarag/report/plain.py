"""Untrusted text made safe for a terminal."""

from __future__ import annotations

import unicodedata

# Controls can move the cursor or rewrite the title bar; format characters (bidi overrides, zero-width)
# can make a line read as what it is not. Line breaks would forge lines of our own output.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def plain(text: str) -> str:
    """Return ``text`` on one line, without control, format and surrogate characters."""
    kept = "".join(" " if unicodedata.category(c) in _UNSAFE else c for c in text)
    return " ".join(kept.split())


def plain_lines(text: str) -> str:
    """Return ``text`` made plain line by line; later lines are indented, to be told from new messages."""
    lines = (plain(line) for line in text.splitlines())
    return "\n  ".join(line for line in lines if line)


def shorten(text: str, width: int) -> str:
    """Return plain text of at most ``width`` characters, cut with an ellipsis."""
    clean = plain(text)
    return clean if len(clean) <= width else clean[: max(1, width - 1)].rstrip() + "…"
