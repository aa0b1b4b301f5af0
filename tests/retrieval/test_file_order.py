"""PubMed's own files count in the order of their numbers, whatever the order in which they come."""

import itertools
from random import Random

import pytest
from builders import make_article
from corpus_sources import build, write_source
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from metarag.records import PartialDate
from metarag.retrieval.base import Deletion
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.index_verify import verify_index
from metarag.retrieval.local_index import open_index


@pytest.fixture(params=["sqlite", "tantivy"])
def engine(request):
    if request.param == "tantivy":
        pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")
    return request.param


def revision(pmid, title, year=None, version=1):
    return make_article(pmid, title, version=version, date_revised=PartialDate(year=year) if year else None)


def titles(index):
    with open_index(index) as corpus:
        return {article.pmid: article.title for article in corpus}


def release(folder, number, *records):
    return write_source(folder / f"pubmed26n{number:04}.xml.gz", *records)


def test_a_file_that_comes_late_changes_only_what_no_later_file_has_changed(tmp_path, engine):
    first = release(
        tmp_path, 1, revision("1", "old"), revision("2", "old"), revision("3", "old"), revision("4", "old")
    )
    second = release(tmp_path, 2, revision("1", "middle"), revision("2", "middle"), revision("5", "middle"))
    third = release(tmp_path, 3, revision("1", "new"), Deletion(pmid="2"), Deletion(pmid="5"))
    late = tmp_path / f"late.{engine}"
    build(late, first, third)
    report = build(late, second)
    assert (report.older, report.added, report.replaced) == (3, 0, 0)
    in_order = tmp_path / f"in-order.{engine}"
    build(in_order, first, second, third)
    assert titles(late) == titles(in_order) == {"1": "new", "3": "old", "4": "old"}
    assert verify_index(late).is_whole


def test_a_late_deletion_spares_what_a_later_file_brought_back(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    build(index, release(tmp_path, 1, revision("1", "old"), revision("2", "old")))
    build(index, release(tmp_path, 3, revision("1", "back")))
    assert build(index, release(tmp_path, 2, Deletion(pmid="1"), Deletion(pmid="2"))).deleted == 1
    assert titles(index) == {"1": "back"}
    assert verify_index(index).is_whole


def test_what_a_later_file_has_unchanged_is_not_taken_back_by_one_in_between(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    build(index, release(tmp_path, 1, revision("1", "same")))
    assert build(index, release(tmp_path, 3, revision("1", "same"), revision("9", "x"))).unchanged == 1
    build(index, release(tmp_path, 2, Deletion(pmid="1")))
    assert titles(index) == {"1": "same", "9": "x"}


def test_an_older_revision_in_a_later_file_never_counts(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    build(index, release(tmp_path, 1, revision("1", "second version", version=2), revision("2", "new", 2026)))
    report = build(index, release(tmp_path, 2, revision("1", "first version"), revision("2", "old", 2020)))
    assert report.older == 2
    assert titles(index) == {"1": "second version", "2": "new"}


def test_files_given_in_any_order_are_put_in_order(tmp_path, engine):
    files = [release(tmp_path, n, revision("1", f"of {n}"), revision(str(n + 10), "x")) for n in (1, 2, 3)]
    index = tmp_path / f"index.{engine}"
    report = build(index, *files[::-1])
    assert [source.source for source in report.sources] == [file.name for file in files]
    assert titles(index)["1"] == "of 3"


PMIDS = st.sampled_from("123")
ENTRIES = st.one_of(
    st.tuples(st.just("record"), st.sampled_from((None, 2020, 2021)), st.sampled_from((1, 2))),
    st.tuples(st.just("deletion"), st.none(), st.sampled_from((None, 1, 2))),
)
FILES = st.lists(st.dictionaries(PMIDS, ENTRIES, max_size=3), min_size=2, max_size=4)


def records_of(number, entries):
    return [
        revision(pmid, f"of {number}", year, version)
        if kind == "record"
        else Deletion(pmid=pmid, version=version)
        for pmid, (kind, year, version) in entries.items()
    ]


def check_every_order(folder, files, orders, suffix):
    folder.mkdir()
    # A record of its own makes each file another one: the same content again is not even read.
    paths = [
        release(folder, n, *records_of(n, entries), make_article(f"9{n}"))
        for n, entries in enumerate(files, 1)
    ]
    build(folder / f"in-order.{suffix}", *paths)
    wanted = titles(folder / f"in-order.{suffix}")
    for number, order in enumerate(orders):
        index = folder / f"order-{number}.{suffix}"
        for path in order:
            build(index, paths[path])
        assert titles(index) == wanted


def comes_back_older(files):
    """True when a record is withdrawn and given again in an older revision: the known exception."""
    for pmid in "123":
        best, withdrawn = (0, 0), False
        for entries in files:
            kind, year, version = entries.get(pmid, ("", None, None))
            if kind == "deletion":
                withdrawn = True
            elif kind and withdrawn and (version, year or 0) < best:
                return True
            elif kind:
                best = max(best, (version, year or 0))
    return False


@given(files=FILES, seed=st.integers(0, 99))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_leaves_the_same_records(files, seed, tmp_path_factory):
    assume(not comes_back_older(files))
    orders = list(itertools.permutations(range(len(files))))
    chosen = Random(seed).sample(orders, 2)
    check_every_order(tmp_path_factory.mktemp("orders") / "x", files, chosen, "sqlite")


def test_one_hard_series_in_every_order_and_engine(tmp_path, engine):
    files = [
        {"1": ("record", 2020, 1), "2": ("record", None, 1)},
        {"1": ("deletion", None, None), "2": ("record", 2021, 2), "3": ("record", None, 1)},
        {"1": ("record", 2020, 1), "2": ("deletion", None, 1), "3": ("deletion", None, None)},
    ]
    check_every_order(tmp_path / "x", files, itertools.permutations(range(3)), engine)


def test_other_files_count_in_the_order_in_which_they_come(tmp_path):
    index = tmp_path / "index.sqlite"
    build(index, write_source(tmp_path / "b.jsonl", revision("1", "b"), Deletion(pmid="2")))
    build(index, write_source(tmp_path / "a.jsonl", revision("1", "a"), revision("2", "a")))
    with Corpus.open(index) as corpus:
        assert {article.title for article in corpus} == {"a"}
