import math

import pytest
from builders import make_evidence
from hypothesis import given
from hypothesis import strategies as st

from metarag.scoring import TERMS, GeometricMean, TermWeights

share = st.none() | st.floats(0, 1)
all_terms = st.fixed_dictionaries(dict.fromkeys(TERMS, share))


@given(all_terms)
def test_the_score_can_be_recomputed_from_the_terms_shown(values):
    score, terms = GeometricMean().score(make_evidence(**values))
    if score is None:
        assert all(value is None for value in values.values())
        return
    used = {
        t: terms[t] if terms[t] is not None else terms["reliability_neutral"]
        for t in TERMS
        if f"{t}_weight" in terms
    }
    weights = {t: terms[f"{t}_weight"] for t in used}
    logs = sum(weights[t] * math.log(max(0.01, used[t])) for t in used)
    assert score == pytest.approx(math.exp(logs / sum(weights.values())))
    assert 0 <= score <= 1


@given(all_terms, st.sampled_from(TERMS), st.floats(0, 1))
def test_a_better_term_never_lowers_the_score(values, term, better):
    if values[term] is None or better < values[term]:
        return
    before, _ = GeometricMean().score(make_evidence(**values))
    after, _ = GeometricMean().score(make_evidence(**{**values, term: better}))
    assert after >= before - 1e-12


def test_an_unknown_design_stands_between_the_good_and_the_bad():
    def score(reliability):
        return GeometricMean().score(make_evidence(relevance=0.8, reliability=reliability))[0]

    assert score(0.2) < score(None) < score(0.9)
    assert score(None) == score(0.5)


def test_nothing_assessed_is_no_score():
    assert GeometricMean().score(make_evidence())[0] is None


def test_a_weight_of_zero_takes_a_term_out():
    scorer = GeometricMean(weights=TermWeights(relevance=0))
    assert scorer.score(make_evidence(relevance=0.1, reliability=0.9))[0] == pytest.approx(0.9)


def test_what_was_assessed_gives_no_score_when_all_its_weights_are_zero():
    scorer = GeometricMean(weights=TermWeights(relevance=0, reliability=0, consistency=0))
    assert scorer.score(make_evidence(relevance=0.1, reliability=0.9))[0] is None


@pytest.mark.parametrize(
    "weights",
    [
        {"relevance": float("nan")},
        {"relevance": float("inf")},
        {"reliability": 1e7},
        {"consistency": -0.1},
        dict.fromkeys(("relevance", "reliability", "consistency", "applicability"), 0),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(ValueError, match=r"finite|less than or equal|greater than"):
        TermWeights(**weights)
