"""What is made without validation is what validation would make."""

import copy
import pickle

import pytest
from builders import make_evidence
from pydantic import BaseModel, ValidationError

from metarag.audit import Basis, Decision, Verdict
from metarag.config import Settings
from metarag.pipeline import Pipeline
from metarag.presets import build_pipeline
from metarag.retrieval.demo import demo_questions, open_demo_corpus
from metarag.types import Appraisal, Evidence, Retrieved, Span


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


def parts(value):
    """Yield a value and all that it is made of, depth first."""
    yield value
    if isinstance(value, BaseModel):
        value = tuple(dict(value).values())
    if isinstance(value, tuple):
        for part in value:
            yield from parts(part)


def test_every_appraisal_is_what_validation_makes_of_it(rankings):
    for item in (e for ranking in rankings for e in (*ranking.evidence, *ranking.excluded)):
        validated = Appraisal.model_validate(item.appraisal.model_dump())
        assert validated == item.appraisal
        assert list(map(type, parts(validated))) == list(map(type, parts(item.appraisal)))
        assert validated.model_dump_json() == item.appraisal.model_dump_json()


def test_every_span_of_an_appraisal_holds_the_words_of_its_text(rankings):
    spans = 0
    for item in rankings[0].evidence:
        texts = {"title": item.article.title, "abstract": item.article.abstract}
        for span in (part for part in parts(item.appraisal) if isinstance(part, Span)):
            if span.where in texts:
                assert texts[span.where][span.start : span.end] == span.text
                spans += 1
    assert spans > 100


def test_a_cut_span_is_frozen_and_equal_to_a_validated_one():
    span = Span.cut("title", "Aspirin in stroke", 11, 17)
    assert span == Span(where="title", start=11, end=17, text="stroke")
    assert pickle.loads(pickle.dumps(span)) == copy.deepcopy(span) == span
    with pytest.raises(ValidationError):
        span.start = 0


@pytest.mark.parametrize("changed", [{"relevance": 7.0}, {"relevance": "high"}, {"retriever_score": "best"}])
def test_a_retrieved_article_that_was_changed_behind_validation_is_refused(changed):
    found = Retrieved(article=make_evidence(key="a").article).model_copy(update=changed)
    with pytest.raises(ValidationError, match=next(iter(changed))):
        build_pipeline().rank("Does aspirin prevent stroke?", [found])


def test_what_another_scorer_says_is_validated():
    class Own:
        criterion = "score.own"

        def score(self, item):
            return 0.5, {"why": object()}

    pipeline = Pipeline([], scorer=Own())
    with pytest.raises(ValidationError, match="measurements"):
        pipeline.rank("Does aspirin prevent stroke?", [make_evidence(key="a").article])


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
