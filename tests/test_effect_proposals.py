"""What a model proposes stands only where the text prints it."""

import math

import pytest
from pydantic import ValidationError

from metarag.effect_sizes import ProposedEffect, verify_proposed

TEXT = (
    "Sneezing was rarer with zinc: the ratio of hazards came to 0·76 (limits 0·63–0·92; P=0.004). "
    "Deaths numbered 12 of 100 on zinc and 24 of 98 on placebo. "
    "Per-protocol, the ratio of hazards came to 0.70 (90% CI 0.55–0.89)."
)


def propose(**values):
    return ProposedEffect(**{"quote": "0·76 (limits 0·63–0·92; P=0.004)", "measure": "HR", **values})


def test_a_proposal_whose_numbers_stand_in_the_quote_becomes_an_effect():
    effect = verify_proposed(TEXT, propose(estimate=0.76, lower=0.63, upper=0.92, p=0.004), where="abstract")
    assert (effect.estimate, effect.lower, effect.upper, effect.p) == (0.76, 0.63, 0.92, 0.004)
    assert effect.standard_error == pytest.approx(math.log(0.92 / 0.63) / (2 * 1.959964))
    assert "proposed" in effect.flags
    assert effect.poolable
    assert TEXT[effect.span.start : effect.span.end] == effect.span.text == "0·76 (limits 0·63–0·92; P=0.004)"


def test_a_quote_with_plain_signs_finds_its_place_in_the_text():
    effect = verify_proposed(
        TEXT, propose(quote="0.76 (limits 0.63-0.92", estimate=0.76, lower=0.63, upper=0.92)
    )
    assert effect.span.text == "0·76 (limits 0·63–0·92"


@pytest.mark.parametrize(
    "wrong",
    [
        {"estimate": 0.76, "lower": 0.63, "upper": 0.93},
        {"estimate": 0.67, "lower": 0.63, "upper": 0.92},
        {"estimate": 0.76, "lower": 0.63, "upper": 0.92, "p": 0.04},
        {"estimate": 0.76, "lower": 0.63, "upper": 0.92, "quote": "0.76 (0.63 to 0.92)"},
        {"estimate": 0.76, "lower": 0.63, "upper": 0.92, "quote": "Sneezing was rarer with zinc"},
        {"estimate": 0.76, "lower": 0.63, "upper": 0.92, "measure": "happiness"},
        {"estimate": 0.76, "lower": 0.63, "upper": 0.92, "measure": "AUC"},
        {"lower": 0.63, "upper": 0.92},
        {"quote": " "},
    ],
)
def test_an_invented_number_quote_or_measure_is_dropped(wrong):
    assert verify_proposed(TEXT, propose(**wrong)) is None


def test_the_level_and_the_role_are_read_here_not_taken_over():
    quote = "0.70 (90% CI 0.55–0.89)"
    effect = verify_proposed(TEXT, propose(quote=quote, estimate=0.70, lower=0.55, upper=0.89))
    assert effect.level == 90
    assert effect.role == "per_protocol"
    assert not effect.poolable


def test_an_inconsistent_proposal_is_flagged_like_any_effect():
    effect = verify_proposed(
        "HR 0.60 (95% CI 0.70-0.92)",
        propose(quote="0.60 (95% CI 0.70-0.92)", estimate=0.60, lower=0.70, upper=0.92),
    )
    assert "estimate_outside_ci" in effect.flags
    assert not effect.poolable


def test_counts_are_verified_and_recomputed():
    quote = "Deaths numbered 12 of 100 on zinc and 24 of 98 on placebo"
    counts = {"events_1": 12, "total_1": 100, "events_2": 24, "total_2": 98}
    effect = verify_proposed(TEXT, ProposedEffect(quote=quote, measure="2x2", **counts))
    assert effect.effect == pytest.approx(math.log(12 / 100 / (24 / 98)))
    assert (
        verify_proposed(TEXT, ProposedEffect(quote=quote, measure="2x2", **{**counts, "events_2": 25}))
        is None
    )
    assert verify_proposed(TEXT, ProposedEffect(quote=quote, measure="2x2", events_1=12, total_1=100)) is None


def test_a_proposal_cannot_carry_a_standard_error():
    with pytest.raises(ValidationError):
        propose(standard_error=0.1)
