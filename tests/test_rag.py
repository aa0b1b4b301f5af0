import asyncio

import pytest
from builders import make_article

from metarag import MetaRag
from metarag.audit import QueryRecord
from metarag.errors import QuestionError
from metarag.rag import Progress, Step
from metarag.retrieval.base import ReadFailure, RetrievalResult
from metarag.types import Retrieved

QUESTION = "Do imaginary tablets lower invented fever?"
ARTICLES = (
    make_article("90000001"),
    make_article("90000002", "Retracted: imaginary tablets", types=("Retracted Publication",)),
)


class Given:
    """A retriever of two records, one of which is retracted, and of one that could not be read."""

    def __init__(self):
        self.limits = []

    def retrieve(self, question, *, limit=50):
        self.limits.append(limit)
        return RetrievalResult(
            articles=tuple(Retrieved(article=a) for a in ARTICLES),
            query=QueryRecord(source="given", query=question.text),
            failures=(ReadFailure(position=3, reason="it is cut off"),),
        )


def test_the_answer_comes_with_its_ranking_its_query_and_what_could_not_be_read():
    retriever = Given()
    answer = MetaRag(retriever, limit=7).ask(QUESTION)
    assert retriever.limits == [7]
    assert [item.key for item in answer.ranking] == ["pmid:90000001"]
    assert answer.ranking.audit.query.query == QUESTION
    assert "could not be read: record 3: it is cut off" in answer.ranking.audit.warnings


def test_every_step_is_told_when_it_begins_and_when_it_is_done():
    told = []
    MetaRag(Given(), on_progress=told.append).ask(QUESTION)
    assert told == [
        Progress(Step.RETRIEVE, False, 0),
        Progress(Step.RETRIEVE, True, 2),
        Progress(Step.RANK, False, 2),
        Progress(Step.RANK, True, 1),
        Progress(Step.ANSWER, False, 1),
        Progress(Step.ANSWER, True, 1),
    ]


def test_what_the_callback_raises_ends_the_asking():
    class EnoughError(Exception):
        pass

    def stop(progress):
        if progress.step is Step.RANK:
            raise EnoughError

    with pytest.raises(EnoughError):
        MetaRag(Given(), on_progress=stop).ask(QUESTION)


def test_asking_works_in_a_running_event_loop_both_ways():
    rag = MetaRag(Given())

    async def inside():
        return rag.ask(QUESTION), await rag.aask(QUESTION)

    first, second = asyncio.run(inside())
    assert first == second == asyncio.run(rag.aask(QUESTION))


def test_several_questions_are_asked_at_once():
    rag = MetaRag(Given())

    async def many():
        return await asyncio.gather(*(rag.aask(f"{QUESTION} {n}?") for n in range(5)))

    answers = asyncio.run(many())
    assert [a.ranking.audit.question.text for a in answers] == [f"{QUESTION} {n}?" for n in range(5)]


def test_an_empty_question_and_a_limit_below_one_are_refused():
    with pytest.raises(QuestionError):
        MetaRag(Given()).ask("  ")
    with pytest.raises(ValueError, match="at least 1"):
        MetaRag(Given(), limit=0)
