"""The file of hierarchies: what is shipped, and what a faulty file is told."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import ConfigurationError, EvidenceLevelsError
from metarag.evidence_level_loader import read_yaml
from metarag.evidence_levels import load_hierarchies
from metarag.hierarchy import Hierarchies
from metarag.records import PublicationType
from metarag.types import DesignFinding, QuestionKind, StudyDesign

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence-levels.md"

OWN = """\
publication_types:
  - {name: Ward Diary, ui: null}
hierarchies:
  ours:
    title: Levels of the house
    sources: [{title: House rules, year: 2026, where: the shelf}]
    tables:
      - name: all questions
        levels:
          - id: A
            label: Trials
            weight: 0.8
            designs: [randomized_trial]
          - id: B
            label: Cohorts
            weight: 0.5
            designs: [cohort]
            publication_types: [Observational Study, Ward Diary]
"""


@pytest.fixture(scope="module")
def shipped() -> Hierarchies:
    return load_hierarchies()


@pytest.fixture
def load(tmp_path):
    def write_and_load(text: str | bytes) -> Hierarchies:
        path = tmp_path / "mine.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return load_hierarchies(path)

    return write_and_load


def message(load, text: str | bytes) -> str:
    with pytest.raises(EvidenceLevelsError) as caught:
        load(text)
    return str(caught.value)


def test_four_hierarchies_are_shipped_each_with_its_source_and_what_is_ours(shipped):
    assert shipped.names == ("metarag-2025", "ocebm-2011", "nhmrc", "melnyk")
    for hierarchy in shipped.hierarchies.values():
        assert all(source.title and source.where and source.year > 1990 for source in hierarchy.sources)
        assert hierarchy.from_source
        assert hierarchy.ours


def test_weights_leave_room_at_both_ends_and_between_levels(shipped):
    for hierarchy in shipped.hierarchies.values():
        for table in hierarchy.tables:
            weights = [1.0, *(level.weight for level in table.levels), 0.0]
            assert all(a - b > 0.05 for a, b in pairwise(weights)), table.name


def test_the_uis_of_the_vocabulary_are_unique_and_the_unfound_are_none(shipped):
    uis = [listed.ui for listed in shipped.publication_types if listed.ui]
    assert len(uis) == len(set(uis)) > 45
    unfound = {listed.name for listed in shipped.publication_types if listed.ui is None}
    assert unfound == {"Network Meta-Analysis", "Scoping Review", "Cohort Study"}


def test_the_page_shows_every_hierarchy_level_and_weight(shipped):
    page = PAGE.read_text(encoding="utf-8")
    for name, hierarchy in shipped.hierarchies.items():
        section = re.search(rf"^## `{re.escape(name)}`.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
        assert section, f"{name} has no section"
        for source in hierarchy.sources:
            assert str(source.year) in section.group(), f"{name}: {source.year}"
        for table in hierarchy.tables:
            for level in table.levels:
                row = f"| {level.id} | {level.weight:.2f} |"
                assert row in section.group(), f"{name}: no row {row!r}"


def test_the_pages_example_of_an_own_file_is_one(load):
    example = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert load(example.group(1)).names == ("ours-2026",)


def test_the_digest_is_of_the_content_not_of_its_layout(load):
    digest = load(OWN).digest
    assert re.fullmatch("[0-9a-f]{12}", digest)
    assert load("# a note\n" + OWN.replace("weight: 0.8", "weight:   0.80")).digest == digest
    assert load(OWN.replace("weight: 0.8", "weight: 0.81")).digest != digest


def test_hierarchies_cannot_be_changed(shipped):
    with pytest.raises(ValueError, match="frozen"):
        shipped.get("nhmrc").tables[0].levels[0].weight = 1.0


def test_an_unknown_hierarchy_is_answered_with_the_closest_name(shipped):
    with pytest.raises(EvidenceLevelsError, match=r"'ocbem-2011'; did you mean 'ocebm-2011'"):
        shipped.get("ocbem-2011")


def test_a_users_file_replaces_the_hierarchies_and_knows_the_shipped_types(load):
    own = load(OWN)
    assert own.names == ("ours",)
    ours = own.get("ours")
    assert ours.level_for(DesignFinding(design=StudyDesign.COHORT)).id == "ours:B"
    by_ui = ours.level_for_types([PublicationType(name="renamed", ui="D064888")])
    assert by_ui is not None
    assert by_ui.level == "B"
    assert ours.level_for_types([PublicationType(name="ward diary")]).level == "B"


def test_a_path_may_be_text_and_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN, encoding="utf-8-sig")
    assert load_hierarchies(str(path)).names == ("ours",)


def test_levels_may_be_numbered_without_quotes(load):
    own = load(OWN.replace("id: A", "id: 2").replace("id: B", "id: 1"))
    assert [level.id for level in own.get("ours").tables[0].levels] == ["2", "1"]


CASES = {
    "a repeated key": (
        ("title: Levels", "title: X\n    title: Levels"),
        ["line 6", "'title'", "second time"],
    ),
    "weights out of order": (
        ("weight: 0.5", "weight: 0.8"),
        ["line 16", "hierarchy 'ours'", "table 'all questions'", "level 'B'", "0.8 is not below 0.8"],
    ),
    "a weight of one": (("weight: 0.8", "weight: 1.0"), ["line 12", "level 'A'", "weight", "less than 1"]),
    "a weight of zero": (("weight: 0.5", "weight: 0"), ["line 16", "level 'B'", "greater than 0"]),
    "a weight in words": (("weight: 0.8", "weight: high"), ["line 12", "weight", "'high'"]),
    "a weight that is no number": (("weight: 0.8", "weight: .nan"), ["line 12", "level 'A'", "weight"]),
    "a yes for a weight": (("weight: 0.8", "weight: true"), ["line 12", "weight"]),
    "an unknown design": (
        ("[randomized_trial]", "[randomised_trial]"),
        ["line 13", "level 'A'", "did you mean 'randomized_trial'"],
    ),
    "a design without results": (
        ("[cohort]", "[cohort, protocol]"),
        ["level 'B'", "protocol cannot have a level"],
    ),
    "an unknown design as a level": (("[cohort]", "[unknown]"), ["level 'B'", "unknown cannot have a level"]),
    "an unknown type": (
        ("[Observational Study,", "[Observational Studies,"),
        ["line 18", "level 'B'", "did you mean 'Observational Study'", "publication_types at the top"],
    ),
    "a design in two levels": (
        ("[cohort]", "[cohort, randomized_trial]"),
        ["line 17", "level 'B'", "'randomized_trial'"],
    ),
    "a design twice in one level": (("[cohort]", "[cohort, cohort]"), ["line 17", "level 'B'", "'cohort'"]),
    "a type in two levels": (
        ("designs: [randomized_trial]", "added_publication_types: [Observational Study]"),
        ["line 18", "level 'B'", "'Observational Study'"],
    ),
    "an empty level": (("            designs: [randomized_trial]\n", ""), ["line 10", "level 'A'", "empty"]),
    "two levels of one name": (("id: B", "id: A"), ["line 14", "level 'A'", "second time"]),
    "a missing source": (
        ("    sources: [{title: House rules, year: 2026, where: the shelf}]\n", ""),
        ["hierarchy 'ours'", "sources", "required"],
    ),
    "no source in the list": (
        ("[{title: House rules, year: 2026, where: the shelf}]", "[]"),
        ["line 6", "sources"],
    ),
    "a misspelt field": (("label: Cohorts", "lable: Cohorts"), ["line 15", "lable", "level 'B'"]),
    "a type declared again": (("name: Ward Diary", "name: review"), ["line 2", "known already as 'Review'"]),
    "a ui declared again": (
        ("ui: null", "ui: D016449"),
        ["line 2", "known already as 'Randomized Controlled Trial'"],
    ),
    "others that is no level": (
        ("- name: all questions", "- name: all questions\n        others: Z"),
        ["line 9", "no level 'Z'"],
    ),
    "a name inside": (("title: Levels of", "name: theirs\n    title: Levels of"), ["'ours'", "'theirs'"]),
    "an unknown kind": (
        ("- name: all questions", "- name: all questions\n        kinds: [cure]"),
        ["line 9", "kinds", "'cure'"],
    ),
    "another version": (
        ("publication_types:\n  -", "version: 2\npublication_types:\n  -"),
        ["line 1", "version"],
    ),
    "an alias": (("[cohort]", "&x [cohort]"), ["line 17", "anchors"]),
    "a tag": (("title: Levels", "title: !!str Levels"), ["line 5", "tags"]),
    "two documents": (
        ("publication_types:\n  -", "---\na: 1\n---\npublication_types:\n  -"),
        ["more than one document"],
    ),
    "no YAML": (("[cohort]", "[cohort"), ["line 18", "not YAML"]),
    "a list for a key": (("title: Levels of the house", "[a]: b"), ["line 5", "a key must be"]),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fault_is_named_with_its_place(load, case):
    (old, new), expected = CASES[case]
    assert OWN.count(old) == 1
    said = message(load, OWN.replace(old, new))
    assert "mine.yaml" in said
    for words in expected:
        assert words in said


def test_all_faults_are_told_at_once_in_the_order_of_the_file(load):
    faulty = OWN.replace("weight: 0.8", "weight: 8").replace("[cohort]", "[cohorte]")
    first, second = message(load, faulty).splitlines()
    assert "line 12" in first
    assert "line 17" in second


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "must be a mapping"),
        ("- a\n- b\n", "must be a mapping"),
        ("hierarchies: 3\n", "line 1"),
        ("hierarchies: {}\n", "hierarchies"),
        ("[" * 200_000, "not YAML|nested deeper"),
        ("a: " + "[" * 30 + "]" * 30, "line 1: nested deeper than 16"),
        ("\x00", "not YAML"),
        (b"a: \xff\xfe", "line 1: not UTF-8"),
        (OWN.encode("utf-16"), "not UTF-8"),
        (b"#" * 1_000_001, "larger than 1,000,000 bytes"),
    ],
    ids=["empty", "list", "number", "none", "brackets", "deep", "control", "latin", "utf-16", "large"],
)
def test_what_is_no_file_of_levels_is_refused(load, text, expected):
    assert re.search(expected, message(load, text))


def test_sixteen_levels_of_nesting_are_taken_and_no_more():
    assert read_yaml("x", "[" * 16 + "]" * 16).value is not None
    with pytest.raises(EvidenceLevelsError, match="nested deeper than 16"):
        read_yaml("x", "[" * 17 + "]" * 17)


def test_a_bomb_of_aliases_is_refused_before_it_grows(load):
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    assert "line 1: anchors" in message(load, bomb)


def test_a_file_that_cannot_be_read_is_a_setting_gone_wrong(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            load_hierarchies(path)


def test_a_review_of_case_series_must_be_placed_below_the_trials(load):
    trials = OWN.replace("[randomized_trial]", "[randomized_trial, systematic_review]")
    said = message(load, trials)
    assert "level 'A'" in said
    assert "labelled: {of_case_series: [systematic_review]}" in said
    placed = trials.replace(
        "[cohort]", "[cohort]\n            labelled: {of_case_series: [systematic_review]}"
    )
    finding = DesignFinding(design=StudyDesign.SYSTEMATIC_REVIEW, labels=("of_case_series",))
    assert load(placed).get("ours").level_for(finding).level == "B"


def test_two_tables_cannot_serve_one_kind_of_question(load):
    table = OWN[OWN.index("      - name") :]
    first = OWN.replace("- name: all questions", "- name: all questions\n        kinds: [diagnosis]")
    second = table.replace("all questions", "more").replace(
        "        levels", "        kinds: [diagnosis]\n        levels"
    )
    assert "kind of question 'diagnosis' stands here a second time" in message(load, first + second)
    assert "kinds are missing" in message(load, first + table.replace("all questions", "more"))
    prognosis = load(first + second.replace("[diagnosis]", "[prognosis]")).get("ours")
    assert prognosis.table_for(QuestionKind.PROGNOSIS).name == "more"


def test_words_that_older_yaml_takes_for_other_things_stay_words():
    text = "a: no\nb: on\nc: 2011-01-01\nd: 1:30\ne: 0o7\nf: '7'\ng: ~\nh: 1.5e3\ni: -3\nj:\n"
    assert read_yaml("x", text).value == {
        "a": "no", "b": "on", "c": "2011-01-01", "d": "1:30", "e": "0o7", "f": "7",
        "g": None, "h": 1500.0, "i": -3, "j": None,
    }  # fmt: skip


def test_without_libyaml_the_file_reads_the_same(shipped, monkeypatch, load):
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert load_hierarchies().digest == shipped.digest
    assert "nested deeper" in message(load, "[" * 200_000)
    assert "line 18" in message(load, OWN.replace("[cohort]", "[cohort"))


words = st.text("abcdefghnotrue", min_size=1, max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60)
@given(values)
def test_what_a_writer_of_yaml_writes_is_read_back(value):
    assert read_yaml("x", yaml.safe_dump(value)).value == value


@settings(deadline=None, max_examples=150)
@given(st.text("ab:-[]{}&*!#'\"\n |>?,%@`\t~0.\\", max_size=60))
def test_no_text_raises_anything_but_the_librarys_own_error(text):
    try:
        marked = read_yaml("x", text)
    except EvidenceLevelsError:
        return
    assert all(1 <= line <= text.count("\n") + 1 for line in marked.lines.values())
