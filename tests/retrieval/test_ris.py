"""Reading RIS as different programs write it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import InputError
from metarag.records import Article, RecordKind
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.ris import read_ris

ENDNOTE = """\

TY  - JOUR
AB  - AIMS: To do nothing. METHODS: We did it.
AN  - 91000001
AU  - Abdel-Null, M. K.
AU  - Void, E., Jr
AU  - World Group of Nothing
AU  - Empty QX
DA  - Mar 1
DO  - https://doi.org/10.9999/ris.1
DP  - NLM
IS  - 6
KW  - Animals
Fever/*drug therapy
LA  - eng
N1  - 1179-0000
Journal Article
Randomized Controlled Trial
Switzerland
PMCID: PMC77
PY  - 2018
SN  - 0000-0019
SP  - 349-69
T2  - Ann Inv
TI  - Nothing: an assessment
VL  - 50
ID  - 369
ER  -
"""
ZOTERO = """\
TY  - JOUR
TI  - Nothing again.
T2  - Annals of invention
J2  - Ann Inv
N2  - No labels here.
DA  - 2019/10//undefined
PY  - 2019
SP  - 947
EP  - 955
SN  - 0000-0019 0000-0027
UR  - https://pubmed.ncbi.nlm.nih.gov/91000002/
KW  - one
KW  - two
ER  -
"""


def read(text: str) -> list[Article | ReadFailure]:
    return list(read_ris(text.encode()))


def test_endnote():
    (article,) = read(ENDNOTE)

    assert (article.pmid, article.doi, article.pmcid) == ("91000001", "10.9999/ris.1", "PMC77")
    assert article.title == "Nothing: an assessment"
    assert [s.label for s in article.abstract_sections] == ["AIMS", "METHODS"]
    assert article.keywords == ("Animals", "Fever/*drug therapy")
    assert [t.name for t in article.publication_types] == ["Journal Article", "Randomized Controlled Trial"]
    assert article.print_date is not None
    assert (article.print_date.year, article.print_date.month, article.print_date.day) == (2018, 3, 1)
    assert (article.journal.title, article.journal.volume, article.journal.issue) == ("Ann Inv", "50", "6")
    assert article.journal.pages == "349-69"
    assert [(a.last, a.fore, a.initials, a.suffix, a.collective) for a in article.authors] == [
        ("Abdel-Null", "M. K.", "MK", None, None),
        ("Void", "E.", "E", "Jr", None),
        (None, None, None, None, "World Group of Nothing"),
        ("Empty", None, "QX", None, None),
    ]


def test_zotero():
    (article,) = read(ZOTERO)

    assert article.pmid == "91000002"
    assert article.abstract == "No labels here."
    assert article.print_date is not None
    assert (article.print_date.year, article.print_date.month, article.print_date.day) == (2019, 10, None)
    assert (article.journal.title, article.journal.abbreviation) == ("Annals of invention", "Ann Inv")
    assert (article.journal.pages, article.journal.issn) == ("947-955", "0000-0019")
    assert article.keywords == ("one", "two")
    assert article.publication_types == ()


@pytest.mark.parametrize(
    ("lines", "pmid"),
    [
        ("AN  - 91000003", "91000003"),
        ("AN  - 91000003\nDB  - PubMed", "91000003"),
        ("AN  - 91000003\nDB  - Embase", None),
        ("AN  - WOS:000091000003", None),
        ("N1  - PMID: 91000003", "91000003"),
        ("UR  - https://www.ncbi.nlm.nih.gov/pubmed/91000003", "91000003"),
        ("UR  - https://example.org/91000003", None),
        ("ID  - 369", None),
        ("M1  - 91000003", None),
    ],
)
def test_a_number_is_a_pmid_only_where_it_says_so(lines, pmid):
    (article,) = read(f"TY  - JOUR\nTI  - X\n{lines}\nER  - \n")

    assert article.pmid == pmid


@pytest.mark.parametrize(
    ("lines", "date"),
    [
        ("PY  - 2019", (2019, None, None)),
        ("PY  - 2019/05/03/", (2019, 5, 3)),
        ("Y1  - 2019///", (2019, None, None)),
        ("DA  - 2019-05-03", (2019, 5, 3)),
        ("DA  - 2019///\nPY  - 2019", (2019, None, None)),
        ("DA  - Jun\nPY  - 2011", (2011, 6, None)),
    ],
)
def test_dates_as_programs_write_them(lines, date):
    (article,) = read(f"TY  - JOUR\nTI  - X\n{lines}\nER  - \n")

    assert article.print_date is not None
    assert (article.print_date.year, article.print_date.month, article.print_date.day) == date


def test_older_tags_mean_the_same():
    (article,) = read(
        "TY  - JOUR\nT1  - Title\nA1  - Null, A\nJO  - Journal\nN2  - Text.\nY1  - 1999\n"
        "UR  - https://doi.org/10.9999/x\nER  - "
    )

    assert (article.title, article.journal.title, article.abstract) == ("Title", "Journal", "Text.")
    assert (article.authors[0].last, article.year, article.doi) == ("Null", 1999, "10.9999/x")


def test_a_book_is_a_book():
    (article,) = read("TY  - CHAP\nTI  - Chapter\nT2  - Book\nER  - ")

    assert (article.kind, article.journal.title) == (RecordKind.BOOK, "Book")


def test_a_record_that_is_not_utf_8_is_windows_1252():
    (article,) = read_ris("TY  - JOUR\nTI  - Café “nothing”\nER  - ".encode("cp1252"))

    assert article.title == "Café “nothing”"


class TestDamage:
    FILE = ENDNOTE + "\n" + ZOTERO + "\n" + ZOTERO.replace("91000002", "91000003")

    def test_a_missing_end_ends_no_other_record(self):
        assert [r.pmid for r in read(self.FILE.replace("ER  -\n", ""))] == [
            "91000001",
            "91000002",
            "91000003",
        ]

    def test_a_damaged_first_line_costs_its_record_and_says_where(self):
        records = read(self.FILE.replace("TY  - JOUR\nTI", "TX  - JOUR\nTI", 1))

        assert [r.pmid for r in records if isinstance(r, Article)] == ["91000001", "91000003"]
        assert isinstance(records[1], ReadFailure)
        assert records[1].offset == 1 + ENDNOTE.count("\n") + 1

    def test_an_empty_record_is_reported(self):
        (failure,) = read("TY  - JOUR\nER  - \n")

        assert isinstance(failure, ReadFailure)
        assert "do not fit" in failure.reason

    def test_bytes_of_no_known_encoding_are_reported(self):
        (failure,) = read_ris(b"TY  - JOUR\nTI  - \x81\xff\nER  - ")

        assert isinstance(failure, ReadFailure)

    def test_other_text_is_refused(self):
        for data in (b"", b"PMID- 1\nTI  - x", b"TI  - X"):
            with pytest.raises(InputError, match="no RIS"):
                list(read_ris(data))

    @settings(deadline=None, max_examples=100)
    @given(st.integers(0, 10_000), st.integers(0, 255))
    def test_changing_any_byte_loses_at_most_one_record(self, at, byte):
        data = bytearray(self.FILE.encode())
        data[at % len(data)] = byte
        records = list(read_ris(bytes(data)))

        assert sum(isinstance(r, Article) for r in records) >= 2
