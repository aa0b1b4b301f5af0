"""`metarag cache`: says what is there, deletes only when told to, and never makes or harms a file."""

import io
import sqlite3
import sys
from contextlib import closing

import pytest

from metarag.llm.base import ChatReply, ChatRequest
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.recorded import ScriptedModel

OLD_TABLE = (
    "CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, model TEXT, stored_at REAL NOT NULL)"
    " WITHOUT ROWID"
)


def answer(request):
    return ChatReply(status="ok", text=request.user, model_asked="small-1")


@pytest.fixture
def cache(tmp_path):
    path = tmp_path / "replies.sqlite"
    with ReplyCache(path) as replies:
        model = CachedModel(ScriptedModel(answer), replies)
        for n in range(3):
            model.chat(ChatRequest(user=f"a {n}", prompt="stance@1#aaaa"))
        model.chat(ChatRequest(user="b", prompt="applicability@2#bbbb"))
        model.chat(ChatRequest(user="plain"))
    return path


@pytest.fixture
def answering(monkeypatch):
    """Type an answer on a standard input that is no terminal."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def held(path):
    with ReplyCache(path) as replies:
        return replies.stats().entries


def test_stats_count_replies_by_model_and_prompt(metarag, cache):
    done = metarag("cache", "stats", cache)
    assert done.returncode == 0
    assert "5 replies" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("small-1")]
    assert [(row[0], *row[1:-7]) for row in rows] == [
        ("small-1", "not", "stored", "1"),
        ("small-1", "applicability@2#bbbb", "1"),
        ("small-1", "stance@1#aaaa", "3"),
    ]


def test_clear_asks_first_and_leaves_everything_without_a_yes(metarag, cache, answering):
    answering("n\n")
    refused = metarag("cache", "clear", cache)
    assert refused.returncode == 1
    assert "Delete 5 replies" in refused.stderr
    answering("")
    assert metarag("cache", "clear", cache).returncode == 1
    assert held(cache) == 5


def test_clear_deletes_when_told_to(metarag, cache, answering):
    answering("y\n")
    done = metarag("cache", "clear", cache)
    assert done.returncode == 0
    assert "5 replies deleted" in done.stderr
    assert held(cache) == 0


def test_yes_deletes_without_a_question_and_an_empty_cache_stays(metarag, cache):
    assert metarag("cache", "clear", cache, "--yes").returncode == 0
    again = metarag("cache", "clear", cache)
    assert again.returncode == 0
    assert "holds no replies" in again.stderr
    assert metarag("cache", "stats", cache).stdout.startswith(f"{cache}: 0 replies")


@pytest.mark.parametrize("command", [("stats",), ("clear", "--yes")])
def test_a_cache_that_is_not_there_is_an_error_and_is_not_made(metarag, tmp_path, command):
    done = metarag("cache", command[0], tmp_path / "none" / "replies.sqlite", *command[1:])
    assert done.returncode == 1
    assert "there is no such file" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("stats",), ("clear", "--yes")])
def test_another_database_or_file_is_left_as_it_is(metarag, tmp_path, command):
    database, text = tmp_path / "index.sqlite", tmp_path / "notes.txt"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE replies (key TEXT)")
    text.write_text("not a database at all, only some notes\n" * 40, encoding="utf-8")
    for path in (database, text):
        before = path.read_bytes()
        done = metarag("cache", command[0], path, *command[1:])
        assert done.returncode == 1
        assert "no cache of a model's replies" in done.stderr
        assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [database, text]


def test_a_cache_in_use_elsewhere_is_not_cleared(metarag, cache, monkeypatch):
    monkeypatch.setattr("metarag.llm.cache_file._BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(cache, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = metarag("cache", "clear", cache, "--yes")
    assert done.returncode == 1
    assert "locked" in done.stderr
    assert held(cache) == 5


def test_a_cache_of_an_earlier_version_is_read_counted_and_goes_on(metarag, tmp_path):
    path = tmp_path / "old.sqlite"
    request = ChatRequest(user="a", prompt="stance@1#aaaa")
    with ReplyCache(tmp_path / "new.sqlite") as replies:
        CachedModel(ScriptedModel(answer), replies).chat(request)
    with closing(sqlite3.connect(tmp_path / "new.sqlite")) as new:
        row = new.execute("SELECT key, reply, model, stored_at FROM replies").fetchone()
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute(OLD_TABLE)
        old.execute("INSERT INTO replies VALUES (?, ?, ?, ?)", row)
    assert "1 replies" in metarag("cache", "stats", path).stdout
    model = ScriptedModel(answer)
    with ReplyCache(path) as replies:
        cached = CachedModel(model, replies)
        assert cached.chat(request).cached
        cached.chat(ChatRequest(user="b", prompt="stance@1#aaaa"))
        assert replies.stats().trouble is None
    assert len(model.requests) == 1
    assert "stance@1#aaaa" in metarag("cache", "stats", path).stdout
