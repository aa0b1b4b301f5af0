"""The shared cases of replies to multiple-choice questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metarag.evaluation.answers import parse_answer

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "cases" / "answer_parse_public.jsonl"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason=f"the shared cases are not there: {CASES}")


def test_all_forty_replies_are_read_and_none_is_invented():
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 40
    read = [(case, parse_answer(case["text"], case["options"])) for case in cases]
    assert not [
        (case["text"], case["expected"], found) for case, found in read if found.letter != case["expected"]
    ]
