import json
from pathlib import Path

import pytest
from report_builders import Page

from metarag.report.formats import SUFFIXES

QUESTION = "Does zinc cure fever?"


@pytest.fixture
def run_file(metarag, records):
    metarag("rank", QUESTION, "--input", records, "--out", "runs/r.json")
    return Path("runs/r.json")


def test_ask_and_rank_write_the_report_beside_the_run(metarag, records):
    done = metarag("rank", QUESTION, "--input", records, "--out", "r.json", "--report", "r.html")
    assert done.returncode == 0
    assert "Report: r.html" in done.stderr
    assert "Zinc for fever" in Page(Path("r.html").read_text(encoding="utf-8")).text
    refused = metarag("rank", QUESTION, "--input", records, "--out", "r.json", "--report", "r.json")
    assert refused.returncode == 1
    assert "is the run file itself" in refused.stderr
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))


def test_the_report_of_a_run_is_made_later_too(metarag, run_file):
    done = metarag("audit", "report", run_file)
    assert done.returncode == 0
    assert "runs/r.html" in done.stderr
    assert QUESTION in Page(Path("runs/r.html").read_text(encoding="utf-8")).text


@pytest.mark.parametrize("name", [n for n in SUFFIXES if n not in ("json", "png")])
def test_each_format_is_written_beside_the_run(metarag, run_file, name):
    done = metarag("audit", "export", run_file, "--format", name)
    assert done.returncode == 0
    assert run_file.with_suffix(SUFFIXES[name]).stat().st_size > 100


def test_what_was_left_out_can_be_left_away(metarag, run_file):
    metarag("audit", "export", run_file, "--format", "ris", "--kept-only", "--out", "kept.ris")
    assert Path("kept.ris").read_text(encoding="utf-8").count("TY  - ") == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("export", "runs/r.json", "--format", "rsi"), "did you mean 'ris'"),
        (("export", "runs/r.json", "--format", "json"), "is the run file itself"),
        (("export", "runs/r.json", "--format", "svg", "--figure", "forest-9"), "has no figure 'forest-9'"),
        (("report", "none.json"), "there is no run 'none.json'"),
        (("report", "runs/r.json", "--out", "runs"), "cannot be written"),
    ],
)
def test_a_mistake_ends_in_one_message(metarag, run_file, args, message):
    done = metarag("audit", *args)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_schema_is_printed_and_nothing_else(metarag):
    assert json.loads(metarag("audit", "schema").stdout)["title"] == "RunRecord"


def test_the_report_of_a_changed_run_shows_what_changed_against_the_one_beside_it(metarag, run_file):
    metarag(
        "rerun",
        run_file,
        "--exclude",
        "1",
        "--author",
        "Dr Doe",
        "--note",
        "Wrong dose",
        "--out",
        "runs/c.json",
    )
    assert metarag("audit", "report", "runs/c.json").returncode == 0
    text = Page(Path("runs/c.html").read_text(encoding="utf-8")).text
    assert "Dr Doe" in text
    assert "Wrong dose" in text
    assert "not ranked, was rank 1" in text
    run_file.unlink()
    alone = metarag("audit", "report", "runs/c.json")
    assert alone.returncode == 0
    assert "does not show what changed" in alone.stderr


@pytest.mark.parametrize("args", [("audit", "report", "runs/r.json"), ("runs", "show", "runs/r.json")])
def test_a_run_that_is_not_as_it_was_written_is_shown_with_a_warning(metarag, run_file, args):
    assert "was changed" not in metarag(*args).stderr
    changed = run_file.read_text(encoding="utf-8").replace('"question"', '"question" ', 1)
    run_file.write_text(changed, encoding="utf-8")
    done = metarag(*args)
    assert done.returncode == 0
    assert "r.json: was changed after run" in " ".join(done.stderr.split())
    assert "metarag audit verify" in done.stderr


def test_explain_warns_of_a_changed_run_too(metarag, run_file):
    run_file.write_text(run_file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    done = metarag("explain", "1", "--run", run_file)
    assert "was changed after" in " ".join(done.stderr.split())
