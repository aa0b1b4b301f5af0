"""What public clients of the E-utilities got wrong with a server, each as a script that the stand-in plays."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clocks import SkippingClock
from entrez_records import REAL, entries, synthetic_entries
from entrez_server import Behaviour, EntrezServer, answers, cuts, hangs

from metarag.errors import ConfigurationError, MetaragError
from metarag.retrieval.entrez import EntrezClient, RateLimiter
from metarag.retrieval.pubmed_xml import read_pubmed_xml

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "cases" / "entrez"

if not CASES.is_dir():
    pytest.skip(f"no case files at {CASES}", allow_module_level=True)

SCRIPTS: dict[str, dict[str, Any]] = {
    case["id"]: case["http_script"]
    for case in json.loads((CASES / "expectations.json").read_text(encoding="utf-8"))["cases"]
    if "http_script" in case
}
ESEARCH = "<eSearchResult><Count>1</Count><IdList><Id>1</Id></IdList></eSearchResult>"


@pytest.fixture
def server() -> Iterator[EntrezServer]:
    running = EntrezServer(synthetic_entries(1_000, first=90000001))
    yield running
    running.stop()


def script(name: str) -> dict[str, Any]:
    return SCRIPTS[name]


def behaviour(step: dict[str, Any]) -> Behaviour:
    """Return what the server does at a step of a script."""
    if "hang_seconds" in step:
        return hangs
    body = step["body"].replace("<esearch ok>", ESEARCH).encode()
    if "truncate_body_at" in step:
        return cuts(body, step["truncate_body_at"])
    headers = {k: v for k, v in step.get("headers", {}).items() if k != "Content-Type"}
    return answers(
        body, step["status"], type=step.get("headers", {}).get("Content-Type", "text/xml"), headers=headers
    )


def play(server: EntrezServer, name: str, times: int = 1) -> dict[str, Any]:
    for step in script(name)["server"] * times:
        server.fail(step["path"].removesuffix(".fcgi"), behaviour(step))
    expected: dict[str, Any] = script(name)["expect"]
    return expected


def impatient(server: EntrezServer, **options: Any) -> EntrezClient:
    clock = SkippingClock()
    options = {"clock": clock, "sleep": clock.sleep, "limiter": RateLimiter(1000), **options}
    return EntrezClient(server.url, **options)


def test_every_script_is_played_here() -> None:
    assert set(SCRIPTS) == {
        "p19_body_dropped", "p20_hang", "p21_over_9999", "p22_429_json", "p23_sort_default",
        "p24_long_id_list", "p25_readonly_home",
    }  # fmt: skip


def test_p19_a_body_that_breaks_off_is_fetched_again(server: EntrezServer) -> None:
    expected = play(server, "p19_body_dropped")
    result = impatient(server).fetch(["90000201"])
    assert len(result.articles) == expected["records"]
    assert len(server.seen) == expected["requests"]
    assert result.is_complete


def test_p20_a_server_that_hangs_ends_in_a_timeout(server: EntrezServer) -> None:
    config = script("p20_hang")["config"]
    expected = play(server, "p20_hang", times=config["max_tries"])
    began = time.monotonic()
    with pytest.raises(TimeoutError) as caught:
        EntrezClient(server.url, timeout=config["timeout"] / 4, max_tries=config["max_tries"]).search("x")
    assert isinstance(caught.value, MetaragError)
    assert time.monotonic() - began < expected["max_seconds"]
    assert len(server.seen) == expected["requests"]


def test_p21_all_of_25000_ids_come_once(server: EntrezServer) -> None:
    expected = script("p21_over_9999")["expect"]
    server.model.entries = synthetic_entries(25_000)
    found = impatient(server).search_all("x")
    assert len(found.ids) == len(set(found.ids)) == expected["unique_ids"]
    assert (
        max(int(seen.get("retstart") or 0) for seen in server.seen)
        <= expected["no_request_with_retstart_over"]
    )


def test_p22_a_refusal_is_waited_out_by_all_threads_and_nothing_of_it_is_shown(
    server: EntrezServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    expected = play(server, "p22_429_json")
    client = EntrezClient(server.url)
    errors: list[BaseException] = []

    def search() -> None:
        try:
            client.search("x")
        except MetaragError as error:
            errors.append(error)

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(seen.at for seen in server.seen)
    assert errors == []
    assert len(times) == 9
    most = max(sum(begin <= at < begin + 1.0 for at in times) for begin in times)
    assert most <= expected["max_requests_in_any_second"]
    # Up to two were under way when the first was refused.
    assert all(at - times[0] >= expected["min_wait_after_429"] for at in times[3:])
    assert "203.0.113.9" not in caplog.text


def test_p22_neither_key_nor_address_is_in_the_error(server: EntrezServer) -> None:
    play(server, "p22_429_json")
    with pytest.raises(MetaragError) as caught:
        impatient(server, max_tries=1).search("x")
    assert "203.0.113.9" not in "".join(traceback.format_exception(caught.value))


def test_p23_the_sort_is_always_named(server: EntrezServer) -> None:
    expected = script("p23_sort_default")["expect"]["query_has"]
    client = impatient(server)
    assert client.search("x").sort == expected["sort"]
    assert server.seen[-1].get("sort") == expected["sort"]
    assert client.search("x", sort="date").sort == "date"
    assert server.seen[-1].get("sort") == "pub_date"
    with pytest.raises(ConfigurationError):
        client.search("x", sort="newest")


def test_p24_a_thousand_ids_travel_in_the_body(server: EntrezServer) -> None:
    expected = script("p24_long_id_list")["expect"]
    result = impatient(server).fetch([str(90000001 + i) for i in range(1_000)])
    assert len(result.articles) == 1_000
    assert {seen.method for seen in server.seen} == {expected["method"]}
    assert max(len(seen.path) for seen in server.seen) < expected["max_url_len"]
    assert all("id" in seen.in_body and "id" not in seen.in_address for seen in server.seen)
    assert all(seen.in_body["id"][0].count(",") < 200 for seen in server.seen)


@pytest.mark.parametrize("home", ["/proc", "/dev/null"])
def test_p25_a_home_that_cannot_be_written_does_no_harm(
    server: EntrezServer, home: str, tmp_path: Path
) -> None:
    expected = script("p25_readonly_home")["expect"]
    code = (
        "import sys\n"
        "from metarag.retrieval.entrez import EntrezClient\n"
        "client = EntrezClient(sys.argv[1])\n"
        "client.search('x')\n"
        "print(len(client.fetch(['90000201']).articles))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, server.url],
        env={**os.environ, "HOME": home},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert int(done.stdout) == expected["records"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no real records at {REAL}")
def test_real_records_come_as_they_are_in_the_file(server: EntrezServer) -> None:
    known = {entry.pmid: entry for entry in entries()[::3]}
    server.model.entries = tuple(known.values())
    server.model.by_pmid = known
    result = impatient(server).fetch(known)
    assert len(known) > 300
    assert result.is_complete
    assert [a.pmid for a in result.articles] == list(known)
    sample = result.articles[::50]
    for article in sample:
        whole = f"<PubmedArticleSet>{known[article.pmid or ''].xml}</PubmedArticleSet>".encode()
        assert [article] == list(read_pubmed_xml(whole))


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no real records at {REAL}")
def test_a_search_over_the_real_records_finds_what_the_words_say(server: EntrezServer) -> None:
    server.model.entries = entries()
    found = impatient(server).search("(cancer OR tumor) AND mice NOT review", limit=500)
    texts = {entry.pmid: entry.text.split() for entry in entries()}
    assert len(found.ids) == found.total > 0
    for pmid in found.ids:
        words = texts[pmid]
        assert {"cancer", "tumor"} & set(words)
        assert "mice" in words
        assert "review" not in words
