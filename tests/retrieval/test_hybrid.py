"""Two sources as one: fused by rank, each article once, and one failing source no loss of the other."""

import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag.appraisal import appraise
from metarag.audit import QueryRecord
from metarag.errors import ConfigurationError, IndexUnusableError, PubMedUnavailableError, RetrievalError
from metarag.records import PartialDate
from metarag.retrieval.base import ReadFailure, RetrievalResult
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.hybrid import HybridRetriever
from metarag.retrieval.pubmed import PubmedRetriever
from metarag.types import Question, Retrieved

QUESTION = Question(text="Does zinc shorten fever?")


class Listed:
    """Finds what it was made with."""

    def __init__(self, *hits, name="listed", **record):
        self.hits = [hit if isinstance(hit, Retrieved) else Retrieved(article=hit) for hit in hits]
        self.record = QueryRecord(source=name, query=f"query of {name}", **record)

    def retrieve(self, question, *, limit=50):
        return RetrievalResult(articles=tuple(self.hits[:limit]), query=self.record)


class Broken:
    def __init__(self, error):
        self.error = error

    def retrieve(self, question, *, limit=50):
        raise self.error


def articles(*pmids):
    return [make_article(pmid=str(pmid)) for pmid in pmids]


def pmids_of(result):
    return [int(hit.article.pmid) for hit in result.articles]


def test_ranks_are_fused_and_each_article_comes_once():
    hybrid = HybridRetriever(
        {"a": Listed(*articles(1, 2, 3)), "b": Listed(*articles(3, 4))}, rank_constant=60
    )
    result = hybrid.retrieve(QUESTION)
    assert pmids_of(result) == [3, 1, 2, 4]
    scores = [hit.retriever_score for hit in result.articles]
    assert scores == pytest.approx([1 / 63 + 1 / 61, 1 / 61, 1 / 62, 1 / 62])
    assert result.query.retrieved == 4


def test_an_article_that_both_rank_first_is_first():
    hybrid = HybridRetriever({"a": Listed(*articles(9, 1)), "b": Listed(*articles(9, 2))})
    assert pmids_of(hybrid.retrieve(QUESTION)) == [9, 1, 2]


@given(
    st.lists(st.integers(1, 12), unique=True), st.lists(st.integers(1, 12), unique=True), st.integers(0, 15)
)
def test_nothing_is_lost_repeated_or_dependent_on_the_order_of_the_sources(first, second, limit):
    one, two = Listed(*articles(*first)), Listed(*articles(*second))
    found = pmids_of(HybridRetriever({"a": one, "b": two}).retrieve(QUESTION))
    assert sorted(found) == sorted(set(first) | set(second))
    assert found == pmids_of(HybridRetriever({"b": two, "a": one}).retrieve(QUESTION))
    both = [p for p in found if p in first and p in second]
    assert all(found.index(p) <= max(first.index(p), second.index(p)) for p in both[:1])
    assert len(HybridRetriever({"a": one, "b": two}).retrieve(QUESTION, limit=limit).articles) <= limit


LISTS = st.lists(st.permutations(range(1, 9)).map(lambda pmids: pmids[:6]), min_size=3, max_size=4)


@given(LISTS, st.randoms(use_true_random=False), st.integers(1, 60))
def test_three_sources_and_more_give_the_same_ranking_in_any_order(lists, random, constant):
    sources = {f"s{number}": Listed(*articles(*pmids)) for number, pmids in enumerate(lists)}
    first = HybridRetriever(sources, rank_constant=constant).retrieve(QUESTION)
    names = list(sources)
    random.shuffle(names)
    again = HybridRetriever({name: sources[name] for name in names}, rank_constant=constant).retrieve(
        QUESTION
    )
    assert pmids_of(first) == pmids_of(again)
    assert [hit.retriever_score for hit in first.articles] == [hit.retriever_score for hit in again.articles]


def test_of_two_copies_the_newer_is_kept_with_what_is_known_of_its_relevance():
    old = make_article(pmid="1", title="Old", date_revised=PartialDate(year=2019))
    new = make_article(pmid="1", title="New", date_revised=PartialDate(year=2021))
    known = Retrieved(article=old, relevance=0.7, appraisal=appraise(old))
    hybrid = HybridRetriever({"a": Listed(known), "b": Listed(new)})
    (hit,) = hybrid.retrieve(QUESTION).articles
    assert (hit.article.title, hit.relevance) == ("New", 0.7)
    assert hit.appraisal is None
    (same,) = HybridRetriever({"a": Listed(old), "b": Listed(known)}).retrieve(QUESTION).articles
    assert same.appraisal is not None


@pytest.mark.parametrize("error", [PubMedUnavailableError("PubMed is down"), IndexUnusableError("no index")])
def test_a_source_that_fails_is_told_and_costs_nothing_of_the_other(error):
    result = HybridRetriever({"a": Listed(*articles(1, 2)), "b": Broken(error)}).retrieve(QUESTION)
    assert pmids_of(result) == [1, 2]
    assert result.query.warnings[0] == f"b was not searched: {error}"


def test_when_all_sources_fail_it_is_an_error_that_names_them():
    hybrid = HybridRetriever(
        {"a": Broken(IndexUnusableError("no index")), "b": Broken(PubMedUnavailableError("down"))}
    )
    with pytest.raises(RetrievalError, match=r"a: no index; b: down"):
        hybrid.retrieve(QUESTION)


def test_a_mistake_in_the_call_is_not_taken_for_a_failing_source():
    with pytest.raises(ValueError, match="negative"):
        HybridRetriever({"a": Listed(), "b": Broken(ValueError("limit is negative"))}).retrieve(QUESTION)


def test_the_searches_of_both_are_on_record():
    one = Listed(*articles(1), name="index", warnings=("half built",))
    two = Listed(*articles(2), name="PubMed", changed=True)
    query = HybridRetriever({"a": one, "b": two}).retrieve(QUESTION).query
    assert query.source == "index and PubMed"
    assert query.query == "a: query of index; b: query of PubMed"
    assert query.warnings == ("a: half built",)
    assert query.changed
    assert query.parts == (one.record, two.record)
    assert "k = 60" in query.sort


def test_failures_of_both_are_kept():
    failing = Listed()
    failing.retrieve = lambda question, limit: RetrievalResult(
        articles=(), query=failing.record, failures=(ReadFailure(position=1, reason="damaged"),)
    )
    assert len(HybridRetriever({"a": failing, "b": Listed()}).retrieve(QUESTION).failures) == 1


@pytest.mark.parametrize(
    ("sources", "constant"), [({"a": Listed()}, 60), ({"a": Listed(), "b": Listed()}, 0)]
)
def test_an_unusable_hybrid_is_refused(sources, constant):
    with pytest.raises(ConfigurationError):
        HybridRetriever(sources, rank_constant=constant)


def test_index_and_pubmed_together_find_what_each_has(pubmed, talk_to):
    local = make_article(pmid="5", title="Zinc for fever: a local record", abstract="Zinc and fever.")
    with Corpus.in_memory([local]) as corpus:
        hybrid = HybridRetriever(
            {
                "index": CorpusRetriever(corpus),
                "PubMed": PubmedRetriever(talk_to(pubmed()), query="zinc AND fever"),
            }
        )
        assert set(pmids_of(hybrid.retrieve(QUESTION))) == {5, 90000001, 90000002, 90000003}


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("year", [None, 2020])
def test_the_copy_that_tells_a_retraction_is_kept_where_no_date_orders_them(is_first, year):
    plain = make_article(pmid="1", date_revised=PartialDate(year=year) if year else None)
    told = make_article(pmid="1", types=("Retracted Publication",))
    pair = (told, plain) if is_first else (plain, told)
    hybrid = HybridRetriever({name: Listed(article) for name, article in zip("ab", pair, strict=True)})
    assert hybrid.retrieve(QUESTION).articles[0].article == told


def test_a_later_revision_is_kept_also_when_it_tells_no_retraction():
    told = make_article(pmid="1", types=("Retracted Publication",), date_revised=PartialDate(year=2019))
    later = make_article(pmid="1", date_revised=PartialDate(year=2020))
    hybrid = HybridRetriever({"a": Listed(told), "b": Listed(later)})
    assert hybrid.retrieve(QUESTION).articles[0].article == later
