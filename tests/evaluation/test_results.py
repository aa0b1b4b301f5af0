"""Results of single questions, and files of them."""

from __future__ import annotations

import json

import pytest
from builders import make_article
from evaluation.result_builders import make_result
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from metarag.errors import InputError
from metarag.evaluation.items import Item
from metarag.evaluation.results import ItemResult, Outcome, read_results, write_results
from metarag.generation.multiple_choice import MultipleChoiceGenerator
from metarag.generation.multiple_choice_options import Choice, ChoiceOutcome, MultipleChoiceOptions
from metarag.llm.base import ChatReply
from metarag.llm.recorded import ScriptedModel
from metarag.pipeline import Pipeline

ITEM = Item(
    id="q1",
    dataset="d",
    question="Which tablet?",
    options={"A": "Imaginol", "B": "Placebol"},
    gold="A",
    subset="x",
)


@pytest.mark.parametrize(
    ("letter", "outcome"),
    [("A", Outcome.WRONG), ("B", Outcome.CORRECT), (None, Outcome.CORRECT), ("A", Outcome.UNREADABLE)],
)
def test_an_outcome_that_does_not_follow_from_the_letter_is_refused(letter, outcome):
    with pytest.raises(ValidationError, match="does not fit"):
        make_result("q", letter, outcome=outcome)


@pytest.mark.parametrize(
    ("choice", "outcome"),
    [
        (Choice(letter="A", outcome=ChoiceOutcome.ANSWERED, reason="r"), Outcome.CORRECT),
        (Choice(letter="B", outcome=ChoiceOutcome.ANSWERED, reason="r"), Outcome.WRONG),
        (Choice(outcome=ChoiceOutcome.UNREADABLE, reason="r"), Outcome.UNREADABLE),
        (Choice(outcome=ChoiceOutcome.REFUSED, reason="r"), Outcome.REFUSED),
        (Choice(outcome=ChoiceOutcome.NO_EVIDENCE, reason="r"), Outcome.REFUSED),
        (Choice(outcome=ChoiceOutcome.ERROR, reason="r"), Outcome.ERROR),
    ],
)
def test_a_choice_becomes_a_result(choice, outcome):
    result = ItemResult.of(ITEM, choice, system="s", model="m")
    assert result.outcome is outcome
    assert (result.item, result.gold, result.subset, result.cluster) == ("q1", "A", "x", ITEM.cluster)


def test_a_real_choice_brings_its_evidence_calls_tokens_and_confidence():
    reply = ChatReply(
        status="ok",
        text="A",
        first_token={"A": -0.1, "B": -3.0},
        input_tokens=50,
        output_tokens=1,
        attempts=2,
        latency=0.5,
    )
    generator = MultipleChoiceGenerator(
        ScriptedModel(lambda request: reply), MultipleChoiceOptions(by="logprobs")
    )
    ranking = Pipeline([]).rank(ITEM.as_question(), [make_article(pmid="7")])
    result = ItemResult.of(
        ITEM, generator.choose(ITEM.as_question(), ranking), system="s", model="m", calls=5
    )
    assert (result.evidence, result.calls) == (("pmid:7",), 7)
    assert (result.input_tokens, result.output_tokens, result.cost, result.seconds) == (50, 1, None, 0.5)
    assert 0.9 < result.confidence < 1


def test_what_was_not_asked_cost_nothing():
    choice = MultipleChoiceGenerator(ScriptedModel(lambda request: "A")).choose(
        ITEM.as_question(), Pipeline([]).rank(ITEM.as_question(), [])
    )
    result = ItemResult.of(ITEM, choice, system="s", model="m")
    assert (result.outcome, result.cost, result.calls, result.input_tokens) == (Outcome.REFUSED, 0.0, 0, 0)


TEXT = st.text(min_size=1, max_size=8).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text))


@given(
    TEXT, st.sampled_from(["A", "B", None]), st.one_of(st.none(), st.floats(0, 1)), st.lists(TEXT, max_size=3)
)
def test_a_result_survives_its_line_and_is_one_line(item, letter, confidence, evidence):
    result = make_result(item, letter, confidence=confidence, evidence=tuple(evidence), seconds=0.25)
    line = result.to_line()
    assert line.count("\n") == 1
    assert ItemResult.model_validate_json(line) == result
    assert ItemResult.model_validate_json(line).to_line() == line


def test_a_file_of_results_is_read_as_it_was_written(tmp_path):
    results = (make_result("q1"), make_result("q2", "B"), make_result("q1", seed=1))
    path = tmp_path / "results.jsonl"
    write_results(path, results)
    found = read_results(path)
    assert found.results == results
    assert not found.is_cut_off


def test_a_last_line_that_was_cut_off_is_left_out_and_said_so(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = make_result("q1").to_line()
    path.write_text(whole + make_result("q2").to_line()[:40], encoding="utf-8")
    found = read_results(path)
    assert (len(found.results), found.is_cut_off) == (1, True)
    path.write_bytes(whole.encode() + '{"item": "é'.encode()[:-1])
    assert read_results(path).is_cut_off


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ("{broken", "line 2 of .* is no result"),
        (json.dumps({"item": "x"}), "line 2 of .* is no result"),
        ('{"item": "\udcff"}', "line 2 of .* is no result"),
        (make_result("q1").to_line().strip(), "line 2 of .*q1 is there twice"),
    ],
)
def test_a_damaged_line_or_a_repeated_result_is_an_error_with_its_line(tmp_path, second, says):
    path = tmp_path / "results.jsonl"
    lines = make_result("q1").to_line() + second + "\n"
    path.write_text(lines, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InputError, match=f"{says}.*; remove the line, and"):
        read_results(path)


def test_a_run_that_has_no_answer_yet_is_told_as_that(tmp_path):
    with pytest.raises(InputError, match=r"no answers yet in .*: run the same"):
        read_results(tmp_path / "none.jsonl")
