"""Dates keep what they say and borrow nothing."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.records import PartialDate
from metarag.retrieval.pubmed_dates import date_of, parse_date_text, parse_numeric_date


def parts(fields):
    return None if fields is None else (fields["year"], fields["month"], fields["day"], fields["season"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1990 May-Jun", (1990, 5, None, None)),
        ("1998 Dec-1999 Jan", (1998, 12, None, None)),
        ("2000 Dec 23- 30", (2000, 12, 23, None)),
        ("1998 Mar 31-Apr 6", (1998, 3, 31, None)),
        ("Winter 2017", (2017, None, None, "Winter")),
        ("1976-1977 Winter", (1976, None, None, "Winter")),
        ("2000 Spring-Summer", (2000, None, None, "Spring")),
        ("1978-1979", (1978, None, None, None)),
        ("1978-1979 Jan", (1978, None, None, None)),
        ("1978 1st Quart", (1978, None, None, None)),
        ("2019 Sep/Oct", (2019, 9, None, None)),
        ("1978 Sep-OCT", (1978, 9, None, None)),
        ("2019 Jan - Feb", (2019, 1, None, None)),
        ("Dec 1998", (1998, 12, None, None)),
        ("12 Dec 1998", (1998, 12, 12, None)),
        ("2003 Sept. 4", (2003, 9, 4, None)),
        ("2005 Sep 31", (2005, 9, None, None)),
        ("2001 Febrero", (2001, None, None, None)),
        ("undated", (None, None, None, None)),
        ("No. 12345678", (None, None, None, None)),
    ],
)
def test_a_free_form_date_gives_the_beginning_of_its_range(text, expected):
    fields = parse_date_text(text)

    assert parts(fields) == expected
    assert fields["raw"] == text


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("<Year>2019</Year><Month>Mar</Month><Day>5</Day>", (2019, 3, 5, None)),
        ("<Year>2019</Year><Month>09</Month>", (2019, 9, None, None)),
        ("<Year>2019</Year><Month>9</Month><Day>05</Day>", (2019, 9, 5, None)),
        ("<Year>2019</Year><Season>Summer</Season>", (2019, None, None, "Summer")),
        ("<Year>2019</Year><Day>5</Day>", (2019, None, None, None)),
        ("<Year>2019</Year><Month>13</Month>", (2019, None, None, None)),
        ("<Year>2019-2020</Year>", (2019, None, None, None)),
        ("<MedlineDate>1990 May-Jun</MedlineDate>", (1990, 5, None, None)),
        ("<Month>May</Month>", (None, None, None, None)),
        ("", None),
    ],
)
def test_a_date_in_parts(xml, expected):
    assert parts(date_of(fromstring(f"<PubDate>{xml}</PubDate>"))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20060213", (2006, 2, 13, None)),
        ("2006/02/13 09:00", (2006, 2, 13, None)),
        ("2006-2-3", (2006, 2, 3, None)),
        ("2006/02", (2006, 2, None, None)),
        ("2006", (2006, None, None, None)),
        ("2006 Feb 13", (2006, 2, 13, None)),
        ("20061345", (2006, None, None, None)),
        ("", None),
    ],
)
def test_a_date_in_figures(text, expected):
    assert parts(parse_numeric_date(text)) == expected


def test_no_element_is_no_date():
    assert date_of(None) is None


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60), st.sampled_from([parse_date_text, parse_numeric_date]))
def test_any_text_gives_a_valid_date_or_none(text, parse):
    fields = parse(text)

    assert fields is None or PartialDate(**fields).raw == fields["raw"]


def test_every_day_of_a_leap_year_is_read_back():
    for month, name, last in ((1, "Jan", 31), (2, "Feb", 29), (4, "Apr", 30), (12, "Dec", 31)):
        for day in range(1, last + 1):
            assert parts(parse_date_text(f"2024 {name} {day}")) == (2024, month, day, None)
            assert parts(parse_numeric_date(f"2024{month:02}{day:02}")) == (2024, month, day, None)
