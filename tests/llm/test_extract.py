from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.llm.base import Failure
from metarag.llm.extract import extract_object, without_reasoning

OBJECT = '{"answer": "yes"}'
VALUE = {"answer": "yes"}


@pytest.mark.parametrize(
    "text",
    [
        OBJECT,
        f"\ufeff  {OBJECT}\n",
        f"```json\n{OBJECT}\n```",
        f"Sure! {OBJECT} Anything else?",
        f"Look at {{this set}} and \\boxed{{A}}: {OBJECT}",
        f"{OBJECT} (see {{below}})",
        f"It said \"hello: {OBJECT}",
        f'{{"answer": "no"}} or rather {OBJECT}',
        f"<think>maybe {{\"answer\": \"no\"}}</think>{OBJECT}",
        f"no opening tag, {{\"answer\": \"no\"}}</think> {OBJECT}",
        f"<THINK>first</THINK><think>second</think>\n{OBJECT}",
        f"[{OBJECT}]",
    ],
)  # fmt: skip
def test_the_last_object_is_found(text):
    assert extract_object(text).value == VALUE


def test_a_brace_or_quote_inside_a_string_ends_nothing():
    value = {"quote": 'a } and a { and a " and a \\ and </think>', "answer": "yes"}
    assert extract_object(json.dumps(value)).value == value
    assert extract_object(f"Well: {json.dumps(value)} .").value is None, (
        "cut at the tag: no answer, no wrong one"
    )
    tame = {"quote": 'a } and a { and a " and a \\', "answer": "yes"}
    assert extract_object(f"Well: {json.dumps(tame)} .").value == tame


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "ye',
        '{"answer": "yes"',
        '{"answer": {"deep": [1, 2',
        f'{OBJECT} and now the final one: {{"answer": "n',
        f"<think>still thinking {OBJECT}",
        '```json\n{"answer": "y',
        '{"answer": "escaped \\',
    ],
)
def test_what_is_cut_off_is_truncated_and_never_completed(text):
    found = extract_object(text)
    assert found.value is None
    assert found.failure is Failure.TRUNCATED


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "{answer: yes}",
        "{'answer': 'yes'}",
        '{"answer": "yes",}',
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"answer": "no", "answer": "yes"}',
        "[1, 2]",
        "null",
        "",
        f"{OBJECT} but then {{\"broken\": yes}}",
    ],
)  # fmt: skip
def test_what_would_need_a_guess_is_malformed(text):
    found = extract_object(text)
    assert (found.value, found.failure) == (None, Failure.MALFORMED)


def test_raw_line_breaks_in_strings_are_read_and_noted():
    found = extract_object('{"answer": "a\nb"}')
    assert found.value == {"answer": "a\nb"}
    assert found.notes == ("raw line breaks in a string",)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (OBJECT, ()),
        (f"```\n{OBJECT}\n```", ("found in other text",)),
        (f"{OBJECT}\n{OBJECT}", ("last of several objects",)),
        (f"<think>x</think>{OBJECT}", ("reasoning removed",)),
    ],
)
def test_how_it_was_found_is_noted(text, notes):
    assert extract_object(text).notes == notes


def test_reasoning_without_an_end_leaves_no_answer():
    assert without_reasoning("<think>hm") == (None, True)
    assert without_reasoning("<think>hm</think> done") == ("done", True)
    assert without_reasoning(" plain ") == ("plain", False)


@pytest.mark.parametrize(
    "piece",
    ['{"a":', "{", "}", '"', "\\", "<think>", "</think>", '{"', '{"a":[', "{}", "```", '{"a":"\\'],
    ids=repr,
)
def test_a_flood_of_anything_takes_linear_time(piece):
    text = piece * (400_000 // len(piece))
    started = time.process_time()
    extract_object(text)
    assert time.process_time() - started < 5.0


@given(st.text(alphabet='{}[]":,\\ aé\n', max_size=200))
@settings(deadline=None, max_examples=300)
def test_any_text_gives_an_object_or_a_reason(text):
    found = extract_object(text)
    assert (found.value is None) == (found.failure is not None)


@given(
    st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers() | st.booleans(), max_size=4),
    st.text(alphabet="abc .,:;!?\n", max_size=30),
)
@settings(deadline=None, max_examples=200)
def test_an_object_is_found_whatever_prose_is_around_it(value, prose):
    if "</" in json.dumps(value):
        return
    assert extract_object(f"{prose}{json.dumps(value)}{prose}").value == value
