import os

import pytest

from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.presets import build_pipeline
from metarag.types import QuestionKind


def test_the_defaults_are_the_recommended_preset():
    assert Settings().preset == "recommended"
    assert Settings().stage_names()[0] == "eligibility"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.toml", 'hierarchy = "nhmrc"\nkind = "prognosis"\n[weights]\nrelevance = 2.0\n'),
        ("s.yaml", "hierarchy: nhmrc\nkind: prognosis\nweights: {relevance: 2.0}\n"),
        ("s.json", '{"hierarchy": "nhmrc", "kind": "prognosis", "weights": {"relevance": 2.0}}'),
    ],
)
def test_the_same_settings_can_be_written_in_three_forms(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    settings = Settings.from_file(tmp_path / name)
    assert settings.hierarchy == "nhmrc"
    assert settings.kind is QuestionKind.PROGNOSIS
    assert settings.weights.relevance == 2.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hierachy": "x"}, r"no setting 'hierachy'; did you mean 'hierarchy'"),
        ({"preset": "recomended"}, r"no preset 'recomended'; did you mean 'recommended'"),
        ({"without": ("reliabilty",)}, r"cannot leave out 'reliabilty'.*did you mean 'reliability'"),
        ({"neutral_reliability": 2}, r"neutral_reliability: .*less than 1 \(got 2\)"),
        ({"weights": {"relevance": -1}}, r"weights.relevance: .*greater than or equal to 0"),
        ({"kind": "cure"}, r"kind: .*therapy"),
    ],
)
def test_a_wrong_setting_is_named_with_what_would_be_right(values, message):
    with pytest.raises(ConfigurationError, match=message):
        Settings.from_mapping(values)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.ini", b"a=1", r"must end in \.toml, \.json, \.yaml, \.yml"),
        ("s.toml", b"a = = 1", "cannot be parsed"),
        ("s.yaml", b"a: [1", "cannot be parsed"),
        ("s.json", b"[1]", "must hold names and values, not a list"),
        ("s.toml", b"\xff\xfe", "cannot be read"),
    ],
)
def test_a_file_that_holds_no_settings_says_why(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=message) as caught:
        Settings.from_file(tmp_path / name)
    assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml cannot be read"):
        Settings.from_file(tmp_path / "nowhere.toml")


def test_a_stage_can_be_left_out():
    assert "relevance" not in Settings(without=("relevance",)).stage_names()


def test_yaml_cannot_make_objects(tmp_path):
    (tmp_path / "s.yaml").write_text("hierarchy: !!python/object/apply:os.system ['true']", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be parsed"):
        Settings.from_file(tmp_path / "s.yaml")


@pytest.mark.parametrize("field", ["stages", "without"])
def test_one_name_may_stand_alone(field):
    assert getattr(Settings.from_mapping({field: "relevance"}), field) == ("relevance",)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.yaml", "a: " + "[" * 100_000),
        ("s.json", '{"a": ' + "[" * 100_000),
        ("s.toml", "a = " + "[" * 100_000),
        ("s.yaml", "kind: 2020-13-45"),
        ("s.yaml", "neutral_reliability: " + "9" * 5000),
        ("s.json", '{"neutral_reliability": ' + "9" * 5000 + "}"),
    ],
)
def test_a_file_that_no_parser_can_finish_is_refused_by_name(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=rf"settings file .*{name}"):
        Settings.from_file(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1: x", "names of settings are text, not 1"),
        ("weights: {1: 2}", "weights"),
        ("options: {eligibility: {1: 2}}", "options"),
        ("weights: 0x" + "f" * 5000, "a very large int"),
    ],
)
def test_names_and_values_of_any_type_are_refused_with_a_message(tmp_path, text, message):
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        Settings.from_file(tmp_path / "s.yaml")


def test_a_value_that_unfolds_without_end_is_shown_by_its_beginning(tmp_path):
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    # 2 to the 60th elements, if anything walked through them.
    (tmp_path / "s.yaml").write_text("weights:\n  " + "\n  ".join(lines), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"weights\.a0"):
        Settings.from_file(tmp_path / "s.yaml")


def test_only_a_small_regular_file_holds_settings(tmp_path):
    os.mkfifo(tmp_path / "s.yaml")
    (tmp_path / "s.json").write_bytes(b" " * 1_000_001)
    for name, message in (("s.yaml", "name a file"), ("s.json", "larger than 1,000,000 bytes")):
        with pytest.raises(ConfigurationError, match=message):
            Settings.from_file(tmp_path / name)


def test_a_byte_order_mark_is_no_part_of_the_settings(tmp_path):
    (tmp_path / "s.json").write_bytes(b'\xef\xbb\xbf{"hierarchy": "nhmrc"}')
    assert Settings.from_file(tmp_path / "s.json").hierarchy == "nhmrc"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.json", '{"hierarchy": "nhmrc", "hierarchy": "melnyk"}'),
        ("s.json", '{"weights": {"hierarchy": 1, "hierarchy": 1}}'),
        ("s.yaml", "hierarchy: nhmrc\nhierarchy: melnyk\n"),
        ("s.yaml", "options: [{a: 1}, {hierarchy: 1, hierarchy: 2}]\n"),
    ],
)
def test_a_setting_that_is_written_twice_is_refused_because_nobody_knows_which_is_meant(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=rf"{name} cannot be parsed: the name 'hierarchy' stands twice"
    ):
        Settings.from_file(tmp_path / name)


def test_true_is_no_number():
    with pytest.raises(
        ConfigurationError, match=r"settings: weights\.relevance: expected a number, got true or"
    ):
        Settings.from_mapping({"weights": {"relevance": True}})


def test_true_is_no_number_in_the_options_of_a_stage_and_stays_what_it_is_elsewhere():
    wrong = Settings(options={"extrapolation": {"weights": {"outcome": True}}})
    with pytest.raises(
        ConfigurationError, match=r"stage 'extrapolation': weights\.outcome: expected a number"
    ):
        build_pipeline(wrong)
    build_pipeline(Settings(options={"eligibility": {"exclude_retracted": False}}))


@pytest.mark.parametrize("text", ["kind: !!bool perhaps", "kind: !!timestamp perhaps", 'kind: "\\UFFFFFFFF"'])
def test_a_tag_or_sign_that_fits_nothing_is_told_as_a_fault_of_the_file(tmp_path, text):
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"s\.yaml cannot be parsed"):
        Settings.from_file(tmp_path / "s.yaml")
