"""The answer of a search, and the answers that are none."""

from __future__ import annotations

import pytest

from metarag.errors import PubMedRecordError, PubMedUnavailableError
from metarag.retrieval.esearch_xml import read_esearch_xml

DOCTYPE = (
    b'<?xml version="1.0" encoding="UTF-8" ?>\n'
    b'<!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch 20060628//EN" '
    b'"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20060628/esearch.dtd">\n'
)


def answer(inner: str) -> bytes:
    return DOCTYPE + f"<eSearchResult>{inner}</eSearchResult>".encode()


def test_count_ids_and_session_are_read():
    result = read_esearch_xml(
        answer(
            "<Count>264</Count><RetMax>2</RetMax><QueryKey>1</QueryKey><WebEnv>MCID_x</WebEnv>"
            "<IdList><Id>91000101</Id><Id>91000102</Id></IdList>"
            "<QueryTranslation>x[All Fields]</QueryTranslation>"
        )
    )

    assert (result.count, result.ids) == (264, ("91000101", "91000102"))
    assert (result.webenv, result.query_key) == ("MCID_x", "1")
    assert result.query_translation == "x[All Fields]"
    assert not result.query_changed


@pytest.mark.parametrize(
    ("xml", "field"),
    [
        ("<ErrorList><PhraseNotFound>what</PhraseNotFound></ErrorList>", "phrases_not_found"),
        ("<ErrorList><FieldNotFound>what</FieldNotFound></ErrorList>", "fields_not_found"),
        ("<WarningList><PhraseIgnored>what</PhraseIgnored></WarningList>", "phrases_ignored"),
        (
            "<WarningList><QuotedPhraseNotFound>what</QuotedPhraseNotFound></WarningList>",
            "quoted_phrases_not_found",
        ),
    ],
)
def test_a_dropped_part_of_the_query_is_told(xml, field):
    result = read_esearch_xml(answer("<Count>5</Count>" + xml))

    assert getattr(result.warnings, field) == ("what",)
    assert result.query_changed


def test_a_notice_changes_no_query():
    result = read_esearch_xml(
        answer(
            "<Count>0</Count><IdList/><WarningList><OutputMessage>No items found.</OutputMessage>"
            "</WarningList>"
        )
    )

    assert (result.count, result.ids) == (0, ())
    assert result.warnings.output_messages == ("No items found.",)
    assert not result.query_changed


def test_an_error_inside_a_good_status_is_an_error_of_the_service():
    key = "0123456789abcdef0123456789abcdef0123"
    with pytest.raises(PubMedUnavailableError, match="Search Backend failed") as caught:
        read_esearch_xml(answer(f"<ERROR>Search Backend failed: no database for {key}</ERROR>"))
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b"<html>Maintenance</html>", "web page"),
        (answer("<Count>1</Count>")[:-9], "eSearchResult"),
        (answer("<IdList/>"), "no count"),
        (answer("<Count>many</Count>"), "no count"),
        (answer("<Count>1</Count><IdList><Id>x</Id></IdList>"), "no numbers"),
        (b"<PubmedArticleSet/>", "PubmedArticleSet"),
        (b"\xff\xfe\x00", "no whole eSearchResult"),
        (b'<!DOCTYPE e [<!ENTITY a "b">]><eSearchResult><Count>&a;</Count></eSearchResult>', "entities"),
        (b'<?xml version="1.0" encoding="no-such"?><eSearchResult/>', "no whole eSearchResult"),
    ],
)
def test_what_is_no_whole_answer_is_refused(body, words):
    with pytest.raises(PubMedRecordError, match=words):
        read_esearch_xml(body)
