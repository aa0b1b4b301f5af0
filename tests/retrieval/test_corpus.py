"""Search, look-up and the retriever over an open index."""

import sqlite3
import sys
from datetime import UTC, datetime

import pytest
from builders import make_article
from corpus_sources import BREAK, build, write_source

from metarag.appraisal import appraise
from metarag.errors import IndexUnusableError
from metarag.records import Article, MeshHeading, TextOrigin
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.free_text import FreeTextQuery
from metarag.types import Pico, Question

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.fixture
def corpus():
    articles = (
        make_article("1", "Zinc lozenges for the common cold", "Lozenges with zinc shortened colds."),
        make_article("2", "Vitamin C for the common cold", "Zinc was not given."),
        make_article("3", "Iron for anaemia", "Iron tablets raised haemoglobin."),
        make_article(
            "4", "A study of tablets", "Iron.", mesh=(MeshHeading(descriptor="Anemia, Sickle Cell"),)
        ),
        make_article(None, "Copper bracelets", "Nothing happened.", doi="10.1000/Copper"),
    )
    with Corpus.in_memory(articles, name="shelf") as opened:
        yield opened


def pmids(hits):
    return [hit.article.pmid for hit in hits]


def test_the_best_comes_first_with_a_positive_score(corpus):
    hits = corpus.search("zinc for colds")
    assert pmids(hits) == ["1", "2"]
    scores = [hit.retriever_score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    assert [hit.relevance for hit in hits] == [None, None]


def test_a_title_counts_more_than_an_abstract(corpus):
    assert pmids(corpus.search("tablets"))[0] == "4"


def test_subject_headings_are_searched_and_words_are_stemmed(corpus):
    assert pmids(corpus.search("sickle")) == ["4"]
    assert pmids(corpus.search("lozenge shortening")) == ["1"]


def test_any_word_is_enough(corpus):
    assert set(pmids(corpus.search("bracelets haemoglobin"))) == {None, "3"}


def test_ties_stand_by_number_of_pmid_whatever_the_limit():
    twins = [make_article(pmid, "Zinc") for pmid in ("100", "20", "3", "1000")]
    with Corpus.in_memory(twins) as corpus:
        assert pmids(corpus.search("zinc")) == ["3", "20", "100", "1000"]
        assert pmids(corpus.search("zinc", limit=2)) == ["3", "20"]


def test_the_limit_cuts_the_articles_and_not_the_total(corpus):
    hits = corpus.search("zinc iron", limit=1)
    assert (len(hits), hits.total) == (1, 4)
    assert corpus.search("zinc iron", limit=0).articles == ()
    assert corpus.search("zinc iron", limit=0).total == 4
    assert len(corpus.search("zinc iron", limit=sys.maxsize)) == 4
    with pytest.raises(ValueError, match="limit"):
        corpus.search("zinc", limit=-1)


def test_hits_are_a_sequence(corpus):
    hits = corpus.search("iron")
    assert len(hits) == 2
    assert hits[0] is hits.articles[0]
    assert hits[:1] == hits.articles[:1]
    assert list(hits) == list(hits.articles)
    assert hits[1] in hits


def test_a_query_can_be_made_first(corpus):
    assert set(pmids(corpus.search(FreeTextQuery(("common cold", "never seen"))))) == {"1", "2"}
    assert pmids(corpus.search(FreeTextQuery(("cold common",)))) == []


def test_a_hyphenated_name_is_a_phrase():
    articles = [make_article("1", "IL-6 in fever"), make_article("2", "Six patients, il and 6 others")]
    with Corpus.in_memory(articles) as corpus:
        assert pmids(corpus.search("IL-6")) == ["1"]
        assert corpus.search("IL-6").query.match == '"il 6"'


def test_greek_letters_are_found_by_their_names_and_the_other_way_round():
    with Corpus.in_memory([make_article("1", "TNF-α in fever"), make_article("2", "TNF-alpha")]) as corpus:
        assert set(pmids(corpus.search("TNF-α"))) == set(pmids(corpus.search("TNF-alpha"))) == {"1", "2"}


def test_an_article_is_got_by_pmid_or_id(corpus):
    assert corpus.get("3") == corpus.get("pmid:3")
    assert corpus.get("3").title == "Iron for anaemia"
    assert corpus.get("doi:10.1000/copper").title == "Copper bracelets"
    assert corpus.get("99") is None
    assert corpus.get("") is None


def test_all_articles_can_be_walked_through_in_the_order_of_their_ids(corpus):
    assert [a.id for a in corpus] == ["doi:10.1000/copper", "pmid:1", "pmid:2", "pmid:3", "pmid:4"]
    assert len(corpus) == 5


def test_a_long_walk_misses_nothing():
    with Corpus.in_memory(make_article(str(n)) for n in range(1, 1002)) as corpus:
        assert {int(article.pmid) for article in corpus} == set(range(1, 1002))


def test_in_memory_a_record_that_fails_is_an_error():
    with pytest.raises(IndexUnusableError, match="not closed"):
        Corpus.in_memory([make_article("1"), ReadFailure(position=2, reason="not closed")])


def test_in_memory_deletions_count():
    with Corpus.in_memory([make_article("1"), Deletion(pmid="1")]) as corpus:
        assert len(corpus) == 0


def test_info_says_what_the_index_holds(tmp_path):
    summary = make_article("2", text_origin=TextOrigin.SUMMARY)
    index = tmp_path / "shelf.sqlite"
    source = write_source(tmp_path / "a.xml", make_article("1"), summary, ReadFailure(position=3, reason="x"))
    build(index, source, clock=lambda: NOON)
    with Corpus.open(index) as corpus:
        info = corpus.info()
    assert (info.name, info.records, info.schema_version, info.built_at) == ("shelf.sqlite", 2, 3, NOON)
    assert info.text_origins == {"abstract": 1, "summary": 1}
    assert info.size == index.stat().st_size
    assert [(s.name, s.records, s.failures, s.complete) for s in info.sources] == [("a.xml", 3, 1, True)]
    assert info.unfinished == ()


def test_the_retriever_searches_question_and_pico_but_no_option(corpus):
    question = Question(
        text="What helps anaemia?",
        options={"A": "zinc", "B": "bracelets"},
        pico=Pico(population="sickle cell", intervention="vitamin"),
    )
    result = CorpusRetriever(corpus, clock=lambda: NOON).retrieve(question, limit=2)
    assert result.query.query == '"sickle" OR "cell" OR "vitamin" OR "helps" OR "anaemia"'
    assert result.query.source == "local index: shelf"
    assert (result.query.total, result.query.reachable, result.query.retrieved) == (3, 3, 2)
    assert result.query.searched_at == NOON
    assert result.query.warnings == ()
    assert pmids(result.articles)[0] == "4"
    assert all(found.relevance is None and found.retriever_score > 0 for found in result.articles)


def test_the_retriever_finds_nothing_without_an_error(corpus):
    result = CorpusRetriever(corpus).retrieve(Question(text="What is it?"))
    assert result.articles == ()
    assert (result.query.query, result.query.total) == ("", 0)
    assert any("No word" in warning for warning in result.query.warnings)
    assert result.query.searched_at.utcoffset().total_seconds() == 0


def test_the_retriever_warns_of_what_the_index_lacks(tmp_path):
    index = tmp_path / "index.sqlite"
    broken = write_source(
        tmp_path / "part.xml", make_article("1"), ReadFailure(position=2, reason="x"), BREAK
    )
    build(index, broken)
    with Corpus.open(index) as corpus:
        warnings = CorpusRetriever(corpus).retrieve(Question(text="zinc")).query.warnings
    assert warnings == (
        "The local index holds only a part of: part.xml.",
        "Records that could not be read when the local index was built: 1.",
    )


def test_a_build_that_was_stopped_is_remembered_until_it_is_finished(tmp_path):
    index = tmp_path / "index.sqlite"
    sources = [write_source(tmp_path / name, make_article(str(n))) for n, name in enumerate("abc", 1)]

    def stop(progress):
        if progress.source == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(index, *sources, progress=stop)
    with Corpus.open(index) as corpus:
        assert corpus.info().unfinished == ("b", "c")
        assert corpus.gaps() == ("The local index is not finished; its build has still to do: b, c.",)
        assert len(corpus) == 1
    report = build(index, *sources)
    assert [source.skipped for source in report.sources] == [True, False, False]
    with Corpus.open(index) as corpus:
        assert corpus.gaps() == ()
        assert len(corpus) == 3


def test_a_build_that_was_stopped_in_its_first_source_is_remembered_too(tmp_path):
    index = tmp_path / "index.sqlite"
    build(index, write_source(tmp_path / "a", make_article("1", "Zinc")))
    more = write_source(tmp_path / "b", make_article("2", "Zinc"))

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(index, more, progress=stop)
    with Corpus.open(index) as corpus:
        found = CorpusRetriever(corpus).retrieve(Question(text="zinc"))
    assert len(found.articles) == 1
    assert found.query.warnings == ("The local index is not finished; its build has still to do: b.",)


@pytest.mark.parametrize("stopped", [True, False])
def test_searching_an_empty_index_is_an_error_and_no_empty_answer(tmp_path, stopped):
    index = tmp_path / "index.sqlite"
    source = write_source(tmp_path / "a", make_article("1"))

    def stop(progress):
        raise KeyboardInterrupt

    if stopped:
        with pytest.raises(KeyboardInterrupt):
            build(index, source, progress=stop)
    else:
        build(index)
    advice = "not finished .a.; run it again" if stopped else "add files to it"
    with (
        Corpus.open(index) as corpus,
        pytest.raises(IndexUnusableError, match=f"holds no record: .*{advice}"),
    ):
        CorpusRetriever(corpus).retrieve(Question(text="zinc"))


def test_nothing_is_left_to_do_when_the_last_source_was_in_already(tmp_path):
    index = tmp_path / "index.sqlite"
    first, last = (write_source(tmp_path / name, make_article(name)) for name in ("1", "2"))
    build(index, last)
    build(index, first, last)
    with Corpus.open(index) as corpus:
        assert corpus.gaps() == ()


def test_an_article_without_words_is_kept_though_no_search_finds_it():
    with Corpus.in_memory([Article(pmid="1")]) as corpus:
        assert corpus.get("1") == Article(pmid="1")
        assert corpus.search("anything").total == 0


def test_a_search_brings_the_stored_appraisals_of_this_version_only(tmp_path):
    article = make_article(pmid="1", title="Zinc for fever", types=("Letter",))
    path = tmp_path / "articles.jsonl"
    path.write_text(article.model_dump_json() + "\n", encoding="utf-8")
    build_index(tmp_path / "i.sqlite", [path])
    with Corpus.open(tmp_path / "i.sqlite") as corpus:
        assert corpus.search("zinc")[0].appraisal == appraise(article)
    with sqlite3.connect(tmp_path / "i.sqlite") as connection:
        connection.execute("UPDATE appraisal SET version = '0'")
    connection.close()
    with Corpus.open(tmp_path / "i.sqlite") as corpus:
        assert corpus.search("zinc")[0].appraisal is None
