"""The shared files of real questions, read as their authors wrote them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from metarag.evaluation.datasets import read_dataset

QUESTIONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "questions"
pytestmark = pytest.mark.skipif(
    not QUESTIONS.is_dir(), reason=f"the shared questions are not there: {QUESTIONS}"
)


@pytest.mark.parametrize(
    ("file", "name", "items"),
    [
        ("medqa_us_4opt.jsonl", "medqa", 413),
        ("medmcqa_dev_sample.jsonl", "medmcqa", 300),
        ("pubmedqa_pqal_dev.json", "pubmedqa", 500),
        ("mmlu", "mmlu", 500),
    ],
)
def test_every_question_is_read_and_none_is_left_out(file, name, items):
    data = read_dataset(QUESTIONS / file)
    assert (data.name, len(data)) == (name, items)
    assert not [problem for problem in data.problems if problem.left_out]
    assert all(problem.line for problem in data.problems)


STATED = re.compile(r"ans(?:wer)?[\s.:\-(]*(?:is\s*)?[('\"]*([a-d])[)'\". ]", re.IGNORECASE)


def test_medmcqa_counts_from_one_as_its_own_explanations_say():
    path = QUESTIONS / "medmcqa_dev_sample.jsonl"
    golds = {item.id: item.gold for item in read_dataset(path)}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    stated = {
        row["id"]: match[1].upper() for row in rows if (match := STATED.match((row["exp"] or "").strip()))
    }
    assert len(stated) > 50
    assert stated == {id: golds[id] for id in stated}


def test_pubmedqa_knows_the_article_of_each_question():
    data = read_dataset(QUESTIONS / "pubmedqa_pqal_dev.json")
    assert all(item.source_pmids == (item.id,) for item in data)
    golds = [item.gold_text for item in data]
    assert {golds.count(word) > 20 for word in ("yes", "no", "maybe")} == {True}
