"""Word stems as the local index makes them, asked from SQLite itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import lru_cache
from typing import Final

TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
"""What the local index splits and stems texts with."""

_ENDINGS: Final = """
    s es ed er ers ing ings ion ions al ally ly able ability ive ives ively iveness ant ants ent ents ance ances
    ence ences ate ates ated ating ation ations ative ator ators ational ize izes ized izing ization izations
    izer ise ises ised ising isation isations ism isms ist ists istic ity ities ability abilities ic ics ical
    ically ment ments ness ous ously ousness ful fully fulness y ies ied ying
""".split()
_TAILS: Final = tuple(
    sorted(
        {ending[cut:] for ending in _ENDINGS for cut in range(len(ending))},
        key=lambda tail: (len(tail), tail),
    )
)
"""Ways in which an English word may go on after any of its letters."""


@lru_cache(maxsize=512)
def endings_of(beginning: str) -> tuple[str, ...]:
    """Return words that begin with ``beginning`` although their stems do not, one for each stem, sorted.

    The index holds stems only: ``randomi*`` has to find ``random``, which stands there for "randomized".

    Parameters
    ----------
    beginning : str
        One word, in lower case.
    """
    words = [beginning, *(beginning + tail for tail in _TAILS)]
    stems = _stems(words)
    start = stems.get(beginning, beginning)
    others = {stem: word for word, stem in reversed(stems.items()) if not stem.startswith(start)}
    return tuple(sorted(others.values()))


def _stems(words: list[str]) -> dict[str, str]:
    """Return the stem of each word; of what SQLite takes for several words, that of the last."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE w USING fts5 (word, tokenize = '{TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab ('w', 'instance')")
        connection.executemany("INSERT INTO w (rowid, word) VALUES (?, ?)", enumerate(words))
        rows = connection.execute('SELECT doc, term FROM v ORDER BY doc, "offset"').fetchall()
    return {words[row]: stem for row, stem in rows}
