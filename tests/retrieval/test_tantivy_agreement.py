"""Both engines find the same records for the same query; only the order is each one's own."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from query_shelf import FINDS, REFUSED, SHELF

from metarag.errors import QueryError, UnsupportedQueryError
from metarag.records import AbstractSection, Article, MeshHeading, PartialDate, PublicationType
from metarag.retrieval.clinical_queries import CLINICAL_QUERIES
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.demo import demo_corpus_path, demo_questions, open_demo_corpus
from metarag.retrieval.expansion import expand
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_tree import Node, Range, Term, all_of, any_of, but_not

pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")

from metarag.retrieval.tantivy_corpus import TantivyCorpus

ALL = 1_000


def build(folder, articles):
    source = folder / "source"
    source.touch()
    build_index(
        folder / "index", [source], reader=lambda _: iter(articles), appraisals=False, engine="tantivy"
    )
    return TantivyCorpus.open(folder / "index")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    with build(tmp_path_factory.mktemp("shelf"), SHELF) as corpus:
        yield corpus


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    build_index(folder / "index", [demo_corpus_path()], appraisals=False, engine="tantivy")
    with TantivyCorpus.open(folder / "index") as tantivy, open_demo_corpus() as sqlite:
        yield tantivy, sqlite


def found(corpus, query):
    hits = corpus.search(query, limit=ALL)
    assert hits.failures == ()
    assert len(hits) == hits.total
    return {hit.article.id for hit in hits}


@pytest.mark.parametrize(("text", "pmids"), FINDS)
def test_each_form_finds_what_it_says(shelf, text, pmids):
    assert found(shelf, parse_query(text)) == {f"pmid:{pmid}" for pmid in pmids}


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_what_the_index_cannot_do_is_refused_as_by_sqlite(shelf, text, says):
    query = parse_query(f"(zinc OR iron) AND {text}")
    with pytest.raises(UnsupportedQueryError, match=says) as raised:
        shelf.search(query)
    with Corpus.in_memory(SHELF[:1]) as sqlite, pytest.raises(UnsupportedQueryError) as other:
        sqlite.search(query)
    assert str(raised.value) == str(other.value)


@pytest.mark.parametrize("strategy", CLINICAL_QUERIES.values(), ids=list(CLINICAL_QUERIES))
def test_clinical_queries_find_the_same_in_the_demo_corpus(demo, strategy):
    tantivy, sqlite = demo
    assert found(tantivy, parse_query(strategy)) == found(sqlite, parse_query(strategy))


@pytest.mark.parametrize(
    "text",
    [
        "aspirin",
        "aspirin AND (stroke OR infarction) NOT women[ti]",
        '"myocardial infarction"[tiab]',
        "randomi*[tiab] AND placebo",
        '"blood pressu*"',
        '"aspirin infarction"[tiab:~4]',
        '"vitamin d supplementation"[tiab:~5]',
        "randomized controlled trial[pt] AND 2000:2015[dp]",
        "meta-analysis[pt] OR systematic review[pt]",
        "humans[mh] NOT review[pt]",
        "heart fail*[mh]",
        "beta-carotene OR β-carotene",
        "hormone replacement therap* AND women",
        "1:20000000[pmid] NOT english[la]",
        "N Engl J Med[ta]",
    ],
)
def test_a_boolean_query_finds_the_same_in_the_demo_corpus(demo, text):
    tantivy, sqlite = demo
    assert found(tantivy, parse_query(text)) == found(sqlite, parse_query(text))


@pytest.mark.parametrize("asked", demo_questions(), ids=lambda asked: asked.id)
def test_questions_and_their_plans_find_the_same_in_the_demo_corpus(demo, asked):
    tantivy, sqlite = demo
    assert found(tantivy, asked.text) == found(sqlite, asked.text)
    for step in expand(asked.question).steps:
        query = parse_query(step.query)
        assert found(tantivy, query) == found(sqlite, query)
        assert tantivy.search(query).query.warnings == sqlite.search(query).query.warnings


# A few words in many places, so that random queries find something.
VOCABULARY = (
    "hip",
    "pain",
    "knee",
    "IL-6",
    "6",
    "il",
    "randomized",
    "random",
    "the",
    "generic",
    "TNF-α",
    "alpha",
)


def random_articles(seed, number):
    random = Random(seed)

    def text(most, least=0):
        return " ".join(random.choices(VOCABULARY, k=random.randint(least, most)))

    for pmid in range(1, number + 1):
        yield Article(
            pmid=str(pmid) if pmid % 7 else None,
            doi=f"10.1000/{pmid}",
            title=text(6, 1),
            abstract_sections=(AbstractSection(text=text(14, 1)),) if pmid % 5 else (),
            mesh=tuple(MeshHeading(descriptor=text(3, 1)) for _ in range(random.randint(0, 2))),
            publication_types=(PublicationType(name=random.choice(("Review", "Clinical Trial"))),),
            print_date=PartialDate(year=random.choice((2000, 2010))) if pmid % 3 else None,
        )


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    articles = list(random_articles(5, 200))
    with build(tmp_path_factory.mktemp("twins"), articles) as tantivy, Corpus.in_memory(articles) as sqlite:
        yield tantivy, sqlite


words = st.sampled_from(VOCABULARY)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
beginnings = st.builds(
    lambda before, last: f"{before} {last}*".strip(),
    st.sampled_from(("", "hip", "IL-6", "the")),
    st.sampled_from(("rand", "gene", "pain", "alph", "rando")),
)
tags = st.sampled_from((None, "ti", "tiab", "tw", "mh", "ot"))


def near(text: str, tag: str, distance: int) -> Node:
    return Term(text, True, tag, distance=distance)


leaves = st.one_of(
    st.builds(Term, phrases, st.booleans(), tags),
    st.builds(Term, beginnings, st.booleans(), tags),
    st.builds(
        near,
        st.lists(words, min_size=2, max_size=3).map(" ".join),
        st.sampled_from(("ti", "tiab")),
        st.integers(0, 5),
    ),
    st.builds(Term, st.sampled_from(("review", "clinical trial", "clin*")), st.just(False), st.just("pt")),
    st.builds(Term, st.sampled_from(("Therapy/Narrow", "hasabstract")), st.just(False), st.just("filter")),
    st.builds(Range, st.just("1999"), st.sampled_from(("2000", "2010")), st.just("dp")),
    st.builds(Range, st.just("7"), st.sampled_from(("7", "120")), st.just("pmid")),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: all_of(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: any_of(*parts)),
        st.builds(lambda kept, out: but_not(kept, *out), inner, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=5,
)


@given(root=trees, limit=st.integers(1, 9))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_query_finds_the_same_in_both_and_its_best_are_the_first_of_all(root, limit, twins):
    tantivy, sqlite = twins
    query = Query("x" * 100, root)
    hits = tantivy.search(query, limit=ALL)
    assert {hit.article.id for hit in hits} == found(sqlite, query)
    assert tantivy.search(query, limit=limit).articles == hits.articles[:limit]
    keys = [(-hit.retriever_score, int(hit.article.pmid or 0), hit.article.id) for hit in hits]
    assert keys == sorted(keys)


@given(text=st.text(max_size=30) | phrases)
@settings(max_examples=100, deadline=None)
def test_any_free_text_finds_the_same_in_both(text, twins):
    tantivy, sqlite = twins
    assert found(tantivy, text) == found(sqlite, text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('"hip pain knee il six seven"[tiab:~9]', "so many words so far apart"),
        ('"IL-6 pain knee random"[tiab:~300]', "so many words so far apart"),
    ],
)
def test_what_only_tantivy_cannot_do_is_refused_by_name(shelf, text, says):
    with pytest.raises(UnsupportedQueryError, match=says) as raised:
        shelf.search(parse_query(f"zinc AND {text}"))
    assert raised.value.position == 9
    assert isinstance(raised.value, QueryError)


def test_the_longest_proximity_of_two_words_runs(shelf):
    assert found(shelf, parse_query('"hip pain"[tiab:~1000]')) == {"pmid:5", "pmid:6"}


def test_a_phrase_whose_last_word_stands_for_too_many_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("metarag.retrieval.tantivy_terms.MAX_BEGINNINGS", 10)
    title = " ".join(f"hip prote{n}x" for n in range(12))
    with build(tmp_path, [Article(pmid="1", title=title)]) as corpus:
        assert found(corpus, parse_query("prote*")) == {"pmid:1"}
        assert found(corpus, parse_query('"hip prote1*"')) == {"pmid:1"}
        with pytest.raises(UnsupportedQueryError, match="more than 10 words begin like the last"):
            corpus.search(parse_query('"hip prote*"'))


def test_a_beginning_stands_for_every_word_that_begins_so(tmp_path):
    """tantivy's own prefix query for phrases stops at the first 50 words."""
    articles = [Article(pmid=str(n), title=f"Hip prote{n}x") for n in range(1, 301)]
    with build(tmp_path, articles) as corpus:
        assert corpus.search(parse_query('"hip prote*"')).total == 300
        assert corpus.search(parse_query("prote*[ti]")).total == 300
