"""The documentation is complete: what can be set, called or raised is named in it."""

import re
import tomllib
from pathlib import Path

import pytest
import typer.main
from builders import make_article

from metarag import errors
from metarag.cli import app
from metarag.config import PRESETS, Settings
from metarag.pipeline import Pipeline
from metarag.stages.registry import load_stage, stage_names

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(group=None, prefix="metarag"):
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def row_of(start):
    return next((line for line in REFERENCE.splitlines() if line.startswith(f"| `{start}` |")), "")


@pytest.mark.parametrize("name", stage_names())
def test_every_stage_and_each_of_its_options_is_documented(name):
    row = row_of(name)
    assert row
    missing = [f for f in load_stage(name).options_type.model_fields if f"`{f}`" not in row]
    assert not missing


@pytest.mark.parametrize("setting", Settings.model_fields)
def test_every_setting_is_documented(setting):
    assert f"`{setting}`" in REFERENCE


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_documented(preset):
    assert f"`{preset}`" in REFERENCE


@pytest.mark.parametrize(
    ("name", "command"), list(commands()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_has_help_and_each_of_its_options_is_documented(name, command):
    row = row_of(name)
    assert row
    assert command.help
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--") and option != "--help":
                assert f"`{option}`" in row


@pytest.mark.parametrize(
    "name", [n for n, v in vars(errors).items() if isinstance(v, type) and v.__module__ == errors.__name__]
)
def test_every_error_is_documented(name):
    assert f"`{name}`" in REFERENCE


def test_every_extra_is_documented():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all(f"`{extra}`" in REFERENCE for extra in project["optional-dependencies"])


def test_nothing_is_documented_that_is_not_there():
    known = {name for name, _ in commands()}
    for name in re.findall(r"^\| `(metarag [a-z ]+)` \|", REFERENCE, re.MULTILINE):
        assert name in known
    for stage in re.findall(r"^\| `([a-z_]+)` \| [a-zA-Z]", REFERENCE.split("## Settings")[0], re.MULTILINE):
        assert stage in stage_names()


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda p: p.name)
def test_every_page_is_short_and_its_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    for target in re.findall(r"`((?:docs|data|benchmarks|validation)/[\w./-]+)`", text + README):
        assert (ROOT / target).exists(), target


def test_the_library_example_of_the_readme_runs(capsys):
    (example,) = re.findall(r"```python\n(from metarag import MetaRag.*?)```", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "metarag-2025" in shown
    assert "PMID" in shown


def test_the_stage_of_the_reference_page_runs():
    (example,) = re.findall(r"```python\n(from metarag.audit.*?)```", REFERENCE, re.DOTALL)
    names = {}
    exec(compile(example, "reference.md", "exec"), names)
    articles = [make_article(pmid="1", languages=("eng",)), make_article(pmid="2", languages=("fre",))]
    ranking = Pipeline([names["EnglishOnly"]()]).rank("Does it work?", articles)
    assert [item.key for item in ranking] == ["pmid:1"]
    assert ranking.excluded[0].key == "pmid:2"
