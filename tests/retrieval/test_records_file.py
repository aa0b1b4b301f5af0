"""One entry for files of every format."""

from __future__ import annotations

import gzip
import json
import os
import threading

import pytest
from pubmed_builders import article_set, record

from metarag.errors import InputError
from metarag.records import Article
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.records_file import read_file, read_jsonl, read_records

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
        ('{"pmid": "91000002", "titel": "x"}', "unknown fields: 'titel'; did you mean 'title'", "91000002"),
        ('{"article": 5}', "under 'article' is no object", None),
        ("[1]", "an array; write one object a line", None),
        ("5", "no JSON object", None),
        ("{", "goes on in the next line", None),
        ('{"abstract": "x", "abstract_sections": [{"text": "y"}]}', "both 'abstract' and", None),
        ('{"abstract": ["x"]}', "'abstract' is no text", None),
        ('{"title": "x", "year": "soon"}', "print_date.year", None),
        ("{}", "do not fit", None),
        ("[" * 100_000, "nested too deeply", None),
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


def through_a_pipe(data, use):
    """Hand ``use`` the path of a pipe into which somebody writes the data."""
    reading, writing = os.pipe()

    def write():
        with os.fdopen(writing, "wb") as stream:
            stream.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return use(f"/dev/fd/{reading}")
    finally:
        os.close(reading)
        writer.join()


@pytest.mark.parametrize("kind", CONTENT)
@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_whole_although_it_can_be_read_only_once(kind, packed):
    many = {
        "PubMed XML": article_set(*(record(str(91000001 + n)) for n in range(400))),
        "MEDLINE": b"".join(b"PMID- %d\nTI  - Nothing\n\n" % (91000001 + n) for n in range(400)),
    }
    data = many.get(kind, (CONTENT[kind] + b"\n") * 400)
    found = through_a_pipe(gzip.compress(data) if packed else data, lambda path: list(read_records(path)))

    assert len(found) == 400
    assert not [r for r in found if isinstance(r, ReadFailure)]


def test_a_pipe_longer_than_what_is_sniffed_loses_nothing():
    data = f"{LINE}\n".encode() * 20_000
    assert len(data) > 2 * 1024 * 1024
    found = through_a_pipe(data, lambda path: sum(1 for _ in read_records(path)))

    assert found == 20_000


def test_a_file_object_is_read_once(tmp_path):
    (tmp_path / "x").write_text(f"{LINE}\n" * 3, encoding="utf-8")
    with (tmp_path / "x").open("rb") as stream:
        assert len(list(read_records(stream))) == 3


def test_a_line_with_the_few_fields_that_anyone_has_is_an_article():
    line = {
        "pmid": 91000001,
        "title": "Nothing",
        "abstract": "Of note.",
        "year": 1999,
        "publication_types": ["Journal Article"],
        "mesh": ["Fever", {"descriptor": "Zinc", "ui": "D015032"}],
    }
    (article,) = read_jsonl(json.dumps(line).encode())

    assert (article.id, article.abstract, article.year) == ("pmid:91000001", "Of note.", 1999)
    assert article.has_type("journal article")
    assert [(h.descriptor, h.ui) for h in article.mesh] == [("Fever", None), ("Zinc", "D015032")]


@pytest.mark.parametrize("absent", [None, "", "  "])
def test_an_absent_abstract_is_none(absent):
    (article,) = read_jsonl(json.dumps({"pmid": "91000001", "abstract": absent, "mesh": None}).encode())

    assert article.abstract is None


def test_one_json_array_is_told_as_such(tmp_path):
    (tmp_path / "x.json").write_text(f"[{LINE}]", encoding="utf-8")
    with pytest.raises(InputError, match="one JSON array; write one object a line"):
        read_records(tmp_path / "x.json")


def test_a_whole_file_is_read_with_what_was_withdrawn_and_what_failed(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text(LINE + "\n{damaged\n", encoding="utf-8")
    content = read_file(path)
    assert len(content.articles) == 1
    assert len(content.failures) == 1
    assert content.deletions == ()
