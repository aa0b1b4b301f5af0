"""What files do to an index: added, replaced, left, removed - and counted."""

import os
import signal
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from builders import make_article
from corpus_sources import BREAK, build, write_source

from metarag.appraisal import APPRAISAL_VERSION, appraise
from metarag.errors import InputError
from metarag.records import Author, PartialDate
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.corpus_rows import to_json
from metarag.retrieval.corpus_write import BATCH
from metarag.retrieval.local_index import open_index

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "tantivy"])
def index(tmp_path, request):
    if request.param == "tantivy":
        pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")
    return tmp_path / f"index.{request.param}"


@pytest.fixture
def sqlite_index(tmp_path):
    return tmp_path / "index.sqlite"


@pytest.fixture
def source(tmp_path):
    return lambda name, *records: write_source(tmp_path / name, *records)


def revision(title, *, version=1, date=None, pmid="1"):
    parts = dict(zip(("year", "month", "day"), date or (), strict=False))
    return make_article(pmid, title, version=version, date_revised=PartialDate(**parts) if date else None)


def titles(index):
    with open_index(index) as corpus:
        return {article.id: article.title for article in corpus}


def test_a_report_counts_what_each_source_did(index, source):
    old, new = revision("Old", date=(2020,)), revision("New", date=(2021,))
    build(index, source("a", old, make_article("2"), make_article("3")))
    report = build(
        index,
        source("b", new, make_article("2"), make_article("4"), Deletion(pmid="3")),
        source("c", old, ReadFailure(position=2, reason="not closed")),
    )
    assert (report.added, report.replaced, report.unchanged, report.older) == (1, 1, 1, 1)
    assert (report.deleted, report.failed) == (1, 1)
    assert [(s.source, s.added, s.older) for s in report.sources] == [("b", 1, 0), ("c", 0, 1)]
    assert report.sources[1].failures == (ReadFailure(position=2, reason="not closed"),)
    assert report.seconds > 0


def test_the_same_content_again_is_not_even_read(index, source):
    first = source("a", make_article("1"))
    build(index, first, clock=lambda: NOON)
    report = build(index, first, source("copy", make_article("1")))
    assert [s.skipped for s in report.sources] == [True, True]
    with open_index(index) as corpus:
        info = corpus.info()
    assert (info.records, info.built_at, [s.name for s in info.sources]) == (1, NOON, ["a"])


def test_the_same_record_in_another_file_is_unchanged(index, source):
    build(index, source("a", make_article("1")))
    report = build(index, source("b", make_article("1"), make_article("2")))
    assert (report.added, report.unchanged) == (1, 1)


def test_a_revision_replaces_the_record_and_its_words(index, source):
    build(index, source("a", revision("Zinc for fever", date=(2020, 5, 1))))
    build(index, source("b", revision("Iron for anaemia", date=(2020, 5, 2))))
    with open_index(index) as corpus:
        assert corpus.get("1").title == "Iron for anaemia"
        assert corpus.search("zinc fever").total == 0
        assert corpus.search("iron").total == 1
        assert len(corpus) == 1


@pytest.mark.parametrize(
    ("stored", "offered", "kept"),
    [
        ({"date": (2020,)}, {"date": (2019, 12, 31)}, "stored"),
        ({"date": (2020, 5, 2)}, {"date": (2020, 5, 1)}, "stored"),
        ({"date": (2020, 5)}, {"date": (2020, 5, 1)}, "offered"),
        ({"date": (2020, 5, 1)}, {"date": (2020, 5, 1)}, "offered"),
        ({"version": 2}, {"version": 1, "date": (2030,)}, "stored"),
        ({"version": 1, "date": (2030,)}, {"version": 2}, "offered"),
        ({"date": (2020,)}, {}, "stored"),
        ({}, {"date": (2020,)}, "offered"),
        ({}, {}, "offered"),
    ],
)
def test_the_newer_revision_stays(index, source, stored, offered, kept):
    build(index, source("a", revision("stored", **stored)))
    report = build(index, source("b", revision("offered", **offered)))
    assert titles(index) == {"pmid:1": kept}
    assert (report.replaced, report.older) == ((1, 0) if kept == "offered" else (0, 1))


@pytest.mark.parametrize("between", [0, BATCH])
def test_within_a_file_the_later_record_counts(index, source, between):
    others = [make_article(str(n)) for n in range(10, 10 + between)]
    first, second = revision("first", date=(2021,)), revision("second", date=(2020,))
    report = build(index, source("a", first, *others, second))
    assert titles(index)["pmid:1"] == "second"
    assert (report.added, report.replaced) == (1 + between, 1)


@pytest.mark.parametrize("between", [0, BATCH])
def test_within_a_file_nothing_older_than_the_index_counts(index, source, between):
    others = [make_article(str(n)) for n in range(10, 10 + between)]
    build(index, source("a", revision("indexed", date=(2020,))))
    newer, older = revision("newer", date=(2022,)), revision("older", date=(2019,))
    report = build(index, source("b", newer, *others, older))
    assert titles(index)["pmid:1"] == "newer"
    assert (report.replaced, report.older) == (1, 1)


@pytest.mark.parametrize("deletion_first", [True, False])
def test_a_deletion_wins_over_the_record_it_comes_with(index, source, deletion_first):
    records = [Deletion(pmid="1"), make_article("1")]
    report = build(index, source("a", *(records if deletion_first else records[::-1])))
    assert titles(index) == {}
    assert (report.added, report.deleted) == (1, 1)


def test_a_deleted_record_is_gone_from_search_and_can_come_back(index, source):
    build(index, source("a", make_article("1", "Zinc"), make_article("2", "Zinc")))
    assert build(index, source("b", Deletion(pmid="1"), Deletion(pmid="99"))).deleted == 1
    with open_index(index) as corpus:
        assert [hit.article.pmid for hit in corpus.search("zinc")] == ["2"]
        assert corpus.get("1") is None
        assert corpus.appraisal("1") is None
    build(index, source("c", make_article("1", "Zinc again")))
    assert titles(index)["pmid:1"] == "Zinc again"


def test_the_deletion_of_a_version_leaves_a_later_one(index, source):
    build(index, source("a", revision("second", version=2)))
    assert build(index, source("b", Deletion(pmid="1", version=1))).deleted == 0
    assert build(index, source("c", Deletion(pmid="1", version=2))).deleted == 1


def test_articles_without_a_pmid_are_known_by_doi_or_text(index, source):
    by_doi = make_article(None, "Zinc", doi="10.1000/ABC")
    by_text = make_article(None, "Iron")
    build(index, source("a", by_doi, by_text))
    with open_index(index) as corpus:
        assert corpus.get("doi:10.1000/abc") == by_doi
        assert corpus.get(by_text.id) == by_text


def test_a_source_that_breaks_off_keeps_what_was_read_and_is_read_again(index, source):
    report = build(index, source("a", make_article("1"), BREAK), source("b", make_article("2")))
    assert "middle of a record" in report.sources[0].error
    assert set(titles(index)) == {"pmid:1", "pmid:2"}
    with open_index(index) as corpus:
        assert corpus.gaps() == ("The local index holds only a part of: a.",)
    again = build(index, source("a", make_article("1"), BREAK))
    assert not again.sources[0].skipped
    assert again.unchanged == 1


def test_a_bad_source_is_made_good_by_a_better_one_of_its_name(index, source):
    build(index, source("a", make_article("1"), ReadFailure(position=2, reason="x"), BREAK))
    build(index, source("a", make_article("1"), make_article("2")))
    with open_index(index) as corpus:
        assert corpus.gaps() == ()
        assert [s.complete for s in corpus.info().sources] == [False, True]


def test_a_source_of_which_nothing_can_be_read_is_reported_and_not_remembered(index, source):
    report = build(index, source("a", BREAK), source("b", make_article("1")))
    assert "middle of a record" in report.sources[0].error
    with open_index(index) as corpus:
        assert [s.name for s in corpus.info().sources] == ["b"]
        assert corpus.gaps() == ()


def test_files_are_read_without_a_reader_being_named(index, tmp_path):
    lines = tmp_path / "records.jsonl"
    lines.write_text(make_article("1").model_dump_json() + "\nno json\n", encoding="utf-8")
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    report = build_index(index, [lines, picture], appraisals=False, engine=index.suffix[1:])
    assert set(titles(index)) == {"pmid:1"}
    assert (report.added, report.failed) == (1, 1)
    assert report.sources[1].error


def test_a_record_that_cannot_be_stored_loses_nothing_else(index, source):
    # A copy is not validated: a reader of somebody else's may make such records.
    broken = make_article("2").model_copy(update={"keywords": ("half a pair: \ud83d",)})
    records = [make_article("1"), broken, make_article("3")]
    report = build_index(
        index, [source("a")], reader=lambda _: iter(records), appraisals=False, engine=index.suffix[1:]
    )
    assert set(titles(index)) == {"pmid:1", "pmid:3"}
    assert report.failed == 1
    failure = report.sources[0].failures[0]
    assert (failure.position, failure.pmid) == (2, "2")
    assert "Unicode" in failure.reason


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer to interrupt with")
def test_ctrl_c_while_a_record_is_written_out_is_no_fault_of_the_record():
    article = make_article(authors=tuple(Author(last=f"Name{n}", fore="Ada") for n in range(200)))

    def interrupt(*_):
        raise KeyboardInterrupt

    def write_out(seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while True:
            to_json(article)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for trial in range(30):
            with pytest.raises(KeyboardInterrupt):
                write_out(0.001 + trial * 0.0001)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_appraisals_are_made_at_index_time(index, source):
    article = make_article("1", types=("Randomized Controlled Trial",))
    build(index, source("a", article), appraisals=True)
    with open_index(index) as corpus:
        assert corpus.appraisal("1") == corpus.appraisal("pmid:1") == appraise(article)
        assert corpus.info().appraisals == 1


def test_appraisals_left_out_are_made_later(index, source):
    first = source("a", make_article("1"), make_article("2"), make_article("3"))
    build(index, first)
    with open_index(index) as corpus:
        assert corpus.appraisal("1") is None
    assert build(index, first, appraisals=True).appraisals_renewed == 3
    with open_index(index) as corpus:
        assert corpus.appraisal("2") == appraise(make_article("2"))
        assert corpus.info().appraisals == len(corpus) == 3
    assert build(index, appraisals=True).appraisals_renewed == 0


def test_appraisals_made_by_older_rules_are_renewed(sqlite_index, source):
    build(sqlite_index, source("a", make_article("1"), make_article("2")), appraisals=True)
    with closing(sqlite3.connect(sqlite_index)) as connection, connection:
        connection.execute("UPDATE appraisal SET version = 'older' WHERE record_id = 2")
    with open_index(sqlite_index) as corpus:
        assert corpus.appraisal("2") is None
        assert corpus.appraisal("1") is not None
    assert build(sqlite_index, appraisals=True).appraisals_renewed == 1
    with open_index(sqlite_index) as corpus:
        assert corpus.appraisal("2").version == APPRAISAL_VERSION


def test_a_replaced_or_deleted_record_takes_its_appraisal_with_it(index, source):
    old = revision("Zinc", date=(2020,))
    new = make_article(
        "1",
        "Zinc: a randomized trial",
        types=("Randomized Controlled Trial",),
        date_revised=PartialDate(year=2021),
    )
    build(index, source("a", old, make_article("2")), appraisals=True)
    build(index, source("b", new, Deletion(pmid="2")), appraisals=True)
    with open_index(index) as corpus:
        assert corpus.appraisal("1") == appraise(new)
        assert corpus.appraisal("2") is None
        assert corpus.info().appraisals == 1


def test_a_missing_source_stops_before_anything_is_written(index, source, tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.xml"):
        build(index, source("a", make_article("1")), tmp_path / "nowhere.xml")
    assert not index.exists()


def test_progress_tells_file_and_records(index, source):
    told = []
    many = [make_article(str(n)) for n in range(1, BATCH + 2)]
    build(index, source("a", *many), source("b", make_article("1")), progress=told.append)
    assert [(p.source, p.file, p.files, p.records) for p in told] == [
        ("a", 1, 2, BATCH),
        ("a", 1, 2, BATCH + 1),
        ("b", 2, 2, 1),
    ]


def test_the_index_names_its_sources_but_not_their_folders(index, source, tmp_path):
    build(index, source("records.xml", make_article("1")))
    files = index.iterdir() if index.is_dir() else [index]
    assert not any(str(tmp_path).encode() in file.read_bytes() for file in files)


@pytest.mark.parametrize("umask", [0o022, 0o027, 0o002])
def test_the_index_is_as_open_as_the_umask_says(sqlite_index, source, umask):
    before = os.umask(umask)
    try:
        build(sqlite_index, source("a", make_article("1")))
    finally:
        os.umask(before)
    assert sqlite_index.stat().st_mode & 0o777 == 0o666 & ~umask


def test_an_index_at_rest_is_one_file(sqlite_index, source, tmp_path):
    build(sqlite_index, source("a", make_article("1")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "index.sqlite"]
    # 2 would be write-ahead mode, which wants helper files beside it even to be read.
    assert sqlite_index.read_bytes()[18:20] == b"\x01\x01"


def test_paths_may_be_strings(index, source):
    build(str(index), str(source("a", make_article("1"))))
    with open_index(str(index)) as corpus:
        assert len(corpus) == 1


def test_folders_are_made(index, tmp_path, source):
    index = tmp_path / "new" / "folder" / index.name
    build(index, source("a", make_article("1")))
    assert set(titles(index)) == {"pmid:1"}


def test_without_sources_an_empty_index_is_made(index):
    build(index)
    with open_index(index) as corpus:
        assert list(corpus) == []
        assert corpus.gaps() == ("The local index holds no record.",)
        assert corpus.search("zinc").total == 0
