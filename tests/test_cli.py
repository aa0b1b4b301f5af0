"""The command line as a person meets it: its two streams and its exit code."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import make_article

from metarag.runs import load_run

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"


def test_ask_answers_from_the_demo_corpus_and_writes_the_audit(metarag, tmp_path):
    done = metarag("ask", QUESTION, "--out", "run.json")
    assert done.returncode == 0
    assert "Answer" in done.stdout
    assert "PMID" in done.stdout
    assert "summary written for this project" in done.stdout
    assert "run.json" in done.stderr
    run = load_run(tmp_path / "run.json")
    assert run.ranking.audit.query.source
    assert set(run.answer.citations) <= {e.article.pmid or e.article.id for e in run.ranking}


def test_json_is_the_whole_run_and_nothing_else_on_stdout(metarag):
    done = metarag("ask", QUESTION, "--json")
    assert json.loads(done.stdout)["schema_id"] == "metarag-run/2"


def test_rank_orders_the_records_of_a_file(metarag, records):
    done = metarag("rank", "Does zinc cure fever?", "--input", records, "--out", "r.json")
    assert done.returncode == 0
    assert done.stdout.index("PMID 1") < done.stdout.index("PMID 2")
    assert "Left out (1)" in done.stdout
    assert "Retracted" in done.stdout


def test_explain_says_why_an_article_was_kept_or_left_out_with_numbers(metarag, records):
    metarag("rank", "Does zinc cure fever?", "--input", records, "--out", "r.json")
    kept = metarag("explain", "1", "--run", "r.json", "--full")
    assert "Rank 1 of 2" in kept.stdout
    assert "relevance = " in kept.stdout
    assert "reliability_weight = 1" in kept.stdout
    out = metarag("explain", "PMID 3", "--run", "r.json", "--full")
    assert "Left out" in out.stdout
    assert "eligibility.retracted" in out.stdout


def test_explain_takes_the_newest_run_by_itself(metarag, records):
    metarag("rank", "Does zinc cure fever?", "--input", records)
    assert "Rank 1" in metarag("explain", "1").stdout


def test_a_damaged_record_is_reported_and_the_rest_ranked(metarag, records, tmp_path):
    with records.open("a", encoding="utf-8") as stream:
        stream.write("{damaged\n")
    done = metarag("rank", "Does zinc cure fever?", "--input", records, "--out", "r.json")
    assert done.returncode == 0
    assert "records.jsonl, record 4" in done.stderr
    assert any("record 4" in w for w in load_run(tmp_path / "r.json").ranking.audit.warnings)


def test_an_index_is_built_searched_and_described(metarag, records):
    built = metarag("index", "build", records, "--index", "i.sqlite")
    assert built.returncode == 0
    assert "3" in built.stdout
    again = metarag("index", "build", records, "--index", "i.sqlite")
    assert again.returncode == 0
    asked = metarag("ask", "Does zinc cure fever?", "--index", "i.sqlite")
    assert "PMID 1" in asked.stdout
    assert "records" in metarag("index", "info", "--index", "i.sqlite").stdout


def test_ablate_ranks_with_every_combination_of_stages(metarag, records):
    done = metarag(
        "ablate", "Does zinc cure fever?", "--input", records, "--set", "stages=[eligibility, relevance]"
    )
    assert done.returncode == 0
    lines = [line.split("  ")[0] for line in done.stdout.splitlines()]
    assert {"(nothing)", "eligibility", "relevance", "eligibility, relevance"} <= set(lines)


def test_levels_lists_the_hierarchies_and_shows_one(metarag):
    listed = metarag("levels").stdout
    assert "metarag-2025" in listed
    assert "ocebm-2011" in listed
    shown = metarag("levels", "metarag-2025").stdout
    assert "Meta-Analysis" in shown or "meta analysis" in shown


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("ask", "?"), 1, "the question holds no word"),
        (("ask", " "), 1, "the question is empty"),
        (("ask", "x", "--index", "none.sqlite"), 1, "none.sqlite"),
        (("rank", "Does it work?", "--input", "none.xml"), 1, "none.xml"),
        (("explain", "1", "--run", "none.json"), 1, "there is no run file none.json"),
        (("explain", "1"), 1, "there is no run in metarag-runs"),
        (("ask", "Does it work?", "--set", "hierachy=nhmrc"), 1, "did you mean 'hierarchy'"),
        (("ask", "Does it work?", "--set", "hierarchy"), 1, "--set takes name=value"),
        (("ask", "Does it work?", "--set", "hierarchy=nhrmc"), 1, "did you mean 'nhmrc'"),
        (("levels", "nhrmc"), 1, "did you mean 'nhmrc'"),
        (("aks", "x"), 2, "No such command"),
        (("rank", "Does it work?"), 2, "--input"),
    ],
)
def test_a_users_mistake_ends_in_one_message_and_no_traceback(metarag, args, code, message):
    done = metarag(*args)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_article_that_was_not_retrieved_is_said_to_be_so(metarag, records):
    metarag("rank", "Does zinc cure fever?", "--input", records, "--out", "r.json")
    done = metarag("explain", "777", "--run", "r.json")
    assert done.returncode == 1
    assert "777 is not in this run: it was not among the 3 records" in done.stderr


def test_hostile_titles_cannot_write_to_the_terminal(metarag, tmp_path):
    article = make_article(pmid="1", title="Zinc \x1b]0;owned\x07\x1b[2J fever \u202e [bold]x[/bold]")
    (tmp_path / "r.jsonl").write_text(article.model_dump_json() + "\n", encoding="utf-8")
    done = metarag("rank", "Does zinc cure fever?", "--input", "r.jsonl", "--out", "o.json")
    shown = done.stdout + metarag("explain", "1", "--run", "o.json").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[bold]x[/bold]" in shown


def test_a_narrow_terminal_still_shows_score_and_reason(metarag, records):
    done = metarag("rank", "Does zinc cure fever?", "--input", records, columns="60")
    assert "PMID 1" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 60


def test_it_works_where_the_locale_is_not_utf_8(metarag, records, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "metarag", "rank", "Does zinc cure fever?", "--input", str(records), "--json"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)


def test_an_interrupt_ends_quietly_with_its_own_exit_code(tmp_path):
    fifo = tmp_path / "slow.jsonl"
    os.mkfifo(fifo)
    # Opened for both, so that neither side waits for the other: a command that dies must not hang the test.
    writer = os.open(fifo, os.O_RDWR)
    process = subprocess.Popen(
        [sys.executable, "-m", "metarag", "rank", "Does it work?", "--input", str(fifo)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 20
        while not reads(process.pid, fifo) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
        os.close(writer)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors


def reads(pid, path):
    """True once the process has the file open."""
    try:
        return any(opened.samefile(path) for opened in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def test_the_version_is_told(metarag):
    assert metarag("--version").stdout.startswith("metarag ")


def test_a_closed_pipe_is_no_error(records, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "metarag", "rank", "Does zinc cure fever?", "--input", str(records), "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    with process.stderr:
        errors = process.stderr.read()
    process.wait(timeout=60)
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


def test_an_answer_is_shown_even_where_its_run_cannot_be_kept(metarag, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = metarag("ask", "Does aspirin prevent a first heart attack?", "--out", "file/run.json")
    assert done.returncode == 1
    assert "aspirin" in done.stdout.casefold()
    assert "cannot be written" in done.stderr
