"""What extract_effects finds in invented sentences; the tables are in effect_cases/."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import metarag.effect_sentences
from metarag.effect_abbreviations import Abbreviations
from metarag.effect_arms import counted_arms
from metarag.effect_marks import mark
from metarag.effect_sizes import extract_effects
from metarag.effect_tokens import lex
from metarag.effect_triggers import has_two_arms

CASES = Path(__file__).parent / "effect_cases"
HOSTILE_LENGTH = 30_000


def read_cases(name):
    lines = (CASES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(part.strip() for part in line.split("|||")) for line in lines if not line.startswith("#")]


ALL_CASES = [case for name in ("formats", "raw_data", "not_pooled") for case in read_cases(name)]


def numbers(effect):
    if effect.measure == "2x2":
        return "2x2", effect.events_1, effect.total_1, effect.events_2, effect.total_2
    if effect.measure == "means":
        arms = effect.mean_1, effect.sd_1, effect.total_1, effect.mean_2, effect.sd_2, effect.total_2
        return "means", *arms
    return effect.measure, effect.estimate, effect.lower, effect.upper


def wanted(listed):
    for item in [] if listed == "-" else listed.split(" ; "):
        measure, *values = item.split()
        yield measure, *(None if value == "None" else float(value) for value in values)


def is_same(found, expected):
    measure, *values = expected
    half = len(values) // 2
    # Which arm of raw data is printed first does not matter here.
    orders = [values, values[half:] + values[:half]] if measure in ("2x2", "means") else [values]
    if None in values:
        return found == expected
    return found[0] == measure and any(
        list(found[1:]) == pytest.approx(order, rel=5e-3, abs=6e-4) for order in orders
    )


@pytest.mark.parametrize(("text", "listed"), ALL_CASES, ids=[text[:60] for text, _ in ALL_CASES])
def test_exactly_the_listed_effects_may_be_pooled(text, listed):
    found = [numbers(effect) for effect in extract_effects(text) if effect.poolable]
    expected = list(wanted(listed))
    for item in expected:
        match = next((one for one in found if is_same(one, item)), None)
        assert match is not None, f"{item} is not among {found}"
        found.remove(match)
    assert not found


def test_the_tables_have_not_shrunk():
    assert len(read_cases("formats")) >= 392
    assert len(read_cases("raw_data")) >= 64
    assert len(read_cases("not_pooled")) >= 229


@pytest.mark.parametrize("text", [text for text, _ in ALL_CASES], ids=range(len(ALL_CASES)))
def test_spans_index_the_text_as_given(text):
    for effect in extract_effects(text, where="abstract"):
        for span in filter(None, (effect.span, effect.outcome_span)):
            assert text[span.start : span.end] == span.text
            assert span.where == "abstract"


def test_a_span_keeps_the_printed_characters():
    text = "Falls were rarer (HR&nbsp;0·76 [95%\u2009CI 0·63\u20130·92]; <i>P</i>\u00a0=\u00a00·004)."
    (effect,) = extract_effects(text)
    assert effect.span.text == "HR&nbsp;0·76 [95%\u2009CI 0·63\u20130·92]; <i>P</i>\u00a0=\u00a00·004"
    assert effect.lower == 0.63
    assert effect.p == 0.004


def test_looking_for_triggers_first_loses_no_effect(monkeypatch):
    with_triggers = [extract_effects(text) for text, _ in ALL_CASES]
    monkeypatch.setattr(
        metarag.effect_sentences,
        "marked_sentences",
        lambda text, spans: [(start, stop, True) for start, stop in spans],
    )
    assert [extract_effects(text) for text, _ in ALL_CASES] == with_triggers


PIECES_OF_COUNTS = (
    "12 12 120 5 1 502 30% (12%) (10.5%) / /120 of of of the among in out patients women deaths cases with drug"
    " placebo twelve twenty-one no Of and , , ; total a evaluable (n=85) n = 40 versus + -3"
).split()


@given(st.lists(st.sampled_from(PIECES_OF_COUNTS), min_size=3, max_size=16).map(" ".join))
@example("Of 120 patients given A, 15 relapsed, and of the 118 given B, 25 relapsed.")
@example("12 deaths (10%) of 120, twelve (10 %) of evaluable 118")
@example("12 patients (10%) and twelve of 30")
@example("12 (10%) with A and 24 (20%) with B (n=120)")
@settings(deadline=None, max_examples=1_000)
def test_words_that_hold_no_two_arms_hold_no_two_counts(sentence):
    tokens = mark(sentence, lex(sentence, 0, len(sentence)), Abbreviations())
    if len(counted_arms(tokens)) > 1:
        assert has_two_arms(sentence)


def test_an_effect_printed_twice_is_returned_once_with_the_p_value_of_the_second_mention():
    text = (
        "Results: Relapse was rarer (HR 0.61, 95% CI 0.45-0.83). "
        "Conclusion: It was rarer (HR 0.61, 95% CI 0.45-0.83; P=0.002), a ratio of 0.61."
    )
    (effect,) = extract_effects(text)
    assert effect.span.start == text.index("HR 0.61")
    assert effect.p == 0.002


def test_a_number_that_repeats_an_effect_is_no_second_effect():
    text = "The odds ratio was 0.61 (95% CI 0.45-0.83). An odds ratio of 0.61 is large."
    assert len(extract_effects(text)) == 1


def test_equal_numbers_of_different_outcomes_with_their_own_p_values_are_both_kept():
    text = "Stroke was rarer (OR 0.80, P=0.02), and so were falls (OR 0.80, P=0.04)."
    assert [effect.p for effect in extract_effects(text)] == [0.02, 0.04]


def test_headed_sections_on_lines_of_their_own_are_kept_apart():
    text = (
        "BACKGROUND: Tea was good in cohorts (RR 0.80, 95% CI 0.70-0.91)\n"
        "RESULTS: It was not (RR 1.04, 95% CI 0.93-1.16)"
    )
    assert [(e.estimate, e.role, e.poolable) for e in extract_effects(text)] == [
        (0.80, "prior", False),
        (1.04, "study", True),
    ]


def test_extraction_does_not_depend_on_what_was_read_before():
    first = "Heart rate (HR) was 72 (95% CI 70-74)."
    second = "Relapse was rarer (HR 0.72, 95% CI 0.60-0.86)."
    alone = extract_effects(second)
    extract_effects(first)
    assert extract_effects(second) == alone
    assert alone[0].poolable


@given(st.text())
@example("HR 0.5 (95% CI 0.4-0.6")
@example("9" * 400 + " (95% CI 1-2)")
@example("HR 1e999 (95% CI 0-∞)")
@example("0/0 vs 0/0 ± ± (n=0) -- −−1 ;;; &#0; &bogus; <i>")
@example("P = 10-999; OR 0 (0 to 0); RR -1 (-2 to -1)")
@settings(deadline=None, max_examples=200)
def test_any_text_gives_a_tuple(text):
    assert isinstance(extract_effects(text), tuple)


FRAGMENTS = st.sampled_from(
    "HR OR RR MD RD SMD hazard ratio difference 95% CI 90% ( ) [ ] , ; : . - – − to and vs 0.76 0.63 0.92 12"
    " 100 12/100 24/98 of n=85 SD SE ± 4.8 P=0.004 p<0.001 respectively group placebo mean % per 1000 [ ]"
    " patients ∞ 1,234 one-sided upper limit men women crude adjusted previous studies kg mm Hg = <"
    " > \n".split(" ")
)


@given(st.lists(FRAGMENTS, max_size=40).map(" ".join))
@settings(deadline=None, max_examples=300)
def test_any_string_of_its_own_vocabulary_gives_valid_effects_with_true_spans(text):
    for effect in extract_effects(text):
        assert text[effect.span.start : effect.span.end] == effect.span.text
        if effect.poolable and effect.se_source != "p_bound_only":
            assert effect.standard_error is not None
            assert effect.standard_error > 0


@pytest.mark.parametrize(
    "pattern",
    ["HR 0.76 (95% CI ", "(", "- ", "12/100 vs ", "3.2 ± 1.4 (n=40) vs ", "in the previous ", "&lt;", "<i>",
     "1,", "\n", "Results: ", "heart rate (HR) ", "difference ", "a. ", "\u2009", "1x10-", "well-known ",
     "0.5, ", "P (", "95% ", "a-"],
)  # fmt: skip
def test_hostile_repetition_is_read_to_its_end(pattern):
    text = "Hazard ratio 0.71 (95% CI 0.60-0.84). " + pattern * (HOSTILE_LENGTH // len(pattern))
    assert extract_effects(text)[0].estimate == 0.71


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (
            "We found no increase in the relative risk (RR) of cancer (RR 0.98, 95% CI 0.65 to 1.50) in users.",
            ("RR", 0.98, 0.65, 1.5),
        ),
        (
            "The reduction in the odds ratio (OR) was large (OR 0.80, 95% CI 0.65 to 0.98).",
            ("OR", 0.8, 0.65, 0.98),
        ),
        ("The relative risk reduction (RRR) was 20% (95% CI 5 to 33).", ("RR", 0.8, 0.67, 0.95)),
    ],
)
def test_an_abbreviation_stands_for_its_own_words_and_not_for_those_before_them(text, numbers):
    (effect,) = extract_effects(text)
    found = (effect.measure, effect.estimate, effect.lower, effect.upper)
    assert found == (numbers[0], *map(pytest.approx, numbers[1:]))
