"""What holds of reliability for any evidence: sums, bounds, order of levels, independence of company."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reliability_builders import HIERARCHIES, QUESTION, D, checks_of, evidence, judge, recomputed, reliability

from metarag.stages.reliability import ReliabilityStage
from metarag.types import CheckAnswer, RetractionState

answers = st.sampled_from(list(CheckAnswer))
checklists = st.lists(answers, max_size=8).map(lambda given_answers: checks_of(*given_answers))
sizes = st.none() | st.integers(1, 10**7)
confidences = st.floats(0, 1)
places = st.sampled_from(
    [
        (h.name, k)
        for h in HIERARCHIES.hierarchies.values()
        for k in (*(k for t in h.tables for k in t.kinds), None)
    ]
)
gradable = st.sampled_from([d for d in D if d not in {D.UNKNOWN, D.PROTOCOL, D.ERRATUM, D.NOTICE}])
weights = st.floats(0, 0.2)


@st.composite
def pieces(draw, design=gradable):
    return evidence(
        draw(design),
        *draw(
            st.lists(st.sampled_from(["of_observational_studies", "of_case_series", "preprint"]), max_size=2)
        ),
        confidence=draw(confidences),
        size=draw(sizes),
        checks=draw(checklists),
        state=draw(st.sampled_from(list(RetractionState))),
        types=draw(st.sampled_from([(), ("Journal Article",), ("Preprint", "Journal Article")])),
        year=draw(st.none() | st.integers(1900, 2026)),
    )


@settings(deadline=None, max_examples=120)
@given(pieces(), weights, weights, st.none() | st.just(2020), st.floats(0, 1), st.floats(0, 1))
def test_the_terms_add_up_exactly_to_a_reliability_in_bounds(item, check, size, year, pull, concern):
    judged, decision = judge(
        item,
        checks_weight=check,
        sample_size_weight=size,
        reference_year=year,
        confidence_pull=pull,
        concern_penalty=concern,
    )
    measured = decision.measurements
    assert judged.reliability == recomputed(measured) == measured["reliability"]
    assert 0 <= judged.reliability <= 1
    moved = [measured[f"term_{t}"] or 0.0 for t in ("reporting_checks", "sample_size", "recency", "bound")]
    assert measured["bound_lower"] - 1e-12 <= sum(moved) <= measured["bound_upper"] + 1e-12


@settings(deadline=None, max_examples=120)
@given(
    places,
    st.tuples(gradable, gradable),
    st.tuples(sizes, sizes),
    st.tuples(checklists, checklists),
    confidences,
)
def test_no_checklist_and_no_size_lifts_an_article_over_a_level(
    place, designs, given_sizes, lists, confidence
):
    hierarchy, kind = place
    judged = [
        judge(
            evidence(design, confidence=confidence, size=size, checks=checks),
            hierarchy=hierarchy,
            kind=kind,
            checks_weight=0.2,
            sample_size_weight=0.2,
        )
        for design, size, checks in zip(designs, given_sizes, lists, strict=True)
    ]
    assume(all(item.reliability is not None for item, _ in judged))
    by_level = sorted(judged, key=lambda pair: pair[1].measurements["term_level"])
    (weak, weak_decision), (strong, strong_decision) = by_level
    assume(weak_decision.measurements["term_level"] < strong_decision.measurements["term_level"])
    assert weak.reliability < strong.reliability


@settings(deadline=None, max_examples=120)
@given(
    places,
    st.sampled_from([D.SYSTEMATIC_REVIEW, D.META_ANALYSIS, D.NETWORK_META_ANALYSIS, D.UMBRELLA_REVIEW]),
    st.tuples(confidences, confidences),
    st.tuples(sizes, st.integers(1000, 10**6)),
    st.tuples(checklists, checklists),
)
def test_a_review_of_case_series_never_outranks_a_large_trial(place, design, sure, given_sizes, lists):
    hierarchy, kind = place
    review = evidence(design, "of_case_series", confidence=sure[0], size=given_sizes[0], checks=lists[0])
    trial = evidence(confidence=sure[1], size=given_sizes[1], checks=lists[1])
    of_review, of_trial = (reliability(item, hierarchy=hierarchy, kind=kind) for item in (review, trial))
    # Where the table does not place trials, the score takes the trial as neutral.
    assert of_review < (0.5 if of_trial is None else of_trial)


@settings(deadline=None, max_examples=40)
@given(st.lists(pieces(), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_the_order_and_the_company_change_nothing(items, random):
    items = [item.assessed(key=f"k{n}") for n, item in enumerate(items)]
    stage = ReliabilityStage(hierarchies=HIERARCHIES)
    alone = {item.key: stage.assess(QUESTION, [item]).decisions[0] for item in items}
    shuffled = random.sample(items, len(items))
    report = stage.assess(QUESTION, shuffled)
    assert {d.key: d for d in report.decisions} == alone
    assert [item.key for item in report.evidence] == [item.key for item in shuffled]
