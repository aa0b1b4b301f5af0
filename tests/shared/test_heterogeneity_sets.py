"""What the guard does to the classic sets on which naive filters go wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from metarag.heterogeneity_guard import find_conflict, guard

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "cases" / "meta_reference_public.json"
pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason=f"{REFERENCE} is not on this machine")

SETS = (
    {d["id"]: d for d in json.loads(REFERENCE.read_text(encoding="utf-8"))["datasets"]}
    if REFERENCE.exists()
    else {}
)


def effects_of(name):
    expected = SETS[name]["expected"]
    return np.array(expected["yi"], dtype=float), np.array(expected["vi"], dtype=float)


@pytest.mark.parametrize("name", sorted(SETS))
def test_no_classic_set_loses_a_study(name):
    y, v = effects_of(name)
    assert guard(y, v, [None] * y.size).excluded == ()


def test_the_magnesium_trials_keep_the_largest():
    y, v = effects_of("li2007_or")
    assert guard(y, v, [None] * y.size).excluded == ()


def test_the_bcg_trials_come_back_whole():
    y, v = effects_of("bcg_rr")
    assert guard(y, v, [None] * y.size).excluded == ()
    assert find_conflict(y, v).status != "none"
