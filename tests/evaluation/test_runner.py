"""Experiments that run: known accuracy, nothing asked twice, whatever stops them."""

import _thread
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from evaluation.experiment_builders import FEW, QUESTIONS, an_experiment, knows
from llm.fake_server import FakeServer, says

from metarag.errors import ConfigurationError, InputError, ModelUnavailableError
from metarag.evaluation.experiment import Experiment, Plan
from metarag.evaluation.folder import EvaluationFolder
from metarag.evaluation.report_formats import markdown
from metarag.evaluation.reports import build_report
from metarag.evaluation.results import Outcome, read_results
from metarag.evaluation.runner import Runner
from metarag.evaluation.systems import named_systems
from metarag.llm.base import ChatReply, Failure, failed_reply
from metarag.llm.budget import Prices
from metarag.llm.recorded import ScriptedModel
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus


@pytest.fixture(scope="module")
def retriever():
    with open_demo_corpus() as corpus:
        yield CorpusRetriever(corpus)


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_a_model_that_knows_fifteen_of_twenty_is_right_fifteen_times(tmp_path):
    model = knows(QUESTIONS.items[:15], other="I cannot say.")
    results = Runner(an_experiment(model, ["closed_book"], data=QUESTIONS), tmp_path).run()
    assert Counter(r.outcome for r in results) == {Outcome.CORRECT: 15, Outcome.REFUSED: 5}
    assert all(r.letter is None for r in results if r.outcome is not Outcome.CORRECT)
    assert {r.reply for r in results[15:]} == {"I cannot say."}


def test_every_system_answers_every_question_from_the_same_candidates(tmp_path, retriever):
    names = ["closed_book", "plain", "random", "reversed", "recommended", "paper@2"]
    runner = Runner(an_experiment(systems=names), tmp_path, retriever=retriever)
    results = runner.run()
    assert len(results) == len(FEW) * 6
    shown = {(r.system, r.item): r.evidence for r in results}
    pools = [json.loads(line) for line in lines(tmp_path / "pools.jsonl")]
    assert [pool["item"] for pool in pools] == [item.id for item in FEW]
    for item in FEW:
        candidates = {found.article.id for found in runner.pools.of(item)}
        assert len(candidates) <= 15
        assert all(set(shown[name, item.id]) <= candidates for name in names)
        assert shown["closed_book", item.id] == ()
        assert len(shown["paper@2", item.id]) <= 2
        assert shown["reversed", item.id] == shown["recommended", item.id][::-1]
    assert any(shown["random", i.id] != shown["plain", i.id] for i in FEW)


def test_options_never_reach_the_search(tmp_path, retriever):
    asked = []

    class Listening:
        def retrieve(self, question, *, limit):
            asked.append(question)
            return retriever.retrieve(question, limit=limit)

    Runner(an_experiment(systems=["plain"]), tmp_path, retriever=Listening()).run()
    assert [question.text for question in asked] == [item.question for item in FEW]
    assert all(question.options == {} for question in asked)


def test_a_second_run_asks_nothing_and_its_report_has_the_same_bytes(tmp_path, retriever):
    model = knows(FEW.items[:3])
    first = Runner(an_experiment(model), tmp_path, retriever=retriever)
    results = first.run()
    text = markdown(build_report(results, signature=first.signature, baseline="plain"))
    asked = len(model.requests)
    assert asked == 3 * len(FEW)
    second = Runner(an_experiment(model), tmp_path)
    assert second.dry_run().answering_calls == 0
    again = second.run()
    assert len(model.requests) == asked
    assert markdown(build_report(again, signature=second.signature, baseline="plain")) == text
    assert second.signature.fingerprint in text


def test_a_folder_of_another_experiment_is_refused_with_what_differs(tmp_path):
    Runner(an_experiment(systems=["closed_book"]), tmp_path).run()
    with pytest.raises(ConfigurationError, match=r"another experiment \(.*selection"):
        Runner(an_experiment(systems=["closed_book"], limit=3), tmp_path)
    with pytest.raises(ConfigurationError, match="systems: closed_book, plain here, closed_book there"):
        Runner(an_experiment(systems=["closed_book", "plain"]), tmp_path)
    with pytest.raises(ConfigurationError, match="seeds"):
        Runner(an_experiment(systems=["closed_book"], seeds=(0, 1)), tmp_path)


def test_a_dry_run_counts_sends_nothing_and_leaves_no_trace(tmp_path, retriever):
    model = knows(FEW)
    experiment = Experiment([FEW], named_systems(["plain", "recommended"]), [model], Plan(), judged=True)
    found = Runner(experiment, tmp_path / "new", retriever=retriever).dry_run()
    assert (found.answers, found.done, found.answering_calls) == (2 * len(FEW), 0, 2 * len(FEW))
    assert found.judging_calls == len(FEW) * 2 * 15
    assert found.calls_per_question == 2 + 2 * 15
    assert model.requests == []
    assert not (tmp_path / "new").exists()


def test_a_line_that_was_cut_off_is_answered_again(tmp_path):
    Runner(an_experiment(systems=["closed_book"]), tmp_path).run()
    path = tmp_path / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    model = knows(FEW)
    Runner(an_experiment(model, ["closed_book"]), tmp_path).run()
    assert len(model.requests) == 1
    assert len(read_results(path).results) == len(FEW)


def test_a_pool_that_was_cut_off_is_retrieved_again(tmp_path, retriever):
    Runner(an_experiment(systems=["plain"]), tmp_path, retriever=retriever).run()
    path = tmp_path / "pools.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    (tmp_path / "results.jsonl").unlink()
    Runner(an_experiment(systems=["plain"]), tmp_path, retriever=retriever).run()
    assert path.read_bytes() == whole


@pytest.mark.slow
def test_a_killed_run_goes_on_without_asking_anything_twice(tmp_path):
    server = FakeServer((says("The answer is A."),))
    try:
        tests = Path(__file__).parents[1]
        environment = os.environ | {"PYTHONPATH": str(tests), "NO_PROXY": "*"}
        command = [sys.executable, "-W", "ignore", "-m", "evaluation.killed_run", server.url, str(tmp_path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tests, env=environment)
        for _ in range(5):
            assert process.stdout.readline() == "answered\n"
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        process.stdout.close()
        subprocess.run(command, check=True, cwd=tests, env=environment, timeout=120, capture_output=True)
        results = read_results(tmp_path / "results.jsonl").results
        assert len(results) == 12
        bodies = [json.dumps(seen.body, sort_keys=True) for seen in server.seen]
        assert max(Counter(bodies).values()) == 1
    finally:
        server.stop()


def test_an_interrupted_run_stops_at_once_and_the_same_command_goes_on(tmp_path):
    model, release = knows(FEW), threading.Event()

    def slow(request):
        if len(waiting.requests) > 2:
            _thread.interrupt_main()
            release.wait(20)
        return model.chat(request)

    waiting = ScriptedModel(slow, model=model.model)
    with pytest.raises(KeyboardInterrupt):
        Runner(an_experiment(waiting, ["closed_book"]), tmp_path).run()
    assert len(lines(tmp_path / "results.jsonl")) == 2
    release.set()
    for thread in threading.enumerate():
        if thread.name == "metarag-eval":
            thread.join(20)
    assert len(lines(tmp_path / "results.jsonl")) == 2
    results = Runner(an_experiment(model, ["closed_book"]), tmp_path).run()
    assert len(results) == len(lines(tmp_path / "results.jsonl")) == len(FEW)


def test_two_processes_do_not_work_in_one_folder(tmp_path):
    experiment = an_experiment(systems=["closed_book"])
    with (
        EvaluationFolder(tmp_path, experiment.signature).claimed(),
        pytest.raises(ConfigurationError, match="another process"),
    ):
        Runner(experiment, tmp_path).run()
    assert len(Runner(experiment, tmp_path).run()) == len(FEW)


def failing(every):
    count = 0

    def script(request):
        nonlocal count
        count += 1
        return failed_reply(Failure.TIMEOUT, "no answer") if count % every == 0 else "The answer is A."

    return ScriptedModel(script)


def test_too_many_failures_stop_the_run_and_are_answered_again_when_asked_to(tmp_path):
    experiment = an_experiment(failing(2), ["closed_book"], data=QUESTIONS, seeds=(0, 1, 2))
    with pytest.raises(ModelUnavailableError, match="3 of 6 answers failed, more than 2% of 100"):
        Runner(experiment, tmp_path).run()
    stored = read_results(tmp_path / "results.jsonl").results
    assert [r.outcome for r in stored].count(Outcome.ERROR) == 3
    assert {r.failure for r in stored} == {None, "timeout"}
    well = an_experiment(knows(QUESTIONS), ["closed_book"], data=QUESTIONS, seeds=(0, 1, 2))
    kept = Runner(well, tmp_path).dry_run()
    again = Runner(well, tmp_path, retry_errors=True)
    assert (kept.done, again.dry_run().done) == (6, 3)
    assert Counter(r.outcome for r in again.run())[Outcome.ERROR] == 0


def test_a_few_failures_stay_results_that_count_as_wrong(tmp_path):
    results = Runner(an_experiment(failing(20), ["closed_book"], data=QUESTIONS), tmp_path).run()
    assert [r.outcome for r in results].count(Outcome.ERROR) == 1


def test_a_call_that_no_other_can_better_ends_the_run_and_is_no_result(tmp_path):
    model = ScriptedModel(lambda request: failed_reply(Failure.STOPPED, "the key is wrong"))
    with pytest.raises(ModelUnavailableError, match="the key is wrong"):
        Runner(an_experiment(model, ["closed_book"]), tmp_path).run()
    assert not (tmp_path / "results.jsonl").exists()


def test_costs_count_failed_attempts_and_are_unknown_where_tokens_are(tmp_path):
    def script(request):
        return ChatReply(
            status="ok", text="The answer is A.", input_tokens=1_000, output_tokens=10, attempts=3
        )

    prices = Prices(input_per_million=1, output_per_million=10)
    told = []
    runner = Runner(an_experiment(ScriptedModel(script), ["closed_book"], prices=prices), tmp_path)
    results = runner.run(told.append)
    assert all(r.cost == pytest.approx(0.0011) for r in results)
    assert {r.calls for r in results} == {3}
    assert told[-1].cost == pytest.approx(len(FEW) * 0.0011)
    assert (told[-1].done, told[-1].calls) == (len(FEW), 3 * len(FEW))
    assert told[1].cost_left == pytest.approx((len(FEW) - 2) * 0.0011)
    assert told[1].seconds_left >= 0
    unknown = Runner(an_experiment(systems=["closed_book"], prices=prices), tmp_path / "other").run()
    assert {r.cost for r in unknown} == {None}


def test_many_at_once_give_the_same_results_as_one_after_the_other(tmp_path, retriever):
    one = Runner(an_experiment(concurrency=1), tmp_path / "1", retriever=retriever).run()
    many = Runner(an_experiment(concurrency=6), tmp_path / "6", retriever=retriever).run()

    def said(results):
        return [r.model_copy(update={"seconds": 0.0}) for r in results]

    assert said(one) == said(many)


def test_questions_are_retrieved_at_the_same_time(tmp_path, retriever):
    together = threading.Barrier(3, timeout=20)

    class Meeting:
        def retrieve(self, question, *, limit):
            together.wait()
            return retriever.retrieve(question, limit=limit)

    experiment = an_experiment(systems=["plain"], concurrency=3, limit=3)
    assert len(Runner(experiment, tmp_path, retriever=Meeting()).run()) == 3


def test_evidence_that_is_nowhere_is_told(tmp_path):
    with pytest.raises(InputError, match="has no evidence in"):
        Runner(an_experiment(systems=["plain"]), tmp_path).run()


def test_who_answered_is_noted_with_the_first_answer(tmp_path):
    def script(request):
        if len(model.requests) == 2:
            raise ModelUnavailableError("gone")
        return ChatReply(status="ok", text="Answer: A", model_answered="m-2026-01-01", attempts=1)

    model = ScriptedModel(script)
    with pytest.raises(ModelUnavailableError):
        Runner(an_experiment(model, ["closed_book"]), tmp_path).run()
    stored = json.loads((tmp_path / "signature.json").read_text(encoding="utf-8"))
    assert stored["answered_by"] == {"scripted": ["m-2026-01-01"]}


def test_a_question_without_evidence_is_asked_without_or_counts_as_declined(tmp_path, retriever):
    class Nothing:
        def retrieve(self, question, *, limit):
            return retriever.retrieve(question, limit=limit).model_copy(update={"articles": ()})

    asked = Runner(an_experiment(systems=["plain"]), tmp_path / "1", retriever=Nothing()).run()
    assert {r.outcome for r in asked} == {Outcome.CORRECT}
    silent = an_experiment(systems=["plain"], without_evidence="abstain")
    left = Runner(silent, tmp_path / "2", retriever=Nothing()).run()
    assert {(r.outcome, r.calls) for r in left} == {(Outcome.REFUSED, 0)}
