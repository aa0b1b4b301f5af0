"""An index in use survives kills, full disks, other writers and other people's files."""

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest
from builders import make_article
from corpus_sources import build, bulky_article, read_source, write_source

from metarag.errors import IndexUnusableError, InputError
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.corpus_connection import sqlite_errors

TESTS = Path(__file__).resolve().parents[1]

# Builds from a source of any number of records, and says when a part of them has been written.
LONG_BUILD = """
import sys
from pathlib import Path
from corpus_sources import bulky_article
from metarag.retrieval.corpus_build import build_index
index, source, records = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
reader = lambda _: (bulky_article(n) for n in range(1, records))
tell = lambda progress: print(progress.records, flush=True)
build_index(index, [source], reader=reader, appraisals=False, progress=tell)
"""


@pytest.fixture
def index(tmp_path):
    return tmp_path / "index.sqlite"


@pytest.fixture
def source(tmp_path):
    return lambda name, *records: write_source(tmp_path / name, *records)


def titles(index):
    with Corpus.open(index) as corpus:
        return sorted(article.title for article in corpus)


def long_build(index, source, records, **options):
    return subprocess.Popen(
        [sys.executable, "-c", LONG_BUILD, str(index), str(source), str(records)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        cwd=TESTS.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_killed_build_leaves_the_old_index_and_can_be_repeated(index, source):
    build(index, source("a", make_article("1", "Zinc")))
    with long_build(index, source("b", make_article("2")), 10_000_000) as process:
        assert process.stdout.readline() == "500\n"
        assert index.with_name("index.sqlite-wal").stat().st_size > 1_000_000
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert titles(index) == ["Zinc"]
    build(index, source("b", make_article("2", "Copper")))
    assert titles(index) == ["Copper", "Zinc"]


def test_a_full_disk_leaves_the_old_index(index, source):
    """A limit on the size of a file stands in for the disk; the error is the operating system's own."""
    build(index, source("a", make_article("1", "Zinc")))
    limit = index.stat().st_size + 100_000
    with long_build(
        index,
        source("b", make_article("2")),
        100,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    ) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "IndexUnusableError" in errors
    assert "what was indexed before stands" in errors
    assert titles(index) == ["Zinc"]


def test_a_full_database_is_told_as_a_full_disk():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("PRAGMA max_page_count = 2")
        connection.execute("CREATE TABLE t (x)")
        with pytest.raises(IndexUnusableError, match="disk is full: make room"), sqlite_errors("x"):
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_readers_see_the_old_state_until_a_source_is_done(index, source):
    build(index, source("a", make_article("1", "Zinc")))
    seen = []

    def reader(path):
        yield from map(bulky_article, range(2, 402))
        seen.append((len(before), titles(index), before.search("iron").total))

    with Corpus.open(index) as before:
        build_index(index, [source("b", make_article("2"))], reader=reader, appraisals=False)
        assert seen == [(1, ["Zinc"], 0)]
        assert (len(before), before.search("iron").total) == (401, 400)


def test_readers_and_a_writer_do_not_disturb_each_other(index, source):
    """Every read sees as many records as some finished source left."""
    build(index, source("0", make_article("1", "Zinc")))
    sources = [
        source(f"s{n}", *(make_article(str(100 * n + i), "Zinc") for i in range(50))) for n in range(1, 9)
    ]
    allowed = {1 + 50 * n for n in range(9)}
    done, seen = threading.Event(), []

    def read():
        with Corpus.open(index) as corpus:
            while not done.is_set():
                seen.extend((len(corpus), corpus.search("zinc").total))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in readers:
        thread.start()
    try:
        build(index, *sources)
    finally:
        done.set()
        for thread in readers:
            thread.join()
    assert set(seen) <= allowed
    assert len(titles(index)) == 401


def test_a_second_writer_is_told_to_wait(index, source):
    def reader(path):
        with pytest.raises(IndexUnusableError, match="another process is writing"):
            build(index, source("c", make_article("3")), wait=0.01)
        yield from read_source(path)

    build_index(index, [source("b", make_article("2", "Zinc"))], reader=reader, appraisals=False)
    assert titles(index) == ["Zinc"]


def test_a_second_writer_waits_its_turn(index, source):
    second = threading.Thread(target=lambda: build(index, source("c", make_article("3", "Iron")), wait=20))

    def reader(path):
        second.start()
        yield from read_source(path)

    build_index(index, [source("b", make_article("2", "Zinc"))], reader=reader, appraisals=False)
    second.join()
    assert titles(index) == ["Iron", "Zinc"]


def test_threads_may_share_a_corpus(index, source):
    build(index, source("a", *(make_article(str(n), "Zinc") for n in range(1, 100))))
    found = []
    with Corpus.open(index) as corpus:
        threads = [
            threading.Thread(target=lambda: found.extend(corpus.search("zinc").total for _ in range(20)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [99] * 80


def other_database(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE patients (name TEXT)")
        connection.execute("INSERT INTO patients VALUES ('Imaginary')")


def test_another_database_is_neither_read_nor_written(index, source):
    other_database(index)
    before = index.read_bytes()
    with pytest.raises(IndexUnusableError, match="not a local index"):
        Corpus.open(index)
    with pytest.raises(IndexUnusableError, match="not a local index"):
        build(index, source("a", make_article("1")))
    assert index.read_bytes() == before


@pytest.mark.parametrize("text", ["a diary, long enough to have a header" * 100, "x", "a short note"])
def test_a_file_that_is_no_database_is_neither_read_nor_written(index, source, text):
    index.write_text(text, encoding="utf-8")
    before = index.read_bytes()
    with pytest.raises(IndexUnusableError, match="not an SQLite database"):
        Corpus.open(index)
    with pytest.raises(IndexUnusableError, match="not an SQLite database"):
        build(index, source("a", make_article("1")))
    assert index.read_bytes() == before


def test_a_missing_or_empty_index_and_a_folder_say_what_to_do(index, tmp_path):
    with pytest.raises(IndexUnusableError, match="build it first"):
        Corpus.open(index)
    assert not index.exists()
    with pytest.raises(IndexUnusableError, match="folder"):
        Corpus.open(tmp_path)
    index.touch()
    with pytest.raises(IndexUnusableError, match="empty"):
        Corpus.open(index)


def test_an_index_cannot_be_built_where_a_folder_or_nothing_can_be(tmp_path, source):
    first = source("a", make_article("1"))
    with pytest.raises(IndexUnusableError, match="cannot be written"):
        build(tmp_path, first)
    with pytest.raises(IndexUnusableError, match="cannot be written"):
        build(first / "index.sqlite", first)


@pytest.mark.parametrize(("version", "advice"), [(99, "upgrade metarag-ebm"), (0, "brought up to date")])
def test_an_index_of_another_schema_says_what_to_do(index, source, version, advice):
    build(index, source("a", make_article("1")))
    with closing(sqlite3.connect(index)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(IndexUnusableError, match=advice):
        Corpus.open(index)


def test_a_newer_index_is_not_written_to(index, source):
    build(index, source("a", make_article("1")))
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(IndexUnusableError, match="upgrade"):
        build(index, source("b", make_article("2")))


def test_a_damaged_index_says_so(index, source):
    build(index, source("a", *(make_article(str(n), f"Zinc {n}") for n in range(1, 300))))
    content = bytearray(index.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    index.write_bytes(content)
    with pytest.raises(IndexUnusableError, match="damaged: delete it and build"):
        Corpus.open(index)


@pytest.mark.parametrize("seed", range(40))
def test_random_bytes_in_an_index_are_told_as_damage_or_do_no_harm(index, source, seed):
    """Whatever is hit: reading, describing and building end well or in the error for it."""
    build(index, source("a", *(make_article(str(n), f"Zinc {n}") for n in range(1, 60))), appraisals=True)
    content, random = bytearray(index.read_bytes()), Random(seed)
    for _ in range(random.choice((1, 5, 50))):
        start = random.randrange(100 if seed % 2 else 0, len(content) - 64)
        content[start : start + 64] = random.randbytes(64)
    index.write_bytes(content)
    with suppress(IndexUnusableError), Corpus.open(index) as corpus:
        for read in (corpus.info, corpus.gaps, lambda: corpus.search("zinc"), lambda: list(corpus)):
            with suppress(IndexUnusableError):
                read()
    added = 0
    with suppress(IndexUnusableError):
        irons = source("b", *(make_article(str(n), "Iron") for n in range(1, 90)))
        added = build(index, irons, appraisals=True).added
    # Either the damage was told, or the thirty new articles went in.
    assert added == 0 or added >= 30


def test_a_damaged_index_is_not_written_into(index, source):
    build(index, source("a", *(make_article(str(n), f"Zinc {n}") for n in range(1, 300))))
    content = bytearray(index.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = b"\xff" * 8192
    index.write_bytes(content)
    with pytest.raises(IndexUnusableError, match="is damaged: delete it"):
        build(index, source("b", make_article("999")))
    assert index.read_bytes() == bytes(content)


@pytest.mark.parametrize("table", ["article", "text_index_docsize", "facet_index_docsize"])
def test_tables_that_do_not_belong_together_are_seen_on_opening(index, source, table):
    build(index, source("a", make_article("1", "Zinc"), make_article("2", "Zinc")))
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute(f"DELETE FROM {table} WHERE rowid = 2")
    with pytest.raises(IndexUnusableError, match="damaged: delete it"):
        Corpus.open(index)


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE source SET indexed_at = 'soon'", Corpus.info),
        ("UPDATE source SET name = CAST(x'ff' AS TEXT)", Corpus.info),
        ("INSERT OR REPLACE INTO setting VALUES ('unfinished', '[')", Corpus.gaps),
        ("INSERT OR REPLACE INTO setting VALUES ('unfinished', '5')", Corpus.gaps),
    ],
)
def test_rows_with_wrong_bytes_are_told_as_damage(index, source, statement, read):
    build(index, source("a", make_article("1")))
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute(statement)
    with Corpus.open(index) as corpus, pytest.raises(IndexUnusableError, match="cannot be used"):
        read(corpus)


def test_a_pipe_is_not_indexed_because_it_cannot_be_known_again(index, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"not a regular file: .*pipe; nothing was indexed"):
        build(index, tmp_path / "pipe")
    assert not index.exists()


def test_a_source_whose_name_is_no_unicode_is_indexed(index, tmp_path):
    name = tmp_path / os.fsdecode(b"a\xff.jsonl")
    report = build(index, write_source(name, make_article("1", "Zinc")))
    assert report.added == 1
    assert titles(index) == ["Zinc"]


def test_a_damaged_record_is_a_failure_and_the_others_are_found(index, source):
    build(index, source("a", make_article("1", "Zinc"), make_article("2", "Zinc")))
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute("UPDATE article SET json = x'00' WHERE record_id = 1")
    with Corpus.open(index) as corpus:
        hits = corpus.search("zinc")
        assert [hit.article.pmid for hit in hits] == ["2"]
        assert hits.total == 2
        assert [(f.position, "pmid:1" in f.reason) for f in hits.failures] == [(1, True)]
        with pytest.raises(IndexUnusableError, match="build a new index"):
            corpus.get("1")


def test_a_closed_index_says_so(index, source):
    build(index, source("a", make_article("1")))
    corpus = Corpus.open(index)
    corpus.close()
    with pytest.raises(IndexUnusableError, match="closed"):
        corpus.search("zinc")


@contextmanager
def as_somebody_without_rights(folder):
    """Make ``folder`` read-only; the superuser, whom no mode stops, becomes nobody meanwhile."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    superuser = os.geteuid() == 0
    folder.chmod(0o555)
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)
        folder.chmod(mode)


@pytest.fixture
def shelf():
    # Not tmp_path, whose parents only their owner may enter.
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_a_read_only_folder_can_be_read_but_not_written(shelf, source):
    index = shelf / "index.sqlite"
    build(index, source("a", make_article("1", "Zinc")))
    index.chmod(0o444)
    more = write_source(shelf / "b", make_article("2"))
    with as_somebody_without_rights(shelf):
        assert titles(index) == ["Zinc"]
        with pytest.raises(IndexUnusableError, match="cannot be written"):
            build(index, more)
        with pytest.raises(IndexUnusableError, match="cannot be written"):
            build(shelf / "new.sqlite", more)


def test_an_index_left_in_write_ahead_mode_can_be_read_from_a_read_only_folder(shelf, source):
    index = shelf / "index.sqlite"
    build(index, source("a", make_article("1", "Zinc")))
    with closing(sqlite3.connect(index)) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    with as_somebody_without_rights(shelf):
        assert titles(index) == ["Zinc"]
