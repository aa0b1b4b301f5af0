"""Questions of an exam, as they are: each makes queries that can be sent and run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metarag.retrieval.expansion import expand
from metarag.retrieval.query import parse_query
from metarag.retrieval.query_tree import Term, leaves
from metarag.types import Question

QUESTIONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "questions" / "medqa_us_4opt.jsonl"

if not QUESTIONS.is_file():
    pytest.skip(f"no questions at {QUESTIONS}", allow_module_level=True)

ALL = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
ASKED = ALL[::20]


@pytest.mark.parametrize("asked", ASKED, ids=range(len(ASKED)))
def test_every_vignette_makes_queries_of_few_things(asked):
    plan = expand(Question(text=asked["question"], options=asked["options"]))
    for step in plan.steps:
        query = parse_query(step.query)
        assert query.for_corpus().match
        assert 1 <= len(leaves(query.root)) <= 60
    assert plan == expand(Question(text=asked["question"])), "the options are not in it"


def test_no_question_makes_a_query_that_pubmed_would_read_otherwise():
    """What PubMed maps, drops or reads from left to right is nowhere in what is sent."""
    for asked in ALL:
        for step in expand(Question(text=asked["question"], options=asked["options"])).steps:
            query = parse_query(step.query)
            assert query.for_pubmed() == step.query
            assert query.warnings == ()
            for leaf in leaves(query.root):
                assert isinstance(leaf, Term), step.query
                assert leaf.tag in {"mh", "tiab", "pt", "filter"}, step.query
                assert leaf.quoted or " " not in leaf.text, step.query
                assert leaf.text.isascii()
