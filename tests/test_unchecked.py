"""What is made without validation is what validation would make."""

import copy
import pickle

import pytest
from builders import make_evidence
from pydantic import ValidationError

from metarag.audit import Basis, Decision, Verdict
from metarag.config import Settings
from metarag.presets import build_pipeline
from metarag.retrieval.demo import demo_questions, open_demo_corpus
from metarag.types import Evidence


@pytest.fixture(scope="module")
def rankings():
    with open_demo_corpus() as corpus:
        articles = list(corpus)[::3]
    question = demo_questions()[1].question
    return [
        build_pipeline(Settings.from_mapping({"preset": preset})).rank(question, articles)
        for preset in ("recommended", "paper")
    ]


def kinds(values):
    return {name: type(value) for name, value in values.items()}


def test_every_decision_of_a_ranking_is_what_validation_makes_of_it(rankings):
    for decision in (d for ranking in rankings for d in ranking.audit.decisions):
        validated = Decision(**dict(decision))
        assert validated == decision
        assert kinds(dict(validated)) == kinds(dict(decision))
        assert kinds(validated.measurements) == kinds(decision.measurements)
        assert validated.model_dump_json() == decision.model_dump_json()


def test_all_evidence_of_a_ranking_is_what_validation_makes_of_it(rankings):
    for item in (e for ranking in rankings for e in (*ranking.evidence, *ranking.excluded)):
        validated = Evidence(**dict(item))
        assert validated == item
        assert kinds(dict(validated)) == kinds(dict(item))


def test_a_decision_made_so_is_frozen_and_copies_like_any_other():
    decision = Decision.on(make_evidence(key="a"), "s", Verdict.INCLUDED, "s.c", "Why.", {"n": 1})
    assert decision == Decision(
        stage="s",
        key="a",
        verdict=Verdict.INCLUDED,
        criterion="s.c",
        reason="Why.",
        measurements={"n": 1},
        basis=Basis.RULE,
    )
    with pytest.raises(ValidationError):
        decision.reason = "Another."
    assert pickle.loads(pickle.dumps(decision)) == copy.deepcopy(decision) == decision
    assert decision.model_copy(update={"reason": "Another."}).reason == "Another."
    assert decision.model_fields_set == set(Decision.model_fields)


@pytest.mark.parametrize(
    "values",
    [
        {"relevance": 1.5},
        {"relevance": float("nan")},
        {"score": "high"},
        {"level": 6},
        {"appraisal": "good"},
        {"retrieval_rank": 0},
        {"nonsense": 1},
    ],
)
def test_evidence_is_never_assessed_with_what_its_fields_do_not_allow(values):
    with pytest.raises(ValidationError):
        make_evidence().assessed(**values)


@pytest.mark.parametrize("values", [{"relevance": 1}, {"reliability": True}, {"retriever_score": 3}])
def test_what_has_to_be_converted_is_converted(values):
    (name,) = values
    found = getattr(make_evidence().assessed(**values), name)
    assert (found, type(found)) == (float(values[name]), float)


def test_a_subclass_of_evidence_stays_one():
    class Own(Evidence):
        note: str = ""

    item = Own(**dict(make_evidence()), note="mine").assessed(relevance=0.5, note="ours")
    assert (type(item), item.relevance, item.note) == (Own, 0.5, "ours")
