"""One term of a query as tantivy runs it: built of tantivy's own queries, never of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from types import MappingProxyType
from typing import Final, NamedTuple

import tantivy

from metarag.errors import UnsupportedQueryError
from metarag.retrieval.corpus_search import COLUMN_WEIGHTS
from metarag.retrieval.term_meaning import COLUMNS, Between, Facts, Meaning, Near, Phrase, Pmids, Words
from metarag.retrieval.word_forms import WordForms

MAX_ARRANGEMENTS: Final = 2_100
"""Ways for words to stand near each other (ours); each is a search of its own. Two words have at most 2,002."""
MAX_TRIED: Final = 20_000
"""Ways that are tried out to find those (ours)."""
MAX_BEGINNINGS: Final = 16_000
"""Words that the last word of a phrase may stand for; tantivy refuses more than 16,384."""

_WEIGHTS: Final = MappingProxyType(dict(zip(COLUMNS, COLUMN_WEIGHTS, strict=True)))
_Q = tantivy.Query

Placed = tuple[tuple[int, str], ...]
"""Words with their positions in a phrase, from 0."""


class Part(NamedTuple):
    """What finds a part of a query, and how a reader is shown it."""

    query: tantivy.Query
    shown: str


class TermQueries:
    """Turns the meaning of terms into tantivy's queries, for one state of an index.

    Parameters
    ----------
    words : WordForms
        Cuts and stems as was done when the index was made.
    """

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema, words: WordForms) -> None:
        self._searcher = searcher
        self._schema = schema
        self._words = words

    def meant(self, meaning: Meaning, *, text: str, position: int) -> Part:
        """Return what finds a term; only words give a score.

        Parameters
        ----------
        text, position : str, int
            The query as written and where the term begins in it, for a message.

        Raises
        ------
        UnsupportedQueryError
            It would be more searches, or more words, than tantivy can do at once.
        """
        if isinstance(meaning, Words):
            for phrase in meaning.phrases:
                self._check(meaning.columns, phrase, text, position)
            phrases = [self.phrase(meaning.columns, phrase) for phrase in meaning.phrases]
            return Part(
                every([phrase.query for phrase in phrases]), " AND ".join(phrase.shown for phrase in phrases)
            )
        if isinstance(meaning, Near):
            return self._near(meaning, text, position)
        if isinstance(meaning, Facts):
            return unscored(self._facts(meaning))
        if isinstance(meaning, Pmids):
            ids = [f"pmid:{pmid}" for pmid in meaning.pmids]
            found = _Q.term_set_query(self._schema, "article_id", ids)
            return unscored(Part(found, f"pmid:({' '.join(map(str, meaning.pmids))})"))
        return unscored(self._between(meaning))

    def phrase(self, columns: Sequence[str], phrase: Phrase) -> Part:
        """Return what finds a phrase in any of the columns."""
        star = "*" if phrase.is_beginning else ""
        stems, *others = self._words.joined(phrase.text, *phrase.others)
        written = [f'"{stems}{star}"', *(f'"{other}"' for other in others)]
        where = "" if tuple(columns) == COLUMNS else f"{'|'.join(columns)}:"
        shown = written[0] if len(written) == 1 else f"({' OR '.join(written)})"
        return Part(some(self.in_each(columns, phrase)), where + shown)

    def in_each(self, columns: Sequence[str], phrase: Phrase) -> list[tantivy.Query]:
        """Return what finds a phrase in each of the columns, weighted."""
        stems, *others = (joined.split() for joined in self._words.joined(phrase.text, *phrase.others))
        return [
            _weighted(column, self._in_column(column, stems, others, is_beginning=phrase.is_beginning))
            for column in columns
        ]

    def _check(self, columns: Sequence[str], phrase: Phrase, text: str, position: int) -> None:
        """Refuse a phrase whose last word stands for too many."""
        stems = self._words.stems(phrase.text)
        if not phrase.is_beginning or len(stems) < 2:
            return
        for column in columns:
            found = self._searcher.terms_with_prefix(column, stems[-1], limit=MAX_BEGINNINGS + 1)
            if len(found) > MAX_BEGINNINGS:
                problem = (
                    f"more than {MAX_BEGINNINGS:,} words begin like the last of this phrase; write more of it"
                )
                raise UnsupportedQueryError(problem, text=text, position=position)

    def _in_column(
        self, column: str, stems: list[str], others: list[list[str]], *, is_beginning: bool
    ) -> tantivy.Query:
        if not is_beginning or not stems:
            return self._in_a_row(column, stems)
        # No prefix query of tantivy's for phrases: it takes the first 50 words that fit, and does not say so.
        pattern = f"{stems[-1]}.*"
        going_on = (
            _Q.regex_phrase_query(self._schema, column, [*stems[:-1], pattern])
            if len(stems) > 1
            else _Q.regex_query(self._schema, column, pattern)
        )
        return some([going_on, *(self._in_a_row(column, other) for other in others)])

    def _in_a_row(self, column: str, stems: Sequence[str]) -> tantivy.Query:
        return self._placed(column, tuple(enumerate(stems))) if stems else _Q.empty_query()

    def _placed(self, column: str, words: Placed) -> tantivy.Query:
        if len(words) == 1:
            return _Q.term_query(self._schema, column, words[0][1])
        return _Q.phrase_query(self._schema, column, list(words))

    def _near(self, near: Near, text: str, position: int) -> Part:
        stems = [tuple(self._words.stems(phrase)) for phrase in near.phrases]
        phrases = list(dict.fromkeys(filter(None, stems)))
        arranged = arrangements(phrases, near.distance)
        if arranged is None:
            problem = (
                "the tantivy engine cannot look for so many words so far apart; allow fewer between them"
            )
            raise UnsupportedQueryError(problem, text=text, position=position)
        found = [
            _weighted(column, some([self._placed(column, words) for words in arranged]))
            for column in near.columns
        ]
        shown = " ".join(f'"{" ".join(phrase)}"' for phrase in phrases)
        return Part(some(found), f"{'|'.join(near.columns)}:NEAR({shown}, {near.distance})")

    def _facts(self, facts: Facts) -> Part:
        tokens = [token for token in facts.tokens if token]
        star = "*" if facts.is_beginning else ""
        shown = f"facets:({' '.join(token + star for token in tokens)})"
        if not facts.is_beginning:
            return Part(_Q.term_set_query(self._schema, "facets", tokens), shown)
        return Part(some([_Q.regex_query(self._schema, "facets", f"{token}.*") for token in tokens]), shown)

    def _between(self, between: Between) -> Part:
        # 0 stands for what is not known.
        low, high = max(1, between.low), between.high
        ranges = [
            _Q.range_query(self._schema, column, tantivy.FieldType.Unsigned, low, high)
            for column in between.columns
            if low <= high
        ]
        return Part(some(ranges), f"{'|'.join(between.columns)}:[{low} TO {high}]")


def arrangements(phrases: Sequence[Sequence[str]], distance: int) -> list[Placed] | None:
    """Return all ways in which phrases can stand so that none ends more than ``distance`` words before the last.

    Two phrases may share a word that both have. tantivy's own slop is no help: it counts an order other than the given
    one as further apart, and with three words it finds others when it scores than when it counts.

    Returns
    -------
    list of Placed or None
        ``None`` where they are too many.
    """
    if len(phrases) < 2:
        return [tuple(enumerate(phrase)) for phrase in phrases]
    reach = distance + max(map(len, phrases))
    if len(phrases) * (reach + 1) ** (len(phrases) - 1) > MAX_TRIED:
        return None
    found = list(islice(_that_fit(phrases, distance), MAX_ARRANGEMENTS + 1))
    return found if len(found) <= MAX_ARRANGEMENTS else None


def _that_fit(phrases: Sequence[Sequence[str]], distance: int) -> Iterator[Placed]:
    for starts in _starts(len(phrases), distance + max(map(len, phrases))):
        standing = list(zip(starts, phrases, strict=True))
        last = max(starts)
        if any(start < last - len(phrase) - distance for start, phrase in standing):
            continue
        placed: dict[int, str] = {}
        if all(
            placed.setdefault(start + offset, word) == word
            for start, phrase in standing
            for offset, word in enumerate(phrase)
        ):
            yield tuple(sorted(placed.items()))


def _starts(number: int, reach: int) -> Iterator[tuple[int, ...]]:
    """Yield where phrases can begin, up to ``reach``, one or more of them at 0; each way once."""
    for first in range(number):
        before = [range(1, reach + 1)] * first
        after = [range(reach + 1)] * (number - first - 1)
        yield from product(*before, (0,), *after)


def unscored(part: Part) -> Part:
    """Return what finds the same and gives no score."""
    return Part(_Q.const_score_query(part.query, 0.0), part.shown)


def some(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """Return what finds what any of the queries finds; nothing for none."""
    return _joined(tantivy.Occur.Should, queries)


def every(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """Return what finds what all of the queries find; nothing for none."""
    return _joined(tantivy.Occur.Must, queries)


def _joined(occur: tantivy.Occur, queries: Sequence[tantivy.Query]) -> tantivy.Query:
    if not queries:
        return _Q.empty_query()
    return queries[0] if len(queries) == 1 else _Q.boolean_query([(occur, query) for query in queries])


def _weighted(column: str, query: tantivy.Query) -> tantivy.Query:
    return _Q.boost_query(query, _WEIGHTS[column])
