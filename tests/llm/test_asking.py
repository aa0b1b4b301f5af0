"""A model of anybody's: whatever it raises or returns is a failed call, and the ranking stands."""

import pytest
from builders import make_article
from model_builders import obedient_model

from metarag import rank
from metarag.errors import ModelBudgetError
from metarag.generation.grounded import GroundedGenerator
from metarag.generation.multiple_choice import MultipleChoiceGenerator
from metarag.llm.asking import ask, ask_all, ask_streaming
from metarag.llm.base import ChatRequest, Failure
from metarag.llm.recorded import ScriptedModel
from metarag.types import Question

REQUEST = ChatRequest(system="Answer.", user="Does zinc help?")
QUESTION = Question(text="Does zinc shorten colds in adults?")
TRIAL = make_article(
    title="Zinc for colds in adults: a randomised trial",
    abstract="We randomly assigned 200 adults with colds to zinc or placebo. Colds were shorter with zinc.",
    types=("Randomized Controlled Trial",),
)


class Foreign:
    """A model of another package, which keeps none of the promises."""

    model, endpoint, concurrency = "foreign", "nowhere", 1

    def __init__(self, does):
        self.does = does

    def chat(self, request):
        return self.does()

    def map_chat(self, requests, *, partial=False):
        return tuple(self.does() for _ in requests)


def raises(error):
    def do():
        raise error

    return do


FAULTS = {
    "key": (raises(KeyError("choices")), Failure.STOPPED, "failed with KeyError: 'choices'"),
    "network": (raises(ConnectionError("reset\nby peer")), Failure.STOPPED, "ConnectionError: reset by peer"),
    "budget": (raises(ModelBudgetError("no call is left")), Failure.STOPPED, "no call is left"),
    "bytes": (lambda: b"{}", Failure.BAD_BODY, "returned a bytes instead of a ChatReply"),
    "nothing": (lambda: None, Failure.BAD_BODY, "returned a NoneType instead of a ChatReply"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_model_does_wrong_is_a_failed_reply_that_says_what(fault):
    does, failure, says = FAULTS[fault]
    model = Foreign(does)
    for reply in (ask(model, REQUEST), *ask_all(model, [REQUEST] * 2)):
        assert reply.failure == failure
        assert says in reply.message
    shown = []
    assert ask_streaming(model, REQUEST, shown.append).failed
    assert shown == []


def test_too_few_replies_are_no_answer_to_any_request():
    model, one = Foreign(None), ask(ScriptedModel(lambda request: "yes"), REQUEST)
    model.map_chat = lambda requests, partial: (one,)
    replies = ask_all(model, [REQUEST] * 2)
    assert [reply.failure for reply in replies] == [Failure.BAD_BODY] * 2
    assert "1 replies to 2 requests" in replies[0].message


@pytest.mark.parametrize("fault", FAULTS)
def test_a_ranking_with_such_a_model_is_the_one_without(fault):
    model = Foreign(FAULTS[fault][0])
    ruled, judged = rank(QUESTION, [TRIAL]), rank(QUESTION, [TRIAL], model=model)
    assert [item.score for item in judged] == [item.score for item in ruled]
    assert set(judged.audit.degraded) == {"reliability", "extrapolation"}


def test_a_model_that_raises_costs_neither_an_answer_nor_a_choice():
    ranking = rank(QUESTION, [TRIAL])
    model = Foreign(raises(KeyError("choices")))
    answer = GroundedGenerator(model).generate(QUESTION, ranking)
    assert answer.degraded
    assert "KeyError" in " ".join(answer.warnings)
    asked = QUESTION.model_copy(update={"options": {"A": "Yes", "B": "No"}})
    choice = MultipleChoiceGenerator(model).choose(asked, ranking)
    assert choice.letter is None
    assert "KeyError" in choice.reason


def test_ctrl_c_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        ask(Foreign(raises(KeyboardInterrupt())), REQUEST)


def test_a_good_model_is_as_before():
    assert rank(QUESTION, [TRIAL], model=obedient_model()).audit.degraded == ()
    reply = ask(ScriptedModel(lambda request: "yes"), REQUEST)
    assert (reply.text, reply.failed) == ("yes", False)
