import copy
import decimal
import json
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.adapters.documents import (
    MAX_GRADED_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    GradedFrom,
    HostDocument,
    to_article,
)
from metarag.adapters.metadata import fields_of, publication_type

TEXT = "Tablets were compared with placebo in adults."


def article(text=TEXT, **metadata):
    return to_article(HostDocument(text, metadata)).article


@pytest.mark.parametrize("key", ["pmid", "PMID", "Pmid", "pubmed_id", "PubMed ID", "pubmed-id", "pubmedId"])
@pytest.mark.parametrize("value", [123, "123", " 123 ", "PMID: 123", 123.0, "pubmed:123"])
def test_a_pmid_is_found_under_any_usual_key_in_any_form(key, value):
    assert article(**{key: value}).pmid == "123"


@pytest.mark.parametrize("value", ["", "x", "0", "0123", -1, True, None, [], 1.5, "12345678901", {"a": 1}])
def test_what_is_no_pmid_is_none(value):
    assert article(pmid=value).pmid is None


@pytest.mark.parametrize(
    "url",
    [
        "https://pubmed.ncbi.nlm.nih.gov/123/",
        "http://www.ncbi.nlm.nih.gov/pubmed/123",
        "pubmed.ncbi.nlm.nih.gov/123",
    ],
)
def test_a_link_to_pubmed_holds_the_pmid(url):
    assert article(source=url).pmid == "123"


def test_two_different_links_are_no_identity():
    assert (
        article(a="https://pubmed.ncbi.nlm.nih.gov/1/", b="https://pubmed.ncbi.nlm.nih.gov/2/").pmid is None
    )


@pytest.mark.parametrize(
    ("text", "pmid"),
    [
        (f"{TEXT} PMID: 123", "123"),
        (f"PMID 123\n{TEXT}", "123"),
        (f"{TEXT} See PMID: 1 and PMID: 2.", None),
        (f"{TEXT * 30} As shown (PMID: 9), so it is. {TEXT * 30}", None),
        (TEXT, None),
    ],
    ids=["end", "beginning", "two", "middle", "none"],
)
def test_a_pmid_in_the_text_counts_where_it_names_the_text_itself(text, pmid):
    assert article(text).pmid == pmid


@pytest.mark.parametrize(
    "value",
    [
        "Randomized Controlled Trial",
        ["Randomized Controlled Trial"],
        '["Journal Article", "Randomized Controlled Trial"]',
        "Journal Article; Randomized Controlled Trial",
        "Journal Article, Randomized Controlled Trial",
        "randomized-controlled-trial",
        "RandomizedControlledTrial",
        "Randomised controlled trial",
        "RCT",
        [{"name": "Randomized Controlled Trial", "ui": "D016449"}],
        ("Journal Article", "RCT"),
    ],
    ids=str,
)
@pytest.mark.parametrize("key", ["publication_types", "PublicationType", "pub-type", "study type"])
def test_publication_types_are_read_in_any_form(key, value):
    assert article(**{key: value}).has_type("Randomized Controlled Trial")


def test_a_comma_inside_the_name_of_a_type_does_not_split_it():
    types = article(publication_types="Clinical Trial, Phase III, Journal Article").publication_types
    assert [t.name for t in types] == ["Clinical Trial, Phase III", "Journal Article"]


def test_an_unknown_type_stays_as_it_is():
    assert publication_type("Something New") == "Something New"


@pytest.mark.parametrize(
    ("value", "year"),
    [
        (2015, 2015),
        (2015.0, 2015),
        ("2015", 2015),
        ("2015-03-01", 2015),
        ("Mar 1, 2015", 2015),
        (date(2015, 3, 1), 2015),
        (datetime(2015, 3, 1), 2015),  # noqa: DTZ001  # hosts hand over naive ones
        ("n.d.", None),
        ("12345", None),
        (float("nan"), None),
        (True, None),
    ],
    ids=str,
)
def test_a_year_is_read_from_numbers_dates_and_text(value, year):
    assert article(pub_date=value).year == year


def test_mesh_authors_and_journal_are_read():
    found = article(
        MeSH="Aspirin/therapeutic use*; Myocardial Infarction, Acute; Humans",
        authors=["Quill AB", "Feather C"],
        journal={"name": "Invented Journal"},
        language="eng",
        nct_id="NCT00000001",
    )
    assert [h.descriptor for h in found.mesh] == ["Aspirin", "Myocardial Infarction, Acute", "Humans"]
    assert (found.mesh[0].qualifiers[0].name, found.mesh[0].major) == ("therapeutic use", True)
    assert [(a.last, a.initials) for a in found.authors] == [("Quill", "AB"), ("Feather", "C")]
    assert found.journal.title == "Invented Journal"
    assert (found.languages, found.registry_ids[0].id) == (("eng",), "NCT00000001")


@pytest.mark.parametrize("value", [True, "true", "Yes", "1"])
def test_a_host_that_knows_of_a_retraction_is_heard(value):
    assert article(is_retracted=value).has_type("Retracted Publication")


@pytest.mark.parametrize("value", [False, "false", "no", "", None, 0])
def test_a_host_that_denies_a_retraction_adds_no_type(value):
    assert article(is_retracted=value).publication_types == ()


@pytest.mark.parametrize(
    ("text", "title", "abstract"),
    [
        (f"Tablets in fever\n{TEXT}", "Tablets in fever", TEXT),
        (f"Title: Tablets in fever\nAbstract: {TEXT}", "Tablets in fever", TEXT),
        (f"# Tablets in fever\n\n{TEXT}", "Tablets in fever", TEXT),
        (f"Tablets in fever: a randomised trial. {TEXT}", "Tablets in fever: a randomised trial.", TEXT),
        (TEXT, "", TEXT),
        (f"{TEXT} More was found.", "", f"{TEXT} More was found."),
    ],
    ids=["line", "labels", "markdown", "sentence", "abstract", "two sentences"],
)
def test_a_text_that_carries_a_title_is_split(text, title, abstract):
    found = article(text)
    assert (found.title, found.abstract) == (title, abstract)


def test_a_title_in_the_metadata_is_not_repeated_in_the_abstract():
    found = article(f"Tablets in fever. {TEXT}", title="Tablets in fever")
    assert (found.title, found.abstract) == ("Tablets in fever", TEXT)


def test_labelled_parts_become_sections():
    found = article("BACKGROUND: Fever is common. METHODS: We gave tablets. RESULTS: It fell.")
    assert [s.label for s in found.abstract_sections] == ["BACKGROUND", "METHODS", "RESULTS"]


@pytest.mark.parametrize(
    ("text", "metadata", "expected"),
    [
        (TEXT, {"publication_type": "Review"}, GradedFrom.METADATA),
        (TEXT, {"page": 3}, GradedFrom.TEXT),
        ("", {}, GradedFrom.NOTHING),
        (None, {"page": 3}, GradedFrom.NOTHING),
    ],
)
def test_it_is_told_what_a_grading_rests_on(text, metadata, expected):
    assert to_article(HostDocument(text, metadata)).graded_from is expected


def test_a_long_text_is_graded_from_its_beginning_and_says_so():
    found = to_article(HostDocument("word " * 20_000))
    assert len(found.article.abstract) <= MAX_GRADED_CHARACTERS
    assert "first 30,000 of its 100,000 characters" in found.notes[0]


def test_what_could_not_be_read_is_named():
    found = to_article(HostDocument(TEXT, {"year": "n.d.", "pmid": "x"}))
    assert found.notes == ("its metadata's pmid could not be read", "its metadata's year could not be read")


@pytest.mark.parametrize(
    ("metadata", "field", "expected"),
    [
        ({"pmid": ["123"]}, "pmid", "123"),
        ({"pmid": np.int64(123)}, "pmid", "123"),
        ({"pmid": decimal.Decimal("123")}, "pmid", "123"),
        ({"pmid": b"123"}, "pmid", "123"),
        ({"pmid": None, "pubmed_id": "123"}, "pmid", "123"),
        ({"PMID": float("nan"), "pmid": "123"}, "pmid", "123"),
        ({"pmid": "n/a", "pubmed_id": 123}, "pmid", "123"),
        ({"pmcid": 45}, "pmcid", "PMC45"),
        ({"doi": ["10.1000/x"]}, "doi", "10.1000/x"),
        ({"title": ["Tablets in fever"]}, "title", "Tablets in fever"),
        ({"title": np.array(["Tablets in fever"])}, "title", "Tablets in fever"),
        ({"abstract": ["We gave tablets.", "They helped."]}, "abstract", "We gave tablets. They helped."),
        ({"abstract": {"Methods": "We gave tablets.", "Results": "Fewer died."}}, "abstract",
         "METHODS: We gave tablets.\nRESULTS: Fewer died."),
        ({"year": "n.d.", "pub_date": "2015"}, "year", 2015),
        ({"year": ["2015"]}, "year", 2015),
        ({"year": np.datetime64("2015-03-01T12:00:00", "ns")}, "year", 2015),
        ({"year": pd.Timestamp("2015-03-01")}, "year", 2015),
        ({"pub_date": 20150301}, "year", 2015),
        ({"pub_date": "20150301"}, "year", 2015),
        ({"published_at": 1425168000}, "year", 2015),
        ({"published_at": 1425168000000.0}, "year", 2015),
        ({"language": pd.Series(["eng"])}, "languages", ("eng",)),
    ],
    ids=str,
)  # fmt: skip
def test_values_are_read_as_stores_and_data_frames_keep_them(metadata, field, expected):
    found = to_article(HostDocument(TEXT, metadata))
    assert (getattr(found.article, field), found.notes) == (expected, ())


@pytest.mark.parametrize(
    "value",
    [
        "Quill AB; Feather C",
        "Quill AB, Feather C",
        ["Quill AB", "Feather C"],
        [{"last": "Quill", "initials": "AB"}, {"family": "Feather", "given": "C"}],
        [{"LastName": "Quill", "Initials": "AB"}, {"last_name": "Feather", "first_name": "C"}],
        np.array(["Quill AB", "Feather C"]),
    ],
    ids=str,
)
def test_authors_are_read_from_lines_lists_and_dicts(value):
    assert [(a.last, a.initials) for a in article(authors=value).authors] == [
        ("Quill", "AB"),
        ("Feather", "C"),
    ]


def test_a_last_name_before_a_first_name_is_one_author():
    assert len(article(authors="Quill, Ann").authors) == 1


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA, pd.NaT, "", [], {}])
def test_what_means_missing_is_absent_and_not_unreadable(value):
    found = to_article(
        HostDocument(TEXT, dict.fromkeys(("pmid", "year", "title", "authors", "retracted"), value))
    )
    assert found.notes == ()


@pytest.mark.parametrize("value", [1, 1.0, np.True_, "Retracted", ["yes"]])
def test_a_retraction_is_heard_however_it_is_written(value):
    assert article(retracted=value).has_type("Retracted Publication")


def test_a_word_on_retraction_that_is_neither_yes_nor_no_is_told():
    assert to_article(HostDocument(TEXT, {"retracted": "pending"})).notes


@pytest.mark.parametrize("name", ["pdf", "web page", "article"])
def test_a_type_of_file_is_no_kind_of_study(name):
    assert to_article(HostDocument(TEXT, {"document_type": name})).graded_from is GradedFrom.TEXT


@pytest.mark.parametrize("text", [3, b"text", ["a"], {"text": "a"}], ids=repr)
def test_a_text_that_is_no_text_counts_as_empty_and_is_told(text):
    found = to_article(HostDocument(text, {"title": "Tablets in fever"}))
    assert found.article.title == "Tablets in fever"
    assert type(text).__name__ in found.notes[0]


def test_metadata_may_be_missing_altogether():
    assert to_article(HostDocument(TEXT, None)).article.abstract == TEXT


def test_a_long_abstract_in_the_metadata_is_cut_as_a_long_text_is():
    found = to_article(HostDocument("x", {"abstract": "word " * 20_000, "title": "Tablets " * 10_000}))
    assert len(found.article.abstract) <= MAX_GRADED_CHARACTERS
    assert len(found.article.title) <= MAX_TITLE_CHARACTERS
    assert "first 30,000" in found.notes[0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    "pmid doi pmcid title abstract publication_types mesh keywords year journal authors language nct retracted x".split()
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.none(), st.text(max_size=200)), st.dictionaries(KEYS | st.integers(), JSON, max_size=8))
def test_no_document_is_refused_and_none_is_changed(text, metadata):
    before = copy.deepcopy(metadata)
    found = to_article(HostDocument(text, metadata))
    assert repr(metadata) == repr(before)
    if (text or "").strip():
        assert found.article is not None
        json.loads(found.article.model_dump_json())
    fields, unread = fields_of(metadata)
    assert set(fields) & set(unread) <= {"publication_types"}  # which a retraction adds to
