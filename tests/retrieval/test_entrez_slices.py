"""Searches beyond what PubMed gives out at once: every id once, or a plain word on what is missing."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from random import Random

import pytest
from entrez_model import Answer
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


def test_no_request_for_what_was_done_is_made_again(pubmed, talk_to, tmp_path):
    server, state = pubmed(MANY), tmp_path / "state.json"
    asked = []

    def sent():
        return [(seen.get("mindate"), seen.get("maxdate"), seen.get("retstart")) for seen in server.seen]

    class Stopped(BaseException):
        pass

    def stop(step):
        # After each thing that is kept: the first page, each halving, each part.
        raise Stopped

    found = None
    for _ in range(30):
        try:
            found = talk_to(server).search_all("x", state_file=state, progress=stop)
            break
        except Stopped:
            asked = sent()
    assert found is not None
    assert set(found.ids) == {e.pmid for e in MANY}
    assert len(asked) == len(set(asked)) == len(server.seen)


def answer_with(server, change):
    """Let ``change`` alter the answers of searches: it takes the number of the request, the count and the ids."""
    usual, number = server.model.esearch, iter(range(1, 10_000))

    def esearch(parameters):
        text = usual(parameters).body.decode()
        ids = re.findall(r"<Id>(\d+)</Id>", text)
        count = int(re.search(r"<Count>(\d+)", text)[1])
        count, ids = change(next(number), count, ids, parameters)
        listed = "".join(f"<Id>{pmid}</Id>" for pmid in ids)
        body = f"<eSearchResult><Count>{count}</Count><IdList>{listed}</IdList></eSearchResult>"
        return Answer(body.encode())

    server.model.esearch = esearch


def test_a_server_that_orders_anew_each_time_and_gives_short_pages_loses_nothing(pubmed, talk_to):
    server, random = pubmed(MANY), Random(1)

    def change(number, count, ids, parameters):
        if parameters["sort"] == ["relevance"]:
            random.shuffle(ids)
        return count, ids[:2_500]

    answer_with(server, change)
    found = talk_to(server).search_all("x")
    assert len(found.ids) == 25_000
    assert set(found.ids) == {e.pmid for e in MANY}


def test_ids_that_come_in_several_parts_come_once(pubmed, talk_to):
    server = pubmed(MANY)
    answer_with(server, lambda number, count, ids, parameters: (count, [*ids, *ids[:50], MANY[0].pmid]))
    found = talk_to(server).search_all("x")
    assert len(found.ids) == len(set(found.ids)) == 25_000


def test_a_part_that_comes_empty_is_asked_for_once_more(pubmed, talk_to):
    server = pubmed(MANY)
    answer_with(
        server, lambda number, count, ids, parameters: (count, [] if number > 3 and number % 2 else ids)
    )
    found = talk_to(server).search_all("x")
    assert set(found.ids) == {e.pmid for e in MANY}
    assert len(server.seen) < 20


def test_a_server_that_gives_the_same_page_again_and_again_is_not_asked_for_ever(pubmed, talk_to):
    server = pubmed(MANY)
    answer_with(server, lambda number, count, ids, parameters: (25_000, [e.pmid for e in MANY[:20]]))
    found = talk_to(server).search("x", limit=9_999)
    assert len(found.ids) == 20
    assert len(server.seen) == 3
    assert any("gave out 20" in note for note in found.notes)


def test_more_ids_than_were_counted_are_kept(pubmed, talk_to):
    server = pubmed(SOME[:100])
    answer_with(server, lambda number, count, ids, parameters: (count - 3, ids))
    client = talk_to(server)
    assert len(client.search_all("x").ids) == 100
    assert len(client.search("x", limit=200).ids) == 100
    assert len(client.search("x", limit=7).ids) == 7


@pytest.mark.parametrize("later", [0, 9_000])
def test_a_count_that_shrinks_below_what_was_found_hides_nothing(pubmed, talk_to, later):
    server = pubmed(SOME)

    def change(number, count, ids, parameters):
        return (count, ids) if number == 1 else (later if parameters["retmax"] == ["0"] else 0, [])

    answer_with(server, change)
    found = talk_to(server).search_all("x")
    assert (len(found.ids), found.reachable, found.total) == (9_999, 9_999, 10_400)
    assert any("401 of 10,400 hits are missing" in note for note in found.notes)


def test_a_count_that_cannot_be_had_again_costs_no_id(pubmed, talk_to):
    server = pubmed(tuple(Entry(str(i), date(2010, 5, 5), 2010, "", "x") for i in range(1, 10_501)))
    usual = server.model.esearch
    server.model.esearch = lambda parameters: (
        Answer(b"down", 503, "text/plain") if parameters["retmax"] == ["0"] else usual(parameters)
    )
    found = talk_to(server, max_tries=1).search_all("x")
    assert len(found.ids) == 9_999
    assert any("could not be counted again" in note for note in found.notes)
    assert any("501 of 10,500 hits are missing" in note for note in found.notes)


def damaged(**changes):
    return lambda state: json.dumps({**state, **changes})


@pytest.mark.parametrize(
    "damage",
    [
        damaged(ids=["1", "<b>"]),
        damaged(ids=["0"]),
        damaged(open_days=[{"first": "2020-01-01", "last": "2010-01-01"}]),
        damaged(open_days=[{"first": "2020-01-32", "last": "2021-01-01"}]),
        damaged(format="metarag-search/1"),
        damaged(source="http://127.0.0.1:1/elsewhere"),
        damaged(query="y"),
        damaged(more=1),
        lambda state: json.dumps(state)[:-40],
        lambda state: "\0" * 5_000,
        lambda state: "[" * 50_000,
    ],
)
def test_a_state_that_is_damaged_or_of_another_search_is_refused_and_left_alone(
    pubmed, talk_to, tmp_path, damage
):
    server, state = pubmed(SOME), tmp_path / "state.json"

    def stop(step):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        talk_to(server).search_all("x", state_file=state, progress=stop)
    state.write_text(damage(json.loads(state.read_text())), encoding="utf-8")
    before, asked = state.read_text(encoding="utf-8"), len(server.seen)
    with pytest.raises(InputError, match=r"(not|is) the state of (a|another) search"):
        talk_to(server).search_all("x", state_file=state)
    assert state.read_text(encoding="utf-8") == before
    assert len(server.seen) == asked


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "nothing"])
def test_a_state_file_that_is_no_file_is_refused_and_never_waited_for(pubmed, talk_to, tmp_path, kind):
    path = tmp_path / "state"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(InputError, match="state of the search cannot be read"):
        talk_to(pubmed()).search_all(
            "zinc", state_file={"device": "/dev/zero", "nothing": "a\0b"}.get(kind, path)
        )


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
