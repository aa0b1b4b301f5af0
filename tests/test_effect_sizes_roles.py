"""Whose effect it is, on what, and compared with what."""

import pytest

from metarag.effect_sizes import extract_effects


def roles(text):
    return [effect.role for effect in extract_effects(text)]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Zinc shortened colds (HR 1.40, 95% CI 1.10-1.78).", "study"),
        ("The secondary outcome was rarer with zinc (HR 0.80, 95% CI 0.66-0.97).", "secondary"),
        ("In the subgroup with asthma, HR was 0.70 (95% CI 0.52-0.94).", "subgroup"),
        ("The unadjusted OR was 1.80 (95% CI 1.22-2.66).", "unadjusted"),
        ("Per-protocol analysis: HR 0.70 (95% CI 0.52-0.94).", "per_protocol"),
        ("Across nine trials the pooled RR was 0.85 (95% CI 0.76-0.95).", "pooled"),
        ("Earlier studies found an OR of 1.60 (95% CI 1.08-2.37).", "prior"),
        ("Sample size assumed an OR of 1.60 (95% CI 1.08-2.37).", "design"),
        ("The diagnostic odds ratio was 28.3 (95% CI 15.1-53.0).", "diagnostic"),
        ("For the negative control outcome HR was 1.02 (95% CI 0.91-1.14).", "negative_control"),
        ("The ratio of odds ratios was 0.87 (95% CI 0.78-0.97).", "interaction"),
        ("The reporting odds ratio was 4.6 (95% CI 3.8-5.6).", "pharmacovigilance"),
        ("RETRACTED: Zinc saved lives (HR 0.50, 95% CI 0.35-0.71).", "retracted"),
        ("In a sensitivity analysis HR was 0.79 (95% CI 0.64-0.98).", "sensitivity"),
        ("Scores fell from baseline (mean difference -2.1, 95% CI -3.4 to -0.8).", "within_group"),
    ],
)
def test_the_words_around_an_effect_give_its_role(text, role):
    assert roles(text) == [role]
    assert all(effect.poolable is (role in ("study", "secondary")) for effect in extract_effects(text))


def test_a_design_assumption_without_an_interval_is_no_effect_at_all():
    assert extract_effects("With 90% power to detect a hazard ratio of 0.75, 500 events were needed.") == ()


def test_counts_beside_their_ratio_are_the_same_result():
    text = "Death occurred in 60/500 (12.0%) vs 82/500 (16.4%) patients (RR 0.73; 95% CI 0.54 to 1.00)."
    assert roles(text) == ["same_outcome", "study"]


def test_counts_whose_ratio_opens_the_next_sentence_are_the_same_result():
    text = "Death occurred in 60/500 with zinc vs 82/500 with placebo. The RR was 0.73 (95% CI 0.54 to 1.00)."
    assert roles(text) == ["same_outcome", "study"]


def test_counts_of_another_outcome_keep_their_own_role():
    text = "Bleeding: 30/500 with zinc vs 29/500 with placebo; HR for death 0.60 (95% CI 0.45 to 0.80)."
    assert roles(text) == ["study", "study"]


def test_an_own_result_after_a_prior_one_is_the_studys():
    text = "Unlike previous trials (HR 1.05, 95% CI 0.94-1.17), we found harm (HR 1.30, 95% CI 1.10-1.54)."
    assert roles(text) == ["prior", "study"]


def test_a_trial_that_also_cites_a_meta_analysis_stays_a_trial():
    text = (
        "We randomly assigned 400 adults to zinc or placebo. Colds were shorter (HR 1.40, 95% CI 1.10-1.78). "
        "A meta-analysis with nine trials gave HR 1.25 (95% CI 1.08-1.45)."
    )
    assert roles(text) == ["study", "pooled"]


@pytest.mark.parametrize(
    ("text", "outcome", "key", "orientation"),
    [
        (
            "Death from any cause was rarer (HR 0.80, 95% CI 0.66-0.97).",
            "Death from any cause",
            "all_cause_death",
            "harm",
        ),
        (
            "Smoking was associated with hip fracture (OR 1.40, 95% CI 1.10-1.78).",
            "hip fracture",
            "hip_fracture",
            "harm",
        ),
        (
            "The hazard ratio for major bleeding was 1.25 (95% CI 1.01-1.55).",
            "major bleeding",
            "major_bleeding",
            "harm",
        ),
        (
            "In patients with stroke, remission was commoner (RR 1.4, 95% CI 1.1-1.8).",
            "remission",
            "remission",
            "benefit",
        ),
        (
            "Overall survival was better (HR 0.70, 95% CI 0.55-0.89).",
            "Overall survival",
            "all_cause_death",
            "harm",
        ),
        ("Survival was commoner (RR 1.4, 95% CI 1.1-1.8).", "Survival", "overall_survival", "benefit"),
        (
            "SBP fell (mean difference -3.0 mm Hg, 95% CI -5.0 to -1.0).",
            "SBP",
            "systolic_blood_pressure[mmhg]",
            "harm",
        ),
        ("Pain fell (mean difference -1.2, 95% CI -2.0 to -0.4).", "Pain", None, "harm"),
        (
            "Toe infection was rarer (RR 0.54, 95% CI 0.35-0.84).",
            "Toe infection",
            "term:toe_infection",
            "harm",
        ),
        ("Any infection was rarer (RR 0.54, 95% CI 0.35-0.84).", "Any infection", "infection", "harm"),
        ("Scab leakage was rarer (RR 0.54, 95% CI 0.35-0.84).", "Scab leakage", None, None),
    ],
)
def test_the_outcome_is_named_with_its_key_and_orientation(text, outcome, key, orientation):
    (effect,) = extract_effects(text)
    assert effect.outcome_key == key
    assert effect.orientation == orientation
    assert effect.outcome is not None
    assert outcome.endswith(effect.outcome)


def test_a_list_of_outcomes_is_dealt_out_to_its_list_of_effects():
    text = (
        "HRs for death, stroke and hip fracture were 0.80 (0.70-0.92), 0.95 (0.81-1.11) and 0.75 (0.60-0.93)."
    )
    keys = [effect.outcome_key for effect in extract_effects(text)]
    assert keys == ["all_cause_death", "stroke", "hip_fracture"]


def test_outcomes_named_behind_the_list_are_dealt_out_too():
    text = (
        "The odds ratio was 0.82 (95% CI 0.70-0.96) and 0.91 (0.74-1.12) for death and stroke, respectively."
    )
    assert [effect.outcome_key for effect in extract_effects(text)] == ["all_cause_death", "stroke"]


def test_an_unknown_outcome_in_a_list_does_not_take_the_key_of_another():
    text = "Bleeding fell (OR 0.51, 95% CI 0.28-0.93), and so did jaundice (OR 0.46, 95% CI 0.24-0.89)."
    assert [effect.outcome_key for effect in extract_effects(text)] == ["bleeding", None]


def test_a_ratio_for_an_increment_is_marked_and_compares_no_arms():
    text = "We randomised 90 adults to zinc or placebo. Death: HR 1.20 per 10 mm Hg (95% CI 1.05 to 1.37)."
    (effect,) = extract_effects(text)
    assert effect.poolable
    assert "per_unit" in effect.flags
    assert effect.comparison_key is None


def test_an_effect_without_an_outcome_goes_on_from_the_sentence_before():
    text = (
        "Stroke was seen in 60/500 with zinc vs 82/500 with placebo. The RR was 0.73 (95% CI 0.54 to 1.00)."
    )
    assert extract_effects(text)[1].outcome_key == "stroke"


def test_the_primary_outcome_takes_the_key_that_the_text_defines():
    text = "The primary outcome was hip fracture. The primary outcome was rarer (HR 0.70, 95% CI 0.55-0.89)."
    assert extract_effects(text)[0].outcome_key == "hip_fracture"
    assert (
        extract_effects("The primary outcome was rarer (HR 0.70, 95% CI 0.55-0.89).")[0].outcome_key is None
    )


@pytest.mark.parametrize(
    ("text", "comparison", "key"),
    [
        (
            "Death was rarer with zinc than with placebo (HR 0.8, 95% CI 0.7-0.9).",
            "zinc vs placebo",
            "zinc|placebo",
        ),
        ("Zinc versus placebo: HR 0.80 (95% CI 0.70-0.92).", "Zinc vs placebo", "zinc|placebo"),
        (
            "Compared with placebo, HR was 0.80 (95% CI 0.70-0.92) with zinc.",
            "zinc vs placebo",
            "zinc|placebo",
        ),
        (
            "Death was rarer in the intervention than in the control group (HR 0.80, 95% CI 0.70-0.92).",
            None,
            None,
        ),
        ("Death was rarer (HR 0.80, 95% CI 0.70-0.92).", None, None),
        (
            "Adults were randomly assigned to zinc or placebo. Death was rarer (HR 0.80, 95% CI 0.70-0.92).",
            "zinc vs placebo",
            "zinc|placebo",
        ),
        (
            "Adults were randomly assigned to placebo or zinc. Death was rarer (HR 0.80, 95% CI 0.70-0.92).",
            "zinc vs placebo",
            "zinc|placebo",
        ),
    ],
)
def test_the_comparison_is_named_where_the_text_names_it(text, comparison, key):
    effect = extract_effects(text)[-1]
    assert effect.comparison_key == key
    if comparison is not None:
        assert effect.comparison == comparison


def test_two_doses_against_one_placebo_share_their_control():
    text = (
        "Compared with placebo, the HR for death was 0.83 (0.68-1.01) on 5 mg and 0.70 (0.56-0.87) on 10 mg."
    )
    assert all("shared_control" in effect.flags for effect in extract_effects(text))


def test_three_arms_with_a_named_control_make_two_comparisons():
    text = "Cure occurred in 30/50 with low dose, 35/52 with high dose and 20/51 with placebo."
    effects = extract_effects(text)
    assert [(e.events_1, e.events_2) for e in effects] == [(30, 20), (35, 20)]
    assert all("shared_control" in e.flags and e.arms_known for e in effects)
