"""Damage and malice cost the record they are in, and no other."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pubmed_builders import abstract, article_set, failures, pmids, read_all, record

from metarag.errors import InputError, PubMedRecordError
from metarag.retrieval.base import Deletion, Record
from metarag.retrieval.byte_source import MAX_RECORD_BYTES
from metarag.retrieval.esearch_xml import EsearchAnswer, read_esearch_xml
from metarag.retrieval.medline import read_medline
from metarag.retrieval.ris import read_ris
from metarag.retrieval.xml_chunks import Chunk, RecordSplitter

HIDDEN = "é &amp; <!-- <PubmedArticle> --> <![CDATA[</PubmedArticle> &]]> <?x ?> <i>in</i>"
PMIDS = {"91000001", "91000002", "91000003"}
SETS = {
    "plain": article_set(record(91000001), record(91000002, article=abstract(HIDDEN)), record(91000003)),
    "no prologue": article_set(record(91000001), record(91000002), record(91000003), prologue=""),
    "no set": (record(91000001) + record(91000002) + record(91000003)).encode(),
    "namespace": article_set(
        record(91000001), record(91000002), record(91000003), root='PubmedArticleSet xmlns="urn:x"'
    ),
}
SETS["prefix"] = re.sub(rb"<(/?)(?=[A-Zi])", rb"<\1p:", SETS["namespace"].replace(b"xmlns=", b"xmlns:p="))
SETS["one line"] = b"".join(line.strip() for line in SETS["plain"].splitlines())
MEANT = b"\x00\x01 \"&'-/:<>?![]P\xff\xc3"


def chunks(data: bytes, size: int) -> list[Chunk]:
    """Cut the data as they come in blocks of this size."""
    return list(RecordSplitter(data[i : i + size] for i in range(0, len(data), size)))


def check_one_change(data: bytes, changed: bytes) -> None:
    records = read_all(changed)
    kept = PMIDS.intersection(pmids(records))
    assert len(pmids(records)) >= 2, data
    assert len(kept) >= 2
    if len(pmids(records)) == 2:
        lost = PMIDS - kept
        assert lost & {failure.pmid for failure in failures(records)}, "the lost record is not named"


@pytest.mark.parametrize("name", SETS)
def test_deleting_or_doubling_any_byte_loses_at_most_one_record_and_names_it(name):
    data = SETS[name]
    for at in range(0, len(data), 7):
        check_one_change(data, data[:at] + data[at + 1 :])
        check_one_change(data, data[: at + 1] + data[at:])


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(sorted(SETS)), st.integers(0, 10_000), st.sampled_from(MEANT) | st.integers(0, 255))
@example("plain", 9, ord("["))
def test_changing_any_byte_loses_at_most_one_record_and_names_it(name, at, byte):
    data = SETS[name]
    at %= len(data)
    check_one_change(data, data[:at] + bytes([byte]) + data[at + 1 :])


@pytest.mark.parametrize(
    "tag",
    [b"<PubmedArticle>", b"</PubmedArticle>", b"</MedlineCitation>", b"<PMID Version", b"</AbstractText>"],
)
def test_every_change_in_the_tags_of_the_middle_record_costs_that_record_only(tag):
    data = SETS["plain"]
    begin, end = data.index(b"91000002") - 120, data.index(b"91000003") - 120
    start = data.index(tag, begin, end + 40)
    for at in range(start, start + len(tag)):
        for byte in MEANT:
            check_one_change(data, data[:at] + bytes([byte]) + data[at + 1 :])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"</AbstractText>", b"</AbstractTxt>"),
        (b"<PubmedArticle>", b"<PubmedArticl>"),
        (b"</PubmedArticle>", b"</PubmedArticl>"),
        (b"</PubmedArticle>", b""),
        (b"<PubmedArticle>", b""),
        (b"in</i>", b"\x0b</i>"),
        (b"in</i>", b"\xff\xfe</i>"),
        (b"-->", b"--"),
        (b"-->", b"->"),
        (b"]]>", b"]>"),
        (b"?>", b">"),
        (b"&amp;", b"&"),
    ],
)
def test_the_report_names_the_record_the_byte_and_no_text_of_it(old, new):
    head, middle, tail = SETS["plain"].partition(record(91000002, article=abstract(HIDDEN)).encode())
    before, _, after = middle.partition(old) if old == b"<PubmedArticle>" else middle.rpartition(old)
    records = read_all(head + before + new + after + tail)

    assert pmids(records) == ["91000001", "91000003"]
    failure = failures(records)[0]
    assert (failure.position, failure.pmid) == (2, "91000002")
    assert abs((failure.offset or 0) - len(head)) < 5
    assert "nothing" not in failure.reason


def test_a_pmid_of_another_article_is_never_taken_for_the_damaged_ones():
    corrections = (
        "<CommentsCorrectionsList><CommentsCorrections RefType='CommentIn'><PMID>80000001</PMID>"
        "</CommentsCorrections></CommentsCorrectionsList>"
    )
    references = (
        "<ReferenceList><Reference><ArticleIdList>"
        "<ArticleId IdType='pubmed'>80000002</ArticleId></ArticleIdList></Reference></ReferenceList>"
    )
    xml = record(91000002, citation=corrections, data=references)

    (seen,) = failures(read_all(article_set(xml.replace('<PMID Version="1">', "<PMID"))))
    assert seen.pmid == "91000002"
    own_id = '<ArticleId IdType="pubmed">91000002</ArticleId>'
    (unseen,) = failures(
        read_all(article_set(xml.replace('<PMID Version="1">', "<PMID").replace(own_id, "")))
    )
    assert unseen.pmid is None


def test_a_damaged_list_of_deletions_keeps_the_ones_that_stand_whole():
    tail = "<DeleteCitation><PMID>70000001</PMID><PMID>7000<0002</PMID><PMID>70000003</PMID></DeleteCitation>"
    records = read_all(article_set(record(91000001), tail))

    assert [r.pmid for r in records if isinstance(r, Deletion)] == ["70000001", "70000003"]
    assert len(failures(records)) == 1


def test_a_deleted_pmid_that_is_no_number_is_reported():
    records = read_all(article_set("<DeleteCitation><PMID>7x</PMID><PMID>70000003</PMID></DeleteCitation>"))

    assert [r.pmid for r in records if isinstance(r, Deletion)] == ["70000003"]
    assert ["no number" in failure.reason for failure in failures(records)] == [True]


def test_an_end_tag_without_its_slash_is_one_failure():
    data = SETS["plain"]
    for at in (data.index(b"</PubmedArticle>"), data.rindex(b"</PubmedArticle>")):
        records = read_all(data[: at + 1] + data[at + 2 :])
        assert len(pmids(records)) == 2
        assert len(failures(records)) == 1


@pytest.mark.parametrize("tag", [b"<p:PubmedArticle>", b"</p:PubmedArticle>"])
def test_a_damaged_prefix_costs_its_record_only(tag):
    records = read_all(SETS["prefix"].replace(tag, tag.replace(b"p:", b"q:"), 1))

    assert pmids(records) == ["91000002", "91000003"]
    assert [failure.pmid for failure in failures(records)] == ["91000001"]


def test_text_between_records_is_reported():
    records = read_all(article_set(record(91000001), "<html>502 Bad Gateway</html>", record(91000002)))

    assert pmids(records) == ["91000001", "91000002"]
    assert [(f.position, f.pmid) for f in failures(records)] == [(2, None)]


@settings(deadline=None, max_examples=120)
@given(st.binary(max_size=300))
@example(b"<")
@example(b"\x1f\x8b")
@example(b"<\0P\0u\0")
@example(b"<PubmedArticle")
@example(b"</PubmedArticleSet>")
def test_any_bytes_are_read_or_refused_by_every_reader(data):
    for reader in (read_all, lambda d: list(read_medline(d)), lambda d: list(read_ris(d)), read_esearch_xml):
        for source in (data, b"<PubmedArticleSet>" + data, b"PMID- 1\nTI  - " + data, b"TY  - JOUR\n" + data):
            refused = ""
            found: object = ()
            try:
                found = reader(source)
            except (PubMedRecordError, InputError) as refusal:
                refused = str(refusal)
            assert refused or isinstance(found, EsearchAnswer) or all(isinstance(r, Record) for r in found)


FRAGMENTS = (
    b"<PubmedArticle> </PubmedArticle> <PubmedArticleSet> </PubmedArticleSet> <p:PubmedArticle "
    b"<DeleteCitation> </DeleteCitation> <MedlineCitation> </MedlineCitation> <PMID>7</PMID> "
    b'<!-- --> <![CDATA[ ]]> <? ?> ]> <!DOCTYPE[<! < > &x; &nbsp; <a:b/> text " \xff'
).split()


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25), st.integers(1, 40))
@example([b"<!DOCTYPE[<!", b"]]>"], 1)
def test_any_order_of_tags_is_cut_the_same_in_blocks_of_any_size(fragments, size):
    data = b"<PubmedArticleSet>" + b"".join(fragments)

    assert chunks(data, size) == chunks(data, len(data))


def huge(inner: bytes) -> bytes:
    before, after = article_set(
        record(91000001), record(91000002, title="<ArticleTitle>|</ArticleTitle>"), record(91000003)
    ).split(b"|")
    return before + inner + after


HOSTILE = {
    "deep nesting": lambda: b"<b>" * 50_000 + b"</b>" * 50_000,
    "unclosed tags": lambda: b"<b>" * 300_000,
    "a huge attribute": lambda: b'<b x="' + b"a" * 5_000_000 + b'"/>',
    "unclosed comments": lambda: b"<!--" * 50_000,
    "unclosed CDATA": lambda: b"&nbsp;" + b"<![CDATA[" * 10_000,
    "unclosed instructions": lambda: b"<?" * 50_000,
    "unclosed declarations": lambda: b"<!DOCTYPE a [<!" * 10_000,
    "all openings": lambda: b"<!--<?<![CDATA[<!DOCTYPE a[<!" * 10_000,
    "unknown entities": lambda: b"&what;" * 50_000,
    "prefixes": lambda: b"".join(b"<p%d:a/>" % i for i in range(50_000)),
    "PMIDs": lambda: (b"<PMID>" + b" " * 99) * 20_000,
    "end tags": lambda: b"</PubmedArticle>" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_malicious_record_does_not_harm_its_neighbours(name):
    assert {"91000001", "91000003"} <= set(pmids(read_all(huge(HOSTILE[name]()))))


def test_a_record_of_a_million_tags_is_reported():
    records = read_all(huge(b"<b/>" * 1_000_001))

    assert pmids(records) == ["91000001", "91000003"]
    assert [(f.pmid, "1,000,000 tags" in f.reason) for f in failures(records)] == [("91000002", True)]


def test_a_tag_of_any_length_is_cut_the_same_in_blocks_of_any_size():
    data = article_set(record(), root=f'PubmedArticleSet x="{"a" * 90_000}"').replace(b" x=", b" xmlns:x=")
    for size in (1000, 40_000, 80_000):
        assert chunks(data, size) == chunks(data, len(data))


def test_a_record_beyond_the_limit_is_reported_without_being_held_in_memory():
    class Long:
        """Serves a record of 80 MB without having it."""

        blocks = iter(
            [huge(b"|").partition(b"|")[0], *([b"x" * 1_000_000] * 80), huge(b"|").partition(b"|")[2]]
        )

        def read(self, _):
            return next(self.blocks, b"")

    tracemalloc.start()
    records = read_all(Long())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert pmids(records) == ["91000001", "91000003"]
    assert [(f.pmid, "larger than 16 MB" in f.reason) for f in failures(records)] == [("91000002", True)]
    assert peak < 4 * MAX_RECORD_BYTES
