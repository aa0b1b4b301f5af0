"""Reliability: the level of evidence and the terms that move it."""

from __future__ import annotations

import json

import pytest
from builders import make_article, make_evidence
from pydantic import ValidationError
from reliability_builders import (
    HIERARCHIES,
    QUESTION,
    D,
    checks_of,
    evidence,
    judge,
    recomputed,
    reliability,
    size_of,
)

from metarag.audit import Verdict
from metarag.errors import EvidenceLevelsError
from metarag.pipeline import Pipeline
from metarag.stages.base import Stage
from metarag.stages.reliability import ReliabilityOptions, ReliabilityStage
from metarag.types import CheckAnswer, Question, QuestionKind, RetractionState


def test_it_is_a_stage_with_defaults():
    stage = ReliabilityStage()
    assert isinstance(stage, Stage)
    assert stage.name == "reliability"
    assert stage.hierarchy.name == "metarag-2025"
    assert ReliabilityStage.options_type is ReliabilityOptions


def test_a_trial_gets_its_level_and_a_sentence_a_clinician_can_read():
    item, decision = judge(evidence(size=22_071))
    assert item.level == "metarag-2025:6"
    assert decision.verdict is Verdict.INCLUDED
    assert decision.criterion == "reliability.level"
    assert decision.reason == "Randomised trial (level 6 of metarag-2025); 22,071 participants."
    assert decision.measurements["term_level"] == 0.79
    assert decision.measurements["reliability"] == item.reliability


def test_a_sure_trial_of_middling_size_has_exactly_the_weight_of_its_level():
    assert reliability(evidence(confidence=1.0, size=100)) == 0.79


@pytest.mark.parametrize(
    ("item", "criterion", "words"),
    [
        (evidence(D.UNKNOWN, confidence=0), "design_unknown", "neither its indexing nor its text"),
        (evidence(D.PROTOCOL), "no_level", "a protocol has no results yet"),
        (evidence(D.NOTICE), "no_level", "a notice is about another article"),
        (make_evidence(appraisal=None), "not_appraised", "it was not appraised"),
        (
            evidence(D.UNKNOWN, confidence=0, state=RetractionState.EXPRESSION_OF_CONCERN),
            "design_unknown",
            "an expression of concern stands against it",
        ),
    ],
)
def test_what_cannot_be_graded_is_kept_and_not_assessed(item, criterion, words):
    kept, decision = judge(item)
    assert kept.reliability is None
    assert kept.level is None
    assert decision.verdict is Verdict.NOT_ASSESSED
    assert decision.criterion == f"reliability.{criterion}"
    assert words in decision.reason
    assert decision.measurements["reliability"] is None


def test_a_design_that_the_hierarchy_does_not_place_is_not_assessed():
    kept, decision = judge(evidence(D.GUIDELINE), hierarchy="nhmrc")
    assert kept.reliability is None
    assert decision.reason == "No level of evidence: nhmrc does not say where a guideline stands."


@pytest.mark.parametrize(
    ("fields", "clause"),
    [
        ({"state": RetractionState.CORRECTED}, "; it was corrected."),
        ({"state": RetractionState.EXPRESSION_OF_CONCERN}, "; an expression of concern stands against it."),
        ({"types": ("Preprint",)}, "; it is a preprint."),
        ({"confidence": 0.3}, "; the design is uncertain (confidence 0.30)."),
        ({"publication_types_inferred": True}, "; its publication types were inferred."),
        ({"size": 1}, "; 1 participant."),
        ({"size": size_of(13, "studies")}, "; 13 studies."),
        (
            {"checks": checks_of(CheckAnswer.YES, CheckAnswer.NO)},
            "; 1 of 2 reporting items found in the abstract.",
        ),
    ],
)
def test_the_reason_says_what_else_is_known(fields, clause):
    assert judge(evidence(**fields))[1].reason.endswith(clause)


def test_the_reason_names_the_table_where_there_are_several():
    reason = judge(evidence(D.COHORT), hierarchy="ocebm-2011", kind=QuestionKind.PROGNOSIS)[1].reason
    assert reason == "Cohort study (level 3 of ocebm-2011, prognosis)."
    reason = judge(evidence(D.COHORT), hierarchy="nhmrc", kind=QuestionKind.DIAGNOSIS)[1].reason
    assert reason.endswith("so its intervention table is used.")


def test_the_kind_comes_from_the_settings_then_the_question_then_its_words():
    asked = Question(text="How common is gout?", kind=QuestionKind.PROGNOSIS)
    measured = judge(evidence(), asked, kind=QuestionKind.THERAPY)[1].measurements
    assert (measured["question_kind"], measured["question_kind_from"]) == ("therapy", "the settings")
    measured = judge(evidence(), asked)[1].measurements
    assert measured["question_kind"] == "prognosis"
    measured = judge(evidence(), Question(text="How common is gout?"))[1].measurements
    assert (measured["question_kind"], measured["question_kind_from"]) == (
        "prevalence",
        "the words 'how common'",
    )


def test_the_kind_changes_the_level():
    item = evidence(D.CROSS_SECTIONAL)
    asked = Question(text="How common is gout?")
    assert judge(item, asked, hierarchy="ocebm-2011")[0].level == "ocebm-2011:3"
    assert judge(item, QUESTION, hierarchy="ocebm-2011")[0].level == "ocebm-2011:4"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"size": 5000}, {"size": 50}),
        ({"confidence": 0.95}, {"confidence": 0.6}),
        ({"checks": checks_of(CheckAnswer.YES)}, {"checks": checks_of(CheckAnswer.NOT_REPORTED)}),
        ({"checks": checks_of(CheckAnswer.UNCLEAR)}, {"checks": checks_of(CheckAnswer.NO)}),
        ({}, {"types": ("Preprint",)}),
        ({}, {"state": RetractionState.EXPRESSION_OF_CONCERN}),
        ({"state": RetractionState.EXPRESSION_OF_CONCERN}, {"state": RetractionState.RETRACTED}),
    ],
)
def test_each_term_moves_the_right_way(better, worse):
    assert reliability(evidence(**better)) > reliability(evidence(**worse))


@pytest.mark.parametrize(
    ("fields", "term"),
    [
        ({}, "term_sample_size"),
        ({"size": size_of(40, "studies")}, "term_sample_size"),
        ({}, "term_reporting_checks"),
        ({"year": 1990}, "term_recency"),
        ({"types": ()}, "term_preprint"),
        ({"state": RetractionState.NOT_CHECKED}, "term_standing"),
    ],
)
def test_a_term_that_was_not_assessed_is_none_and_moves_nothing(fields, term):
    measured = judge(evidence(**fields))[1].measurements
    assert measured[term] is None
    assert measured["reliability"] == recomputed(measured)


def test_not_reported_and_unclear_are_no_fault():
    silent = checks_of(CheckAnswer.NOT_REPORTED, CheckAnswer.UNCLEAR)
    assert reliability(evidence(checks=silent)) == reliability(evidence())


def test_a_check_where_yes_is_the_weaker_answer_can_be_reversed():
    item = evidence(checks=checks_of(CheckAnswer.YES))
    assert reliability(item, reversed_checks=("item_0",)) < reliability(evidence()) < reliability(item)


def test_a_correction_and_an_inferred_type_are_flags_and_cost_nothing():
    plain = reliability(evidence())
    assert reliability(evidence(state=RetractionState.CORRECTED)) == plain
    _, decision = judge(evidence(publication_types_inferred=True))
    assert decision.measurements["reliability"] == plain
    assert decision.measurements["publication_types_inferred"] is True


@pytest.mark.parametrize(
    ("year", "term"), [(2020, 0.01), (2024, 0.01), (2010, 0.0), (2000, -0.01), (1950, -0.01)]
)
def test_recency_counts_from_a_fixed_year_and_only_when_asked(year, term):
    measured = judge(evidence(year=year), reference_year=2020, recency_years=20)[1].measurements
    assert measured["term_recency"] == pytest.approx(term)


@pytest.mark.parametrize(
    ("total", "term"), [(1, -0.03), (10, -0.015), (100, 0), (1000, 0.015), (10**6, 0.03)]
)
def test_the_size_term_is_logarithmic_between_one_and_ten_thousand(total, term):
    assert judge(evidence(size=total))[1].measurements["term_sample_size"] == pytest.approx(term)


@pytest.mark.parametrize(
    ("answer", "moved"), [(CheckAnswer.YES, 0.45 * 0.08), (CheckAnswer.NO, -0.45 * 0.13)]
)
def test_the_way_up_and_the_way_down_are_bounded_by_their_own_gaps(answer, moved):
    review = evidence(D.META_ANALYSIS, confidence=1.0, checks=checks_of(answer))
    assert reliability(review, checks_weight=0.2) == pytest.approx(0.92 + moved)


def test_low_confidence_draws_towards_neutral_from_both_sides():
    assert 0.5 < reliability(evidence(confidence=0.2)) < 0.79
    assert 0.14 < reliability(evidence(D.EDITORIAL, confidence=0.2)) < 0.5
    assert reliability(evidence(confidence=0.0), confidence_pull=1.0) == pytest.approx(0.5)


def test_an_expression_of_concern_may_cost_a_level_and_a_retraction_costs_all():
    concern = evidence(confidence=1.0, state=RetractionState.EXPRESSION_OF_CONCERN)
    assert reliability(concern) < reliability(evidence(D.COHORT, confidence=1.0))
    _, decision = judge(evidence(state=RetractionState.RETRACTED))
    assert decision.measurements["reliability"] == 0.0
    assert decision.measurements["term_clamp"] > 0
    assert "it is retracted" in decision.reason


@pytest.mark.parametrize(
    "options",
    [
        {"max_share_of_gap": 0.5},
        {"checks_weight": -0.1},
        {"neutral": 1.0},
        {"confidence_pull": 1.1},
        {"concern_penalty": float("nan")},
        {"recency_years": 0},
        {"hierachy": "nhmrc"},
    ],
)
def test_options_out_of_bounds_are_refused(options):
    with pytest.raises(ValidationError):
        ReliabilityOptions(**options)


def test_an_unknown_hierarchy_is_refused_before_any_article_is_read():
    with pytest.raises(EvidenceLevelsError, match="did you mean 'nhmrc'"):
        ReliabilityStage(ReliabilityOptions(hierarchy="nhmcr"))


def test_a_users_file_is_read(tmp_path):
    path = tmp_path / "levels.yaml"
    level = {"id": "A", "label": "Trials", "weight": 0.6, "designs": ["randomized_trial"]}
    mine = {
        "title": "Mine",
        "sources": [{"title": "Me", "year": 2026, "where": "here"}],
        "tables": [{"name": "all", "levels": [level]}],
    }
    # JSON is YAML, too.
    path.write_text(json.dumps({"hierarchies": {"mine": mine}}), encoding="utf-8")
    stage = ReliabilityStage(ReliabilityOptions(levels_file=path, hierarchy="mine"))
    report = stage.assess(QUESTION, [evidence(confidence=1.0)])
    assert report.evidence[0].level == "mine:A"
    assert report.evidence[0].reliability == 0.6


def test_it_keeps_the_contract_of_a_pipeline():
    articles = [make_article(pmid=str(n), types=("Randomized Controlled Trial",)) for n in range(1, 4)]
    ranking = Pipeline([ReliabilityStage(hierarchies=HIERARCHIES)]).rank(QUESTION, articles)
    assert len(ranking) == 3
    assert ranking.audit.signature.stages == ("reliability",)
