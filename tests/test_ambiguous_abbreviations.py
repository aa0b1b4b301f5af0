"""An abbreviation of several meanings that stands alone in a question says as what it was read."""

import pytest
from builders import make_article

from metarag import rank
from metarag.pico_ambiguous import ambiguous_readings
from metarag.types import Question

TRIAL = make_article("1", "Heparin for pulmonary embolism", "Adults were given heparin or placebo.")


def test_it_is_told_before_the_ranking_and_changes_no_article():
    ranking = rank(Question(text="Does heparin prevent PE?"), [TRIAL])
    (warning,) = [w for w in ranking.audit.warnings if "PE" in w]
    assert "pulmonary embolism" in warning
    assert "pre-eclampsia" in warning


@pytest.mark.parametrize(
    "text",
    [
        "Does heparin prevent pulmonary embolism (PE)?",
        "Does heparin prevent PE in people with pulmonary embolism?",
        "Does heparin prevent embolism?",
        "does heparin prevent pe?",
    ],
)
def test_what_is_written_out_or_no_abbreviation_is_not_told(text):
    assert ambiguous_readings(text) == ()


def test_each_is_told_once_in_order():
    readings = ambiguous_readings("MS or PE, and again MS?")
    assert [reading.short for reading in readings] == ["MS", "PE"]
