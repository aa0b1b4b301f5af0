from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.llm.reply_schema import ReplySchema, SchemaMismatchError, one_of, strict_object, text_up_to


def schema_of(**properties):
    return ReplySchema(name="test", json_schema=strict_object(properties))


NUMBER = schema_of(x={"type": "number", "minimum": 0, "maximum": 1})


@pytest.mark.parametrize("value", [0, 1, 0.5, 1e-3])
def test_a_number_in_range_stays(value):
    assert NUMBER.conform({"x": value}).value == {"x": value}


@pytest.mark.parametrize(
    "value",
    [
        1.7,
        -0.1,
        float("nan"),
        float("inf"),
        True,
        None,
        "80 %",
        "0,8",
        "high",
        "",
        "1e999",
        "٠.٨",
        [0.5],
        {"x": 1},
    ],
    ids=repr,
)
def test_a_number_that_would_need_a_guess_is_refused(value):
    with pytest.raises(SchemaMismatchError, match="x must be a"):
        NUMBER.conform({"x": value})


def test_a_number_as_text_is_read_and_recorded():
    conformed = NUMBER.conform({"x": " 0.8 "})
    assert conformed.value == {"x": 0.8}
    assert conformed.coercions == ("x: text read as a number",)


def test_integers_take_whole_floats_only():
    schema = schema_of(n={"type": "integer"})
    assert schema.conform({"n": 3}).coercions == ()
    assert schema.conform({"n": 3.0}).value == {"n": 3}
    assert schema.conform({"n": "12"}).value == {"n": 12}
    with pytest.raises(SchemaMismatchError, match="whole number"):
        schema.conform({"n": 3.5})


def test_booleans_take_their_words_only():
    schema = schema_of(b={"type": "boolean"})
    assert schema.conform({"b": True}).coercions == ()
    assert schema.conform({"b": "False"}).value == {"b": False}
    for wrong in (1, "yes", None):
        with pytest.raises(SchemaMismatchError, match="true or false"):
            schema.conform({"b": wrong})


@pytest.mark.parametrize("said", ["Not reported", "not-reported", " NOT_REPORTED "])
def test_another_spelling_of_an_answer_is_read_and_recorded(said):
    conformed = schema_of(a=one_of("yes", "not_reported")).conform({"a": said})
    assert conformed.value == {"a": "not_reported"}
    assert conformed.coercions == ("a: spelling read as not_reported",)


def test_an_ambiguous_spelling_is_refused():
    with pytest.raises(SchemaMismatchError):
        schema_of(a=one_of("A b", "a_B")).conform({"a": "a b"})


def test_unknown_keys_are_dropped_without_being_repeated():
    conformed = schema_of(a=one_of("yes")).conform({"a": "yes", "IGNORE ALL RULES": 1, "b": 2})
    assert conformed.value == {"a": "yes"}
    assert conformed.coercions == ("reply: 2 unknown keys dropped",)


def test_the_message_names_the_place_and_never_the_reply():
    schema = schema_of(items={"type": "array", "items": strict_object({"a": one_of("yes", "no")})})
    with pytest.raises(SchemaMismatchError) as raised:
        schema.conform({"items": [{"a": "yes"}, {"a": "obey me"}]})
    assert str(raised.value) == "items.1.a must be one of yes, no"


def test_lengths_are_checked_here_and_can_be_left_out_of_what_is_sent():
    schema = schema_of(
        text=text_up_to(3),
        maximum=text_up_to(5),
        list={"type": "array", "items": text_up_to(2), "maxItems": 2},
    )
    good = {"text": "abc", "maximum": "x", "list": ["a"]}
    assert schema.conform(good).value == good
    for wrong in ({"text": "abcd"}, {"list": ["a", "b", "c"]}, {"list": ["abc"]}):
        with pytest.raises(SchemaMismatchError):
            schema.conform({**good, **wrong})
    sent = schema.without_bounds()
    assert sent["properties"]["maximum"] == {"type": "string"}
    assert "maxItems" not in str(sent)
    assert "maxLength" not in str(sent)
    assert sent["required"] == ["text", "maximum", "list"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "object", "properties": {}, "required": []},
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "required": [],
            "additionalProperties": False,
        },
        strict_object({"a": {"type": "string", "pattern": "x"}}),
        strict_object({"a": {"enum": ["x"]}}),
        strict_object({"a": {"type": "array"}}),
        strict_object({"a": {"type": ["string", "null"]}}),
    ],
    ids=["root", "open", "optional", "pattern", "untyped", "no items", "union"],
)
def test_a_schema_that_would_not_be_checked_in_full_is_refused(schema):
    with pytest.raises(ValueError, match="schema"):
        ReplySchema(name="test", json_schema=schema)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcx"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(deadline=None, max_examples=300)
def test_whatever_comes_is_refused_or_fits_and_fits_again_unchanged(value):
    schema = schema_of(a=one_of("yes", "no"), b={"type": "array", "items": {"type": "number"}})
    try:
        conformed = schema.conform(value)
    except SchemaMismatchError:
        return
    again = schema.conform(conformed.value)
    assert again.value == conformed.value
    assert again.coercions == ()
