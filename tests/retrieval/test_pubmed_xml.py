"""Reading whole files of PubMed XML: what they may be, and what each answer that is none says."""

from __future__ import annotations

import gzip
import io
import re

import pytest
from pubmed_builders import PROLOGUE, abstract, article_set, failures, pmids, read_all, read_one, record

from metarag.errors import InputError, PubMedRecordError
from metarag.records import Article
from metarag.retrieval.base import Deletion
from metarag.retrieval.pubmed_xml import read_pubmed_xml

TWO = article_set(record(91000001), record(91000002))


class TestSources:
    def test_a_path_bytes_and_a_file_read_the_same(self, tmp_path):
        path = tmp_path / "set.xml"
        path.write_bytes(TWO)
        with path.open("rb") as stream:
            from_file = read_all(stream)

        assert read_all(path) == read_all(str(path)) == read_all(TWO) == from_file
        assert pmids(from_file) == ["91000001", "91000002"]

    def test_gzip_is_told_by_its_content(self, tmp_path):
        path = tmp_path / "named_like_plain.xml"
        path.write_bytes(gzip.compress(TWO))

        assert read_all(path) == read_all(gzip.compress(TWO)) == read_all(io.BytesIO(gzip.compress(TWO)))
        assert pmids(read_all(path)) == ["91000001", "91000002"]

    def test_a_file_object_that_gives_little_at_a_time_is_read_whole(self):
        class Dripping(io.BytesIO):
            def read(self, size=-1):
                return super().read(1)

        assert read_all(Dripping(gzip.compress(TWO))) == read_all(Dripping(TWO)) == read_all(TWO)

    def test_a_file_object_is_left_open(self):
        stream = io.BytesIO(TWO)
        read_all(stream)

        assert not stream.closed

    def test_a_missing_file_a_folder_and_content_as_str_are_refused_at_once(self, tmp_path):
        for source in (tmp_path / "absent.xml", tmp_path, "<PubmedArticleSet/>", "", "a\0b"):
            with pytest.raises(InputError):
                read_pubmed_xml(source)

    def test_text_and_other_objects_are_refused(self):
        with pytest.raises(InputError, match="mode 'rb'"):
            read_all(io.StringIO(TWO.decode()))
        with pytest.raises(InputError, match="give a path"):
            read_pubmed_xml(42)

    def test_a_file_that_cannot_be_read_says_so(self):
        class Broken(io.BytesIO):
            def read(self, size=-1):
                raise OSError(5, "Input/output error")

        with pytest.raises(InputError, match="Input/output error"):
            read_all(Broken())

    def test_reading_is_lazy(self):
        class Endless(io.RawIOBase):
            served = 0

            def read(self, size=-1):
                self.served += 1
                return (
                    PROLOGUE.encode() + b"<PubmedArticleSet>" if self.served == 1 else record().encode() * 500
                )

        stream = Endless()
        reader = read_pubmed_xml(stream)
        assert isinstance(next(reader), Article)
        assert stream.served < 10


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
    def test_unicode_with_and_without_a_mark(self, encoding):
        text = TWO.decode().replace("nothing", "Ünïcode 𝛼")
        records = read_all(text.replace('"UTF-8"', f'"{encoding[:6]}"').encode(encoding))

        assert pmids(records) == ["91000001", "91000002"]
        assert records[0].title == "A trial of Ünïcode 𝛼."

    @pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "gb18030"])
    def test_the_declared_encoding_is_used(self, encoding):
        text = TWO.decode().replace("nothing", "né").replace("UTF-8", encoding)

        assert read_all(text.encode(encoding))[1].title == "A trial of né."

    @pytest.mark.parametrize("encoding", ["UTF-7", "UTF-99", "rot13", "utf-16", "us-ascii"])
    def test_a_declaration_that_cannot_be_true_does_not_lose_the_file(self, encoding):
        data = TWO.replace(b"nothing", "né".encode())

        assert read_all(data.replace(b'"UTF-8"', f'"{encoding}"'.encode())) == read_all(data)

    def test_bytes_of_another_encoding_cost_their_record_only(self):
        data = article_set(record(91000001, title="<ArticleTitle>n\xe9</ArticleTitle>"), record(91000002))
        records = read_all(data.replace("n\xe9".encode(), b"n\xe9"))

        assert pmids(records) == ["91000002"]
        assert [failure.pmid for failure in failures(records)] == ["91000001"]


class TestEntities:
    def test_named_entities_of_the_dtd_become_characters(self):
        xml = "a&nbsp;b &alpha;&le;&beta; &amp; &lt;i&gt; &#8211; <![CDATA[&nbsp;]]>"

        assert read_one(record(article=abstract(xml))).abstract == "a b α≤β & <i> – &nbsp;"

    def test_an_unknown_entity_stays_visible(self):
        assert read_one(record(article=abstract("a &nosuchthing; b"))).abstract == "a &nosuchthing; b"

    def test_nothing_that_a_dtd_declares_is_expanded_or_opened(self, tmp_path):
        secret = tmp_path / "secret.txt"
        secret.write_text("do not read me", encoding="utf-8")
        dtd = (
            f'<!DOCTYPE PubmedArticleSet [<!ENTITY file SYSTEM "{secret.as_uri()}"><!ENTITY a "{"x" * 99}">'
            '<!ENTITY b "&a;&a;&a;"><!-- ]> --><!ENTITY fake "<PubmedArticle>">]>'
        )
        (article,) = read_all(article_set(record(article=abstract("&file; &b;")), prologue=dtd))

        assert isinstance(article, Article)
        assert article.abstract == "&file; &b;"

    def test_an_illegal_character_reference_costs_its_record_only(self):
        records = read_all(article_set(record(91000001, article=abstract("a&#0;b")), record(91000002)))

        assert pmids(records) == ["91000002"]


class TestNamespaces:
    def test_a_default_namespace_changes_nothing(self):
        data = article_set(record(91000001), record(91000002), root='PubmedArticleSet xmlns="urn:pubmed"')

        assert read_all(data) == read_all(TWO)

    def test_a_prefix_changes_nothing(self):
        text = TWO.decode().replace("</", "</p:")
        for name in (
            "Pubmed",
            "MedlineCitation",
            "PMID",
            "Article",
            "Journal",
            "Volume",
            "PubDate",
            "Year",
            "Month",
            "Title",
        ):
            text = text.replace(f"<{name}", f"<p:{name}")
        text = text.replace("<p:PubmedArticleSet>", '<p:PubmedArticleSet xmlns:p="urn:pubmed">')

        assert read_all(text.encode()) == read_all(TWO)

    def test_the_prefix_of_formulas_needs_no_declaration(self):
        formula = "<mml:math><mml:mi>x</mml:mi></mml:math>"

        assert read_one(record(article=abstract(f"Where {formula} is."))).abstract == "Where x is."

    def test_an_undeclared_prefix_does_not_lose_the_record(self):
        assert read_one(record(article=abstract("A <odd:b>word</odd:b>."))).abstract == "A word."


class TestSets:
    @pytest.mark.parametrize(
        "xml",
        [
            "<PubmedArticleSet></PubmedArticleSet>",
            "<PubmedArticleSet/>",
            "<PubmedArticleSet>\n <!-- none --> </PubmedArticleSet >",
        ],
    )
    def test_an_empty_set_is_empty_and_no_error(self, xml):
        assert read_all((PROLOGUE + xml).encode()) == []

    def test_documents_one_after_the_other_are_read_as_one(self):
        bom = b"\xef\xbb\xbf"
        records = read_all(bom + TWO + bom + article_set(record(91000003)) + b"\n\n" + article_set())

        assert pmids(records) == ["91000001", "91000002", "91000003"]
        assert failures(records) == []

    def test_each_document_may_have_its_own_prefix(self):
        first = b'<a:PubmedArticleSet xmlns:a="urn:1"><a:PubmedArticle/></a:PubmedArticleSet>'
        second = first.replace(b"a:", b"b:").replace(b":a", b":b")
        for data in (first + second, first + TWO, TWO + second):
            found = [record.offset for record in failures(read_all(data)) if "no PMID" in record.reason]
            assert len(found) + len(pmids(read_all(data))) == len(
                re.findall(rb"<(?:\w:)?PubmedArticle[/>]", data)
            )

    def test_a_record_alone_and_a_set_in_a_wrapper_are_read(self):
        assert pmids(read_all(record(91000001).encode())) == ["91000001"]
        wrapped = b"<answer><status/>" + article_set(record(91000002), prologue="") + b"</answer>"
        assert pmids(read_all(wrapped)) == ["91000002"]
        assert failures(read_all(wrapped)) == []

    def test_deletions_are_reported_in_their_place(self):
        tail = (
            '<DeleteCitation><PMID Version="2">70000001</PMID>\n<PMID>91000001</PMID><PMID/></DeleteCitation>'
        )
        records = read_all(article_set(record(91000001), tail))

        assert records[1:] == [Deletion(pmid="70000001", version=2), Deletion(pmid="91000001", version=1)]

    def test_deletions_are_counted_as_no_records(self):
        broken = record(91000002).replace("</Volume>", "")
        (failure,) = failures(read_all(article_set(record(91000001), "<DeleteCitation/>", broken)))

        assert (failure.position, failure.pmid) == (2, "91000002")

    def test_tags_in_comments_cdata_and_instructions_begin_no_record(self):
        hidden = "<!-- <PubmedArticle> --><![CDATA[</PubmedArticle>]]><?x </PubmedArticleSet> ?>"
        records = read_all(
            article_set(f"<!-- {record(91000009)} -->", record(91000001, article=abstract(hidden)))
        )

        assert pmids(records) == ["91000001"]
        assert records[0].abstract == "</PubmedArticle>"

    def test_the_same_record_twice_comes_twice(self):
        assert pmids(read_all(article_set(record(), record()))) == ["91000001", "91000001"]

    def test_a_long_prologue_is_no_obstacle(self):
        assert pmids(read_all(b"<!--" + b" x" * 200_000 + b"-->" + TWO)) == ["91000001", "91000002"]


class TestOtherContent:
    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (b"", "is empty"),
            (b" \n\t", "is empty"),
            (
                b"<eFetchResult><ERROR>Cannot retrieve history data</ERROR></eFetchResult>",
                "Cannot retrieve history",
            ),
            (b"<!DOCTYPE html><html><body>503 Unavailable</body></html>", "web page"),
            (b"\n<html>", "web page"),
            (b'{"error":"API rate limit exceeded","api-key":"203.0.113.9"}', "rate limit"),
            (b'[{"pmid": 1}]', "JSON"),
            (b"<eSearchResult><Count>1</Count></eSearchResult>", "efetch"),
            (b"<?xml version='1.0'?><pmc-articleset><article/></pmc-articleset>", "full text from PMC"),
            (b"<svg/>", "root element 'svg'"),
            (b"PMID- 123\nTI  - X\n", "read_medline"),
            (b"TY  - JOUR\n", "read_ris"),
            (b"PK\x03\x04rest", "zip"),
            (b"\x00\x01\x02", "neither XML"),
            (PROLOGUE.encode(), "ends before its first record"),
            (gzip.compress(b"<html>", mtime=0), "web page"),
        ],
    )
    def test_what_is_no_pubmed_xml_is_named(self, body, words):
        with pytest.raises(PubMedRecordError, match=words):
            read_all(body)

    def test_neither_key_nor_address_of_an_error_answer_is_repeated(self):
        key = "0123456789abcdef0123456789abcdef0123"
        body = (
            "<eFetchResult>"
            f"<ERROR>Key {key} of 203.0.113.9, 2001:db8::9, a.b@example.org is invalid</ERROR></eFetchResult>"
        )

        with pytest.raises(PubMedRecordError, match="is invalid") as caught:
            read_all(body.encode())
        for secret in (key, "203.0.113.9", "2001:db8", "example.org"):
            assert secret not in str(caught.value)

    def test_the_file_is_named(self, tmp_path):
        path = tmp_path / "page.html"
        path.write_bytes(b"<html/>")

        with pytest.raises(PubMedRecordError, match=r"page\.html holds no PubMed XML"):
            read_all(path)


class TestTruncation:
    def test_a_cut_record_is_reported_and_the_whole_ones_stand(self):
        cut = TWO[: TWO.index(b"91000002") + 60]
        records = read_all(cut)

        assert pmids(records) == ["91000001"]
        (failure,) = failures(records)
        assert failure.pmid == "91000002"
        assert "ends in the middle of this record" in failure.reason
        assert failure.offset == TWO.rindex(b"<PubmedArticle>")
        assert failure.position == 2

    @pytest.mark.parametrize("kept", [b"</PubmedArticle>\n", b"</PubmedArticle>\n</Pubmed"])
    def test_a_cut_between_records_is_reported_too(self, kept):
        cut = TWO[: TWO.rindex(b"</PubmedArticle>\n") + len(kept)]
        records = read_all(cut)

        assert pmids(records) == ["91000001", "91000002"]
        (failure,) = failures(records)
        assert "ends in the middle" in failure.reason

    def test_wherever_it_is_cut_nothing_whole_is_lost_and_the_cut_is_never_silent(self):
        ends = [i + 16 for i in range(len(TWO)) if TWO.startswith(b"</PubmedArticle>", i)]
        begin = TWO.index(b"<PubmedArticleSet>") + 18
        for cut in range(begin, TWO.rindex(b">")):
            records = read_all(TWO[:cut])
            assert len(pmids(records)) == sum(end <= cut for end in ends)
            assert len(failures(records)) == 1

    def test_cut_gzip_data_give_what_is_whole_and_a_failure(self):
        many = article_set(*(record(91000000 + i, article=abstract(f"word{i * i} " * 9)) for i in range(200)))
        packed = gzip.compress(many)
        records = read_all(packed[: len(packed) // 2])

        assert 20 < len(pmids(records)) < 180
        assert pmids(records) == [str(91000000 + i) for i in range(len(pmids(records)))]
        (failure,) = failures(records)
        assert "gzip data end too early" in failure.reason

    def test_a_wrong_gzip_checksum_is_reported_and_loses_nothing(self):
        packed = bytearray(gzip.compress(TWO))
        packed[-5] ^= 1
        records = read_all(bytes(packed))

        assert pmids(records) == ["91000001", "91000002"]
        assert ["gzip data are damaged" in failure.reason for failure in failures(records)] == [True]

    def test_gzip_members_and_padding_are_one_file(self):
        half = len(TWO) // 2
        members = gzip.compress(TWO[:half]) + gzip.compress(TWO[half:]) + b"\0" * 512

        assert read_all(members) == read_all(TWO)

    def test_what_unpacks_to_much_more_is_read_to_its_end(self):
        spaces = b" " * 5_000_000

        assert pmids(read_all(gzip.compress(TWO + spaces + TWO))) == pmids(read_all(TWO)) * 2

    def test_a_set_that_is_cut_before_the_next_document_is_reported(self):
        cut = article_set(record(91000001)).replace(b"</PubmedArticleSet>", b"")
        records = read_all(cut + TWO)

        assert pmids(records) == ["91000001", "91000001", "91000002"]
        assert len(failures(records)) == 1
