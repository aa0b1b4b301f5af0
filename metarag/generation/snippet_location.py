"""Where in an article a text stands that a model says is there."""

from __future__ import annotations

import unicodedata

from metarag.generation.answer_parts import Snippet
from metarag.generation.snippets import section_at
from metarag.llm.quotes import find_quote
from metarag.records import Article
from metarag.types import Span

_STOPS = (".", "!", "?")
_NOTHING = "\u200b"
"""Stands for a combining accent: counted as a character, and of no weight in a comparison."""


def locate_snippet(text: str, article: Article) -> Snippet | None:
    """Return a text as it stands in the title or the abstract; ``None`` when it does not.

    Case, white space, accents, invisible characters and the kinds of dashes and quotation marks make no
    difference, every letter and digit does. What comes back is the article's own text at its own place,
    however the model spelt it. The title is searched first.
    """
    for where, source in (("title", article.title), ("abstract", article.abstract or "")):
        found = find_quote(text, source) or find_quote(_unaccented(text), _unaccented(source))
        if found:
            start, end = found
            # A comparison does not look at the last full stop; it belongs to the sentence all the same.
            end += source[end : end + 1] in _STOPS and text.rstrip().endswith(_STOPS)
            section = section_at(article, start) if where == "abstract" else None
            span = Span(where=where, start=start, end=end, text=source[start:end])
            return Snippet(span=span, section=section, basis="model")
    return None


def _unaccented(text: str) -> str:
    """Return a text of the same length, each letter without its accent."""
    return "".join(_base(character) for character in text)


def _base(character: str) -> str:
    if character.isascii():
        return character
    bare = [c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c)]
    if not bare:
        return _NOTHING
    return bare[0] if len(bare) == 1 else character
