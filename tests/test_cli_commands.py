"""An option that is given twice never silently takes the place of the first."""

import json

import pytest
from typer.main import get_command

from metarag.cli import app
from metarag.cli_commands import OnceCommand

QUESTION = "Does zinc cure fever?"


def commands(group, *names):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield pytest.param((*names, name), command, id=" ".join((*names, name)))


COMMANDS = list(commands(get_command(app)))


@pytest.mark.parametrize(("names", "command"), COMMANDS)
def test_every_command_looks_for_options_that_are_given_twice(metarag, names, command):
    assert isinstance(command, OnceCommand)
    single = [
        each.opts[0]
        for each in command.params
        if each.param_type_name == "option" and not each.multiple and not each.is_flag
    ]
    for option in single:
        done = metarag(*names, option, "1", option, "2")
        assert done.returncode == 2
        assert f"{option} is given 2 times" in done.stderr


def test_a_second_file_of_settings_is_refused_however_it_is_written(metarag, tmp_path):
    (tmp_path / "s.yaml").write_text("hierarchy: nhmrc\n", encoding="utf-8")
    done = metarag("ask", QUESTION, "--settings=s.yaml", "--settings", "s.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--settings is given 2 times, and only one could count; give it once" in done.stderr


def test_a_switch_may_stand_twice_and_its_opposite_may_not_stand_beside_it(metarag, records):
    assert metarag("rank", QUESTION, "--input", records, "--json", "--json").returncode == 0
    done = metarag("serve", "--pages", "--no-pages")
    assert done.returncode == 2
    assert "--pages/--no-pages is given 2 times" in done.stderr


def test_help_is_given_whatever_else_is_typed(metarag):
    assert metarag("ask", "--top", "1", "--top", "2", "--help").returncode == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("hierarchy=nhmrc", "hierarchy=melnyk"),
        ("weights.relevance=2", "weights.relevance=3"),
        ("weights.relevance=2", "weights={outcome: 1}"),
        ("weights={relevance: 2}", "weights.relevance=3"),
        ("options={eligibility: {exclude_retracted: false}}", "options={relevance: {min_relevance: 0.1}}"),
    ],
)
def test_one_setting_is_set_once(metarag, first, second):
    done = metarag("ask", QUESTION, "--set", first, "--set", second)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"--set {second.partition('=')[0]} is given twice" in done.stderr


def test_parts_of_one_setting_are_set_one_by_one(metarag, records):
    pairs = ("weights={relevance: 3}", "weights.reliability=4", "weights.applicability=5")
    done = metarag(
        "rank", QUESTION, "--input", records, "--json", *(x for pair in pairs for x in ("--set", pair))
    )
    settings = json.loads(done.stdout)["ranking"]["audit"]["signature"]["settings"]
    assert [settings[f"weights.{each}"] for each in ("relevance", "reliability", "applicability")] == [
        3,
        4,
        5,
    ]


def test_one_facet_is_given_once(metarag, records):
    metarag("rank", QUESTION, "--input", records, "--out", "run.json")
    pico = ("--pico", "population=children", "--pico", "population=adults")
    done = metarag("rerun", "run.json", *pico, "--note", "n", "--author", "a")
    assert done.returncode == 1
    assert "--pico population is given twice" in done.stderr
    setting = ("--setting", "hierarchy=nhmrc", "--setting", "hierarchy=melnyk")
    done = metarag("rerun", "run.json", *setting, "--note", "n", "--author", "a")
    assert "--setting hierarchy is given twice" in done.stderr
