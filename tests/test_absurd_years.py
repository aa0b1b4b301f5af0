"""A year in which no article can have appeared neither decides nor loses the record, whoever reads it."""

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag import rank
from metarag.adapters.metadata_values import read_year
from metarag.records import Article, PartialDate
from metarag.retrieval.records_file import read_file

THIS_YEAR = datetime.now(UTC).year
ABSURD = (20200, 99999, -5, 2500, 1499)


@given(st.integers(-(10**9), 10**9))
def test_a_year_is_kept_from_1500_to_two_years_ahead(year):
    expected = year if 1500 <= year <= THIS_YEAR + 2 else None
    found = PartialDate(year=year)
    assert found.year == expected
    assert found.absurd_year == (None if expected else str(year))


@pytest.mark.parametrize("year", [1500, 1999, THIS_YEAR, THIS_YEAR + 2])
def test_a_year_in_which_articles_appear_stays(year):
    assert PartialDate(year=year) == PartialDate.model_validate_json(f'{{"year": {year}}}')
    assert PartialDate(year=str(year)).year == year


@pytest.mark.parametrize("raw", [None, "Winter", "Spring-Summer", "12 Jan", "Jan 12"])
def test_a_date_without_a_year_has_no_absurd_one(raw):
    assert PartialDate(raw=raw).absurd_year is None


def test_what_was_given_is_kept_and_survives_storing():
    absurd = PartialDate(year=20200, month=3)
    assert (absurd.raw, absurd.month) == ("20200", 3)
    again = PartialDate.model_validate_json(absurd.model_dump_json(exclude_defaults=True))
    assert again == absurd
    assert again.absurd_year == "20200"


@pytest.mark.parametrize(
    ("given", "month", "day"),
    [
        ({"month": 13}, None, None),
        ({"month": 0, "day": 5}, None, None),
        ({"month": 2, "day": 40}, 2, None),
        ({"month": 12, "day": 31}, 12, 31),
    ],
)
def test_a_month_or_a_day_that_no_calendar_has_costs_only_itself(given, month, day):
    date = PartialDate(year=2001, **given)
    assert (date.year, date.month, date.day) == (2001, month, day)
    assert (date.raw is None) == (given == {"month": 12, "day": 31})
    assert PartialDate.model_validate_json(date.model_dump_json()) == date


def jsonl(year):
    return json.dumps({"pmid": "1", "title": "Zinc", "year": year}).encode()


def full_jsonl(year):
    return json.dumps({"pmid": "1", "title": "Zinc", "electronic_date": {"year": year}}).encode()


def ris(year):
    return f"TY  - JOUR\nTI  - Zinc\nAN  - 1\nPY  - {year}\nER  - \n".encode()


def medline(year):
    return f"PMID- 1\nTI  - Zinc\nDP  - {year} Jan\n".encode()


def pubmed_xml(year):
    return (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version='1'>1</PMID><Article>"
        f"<Journal><JournalIssue><PubDate><Year>{year}</Year></PubDate></JournalIssue></Journal>"
        "<ArticleTitle>Zinc</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    ).encode()


@pytest.mark.parametrize("year", ABSURD)
@pytest.mark.parametrize("write", [jsonl, full_jsonl, ris, medline, pubmed_xml])
def test_every_reader_keeps_the_record_and_the_ranking_names_year_and_record(write, year):
    content = read_file(write(year))
    (article,) = content.articles
    assert content.failures == ()
    assert article.year is None
    (warning,) = rank("Does zinc help?", [article]).audit.warnings[:1]
    assert article.id in warning
    assert str(abs(year)) in warning


@pytest.mark.parametrize("year", [*ABSURD, "2099", "20990101", date(2500, 1, 1)])
def test_metadata_with_such_a_year_have_none(year):
    assert read_year(year) is None


def test_an_article_made_by_hand_counts_as_undated():
    article = Article(pmid="1", title="Zinc", print_date={"year": 20200}, date_revised={"year": 99999})
    assert article.year is None
    assert article.date_revised.year is None
