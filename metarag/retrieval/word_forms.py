"""Words as the tantivy engine indexes them: cut and stemmed as SQLite's index does, by SQLite itself.

tantivy's own analysers were left aside; it only splits at the blanks that are put between words here.

* **The same query finds the same records in both engines.** ``en_stem`` is the newer Porter stemmer, SQLite's is
  the original: they disagree on words such as *generic* or *dying*, and so would the engines.
* **Hyphens separate.** ``IL-6``, ``IL 6`` and ``il6-like`` are written without any rule; ``IL-6`` is asked for as
  two words next to each other, which finds the first two and not every 6.
* **Greek letters are spelled out**, and small raised or lowered figures are figures
  (:func:`~metarag.retrieval.free_text.fold`): TNF-α and TNF-alpha are one, CO₂ and CO2.
* **Numbers and single letters are words**: vitamin C, hepatitis B, 5-FU, p53. tantivy's default would keep them too.
* **No stop words are taken out.** A phrase has to find *hepatitis A* and *who*; what a list saves in size is a few
  per cent. Questions lose their function words before they are searched.
* **Accents go**, letters stay (Ménière, Meniere), without making ``ß`` or ``æ`` two letters.
* **No length limit.** ``en_stem`` drops words of 40 bytes or more, and chemical names are longer.

Asking SQLite costs little, because most words of a text have been met before.
"""

from __future__ import annotations

import re
import sqlite3
from types import TracebackType
from typing import Final, Self

from metarag.retrieval.word_stems import TOKENIZER

REMEMBERED: Final = 200_000
"""Words kept (ours): about 30 MB. In 100 million words of abstracts, that many make more than 99 % of the text."""

# What beyond ASCII is a letter is SQLite's to say. Only the commonest signs are cut here as well, so that fewer
# runs of characters have to be remembered.
_RUN = re.compile(r"[^\x00-/:-@\[-`{-\x7f\xa0§«°±·»×÷\u2000-\u201f•…′″−≤≥]+")


class WordForms:
    """Cuts texts into words and stems them, and remembers the words it met.

    Not for several threads at once; close it.
    """

    def __init__(self, *, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._known: dict[str, str] = {}
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        # Else SQLite writes a journal beside its memory, and a full disk ends what needs no disk.
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE words USING fts5 (word, content = '', tokenize = '{TOKENIZER}')"
        )
        self._connection.execute("CREATE VIRTUAL TABLE stems USING fts5vocab ('words', 'instance')")

    def joined(self, *texts: str) -> tuple[str, ...]:
        """Return the stems of the words of each folded text, in order, with blanks between.

        Many texts at once are quicker: what is met for the first time is asked of SQLite together.
        """
        # Which letters beyond ASCII are one with which is SQLite's to say, too.
        cut = [_RUN.findall(text.lower() if text.isascii() else text) for text in texts]
        unknown = {word for words in cut for word in words if word not in self._known}
        if unknown:
            if len(self._known) + len(unknown) > self._remembered:
                self._known.clear()
                unknown = {word for words in cut for word in words}
            self._learn(sorted(unknown))
        return tuple(" ".join(map(self._known.__getitem__, words)) for words in cut)

    def stems(self, text: str) -> list[str]:
        """Return the stems of the words of a folded text, in order."""
        return self.joined(text)[0].split()

    def close(self) -> None:
        """Let go of the memory."""
        self._known.clear()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _learn(self, words: list[str]) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words))
        rows = self._connection.execute('SELECT doc, term FROM stems ORDER BY doc, "offset"').fetchall()
        self._connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
        self._connection.execute("COMMIT")
        # Most words are one stem; what SQLite takes for a sign is none, and may be several.
        self._known.update(dict.fromkeys(words, ""))
        for position, stem in rows:
            self._known[words[position]] = f"{self._known[words[position]]} {stem}".lstrip()
