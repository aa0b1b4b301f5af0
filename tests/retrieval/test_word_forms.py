"""Words as tantivy gets them are those of SQLite's index, whatever the text."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.retrieval.free_text import fold
from metarag.retrieval.word_forms import WordForms
from metarag.retrieval.word_stems import TOKENIZER


@pytest.fixture(scope="module")
def tokens():
    """Return what SQLite itself makes of a text."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = '{TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab ('t', 'instance')")

        def of(text):
            connection.execute("DELETE FROM t")
            connection.execute("INSERT INTO t (rowid, x) VALUES (1, ?)", (text,))
            return [term for (term,) in connection.execute('SELECT term FROM v ORDER BY "offset"')]

        yield of


@pytest.fixture(scope="module")
def words():
    with WordForms(remembered=40) as made:
        yield made


MEDICAL = st.lists(
    st.sampled_from(
        "IL-6 TNF-α CO₂ 5-FU p<0.001 0.95–1.05 Ménière's β2 Crohn’s naïve ±SD 10⁹/L µg straße randomised dying "
        "generically The the VITAMIN İzmir Œuvre 中文 x_y 1,25(OH)2D3 N‐acetyl\u00adcysteine".split()
    )
).map(" ".join)
# Characters for private use and those not yet assigned are nothing that two tables of letters have to agree on.
ANY = st.text(st.characters(exclude_categories=("Co", "Cs", "Cn")), max_size=60)


@given(text=MEDICAL | ANY)
@settings(max_examples=300, deadline=None)
def test_any_text_is_cut_and_stemmed_as_sqlite_does(text, tokens, words):
    assert words.stems(fold(text)) == tokens(fold(text))


def test_what_is_spelled_in_two_ways_is_one(words):
    def same(*texts):
        return len({words.joined(fold(text)) for text in texts}) == 1

    assert same("IL-6", "il 6", "IL‑6")
    assert same("TNF-α", "TNF-alpha", "tnf alpha")
    assert same("CO₂", "CO2")
    assert same("Ménière", "Meniere")
    assert not same("p53", "p 53")


def test_words_are_forgotten_when_they_become_too_many():
    with WordForms(remembered=3) as words:
        for n in range(50):
            assert words.stems(f"tablets{n} of zinc{n}") == [f"tablets{n}", "of", f"zinc{n}"]
        assert words.joined("tablets " * 3 + "a b c d e", "", "e") == (
            "tablet tablet tablet a b c d e",
            "",
            "e",
        )
