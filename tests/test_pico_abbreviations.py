import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.pico_abbreviations import abbreviations


def defined(text):
    return {short: text[start:end] for short, (start, end) in abbreviations(text).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patients with overactive bladder (OAB) took part.", {"OAB": "overactive bladder"}),
        (
            "in attention deficit/hyperactivity disorder (ADHD)",
            {"ADHD": "attention deficit/hyperactivity disorder"},
        ),
        ("low-density lipoprotein (LDL) cholesterol", {"LDL": "low-density lipoprotein"}),
        ("Heat shock transcription factor (HSF)", {"HSF": "Heat shock transcription factor"}),
        ("quality of life (QoL; primary outcome)", {"QoL": "quality of life"}),
        ("we enrolled men (n = 36)", {}),
        ("bleeding rose (P<0.001)", {}),
        ("a drug (see Table 2)", {}),
        ("one sentence ends. Beta blockers (ACE)", {}),
        ("the MI group (MI)", {}),
    ],
)
def test_a_long_form_is_found_by_the_letters_of_its_abbreviation(text, expected):
    assert defined(text) == expected


def test_the_first_definition_of_an_abbreviation_stays():
    assert defined("mild stroke (MS); later multiple sclerosis (MS)") == {"MS": "mild stroke"}


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="ab (),.AB\n", max_size=80))
def test_any_text_is_read_and_every_long_form_begins_with_the_first_letter(text):
    for short, (start, end) in abbreviations(text).items():
        assert 0 <= start < end <= len(text)
        assert text[start].lower() == short[0].lower()
