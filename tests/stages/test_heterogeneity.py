import math

import numpy as np
import pytest
from builders import appraisal_with_design, make_article, make_evidence
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.audit import Verdict
from metarag.heterogeneity_guard import GuardOptions, find_conflict, guard
from metarag.heterogeneity_pool import consistency_of
from metarag.stages.heterogeneity import HeterogeneityOptions, HeterogeneityStage
from metarag.types import EffectEstimate, Question, SampleSize, Span, StudyDesign

QUESTION = Question(text="Do tablets lower mortality?")


def effect(log_or, se, *, outcome="all_cause_death", **fields):
    return EffectEstimate(
        measure="OR",
        estimate=math.exp(log_or),
        scale="log",
        effect=log_or,
        standard_error=se,
        se_source="ci",
        poolable=True,
        outcome_key=outcome,
        comparison_key="tablets|placebo",
        orientation="harm",
        span=Span(where="abstract", start=0, end=2, text="OR"),
        **fields,
    )


def study(number, *effects, n=None, design=StudyDesign.RANDOMIZED_TRIAL, **fields):
    article = make_article(pmid=str(number), **fields)
    size = (
        SampleSize(total=n, kind="randomised", span=Span(where="abstract", start=0, end=1, text="n"))
        if n
        else None
    )
    appraisal = appraisal_with_design(article, design).model_copy(
        update={"effects": effects, "sample_size": size}
    )
    return make_evidence(article, appraisal=appraisal, retrieval_rank=number)


def pool(values, ses=None, sizes=None):
    ses = ses or [0.2] * len(values)
    sizes = sizes or [None] * len(values)
    return [
        study(i + 1, effect(v, s), n=n) for i, (v, s, n) in enumerate(zip(values, ses, sizes, strict=True))
    ]


def assess(evidence, **options):
    report = HeterogeneityStage(HeterogeneityOptions(**options)).assess(QUESTION, evidence)
    return {d.key: d for d in report.decisions}, report


AGREEING = [-0.30, -0.25, -0.35, -0.28, -0.31, -0.27, -0.33]


def test_studies_that_agree_stay_and_are_consistent():
    decisions, report = assess(pool(AGREEING))
    assert len(report.evidence) == len(AGREEING)
    assert {d.criterion for d in decisions.values()} == {"heterogeneity.consistent"}
    assert all(item.consistency > 0.85 for item in report.evidence)
    (synthesis,) = report.syntheses
    assert synthesis.status == "pooled"
    assert synthesis.results["dersimonian_laird"]["effect"] == pytest.approx(np.mean(AGREEING), abs=1e-9)


def test_a_gross_outlier_is_left_out_by_the_guard_and_both_pools_are_shown():
    evidence = pool([*AGREEING, 2.5])
    decisions, report = assess(evidence)
    assert decisions["pmid:8"].verdict is Verdict.EXCLUDED
    assert decisions["pmid:8"].criterion == "heterogeneity.influence"
    assert decisions["pmid:8"].measurements["rstudent"] > 5
    (synthesis,) = report.syntheses
    assert [s.included for s in synthesis.studies] == [True] * 7 + [False]
    with_it = synthesis.results["dersimonian_laird"]["effect"]
    without = synthesis.results["without_flagged_dersimonian_laird"]["effect"]
    assert without == pytest.approx(np.mean(AGREEING), abs=1e-9)
    assert with_it > without


def test_the_policy_flag_leaves_nothing_out():
    decisions, report = assess(pool([*AGREEING, 2.5]), policy="flag")
    assert len(report.evidence) == 8
    assert decisions["pmid:8"].criterion == "heterogeneity.outlier"
    assert "by policy" in decisions["pmid:8"].reason


def test_the_largest_study_is_never_left_out():
    ses = [0.2] * 7 + [0.02]
    decisions, report = assess(pool([*AGREEING, 0.4], ses))
    assert len(report.evidence) == 8
    assert decisions["pmid:8"].criterion == "heterogeneity.outlier"
    assert any("most of the precision" in note for note in report.syntheses[0].notes)


def test_participants_decide_who_is_largest_where_they_are_known():
    sizes = [200] * 7 + [5000]
    _, report = assess(pool([*AGREEING, 2.5], sizes=sizes))
    assert len(report.evidence) == 8
    notes = " ".join(report.syntheses[0].notes)
    assert "most of the participants" in notes
    assert "of the participants would go" in notes


def test_with_four_studies_no_flag_changes_anything():
    decisions, report = assess(pool([-0.3, -0.28, -0.31, 3.0]))
    assert len(report.evidence) == 4
    assert all(item.consistency is None for item in report.evidence)
    assert "heterogeneity.influence" not in {d.criterion for d in decisions.values()}


def test_five_have_to_stay():
    decisions, report = assess(pool([-0.3, -0.28, -0.31, -0.29, 3.0]))
    assert len(report.evidence) == 5
    assert "only 4 studies would be left" in decisions["pmid:5"].reason


def test_a_split_of_signs_comes_back_whole_as_a_conflict():
    decisions, report = assess(pool([-0.9, -0.8, -0.85, 0.9, 0.8, 0.85], [0.1] * 6))
    assert len(report.evidence) == 6
    assert {d.criterion for d in decisions.values()} == {"heterogeneity.direction_conflict"}
    assert report.syntheses[0].status == "direction_conflict"
    assert "3 studies and 3 studies point to opposite sides" in report.warnings[0]
    assert all(item.consistency is None for item in report.evidence)


def test_two_clusters_on_one_side_come_back_whole_as_a_conflict():
    _, report = assess(pool([-1.5, -1.45, -1.55, -1.5, -0.3, -0.25, -0.35, -0.3], [0.1] * 8))
    assert len(report.evidence) == 8
    assert report.syntheses[0].status == "two_clusters"


def test_one_study_claims_nothing_of_agreement():
    decisions, report = assess(pool([-0.3]))
    assert decisions["pmid:1"].verdict is Verdict.NOT_ASSESSED
    assert report.syntheses[0].status == "single_study"
    assert report.syntheses[0].results["dersimonian_laird"]["i_squared"] is None
    assert report.evidence[0].consistency is None


def test_an_article_without_effects_is_not_assessed_and_stays():
    decisions, report = assess([study(1)])
    assert decisions["pmid:1"].criterion == "heterogeneity.no_effect"
    assert len(report.evidence) == 1


def test_an_effect_of_unknown_outcome_is_not_pooled_and_the_reason_says_so():
    decisions, _ = assess([study(1, effect(-0.3, 0.2, outcome=None))])
    assert decisions["pmid:1"].criterion == "heterogeneity.not_pooled"
    assert "outcome" in decisions["pmid:1"].reason


def test_a_review_is_shown_beside_the_trials_and_never_pooled_with_them():
    evidence = [*pool(AGREEING), study(20, effect(2.0, 0.05), design=StudyDesign.META_ANALYSIS)]
    decisions, report = assess(evidence)
    assert decisions["pmid:20"].verdict is Verdict.NOT_ASSESSED
    assert [s.tier for s in report.syntheses] == ["randomised", "review"]
    assert len(report.syntheses[0].studies) == 7


def test_observational_studies_are_pooled_apart():
    cohort = [study(30 + i, effect(0.5, 0.1), design=StudyDesign.COHORT) for i in range(3)]
    _, report = assess([*pool(AGREEING), *cohort])
    assert sorted(s.tier for s in report.syntheses) == ["observational", "randomised"]


HUGE = ([-0.9, -0.8, -1.0, -0.7, -0.85, 0.02], [0.4] * 5 + [0.02], [100] * 5 + [60_000])


def test_where_the_largest_study_stands_out_nobody_is_blamed_and_a_reader_is_told():
    decisions, report = assess(pool(*HUGE))
    assert len(report.evidence) == 6
    assert all(item.consistency is None for item in report.evidence)
    assert decisions["pmid:6"].criterion == "heterogeneity.outlier"
    assert "it stays: the study with most of the participants would go" in decisions["pmid:6"].reason
    assert {decisions[f"pmid:{n}"].criterion for n in range(1, 6)} == {"heterogeneity.largest_apart"}
    assert "stands out of the smaller ones" in report.warnings[0]


def test_two_large_trials_are_no_pair_of_outliers_beside_three_small_ones():
    values = [-2.1, -0.8, -0.94, -0.27, 0.05]
    decisions, report = assess(pool(values, [1.04, 1.2, 0.37, 0.14, 0.03], [103, 76, 273, 2316, 58_050]))
    assert "heterogeneity.outlier" not in {d.criterion for d in decisions.values()}
    assert "without_flagged_dersimonian_laird" not in report.syntheses[0].results
    assert not any(study.flags for study in report.syntheses[0].studies)


def test_the_flags_say_how_a_study_stands_out():
    _, report = assess(pool(*HUGE))
    assert report.syntheses[0].studies[-1].flags == ("outlier", "largest")
    # Neither of two that are equally far off stands out alone.
    _, report = assess(pool([*AGREEING, -0.29, 1.5, 1.5], [0.1] * 10))
    assert {study.flags for study in report.syntheses[0].studies if study.flags} == {("outlier", "masked")}


def test_a_note_says_where_large_and_small_studies_differ():
    _, report = assess(pool(*HUGE))
    (note,) = [note for note in report.syntheses[0].notes if "one common effect" in note]
    fixed = report.syntheses[0].results["fixed_effect"]["effect"]
    assert f"the pool is {math.exp(fixed):.3g}" in note
    assert not any("one common effect" in note for note in assess(pool(AGREEING))[1].syntheses[0].notes)


def test_nobody_is_said_to_agree_with_studies_that_stand_out():
    decisions, _ = assess(pool([*AGREEING, 2.5]))
    assert "agrees with 6 of 7 other studies; 1 stands out" in decisions["pmid:1"].reason
    assert "unlike the 7 that stay" in decisions["pmid:8"].reason


def test_studies_that_spread_by_more_than_chance_are_not_said_to_agree():
    decisions, report = assess(pool([-2.0, -1.82, -1.7, -1.58, -1.4], [0.1] * 5))
    assert report.syntheses[0].status == "pooled"
    assert "the 5 studies differ by more than chance (I² 8" in decisions["pmid:3"].reason
    assert "agrees with 6 other studies" in assess(pool(AGREEING))[0]["pmid:1"].reason


def test_a_study_at_the_edge_is_not_said_to_agree():
    decisions, _ = assess(pool([*AGREEING, 0.25]))
    assert 1.96 < decisions["pmid:8"].measurements["rstudent"] < 3
    assert "lies apart from 7 other studies" in decisions["pmid:8"].reason


def test_the_warning_of_a_conflict_names_the_sides():
    _, report = assess(pool([-0.9, -0.8, -0.85, 0.9, 0.8, 0.85, 0.0], [0.1] * 7))
    assert report.warnings[0].endswith(
        "(PMID 1; PMID 2; PMID 3 against PMID 4; PMID 5; PMID 6; on neither side: PMID 7)"
    )


def test_a_study_left_out_though_it_points_to_the_other_side_is_told_with_its_numbers():
    decisions, report = assess(pool([-0.5, -0.45, -0.52, -0.48, -0.55, -0.47, -0.51, -0.5, 0.6], [0.15] * 9))
    assert decisions["pmid:9"].verdict is Verdict.EXCLUDED
    (warning,) = report.warnings
    assert "PMID 9 (OR 1.82, 1.36 to 2.44) was left out" in warning
    assert "points to the opposite side" in warning
    # On the same side there is nothing to warn of: both pools are in the synthesis.
    assert assess(pool([*AGREEING, -2.5]))[1].warnings == ()


def test_a_trial_without_events_says_so_in_words():
    nothing = effect(0.0, 0.2, flags=("no_information",)).model_copy(update={"poolable": False})
    decisions, _ = assess([study(1, nothing)])
    assert decisions["pmid:1"].reason.startswith(
        "Its effect is not pooled: In both arms nobody had the event"
    )


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(8)))
def test_the_order_of_the_studies_changes_nothing(order):
    evidence = pool([*AGREEING, 2.5])
    expected = assess(evidence)[0]
    found = assess([evidence[i] for i in order])[0]
    assert {k: (d.criterion, d.reason) for k, d in found.items()} == {
        k: (d.criterion, d.reason) for k, d in expected.items()
    }


values = st.lists(st.tuples(st.floats(-3, 3), st.floats(0.05, 1.0)), min_size=1, max_size=14)


@settings(max_examples=150, deadline=None)
@given(values)
def test_the_guard_never_takes_more_than_it_may(rows):
    y, v = np.array([r[0] for r in rows]), np.array([r[1] for r in rows]) ** 2
    result = guard(y, v, [None] * len(rows), GuardOptions())
    assert set(result.excluded) <= set(result.flagged)
    if result.excluded:
        assert len(rows) - len(result.excluded) >= 5
        assert len(result.excluded) <= 0.2 * len(rows)
        assert int(np.argmin(v)) not in result.excluded
        keep = [i for i in range(len(rows)) if i not in result.excluded]
        assert find_conflict(y[keep], v[keep]).status == "none"


@settings(max_examples=50, deadline=None)
@given(st.integers(5, 12), st.floats(-2, 2), st.floats(0.05, 1))
def test_identical_results_are_never_flagged(k, value, se):
    assert guard(np.full(k, value), np.full(k, se**2), [None] * k).flagged == ()


def test_a_masked_pair_is_flagged_and_stays():
    y = np.array([-0.3, -0.28, -0.32, -0.29, -0.31, -0.3, -0.27, -0.33, 1.6, 1.6])
    result = guard(y, np.full(10, 0.01), [None] * 10)
    assert {8, 9} <= set(result.flagged)


def test_consistency_falls_with_the_residual_and_never_below_its_floor():
    residuals = [0, 1, 1.96, 3, 5, 50]
    found = [consistency_of(r) for r in residuals]
    assert found == sorted(found, reverse=True)
    assert found[0] == 1
    assert found[2] == pytest.approx(0.85, abs=0.01)
    assert found[3] == 0.5
    assert found[-1] == 0.25
    assert consistency_of(None) is None
