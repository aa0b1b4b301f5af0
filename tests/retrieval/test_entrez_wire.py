"""What comes over the wire where HTTP itself is broken, and what surrounds the client on a strange machine."""

import gzip
import os
import subprocess
import sys
import zlib

import httpx
import pytest
from entrez_server import LIMITED, answers, hangs, limits, sends
from pubmed_builders import article_set, record

from metarag.errors import (
    ConfigurationError,
    MetaragError,
    PubMedHistoryError,
    PubMedOverloadError,
    PubMedRateLimitError,
    PubMedUnavailableError,
)
from metarag.retrieval.entrez import EntrezClient
from metarag.retrieval.entrez_http import HttpClient

WHOLE = article_set(record(90000001))
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"
BOMB = gzip.compress(gzip.compress(b"\0" * 30_000_000, 1), 1)


def body(data, *, length=None, extra=b""):
    count = str(len(data) if length is None else length).encode()
    return OK + extra + b"Content-Length: " + count + b"\r\n\r\n" + data


@pytest.mark.parametrize(
    "data",
    [
        body(WHOLE, length=len(WHOLE) + 50),
        body(WHOLE, length=len(WHOLE) - 100),
        body(WHOLE, length=-5),
        body(WHOLE, length="many"),
        body(WHOLE, extra=b"Content-Length: 3\r\n"),
        OK + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\nfoo",
        OK + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFFFF\r\nfoo\r\n",
        OK + b"X: " + b"a" * 300_000 + b"\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\n<Pu",
        b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
        b"hello\r\n\r\n",
        WHOLE,
    ],
)
def test_an_answer_that_is_no_whole_http_is_asked_for_again(pubmed, talk_to, data):
    server = pubmed()
    server.fail("efetch", sends(data))
    result = talk_to(server).fetch(["90000001"])
    assert result.is_complete
    assert [a.pmid for a in result.articles] == ["90000001"]
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("gzip, gzip", BOMB),
        ("br", WHOLE),
        ("zstd", WHOLE),
        ("deflate", zlib.compress(WHOLE)),
        ("gzip", WHOLE),
    ],
)
def test_a_body_packed_in_a_way_that_was_not_asked_for_is_not_unpacked(pubmed, talk_to, coding, data):
    server = pubmed()
    server.fail("efetch", *[answers(data, headers={"Content-Encoding": coding})] * 2)
    with pytest.raises(PubMedUnavailableError):
        talk_to(server, max_tries=2).fetch(["90000001"])


@pytest.mark.parametrize(
    ("asked", "pause"),
    [
        ("7", 7),
        ("0", 0.25),
        ("-1", 2),
        ("nan", 2),
        ("inf", 2),
        ("soon", 2),
        ("Wed, 21 Oct 1999 07:28:00 GMT", 0.25),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", 2),
        ("Mon, 01 Jan 2020 00:00:00 +99999999", 2),
    ],
)
def test_a_pause_is_as_long_as_it_was_asked_for_however_that_was_written(pubmed, talk_to, asked, pause):
    server = pubmed()
    server.fail("esearch", limits(asked))
    client = talk_to(server)
    client.search("zinc")
    assert pause * 0.99 <= sum(client.pauses) <= pause + 0.5


@pytest.mark.parametrize("asked", ["1e9", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_pause_of_years_is_told_and_not_waited_for(pubmed, talk_to, asked):
    server = pubmed()
    server.fail("esearch", limits(asked))
    client = talk_to(server)
    with pytest.raises(PubMedRateLimitError, match=r"no more requests for \d,\d{3},\d{3},\d{3} s"):
        client.search("zinc")
    assert client.waits == client.pauses == []


def test_a_date_to_wait_for_is_taken_against_the_servers_own_clock(pubmed, talk_to):
    server = pubmed()
    headers = {"Date": "Mon, 01 Jan 2018 00:00:00 GMT", "Retry-After": "Mon, 01 Jan 2018 00:00:09 GMT"}
    reply = (
        b"HTTP/1.1 429 Too Many Requests\r\n"
        + "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode()
        + b"Content-Length: "
        + str(len(LIMITED)).encode()
        + b"\r\n\r\n"
        + LIMITED
    )
    server.fail("esearch", sends(reply))
    client = talk_to(server)
    client.search("zinc")
    assert 8.9 <= sum(client.pauses) <= 9.5


@pytest.mark.parametrize(
    "said",
    ["Unable to obtain query #1", "<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"],
)
def test_an_expired_set_is_known_whatever_it_is_told_as(pubmed, talk_to, said):
    server = pubmed()
    server.fail("efetch", answers(said, type="text/plain"))
    with pytest.raises(PubMedHistoryError):
        talk_to(server).efetch(["1"])
    assert len(server.seen) == 1


def test_too_many_requests_told_in_plain_words_is_a_pause(pubmed, talk_to):
    server = pubmed()
    server.fail("efetch", answers("API rate limit exceeded", type="text/plain"))
    client = talk_to(server)
    assert client.fetch(["90000001"]).is_complete
    assert sum(client.pauses) >= 1.9


@pytest.mark.parametrize("place", ["inside", "after"])
def test_an_error_beside_records_is_not_a_record_that_is_missing(pubmed, talk_to, place):
    server = pubmed()
    error = b"<ERROR>Cannot process ID list</ERROR>"
    with_error = WHOLE + error
    if place == "inside":
        with_error = WHOLE.replace(b"</PubmedArticleSet>", error + b"</PubmedArticleSet>")
    server.fail("efetch", answers(with_error))
    result = talk_to(server, max_tries=1).fetch(["90000001", "90000002"])
    assert result.is_complete
    assert [seen.get("id") for seen in server.seen] == ["90000001,90000002", "90000001", "90000002"]
    server.fail("efetch", answers(with_error))
    with pytest.raises(PubMedOverloadError, match="Cannot process ID list"):
        talk_to(server, max_tries=1).fetch(["90000001"])


def test_a_record_that_speaks_of_errors_is_none(pubmed, talk_to):
    server = pubmed()
    title = "<ArticleTitle>API rate limit exceeded &lt;ERROR&gt;Invalid uid&lt;/ERROR&gt;</ArticleTitle>"
    server.fail("efetch", answers(article_set(record(90000001, title=title))))
    (article,) = talk_to(server).fetch(["90000001"]).articles
    assert article.title.endswith("<ERROR>Invalid uid</ERROR>")


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ALL_PROXY", "socks5://user:sekret@127.0.0.1:9", "SOCKS proxy"),
        ("ALL_PROXY", "socks4://user:sekret@127.0.0.1:9", "proxy settings"),
        ("HTTPS_PROXY", "http://user:se/kret@127.0.0.1:9", "cannot be reached"),
        ("NO_PROXY", "[::1],,http://x", "proxy settings"),
        ("SSL_CERT_FILE", "no/such/file", "SSL_CERT_FILE"),
    ],
)
def test_settings_of_the_environment_that_cannot_be_used_are_named(
    monkeypatch, talk_to, variable, value, told
):
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv(variable, value)
    client = talk_to("https://pubmed.invalid/", max_tries=1)
    with pytest.raises(PubMedUnavailableError) as caught:
        client.search("zinc")
    assert told in str(caught.value)
    assert "kret" not in str(caught.value)


def test_a_proxy_of_the_environment_is_not_asked_for_what_runs_here(pubmed, talk_to, monkeypatch):
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    assert talk_to(pubmed()).search("zinc").total == 5


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://[v1.a]/",
        "http://127.0.0.1:99999/",
        f"http://{'a' * 70}.example.org/",
        "http://a..b/",
        "http://.example.org/",
        "http://xn--zzzzzz--a.example.org/",
        "http://user@127.0.0.1/",
        "http://@127.0.0.1/",
        "http://127.0.0.1/?",
        "http://127.0.0.1/#",
        "http://127.0.0.1\\@example.org/",
        "//127.0.0.1/",
        "",
    ],
)
def test_an_address_that_could_be_read_in_two_ways_is_refused(url):
    with pytest.raises(ConfigurationError, match="address of the E-utilities"):
        EntrezClient(url)


@pytest.mark.parametrize("end", ["", "/", "///", " "])
def test_an_address_may_have_a_path_and_slashes(pubmed, talk_to, end):
    server = pubmed()
    assert talk_to(server.url + end).search("zinc").total == 5
    assert server.seen[0].path.startswith("/entrez/eutils/esearch.fcgi")


def test_one_server_is_one_server_however_its_address_is_written():
    urls = ("https://Example.org/a", "HTTPS://example.org:443/b/", "https://example.org.:443")
    assert {HttpClient(url, timeout=1).server for url in urls} == {"example.org:443"}
    assert all(HttpClient(url, timeout=1).is_encrypted for url in urls)
    assert HttpClient("http://[::1]:80/", timeout=1).server == HttpClient("http://[::1]/", timeout=1).server


def test_an_answer_in_damaged_xml_is_called_that(pubmed, talk_to):
    server = pubmed()
    server.fail("esearch", answers("<eSearchResult><Count>1</Count>\0</eSearchResult>"))
    with pytest.raises(MetaragError, match="no whole eSearchResult: it is damaged"):
        talk_to(server).search("zinc")


def test_a_search_goes_on_where_another_thread_closed_the_connections(pubmed, talk_to, monkeypatch):
    client = talk_to(pubmed())
    build, closed = httpx.Client.build_request, []

    def build_and_be_closed(self, *args, **options):
        request = build(self, *args, **options)
        if not closed:
            closed.append(client.close())
        return request

    monkeypatch.setattr(httpx.Client, "build_request", build_and_be_closed)
    assert client.search("zinc").total == 5
    assert closed


FORKED = """
import os, sys, threading, time
from metarag.retrieval.entrez import EntrezClient, RateLimiter

client = EntrezClient(sys.argv[1], limiter=RateLimiter(2), deadline=20)
client.search("zinc")
for _ in range(2):
    threading.Thread(target=lambda: client.fetch(["90000001"]), daemon=True).start()
while client._sender.limiter._traffic.own.in_flight < 2:
    time.sleep(0.01)
child = os.fork()
told = client.search("copper").total if child == 0 else 0
if child == 0:
    print(told, flush=True)
    os._exit(0)
os.waitpid(child, 0)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_neither_waits_for_its_parents_requests_nor_shares_its_connections(pubmed):
    server = pubmed()
    server.fail("efetch", hangs, hangs)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, server.url],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["2"], "")
