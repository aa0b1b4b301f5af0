from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from llm.fake_server import GOOD, fails, says

from metarag.llm.base import ChatReply, ChatRequest, Failure, failed_reply
from metarag.llm.cache import CachedModel, ReplyCache, cache_key, request_key
from metarag.llm.recorded import ScriptedModel

OK = ChatReply(status="ok", text="yes", model_asked="m", input_tokens=3)
HERE = Path(__file__).parent


@pytest.fixture
def cache(tmp_path):
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        yield cache


def test_a_second_run_makes_no_call(serve, talk_to, ask, tmp_path):
    server = serve(says(GOOD))
    requests = [ask(f"article {i}") for i in range(12)]
    runs = []
    for _ in range(2):
        with ReplyCache(tmp_path / "cache.sqlite") as cache:
            runs.append(CachedModel(talk_to(server), cache).map_chat(requests))
            last = cache.stats()
    assert len(server.seen) == 12
    assert [r.cached for r in runs[0]] == [False] * 12
    assert [r.cached for r in runs[1]] == [True] * 12
    assert [r.parsed for r in runs[1]] == [r.parsed for r in runs[0]]
    assert (last.hits, last.misses, last.stored, last.entries) == (12, 0, 0, 12)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=lambda s: s.name)
def test_a_killed_run_goes_on_where_it_was(serve, ask, talk_to, tmp_path, how):
    server = serve(by_request=lambda seen: says(seen.user, after=0.01))
    path = tmp_path / "cache.sqlite"
    run = subprocess.Popen(
        [sys.executable, str(HERE / "long_run.py"), server.url, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
    )
    safe = [run.stdout.readline().strip() for _ in range(10)]
    run.send_signal(how)
    started = time.monotonic()
    safe += run.communicate(timeout=30)[0].split()
    assert time.monotonic() - started < 10, "Ctrl-C does not wait for the run"
    assert len(safe) < 100, "it was killed in the middle"
    before = len(server.seen)
    time.sleep(0.05)
    with ReplyCache(path) as cache:
        model = CachedModel(talk_to(server), cache)
        replies = model.map_chat([ChatRequest(user=str(i)) for i in range(100)])
        assert cache.stats().trouble is None
    again = {s.user for s in server.seen[before:]}
    assert not again & set(safe)
    assert len(again) <= 100 - len(safe)
    assert [r.text for r in replies] == [str(i) for i in range(100)]


def test_failures_are_not_kept(serve, talk_to, ask, cache):
    server = serve(
        fails(500), says(GOOD, finish_reason="length"), says(GOOD, finish_reason="length"), says(GOOD)
    )
    model = CachedModel(talk_to(server, policy={"attempts": 1}), cache)
    assert [model.chat(ask()).failure for _ in range(3)] == [Failure.SERVER_ERROR, Failure.TRUNCATED, None]
    assert cache.stats().stored == 1


def test_the_same_request_in_many_threads_is_one_call(serve, talk_to, ask, cache):
    server = serve(says(GOOD, after=0.05))
    replies = CachedModel(talk_to(server, concurrency=8), cache).map_chat([ask()] * 8)
    assert len(server.seen) == 1
    assert sum(r.cached for r in replies) == 7


def test_a_failed_call_does_not_hold_up_the_same_request(ask, cache):
    answers = iter([failed_reply(Failure.EMPTY, "nothing"), OK])
    model = CachedModel(ScriptedModel(lambda request: next(answers), concurrency=2), cache)
    assert {r.status for r in model.map_chat([ask(), ask()])} == {"failed:empty", "ok"}


BASE = ChatRequest(user="u", system="s", prompt="p@1#abc")


@pytest.mark.parametrize(
    "change",
    [
        {"user": "v"},
        {"system": "t"},
        {"prompt": "p@2#abc"},
        {"temperature": 0.5},
        {"seed": 1},
        {"max_tokens": 9},
        {"sample": 1},
        {"must_echo": {"a": "b"}},
    ],
    ids=lambda c: next(iter(c)),
)
def test_whatever_can_change_the_answer_changes_the_key(change):
    assert request_key(BASE.model_copy(update=change)) != request_key(BASE)


def test_the_key_knows_model_endpoint_and_the_order_of_the_schema(ask):
    keys = {cache_key(BASE, model=m, endpoint=e) for m in ("a", "b") for e in ("x", "y")}
    assert len(keys) == 4
    request = ask()
    schema = request.reply_schema.json_schema
    turned = {**schema, "properties": dict(reversed(schema["properties"].items()))}
    other = request.model_copy(
        update={"reply_schema": request.reply_schema.model_copy(update={"json_schema": turned})}
    )
    assert request_key(other) != request_key(request)


def test_clearing_says_how_many_there_were(cache):
    cache.put("a", OK)
    cache.put("b", OK)
    assert cache.clear() == 2
    assert cache.get("a") is None
    assert cache.stats().entries == 0


def test_a_reply_in_another_shape_counts_as_missing_and_is_replaced(cache, tmp_path):
    cache.put("a", OK)
    with sqlite3.connect(tmp_path / "cache.sqlite") as other:
        other.execute('UPDATE replies SET reply = \'{"status": "excellent"}\'')
    other.close()
    assert cache.get("a") is None
    cache.put("a", OK)
    assert cache.get("a").text == "yes"


def test_two_caches_share_a_file(tmp_path):
    path = tmp_path / "cache.sqlite"
    with ReplyCache(path) as one, ReplyCache(path) as two:

        def fill(cache, name):
            for i in range(50):
                cache.put(f"{name}{i}", OK)

        threads = [threading.Thread(target=fill, args=pair) for pair in ((one, "a"), (two, "b"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one.stats().entries == 100
        assert two.get("a7").cached


def test_a_file_that_is_no_database_leaves_no_cache_and_one_warning(serve, talk_to, ask, tmp_path, caplog):
    path = tmp_path / "cache.sqlite"
    path.write_text("not a database, " * 100, encoding="utf-8")
    server = serve(says(GOOD))
    with ReplyCache(path) as cache:
        model = CachedModel(talk_to(server), cache)
        assert [model.chat(ask()).status for _ in range(3)] == ["ok"] * 3
        assert "no database" in cache.stats().trouble
        assert cache.stats().entries is None
    assert len(server.seen) == 3
    assert caplog.text.count("is not in use") == 1
    assert path.read_text(encoding="utf-8").startswith("not a database")


@pytest.mark.parametrize("content", [b"x", b"a short note", b"SQLite format 2"])
def test_a_short_file_that_sqlite_takes_for_an_empty_database_stays(tmp_path, content):
    path = tmp_path / "notes"
    path.write_bytes(content)
    with ReplyCache(path) as cache:
        cache.put("a", OK)
        assert cache.get("a") is None
        assert "no database" in cache.stats().trouble
    assert path.read_bytes() == content


def test_another_database_is_not_written_to(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with ReplyCache(path) as cache:
        cache.put("a", OK)
        assert cache.clear() == 0
        assert "another database" in cache.stats().trouble
    assert path.read_bytes() == before


FORKED = """
import os, sys, threading
from metarag.llm.base import ChatReply
from metarag.llm.cache import ReplyCache

cache, reply = ReplyCache(sys.argv[1]), ChatReply(status="ok", text="yes", model_asked="m")
cache.put("a", reply)
holding = threading.Event()

def hold():
    with cache._opened.own.lock:
        holding.set()
        threading.Event().wait()

threading.Thread(target=hold, daemon=True).start()
holding.wait()
child = os.fork()
if child == 0:
    cache.put("b", reply)
    print(cache.get("a").text, cache.stats().entries, cache.stats().hits, flush=True)
    os._exit(0)
os.waitpid(child, 0)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_its_own_connection_and_waits_for_no_lock_of_its_parent(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path / "cache.sqlite")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["yes", "2", "1"], "")


def test_a_folder_that_cannot_be_made_leaves_no_cache(ask, tmp_path, caplog):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with ReplyCache(tmp_path / "file" / "cache.sqlite") as cache:
        assert CachedModel(ScriptedModel(lambda r: GOOD), cache).chat(ask()).status == "ok"
    assert "is not in use" in caplog.text


def test_a_full_disk_keeps_what_is_there_readable(ask, cache, caplog):
    cache.put("a", OK)
    # The real error of a full disk, made by a limit on the pages of the file.
    cache._run(cache._opened.own, "PRAGMA max_page_count = 3")
    big = OK.model_copy(update={"text": "x" * 200_000})
    cache.put("b", big)
    assert "full" in cache.stats().trouble
    assert cache.get("a").text == "yes"
    assert cache.get("b") is None


def test_a_locked_file_is_waited_for_and_then_done_without(ask, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("metarag.llm.cache._BUSY_SECONDS", 0.05)
    path = tmp_path / "cache.sqlite"
    with ReplyCache(path) as cache:
        cache.put("a", OK)
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("BEGIN EXCLUSIVE")
        model = CachedModel(ScriptedModel(lambda r: GOOD), cache)
        assert model.chat(ask()).status == "ok"
        assert "locked" in cache.stats().trouble
        blocker.execute("ROLLBACK")
        blocker.close()
        assert model.chat(ask("second")).status == "ok"
        assert model.chat(ask("second")).cached, "it is used again when the lock is gone"


def test_trouble_that_passes_does_not_add_up(tmp_path, monkeypatch):
    monkeypatch.setattr("metarag.llm.cache._BUSY_SECONDS", 0.02)
    path = tmp_path / "cache.sqlite"
    with ReplyCache(path) as cache:
        cache.put("a", OK)
        for _ in range(5):
            blocker = sqlite3.connect(path, isolation_level=None)
            blocker.execute("BEGIN EXCLUSIVE")
            cache.put("b", OK)
            blocker.execute("ROLLBACK")
            blocker.close()
            assert cache.get("a") is not None
        cache.put("c", OK)
        assert cache.get("c") is not None
