"""One entry for files of every format."""

from __future__ import annotations

import gzip
import json

import pytest
from pubmed_builders import article_set, record

from metarag.errors import InputError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.records_file import read_jsonl, read_records

ARTICLE = Article(pmid="91000001", title="Nothing", doi="10.9999/x")
LINE = ARTICLE.model_dump_json()
CONTENT = {
    "PubMed XML": article_set(record()),
    "MEDLINE": b"PMID- 91000001\nTI  - Nothing\n",
    "RIS": b"TY  - JOUR\nTI  - Nothing\nAN  - 91000001\nER  - \n",
    "JSON Lines": f"{LINE}\n".encode(),
    "demo corpus": json.dumps({"topic": "x", "article": json.loads(LINE)}).encode(),
}


@pytest.mark.parametrize("kind", CONTENT)
def test_the_format_is_told_by_the_content(kind, tmp_path):
    path = tmp_path / "records.dat"
    for data in (CONTENT[kind], gzip.compress(CONTENT[kind]), b"\xef\xbb\xbf" + CONTENT[kind]):
        path.write_bytes(data)

        assert [r.pmid for r in read_records(path)] == ["91000001"]
        assert [r.pmid for r in read_records(str(path))] == ["91000001"]


@pytest.mark.parametrize(
    "data", [b"", b"pmid,title\n1,x\n", b"<html></html>", b"[1]", b"PK\x03\x04", b"\x00\xff"]
)
def test_another_format_is_refused_with_those_that_are_known(data, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(data)

    with pytest.raises(InputError, match="PubMed XML, MEDLINE text"):
        read_records(path)


@pytest.mark.parametrize("kind", CONTENT)
def test_every_format_may_be_utf_16(kind, tmp_path):
    path = tmp_path / "records.dat"
    path.write_bytes(CONTENT[kind].decode().encode("utf-16"))

    assert [r.pmid for r in read_records(path)] == ["91000001"]


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read_records(path)


def test_every_field_survives_a_line_of_json():
    (original,) = read_jsonl(LINE.encode())

    assert original == ARTICLE


@pytest.mark.parametrize(
    ("line", "words", "pmid"),
    [
        ('{"pmid": "91000002", "title": ', "no JSON", "91000002"),
        ('{"pmid": "91000002", "titel": "x"}', "extra_forbidden", "91000002"),
        ('{"article": 5}', "do not fit", None),
        ("[1]", "no JSON object", None),
        ("{}", "do not fit", None),
        ("[" * 100_000, "no JSON", None),
        ('{"title": "\udcff"}', "not UTF-8", None),
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_costs_no_other(line, words, pmid):
    data = f"{LINE}\n\n".encode() + line.encode("utf-8", "surrogateescape") + f"\n{LINE}".encode()
    first, failure, last = read_jsonl(data)

    assert first == last == ARTICLE
    assert isinstance(failure, ReadFailure)
    assert (failure.position, failure.offset, failure.pmid) == (2, 3, pmid)
    assert "line 3" in failure.reason
    assert words in failure.reason


def test_cut_gzip_data_are_reported(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress((LINE + "\n").encode() * 50)[:-9])
    *articles, failure = read_records(path)

    assert len(articles) > 1
    assert isinstance(failure, ReadFailure)
    assert "cut" in failure.reason
