"""The whole way to a real server on the loopback: what is sent, what comes back, and to whom."""

import socket

import pytest
from answer_builders import FEWER, QUESTION, SAME, ranked, trial
from llm.fake_server import fails, says, sends

from metarag.generation.grounded import GroundedGenerator
from metarag.generation.grounded_options import GroundedOptions
from metarag.llm.budget import Budget, Prices
from metarag.rag import MetaRag
from metarag.retrieval.corpus import Corpus, CorpusRetriever

GOOD = "Aspirin lowered deaths (odds ratio 0.60, 95% CI 0.45 to 0.80) [1]. The certainty is limited [1]."


def generate(model, *articles, **options):
    options.setdefault("short_answer", False)
    return GroundedGenerator(model, GroundedOptions(**options)).generate(QUESTION, ranked(*articles))


def test_the_settings_reach_the_server(serve, talk_to):
    server = serve(says(GOOD))
    generate(talk_to(server), trial(1, FEWER), temperature=0.25, max_tokens=321)
    sent = server.seen[0].body
    assert (sent["temperature"], sent["max_tokens"], sent["seed"]) == (0.25, 321, 0)
    assert sent["model"] == "test-model"


def test_instructions_are_in_the_system_message_and_articles_in_the_users(serve, talk_to):
    server = serve(says(GOOD))
    generate(talk_to(server), trial(1, FEWER))
    assert "odds ratio 0.60" in server.seen[0].user
    assert "odds ratio 0.60" not in server.seen[0].system
    assert "<data-source-" in server.seen[0].user


def test_retracted_and_excluded_articles_are_in_no_message(serve, talk_to):
    server = serve(says(GOOD))
    retracted = ("Retracted Publication", "Randomized Controlled Trial")
    generate(
        talk_to(server),
        trial(1, FEWER),
        trial(2, f"{FEWER} Withdrawn words.", types=retracted),
        trial(3, "Rat words.", title="Aspirin in rats with pneumonia"),
        short_answer=True,
        snippets="model",
        check_sentences=True,
    )
    sent = " ".join(seen.system + seen.user for seen in server.seen)
    assert "odds ratio 0.60" in sent
    assert "Withdrawn words" not in sent
    assert "[2]" not in sent


def test_no_other_host_than_the_one_that_was_set_is_called(serve, talk_to, monkeypatch):
    called = []
    connect = socket.socket.connect

    def watch(self, address):
        called.append(address)
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", watch)
    server = serve(says(GOOD))
    with Corpus.in_memory([trial(1, FEWER)]) as corpus:
        rag = MetaRag(CorpusRetriever(corpus), generator=GroundedGenerator(talk_to(server)))
        assert rag.ask(QUESTION).citations == ("1",)
    assert {address[:2] for address in called} == {("127.0.0.1", server.server_address[1])}


def test_without_evidence_nothing_is_sent(serve, talk_to):
    server = serve(says(GOOD))
    assert generate(talk_to(server)).abstained
    assert server.seen == []


def test_tokens_are_the_servers_and_the_cost_follows_them(serve, talk_to):
    prices = Prices(input_per_million=1, output_per_million=1)
    (use,) = generate(talk_to(serve(says(GOOD))), trial(1, FEWER), prices=prices).usage
    assert (use.input_tokens, use.output_tokens) == (100, 20)
    assert use.cost == pytest.approx(120 / 1e6)


def test_a_server_that_does_not_count_leaves_the_cost_unknown(serve, talk_to):
    prices = Prices(input_per_million=1, output_per_million=1)
    (use,) = generate(talk_to(serve(says(GOOD, usage=None))), trial(1, FEWER), prices=prices).usage
    assert (use.input_tokens, use.cost) == (None, None)


def test_a_transient_fault_is_tried_again_and_a_lasting_one_leaves_the_rules(serve, talk_to):
    assert not generate(talk_to(serve(fails(503), says(GOOD))), trial(1, FEWER)).degraded
    made = generate(talk_to(serve(fails(401, "bad key"))), trial(1, FEWER))
    assert made.degraded
    assert made.citations == ("1",)
    assert "401" in made.warnings[0]


def test_a_used_up_budget_sends_nothing_more_and_its_message_is_no_answer(serve, talk_to):
    server = serve(says(GOOD))
    made = generate(talk_to(server, budget=Budget(max_calls=1)), trial(1, FEWER), short_answer=True)
    assert len(server.seen) == 1
    assert "budget" not in f"{made.text} {made.short}"
    assert any("budget of 1 model calls is used up" in warning for warning in made.warnings)


def test_the_answer_streams_sentence_by_sentence_and_without_what_was_invented(serve, talk_to):
    chunks = [
        "Trials disa",
        "gree [1], whereas [2",
        "]. It cures all [99",
        "999999]. The certainty is ",
        "limited [1].",
    ]
    events = "".join(
        f'data: {{"choices": [{{"index": 0, "delta": {{"content": "{chunk}"}}}}]}}\n\n' for chunk in chunks
    )
    stop = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    server = serve(sends((events + stop).encode(), headers={"content-type": "text/event-stream"}))
    shown = []
    options = GroundedOptions(short_answer=False)
    generator = GroundedGenerator(talk_to(server), options, on_text=shown.append)
    made = generator.generate(QUESTION, ranked(trial(1, FEWER, n=90), trial(2, SAME, n=9000)))
    assert all("99999999" not in text for text in shown)
    assert shown[-1] == made.text
    assert made.text.startswith(
        "Trials disagree [PMID 1], whereas [PMID 1; PMID 2].\nIt cures all. (no source)"
    )
