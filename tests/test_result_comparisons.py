"""A result is that of the treatment against its control: not against another drug, dose or time, nor in both groups."""

from __future__ import annotations

import pytest
from result_sentences import B, H, N, counted

LESS, MORE, SAME = ("(odds ratio {}, 95% CI {})".format(*n) for n in (
    ("0.60", "0.45 to 0.80"), ("1.60", "1.20 to 2.10"), ("1.02", "0.85 to 1.22"),
))  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        f"Stroke was less frequent with aspirin than with clopidogrel {LESS}.",
        f"Compared with clopidogrel, aspirin increased stroke {MORE}.",
        f"Aspirin versus clopidogrel: stroke, odds ratio 1.60 {MORE}.",
        f"Aspirin was inferior to warfarin for stroke {MORE}.",
        f"Adding dipyridamole to aspirin reduced stroke {LESS}.",
        f"Clopidogrel plus aspirin reduced stroke compared with aspirin alone {LESS}.",
        f"Switching from aspirin to clopidogrel reduced stroke {LESS}.",
        f"There was no difference in stroke between aspirin and warfarin {SAME}.",
        f"Warfarin and aspirin did not differ in stroke {SAME}.",
        "Compared with clopidogrel, aspirin increased stroke.",
        "Stroke did not differ between aspirin and clopidogrel.",
        "Stroke was similar with aspirin and with warfarin.",
        "Aspirin reduced stroke less than warfarin.",
        "Aspirin was better than dipyridamole at preventing stroke.",
    ],
)
def test_a_comparison_with_another_drug_is_not_counted(sentence):
    assert counted(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        f"Stroke was less frequent with 300 mg than with 75 mg {LESS}.",
        f"High-dose aspirin reduced stroke compared with low-dose aspirin {LESS}.",
        f"Doubling the dose of aspirin reduced stroke {LESS}.",
        f"Higher doses of aspirin led to more strokes {MORE}.",
        f"Stroke was less frequent with early than with late aspirin {LESS}.",
        f"Aspirin for 12 months reduced stroke compared with aspirin for 3 months {LESS}.",
        f"Longer treatment with aspirin reduced stroke {LESS}.",
        f"There was no difference in stroke between once daily and twice daily aspirin {SAME}.",
        f"Stroke fell after aspirin was introduced {LESS}.",
        "Stroke did not differ between the two doses of aspirin.",
        "Stroke was less frequent after aspirin than before.",
        "Stroke was less frequent in the second year than in the first year of aspirin.",
        "Aspirin twice daily reduced stroke compared with once daily.",
    ],
)
def test_a_comparison_of_doses_or_times_is_not_counted(sentence):
    assert counted(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        (f"Low-dose aspirin reduced stroke compared with placebo {LESS}.", B),
        (f"Stroke was less frequent with aspirin than without it {LESS}.", B),
        (f"Compared with placebo, aspirin reduced stroke {LESS}.", B),
        ("Compared with placebo, aspirin reduced stroke.", B),
        ("Compared with no treatment, aspirin increased stroke.", H),
        ("Both doses of aspirin reduced stroke compared with placebo.", B),
        ("Stroke was less frequent in the first year with aspirin than with placebo.", B),
        ("Stroke did not differ between aspirin and placebo.", N),
    ],
)
def test_a_comparison_with_the_control_is_counted_also_where_doses_and_times_are_named(sentence, result):
    assert counted(sentence) == [result]


@pytest.mark.parametrize(
    "sentence",
    [
        "Pain decreased with aspirin, but more with placebo.",
        "Pain decreased with aspirin, but even more so with placebo.",
        "Pain decreased with aspirin, although to a greater extent with placebo.",
        "Pain decreased with aspirin, but to a lesser extent than with placebo.",
        "Pain increased with aspirin, but less than with placebo.",
        "Pain decreased with aspirin as much as with placebo.",
        "Pain decreased with aspirin, as it did with placebo.",
        "Pain decreased with aspirin and with placebo.",
        "Pain decreased with both aspirin and placebo.",
        "Pain improved in both groups.",
        "Pain worsened in both groups.",
        "Pain decreased in all groups.",
        "Pain was reduced by both.",
        "Pain decreased over time.",
        "Pain decreased regardless of treatment.",
        "Both treatments reduced pain.",
        "Aspirin and placebo both reduced pain.",
        "Aspirin, like placebo, reduced pain.",
        "Aspirin reduced pain, and so did placebo.",
        "Aspirin reduced pain, but placebo reduced it more.",
        "Pain fell with aspirin. It fell more with placebo.",
        "Pain decreased by 2 points with aspirin and by 3 points with placebo.",
        "Pain decreased by 20% with aspirin compared with 35% with placebo.",
        "After six weeks, pain increased from 5.3 to 6.6.",
    ],
)
def test_a_change_that_the_control_had_too_is_not_counted(sentence):
    assert counted(sentence, outcome="pain", people="adults with migraine") == []


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        ("Pain decreased more with aspirin than with placebo.", B),
        ("Pain decreased more with placebo than with aspirin.", H),
        ("Pain decreased in both groups, but significantly more with aspirin than with placebo.", B),
        ("Pain decreased with aspirin compared with placebo.", B),
        ("Aspirin was superior to placebo in reducing pain.", B),
        ("Aspirin reduced pain.", B),
        ("Pain was similar in both groups.", N),
    ],
)
def test_a_change_that_was_more_in_one_group_is_counted(sentence, result):
    assert counted(sentence, outcome="pain", people="adults with migraine") == [result]


@pytest.mark.parametrize(
    "sentence",
    [
        "Aspirin reduced neither death nor stroke.",
        "Aspirin reduced neither stroke nor death.",
        "Aspirin increased neither stroke nor death.",
        "Aspirin reduced neither the risk of stroke nor that of death.",
        "Neither aspirin nor clopidogrel reduced stroke.",
        "Neither of the two doses of aspirin reduced stroke.",
        "Neither low-dose nor high-dose aspirin lowered the incidence of stroke.",
        "Aspirin was associated with neither fewer strokes nor fewer deaths.",
        "No fewer strokes occurred with aspirin than with placebo.",
    ],
)
def test_neither_denies_what_stands_behind_it(sentence):
    assert counted(sentence) in ([N], [])


def test_neither_on_other_outcomes_leaves_the_result():
    assert counted("Aspirin reduced stroke but neither fever nor pain.") == [B]
