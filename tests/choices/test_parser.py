"""The parser of answers: what it reads, what it never reads, and that nothing makes it fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.choices.text import LONGEST, shortened
from metarag.evaluation.answers import parse_answer

HERE = Path(__file__).parent
OPTION_SETS = json.loads((HERE / "options.json").read_text(encoding="utf-8"))
CASES = [json.loads(line) for line in (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
DRUGS = OPTION_SETS["drugs"]

PIECES = st.sampled_from(
    "A B C D E a i answer Answer: is not option the correct or and if Wait, no best Metformin metformin insulin"
    " glargine Glipizide wrong because \\boxed{ } <answer> </answer> <think> </think> { } \" ' : , . ? ! ( ) ** \n"
    ' {"answer": null, 答案是 Ｂ ① é \ud800 said 1 2'.split(" ")
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map(" ".join))
LABELS = st.one_of(st.sampled_from("ABCDEIabij123"), st.text(min_size=0, max_size=3))
OPTIONS = st.dictionaries(
    LABELS, st.one_of(st.text(max_size=12), st.sampled_from(["yes", "no", "A", "3"])), max_size=6
)


@pytest.mark.parametrize("name", sorted(OPTION_SETS))
def test_replies_in_many_forms_are_read_as_a_person_would(name):
    wrong = []
    for case in CASES:
        if case["options"] == name:
            read = parse_answer(case["text"], OPTION_SETS[name])
            if read.letter != case["expected"]:
                wrong.append((case["text"], case["expected"], read.letter, read.method))
    assert not wrong


def test_each_set_of_options_has_cases():
    assert {case["options"] for case in CASES} == set(OPTION_SETS)


@settings(max_examples=300)
@given(TEXTS, OPTIONS)
def test_any_text_gives_one_of_the_options_or_none(text, options):
    read = parse_answer(text, options)
    assert read.letter is None or read.letter in options
    assert set(read.candidates) <= set(options)
    assert read.reason


@settings(max_examples=100)
@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["Answer: {}", "The answer is {}.", "\\boxed{{{}}}", '{{"answer": "{}"}}']),
)
def test_a_declared_letter_is_read_whatever_was_reasoned_before(letter, form):
    before = "<think>Perhaps A. Or B? The answer is C.</think>\nOption A is wrong and option D is tempting.\n"
    assert parse_answer(before + form.format(letter), DRUGS).letter == letter


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("", "empty"),
        (None, "empty"),
        ("<think>The answer is A", "reasoning"),
        ("Answer: A or B", "several"),
        ("Answer: E", "outside"),
        ('{"answer": null}', "no_value"),
        ("Answer: A. Wait, that's wrong.", "withdrawn"),
        ("I'm sorry, but I can't provide medical advice.", "refused"),
        ("A patient with fever.", "nothing"),
    ],
)
def test_an_unreadable_reply_says_why(text, method):
    read = parse_answer(text, DRUGS)
    assert (read.letter, read.method) == (None, method)
    assert read.refused == (method == "refused")


def test_without_options_nothing_can_be_chosen():
    assert parse_answer("A", {}).method == "no_options"


def test_a_letter_counts_more_than_another_options_text_and_the_conflict_is_marked():
    read = parse_answer("Answer: B. Metformin", DRUGS)
    assert (read.letter, read.conflict) == ("B", True)
    assert not parse_answer("Answer: B. Insulin glargine", DRUGS).conflict


def test_two_named_options_are_kept_for_the_audit():
    assert parse_answer("Answer: A or B", DRUGS).candidates == ("A", "B")


@pytest.mark.parametrize(
    "piece",
    [
        "A ",
        "answer is ",
        "Answer: A or ",
        "{",
        '{"answer": ',
        "\\boxed{",
        "</",
        "<think>",
        "[",
        "metformin ",
        "é",
        "Ａ",
        "\n",
    ],
)
def test_the_work_does_not_grow_with_a_text_that_is_longer_than_what_is_read(piece):
    def calls(text):
        count = 0

        def profile(frame, event, arg):
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(profile)
        try:
            parse_answer(text, DRUGS)
        finally:
            sys.setprofile(None)
        return count

    text = piece * (1_000_000 // len(piece))
    assert len(shortened(text)) <= LONGEST + 1
    assert calls(text) <= calls(text[: LONGEST + 100]) * 1.1 + 50


def test_an_answer_at_either_end_of_a_very_long_reply_is_read():
    filler = "The patient has renal failure. " * 40_000
    assert parse_answer(f"{filler}\nAnswer: B", DRUGS).letter == "B"
    assert parse_answer(f"Answer: B\n{filler}", DRUGS).letter == "B"
    assert parse_answer(f"<think>{filler}Answer: A</think>\nAnswer: B", DRUGS).letter == "B"


def test_repeated_changes_of_mind_end_with_the_last():
    assert parse_answer("Answer: A. Wait, " + "B. Wait, " * 20_000 + "Answer: C", DRUGS).letter == "C"
    assert parse_answer("B. B is wrong. " * 20_000, DRUGS).letter is None
