import itertools

import numpy as np
import pytest
from builders import appraisal_with_design, make_article, make_evidence
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.meta_analysis import dersimonian_laird
from metarag.pooling import Candidate, PoolKey, Tier, candidates_from, group_effects
from metarag.study_names import study_names
from metarag.types import EffectEstimate, Span, StudyDesign


def an_effect(start=0, **fields):
    fields = {
        "measure": "HR",
        "scale": "log",
        "effect": -0.2,
        "standard_error": 0.1,
        "se_source": "ci",
        "poolable": True,
        "outcome_key": "death",
        "comparison_key": "tablet:placebo",
        "orientation": "harm",
    } | fields
    return EffectEstimate(span=Span(where="abstract", start=start, end=start + 2, text="HR"), **fields)


def a_candidate(key="a", *, design=StudyDesign.RANDOMIZED_TRIAL, ids=(), participants=None, **fields):
    effect = an_effect(**fields)
    return Candidate(key, effect, design, frozenset({key, *ids}), participants, effect.comparison_key)


def keys(pool):
    return [candidate.key for candidate in pool.candidates]


def test_like_effects_of_independent_studies_make_one_pool():
    found = group_effects([a_candidate("b", effect=-0.4, standard_error=0.2), a_candidate("a")])
    (pool,) = found.pools
    assert pool.key == PoolKey("HR", "death", "tablet:placebo", "harm", Tier.RANDOMISED)
    assert str(pool.key) == "HR | death | tablet:placebo | harm | randomised"
    assert (keys(pool), pool.k) == (["a", "b"], 2)
    assert pool.effects.tolist() == [-0.2, -0.4]
    assert pool.variances == pytest.approx(np.array([0.01, 0.04]))
    assert dersimonian_laird(pool.effects, pool.variances).k == 2
    assert found.not_pooled == ()


@pytest.mark.parametrize(
    "other",
    [
        {"measure": "RR"},
        {"outcome_key": "stroke"},
        {"comparison_key": "tablet:usual care"},
        {"orientation": "benefit"},
        {"design": StudyDesign.COHORT},
    ],
)
def test_effects_that_differ_in_one_thing_are_never_mixed(other):
    found = group_effects([a_candidate("a"), a_candidate("b", **other)])
    assert [keys(pool) for pool in found.pools] in ([["a"], ["b"]], [["b"], ["a"]])


@pytest.mark.parametrize(
    ("fields", "criterion", "word"),
    [
        ({"poolable": False, "role": "subgroup"}, "pooling.not_poolable", "subgroup"),
        ({"poolable": False, "flags": ("inconsistent",)}, "pooling.not_poolable", "inconsistent"),
        (
            {"standard_error": None, "se_source": "p_bound_only"},
            "pooling.no_standard_error",
            "standard error",
        ),
        ({"outcome_key": None}, "pooling.key_missing", "outcome"),
        ({"comparison_key": None, "orientation": None}, "pooling.key_missing", "comparison, orientation"),
        ({"measure": "2x2"}, "pooling.arms_unknown", "arm"),
        ({"design": StudyDesign.META_ANALYSIS}, "pooling.review", "sums up"),
        ({"design": StudyDesign.UNKNOWN}, "pooling.design", "unknown"),
        ({"design": StudyDesign.CLINICAL_TRIAL}, "pooling.design", "clinical trial"),
    ],
)
def test_what_cannot_be_placed_is_kept_with_its_reason(fields, criterion, word):
    found = group_effects([a_candidate("a", **fields)])
    assert found.pools == ()
    (left,) = found.not_pooled
    assert (left.candidate.key, left.criterion) == ("a", criterion)
    assert word in left.reason


def test_arm_data_join_the_measure_they_are_turned_into():
    counts = a_candidate("b", measure="2x2", se_source="counts", arms_known=True)
    (pool,) = group_effects([a_candidate("a", measure="RR"), counts]).pools
    assert pool.key.measure == "RR"
    assert pool.k == 2


def test_reports_of_one_trial_count_once_also_by_way_of_a_third():
    reports = [
        a_candidate("a", ids=["NCT1"], participants=100),
        a_candidate("b", ids=["NCT2"], participants=300),
        a_candidate("c", ids=["NCT1", "NCT2"], participants=200),
        a_candidate("d", ids=["NCT9"]),
    ]
    for order in itertools.permutations(reports):
        found = group_effects(order)
        (pool,) = found.pools
        assert keys(pool) == ["b", "d"]
        assert [(n.candidate.key, n.criterion) for n in found.not_pooled] == [
            ("a", "pooling.same_study"),
            ("c", "pooling.same_study"),
        ]
        assert "another result of b" in found.not_pooled[0].reason


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"role": "study"}, {"role": "secondary"}),
        ({"adjusted": True}, {"adjusted": False}),
        ({"se_source": "ci"}, {"se_source": "p"}),
        ({"start": 0}, {"start": 50}),
    ],
)
def test_of_two_results_of_an_article_the_rule_and_not_the_result_decides(better, worse):
    for effects in ((-0.9, 0.9), (0.9, -0.9)):
        # The place speaks for the worse one, except where the place is what is tested.
        first = a_candidate("a", effect=effects[0], **({"start": 50} | better))
        second = a_candidate("a", effect=effects[1], **({"start": 10} | worse))
        found = group_effects([second, first])
        assert found.pools[0].candidates == (first,)
        assert "the same article" in found.not_pooled[0].reason


def test_one_study_in_two_outcomes_is_in_two_pools():
    found = group_effects([a_candidate("a"), a_candidate("a", start=9, outcome_key="stroke")])
    assert [pool.key.outcome_key for pool in found.pools] == ["death", "stroke"]


candidates = st.lists(
    st.builds(
        a_candidate,
        st.sampled_from("abcd"),
        design=st.sampled_from([StudyDesign.RANDOMIZED_TRIAL, StudyDesign.COHORT, StudyDesign.UNKNOWN]),
        ids=st.sets(st.sampled_from(["NCT1", "NCT2", "NCT3"]), max_size=2),
        start=st.integers(0, 90),
        measure=st.sampled_from(["HR", "RR"]),
        outcome_key=st.sampled_from(["death", None]),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=60)
@given(candidates, st.randoms())
def test_every_effect_is_accounted_for_once_in_any_order(given_candidates, random):
    found = group_effects(given_candidates)
    pooled = [candidate for pool in found.pools for candidate in pool.candidates]
    left = [item.candidate for item in found.not_pooled]
    assert sorted(map(repr, pooled + left)) == sorted(map(repr, given_candidates))
    assert group_effects(random.sample(given_candidates, len(given_candidates))) == found
    for pool in found.pools:
        ids = [identifier for candidate in pool.candidates for identifier in candidate.study_ids]
        assert len(ids) == len(set(ids))


def test_candidates_carry_what_the_appraisal_knows():
    article = make_article("90000001")
    appraisal = appraisal_with_design(article, StudyDesign.COHORT).model_copy(
        update={"effects": (an_effect(), an_effect(30)), "registry_ids": ("NCT00000001",)}
    )
    evidence = [make_evidence(article, appraisal=appraisal), make_evidence(article, key="x", appraisal=None)]
    first, second = candidates_from(evidence)
    assert first.key == second.key == evidence[0].key
    assert (first.design, first.participants) == (StudyDesign.COHORT, None)
    assert first.study_ids == {article.id, "NCT00000001"}
    assert [c.effect.span.start for c in (first, second)] == [0, 30]


def test_two_reports_of_a_named_study_count_once_and_the_reason_says_how_it_is_known():
    def report(pmid, title):
        article = make_article(pmid, title)
        appraisal = appraisal_with_design(article, StudyDesign.RANDOMIZED_TRIAL)
        known = {"effects": (an_effect(),), "study_names": tuple(study_names(article))}
        return make_evidence(article, appraisal=appraisal.model_copy(update=known))

    evidence = [
        report("90000001", "Tablets in fever: the FEBRIS trial"),
        report("90000002", "FEBRIS: a randomised trial, ten years on"),
        report("90000003", "Tablets in fever: the CALOR trial"),
    ]
    candidates = [
        Candidate(c.key, c.effect, c.design, c.study_ids, c.participants, "tablet:placebo")
        for c in candidates_from(evidence)
    ]
    found = group_effects(candidates)
    assert keys(found.pools[0]) == ["pmid:90000001", "pmid:90000003"]
    (repeat,) = found.not_pooled
    assert repeat.criterion == "pooling.same_study"
    assert "another result of pmid:90000001 (known by the study's name)" in repeat.reason
