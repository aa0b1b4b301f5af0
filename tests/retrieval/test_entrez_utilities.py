"""The E-utilities as the client speaks them, against a server that answers as PubMed does."""

import pytest
from entrez_records import synthetic_entries

from metarag.errors import ConfigurationError, PubMedHistoryError
from metarag.records import Article
from metarag.retrieval.entrez import DateLimits, LinkKind


def test_a_search_says_what_was_asked_and_what_pubmed_made_of_it(pubmed, talk_to):
    client = talk_to(pubmed())
    found = client.search("zinc AND fever", dates=DateLimits.years(2015, 2016))
    assert found.ids == ("90000001", "90000002")
    assert (found.total, found.reachable, found.query) == (2, 2, "zinc AND fever")
    assert found.query_translation == "zinc AND fever"
    assert not found.query_changed
    assert found.searched_at.tzinfo is not None
    record = found.record(source="PubMed", retrieved=2)
    assert record.date_limits == "pdat 2015 to 2016"
    assert (record.sort, record.changed, record.total) == ("relevance", False, 2)


def test_a_word_that_pubmed_drops_changes_the_query_visibly(pubmed, talk_to):
    found = talk_to(pubmed()).search("zinc AND quuxzorblin")
    assert found.total == 5
    assert found.query_changed
    assert found.warnings.phrases_not_found == ("quuxzorblin",)
    assert any("quuxzorblin" in message for message in found.messages)
    assert found.record(source="PubMed", retrieved=5).source_warnings == {
        "phrases_not_found": ("quuxzorblin",)
    }


def test_nothing_found_by_a_changed_query_is_not_called_absence(pubmed, talk_to):
    found = talk_to(pubmed()).search("quuxzorblin")
    assert found.ids == ()
    assert any("not evidence of absence" in message for message in found.messages)


def test_the_sort_is_always_sent_and_an_unknown_one_refused(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server)
    for sort in ("relevance", "date", "author", "journal"):
        assert client.search("zinc", sort=sort).sort == sort
    assert [seen.get("sort") for seen in server.seen] == ["relevance", "pub_date", "Author", "JournalName"]
    with pytest.raises(ConfigurationError, match="did you mean 'relevance'"):
        client.search("zinc", sort="relevant")
    assert len(server.seen) == 4


def test_the_next_page_follows_where_the_first_ended(pubmed, talk_to):
    client = talk_to(pubmed())
    first, second = client.search("zinc", limit=3), client.search("zinc", limit=3, start=3)
    assert len(first.ids) == 3
    assert len(second.ids) == 2
    assert not set(first.ids) & set(second.ids)


@pytest.mark.parametrize("query", ["", "  \n ", "zinc \ud800"])
def test_a_query_that_cannot_be_sent_is_refused_here(pubmed, talk_to, query):
    server = pubmed()
    with pytest.raises(ConfigurationError, match="the query is"):
        talk_to(server).search(query)
    assert not server.seen


@pytest.mark.parametrize(("limit", "start"), [(0, 0), (5, -1), (5, 9_999)])
def test_a_page_that_pubmed_cannot_give_is_refused_here(pubmed, talk_to, limit, start):
    with pytest.raises(ConfigurationError, match="limit of 1 or more"):
        talk_to(pubmed()).search("zinc", limit=limit, start=start)


def test_more_hits_than_can_be_reached_are_told(pubmed, talk_to):
    found = talk_to(pubmed(synthetic_entries(10_500))).search("x", limit=10_500)
    assert (len(found.ids), found.total, found.reachable) == (9_999, 10_500, 9_999)
    assert any("first 9,999 of 10,500" in note for note in found.notes)


def test_records_come_in_the_order_asked_for_and_each_absence_has_a_reason(pubmed, talk_to):
    client = talk_to(pubmed())
    result = client.fetch(
        ["90000003", 90000001, "https://pubmed.ncbi.nlm.nih.gov/90000002/", "77", "PMID x", "90000001"]
    )
    assert [a.pmid for a in result.articles] == ["90000003", "90000001", "90000002"]
    assert result.missing == ("77",)
    assert result.invalid == ("PMID x",)
    assert not result.is_complete
    assert result.messages == ("no PMID: PMID x", "PubMed has no record for: 77")


def test_one_id_as_text_is_one_id(pubmed, talk_to):
    assert [a.pmid for a in talk_to(pubmed()).fetch("90000001").articles] == ["90000001"]


def test_no_ids_are_no_request(pubmed, talk_to):
    server = pubmed()
    assert talk_to(server).fetch([]).is_complete
    assert not server.seen


def test_a_summary_that_pubmed_does_not_have_costs_no_other(pubmed, talk_to):
    result = talk_to(pubmed()).esummary(["90000001", "5", "90000002", "no"], batch=2)
    assert [s.pmid for s in result.summaries] == ["90000001", "90000002"]
    assert result.summaries[0].title.startswith("Zinc for invented fever")
    assert result.summaries[0].authors == ("Varga I",)
    assert (result.missing, result.invalid) == (("5",), ("no",))


@pytest.mark.parametrize("kind", list(LinkKind))
def test_links_come_one_set_for_each_article_without_the_article_itself(pubmed, talk_to, kind):
    server = pubmed()
    result = talk_to(server).elink(["90000001", "90000002", "8"], kind)
    assert [s.pmid for s in result.links] == ["90000001", "90000002"]
    assert all(s.pmid not in s.linked and len(s.linked) == 3 for s in result.links)
    assert all(bool(s.scores) is (kind is LinkKind.SIMILAR) for s in result.links)
    assert result.missing == ("8",)
    assert server.seen[0].parameters["id"] == ["90000001", "90000002", "8"]


def test_spelling_and_fields_are_read(pubmed, talk_to):
    client = talk_to(pubmed())
    assert client.espell("feever").corrected == "fever"
    assert client.espell("fever").corrected is None
    fields = client.einfo_fields()
    assert [(f.tag, f.is_date) for f in fields] == [("TITL", False), ("EDAT", True)]
    assert fields[0].terms == 12


def test_posted_ids_are_fetched_from_the_history_page_by_page(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server)
    history = client.epost(["90000001", "90000002", "90000003"])
    records = list(client.efetch_history(history, total=3, batch=2))
    assert [r.pmid for r in records] == ["90000001", "90000002", "90000003"]
    assert [seen.get("retstart") for seen in server.requests("efetch")] == ["0", "2"]


def test_a_short_page_of_a_set_does_not_shift_the_next(pubmed, talk_to):
    client = talk_to(pubmed())
    history = client.epost(["90000001", "7", "90000003"])
    assert [r.pmid for r in client.efetch_history(history, total=3, batch=2)] == ["90000001", "90000003"]


def test_a_set_that_expired_is_made_again_once(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server)
    answer, history = client.esearch("zinc")
    server.model.sessions.clear()
    records = list(
        client.efetch_history(history, total=answer.count, batch=3, renew=lambda: client.esearch("zinc")[1])
    )
    assert len(records) == answer.count == 5
    assert all(isinstance(r, Article) for r in records)
    server.model.sessions.clear()
    with pytest.raises(PubMedHistoryError, match="search again"):
        list(client.efetch_history(history, total=5))


def test_a_set_that_cannot_be_fetched_whole_is_refused(pubmed, talk_to):
    client = talk_to(pubmed())
    _, history = client.esearch("zinc")
    with pytest.raises(ConfigurationError, match="search_all"):
        list(client.efetch_history(history, total=10_000))


@pytest.mark.parametrize("ids", [[], ["x"]])
def test_posting_nothing_or_what_is_no_pmid_is_refused(pubmed, talk_to, ids):
    with pytest.raises(ConfigurationError, match="epost takes"):
        talk_to(pubmed()).epost(ids)
