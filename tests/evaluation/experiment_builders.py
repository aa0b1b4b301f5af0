"""Small experiments on the invented questions, with models whose knowledge is known."""

from __future__ import annotations

from metarag.evaluation.datasets import invented_questions
from metarag.evaluation.experiment import Experiment, Plan
from metarag.evaluation.systems import named_systems
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.llm.recorded import ScriptedModel

QUESTIONS = invented_questions()
FEW = QUESTIONS.model_copy(update={"items": QUESTIONS.items[:5]})
GOLD = {item.question: item.gold for item in QUESTIONS}


def knows(questions, other="Z"):
    """A model that knows the answers to some questions, and says something else to the others."""
    known = {item.question: item.gold for item in questions}

    def script(request):
        answer = next((gold for text, gold in known.items() if text in request.user), None)
        return f"The answer is {answer}." if answer else other

    return ScriptedModel(script)


def an_experiment(model=None, systems=("closed_book", "plain", "recommended"), *, data=FEW, **plan):
    plan.setdefault("concurrency", 1)
    choice = MultipleChoiceOptions(
        prices=plan.pop("prices", None), without_evidence=plan.pop("without_evidence", "closed_book")
    )
    return Experiment(
        [data], named_systems(systems), [model or knows(QUESTIONS)], Plan(choice=choice, **plan)
    )
