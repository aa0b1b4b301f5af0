"""Searches beyond what PubMed gives out at once: every id once, or a plain word on what is missing."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import date, timedelta

import pytest
from entrez_records import Entry, synthetic_entries
from entrez_server import answers
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from metarag.errors import InputError, PubMedUnavailableError
from metarag.retrieval.entrez import DateLimits
from metarag.retrieval.entrez_dates import Days, days_of

MANY = synthetic_entries(25_000)
SOME = synthetic_entries(10_400)
TODAY = date(2026, 11, 1)


def test_a_search_of_25000_ids_returns_each_once(pubmed, talk_to):
    server = pubmed(MANY)
    steps = []
    found = talk_to(server).search_all("x", progress=steps.append)
    assert len(found.ids) == 25_000
    assert set(found.ids) == {e.pmid for e in MANY}
    assert (found.total, found.reachable) == (25_000, 25_000)
    assert sum(part.total for part in found.slices) == 25_000
    assert all(part.total == part.retrieved <= 9_999 for part in found.slices)
    assert all(int(seen.get("retstart")) <= 9_998 for seen in server.seen)
    assert len(server.seen) < 30
    assert steps[-1].found == 25_000
    assert steps[-1].open_slices == 0
    assert found.record(source="PubMed", retrieved=25_000).slices


def test_the_first_ids_keep_the_order_that_was_asked_for(pubmed, talk_to):
    client = talk_to(pubmed(SOME))
    assert client.search_all("x").ids[:9_999] == client.search("x", limit=9_999).ids


def test_a_small_search_needs_one_request_and_no_slices(pubmed, talk_to):
    server = pubmed(synthetic_entries(9_999))
    found = talk_to(server).search_all("x")
    assert len(found.ids) == 9_999
    assert found.slices == ()
    assert found.notes == ()
    assert len(server.seen) == 1


def test_ten_thousand_are_not_one_short(pubmed, talk_to):
    assert len(talk_to(pubmed(synthetic_entries(10_000))).search_all("x").ids) == 10_000


def test_a_day_that_cannot_be_cut_is_told_with_what_is_missing(pubmed, talk_to):
    one_day = tuple(Entry(str(i), date(2010, 5, 5), 2010, "", "x") for i in range(1, 10_501))
    found = talk_to(pubmed(one_day)).search_all("x")
    assert len(set(found.ids)) == 9_999
    assert (found.total, found.reachable) == (10_500, 9_999)
    assert any("2010/05/05" in note and "501" in note for note in found.notes)
    assert any("501 of 10,500 hits are missing" in note for note in found.messages)


def test_limits_on_the_entrez_date_bound_the_slices(pubmed, talk_to):
    server = pubmed(MANY)
    limits = DateLimits(field="edat", start="2001", end="2015")
    found = talk_to(server).search_all("x", dates=limits)
    assert set(found.ids) == {e.pmid for e in MANY if e.entered.year <= 2015}
    assert all(seen.get("term") == "x" for seen in server.seen)
    assert all("2001" <= part.start[:4] <= part.end[:4] <= "2015" for part in found.slices)


def test_limits_on_another_date_go_into_the_query_of_the_slices(pubmed, talk_to):
    server = pubmed(synthetic_entries(12_000))
    found = talk_to(server).search_all("x", dates=DateLimits.years(2002))
    assert server.seen[0].get("datetype") == "pdat"
    sliced = [seen for seen in server.seen if seen.get("datetype") == "edat"]
    assert sliced
    assert all(seen.get("term") == '(x) AND ("2002"[pdat] : "3000"[pdat])' for seen in sliced)
    assert found.dates == DateLimits.years(2002)


def test_what_came_in_meanwhile_is_told(pubmed, talk_to):
    server = pubmed(SOME)
    entries = list(SOME)

    def grow(step):
        if len(entries) == 10_400:
            entries.append(Entry("7", date(2026, 1, 1), 2026, "", "x"))
            server.model.entries = entries

    found = talk_to(server).search_all("x", progress=grow)
    assert "7" in found.ids
    assert any("10,400 hits, then 10,401" in note for note in found.notes)


def test_a_failure_leaves_the_state_and_the_next_run_goes_on_there(pubmed, talk_to, tmp_path):
    server = pubmed(MANY)
    client, state = talk_to(server, max_tries=1), tmp_path / "state.json"

    def fail_now(step):
        if step.slices == 2:
            server.fail("esearch", answers("down", 503))

    with pytest.raises(PubMedUnavailableError):
        client.search_all("x", state_file=state, progress=fail_now)
    kept = json.loads(state.read_text())
    assert len(kept["slices"]) == 2
    before = len(server.seen)
    found = client.search_all("x", state_file=state)
    assert set(found.ids) == {e.pmid for e in MANY}
    assert len(found.ids) == 25_000
    assert len(server.seen) - before < before
    assert sum("Continued a search" in note for note in found.notes) == 1
    assert not state.exists()


@pytest.mark.slow
def test_a_search_that_was_killed_goes_on_and_loses_no_id(pubmed, talk_to, tmp_path):
    server, state = pubmed(MANY), tmp_path / "state.json"
    code = (
        "import sys, time\n"
        "from metarag.retrieval.entrez import EntrezClient, RateLimiter\n"
        "client = EntrezClient(sys.argv[1], limiter=RateLimiter(1000))\n"
        "client.search_all('x', state_file=sys.argv[2], progress=lambda step: time.sleep(0.3))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, server.url, str(state)])
    waited_until = time.monotonic() + 30
    while time.monotonic() < waited_until and child.poll() is None:
        if state.exists() and json.loads(state.read_text())["slices"]:
            break
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL
    done = json.loads(state.read_text())
    assert 0 < sum(part["total"] for part in done["slices"]) < 25_000
    found = talk_to(server).search_all("x", state_file=state)
    assert len(found.ids) == 25_000
    assert set(found.ids) == {e.pmid for e in MANY}
    assert [p.name for p in tmp_path.iterdir()] == []


def test_the_state_holds_no_key(pubmed, talk_to, tmp_path):
    key, state = "0123456789abcdef0123456789abcdef0123", tmp_path / "state.json"
    seen = []
    talk_to(pubmed(SOME), api_key=key).search_all(
        "x", state_file=state, progress=lambda step: seen.append(state.read_text())
    )
    assert seen
    assert not any(key in text for text in seen)


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"format": "other"}'])
def test_a_state_file_that_is_none_is_refused_and_left_alone(pubmed, talk_to, tmp_path, content):
    state = tmp_path / "state.json"
    state.write_text(content)
    with pytest.raises(InputError, match="not the state of a search"):
        talk_to(pubmed()).search_all("zinc", state_file=state)
    assert state.read_text() == content


def test_the_state_of_another_search_is_refused(pubmed, talk_to, tmp_path):
    server, state = pubmed(SOME), tmp_path / "state.json"
    client = talk_to(server, max_tries=1)
    with pytest.raises(PubMedUnavailableError):
        client.search_all(
            "x", state_file=state, progress=lambda s: server.fail("esearch", answers("down", 503))
        )
    with pytest.raises(InputError, match="another search"):
        client.search_all("x", sort="date", state_file=state)


def test_a_state_file_that_cannot_be_written_is_refused(pubmed, talk_to, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="state of the search"):
        talk_to(pubmed()).search_all("zinc", state_file=tmp_path / "file" / "state.json")


DAYS = st.dates(date(1000, 1, 1), date(3000, 12, 31))


@given(first=DAYS, length=st.integers(1, 800_000), today=DAYS)
def test_halves_tile_their_range(first, length, today):
    last = min(first + timedelta(days=length), date(3000, 12, 31))
    days = Days(first=first, last=last)
    if days.is_one_day:
        return
    earlier, later = days.halves(today)
    assert earlier.first == first
    assert later.last == last
    assert earlier.last + timedelta(days=1) == later.first
    assert earlier.first <= earlier.last
    assert later.first <= later.last


def test_halving_ends_at_single_days_in_few_steps():
    wanted = date(2010, 5, 5)
    days, steps = days_of(None), 0
    while not days.is_one_day:
        days = next(half for half in days.halves(TODAY) if half.first <= wanted <= half.last)
        steps += 1
    assert steps < 20


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"start": "2020", "end": "2019"},
        {"start": "2020/13"},
        {"start": "2021/02/29"},
        {"end": ""},
        {"start": "20"},
        {"start": "2020-01-01"},
        {"field": "crdt", "start": "2020"},
    ],
)
def test_date_limits_that_pubmed_would_misread_are_refused(values):
    with pytest.raises(ValidationError):
        DateLimits(**values)


def test_an_open_end_is_sent_as_an_end():
    assert dict(DateLimits(start="2020/02").parameters) == {
        "datetype": "pdat",
        "mindate": "2020/02",
        "maxdate": "3000",
    }
    assert dict(DateLimits.years(last=1999).parameters)["mindate"] == "1000"
