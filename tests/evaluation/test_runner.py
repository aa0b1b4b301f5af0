import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from llm.fake_server import FakeServer, says

from metarag.errors import ConfigurationError, InputError, ModelUnavailableError
from metarag.evaluation.datasets import invented_questions
from metarag.evaluation.experiment import Experiment, Plan
from metarag.evaluation.report_formats import markdown
from metarag.evaluation.reports import build_report
from metarag.evaluation.results import Outcome, read_results
from metarag.evaluation.runner import POOLS, RESULTS, SIGNATURE, Runner, read_signature
from metarag.evaluation.samples import sample_lines
from metarag.evaluation.systems import named_systems
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.llm.base import Failure, failed_reply
from metarag.llm.budget import Prices
from metarag.llm.recorded import ScriptedModel
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus

QUESTIONS = invented_questions()
GOLD = {item.question: item.gold for item in QUESTIONS}


@pytest.fixture(scope="module")
def retriever():
    with open_demo_corpus() as corpus:
        yield CorpusRetriever(corpus)


def knows(questions, other="Z"):
    """A model that knows the answers to some questions, and says something else to the others."""
    known = {item.question: item.gold for item in questions}

    def script(request):
        answer = next((gold for text, gold in known.items() if text in request.user), None)
        return f"The answer is {answer}." if answer else other

    return ScriptedModel(script)


def an_experiment(model=None, systems=("closed_book", "plain", "recommended"), **plan):
    plan.setdefault("concurrency", 1)
    choice = MultipleChoiceOptions(prices=plan.pop("prices", None))
    return Experiment(
        [QUESTIONS], named_systems(systems), [model or knows(QUESTIONS)], Plan(choice=choice, **plan)
    )


def test_a_model_that_knows_fifteen_of_twenty_is_right_fifteen_times(tmp_path):
    model = knows(QUESTIONS.items[:15], other="I cannot say.")
    results = Runner(an_experiment(model, ["closed_book"]), tmp_path).run()
    outcomes = Counter(r.outcome for r in results)
    assert outcomes[Outcome.CORRECT] == 15
    assert outcomes[Outcome.CORRECT] + outcomes[Outcome.UNREADABLE] + outcomes[Outcome.REFUSED] == 20
    assert all(r.letter is None for r in results if r.outcome is not Outcome.CORRECT)


def test_every_system_answers_every_question_from_the_same_candidates(tmp_path, retriever):
    experiment = an_experiment(
        systems=["closed_book", "plain", "random", "reversed", "recommended", "paper@2"]
    )
    results = Runner(experiment, tmp_path, retriever=retriever).run()
    assert len(results) == 20 * 6
    shown = {(r.system, r.item): r.evidence for r in results}
    pools = [json.loads(line) for line in (tmp_path / POOLS).read_text().splitlines()]
    assert len(pools) == 20
    for pool in pools:
        found = {a["article"].get("pmid") or a["article"].get("doi") for a in pool["articles"]}
        assert len(pool["articles"]) <= 15
        assert shown["closed_book", pool["item"]] == ()
        assert len(shown["paper@2", pool["item"]]) <= 2
        assert set(shown["random", pool["item"]]) | set(shown["plain", pool["item"]])
        assert found
    assert any(shown["random", i.id] != shown["plain", i.id] for i in QUESTIONS)
    for item in QUESTIONS:
        best = shown["recommended", item.id]
        assert shown["reversed", item.id] == best[::-1]


def test_options_never_reach_the_search(tmp_path, retriever):
    asked = []

    class Listening:
        def retrieve(self, question, *, limit):
            asked.append(question)
            return retriever.retrieve(question, limit=limit)

    Runner(an_experiment(systems=["plain"]), tmp_path, retriever=Listening()).run()
    assert len(asked) == 20
    assert all(question.options == {} for question in asked)
    assert all(question.text in GOLD for question in asked)


def test_a_second_run_asks_nothing_and_its_report_has_the_same_bytes(tmp_path, retriever):
    model = knows(QUESTIONS.items[:12])
    first = Runner(an_experiment(model), tmp_path, retriever=retriever)
    results = first.run()
    text = markdown(build_report(results, signature=first.signature, baseline="plain"))
    asked = len(model.requests)
    second = Runner(an_experiment(model), tmp_path)
    assert second.dry_run().answering_calls == 0
    again = second.run()
    assert len(model.requests) == asked == 60
    assert markdown(build_report(again, signature=second.signature, baseline="plain")) == text
    assert read_signature(tmp_path / SIGNATURE).fingerprint in text


def test_a_folder_of_another_experiment_is_refused_with_what_differs(tmp_path, retriever):
    Runner(an_experiment(systems=["closed_book"]), tmp_path).run()
    with pytest.raises(ConfigurationError, match="another experiment"):
        Runner(an_experiment(systems=["closed_book"], limit=3), tmp_path)
    with pytest.raises(ConfigurationError, match="seeds"):
        Runner(an_experiment(systems=["closed_book"], seeds=(0, 1)), tmp_path)


def test_a_line_that_was_cut_off_is_answered_again(tmp_path):
    Runner(an_experiment(systems=["closed_book"]), tmp_path).run()
    whole = (tmp_path / RESULTS).read_bytes()
    (tmp_path / RESULTS).write_bytes(whole[:-30])
    model = knows(QUESTIONS)
    Runner(an_experiment(model, ["closed_book"]), tmp_path).run()
    assert len(model.requests) == 1
    assert len(read_results(tmp_path / RESULTS).results) == 20


@pytest.mark.slow
def test_a_killed_run_goes_on_without_asking_anything_twice(tmp_path):
    server = FakeServer((says("The answer is A."),))
    try:
        tests = Path(__file__).parents[1]
        environment = os.environ | {"PYTHONPATH": str(tests), "NO_PROXY": "*"}
        command = [sys.executable, "-W", "ignore", "-m", "evaluation.killed_run", server.url, str(tmp_path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tests, env=environment)
        for _ in range(7):
            assert process.stdout.readline() == "answered\n"
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        process.stdout.close()
        subprocess.run(command, check=True, cwd=tests, env=environment, timeout=120, capture_output=True)
        results = read_results(tmp_path / RESULTS).results
        assert len(results) == 40
        bodies = [json.dumps(seen.body, sort_keys=True) for seen in server.seen]
        assert max(Counter(bodies).values()) == 1
    finally:
        server.stop()


def test_the_parts_of_a_run_are_together_the_whole(tmp_path):
    parts = []
    for part in (1, 2, 3):
        runner = Runner(an_experiment(systems=["closed_book"], shard=(part, 3)), tmp_path / str(part))
        parts += [r.item for r in runner.run()]
    assert sorted(parts) == sorted(item.id for item in QUESTIONS)
    with pytest.raises(ConfigurationError, match="shard 4/3"):
        an_experiment(shard=(4, 3))


def test_a_dry_run_counts_and_sends_nothing(tmp_path, retriever):
    model = knows(QUESTIONS)
    experiment = Experiment(
        [QUESTIONS], named_systems(["plain", "recommended"]), [model], Plan(), judged=True
    )
    found = Runner(experiment, tmp_path, retriever=retriever).dry_run()
    assert (found.answers, found.done, found.answering_calls) == (40, 0, 40)
    assert found.judging_calls == 20 * 2 * 15
    assert model.requests == []


def test_too_many_failures_stop_the_run_and_what_was_answered_stands(tmp_path):
    count = 0

    def script(request):
        nonlocal count
        count += 1
        return failed_reply(Failure.TIMEOUT, "no answer") if count % 2 else "The answer is A."

    experiment = an_experiment(ScriptedModel(script), ["closed_book"], seeds=(0, 1, 2))
    with pytest.raises(ModelUnavailableError, match="of 20 answers failed, more than 10%"):
        Runner(experiment, tmp_path).run()
    assert len(read_results(tmp_path / RESULTS).results) == 20


def test_costs_count_failed_attempts_and_are_unknown_where_tokens_are(tmp_path):
    def script(request):
        from metarag.llm.base import ChatReply

        return ChatReply(
            status="ok", text="The answer is A.", input_tokens=1_000, output_tokens=10, attempts=3
        )

    prices = Prices(input_per_million=1, output_per_million=10)
    told = []
    runner = Runner(an_experiment(ScriptedModel(script), ["closed_book"], prices=prices), tmp_path)
    results = runner.run(told.append)
    assert all(r.cost == pytest.approx(0.0011) for r in results)
    assert {r.calls for r in results} == {3}
    assert told[-1].cost == pytest.approx(20 * 0.0011)
    assert (told[-1].done, told[-1].calls) == (20, 60)
    assert told[9].cost_left == pytest.approx(10 * 0.0011)
    unknown = Runner(an_experiment(systems=["closed_book"], prices=prices), tmp_path / "other").run()
    assert {r.cost for r in unknown} == {None}


def test_many_at_once_give_the_same_results_as_one_after_the_other(tmp_path, retriever):
    one = Runner(an_experiment(concurrency=1), tmp_path / "1", retriever=retriever).run()
    many = Runner(an_experiment(concurrency=6), tmp_path / "6", retriever=retriever).run()

    def said(results):
        return [r.model_copy(update={"seconds": 0.0}) for r in results]

    assert said(one) == said(many)


def test_evidence_that_is_nowhere_is_told(tmp_path):
    with pytest.raises(InputError, match="has no evidence in"):
        Runner(an_experiment(systems=["plain"]), tmp_path).run()


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["nonsense"], "no system 'nonsense'"),
        (["plain", "plain"], "named twice"),
        (["plain@0"], "from 1 to 50"),
        (["recommended-nonsense"], "nonsense"),
    ],
    ids=str,
)
def test_a_system_that_there_is_not_is_told_by_name(names, told):
    with pytest.raises(ConfigurationError, match=told):
        named_systems(names)


def test_ablations_are_the_preset_without_each_stage():
    names = [s.name for s in named_systems(["ablations"])]
    assert names == [
        f"recommended-{s}"
        for s in ("eligibility", "relevance", "reliability", "heterogeneity", "extrapolation")
    ]


def test_every_answer_is_exported_with_its_question(tmp_path):
    results = Runner(an_experiment(systems=["closed_book"]), tmp_path).run()
    samples = [json.loads(line) for line in sample_lines(results, [QUESTIONS])]
    assert [s["doc"]["id"] for s in samples] == [item.id for item in QUESTIONS]
    assert all(s["filtered_resps"] == [s["target"]] and s["acc"] == 1.0 for s in samples)
    with pytest.raises(InputError, match="in none of the data sets"):
        sample_lines(results, [])
