"""A value of a settings file is the value that a person sees there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.config import Settings
from metarag.errors import ConfigurationError, PromptError
from metarag.prompts import available_prompts, load_prompt
from metarag.written_yaml import parse_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12:30", "12:30"),
        ("1:30.5", "1:30.5"),
        ("017", 17),
        ("08", 8),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("2011-01-01", "2011-01-01"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("0x1F", 31),
        ("0o17", 15),
        ("!!int 017", 17),
        *((word, word) for word in ("yes", "no", "on", "off", "Yes", "NO", "y", "n", "inf", "nan", "=")),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("'1'", "1"),
    ],
)
def test_plain_words_are_what_yaml_1_2_says(text, value):
    read = parse_yaml(text)
    assert read == value
    assert type(read) is type(value)


@given(st.integers(), st.integers(0, 3))
def test_a_decimal_number_is_that_number_however_many_zeros_stand_in_front(number, zeros):
    sign, digits = ("-" if number < 0 else ""), str(abs(number))
    assert parse_yaml(f"{sign}{'0' * zeros}{digits}") == number


@given(st.floats(allow_nan=False))
def test_every_number_that_python_writes_is_read_as_it_is(number):
    assert parse_yaml(f"v: {number}".replace("inf", ".inf")) == {"v": number}


@pytest.mark.parametrize("text", ["!!int 12:30", "!!float 1:30.5", "!!int yes"])
def test_a_tag_makes_no_other_number_of_it(text):
    with pytest.raises(ValueError, match="is no"):
        parse_yaml(text)


def test_what_an_anchor_repeats_can_be_merged():
    assert parse_yaml("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}") == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
    }


def test_a_time_for_a_number_is_refused_with_the_file_the_name_and_what_was_read(tmp_path):
    (tmp_path / "s.yaml").write_text("neutral_reliability: 0:30\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"s\.yaml: neutral_reliability: .*number.*\(got '0:30'\)"):
        Settings.from_file(tmp_path / "s.yaml")


def test_no_is_an_answer_where_answers_are_asked_for_and_false_where_yes_or_no_is(tmp_path):
    text = (
        "options:\n  eligibility: {exclude_retracted: no}\n  paper_reliability: {favourable: [no, no, yes]}\n"
    )
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    options = Settings.from_file(tmp_path / "s.yaml").options
    assert options["paper_reliability"]["favourable"] == ["no", "no", "yes"]
    from metarag.stages.eligibility import EligibilityOptions

    assert EligibilityOptions(**options["eligibility"]).exclude_retracted is False


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *((f"s.{ending}", "") for ending in ("toml", "yaml", "yml", "json")),
        *((f"s.{ending}", " \n\n") for ending in ("toml", "yaml", "json")),
        *((f"s.{ending}", "# later\n") for ending in ("toml", "yaml")),
        ("s.json", "{}"),
        ("s.yaml", "{}"),
        ("s.json", "null"),
    ],
)
def test_an_empty_file_is_a_mistake_in_every_form(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=rf"{name} holds no setting; write one"):
        Settings.from_file(tmp_path / name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version: ", "version: 1:", r"version: .*integer"),
        ("purpose: ", "purpose: x\npurpose: ", "'purpose' stands twice"),
    ],
)
def test_a_prompt_of_a_user_is_read_by_the_same_rules(tmp_path, old, new, message):
    import metarag.prompts

    id = available_prompts()[0]
    shipped = (metarag.prompts.resources.files("metarag.prompts") / f"{id}.yaml").read_text(encoding="utf-8")
    (tmp_path / f"{id}.yaml").write_text(shipped.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(PromptError, match=message):
        load_prompt(id, tmp_path)
