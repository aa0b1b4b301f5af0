"""Real files are read whole: every record, every PMID, nothing reported."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from metarag.records import Article
from metarag.retraction import retraction_status
from metarag.retrieval.base import ReadFailure
from metarag.retrieval.pubmed_xml import read_pubmed_xml
from metarag.retrieval.records_file import read_records
from metarag.types import RetractionState

SHARED = Path(__file__).resolve().parents[3] / "shared"
PUBMED = SHARED / "data" / "pubmed"

if not PUBMED.is_dir():
    pytest.skip(f"no real records at {PUBMED}", allow_module_level=True)

XML_FILES = {
    "pubmed_real_part1.xml.gz": 482,
    "pubmed_real_part2.xml.gz": 302,
    "pubmed_real_part3.xml.gz": 235,
    "pubmed_real_part4.xml.gz": 323,
}
TEXT_FILES = {
    "medline_2000.txt.gz": 500,
    "medline_sample_biopython.txt": 4,
    "pubmed_endnote.ris": 6,
    "pubmed_zotero.ris": 6,
}


@pytest.mark.parametrize("name", XML_FILES)
def test_every_record_of_an_xml_file_is_read_with_its_own_pmid(name):
    xml = gzip.decompress((PUBMED / name).read_bytes())
    own = re.findall(rb"<MedlineCitation [^>]*>\s*<PMID[^>]*>(\d+)</PMID>", xml)
    records = list(read_records(PUBMED / name))

    assert [type(r) for r in records] == [Article] * XML_FILES[name]
    assert [r.pmid for r in records] == [pmid.decode() for pmid in own]


@pytest.mark.parametrize("name", TEXT_FILES)
def test_every_record_of_a_text_file_is_read(name):
    records = list(read_records(PUBMED / name))

    assert [type(r) for r in records] == [Article] * TEXT_FILES[name]
    assert all(r.title for r in records)
    assert all(r.print_date and r.print_date.year for r in records)


def test_no_abstract_title_author_or_heading_of_the_xml_is_lost():
    for name in XML_FILES:
        xml = gzip.decompress((PUBMED / name).read_bytes())
        articles = list(read_pubmed_xml(xml))
        assert sum(bool(a.title) for a in articles) == len(articles)
        assert sum(len(a.mesh) for a in articles) == xml.count(b"<MeshHeading>")
        assert sum(len(a.references) for a in articles) == xml.count(b"<Reference>")
        assert sum(bool(a.abstract) for a in articles) == xml.count(b"<Abstract>")
        assert sum(a.print_date is not None and a.print_date.year is not None for a in articles) == len(
            articles
        )
        people = sum(len(a.authors) for a in articles)
        assert people == len(re.findall(rb"<Author\b", xml)) - len(re.findall(rb'<Author ValidYN="N"', xml))


def test_no_markup_is_left_in_a_text():
    tag = re.compile(r"</?(?:i|b|u|sup|sub|mml:\w+)>")
    for name in XML_FILES:
        for article in read_records(PUBMED / name):
            assert not tag.search(article.title + (article.abstract or "")), article.id


def test_a_corrupted_byte_in_the_middle_costs_the_record_it_is_in():
    xml = bytearray(gzip.decompress((PUBMED / "pubmed_real_part1.xml.gz").read_bytes()))
    whole = [r.pmid for r in read_pubmed_xml(bytes(xml))]
    at = xml.index(b"<", len(xml) // 2)
    xml[at] = 0
    records = list(read_pubmed_xml(bytes(xml)))

    (failure,) = (r for r in records if isinstance(r, ReadFailure))
    begin = xml.rindex(b"<PubmedArticle>", 0, at)
    lost = re.search(rb"<PMID[^>]*>(\d+)<", xml[begin:])
    assert lost is not None
    assert failure.pmid == lost[1].decode()
    assert failure.offset == begin
    assert [r.pmid for r in records] == whole


def test_the_two_kinds_of_file_agree_on_what_a_concern_is():
    concerned = [
        a.pmid
        for a in read_records(PUBMED / "medline_2000.txt.gz")
        if isinstance(a, Article) and retraction_status(a).state is RetractionState.EXPRESSION_OF_CONCERN
    ]

    assert set(concerned) == {"11087881"}
