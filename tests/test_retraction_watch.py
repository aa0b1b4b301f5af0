import os

import pytest
from builders import make_article

from metarag.errors import InputError
from metarag.retraction_watch import RetractionWatch
from metarag.types import RetractionState as State

HEADER = (
    "Record ID,Title,OriginalPaperDOI,OriginalPaperPubMedID,"
    "RetractionDate,RetractionNature,RetractionDOI,Reason\n"
)


def table(tmp_path, *rows, header=HEADER):
    path = tmp_path / "watch.csv"
    path.write_text(header + "".join(row + "\n" for row in rows), encoding="utf-8")
    return path


def watch(tmp_path, *rows):
    return RetractionWatch.from_csv(table(tmp_path, *rows))


def test_an_article_is_found_by_its_doi_in_any_case(tmp_path):
    found = watch(tmp_path, "1,T,10.1/ABC,0,1/31/2020 0:00,Retraction,10.1/n,+Fake data;+Invented;")
    status = found.status(make_article(doi="10.1/abc"))
    assert status.state is State.RETRACTED
    assert status.detail == "2020-01-31: Fake data; Invented, 10.1/n"
    assert "watch.csv" in status.source
    assert (status.as_of.year, status.as_of.month) == (2020, 1)


def test_an_article_is_found_by_its_pmid(tmp_path):
    found = watch(tmp_path, "1,T,unavailable,77,1/31/2020,Expression of concern,,")
    assert found.status(make_article(pmid="77")).state is State.EXPRESSION_OF_CONCERN


def test_an_unknown_identifier_matches_nothing(tmp_path):
    found = watch(tmp_path, "1,T,unavailable,0,1/31/2020,Retraction,,", "2,T,,,1/31/2020,Retraction,,")
    assert found.status(make_article(pmid=None, doi="unavailable")).state is State.NONE_SEEN
    assert found.status(make_article(pmid="1")).state is State.NONE_SEEN
    assert found.status(make_article(pmid=None)) is None
    assert found.entries == 2


def test_the_gravest_of_several_entries_counts(tmp_path):
    rows = ("1,T,10.1/a,0,1/1/2019,Correction,,", "2,T,10.1/a,0,1/1/2020,Retraction,,")
    for order in (rows, rows[::-1]):
        assert watch(tmp_path, *order).status(make_article(doi="10.1/a")).state is State.RETRACTED


def test_a_reinstated_article_is_no_longer_retracted_unless_retracted_again(tmp_path):
    first, back, again = (
        f"1,T,10.1/a,0,1/1/{year},{nature},,"
        for year, nature in ((2019, "Retraction"), (2020, "Reinstatement"), (2021, "Retraction"))
    )
    assert watch(tmp_path, first, back).status(make_article(doi="10.1/a")).state is State.NONE_SEEN
    assert watch(tmp_path, first, back, again).status(make_article(doi="10.1/a")).state is State.RETRACTED


def test_a_damaged_cell_loses_nothing_else(tmp_path):
    path = table(
        tmp_path, "1,T,10.1/a,0,not a date,Retraction,,", "2,short", "3,T,10.1/b,0,1/1/2020,Retraction,,"
    )
    path.write_bytes(path.read_bytes() + b"4,\xff,10.1/c,0,1/1/2020,Retraction,,\n")
    found = RetractionWatch.from_csv(path)
    assert {"10.1/a", "10.1/b", "10.1/c"} == set(found.by_doi)


def test_another_table_is_refused_by_the_missing_column(tmp_path):
    with pytest.raises(InputError, match="OriginalPaperDOI"):
        RetractionWatch.from_csv(table(tmp_path, "1,2", header="a,b\n"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv cannot be read"):
        RetractionWatch.from_csv(tmp_path / "none.csv")


def test_a_pipe_is_refused_at_once_because_reading_it_may_never_end(tmp_path):
    os.mkfifo(tmp_path / "watch.csv")
    with pytest.raises(InputError, match="it is a folder, a pipe or a device"):
        RetractionWatch.from_csv(tmp_path / "watch.csv")
