"""The counts of `benchmarks/groundedness.py`, on models whose inventions are known."""

import importlib.util
import json
from pathlib import Path

import pytest
from answer_builders import FEWER, QUESTION, SAME, ranked, trial, writer

from metarag.generation.grounded import GroundedGenerator
from metarag.generation.grounded_options import GroundedOptions
from metarag.llm.base import Failure, failed_reply
from metarag.retrieval.corpus import Corpus

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "groundedness.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("groundedness_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(text, *articles, **options):
    options = GroundedOptions(short_answer=False, **options)
    return GroundedGenerator(writer(text), options).generate(QUESTION, ranked(*articles))


def test_each_invention_is_counted_once_and_what_code_adds_is_no_sentence_of_the_model(script):
    text = "Deaths were fewer, odds ratio 0.60 [1]. Fever fell by 4.7 degrees [1, 777]. It is safe."
    counts = script.counts_of([answer(text, trial(1, FEWER))])
    assert counts["sentences"] == 3
    assert counts["sentences that cite a source"] == 2
    assert counts["sentences marked"] == 2
    assert counts["invented citations removed"] == 1
    assert (counts["numbers checked"], counts["numbers not in the cited articles"]) == (2, 1)
    assert counts["sentences without a source"] == 1
    assert counts["sentences dropped"] == 0
    assert (counts["answers by the model"], counts["calls"], counts["calls failed"]) == (1, 1, 0)


def test_dropped_sentences_refusals_and_failures_are_told_apart(script):
    dropped = answer("Deaths were fewer [1]. It is safe.", trial(1, FEWER), unsupported="drop")
    refused = answer("never asked")
    failed = answer(failed_reply(Failure.TIMEOUT, "too late"), trial(1, FEWER))
    counts = script.counts_of([dropped, refused, failed])
    assert counts["questions"] == 3
    assert counts["sentences dropped"] == 1
    assert counts["sentences"] == 1
    assert (counts["refusals"], counts["answers by rules instead"], counts["calls failed"]) == (1, 1, 1)
    assert counts["answers by the model"] == 1


def test_the_questions_are_asked_of_the_corpus_and_the_report_is_json(script, capsys):
    corpus = Corpus.in_memory([trial(1, FEWER), trial(2, SAME)], name="two trials")
    model = writer("Deaths were fewer [1], others found no difference [2].")
    options = GroundedOptions(short_answer=False)
    answers = list(script.ask_all(model, corpus, [QUESTION.text], options, limit=5))
    found = json.loads(json.dumps(script.report("scripted", answers)))
    assert found["counts"]["answers by the model"] == 1
    (told,) = found["answers"]
    assert told["question"] == QUESTION.text
    assert sorted(told["sources"]) == ["1", "2"]
    assert QUESTION.text in capsys.readouterr().err
