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
def test_no_public_set_loses_a_study_that_is_not_a_planted_error(name):
    y, v = effects_of(name)
    result = guard(y, v, [None] * y.size)
    if "gross_outlier" in name:
        assert len(result.excluded) == 1
    else:
        assert result.excluded == ()


def test_the_magnesium_trials_keep_the_largest():
    y, v = effects_of("li2007_or")
    assert int(np.argmin(v)) not in guard(y, v, [None] * y.size).excluded


@pytest.mark.parametrize("name", [n for n in sorted(SETS) if "two_clusters" in n or "sign_split" in n])
def test_splits_come_back_whole_as_conflicts(name):
    y, v = effects_of(name)
    assert find_conflict(y, v).status in {"direction_conflict", "two_clusters"}
    assert guard(y, v, [None] * y.size).excluded == ()
