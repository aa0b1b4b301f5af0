"""A tantivy index does what a local index has to do, and survives what it has to."""

import os
import resource
import subprocess
import sys
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from builders import make_article
from corpus_sources import BREAK, build, read_source, write_source

from metarag.appraisal import appraise
from metarag.errors import IndexUnusableError, MissingExtraError
from metarag.records import TextOrigin
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.index_store import MARKER
from metarag.retrieval.index_verify import verify_index
from metarag.retrieval.local_index import open_index
from metarag.types import Question

pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
QUESTION = Question(text="Does zinc shorten colds?")
TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def index(tmp_path):
    return tmp_path / "index.tantivy"


@pytest.fixture
def source(tmp_path):
    return lambda name, *records: write_source(tmp_path / name, *records)


def pmids(hits):
    return [hit.article.pmid for hit in hits]


def titles(index):
    with open_index(index) as corpus:
        return sorted(article.title for article in corpus)


def test_the_retriever_searches_it_and_the_audit_says_how(index, source):
    build(
        index, source("a", make_article("1", "Zinc for colds"), make_article("2", "Iron")), clock=lambda: NOON
    )
    with open_index(index) as corpus:
        result = CorpusRetriever(corpus, clock=lambda: NOON).retrieve(QUESTION)
        assert pmids(result.articles) == ["1"]
        assert (result.query.source, result.query.total) == ("local index: index.tantivy", 1)
        assert result.query.query == '"zinc" OR "shorten" OR "colds"'
        assert result.query.sort.startswith("BM25 of title, abstract and subject terms")
        planned = CorpusRetriever(corpus, query="zinc[ti] OR iron[ti]").retrieve(QUESTION)
        assert planned.query.translation == '(title:"zinc" OR title:"iron")'
        assert set(pmids(planned.articles)) == {"1", "2"}


def test_the_best_comes_first_and_the_limit_cuts_the_articles_and_not_the_total(index, source):
    articles = [
        make_article("1", "A study of tablets", "Zinc."),
        make_article("2", "Zinc tablets"),
        make_article("3", "Zinc, zinc and zinc"),
    ]
    build(index, source("a", *articles))
    with open_index(index) as corpus:
        assert pmids(corpus.search("zinc"))[-1] == "1"
        scores = [hit.retriever_score for hit in corpus.search("zinc tablets")]
        assert scores == sorted(scores, reverse=True)
        assert scores[-1] > 0
        hits = corpus.search("zinc", limit=1)
        assert (len(hits), hits.total) == (1, 3)
        assert corpus.search("zinc", limit=0).total == 3
        assert corpus.search("zinc", limit=0).articles == ()
        assert corpus.search("the of").total == 0
        with pytest.raises(ValueError, match="limit"):
            corpus.search("zinc", limit=-1)


def test_ties_stand_by_pmid_whatever_the_order_of_files(index, source):
    for n, pmid in enumerate(("100", "20", "3", "1000")):
        build(index, source(str(n), make_article(pmid, "Zinc", "")))
    with open_index(index) as corpus:
        assert pmids(corpus.search("zinc")) == ["3", "20", "100", "1000"]
        assert pmids(corpus.search("zinc", limit=2)) == ["3", "20"]


def test_articles_and_appraisals_are_got_by_pmid_or_id(index, source):
    trial = make_article("7", types=("Randomized Controlled Trial",))
    named = make_article(None, "Copper", doi="10.1000/Copper")
    build(index, source("a", trial, named), appraisals=True)
    with open_index(index) as corpus:
        assert corpus.get("7") == corpus.get("pmid:7") == trial
        assert corpus.get("doi:10.1000/copper") == named
        assert corpus.get("9") is corpus.get("") is corpus.appraisal("9") is None
        assert corpus.appraisal("7") == appraise(trial)
        assert corpus.search("copper")[0].appraisal == appraise(named)


def test_info_and_gaps_say_what_is_here_and_what_is_not(index, source):
    summary = make_article("2", text_origin=TextOrigin.SUMMARY)
    part = source("part", make_article("1"), summary, ReadFailure(position=3, reason="x"), BREAK)
    build(index, part, clock=lambda: NOON)
    with open_index(index) as corpus:
        info = corpus.info()
        assert (info.name, info.records, info.engine, info.built_at) == ("index.tantivy", 2, "tantivy", NOON)
        assert info.text_origins == {"abstract": 1, "summary": 1}
        assert info.size == sum(file.stat().st_size for file in index.iterdir())
        assert [(s.name, s.records, s.failures, s.complete) for s in info.sources] == [("part", 3, 1, False)]
        assert corpus.gaps() == (
            "The local index holds only a part of: part.",
            "Records that could not be read when the local index was built: 1.",
        )


def test_a_build_that_was_stopped_is_remembered_until_it_is_finished(index, source):
    sources = [source(name, make_article(str(n))) for n, name in enumerate("abc", 1)]

    def stop(progress):
        if progress.source == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(index, *sources, progress=stop)
    with open_index(index) as corpus:
        assert corpus.gaps() == ("The local index is not finished; its build has still to do: b, c.",)
        assert len(corpus) == 1
        report = build(index, *sources)
        assert [s.skipped for s in report.sources] == [True, False, False]
        assert corpus.gaps() == ()
        assert len(corpus) == 3


def test_an_empty_index_is_an_error_and_no_empty_answer(index):
    build(index)
    with open_index(index) as corpus:
        assert corpus.gaps() == ("The local index holds no record.",)
        assert list(corpus) == []
        with pytest.raises(IndexUnusableError, match=r"holds no record: add files to it"):
            CorpusRetriever(corpus).retrieve(QUESTION)


def test_readers_see_the_old_state_until_a_source_is_done(index, source):
    build(index, source("a", make_article("1", "Zinc")))
    seen = []

    def reader(path):
        for n in range(2, 602):
            yield make_article(str(n), "Iron")
        seen.append((len(before), before.search("iron").total, titles(index)))

    with open_index(index) as before:
        build_index(index, [source("b", make_article("2"))], reader=reader, appraisals=False)
        assert seen == [(1, 0, ["Zinc"])]
        assert (len(before), before.search("iron").total) == (601, 600)


def test_threads_share_one_while_it_is_being_built(index, source):
    build(index, source("0", make_article("1", "Zinc")))
    allowed = {1 + 20 * n for n in range(5)}
    done, seen = threading.Event(), []

    def read(corpus):
        while not done.is_set():
            seen.extend((len(corpus), corpus.search("zinc").total, len(list(corpus))))

    with open_index(index) as corpus:
        readers = [threading.Thread(target=read, args=(corpus,)) for _ in range(3)]
        for thread in readers:
            thread.start()
        try:
            for n in range(1, 5):
                build(index, source(f"s{n}", *(make_article(str(100 * n + i), "Zinc") for i in range(20))))
        finally:
            done.set()
            for thread in readers:
                thread.join()
    assert set(seen) <= allowed
    assert len(titles(index)) == 81


def test_a_second_writer_is_told_to_wait(index, source):
    def reader(path):
        with pytest.raises(IndexUnusableError, match="another process is writing"):
            build(index, source("c", make_article("3")), wait=0.01)
        yield from read_source(path)

    build_index(
        index, [source("b", make_article("2", "Zinc"))], reader=reader, appraisals=False, engine="tantivy"
    )
    assert titles(index) == ["Zinc"]


def test_an_error_of_the_reader_is_no_damage_of_the_index(index, source):
    def reader(path):
        yield make_article("1", "Zinc")
        raise ValueError("a fault of the reader's")

    build(index, source("a", make_article("2", "Iron")))
    with pytest.raises(ValueError, match="a fault of the reader's"):
        build_index(index, [source("b", make_article("3"))], reader=reader, appraisals=False)
    assert titles(index) == ["Iron"]
    assert verify_index(index).problems[0].what == "A build was not finished: b."


def test_appraisals_by_older_rules_are_not_used_and_are_renewed(index, source, monkeypatch):
    article, other = make_article("1", "Zinc"), make_article("2", "Iron")
    for module in ("metarag.appraisal", "metarag.retrieval.tantivy_store"):
        monkeypatch.setattr(f"{module}.APPRAISAL_VERSION", "older")
    build(index, source("a", article, other), appraisals=True)
    monkeypatch.undo()
    with open_index(index) as corpus:
        assert corpus.appraisal("1") is None
        assert corpus.search("zinc")[0].appraisal is None
        assert corpus.info().appraisals == 0
        build(index, source("b", Deletion(pmid="2")))
        assert build(index, appraisals=True).appraisals_renewed == 1
        assert corpus.appraisal("1") == appraise(article)
        assert corpus.search("zinc")[0].appraisal == appraise(article)
        assert build(index, appraisals=True).appraisals_renewed == 0
    assert verify_index(index).is_whole


def test_an_index_stays_with_its_engine(index, source, tmp_path):
    first = source("a", make_article("1", "Zinc"))
    build(index, first)
    with pytest.raises(IndexUnusableError, match="is of the engine tantivy, not sqlite"):
        build_index(index, [first], engine="sqlite")
    build(tmp_path / "file.sqlite", first)
    with pytest.raises(IndexUnusableError, match="is of the engine sqlite, not tantivy"):
        build_index(tmp_path / "file.sqlite", [first], engine="tantivy")
    more = source("b", make_article("2", "Iron"))
    build_index(index, [more], reader=read_source, appraisals=False)
    assert titles(index) == ["Iron", "Zinc"]
    with pytest.raises(ValueError, match="lucene"):
        build_index(tmp_path / "new", [first], engine="lucene")


def test_a_folder_of_something_else_is_neither_read_nor_written(tmp_path, source):
    first = source("a", make_article("1"))
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "diary.txt").write_text("x", encoding="utf-8")
    with pytest.raises(IndexUnusableError, match="cannot be written: it is a folder of something else"):
        build_index(mine, [first], engine="tantivy")
    with pytest.raises(IndexUnusableError, match="folder"):
        open_index(mine)
    assert [file.name for file in mine.iterdir()] == ["diary.txt"]


def test_a_folder_of_ours_is_named_to_whoever_opens_it_as_a_file(index, source):
    build(index, source("a", make_article("1")))
    with pytest.raises(IndexUnusableError, match="open_index"):
        Corpus.open(index)


def test_an_index_whose_build_was_killed_at_its_beginning_can_be_built(index, source):
    index.mkdir()
    (index / MARKER).write_text('{"engine": "tantivy", "schema": 1}', encoding="utf-8")
    with pytest.raises(IndexUnusableError, match="not begun: build it again"):
        open_index(index)
    build(index, source("a", make_article("1", "Zinc")))
    assert titles(index) == ["Zinc"]


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        ('{"schema": 99}', "has schema 99"),
        ("[]", "damaged"),
        ("{", "damaged"),
        ('{"schema": "x"}', "schema x"),
    ],
)
def test_another_schema_or_a_damaged_mark_says_what_to_do(index, source, mark, says):
    build(index, source("a", make_article("1")))
    (index / MARKER).write_text(mark, encoding="utf-8")
    with pytest.raises(IndexUnusableError, match=says):
        open_index(index)
    with pytest.raises(IndexUnusableError, match=says):
        build(index, source("b", make_article("2")))


def test_a_closed_index_says_so(index, source):
    build(index, source("a", make_article("1")))
    corpus = open_index(index)
    corpus.close()
    corpus.close()
    for read in (lambda: corpus.search("zinc"), corpus.info, lambda: len(corpus), lambda: list(corpus)):
        with pytest.raises(IndexUnusableError, match="closed"):
            read()


@pytest.mark.parametrize("seed", range(12))
def test_random_bytes_in_its_files_are_told_as_damage_or_do_no_harm(index, source, seed, capfd):
    build(index, source("a", *(make_article(str(n), f"Zinc {n}") for n in range(1, 60))), appraisals=True)
    random = Random(seed)
    files = sorted(file for file in index.iterdir() if file.stat().st_size)
    chosen = random.choice(files)
    content = bytearray(chosen.read_bytes())
    start = random.randrange(max(1, len(content) - 64))
    content[start : start + 64] = random.randbytes(len(content[start : start + 64]))
    chosen.write_bytes(content)
    with suppress(IndexUnusableError), open_index(index) as corpus:
        for read in (corpus.info, corpus.gaps, lambda: corpus.search("zinc"), lambda: list(corpus)):
            with suppress(IndexUnusableError):
                read()
    with suppress(IndexUnusableError):
        assert not verify_index(index).is_whole or chosen.suffix in {".json", ""}
    with suppress(IndexUnusableError):
        assert build(index, source("b", make_article("99", "Iron"))).added == 1
    capfd.readouterr()


FULL = """
import sys
from pathlib import Path
from random import Random
from builders import make_article
from metarag.retrieval.corpus_build import build_index
articles = (make_article(str(n), "Iron", Random(n).randbytes(30_000).hex()) for n in range(1, 200))
build_index(Path(sys.argv[1]), [Path(sys.argv[2])], reader=lambda _: articles, appraisals=False)
"""


def test_a_full_disk_leaves_the_old_index(index, source):
    """A limit on the size of a file stands in for the disk; the error is the operating system's own."""
    build(index, source("a", make_article("1", "Zinc")))
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(index), str(source("b", make_article("2")))],
        env={**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.returncode == 1
    assert "what was indexed before stands" in done.stderr
    assert titles(index) == ["Zinc"]
    build(index, source("b", make_article("2", "Iron")))
    assert titles(index) == ["Iron", "Zinc"]


def test_without_tantivy_the_extra_is_named(index, source, monkeypatch):
    first = source("a", make_article("1"))
    build(index, first)
    for name in [name for name in sys.modules if name.startswith("metarag.retrieval.tantivy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tantivy", None)
    for use in (
        lambda: open_index(index),
        lambda: build(index, first),
        lambda: verify_index(index),
    ):
        with pytest.raises(MissingExtraError, match=r"pip install 'metarag-ebm\[mirror\]'"):
            use()


def test_nothing_of_tantivy_is_loaded_for_an_index_of_sqlite(tmp_path, source):
    script = (
        "import sys; from metarag.retrieval.local_index import open_index; import metarag.cli_index;"
        "print('tantivy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
