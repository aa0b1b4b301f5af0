"""Runs that are kept, changed and compared, from the command line."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from metarag.cli import app
from metarag.cli_verify import verify_command
from metarag.run_folder import find_run, newest_run, stored_runs

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    runner = CliRunner()
    for limit in ("12", "8"):
        path = folder / f"run-of-{limit}.json"
        done = runner.invoke(app, ["ask", QUESTION, "--limit", limit, "--out", str(path)])
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def folder(template, tmp_path):
    copied = tmp_path / "runs"
    copied.mkdir()
    for path in template.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    return copied


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def best(folder, name="run-of-12.json"):
    return json.loads((folder / name).read_text())["ranking"]["evidence"][0]["key"]


def test_runs_are_listed_with_what_they_hold_and_damaged_ones_are_told(folder):
    (folder / "half.json").write_text("{")
    done = run("runs", "list", "--folder", folder)
    assert done.exit_code == 0
    assert done.stdout.count("kept") == 2
    assert "half.json" in done.stderr


def test_a_folder_without_runs_says_how_to_make_one(tmp_path):
    assert "metarag ask" in run("runs", "list", "--folder", tmp_path).stdout


def test_a_run_is_shown_by_the_beginning_of_its_name(folder):
    done = run("runs", "show", "run-of-1", "--folder", folder, "--top", "2")
    assert QUESTION in done.stdout
    assert "Answer" in done.stdout


def test_a_name_of_two_runs_is_refused_with_both(folder):
    done = run("runs", "show", "run", "--folder", folder)
    assert done.exit_code == 1
    assert "run-of-12, run-of-8" in str(done.exception)


def test_an_exclusion_makes_a_child_that_says_who_and_why(folder):
    key = best(folder)
    before = (folder / "run-of-12.json").read_bytes()
    child = folder / "child.json"
    done = run(
        "rerun", "run-of-12", "--folder", folder, "--exclude", key, "--note", "flawed", "--author", "Dr Quill",
        "--out", child,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert f"Dr Quill: excluded {key} (flawed)" in done.stdout
    assert f"{key}: not ranked, was rank 1" in done.stdout
    assert (folder / "run-of-12.json").read_bytes() == before
    made = json.loads(child.read_text())
    assert made["parent"]["id"] == json.loads(before)["id"]
    assert "Dr Quill" in run("runs", "show", "child", "--folder", folder).stdout


def test_facets_and_settings_are_changed_from_the_command_line(folder):
    child = folder / "child.json"
    done = run(
        "rerun", "run-of-8", "--folder", folder, "--pico", "population=children", "--setting", "extrapolation=3",
        "--note", "n", "--author", "a", "--out", child,
    )  # fmt: skip
    assert done.exit_code == 1
    assert "there is no setting 'extrapolation'" in str(done.exception)
    done = run(
        "rerun", "run-of-8", "--folder", folder, "--pico", "population=children", "--setting", "weights.relevance=3",
        "--note", "n", "--author", "a", "--out", child,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    audit = json.loads(child.read_text())["ranking"]["audit"]
    assert audit["question"]["pico"]["population"] == "children"
    assert audit["signature"]["configuration"] == {"weights": {"relevance": 3.0}}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--exclude", "1"), "who changes the run and why"),
        (("--note", "n", "--author", "a"), "nothing would change"),
        (("--pico", "children", "--note", "n", "--author", "a"), "name=words"),
        (("--setting", "x", "--note", "n", "--author", "a"), "--setting takes name=value"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_change_that_cannot_be_made_is_told(folder, arguments, told):
    done = run("rerun", "run-of-8", "--folder", folder, *arguments)
    assert done.exit_code == 1
    assert told in str(done.exception)


def test_the_run_itself_cannot_be_the_output(folder):
    path = folder / "run-of-8.json"
    done = run(
        "rerun", path, "--exclude", best(folder, path.name), "--note", "n", "--author", "a", "--out", path
    )
    assert "name another file" in str(done.exception)


def test_two_runs_are_compared(folder):
    done = run("runs", "diff", "run-of-8", "run-of-12", "--folder", folder)
    assert done.exit_code == 0
    assert "was not ranked" in done.stdout


def test_verify_finds_a_changed_run(folder, capsys):
    import typer

    verify_command(folder)
    assert "2 runs are as they were written" in capsys.readouterr().out
    path = folder / "run-of-8.json"
    path.write_bytes(path.read_bytes().replace(b"magnesium", b"Magnesium", 1))
    with pytest.raises(typer.Exit) as ended:
        verify_command(folder)
    assert ended.value.exit_code == 1
    assert "run-of-8.json: was changed" in capsys.readouterr().out


def test_verify_with_a_digest_kept_elsewhere_finds_a_chain_written_anew(folder, capsys):
    import typer

    with pytest.raises(typer.Exit):
        verify_command(folder, head="0" * 64)
    assert "that you kept" in capsys.readouterr().out


def test_stored_runs_come_newest_first_and_the_newest_file_is_found(folder):
    stored = list(stored_runs(folder))
    assert [s.run.created_at for s in stored] == sorted((s.run.created_at for s in stored), reverse=True)
    assert find_run("run-of-8", folder) == folder / "run-of-8.json"
    assert newest_run(folder).suffix == ".json"


@pytest.mark.slow
def test_a_run_written_into_a_pipe_has_no_ledger(tmp_path):
    command = [sys.executable, "-m", "metarag", "ask", QUESTION, "--limit", "3", "--out", "/dev/stdout"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []
