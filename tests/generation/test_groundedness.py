from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.generation.base import AnswerSentence
from metarag.generation.groundedness import check_groundedness, numbers_in

TEXTS = {
    "1": "Of 6,425 adults, 22.9% died (rate ratio 0.83; 95% CI, 0.75 to 0.93; P<0.001) in 2020.",
    "2": "Aspirin did not reduce mortality in adults with COVID-19.",
}


def flags(text, citations=("1",), **options):
    (only,) = check_groundedness([AnswerSentence(text=text, citations=citations)], TEXTS, **options).sentences
    return only.flags


@pytest.mark.parametrize(
    "text",
    [
        "Of 6425 adults 22.9 % died (0.83, 0.75-0.93).",
        "The ratio was 0·83 and p < .001.",
        "In COVID-19 the ratio was 0.830.",
        "Nothing was counted.",
    ],
)
def test_numbers_that_the_source_has_are_grounded_however_they_are_printed(text):
    assert flags(text) == ()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("The ratio was 0.38.", "0.38"),
        ("Deaths fell by 17%.", "17"),
        ("Of 64,250 adults some died.", "64,250"),
        ("It was 0.8.", "0.8"),
    ],
)
def test_a_number_that_the_source_does_not_have_is_flagged(text, missing):
    assert flags(text) == (f"number:{missing}",)


def test_a_number_of_another_source_does_not_help():
    assert flags("The ratio was 0.83.", citations=("2",)) == ("number:0.83",)
    assert flags("The ratio was 0.83.", citations=("2", "1")) == ()


def test_a_sentence_without_citations_is_held_against_all_sources():
    assert flags("The ratio was 0.83.", citations=()) == ()
    assert flags("The ratio was 0.38.", citations=()) == ("number:0.38",)


def test_numbers_of_the_question_may_be_used():
    assert flags("Adults of 65 years were asked about.", everywhere="In adults over 65?") == ()


def test_a_quotation_has_to_stand_in_a_cited_source():
    assert flags("It says “did not reduce mortality”.", citations=("2",)) == ()
    assert flags("It says “halved mortality in adults”.", citations=("2",)) == ("quote",)
    assert flags("It says “did not reduce mortality”.", citations=("1",)) == ("quote",)


def test_a_decimal_comma_is_read_where_the_language_has_one():
    assert flags("Das Verhältnis war 0,83.", decimal_comma=True) == ()
    assert flags("Das Verhältnis war 0,38.", decimal_comma=True) == ("number:0.38",)


@pytest.mark.parametrize(
    ("text", "decimal_comma", "missing"),
    [
        ("2216 of 29 011 patients died", False, []),
        ("2 216 sur 29 011 patients (0,83)", True, []),
        ("2.216 von 29.011 Patienten (0,83)", True, []),
        ("29 012 patients", False, ["29", "012"]),
        ("29.012 Patienten", True, ["29.012"]),
        ("29.011 patients", False, ["29.011"]),
    ],
)
def test_thousands_set_apart_in_another_way_are_one_number_where_the_source_has_it(
    text, decimal_comma, missing
):
    source = "2,216 of 29,011 patients died (0.83)."
    sentence = AnswerSentence(text=text, citations=("1",))
    found = check_groundedness([sentence], {"1": source}, decimal_comma=decimal_comma)
    assert list(found.sentences[0].flags) == [f"number:{printed}" for printed in missing]


def test_what_was_found_is_counted():
    found = check_groundedness(
        [AnswerSentence(text="Of 6,425 adults 12 died: “nobody ever said so”.", citations=("1",))], TEXTS
    )
    assert found.counts == {
        "numbers": 2,
        "numbers_not_in_sources": 1,
        "quotes": 1,
        "quotes_not_in_sources": 1,
    }


def test_digits_of_names_are_no_numbers():
    assert numbers_in("COVID-19, 5-HT3, IL-6, H1N1 and B12 in ISIS-4") == []


@given(st.decimals(min_value=0, max_value=10**6, places=2))
def test_every_number_is_found_in_a_text_that_has_it(value):
    printed = f"{value:f}"
    assert Decimal(printed) in {found for _, found in numbers_in(f"The ratio was {printed} here.")}
