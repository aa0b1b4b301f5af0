"""A ratio beside its arm data takes from them the outcome and comparison that it does not name."""

import pytest
from builders import make_article, make_evidence

from metarag.heterogeneity_tables import MAX_APART, with_table_keys
from metarag.pooling import candidates_from, group_effects
from metarag.types import EffectEstimate, Span


def effect(start, **fields):
    fields = {"outcome_key": None, "comparison_key": None, "orientation": None} | fields
    return EffectEstimate(span=Span(where="abstract", start=start, end=start + 5, text="1 / 2"), **fields)


def table(start=0, **fields):
    named = {"outcome_key": "death", "comparison_key": "zinc|placebo", "orientation": "harm"}
    base = {"measure": "2x2", "effect": -0.27, "standard_error": 0.13, "scale": "log", "role": "same_outcome"}
    return effect(start, **(base | named | {"arms_known": True} | fields))


def ratio(start=20, **fields):
    base = {"measure": "RR", "effect": -0.274, "standard_error": 0.14, "scale": "log", "poolable": True}
    return effect(start, **(base | fields))


def keys(one):
    return one.outcome_key, one.comparison_key, one.orientation


def test_the_ratio_of_a_table_has_its_keys_and_only_the_nearest_has_them():
    first, second = with_table_keys([table(), ratio(), ratio(60)])[1:]
    assert keys(first) == ("death", "zinc|placebo", "harm")
    assert keys(second) == (None, None, None)


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ({"role": "study"}, {}),
        ({"arms_known": False}, {}),
        ({"measure": "means"}, {}),
        ({}, {"effect": 0.4}),
        ({}, {"outcome_key": "stroke"}),
        ({}, {"orientation": "benefit"}),
        ({}, {"measure": "MD"}),
        ({}, {"poolable": False}),
        ({}, {"start": MAX_APART + 6}),
    ],
    ids=str,
)
def test_what_is_not_clearly_the_same_result_takes_nothing(given, near):
    one = ratio(**near)
    assert with_table_keys([table(**given), one])[1] == one


def test_what_the_ratio_names_itself_stays():
    found = with_table_keys([table(), ratio(comparison_key="zinc|placebo", outcome_key="death")])[1]
    assert keys(found) == ("death", "zinc|placebo", "harm")


def test_two_tables_give_their_keys_to_two_ratios():
    effects = [table(), ratio(20), table(40, outcome_key="stroke"), ratio(60)]
    assert [one.outcome_key for one in with_table_keys(effects)] == ["death", "death", "stroke", "stroke"]


def test_a_trial_that_names_its_outcome_at_the_counts_only_is_pooled_by_its_ratio():
    text = (
        "By 28 days there had been deaths in 90 of 1159 patients allocated zinc (7.8%) vs 118 of 1157 allocated"
        " placebo (10.3%), relative risk 0.76 (95% CI 0.57 to 0.99)."
    )
    trial = make_evidence(make_article("1", "Zinc for fever", text, types=("Randomized Controlled Trial",)))
    (pool,) = group_effects(candidates_from([trial])).pools
    assert (pool.key.measure, pool.key.outcome_key, pool.k) == ("RR", "all_cause_death", 1)
    assert pool.candidates[0].effect.lower == 0.57
