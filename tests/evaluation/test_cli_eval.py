"""`metarag eval` as a researcher types it: own questions, own endpoint, two systems, a report."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from evaluation.test_ranking_experiment import QUESTION, ROWS
from llm.fake_server import FakeServer, completion, says, sends
from typer.testing import CliRunner

from metarag.cli import app
from metarag.evaluation.datasets import invented_questions

OWN = (
    {
        "question": "Which vitamin prevents scurvy?",
        "options": ["Vitamin C", "Vitamin D"],
        "answer": "Vitamin C",
    },
    {
        "question": "Which organ makes insulin?",
        "options": {"A": "The liver", "B": "The pancreas"},
        "answer": "B",
    },
    {"question": "Which drug is a statin?", "options": ["Aspirin", "Simvastatin"], "answer": "Simvastatin"},
)


def run(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in OWN), encoding="utf-8")
    return path


@pytest.fixture
def server():
    made = FakeServer((says("The answer is B."),))
    yield made
    made.stop()


@pytest.fixture
def answered(questions, server, tmp_path):
    folder = tmp_path / "experiment"
    options = (
        "--data",
        questions,
        "--model",
        "m",
        "--base-url",
        server.url,
        "--systems",
        "closed_book,plain@2",
    )
    done = run("run", folder, *options, "--prices", "1,2")
    assert done.exit_code == 0, done.output
    return folder, options


def test_own_questions_own_endpoint_two_systems(answered, server):
    folder, options = answered
    assert len(server.seen) == 6
    report = run("report", folder)
    assert "| own | m | closed_book | 3 | 1 | 66.7 [20.8, 93.9] |" in report.stdout
    assert "| own | m | plain@2 | closed_book | 3 | +0.0 [" in report.stdout
    again = run("run", folder, *options, "--prices", "1,2")
    assert again.exit_code == 0
    assert len(server.seen) == 6
    assert run("report", folder).stdout == report.stdout


def test_compare_takes_plain_for_plain_of_any_number(answered):
    folder, _ = answered
    assert "own / m / closed_book against plain@2: +0.0 points" in run("compare", folder).stdout
    wrong = run("compare", folder, "--baseline", "nonsense")
    assert wrong.exit_code == 1
    assert "no results of the baseline 'nonsense'; there are closed_book, plain@2" in str(wrong.exception)


@pytest.mark.parametrize("form", ["csv", "latex", "json", "svg"])
def test_reports_are_written_in_every_form(answered, tmp_path, form):
    folder, _ = answered
    path = tmp_path / f"report.{form}"
    assert run("report", folder, "--format", form, "--out", path).exit_code == 0
    assert "plain@2" in path.read_text(encoding="utf-8").replace(r"\_", "_")
    assert run("report", folder, "--format", "nonsense").exit_code == 2


def test_with_the_questions_a_report_tells_what_the_evidence_was_like(answered, questions):
    folder, _ = answered
    assert "| own | m | plain@2 |" in run("report", folder, "--data", questions).stdout.split("likeness")[1]
    assert "likeness" not in run("report", folder).stdout


def test_answers_are_exported_as_the_model_wrote_them(answered, questions, tmp_path):
    folder, _ = answered
    path = tmp_path / "samples.jsonl"
    assert run("export", folder, "--data", questions, "--out", path).exit_code == 0
    samples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(samples) == 6
    assert all(s["resps"] == [["The answer is B."]] and s["filtered_resps"] == ["B"] for s in samples)
    assert sorted({(s["doc_id"], s["target"], s["acc"]) for s in samples}) == [
        (0, "A", 0),
        (1, "B", 1),
        (2, "B", 1),
    ]
    lost = run("export", folder, "--data", "invented", "--out", path)
    assert "in none of the data sets" in str(lost.exception)


def test_a_dry_run_counts_and_leaves_the_folder_to_any_experiment(questions, server, tmp_path):
    folder = tmp_path / "experiment"
    options = ("--data", questions, "--model", "m", "--base-url", server.url)
    done = run("run", folder, *options, "--systems", "closed_book,recommended", "--judge", "--dry-run")
    assert "6 answers, 0 of them there already." in done.stdout
    assert "6 calls to answer; 90 at most to judge articles." in done.stdout
    assert "At most 32.0 calls a question" in done.stdout
    assert server.seen == []
    assert not folder.exists()
    assert run("run", folder, *options, "--systems", "closed_book").exit_code == 0


def test_another_experiment_is_refused_and_told(answered, questions, server):
    folder, options = answered
    refused = run("run", folder, *options, "--prices", "1,2", "--seeds", "1")
    assert refused.exit_code == 1
    assert "holds another experiment (seeds" in str(refused.exception)
    assert len(server.seen) == 6


def test_confidences_come_from_the_first_token(questions, tmp_path):
    body = completion("A")
    body["choices"][0]["logprobs"] = {
        "content": [
            {
                "token": "A",
                "logprob": -0.2877,
                "top_logprobs": [{"token": "A", "logprob": -0.2877}, {"token": "B", "logprob": -1.3863}],
            }
        ]
    }
    server = FakeServer((sends(json.dumps(body).encode()),))
    try:
        options = ("--data", questions, "--model", "m", "--base-url", server.url, "--systems", "closed_book")
        done = run("run", tmp_path / "e", *options, "--by", "logprobs", "--temperature", "0.5")
        assert done.exit_code == 0, done.output
        assert server.seen[0].body["logprobs"] is True
        assert server.seen[0].body["temperature"] == 0.5
    finally:
        server.stop()
    # Confidence 0.75, one of three right: mean of (0.25², 0.75², 0.75²).
    assert "| own | m | closed_book | 3 | 0 | 0.396 | 0.417 |" in run("report", tmp_path / "e").stdout


def test_without_a_model_words_are_counted_and_this_is_told(tmp_path):
    done = run("run", tmp_path / "e", "--data", "invented", "--systems", "plain", "--limit", "4")
    assert done.exit_code == 0
    assert "measures no model" in done.stderr
    assert "4/4 answers" in done.stderr
    assert "word-reader-1" in run("report", tmp_path / "e").stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--judge",), "--judge needs --model"),
        (("--base-url", "http://localhost:1/v1"), "--base-url needs --model"),
        (("--shard", "half"), "part i of n"),
        (("--seeds", "1.5"), "whole numbers"),
        (("--prices", "1"), "two numbers"),
        (("--by", "feeling"), "choose from text, logprobs"),
        (("--systems", "nonsense"), "no system 'nonsense'"),
        (("--systems", ""), "at least one system"),
    ],
    ids=str,
)
def test_what_is_typed_wrong_is_told_before_anything_is_written(tmp_path, options, told):
    done = run("run", tmp_path / "e", "--data", "invented", *options)
    assert done.exit_code != 0
    said = done.stderr.replace("│", " ") + str(done.exception)
    assert told in " ".join(said.split())
    assert not (tmp_path / "e" / "results.jsonl").exists()


def test_parts_in_two_folders_are_one_report(server, tmp_path):
    options = ("--data", "invented", "--model", "m", "--base-url", server.url, "--systems", "closed_book")
    folders = [tmp_path / "1", tmp_path / "2"]
    for part, folder in enumerate(folders, 1):
        assert run("run", folder, *options, "--shard", f"{part}/2").exit_code == 0
    gold = [item.gold for item in invented_questions()]
    shown = run("report", *folders).stdout
    assert f"| invented | m | closed_book | 20 | 1 | {100 * gold.count('B') / 20:.1f} [" in shown
    assert "not finished" not in shown


@pytest.mark.slow
def test_ctrl_c_says_that_the_same_command_goes_on(questions, tmp_path):
    server = FakeServer((says("Answer: B"), says("Answer: B"), says("Answer: B", after=60.0)))
    try:
        command = [
            sys.executable, "-m", "metarag", "eval", "run", str(tmp_path / "e"), "--data", str(questions),
            "--model", "m", "--base-url", server.url, "--systems", "closed_book", "--concurrency", "1",
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"NO_PROXY": "*"},
            cwd=Path(__file__).parents[2],
        )
        results = tmp_path / "e" / "results.jsonl"
        while not (results.exists() and len(server.seen) == 3):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "the same command goes on" in told
        assert len(results.read_text(encoding="utf-8").splitlines()) == 2
    finally:
        server.stop()


def test_ranking_is_measured_on_ones_own_screened_records(tmp_path):
    (tmp_path / "questions.json").write_text(json.dumps({"fever": QUESTION}), encoding="utf-8")
    with gzip.open(tmp_path / "fever.csv.gz", "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("pmid", "title", "abstract", "included"))
        writer.writerows(ROWS)
    done = run(
        "ranking", tmp_path, "--rankers", "bm25,recommended", "--bootstrap", "20", "--run", tmp_path / "trec"
    )
    assert done.exit_code == 0, done.output
    assert "| recommended | " in done.stdout
    assert "- fever: 6 records, 2 included" in done.stdout
    run_lines = (tmp_path / "trec" / "recommended.run").read_text(encoding="utf-8").splitlines()
    assert run_lines[0].split()[:4] == ["fever", "Q0", "90000001", "1"]
    assert "fever 0 90000001 1\n" in (tmp_path / "trec" / "qrels.txt").read_text(encoding="utf-8")
    assert run("ranking", tmp_path, "--format", "nonsense").exit_code == 2
    assert run("ranking", tmp_path / "trec").exit_code == 1
