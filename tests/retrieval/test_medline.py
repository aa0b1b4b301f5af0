"""Reading MEDLINE text."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import InputError
from metarag.records import Article, RecordKind
from metarag.retraction import retraction_status
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.medline import read_medline
from metarag.types import RetractionState

RECORD = """\
PMID- 91000001
OWN - NLM
STAT- MEDLINE
LR  - 20200131
IS  - 0000-0027 (Linking)
IS  - 0000-0019 (Print)
VI  - 12
IP  - 3
DP  - 2019 Mar-Apr
TI  - A trial of nothing in people who
      have nothing.
PG  - 101-9
LID - 10.9999/ann(2019)1[1:x]2 [doi]
LID - S-1 [pii]
AB  - BACKGROUND: Nothing is known. METHODS: We gave
      nothing (twice). RESULTS: IL-6: nothing changed.
CI  - Copyright Nobody.
FAU - Varga, Ilse M
AU  - Varga IM
AUID- ORCID: 0000-0001-9999-9990
AD  - Institute of Nothing,
      Nowhere.
AD  - Second Institute.
CN  - FICTA Group
FAU - King, Martin
AU  - King M Jr
LA  - eng
SI  - ClinicalTrials.gov/NCT00000000
SI  - GENBANK/AB1
GR  - R01/X-5/HL/NHLBI NIH HHS/United States
PT  - Journal Article
PT  - Randomized Controlled Trial
DEP - 20190228
TA  - Ann Inv
JT  - Annals of invention
JID - 99
RN  - 0 (Fictol (oral))
CIN - Ann Inv. 2019 May;12(4):1, with a very long
      source line. PMID: 80000001
EIN - Ann Inv. 2020;13(1):5
MH  - Humans
MH  - *Fever/drug therapy/*prevention & control
OT  - *nothing
OT  - two word
      keyword
PMC - PMC99
COIS- None.
EDAT- 2019/03/01 00:00
AID - 10.9999/second [doi]
"""


def read(text: str) -> list[Article | ReadFailure]:
    return list(read_medline(text.encode()))


@pytest.fixture(scope="module")
def article() -> Article:
    (only,) = read(RECORD)
    assert isinstance(only, Article)
    return only


def test_identity_and_journal(article):
    assert (article.pmid, article.doi, article.pii, article.pmcid) == (
        "91000001", "10.9999/ann(2019)1[1:x]2", "S-1", "PMC99",
    )  # fmt: skip
    assert article.title == "A trial of nothing in people who have nothing."
    journal = article.journal
    assert (journal.title, journal.abbreviation, journal.issn) == (
        "Annals of invention",
        "Ann Inv",
        "0000-0019",
    )
    assert (journal.volume, journal.issue, journal.pages, journal.nlm_id) == ("12", "3", "101-9", "99")
    assert (article.status, article.languages) == ("MEDLINE", ("eng",))


def test_each_date_is_its_own(article):
    dates = [
        (d.year, d.month, d.day) for d in (article.print_date, article.electronic_date, article.date_revised)
    ]

    assert dates == [(2019, 3, None), (2019, 2, 28), (2020, 1, 31)]


def test_the_abstract_has_its_sections_and_every_word(article):
    assert [(s.label, s.text) for s in article.abstract_sections] == [
        ("BACKGROUND", "Nothing is known."),
        ("METHODS", "We gave nothing (twice)."),
        ("RESULTS", "IL-6: nothing changed."),
    ]


def test_authors_groups_and_affiliations_in_their_order(article):
    varga, group, king = article.authors

    assert (varga.last, varga.fore, varga.initials) == ("Varga", "Ilse M", "IM")
    assert varga.orcid == "0000-0001-9999-9990"
    assert varga.affiliations == ("Institute of Nothing, Nowhere.", "Second Institute.")
    assert group.collective == "FICTA Group"
    assert (king.initials, king.suffix) == ("M", "Jr")


def test_indexing_keeps_its_flags(article):
    humans, fever = article.mesh

    assert (humans.descriptor, humans.major) == ("Humans", False)
    assert (fever.descriptor, fever.descriptor_major) == ("Fever", True)
    assert [(q.name, q.major) for q in fever.qualifiers] == [
        ("drug therapy", False),
        ("prevention & control", True),
    ]
    assert article.has_type("randomized controlled trial")
    assert article.keywords == ("nothing", "two word keyword")
    assert article.chemicals == ("Fictol (oral)",)


def test_registrations_grants_and_interests(article):
    assert [(r.registry, r.id) for r in article.registry_ids] == [("ClinicalTrials.gov", "NCT00000000")]
    assert [(g.id, g.agency, g.country) for g in article.grants] == [
        ("R01/X-5", "NHLBI NIH HHS", "United States")
    ]
    assert (article.conflict_of_interest, article.copyright) == ("None.", "Copyright Nobody.")


def test_a_link_that_runs_over_two_lines_is_one_link(article):
    assert [(c.type, c.source, c.pmid) for c in article.corrections] == [
        ("CommentIn", "Ann Inv. 2019 May;12(4):1, with a very long source line.", "80000001"),
        ("ErratumIn", "Ann Inv. 2020;13(1):5", None),
    ]


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("RIN - Ann Inv. 2021;1:1. PMID: 80000002", RetractionState.RETRACTED),
        ("ROF - Ann Inv. 2001;1:1. PMID: 80000002", RetractionState.RETRACTION_NOTICE),
        ("UIN - Ann Inv. 2021;1:1. PMID: 80000002", RetractionState.SUPERSEDED),
        ("ECI - Ann Inv. 2021;1:1. PMID: 80000002", RetractionState.EXPRESSION_OF_CONCERN),
        ("ECF - Ann Inv. 2001;1:1. PMID: 80000002", RetractionState.CONCERN_NOTICE),
        ("ECF - Ann Inv. 2021;1:1. PMID: 80000002", RetractionState.EXPRESSION_OF_CONCERN),
        ("ECF - Ann Inv. 2021;1:1.\nPT  - Expression of Concern", RetractionState.CONCERN_NOTICE),
        ("EFR - Ann Inv. 2001;1:1.", RetractionState.CORRECTION_NOTICE),
    ],
)
def test_links_carry_the_state_of_the_article(line, state):
    (article,) = read(f"PMID- 91000001\nDP  - 2019\nTI  - X.\nPT  - Journal Article\n{line}\n")

    assert retraction_status(article).state is state


def test_a_translated_title_and_another_abstract():
    (article,) = read(
        "PMID- 91000001\nTI  - [On nothing].\nTT  - De nihilo.\nLA  - lat\n"
        "OAB - PIP: Nothing at all.\nOABL- eng\n"
    )

    assert (article.title, article.title_translated, article.vernacular_title) == (
        "[On nothing].",
        True,
        "De nihilo.",
    )
    assert [(o.type, o.language, o.text) for o in article.other_abstracts] == [
        ("PIP", "eng", "Nothing at all.")
    ]
    assert article.abstract is None


def test_a_book_chapter_stands_in_its_book():
    (article,) = read("PMID- 91000001\nTI  - Chapter.\nBTI - Whole book\n")

    assert (article.kind, article.title, article.journal.title) == (RecordKind.BOOK, "Chapter.", "Whole book")


def test_authors_without_full_names_are_read():
    (article,) = read("PMID- 91000001\nTI  - X.\nAU  - de Hoon MJ\nAU  - Plato\n")

    assert [(a.last, a.initials) for a in article.authors] == [("de Hoon", "MJ"), ("Plato", None)]


class TestFiles:
    THREE = "\n" + "\n".join(RECORD.replace("91000001", f"9100000{i}") for i in (1, 2, 3))

    def test_records_are_split_with_any_line_ends_and_in_gzip(self):
        for data in (
            self.THREE.encode(),
            self.THREE.replace("\n", "\r\n").encode(),
            gzip.compress(self.THREE.encode()),
        ):
            assert [r.pmid for r in read_medline(data)] == ["91000001", "91000002", "91000003"]

    def test_records_without_an_empty_line_between_them_are_split(self):
        joined = self.THREE.replace("\n\n", "\n")
        damaged = joined.replace("PMID- 91000002", "PMID- 9100x002")

        assert [r.pmid for r in read(joined)] == ["91000001", "91000002", "91000003"]
        assert [r.pmid for r in read(damaged)] == ["91000001", None, "91000003"]

    def test_an_empty_line_inside_an_abstract_ends_no_record(self):
        records = read("PMID- 91000001\nTI  - X.\nAB  - One.\n\n      Two.\n\nPMID- 91000002\nTI  - Y.\n")

        assert [r.abstract for r in records] == ["One. Two.", None]

    @pytest.mark.parametrize(
        ("old", "new", "pmid"),
        [
            (b"PMID- 91000002", b"PMIX- 91000002", None),
            (b"PMID- 91000002", b"PMID- 9100x002", None),
            (b"91000002\nOWN - NLM", b"91000002\nOWN + NLM", "91000002"),
            (b"91000002\nOWN - NLM", b"91000002\nOWN - N\xffM", "91000002"),
        ],
    )
    def test_a_damaged_record_is_reported_and_costs_no_other(self, old, new, pmid):
        records = list(read_medline(self.THREE.encode().replace(old, new)))

        assert [r.pmid for r in records if isinstance(r, Article)] == ["91000001", "91000003"]
        (failure,) = (r for r in records if isinstance(r, ReadFailure))
        assert (failure.position, failure.pmid) == (2, pmid)
        assert failure.offset == 1 + self.THREE[: self.THREE.index("PMID- 91000002")].count("\n")

    def test_a_damaged_line_end_does_not_join_two_records(self):
        records = list(read_medline(self.THREE.replace("\n\nPMID- 91000002", "\n\0PMID- 91000002").encode()))

        assert [(type(r), r.pmid) for r in records] == [
            (Article, "91000001"),
            (ReadFailure, "91000002"),
            (Article, "91000003"),
        ]

    def test_cut_gzip_data_are_reported(self):
        records = list(read_medline(gzip.compress(self.THREE.encode())[:-20]))

        assert isinstance(records[-1], ReadFailure)
        assert "end too early" in records[-1].reason

    def test_other_text_is_refused(self):
        for data in (b"", b"TY  - JOUR\nTI  - X\n", b"<PubmedArticleSet/>", b"Dear sir,\n"):
            with pytest.raises(InputError, match="no MEDLINE text"):
                list(read_medline(data))

    @settings(deadline=None, max_examples=100)
    @given(st.integers(0, 10_000), st.integers(0, 255))
    def test_changing_any_byte_loses_at_most_one_record(self, at, byte):
        data = bytearray(self.THREE.encode())
        data[at % len(data)] = byte
        records = list(read_medline(bytes(data)))
        kept = {r.pmid for r in records if isinstance(r, Article)}

        assert len(kept & {"91000001", "91000002", "91000003"}) >= 2


def test_biopython_is_loaded_only_when_a_record_is_read():
    code = "import sys, metarag.retrieval.records_file; print('Bio' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "False"
