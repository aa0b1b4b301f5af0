"""Records on disk: fresh ones are not asked for again, old ones are, and a failure says how old."""

import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest
from builders import make_article
from entrez_records import invented_entries, synthetic_entries
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
    assert cache.get(["5"])["5"].checked_at == NOW + timedelta(days=1)
    assert len(cache) == 1


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


@pytest.mark.parametrize("size", [1, 15, 16, 300, 5_000])
def test_a_short_file_that_is_no_database_is_left_alone_too(pubmed, talk_to, tmp_path, size):
    path = tmp_path / "notes.txt"
    path.write_bytes((b"SQLite format of my notes\n" * 300)[:size])
    before = path.read_bytes()
    with RecordCache(path) as cache:
        result = RecordStore(talk_to(pubmed()), cache).fetch([ONE])
    assert [a.pmid for a in result.articles] == [ONE]
    assert "no database" in result.notes[0]
    assert path.read_bytes() == before


def test_a_pipe_is_no_cache_and_never_waited_for(pubmed, talk_to, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with RecordCache(tmp_path / "pipe") as cache:
        assert "no database" in RecordStore(talk_to(pubmed()), cache).fetch([ONE]).notes[0]


def test_an_empty_file_becomes_a_cache(tmp_path):
    (tmp_path / "new.sqlite").touch()
    with RecordCache(tmp_path / "new.sqlite") as cache:
        cache.put([make_article(pmid="5")], checked_at=NOW)
        assert (len(cache), cache.trouble) == (1, None)


def retracted(pmid, *, revised=""):
    return article_set(
        record(
            pmid,
            article='<PublicationTypeList><PublicationType UI="D016441">Retracted Publication</PublicationType>'
            "</PublicationTypeList>",
            citation=revised,
        )
    )


def revised_on(year):
    return f"<DateRevised><Year>{year}</Year><Month>02</Month><Day>03</Day></DateRevised>"


@pytest.mark.parametrize("year", [2019, None, 2021])
def test_what_pubmed_said_last_is_the_record_whatever_its_date_of_revision(pubmed, talk_to, cache, year):
    server, days = pubmed(), Days()
    store = RecordStore(talk_to(server), cache, now=days)
    server.fail("efetch", answers(article_set(record(ONE, citation=revised_on(2020)))))
    store.fetch([ONE])
    days.pass_by(8)
    server.fail("efetch", answers(retracted(ONE, revised=revised_on(year) if year else "")))
    for _ in range(2):
        (article,) = store.fetch([ONE]).articles
        assert retraction_status(article).state is RetractionState.RETRACTED
    assert len(server.requests("efetch")) == 2
    days.pass_by(30)
    (unchecked,) = (
        RecordStore(talk_to("http://127.0.0.1:9/", offline=True), cache, now=days).fetch([ONE]).articles
    )
    assert retraction_status(unchecked).state is RetractionState.RETRACTED


def test_a_record_of_the_future_is_asked_for_again_and_its_date_put_right(pubmed, talk_to, cache):
    server, days = pubmed(), Days()
    days.pass_by(3650)
    RecordStore(talk_to(server), cache, now=days).fetch([ONE])
    days.pass_by(-3650)
    store = RecordStore(talk_to(server), cache, now=days)
    server.fail("efetch", answers(retracted(ONE)))
    (article,) = store.fetch([ONE]).articles
    assert retraction_status(article).state is RetractionState.RETRACTED
    days.pass_by(1)
    (kept,) = store.fetch([ONE]).articles
    assert kept == article
    assert len(server.requests("efetch")) == 2


@pytest.mark.parametrize("moment", ["2020-01-01T00:00:00", "yesterday", b"\0", 5, None])
def test_a_record_without_a_usable_date_is_fetched_again(pubmed, talk_to, cache, moment):
    server, days = pubmed(), Days()
    store = RecordStore(talk_to(server), cache, now=days)
    store.fetch([ONE])
    cache.close()
    with sqlite3.connect(cache.path) as connection:
        connection.execute("CREATE TABLE copy AS SELECT * FROM record")
        connection.execute("UPDATE copy SET checked_at = ?", (moment,))
        connection.execute("DROP TABLE record")
        connection.execute("ALTER TABLE copy RENAME TO record")
    connection.close()
    assert [a.pmid for a in store.fetch([ONE]).articles] == [ONE]
    assert len(server.requests("efetch")) == 2


def test_what_had_come_before_an_interruption_is_in_the_cache(pubmed, talk_to, cache):
    server = pubmed(synthetic_entries(500))

    def stop(done, total):
        if done == 400:
            raise KeyboardInterrupt

    ids = [entry.pmid for entry in synthetic_entries(500)]
    with pytest.raises(KeyboardInterrupt):
        RecordStore(talk_to(server), cache).fetch(ids, progress=stop)
    assert len(cache) == 400
    assert RecordStore(talk_to(server), cache).fetch(ids).is_complete
    assert server.requests("efetch")[-1].get("id").count(",") == 99


def test_a_locked_cache_is_waited_for_once_and_tried_again_the_next_time(pubmed, talk_to, cache, monkeypatch):
    monkeypatch.setattr("metarag.retrieval.record_cache._BUSY_SECONDS", 0.05)
    server = pubmed(synthetic_entries(900))
    ids = [entry.pmid for entry in synthetic_entries(900)]
    cache.put([make_article(pmid="5")], checked_at=NOW)
    cache.close()
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    result = RecordStore(talk_to(server), cache).fetch(ids)
    assert result.is_complete
    (note,) = result.notes
    assert "locked" in note
    other.execute("ROLLBACK")
    other.close()
    assert RecordStore(talk_to(server), cache).fetch(ids).notes == ()
    assert len(cache) == 901


def test_a_disk_that_is_full_costs_no_record(tmp_path):
    pytest.importorskip("resource", reason="this system sets no limits")
    code = """
import resource, signal, sys
sys.path[:0] = sys.argv[2:]
from entrez_records import synthetic_entries
from entrez_server import EntrezServer
from metarag.retrieval.entrez import EntrezClient, RateLimiter
from metarag.retrieval.record_cache import RecordCache
from metarag.retrieval.record_store import RecordStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
some = synthetic_entries(300)
client = EntrezClient(EntrezServer(some).url, limiter=RateLimiter(1000))
result = RecordStore(client, RecordCache(sys.argv[1])).fetch([entry.pmid for entry in some])
print(len(result.articles), "not in use" in result.notes[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "c.sqlite"), *sys.path],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["300", "True"], "")
