"""A copy of a record that nothing dates never hides what another copy tells of a retraction."""

import itertools

import pytest
from builders import make_article
from corpus_sources import build, write_source

from metarag.records import PartialDate
from metarag.retraction import retraction_status
from metarag.retrieval.index_verify import verify_index
from metarag.retrieval.local_index import open_index
from metarag.types import RetractionState as State


@pytest.fixture(params=["sqlite", "tantivy"])
def engine(request):
    if request.param == "tantivy":
        pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")
    return request.param


def record(*types, year=None, links=(), **fields):
    dated = PartialDate(year=year) if year else None
    return make_article(
        "1", types=("Journal Article", *types), corrections=links, date_revised=dated, **fields
    )


def standing(index):
    with open_index(index) as corpus:
        (article,) = corpus
        return retraction_status(article).state


TELLING = [
    (record("Retracted Publication"), State.RETRACTED),
    (record(links=(("RetractionIn", "5"),)), State.RETRACTED),
    (record("Retraction of Publication"), State.RETRACTION_NOTICE),
    (record(links=(("ExpressionOfConcernIn", "5"),)), State.EXPRESSION_OF_CONCERN),
    (record(links=(("ErratumIn", "5"),)), State.CORRECTED),
    (record(title="RETRACTED: Imaginary tablets"), State.RETRACTED),
]


@pytest.mark.parametrize(("telling", "state"), TELLING)
def test_in_any_order_of_files_the_copy_that_tells_stays(tmp_path, engine, telling, state):
    plain = write_source(tmp_path / "plain.jsonl", record(abstract="Another wording."))
    told = write_source(tmp_path / "told.jsonl", telling)
    for number, order in enumerate(itertools.permutations([plain, told])):
        index = tmp_path / f"{number}.{engine}"
        report = build(index, *order)
        assert standing(index) is state
        assert (report.added, report.replaced, report.older) == (
            (1, 1, 0) if order[0] == plain else (1, 0, 1)
        )
        assert verify_index(index).is_whole


def test_within_one_file_too_and_across_its_batches(tmp_path, engine):
    others = [make_article(str(n)) for n in range(10, 620)]
    for name, between in (("near", []), ("far", others)):
        file = write_source(tmp_path / f"{name}.jsonl", record("Retracted Publication"), *between, record())
        index = tmp_path / f"{name}.{engine}"
        assert build(index, file).older == 1
        with open_index(index) as corpus:
            assert retraction_status(corpus.get("1")).state is State.RETRACTED


def test_a_dated_copy_neither_hides_nor_survives_an_undated_retraction(tmp_path, engine):
    told = write_source(tmp_path / "told.jsonl", record("Retracted Publication"))
    dated = write_source(tmp_path / "dated.jsonl", record(year=2015))
    for number, order in enumerate(itertools.permutations([dated, told])):
        index = tmp_path / f"{number}.{engine}"
        for file in order:
            build(index, file)
        assert standing(index) is State.RETRACTED


def test_revision_dates_and_versions_keep_their_word(tmp_path, engine):
    told = write_source(tmp_path / "told.jsonl", record("Retracted Publication", year=2015))
    index = tmp_path / f"index.{engine}"
    build(index, told, write_source(tmp_path / "later.jsonl", record(year=2020)))
    assert standing(index) is State.NONE_SEEN
    build(index, write_source(tmp_path / "again.jsonl", record("Retracted Publication", version=2)))
    assert standing(index) is State.RETRACTED


def test_files_of_pubmed_count_by_their_numbers(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    told = write_source(tmp_path / "pubmed26n0001.xml.gz", record("Retracted Publication"))
    build(index, told, write_source(tmp_path / "pubmed26n0002.xml.gz", record()))
    assert standing(index) is State.NONE_SEEN
