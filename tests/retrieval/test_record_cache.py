"""Records on disk: fresh ones are not asked for again, old ones are, and a failure says how old."""

import sqlite3
import threading
from datetime import UTC, datetime, timedelta

import pytest
from builders import make_article
from entrez_records import invented_entries
from entrez_server import answers
from pubmed_builders import article_set, record

from metarag.errors import NetworkDisabledError, PubMedUnavailableError
from metarag.records import PartialDate
from metarag.retraction import retraction_status
from metarag.retrieval.record_cache import RecordCache
from metarag.retrieval.record_store import RecordStore
from metarag.types import RetractionState

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ONE, TWO = "90000001", "90000002"


class Days:
    """A calendar that a test turns."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def pass_by(self, days):
        self.now += timedelta(days=days)


@pytest.fixture
def cache(tmp_path):
    with RecordCache(tmp_path / "deep" / "cache.sqlite") as opened:
        yield opened


def test_a_record_comes_back_as_it_was_with_when_it_was_checked(cache):
    article = make_article(pmid="5", types=("Review",), date_revised=PartialDate(year=2020, month=2, day=3))
    cache.put([article], checked_at=NOW)
    assert cache.get(["5", "6"])["5"].article == article
    assert cache.get(["5"])["5"].checked_at == NOW
    assert len(cache) == 1


def test_of_several_revisions_the_newest_is_given(cache):
    for month in (3, 1, 2):
        cache.put(
            [
                make_article(
                    pmid="5", title=f"Month {month}", date_revised=PartialDate(year=2020, month=month)
                )
            ],
            checked_at=NOW,
        )
    assert cache.get(["5"])["5"].article.title == "Month 3"
    cache.put([make_article(pmid="5", version=2, title="Second version")], checked_at=NOW)
    assert cache.get(["5"])["5"].article.title == "Second version"
    cache.forget(["5"])
    assert len(cache) == 0


def test_an_article_without_a_pmid_is_not_kept(cache):
    cache.put([make_article(pmid=None)], checked_at=NOW)
    assert len(cache) == 0


def test_the_same_revision_again_only_renews_its_date(cache):
    cache.put([make_article(pmid="5")], checked_at=NOW)
    cache.put([make_article(pmid="5")], checked_at=NOW + timedelta(days=1))
    cache.put([make_article(pmid="5")], checked_at=NOW)
    assert cache.get(["5"])["5"].checked_at == NOW + timedelta(days=1)


def test_a_damaged_record_is_as_if_it_were_not_there(cache):
    cache.put([make_article(pmid="5"), make_article(pmid="6")], checked_at=NOW)
    cache.close()
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE record SET json = x'00' WHERE pmid = 5")
    connection.close()
    assert set(cache.get(["5", "6"])) == {"6"}


def test_another_database_is_not_written_to(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with RecordCache(path) as cache:
        cache.put([make_article(pmid="5")], checked_at=NOW)
        assert cache.get(["5"]) == {}
        assert "another database" in cache.trouble
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"no database at all, and long enough to be told from one" * 20])
def test_a_file_that_is_no_database_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with RecordCache(path) as cache:
        cache.put([make_article(pmid="5")], checked_at=NOW)
        assert cache.trouble
    assert path.read_bytes() == content


def test_a_cache_of_another_format_is_begun_anew(cache):
    cache.put([make_article(pmid="5")], checked_at=NOW)
    cache.close()
    with sqlite3.connect(cache.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert cache.get(["5"]) == {}
    assert cache.trouble is None


def test_threads_share_a_cache(cache):
    def work(number):
        cache.put([make_article(pmid=str(number))], checked_at=NOW)
        cache.get([str(number)])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(cache), cache.trouble) == (20, None)


def test_a_fresh_record_is_not_asked_for_again_and_an_old_one_is(pubmed, talk_to, cache):
    server, days = pubmed(), Days()
    store = RecordStore(talk_to(server), cache, max_age=timedelta(days=7), now=days)
    assert len(store.fetch([ONE, TWO]).articles) == 2
    days.pass_by(3)
    assert [a.pmid for a in store.fetch([TWO, ONE, "90000003"]).articles] == [TWO, ONE, "90000003"]
    assert server.requests("efetch")[1].get("id") == "90000003"
    days.pass_by(5)
    store.fetch([ONE, TWO, "90000003"])
    assert server.requests("efetch")[2].get("id") == f"{ONE},{TWO}"


def test_a_retraction_is_seen_when_the_record_has_grown_old(pubmed, talk_to, cache):
    server, days = pubmed(), Days()
    store = RecordStore(talk_to(server), cache, now=days)
    (before,) = store.fetch([ONE]).articles
    retracted = record(
        ONE,
        article='<PublicationTypeList><PublicationType UI="D016441">Retracted Publication</PublicationType>'
        "</PublicationTypeList>",
    )
    days.pass_by(8)
    server.fail("efetch", answers(article_set(retracted)))
    (after,) = store.fetch([ONE]).articles
    assert retraction_status(before).state is not RetractionState.RETRACTED
    assert retraction_status(after).state is RetractionState.RETRACTED


def test_an_old_record_that_cannot_be_checked_is_returned_with_its_age(pubmed, talk_to, cache):
    server, days = pubmed(), Days()
    RecordStore(talk_to(server), cache, now=days).fetch([ONE])
    days.pass_by(30)
    server.fail("efetch", *[answers("down", 503)] * 2)
    result = RecordStore(talk_to(server, max_tries=1), cache, now=days).fetch([ONE])
    assert [a.pmid for a in result.articles] == [ONE]
    assert result.is_complete
    (note,) = result.messages
    assert "not checked for retraction since 2026-11-01" in note
    assert "503" in note
    partly = RecordStore(talk_to(server, max_tries=1), cache, now=days).fetch([ONE, TWO])
    assert partly.unfetched == (TWO,)


def test_a_withdrawn_record_leaves_the_cache_and_is_told(pubmed, talk_to, cache):
    server, days = pubmed(), Days()
    store = RecordStore(talk_to(server), cache, now=days)
    store.fetch([ONE, TWO])
    del server.model.by_pmid[ONE]
    days.pass_by(8)
    result = store.fetch([ONE, TWO])
    assert [a.pmid for a in result.articles] == [TWO]
    assert result.missing == (ONE,)
    assert "withdrawn from PubMed" in result.notes[0]
    assert cache.get([ONE]) == {}


def test_an_unreadable_new_revision_does_not_let_the_old_one_pass(pubmed, talk_to, cache):
    server, days = pubmed(), Days()
    store = RecordStore(talk_to(server), cache, now=days)
    store.fetch([ONE])
    days.pass_by(8)
    server.fail("efetch", answers(article_set(record(ONE).replace("</Journal>", "</Jour>"))))
    result = store.fetch([ONE])
    assert result.articles == ()
    assert result.failures[0].pmid == ONE


def test_without_a_network_only_the_cache_answers(pubmed, talk_to, cache):
    RecordStore(talk_to(pubmed()), cache).fetch([ONE])
    store = RecordStore(talk_to("http://127.0.0.1:9/", offline=True), cache)
    assert [a.pmid for a in store.fetch([ONE]).articles] == [ONE]
    partly = store.fetch([ONE, TWO])
    assert partly.unfetched == (TWO,)
    assert "switched off" in partly.messages[0]
    with pytest.raises(NetworkDisabledError):
        store.fetch([TWO])


def test_a_failure_with_nothing_in_the_cache_is_an_error(pubmed, talk_to, cache):
    server = pubmed()
    server.fail("efetch", answers("down", 503))
    with pytest.raises(PubMedUnavailableError):
        RecordStore(talk_to(server, max_tries=1), cache).fetch([ONE])


def test_a_cache_that_cannot_be_used_costs_no_record_and_is_told(pubmed, talk_to, tmp_path):
    (tmp_path / "file").write_text("")
    with RecordCache(tmp_path / "file" / "cache.sqlite") as broken:
        result = RecordStore(talk_to(pubmed()), broken).fetch([ONE])
    assert [a.pmid for a in result.articles] == [ONE]
    assert "not in use" in result.notes[0]


def test_every_record_of_the_stand_in_survives_the_cache(pubmed, talk_to, cache):
    store = RecordStore(talk_to(pubmed()), cache)
    ids = [entry.pmid for entry in invented_entries()]
    assert store.fetch(ids).articles == store.fetch(ids).articles
