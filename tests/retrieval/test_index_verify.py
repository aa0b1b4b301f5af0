"""A check of an index finds what is wrong with it, says what to do, and finds nothing where nothing is."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from builders import make_article
from corpus_sources import BREAK, build, write_source

from metarag.errors import IndexUnusableError, InputError
from metarag.records import MeshHeading, PartialDate
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.corpus_rows import Row, pack
from metarag.retrieval.index_verify import verify_index

ARTICLES = (
    make_article("1", "Zinc for TNF-α", types=("Randomized Controlled Trial",)),
    make_article("2", "Iron", mesh=(MeshHeading(descriptor="Anemia"),), print_date=PartialDate(year=2001)),
    make_article(None, "Copper", doi="10.1000/copper"),
)


@pytest.fixture(params=["sqlite", "tantivy"])
def engine(request):
    if request.param == "tantivy":
        pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")
    return request.param


@pytest.fixture
def sqlite_index(tmp_path):
    index = tmp_path / "index.sqlite"
    build(index, write_source(tmp_path / "a", *ARTICLES), appraisals=True)
    return index


@pytest.fixture
def tantivy_index(tmp_path):
    pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")
    index = tmp_path / "index.tantivy"
    build(index, write_source(tmp_path / "a", *ARTICLES), appraisals=True)
    return index


def told(index, *files):
    report = verify_index(index, files)
    assert report.is_whole == (not report.problems)
    return [str(problem) for problem in report.problems]


def test_an_index_that_was_built_revised_and_added_to_is_whole(tmp_path, engine):
    index, seen = tmp_path / f"index.{engine}", []
    build(index, write_source(tmp_path / "a", *ARTICLES, make_article("9", "Gone")), appraisals=True)
    revised = make_article("1", "Zinc once more", date_revised=PartialDate(year=2026))
    build(index, write_source(tmp_path / "b", revised, Deletion(pmid="9")), appraisals=True)
    report = verify_index(index, [tmp_path / "a", tmp_path / "b"], progress=seen.append)
    assert (report.problems, report.notes, report.records, report.files) == ((), (), 3, 2)
    assert (report.name, report.engine) == (index.name, engine)
    assert seen == [3]


def test_an_empty_index_is_whole(tmp_path, engine):
    build(tmp_path / f"index.{engine}")
    assert told(tmp_path / f"index.{engine}") == []


def test_a_build_that_broke_off_and_files_left_out_are_told(tmp_path, engine):
    index = tmp_path / f"index.{engine}"

    def stop(progress):
        if progress.file == 3:
            raise KeyboardInterrupt

    numbered = [
        write_source(tmp_path / f"pubmed26n{n:04}.xml.gz", make_article(str(n)), *more)
        for n, more in ((1, ()), (3, [BREAK]), (7, ()))
    ]
    with pytest.raises(KeyboardInterrupt):
        build(index, *numbered, progress=stop)
    assert told(index) == [
        "A build was not finished: pubmed26n0007.xml.gz. Run the same build again; it goes on there.",
        "Only a part could be read of: pubmed26n0003.xml.gz. Fetch these again and build them in.",
        "1 of PubMed's files between the others are not in: pubmed26n0002.xml.gz. Fetch them and build them in;"
        " they count in the order of their numbers, also late.",
    ]


def test_what_is_only_good_to_know_is_no_fault(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    old = write_source(
        tmp_path / "pubmed25n0009.xml.gz", make_article("1"), ReadFailure(position=2, reason="x")
    )
    build(index, old, write_source(tmp_path / "pubmed26n0001.xml.gz", make_article("2")))
    report = verify_index(index)
    assert report.problems == ()
    assert [note.split(" (")[0].split(";")[0] for note in report.notes] == [
        "No record has a stored appraisal",
        "1 records could not be read when the index was built.",
        "Files of several years are in",
    ]


def test_appraisals_of_some_only_are_told(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    build(index, write_source(tmp_path / "a", make_article("1")), appraisals=True)
    build(index, write_source(tmp_path / "b", make_article("2"), make_article("3")))
    assert told(index) == [
        "2 of 3 records have no appraisal. Run `metarag index build` with this index and no file."
    ]
    build(index, appraisals=True)
    assert told(index) == []


def test_files_are_compared_with_what_was_indexed(tmp_path, engine):
    index = tmp_path / f"index.{engine}"
    same, changed, foreign, broken = (write_source(tmp_path / name, make_article(name)) for name in "1234")
    build(index, same, changed)
    write_source(changed, make_article("2", "Changed since"))
    (tmp_path / "4.md5").write_text("0" * 32, encoding="ascii")
    found = told(index, same, changed, foreign, broken)
    assert found[:2] == [
        "2 has another content than what is in the index. Build it in.",
        "3 is not in the index. Build it in.",
    ]
    assert "4: its MD5 is not the one in 4.md5" in found[2]
    assert len(found) == 3
    with pytest.raises(InputError, match="no such file"):
        verify_index(index, [tmp_path / "nowhere"])


def test_what_is_no_index_is_an_error(tmp_path, engine):
    with pytest.raises(IndexUnusableError, match="no local index"):
        verify_index(tmp_path / "nowhere")
    (tmp_path / "text").write_text("a diary", encoding="utf-8")
    with pytest.raises(IndexUnusableError, match="not an SQLite database"):
        verify_index(tmp_path / "text")


SQLITE_FAULTS = (
    ("UPDATE article SET json = x'00' WHERE record_id = 1", ["1 records cannot be read: pmid:1."]),
    ("UPDATE article SET json = (SELECT json FROM article WHERE record_id = 2) WHERE record_id = 1",
     ["1 records are not as they were stored: pmid:1.", "1 records have other words than the text index"]),
    ("UPDATE record SET revised = 19990101 WHERE id = 2", ["1 records are not as they were stored: pmid:2."]),
    ("UPDATE record SET article_id = CAST(article_id AS BLOB) WHERE id = 2", ["1 records cannot be read: b'pmid:2'."]),
    ("UPDATE article SET json = 'text' WHERE record_id = 2", ["1 records cannot be read: pmid:2."]),
    ("UPDATE appraisal SET json = 'text' WHERE record_id = 2", ["1 records cannot be read: pmid:2."]),
    ("UPDATE record SET digest = x'00' WHERE id = 2", ["1 records are not as they were stored: pmid:2."]),
    ("UPDATE record SET published_print = NULL WHERE id = 2", ["1 records are not as they were stored: pmid:2."]),
    ("DELETE FROM article WHERE record_id = 2",
     ["The tables do not hold the same: 3 records, 2 texts,", "1 records cannot be read: pmid:2."]),
    ("INSERT INTO text_index (text_index, rowid, title, abstract, terms)"
     " VALUES ('delete', 2, 'Iron', 'Tablets were compared with placebo.', 'Anemia')",
     ["The tables do not hold the same", "1 records have other words than the text index knows of them: pmid:2."]),
    ("INSERT INTO text_index (rowid, title) VALUES (3, 'Silver')",
     ["1 records have other words than the text index knows of them: doi:10.1000/copper."]),
    ("INSERT INTO text_index (rowid, title) VALUES (77, 'Silver')",
     ["The tables do not hold the same", "The text index has words of 1 rows that are no record."]),
    ("INSERT INTO facet_index (rowid, facets) VALUES (1, 'pt_review')",
     ["1 records have other words than the text index knows of them: pmid:1."]),
    ("UPDATE appraisal SET json = x'00' WHERE record_id = 1",
     ["1 records have an appraisal that cannot be read: pmid:1."]),
    ("UPDATE appraisal SET json = (SELECT json FROM appraisal WHERE record_id = 2) WHERE record_id = 1",
     ["1 records have the appraisal of another article or version: pmid:1."]),
    ("DELETE FROM appraisal WHERE record_id = 1", ["1 of 3 records have no appraisal."]),
    ("INSERT INTO withdrawal VALUES ('pmid:2', 1, NULL)",
     ["1 records are here although a later file withdrew them: pmid:2."]),
    ("UPDATE record SET source_id = 9 WHERE id = 1", ["1 rows belong to no record or source (in record)."]),
)  # fmt: skip


@pytest.mark.parametrize(("statement", "says"), SQLITE_FAULTS)
def test_every_fault_of_an_sqlite_index_is_found_and_no_other(sqlite_index, statement, says):
    assert told(sqlite_index) == []
    with closing(sqlite3.connect(sqlite_index)) as connection, connection:
        connection.execute(statement)
    found = told(sqlite_index)
    assert len(found) == len(says)
    for problem, beginning in zip(found, says, strict=True):
        assert problem.startswith(beginning)
        assert problem.endswith(("Delete the index and build it again from its files.", "and no file."))


def test_damaged_pages_of_an_sqlite_index_are_told(sqlite_index):
    content = bytearray(sqlite_index.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    sqlite_index.write_bytes(content)
    try:
        problems = told(sqlite_index)
    except IndexUnusableError as error:
        problems = [str(error)]
    assert "damage" in problems[0]


def rewrite(index, change):
    """Write a record of a tantivy index again, changed by something that is not metarag's build."""
    import tantivy

    from metarag.retrieval.tantivy_schema import record_document
    from metarag.retrieval.word_forms import WordForms

    opened = tantivy.Index.open(str(index))
    row = Row.of(ARTICLES[1])
    with WordForms() as words:
        row = replace(row, text=words.joined(*row.text))
    writer = opened.writer(heap_size=20_000_000, num_threads=1)
    writer.delete_documents_by_term("article_id", "pmid:2")
    for document in change(row, record_document):
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def other_text(row, document):
    return [document(replace(row, text=("silver and gold", *row.text[1:])), 2, 1)]


def other_order(row, document):
    return [
        document(replace(row, text=(row.text[0], " ".join(row.text[1].split()[::-1]), row.text[2])), 2, 1)
    ]


TANTIVY_FAULTS = (
    (other_text, ["The text index has other words in title", "1 records are not found by their words"]),
    (other_order, ["1 records are not found by their words, or more than once: pmid:2."]),
    (lambda row, document: [document(replace(row, facets="pt_review"), 2, 1)],
     ["The text index has other words in facets", "1 records are not found by their words"]),
    (lambda row, document: [document(row, 2, 1), document(row, 3, 1)],
     ["2 records are not found by their words, or more than once: pmid:2, pmid:2."]),
    (lambda row, document: [document(row, 999_999_999, 1)],
     ["The index is not of one piece: 3 records are counted and 2 can be gone through."]),
    (lambda row, document: [document(replace(row, published_print=19990101), 2, 1)],
     ["1 records are not as they were stored: pmid:2."]),
    (lambda row, document: [document(row, 2, 9)], ["1 records are of no source that the index knows: pmid:2."]),
    (lambda row, document: [document(replace(row, packed=pack(b"{}")), 2, 1)], ["1 records cannot be read: pmid:2."]),
    (lambda row, document: [document(replace(row, packed=Row.of(ARTICLES[0]).packed), 2, 1)],
     ["1 records are not as they were stored: pmid:2."]),
    (lambda row, document: [document(replace(row, appraisal=b"\0", appraisal_version="2"), 2, 1)],
     ["1 records have an appraisal that cannot be read: pmid:2."]),
)  # fmt: skip


@pytest.mark.parametrize(("change", "says"), TANTIVY_FAULTS)
def test_every_fault_of_a_tantivy_index_is_found(tantivy_index, change, says):
    assert told(tantivy_index) == []
    rewrite(tantivy_index, change)
    found = told(tantivy_index)
    for beginning in says:
        assert any(problem.startswith(beginning) for problem in found)


def test_a_withdrawn_record_in_a_tantivy_index_is_told(tantivy_index):
    from metarag.retrieval.tantivy_notes import withdrawal_document

    rewrite(
        tantivy_index, lambda row, document: [document(row, 2, 1), withdrawal_document(1, "pmid:2", None)]
    )
    assert any("although a later file withdrew them: pmid:2." in problem for problem in told(tantivy_index))


@pytest.mark.parametrize("suffix", [".store", ".idx", ".pos", ".term", ".fast", ".fieldnorm"])
def test_a_changed_byte_in_a_file_of_tantivy_is_told(tantivy_index, suffix):
    (file,) = tantivy_index.glob(f"*{suffix}")
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    try:
        problems = told(tantivy_index)
    except IndexUnusableError as error:
        problems = [str(error)]
    assert file.name in problems[0] or "damaged" in problems[0]


def test_a_file_of_tantivy_without_its_footer_is_told(tantivy_index):
    from metarag.retrieval.tantivy_files import check_files
    from metarag.retrieval.verify_report import Findings

    (file,) = tantivy_index.glob("*.pos")
    file.write_bytes(file.read_bytes()[:-3])
    findings = Findings()
    check_files(tantivy_index, findings)
    assert [p.what for p in findings.problems()] == [
        f"The file {file.name} of the index has no checksum where it should be."
    ]
