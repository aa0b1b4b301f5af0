"""Files read in several processes: the same index, in the same order, and nothing left behind."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from builders import make_article
from corpus_sources import BREAK, build, crash, read_source, write_source

from metarag.appraisal import appraise
from metarag.errors import MetaragError
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.index_verify import verify_index
from metarag.retrieval.local_index import open_index

TESTS = Path(__file__).resolve().parents[1]
ENGINES = ["sqlite", "tantivy"]


@pytest.fixture(params=ENGINES)
def engine(request):
    if request.param == "tantivy":
        pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")
    return request.param


def shelf(folder, files=3, each=3):
    """Write files in which every later one revises a record of the one before, and withdraws another."""
    return [
        write_source(
            folder / f"pubmed26n{n:04}.xml.gz",
            *(make_article(str(1000 * n + i), f"Zinc, file {n}") for i in range(1000, 1000 + each)),
            make_article(str(1000 * n), f"Zinc, revised in file {n}"),
            Deletion(pmid=str(1000 * n + 1)),
        )
        for n in range(1, files + 1)
    ]


def content(index):
    with open_index(index) as corpus:
        sources = [(s.name, s.records, s.complete) for s in corpus.info().sources]
        return sources, sorted(article.model_dump_json() for article in corpus), corpus.search("zinc").total


def test_several_processes_make_the_same_index_as_one(tmp_path, engine):
    files = shelf(tmp_path)
    told = []
    alone = build(tmp_path / f"alone.{engine}", *files)
    together = build(tmp_path / f"together.{engine}", *files, jobs=3, progress=told.append)
    assert content(tmp_path / f"together.{engine}") == content(tmp_path / f"alone.{engine}")
    assert [s.model_copy(update={"failures": ()}) for s in together.sources] == list(alone.sources)
    assert [p.source for p in told] == [file.name for file in files]


def test_failures_broken_files_and_appraisals_come_through(tmp_path):
    trial = make_article("1", types=("Randomized Controlled Trial",))
    first = write_source(tmp_path / "a", trial, ReadFailure(position=2, reason="not closed"), BREAK)
    report = build(
        tmp_path / "index.sqlite", first, write_source(tmp_path / "b", trial), jobs=2, appraisals=True
    )
    assert "middle of a record" in report.sources[0].error
    assert report.sources[0].failures == (ReadFailure(position=2, reason="not closed"),)
    assert report.unchanged == 1
    with open_index(tmp_path / "index.sqlite") as corpus:
        assert corpus.appraisal("1") == appraise(trial)


def test_a_process_that_crashes_costs_its_file_and_is_told(tmp_path):
    files = [write_source(tmp_path / name, make_article(name)) for name in "12"]
    index = tmp_path / "index.sqlite"
    report = build_index(index, files, reader=crash, appraisals=False, jobs=2)
    for source in report.sources:
        assert re.search(rf"the process that read it was ended by signal {signal.SIGSEGV:d}", source.error)
    good = build(index, *files)
    assert [source.error for source in good.sources] == [None, None]
    with open_index(index) as corpus:
        assert len(corpus) == 2


def fault(path):
    raise RuntimeError("a fault of the reader's")
    yield


def test_an_exception_in_a_process_is_told_by_file(tmp_path, capfd):
    file = write_source(tmp_path / "a", make_article("1"))
    report = build_index(tmp_path / "index.sqlite", [file], reader=fault, jobs=2)
    assert "ended with exit code 1" in report.sources[0].error
    assert "a fault of the reader's" in capfd.readouterr().err


def test_a_reader_that_cannot_be_sent_is_refused_before_anything_is_begun(tmp_path):
    file = write_source(tmp_path / "a", make_article("1"))
    with pytest.raises(ValueError, match="function of a module"):
        build_index(tmp_path / "index.sqlite", [file], reader=lambda path: read_source(path), jobs=2)
    with pytest.raises(ValueError, match="jobs must be 1 or more"):
        build_index(tmp_path / "index.sqlite", [file], jobs=0)


def test_the_same_file_twice_is_read_once(tmp_path):
    first = write_source(tmp_path / "a", make_article("1"))
    copy = tmp_path / "b"
    copy.write_bytes(first.read_bytes())
    report = build(tmp_path / "index.sqlite", first, copy, jobs=2)
    assert [source.skipped for source in report.sources] == [False, True]


def test_progress_of_the_writer_that_fails_leaves_no_process(tmp_path):
    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "index.sqlite", *shelf(tmp_path), jobs=3, progress=stop)
    assert children_of(os.getpid()) == set()
    build(tmp_path / "index.sqlite", *shelf(tmp_path))
    assert verify_index(tmp_path / "index.sqlite").is_whole


# Builds with processes that read for as long as one likes, and tells when files are in.
BUILD = """
import sys
from pathlib import Path
from corpus_sources import slow_source
from metarag.retrieval.corpus_build import build_index
if __name__ == "__main__":
    index, engine, *files = sys.argv[1:]
    tell = lambda progress: print(progress.file, flush=True)
    build_index(index, files, reader=slow_source, appraisals=False, engine=engine, jobs=3, progress=tell)
"""


def children_of(pid):
    """Return the processes that descend from one and read files (a helper of Python's own ends by itself)."""
    found = set()
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.add(int(child))
    return found


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to see child processes")
def test_a_killed_build_loses_no_file_and_repeats_none_and_its_processes_end(tmp_path, engine):
    files, index = shelf(tmp_path, files=4), tmp_path / f"index.{engine}"
    script = tmp_path / "script.py"
    script.write_text(BUILD, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script), str(index), engine, *map(str, files)],
        env={**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", "SLOW_FROM": files[2].name},
        cwd=TESTS.parent,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["1\n", "2\n"]
        wait_for(lambda: is_in(index, 2))
        readers = children_of(process.pid)
        assert readers
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not any(map(is_running, readers)))
    with open_index(index) as corpus:
        assert [source.name for source in corpus.info().sources] == [file.name for file in files[:2]]
        assert corpus.info().unfinished == tuple(file.name for file in files[2:])
    report = build(index, *files)
    assert [source.skipped for source in report.sources] == [True, True, False, False]
    build(tmp_path / f"alone.{engine}", *files)
    assert content(index) == content(tmp_path / f"alone.{engine}")
    assert verify_index(index, files).problems == ()


def is_in(index, files):
    with suppress(MetaragError), open_index(index) as corpus:
        return len(corpus.info().sources) >= files
    return False


def wait_for(what):
    """Wait up to a minute, which only a build that hangs needs."""
    until = time.monotonic() + 60
    while not what():
        assert time.monotonic() < until
        time.sleep(0.02)
