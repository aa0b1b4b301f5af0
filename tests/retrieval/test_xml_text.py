"""Inline markup becomes text without changing what it says."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest

from metarag.retrieval.xml_text import collapse, plain_text


def text(xml: str) -> str | None:
    return plain_text(fromstring(f"<t>{xml}</t>"))


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("10<sup>-3</sup> mol", "10⁻³ mol"),
        ("10<sup>−3</sup>", "10⁻³"),
        ("10<sup> - 3 </sup>mol", "10 ⁻³ mol"),
        ("CO<sub>2</sub>, Ca<sup>2+</sup>", "CO₂, Ca²⁺"),
        ("1.73 m<sup>2</sup> of", "1.73 m² of"),
        ("10<sup>-3.5</sup>", "10^{-3.5}"),
        ("10<sup>n</sup>", "10^n"),
        ("e<sup>-kt</sup>", "e^{-kt}"),
        ("(1+x)<sup>n/2</sup>", "(1+x)^{n/2}"),
        ("x<sup>-<i>3</i></sup>", "x⁻³"),
    ],
)
def test_an_exponent_stays_an_exponent(xml: str, expected: str) -> None:
    assert text(xml) == expected


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("1<sup>st</sup>", "1st"),
        ("Fictol<sup>®</sup>", "Fictol®"),
        ("(<sup>99m</sup>Tc)", "(99mTc)"),
        ("<sup>13</sup>C", "¹³C"),
        ("HbA<sub>1c</sub>", "HbA1c"),
        ("C<sub>max</sub>", "Cmax"),
        ("12<sub>0.4</sub>", "12_{0.4}"),
        ("a<sup></sup>b<sub> </sub>c", "ab c"),
    ],
)
def test_other_raised_and_lowered_text_reads_as_people_write_it(xml: str, expected: str) -> None:
    assert text(xml) == expected


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x²"),
        (
            "<m:math xmlns:m='urn:m'><m:msubsup><m:mi>x</m:mi><m:mn>1</m:mn><m:mn>2</m:mn>"
            "</m:msubsup></m:math>",
            "x₁²",
        ),
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        ("<semantics><mi>y</mi><annotation>$y$</annotation></semantics>", "y"),
    ],
)
def test_formulas_do_not_run_together(xml: str, expected: str) -> None:
    assert text(xml) == expected


def test_no_blank_is_added_between_adjacent_words() -> None:
    assert text("<i>in</i>variant, a<b>b</b> <u>c</u>") == "invariant, ab c"


def test_markup_nested_too_deep_keeps_its_text() -> None:
    assert text("<b>" * 500 + "deep" + "</b>" * 500 + " end") == "deep end"


def test_nothing_is_none() -> None:
    assert plain_text(None) is None
    assert text(" \n <b/> ") is None
    assert collapse("") is None
