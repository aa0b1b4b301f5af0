"""The shared sentences with the effects they report, scored by their own script."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from metarag.effect_sizes import extract_effects

SHARED = Path(__file__).resolve().parents[3] / "shared"
GOLD = SHARED / "cases" / "effects_public.jsonl"
SCORER = SHARED / "cases" / "score_effects.py"
pytestmark = pytest.mark.skipif(not GOLD.is_file(), reason=f"the shared cases are not there: {GOLD}")


def prediction(effect):
    return {
        "measure": effect.measure,
        "estimate": effect.estimate,
        "lo": effect.lower,
        "hi": effect.upper,
        "level": effect.level,
        "se": effect.standard_error,
        "poolable": effect.poolable,
        "events1": effect.events_1,
        "n1": effect.total_1,
        "events2": effect.events_2,
        "n2": effect.total_2,
        "m1": effect.mean_1,
        "sd1": effect.sd_1,
        "m2": effect.mean_2,
        "sd2": effect.sd_2,
    }


@pytest.fixture(scope="module")
def cases():
    return [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]


def test_the_public_sentences_are_read_without_a_miss(cases, tmp_path):
    predicted = tmp_path / "predicted.jsonl"
    rows = [
        {"id": case["id"], "effects": [prediction(effect) for effect in extract_effects(case["text"])]}
        for case in cases
    ]
    predicted.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    command = [sys.executable, str(SCORER), str(GOLD), str(predicted), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    score = json.loads(done.stdout)
    assert score["precision"] == 1.0
    assert score["recall"] == 1.0
    assert score["wrongly_poolable"] == 0
    right, of = map(int, score["se_correct"].split("/"))
    assert right == of > 30


def test_what_must_not_be_extracted_is_not_even_shown(cases):
    for case in cases:
        effects = extract_effects(case["text"])
        for trap in case["must_not_extract"]:
            number = float(trap["span"].rstrip("%"))
            assert all(number != effect.estimate for effect in effects), (case["id"], trap)


def test_printed_outcomes_and_orders_of_arms_are_found(cases):
    outcomes = [
        (expected["outcome"], [effect.outcome for effect in extract_effects(case["text"])])
        for case in cases
        for expected in case["expected"]
        if "outcome" in expected
    ]
    assert outcomes
    for wanted, found in outcomes:
        assert wanted in [outcome.lower() for outcome in found if outcome], (wanted, found)
