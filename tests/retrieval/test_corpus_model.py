"""The index against the simplest thing that could be right: a dictionary."""

import sqlite3
from collections import Counter
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.records import AbstractSection, Article, Author, MeshHeading, MeshQualifier, PartialDate
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.corpus_build import index_source
from metarag.retrieval.corpus_schema import migrate

WORDS = ("zinc", "iron", "fever", "cough", "tablet")

PMIDS = st.sampled_from("1234")
ARTICLES = st.builds(
    lambda pmid, words, version, year: Article(
        pmid=pmid,
        title=" ".join(words),
        version=version,
        date_revised=PartialDate(year=year) if year else None,
    ),
    PMIDS,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.integers(1, 2),
    st.sampled_from((None, 2020, 2021)),
)
DELETIONS = st.builds(Deletion, pmid=PMIDS, version=st.sampled_from((None, 1, 2)))
FAILURES = st.builds(ReadFailure, position=st.just(1), reason=st.just("broken"))
SOURCES = st.lists(st.lists(st.one_of(ARTICLES, ARTICLES, DELETIONS, FAILURES), max_size=6), max_size=5)


def rank(article):
    return (article.version, (article.date_revised and article.date_revised.year) or 0)


def apply(state, records):
    """Do to a dictionary what a source does to the index."""
    before = dict(state)
    for record in records:
        if isinstance(record, Article):
            earlier = before.get(record.pmid)
            if earlier is None or rank(record) >= rank(earlier) or record == state[record.pmid]:
                state[record.pmid] = record
    withdrawn = {r.pmid: r.version for r in records if isinstance(r, Deletion)}
    for pmid, version in withdrawn.items():
        if pmid in state and (version is None or version >= state[pmid].version):
            del state[pmid]


@given(sources=SOURCES)
@settings(max_examples=120, deadline=None)
def test_any_series_of_sources_leaves_what_the_rules_say(sources):
    state = {}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
        for number, records in enumerate(sources):
            report = index_source(connection, records, name=str(number), appraisals=False)
            apply(state, records)
            kinds = Counter(type(record) for record in records)
            assert report.added + report.replaced + report.unchanged + report.older == kinds[Article]
            assert len(report.failures) == kinds[ReadFailure]
        corpus = Corpus(connection, name="test")
        assert {article.pmid: article for article in corpus} == state
        for word in WORDS:
            hits = {hit.article.pmid for hit in corpus.search(word)}
            assert hits == {pmid for pmid, article in state.items() if word in article.title}
        connection.execute("INSERT INTO text_index (text_index) VALUES ('integrity-check')")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    article=st.builds(
        Article,
        pmid=st.just("7"),
        title=TEXT,
        doi=st.none() | TEXT,
        abstract_sections=st.lists(
            st.builds(AbstractSection, text=TEXT, label=st.none() | TEXT), max_size=3
        ).map(tuple),
        mesh=st.lists(
            st.builds(
                MeshHeading,
                descriptor=TEXT,
                descriptor_major=st.booleans(),
                qualifiers=st.lists(st.builds(MeshQualifier, name=TEXT), max_size=2).map(tuple),
            ),
            max_size=3,
        ).map(tuple),
        authors=st.lists(st.builds(Author, last=st.none() | TEXT), max_size=2).map(tuple),
        title_translated=st.booleans(),
    )
)
@settings(max_examples=100, deadline=None)
def test_an_article_comes_back_as_it_was(article):
    with Corpus.in_memory([article]) as corpus:
        assert corpus.get("7") == article


@given(order=st.permutations(range(12)), cut=st.integers(0, 12))
@settings(max_examples=30, deadline=None)
def test_order_and_scores_do_not_depend_on_the_order_of_indexing(order, cut):
    articles = [
        Article(
            pmid=str(n) if n % 3 else None,
            title=f"{WORDS[n % 2]} {WORDS[n % 5]}",
            keywords=("x" * (n // 6),) if n >= 6 else (),
            doi=f"10.1000/{n}",
        )
        for n in range(12)
    ]
    shuffled = [articles[n] for n in order]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        index_source(connection, shuffled[:cut], name="a", appraisals=False)
        index_source(connection, shuffled[cut:], name="b", appraisals=False)
        split = [
            (h.article.id, h.retriever_score)
            for h in Corpus(connection, name="test").search("zinc iron fever")
        ]
    with Corpus.in_memory(articles) as corpus:
        assert split == [(h.article.id, h.retriever_score) for h in corpus.search("zinc iron fever")]
