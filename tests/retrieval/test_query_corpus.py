"""Queries against a local index: what they find, in which order, and what is refused by name."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from query_shelf import FINDS, REFUSED, SHELF
from query_strategies import trees

from metarag.errors import QueryError, UnsupportedQueryError
from metarag.retrieval.clinical_queries import CLINICAL_QUERIES
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.corpus_build import index_source
from metarag.retrieval.corpus_schema import MIGRATIONS, migrate
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_corpus import NO_MAPPING, NOT_EXPLODED, SAME_STEM
from metarag.retrieval.query_parser import MAX_LENGTH
from metarag.retrieval.query_plan import QueryPlan, QueryStep
from metarag.types import Question

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
QUESTION = Question(text="Does zinc shorten colds?")


@pytest.fixture(scope="module")
def corpus():
    with Corpus.in_memory(SHELF, name="shelf") as opened:
        yield opened


def found(corpus, text):
    return {int(hit.article.pmid) for hit in corpus.search(parse_query(text), limit=100)}


@pytest.mark.parametrize(("text", "pmids"), FINDS)
def test_each_form_finds_what_it_says(corpus, text, pmids):
    assert found(corpus, text) == pmids
    assert corpus.search(parse_query(text), limit=0).total == len(pmids)


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_what_the_index_cannot_do_is_refused_by_name_and_place(corpus, text, says):
    query = parse_query(f"(zinc OR iron) AND {text}")
    with pytest.raises(UnsupportedQueryError, match=says) as raised:
        corpus.search(query)
    assert raised.value.position > 14
    assert isinstance(raised.value, QueryError)


def test_order_is_that_of_the_words_and_ties_stand_by_pmid(corpus):
    def order(text):
        return [hit.article.pmid for hit in corpus.search(parse_query(text))]

    assert order("heart attack")[0] == "16"
    assert order("heart attack AND 1:100[pmid]") == order("heart attack")
    assert order("18:20[pmid]") == ["18", "19", "20"]
    # What matches words comes before what only meets the other condition.
    assert order("infliximab OR 3:4[pmid]") == ["18", "3", "4"]


def test_conditions_change_no_score(corpus):
    def scores(text):
        hits = corpus.search(parse_query(text))
        return {hit.article.pmid: hit.retriever_score for hit in hits}

    plain, filtered = scores("zinc"), scores("zinc AND 1:2[pmid] AND english[la] NOT 2010[dp]")
    assert filtered == {pmid: plain[pmid] for pmid in ("1", "2")}
    assert all(score > 0 for score in filtered.values())
    # A filter's own words are no reason to come first.
    assert scores("zinc AND Therapy/Narrow[filter]") == {"1": plain["1"]}
    assert scores("zinc AND humans[filter]") == {"20": plain["20"]}


def test_the_limit_cuts_the_articles_and_not_the_total(corpus):
    hits = corpus.search(parse_query("1:20[pmid]"), limit=3)
    assert (len(hits), hits.total) == (3, 20)


def test_what_pubmed_would_have_done_otherwise_is_said():
    assert parse_query("zinc").for_corpus().warnings == (NO_MAPPING,)
    assert parse_query('"zinc"').for_corpus().warnings == ()
    assert parse_query("zinc[mh] AND ironic*[ti]").for_corpus().warnings == (NOT_EXPLODED, SAME_STEM)


def test_what_is_run_can_be_shown():
    shown = str(parse_query("zinc[ti] AND english[la] AND 7[pmid]").for_corpus())
    assert shown.startswith('{title} : ("zinc") WHERE ')
    assert "'\"la_eng\"'" in shown
    assert "?" not in shown


@pytest.mark.parametrize("strategy", CLINICAL_QUERIES.values(), ids=list(CLINICAL_QUERIES))
def test_every_clinical_query_can_be_read_written_and_run(corpus, strategy):
    query = parse_query(strategy)
    assert query.warnings == ()
    assert parse_query(query.for_pubmed()).root == query.root
    assert corpus.search(query).total < len(SHELF)


@given(root=trees())
@settings(max_examples=60, deadline=None)
def test_no_query_is_too_much_for_the_engine(root):
    """Whatever was read runs, or is refused by name; it never ends in an error of SQLite."""
    with Corpus.in_memory(SHELF[:3]) as corpus:
        try:
            hits = corpus.search(Query("", root), limit=2)
        except UnsupportedQueryError:
            return
        assert len(hits) == min(2, hits.total) <= 3


@pytest.mark.parametrize("unit", ["{n}[dp]", "w{n}[ti]", "({n}[dp] NOT w{n}[pt])"])
def test_the_longest_query_runs(corpus, unit):
    count = (MAX_LENGTH - 20) // len(f" OR {unit.format(n=1000)}")
    parts = " OR ".join(unit.format(n=1000 + n % 9000) for n in range(count))
    assert 7 in found(corpus, f"{parts} OR 7[pmid]")


def test_an_index_of_the_schema_before_learns_types_and_dates():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as old:
        old.execute("PRAGMA foreign_keys = ON")
        migrate(old)
        index_source(old, SHELF, name="x", appraisals=False)
        old.execute("DROP TABLE facet_index")
        old.execute("ALTER TABLE record DROP COLUMN published_print")
        old.execute("ALTER TABLE record DROP COLUMN published_online")
        old.execute("ALTER TABLE source DROP COLUMN year")
        old.execute("ALTER TABLE source DROP COLUMN number")
        old.execute("DROP TABLE withdrawal")
        old.execute("DELETE FROM migration WHERE name != ?", (MIGRATIONS[0].name,))
        old.execute("PRAGMA user_version = 1")
        assert migrate(old) == tuple(m.name for m in MIGRATIONS[1:])
        corpus = Corpus(old, name="old")
        assert found(corpus, "clinical trial[pt] AND 2004[dp]") == {2}
        index_source(old, [SHELF[1].model_copy(update={"publication_types": (), "languages": ()})], name="y")
        assert found(corpus, "clinical trial[pt]") == {1}
        old.execute("INSERT INTO facet_index (facet_index) VALUES ('integrity-check')")


def test_the_retriever_runs_a_query_instead_of_the_question(corpus):
    retriever = CorpusRetriever(corpus, query="iron[ti] AND german[la]", clock=lambda: NOON)
    result = retriever.retrieve(QUESTION)
    assert [hit.article.pmid for hit in result.articles] == ["3"]
    assert result.query.query == "iron[ti] AND german[la]"
    assert result.query.translation.startswith("{title}")
    assert (result.query.total, result.query.retrieved, result.query.searched_at) == (1, 1, NOON)
    other = retriever.retrieve(QUESTION, query=parse_query("infliximab"))
    assert [hit.article.pmid for hit in other.articles] == ["18"]
    assert NO_MAPPING in other.query.warnings


def test_without_a_query_the_retriever_searches_the_question_as_before(corpus):
    plain = CorpusRetriever(corpus, clock=lambda: NOON).retrieve(QUESTION)
    hits = corpus.search(QUESTION.text)
    assert plain.articles == hits.articles
    assert plain.query.query == hits.query.match
    assert plain.query.note is None


def plan(*queries):
    steps = tuple(QueryStep(query=query, note=f"step {n}") for n, query in enumerate(queries))
    return QueryPlan(steps=steps, source="rule", warnings=("by rule",))


def test_a_plan_is_widened_until_something_is_found_and_every_step_is_recorded(corpus):
    steps = plan("zinc AND nothing", "zinc AND Smith J[au]", "zinc AND colds", "zinc")
    result = CorpusRetriever(corpus, query=steps, clock=lambda: NOON).retrieve(QUESTION)
    assert {hit.article.pmid for hit in result.articles} == {"1", "2"}
    assert (result.query.query, result.query.note) == ("zinc AND colds", "step 2")
    assert [(r.query, r.total) for r in result.query.earlier] == [("zinc AND nothing", 0)]
    assert result.query.warnings[0] == "by rule"
    assert any(
        w.startswith("Not run, because the local index has no field [au]") for w in result.query.warnings
    )


def test_a_plan_that_finds_nothing_is_a_result_and_one_that_cannot_run_an_error(corpus):
    result = CorpusRetriever(corpus, query=plan("unheard", "nowhere")).retrieve(QUESTION)
    assert result.articles == ()
    assert result.query.query == "nowhere"
    assert [record.query for record in result.query.earlier] == ["unheard"]
    with pytest.raises(UnsupportedQueryError, match="au"):
        CorpusRetriever(corpus, query=plan("Smith J[au]")).retrieve(QUESTION)


def test_a_query_that_cannot_be_read_is_refused_before_anything_is_searched(corpus):
    with pytest.raises(QueryError, match="tiabb"):
        CorpusRetriever(corpus, query="zinc[tiabb]")
    with pytest.raises(QueryError, match="not closed"):
        CorpusRetriever(corpus).retrieve(QUESTION, query="(zinc")
