import pytest

from metarag.config import Settings
from metarag.errors import ConfigurationError
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
        ("s.yaml", b"", "must hold names and values, not a NoneType"),
        ("s.toml", b"\xff\xfe", "cannot be read"),
    ],
)
def test_a_file_that_holds_no_settings_says_why(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=message) as caught:
        Settings.from_file(tmp_path / name)
    assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="nowhere.toml cannot be read"):
        Settings.from_file(tmp_path / "nowhere.toml")


def test_a_stage_can_be_left_out():
    assert "relevance" not in Settings(without=("relevance",)).stage_names()


def test_yaml_cannot_make_objects(tmp_path):
    (tmp_path / "s.yaml").write_text("hierarchy: !!python/object/apply:os.system ['true']", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be parsed"):
        Settings.from_file(tmp_path / "s.yaml")
