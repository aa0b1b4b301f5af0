"""What goes wrong between here and PubMed, each against a real server that does it."""

import gzip
import logging
import time
import traceback

import httpx
import pytest
from entrez_server import (
    LIMITED,
    answers,
    cuts,
    cuts_chunks,
    drips,
    hangs,
    hangs_up,
    limits,
)
from pubmed_builders import article_set, record

from metarag.errors import (
    ConfigurationError,
    MetaragError,
    NetworkDisabledError,
    PubMedHistoryError,
    PubMedOverloadError,
    PubMedRateLimitError,
    PubMedRecordError,
    PubMedRejectedError,
    PubMedTimeoutError,
    PubMedUnavailableError,
)
from metarag.retrieval.entrez import EntrezClient, RateLimiter
from metarag.retrieval.entrez_limiter import shared_limiter

KEY = "0123456789abcdef0123456789abcdef0123"
WHOLE = article_set(record(90000001))
TIMEOUT_400 = (
    "<eFetchResult><ERROR>Error: External viewer error: Empty Response. Bytes read: 0 Status: Timeout"
    "</ERROR></eFetchResult>"
)


@pytest.mark.parametrize(
    "fault",
    [
        cuts(WHOLE, 400),
        cuts(WHOLE, WHOLE.index(b"</PubmedArticle>") + 16),
        cuts_chunks(WHOLE, 500),
        answers(WHOLE[:400]),
        answers(WHOLE[: WHOLE.index(b"</PubmedArticle>") + 16]),
        answers(WHOLE[:60]),
        answers(b""),
        answers(gzip.compress(WHOLE)[:-300], headers={"Content-Encoding": "gzip"}),
        answers(b"no gzip at all", headers={"Content-Encoding": "gzip"}),
        answers("<html><body>Maintenance</body></html>", type="text/html"),
        answers("<!DOCTYPE html><html>Down</html>", 503),
        answers("bad gateway", 502, type="text/plain"),
        answers(TIMEOUT_400, 400),
        answers("<eFetchResult><ERROR>Search Backend failed: try later</ERROR></eFetchResult>"),
        limits(),
        limits(status=200),
        limits(None),
        hangs_up,
    ],
)
def test_a_passing_fault_costs_a_second_request_and_no_record(pubmed, talk_to, fault):
    server = pubmed()
    server.fail("efetch", fault)
    result = talk_to(server).fetch(["90000001"])
    assert [a.pmid for a in result.articles] == ["90000001"]
    assert result.is_complete
    assert len(server.requests("efetch")) == 2


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (answers("{", 503), PubMedUnavailableError),
        (
            answers("<eSearchResult><ERROR>Search Backend failed: no</ERROR></eSearchResult>"),
            PubMedUnavailableError,
        ),
        (answers("<html>Maintenance</html>"), PubMedUnavailableError),
        (limits("0"), PubMedRateLimitError),
        (answers("<PubmedArticleSet></PubmedArticleSet>"), PubMedRecordError),
        (answers("plain words", type="text/plain"), PubMedRecordError),
        (hangs_up, PubMedUnavailableError),
    ],
)
def test_a_fault_that_stays_is_an_error_of_its_own_kind_never_an_empty_result(pubmed, talk_to, fault, error):
    server = pubmed()
    server.fail("esearch", fault, fault, fault)
    with pytest.raises(error, match=r"\(3 tries\)") as caught:
        talk_to(server, max_tries=3).search("zinc")
    assert type(caught.value) is error
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    "fault",
    [
        answers('{"error":"API key invalid","api-key":"' + KEY + '","type":"client"}', 400),
        answers("<eFetchResult><ERROR>'retstart' cannot be larger than 9998</ERROR></eFetchResult>", 400),
        answers("<eFetchResult><ERROR>Error: empty id list</ERROR></eFetchResult>", 400),
        answers("<eFetchResult><ERROR>Something else that is wrong</ERROR></eFetchResult>", 400),
        answers("gone", 404),
        answers("<html>no</html>", 403),
        answers("<html>long</html>", 414),
        answers("", 302, headers={"Location": "http://127.0.0.1:1/"}),
    ],
)
def test_a_lasting_refusal_is_not_asked_again(pubmed, talk_to, fault):
    server = pubmed()
    server.fail("esearch", fault)
    with pytest.raises(PubMedRejectedError):
        talk_to(server).search("zinc")
    assert len(server.seen) == 1


def test_no_redirect_takes_a_request_elsewhere(pubmed, talk_to):
    server, other = pubmed(), pubmed()
    server.fail("efetch", answers("", 307, headers={"Location": f"{other.url}/efetch.fcgi"}))
    with pytest.raises(PubMedRejectedError, match="redirect"):
        talk_to(server).fetch(["90000001"])
    assert not other.seen


def test_json_with_a_raw_line_break_in_its_error_is_read(pubmed, talk_to):
    server = pubmed()
    body = '{"esearchresult":{"ERROR":"Search Backend failed: Exception:\n\'retstart\' cannot be larger than 9998."}}'
    server.fail("esearch", answers(body, type="application/json"))
    with pytest.raises(PubMedRejectedError, match="cannot be larger than 9998"):
        talk_to(server).search("zinc")


def test_json_where_xml_was_asked_for_is_read_all_the_same(pubmed, talk_to):
    server = pubmed()
    body = (
        '{"esearchresult":{"count":"7","idlist":["11","12"],"querytranslation":"a[All]",'
        '"errorlist":{"phrasesnotfound":["b"],"fieldsnotfound":[]},'
        '"warninglist":{"outputmessages":["No items found."]}}}'
    )
    server.fail("esearch", answers(body, type="application/json"))
    found = talk_to(server).search("a b", limit=2)
    assert (found.ids, found.total, found.query_translation) == (("11", "12"), 7, "a[All]")
    assert found.warnings.phrases_not_found == ("b",)
    assert found.warnings.output_messages == ("No items found.",)
    assert found.query_changed


@pytest.mark.parametrize("body", ['{"esearchresult":{}}', '{"a":1}', '{"esearchresult":{"count":"x"}}'])
def test_json_without_a_count_is_no_answer(pubmed, talk_to, body):
    server = pubmed()
    server.fail("esearch", answers(body, type="application/json"))
    with pytest.raises(PubMedRecordError, match="no count"):
        talk_to(server).search("zinc")


def test_a_page_that_came_short_is_completed_or_told(pubmed, talk_to):
    server = pubmed()
    short = "<eSearchResult><Count>3</Count><IdList><Id>1</Id></IdList></eSearchResult>"
    rest = "<eSearchResult><Count>3</Count><IdList><Id>2</Id><Id>3</Id></IdList></eSearchResult>"
    none = "<eSearchResult><Count>3</Count><IdList/></eSearchResult>"
    server.fail("esearch", answers(short), answers(rest), answers(short), answers(none), answers(none))
    client = talk_to(server)
    assert client.search("zinc").ids == ("1", "2", "3")
    assert [seen.get("retstart") for seen in server.seen] == ["0", "1"]
    partial = client.search("zinc")
    assert partial.ids == ("1",)
    assert any("counted 3 hits here and gave out 1" in note for note in partial.notes)
    assert len(server.seen) == 5


def test_a_batch_that_is_too_much_for_pubmed_is_halved(pubmed, talk_to):
    server = pubmed()
    server.fail("efetch", *[answers(TIMEOUT_400, 400)] * 2)
    result = talk_to(server, max_tries=2).fetch([f"9000000{i}" for i in range(1, 7)])
    assert result.is_complete
    assert [seen.get("id").count(",") + 1 for seen in server.seen] == [6, 6, 3, 3]


def test_an_answer_larger_than_allowed_is_not_read_to_its_end(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server, max_bytes=2_500)
    result = client.fetch(["90000001", "90000002", "90000003", "90000004"])
    assert len(result.articles) == 4
    assert len(server.requests("efetch")) > 1
    with pytest.raises(PubMedOverloadError, match="larger than"):
        talk_to(server, max_bytes=100).fetch(["90000001"])


def test_what_was_fetched_before_a_failure_stays(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server, max_tries=1)
    server.fail("efetch", lambda handler: handler.send(handler.server.model.efetch(_first_two())))
    server.fail("efetch", answers("down", 503))
    result = client.fetch([f"9000000{i}" for i in range(1, 7)], batch=2)
    assert [a.pmid for a in result.articles] == ["90000001", "90000002"]
    assert result.unfetched == ("90000003", "90000004", "90000005", "90000006")
    assert "503" in result.messages[0]
    assert result.missing == ()
    assert len(server.requests("efetch")) == 2


def _first_two():
    return {"retmode": ["xml"], "id": ["90000001,90000002"]}


def test_a_record_that_cannot_be_read_is_reported_with_its_place(pubmed, talk_to):
    server = pubmed()
    body = article_set(record(90000001), record(90000002).replace("</Journal>", "</Jour>"))
    server.fail("efetch", answers(body))
    result = talk_to(server).fetch(["90000009", "90000002", "90000001"])
    assert [a.pmid for a in result.articles] == ["90000001"]
    assert [(f.pmid, f.position) for f in result.failures] == [("90000002", 2)]
    assert result.missing == ("90000009",)


def test_an_absent_id_beside_an_unreadable_record_is_not_called_missing(pubmed, talk_to):
    server = pubmed()
    unreadable = record(90000002).replace(">90000002<", "><")
    server.fail("efetch", answers(article_set(record(90000001), unreadable)))
    result = talk_to(server).fetch(["90000001", "90000002"])
    assert result.missing == ()
    assert result.unfetched == ("90000002",)
    assert "does not show its PMID" in result.messages[0]


def test_a_record_that_nobody_asked_for_is_left_out_and_told(pubmed, talk_to):
    server = pubmed()
    server.fail("efetch", answers(article_set(record(90000001), record(5))))
    result = talk_to(server).fetch(["90000001"])
    assert [a.pmid for a in result.articles] == ["90000001"]
    assert result.messages == (
        "PubMed sent PMID 5, which was not asked for, perhaps for one that became part of it; left out",
    )


def test_of_several_versions_the_latest_is_taken(pubmed, talk_to):
    server = pubmed()
    second = record(90000001, title="<ArticleTitle>New</ArticleTitle>").replace('Version="1"', 'Version="2"')
    server.fail("efetch", answers(article_set(second, record(90000001))))
    (article,) = talk_to(server).fetch(["90000001"]).articles
    assert (article.title, article.version) == ("New", 2)


@pytest.mark.parametrize("fault", [hangs, drips])
def test_a_server_that_never_ends_ends_with_the_deadline(pubmed, talk_to, fault):
    server = pubmed()
    server.fail("esearch", *[fault] * 5)
    with pytest.raises(PubMedTimeoutError) as caught:
        talk_to(
            server, timeout=0.3, deadline=0.7, max_tries=5, clock=time.monotonic, sleep=time.sleep
        ).search("zinc")
    assert isinstance(caught.value, TimeoutError)
    assert 1 <= len(server.seen) <= 3


def test_a_silent_server_is_asked_as_often_as_set(pubmed, talk_to):
    server = pubmed()
    server.fail("esearch", *[hangs] * 5)
    with pytest.raises(PubMedTimeoutError, match=r"\(2 tries\)"):
        talk_to(server, timeout=0.2, max_tries=2).search("zinc")
    assert len(server.seen) == 2


def test_waits_grow_and_what_pubmed_asks_for_is_kept(pubmed, talk_to):
    server = pubmed()
    down = answers("down", 503)
    server.fail("esearch", down, down, down, answers("down", 503, headers={"Retry-After": "7"}))
    client = talk_to(server)
    client.search("zinc")
    assert len(client.waits) == 4
    assert 0.25 <= client.waits[0] <= 0.5
    assert 0.5 <= client.waits[1] <= 1
    assert 1 <= client.waits[2] <= 2
    assert client.waits[3] == 7


@pytest.mark.parametrize("status", [429, 200])
def test_after_a_refusal_the_pause_that_pubmed_asked_for_is_kept(pubmed, talk_to, status):
    server = pubmed()
    server.fail("esearch", limits("5", status=status))
    client = talk_to(server)
    client.search("zinc")
    assert sum(client.pauses) >= 4.9
    assert client.waits == []


def test_a_wait_beyond_the_deadline_is_not_begun(pubmed, talk_to):
    server = pubmed()
    server.fail("esearch", limits("3600"))
    client = talk_to(server)
    with pytest.raises(PubMedRateLimitError) as caught:
        client.search("zinc")
    assert caught.value.retry_after == 3600
    assert client.waits == []


def test_ids_and_long_queries_travel_in_the_body(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server)
    client.fetch([str(90000001 + i) for i in range(1000)])
    client.search(" OR ".join(f"word{i}" for i in range(400)))
    client.search("zinc")
    assert [s.method for s in server.seen] == ["POST"] * 6 + ["GET"]
    assert all("?" not in s.path for s in server.seen[:6])
    assert all(s.in_body["id"][0].count(",") < 200 for s in server.requests("efetch"))
    assert sum(s.in_body["id"][0].count(",") + 1 for s in server.requests("efetch")) == 1000


def test_large_answers_come_compressed(pubmed, talk_to):
    server = pubmed()
    assert talk_to(server).fetch([f"9000000{i}" for i in range(1, 7)]).is_complete
    assert "gzip" in server.seen[0].headers["accept-encoding"]


@pytest.mark.parametrize(
    "fault",
    [
        answers(f'{{"error":"API key invalid","api-key":"{KEY}"}}', 400),
        answers(f"<eSearchResult><ERROR>failed for api {KEY} at 203.0.113.9</ERROR></eSearchResult>"),
        answers(f"<html>{KEY}</html>", 500),
        answers(f"{KEY} is what you sent", type="text/plain"),
        answers(LIMITED.replace(b"203.0.113.9", KEY.encode()), 429),
        answers(f"<html>{KEY}</html>", 302, headers={"Location": "http://127.0.0.1:1/"}),
        hangs_up,
        hangs,
    ],
)
def test_the_key_is_in_no_message_log_repr_chain_or_address(pubmed, talk_to, caplog, fault):
    caplog.set_level(logging.DEBUG)
    server = pubmed()
    server.fail("esearch", fault, fault)
    client = talk_to(server, api_key=KEY, email="name@example.org", max_tries=2, timeout=0.3)
    with pytest.raises(MetaragError) as caught:
        client.search("zinc")
    shown = (
        "".join(traceback.format_exception(caught.value)) + repr(client) + repr(client._sender) + caplog.text
    )
    assert server.seen[0].in_body["api_key"] == [KEY]
    assert all(KEY not in seen.path and "example.org" not in seen.path for seen in server.seen)
    assert KEY not in shown
    assert "203.0.113.9" not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_short_key_that_an_answer_repeats_is_taken_out_of_it(pubmed, talk_to):
    server = pubmed()
    server.fail(
        "esearch", answers("<eSearchResult><ERROR>no luck for my+key/12</ERROR></eSearchResult>", 400)
    )
    with pytest.raises(PubMedRejectedError, match=r"no luck for \[key\]"):
        talk_to(server, api_key="my+key/12").search("zinc")


def test_who_asks_is_said_with_every_request(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server, tool="mytool", email="name@example.org")
    client.search("zinc")
    client.fetch(["90000001"])
    client.esummary(["90000001"])
    assert {(seen.get("tool"), seen.get("email")) for seen in server.seen} == {("mytool", "name@example.org")}


@pytest.mark.parametrize(
    "options",
    [
        {"tool": "two words"},
        {"tool": ""},
        {"email": "nobody"},
        {"email": "a@b\nc@d"},
        {"api_key": f"{KEY} {KEY}"},
        {"api_key": "schlüssel"},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"max_tries": 0},
        {"deadline": 0},
        {"base_url": "ftp://example.org"},
        {"base_url": "https://user:word@example.org/"},
        {"base_url": "https://example.org/?key=1"},
        {"base_url": "https://exa mple.org/"},
        {"base_url": "http://example.org:port/"},
        {"base_url": "http://example.org/", "api_key": KEY},
    ],
)
def test_an_unusable_setting_is_refused_without_showing_the_key(options):
    with pytest.raises(ConfigurationError) as caught:
        EntrezClient(**options)
    assert KEY not in str(caught.value)


def test_offline_opens_no_socket(pubmed, talk_to, monkeypatch):
    import socket

    monkeypatch.setattr(socket, "socket", lambda *a, **k: pytest.fail("a socket was opened"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: pytest.fail("a name was looked up"))
    client = EntrezClient(offline=True)
    assert client.offline
    for call in (
        lambda: client.search("zinc"),
        lambda: client.search_all("zinc"),
        lambda: client.fetch(["1"]),
        lambda: client.esummary(["1"]),
        lambda: client.epost(["1"]),
        lambda: client.elink(["1"]),
        lambda: client.espell("zinc"),
        client.einfo_fields,
    ):
        with pytest.raises(NetworkDisabledError, match="switched off"):
            call()
    assert client._sender.http._connections.own.client is None


def test_a_transport_can_stand_in_for_the_network():
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=WHOLE))
    with EntrezClient("http://127.0.0.1:9/", transport=transport, limiter=RateLimiter(9)) as client:
        assert [a.pmid for a in client.fetch(["90000001"]).articles] == ["90000001"]


def test_a_host_that_was_never_reached_is_given_up_soon_and_named(talk_to):
    client = talk_to("http://127.0.0.1:9/")
    with pytest.raises(PubMedUnavailableError, match=r"127\.0\.0\.1:9\) cannot be reached.*\(2 tries\)"):
        client.search("zinc")
    assert len(client.waits) == 1


def test_a_host_that_was_reached_before_is_tried_as_often_as_set(pubmed, talk_to):
    server = pubmed()
    client = talk_to(server, max_tries=4)
    client.search("zinc")
    server.stop()
    client.close()
    with pytest.raises(PubMedUnavailableError, match=r"\(4 tries\)"):
        client.search("zinc")


def test_a_history_that_expired_is_an_error_of_its_own(pubmed, talk_to):
    server = pubmed()
    server.fail("efetch", answers("<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"))
    with pytest.raises(PubMedHistoryError):
        talk_to(server).efetch(["1"])
    assert len(server.seen) == 1


def test_clients_of_one_host_and_key_share_one_limiter():
    one = EntrezClient()._sender.limiter
    assert one is EntrezClient(email="name@example.org")._sender.limiter
    assert one.per_second == 3
    keyed = EntrezClient(api_key=KEY)._sender.limiter
    assert keyed is not one
    assert keyed.per_second == 10
    assert keyed is EntrezClient(api_key=KEY)._sender.limiter
    assert shared_limiter("elsewhere", None) is not one
