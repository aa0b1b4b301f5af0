"""Keys, hosts, threads and event loops: what surrounds a call."""

from __future__ import annotations

import asyncio
import logging
import pickle
import socket
import threading
import time
import traceback

import pytest
from llm.fake_server import GOOD, fails, is_silent, says, sends

from metarag.errors import ConfigurationError, ModelBudgetError, ModelUnavailableError
from metarag.llm.base import ChatModel, Failure
from metarag.llm.budget import Budget
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.connect import connect
from metarag.llm.openai import OpenAIModel

KEY = "sk-test-0123456789abcdef"


def test_it_is_a_chat_model(serve, talk_to):
    model = talk_to(serve(says(GOOD)))
    assert isinstance(model, ChatModel)
    assert model.endpoint.startswith("127.0.0.1:")
    assert model.endpoint.endswith("/v1")


def test_a_key_never_leaves_by_error_log_repr_or_cache(serve, talk_to, ask, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    echo = f"the key {KEY} is wrong"
    server = serve(
        fails(500, echo),
        says(GOOD.replace("yes", "no"), model=KEY),
        says(f"{echo} {GOOD}"),
        sends(echo.encode()),
        fails(401, echo),
    )
    path = tmp_path / "cache.sqlite"
    inner = talk_to(server, api_key=KEY, policy={"attempts": 2})
    with ReplyCache(path) as cache:
        model = CachedModel(inner, cache)
        replies = [model.chat(ask(str(i))) for i in range(2)]
        with pytest.raises(ModelUnavailableError) as raised:
            model.chat(ask("third"))
        assert cache.stats().entries == 2
    stored = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    shown = "".join(traceback.format_exception(raised.value))
    assert all(s.headers["authorization"] == f"Bearer {KEY}" for s in server.seen)
    for place in (
        caplog.text,
        shown,
        repr(inner),
        repr(vars(raised.value)),
        repr(replies),
        stored.decode("latin-1"),
    ):
        assert KEY not in place
    assert "[key]" in replies[1].text


@pytest.mark.parametrize("key", ["sk test", "sk-“quoted”", "sk-a\nb"], ids=["space", "quotes", "break"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(key):
    with pytest.raises(ConfigurationError) as raised:
        OpenAIModel("m", base_url="http://127.0.0.1:9/v1", api_key=key)
    assert key not in str(raised.value)


def test_a_line_break_after_the_key_is_not_part_of_it(serve, talk_to, ask):
    server = serve(says(GOOD))
    talk_to(server, api_key=f"{KEY}\n").chat(ask())
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_local_server_needs_no_key_and_gets_none(serve, talk_to, ask, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-meant-for-openai-only")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-private")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-other")
    server = serve(says(GOOD))
    model = OpenAIModel("test-model", base_url=server.url)
    model.chat(ask())
    model.close()
    sent = server.seen[0].headers
    assert "authorization" not in sent
    assert not any("private" in value or "sk-" in value for value in sent.values())


def test_the_key_is_looked_up_when_the_model_is_made(serve, talk_to, ask, monkeypatch):
    server = serve(says(GOOD))
    monkeypatch.setenv("METARAG_API_KEY", KEY)
    model = talk_to(server)
    model_with_key = OpenAIModel("test-model", base_url=server.url)
    monkeypatch.delenv("METARAG_API_KEY")
    model.chat(ask())
    model_with_key.chat(ask())
    model_with_key.close()
    assert [s.headers.get("authorization") for s in server.seen] == [f"Bearer {KEY}"] * 2


def test_no_other_host_is_ever_called(serve, talk_to, ask, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://other.invalid/v1")
    called = []
    connect_socket = socket.socket.connect

    def watched(self, address):
        called.append(address[0])
        return connect_socket(self, address)

    def resolved(host, *args, **kwargs):
        called.append(host)
        return look_up(host, *args, **kwargs)

    look_up = socket.getaddrinfo
    monkeypatch.setattr(socket.socket, "connect", watched)
    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    talk_to(serve(says("prose"), says(GOOD))).chat(ask())
    assert set(called) == {"127.0.0.1"}


def test_a_redirect_is_not_followed(serve, talk_to, ask):
    other = serve(says(GOOD))
    server = serve(sends(b"", status=307, headers={"location": f"{other.url}/chat/completions"}))
    with pytest.raises(ModelUnavailableError, match="redirect"):
        talk_to(server).chat(ask())
    assert other.seen == []


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080/v1",
        "ftp://host/v1",
        "http://user:secret@host/v1",
        "http://host/v1?key=secret",
        "http://host:99999/v1",
        "http://[::1/v1",
    ],
    ids=["empty", "no scheme", "ftp", "password", "query", "port", "half an address"],
)
def test_an_unusable_address_is_refused_without_showing_secrets(url):
    with pytest.raises(ConfigurationError, match="base_url") as raised:
        OpenAIModel("m", base_url=url)
    assert "secret" not in str(raised.value)


def test_without_a_key_openai_is_not_asked_and_what_to_do_is_told(monkeypatch):
    monkeypatch.delenv("METARAG_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="set METARAG_API_KEY, or name the address"):
        OpenAIModel("m")


def test_an_empty_model_name_and_no_concurrency_are_refused():
    with pytest.raises(ConfigurationError, match="name is empty"):
        OpenAIModel(" ")
    with pytest.raises(ConfigurationError, match="concurrency"):
        OpenAIModel("m", concurrency=0)


def test_it_works_inside_event_loops_and_across_several(serve, talk_to, ask):
    model = talk_to(serve(says(GOOD)))

    async def inside():
        return model.chat(ask()), await asyncio.to_thread(model.chat, ask())

    for _ in range(2):
        assert [reply.status for reply in asyncio.run(inside())] == ["ok", "ok"]
    assert model.chat(ask()).status == "ok"


def test_replies_come_in_the_order_of_the_requests_with_few_in_flight(serve, talk_to, ask):
    lock, flying, most = threading.Lock(), [0], [0]

    def slower_for_the_first(seen):
        def behave(handler):
            with lock:
                flying[0] += 1
                most[0] = max(most[0], flying[0])
            time.sleep(0.05 if seen.user == "0" else 0.005)
            with lock:
                flying[0] -= 1
            says(seen.user)(handler)

        return behave

    model = talk_to(serve(by_request=slower_for_the_first), concurrency=3)
    requests = [ask(str(i), reply_schema=None) for i in range(20)]
    assert [reply.text for reply in model.map_chat(requests)] == [str(i) for i in range(20)]
    assert most[0] == 3
    assert model.map_chat([]) == ()


def test_the_limit_in_flight_holds_for_calls_from_many_threads(serve, talk_to, ask):
    lock, flying, most = threading.Lock(), [0], [0]

    def watched(handler):
        with lock:
            flying[0] += 1
            most[0] = max(most[0], flying[0])
        time.sleep(0.01)
        with lock:
            flying[0] -= 1
        says(GOOD)(handler)

    model = talk_to(serve(watched), concurrency=2)
    threads = [threading.Thread(target=model.chat, args=(ask(str(i)),)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 2


def test_one_bad_article_does_not_lose_the_others(serve, talk_to, ask):
    def by_article(seen):
        return {"1": fails(500), "2": says("prose"), "3": is_silent}.get(seen.user, says(GOOD))

    model = talk_to(serve(by_request=by_article), policy={"deadline": 0.5, "attempts": 2})
    replies = model.map_chat([ask(str(i)) for i in range(6)])
    assert [r.failure for r in replies] == [
        None,
        Failure.SERVER_ERROR,
        Failure.MALFORMED,
        Failure.TIMEOUT,
        None,
        None,
    ]


def test_a_stopped_run_can_keep_what_it_has(serve, talk_to, ask):
    server = serve(says(GOOD), says(GOOD), fails(401))
    replies = talk_to(server, concurrency=1).map_chat([ask(str(i)) for i in range(5)], partial=True)
    assert [r.failed for r in replies] == [False, False, True, True, True]
    assert {r.failure for r in replies[2:]} == {Failure.STOPPED}
    assert "API key" in replies[4].message
    assert len(server.seen) == 3


def test_40_calls_told_to_wait_do_not_come_back_together(serve, talk_to, ask):
    first = threading.Barrier(40, timeout=10)

    def behaviour(seen):
        def refuse(handler):
            first.wait()
            fails(429, headers={"retry-after": "0.3"})(handler)

        return says(GOOD) if server.seen.index(seen) >= 40 else refuse

    server = serve(by_request=behaviour)
    model = talk_to(server, concurrency=40, policy={"deadline": 20.0, "spread": 1.0})
    replies = model.map_chat([ask(str(i)) for i in range(40)])
    assert [r.status for r in replies] == ["ok"] * 40
    arrivals = sorted(s.at for s in server.seen)
    assert len(arrivals) == 80
    assert arrivals[40] - arrivals[39] >= 0.25, "nobody comes early"
    assert arrivals[79] - arrivals[40] > 0.2


def test_a_429_holds_back_the_calls_of_other_threads_too(serve, talk_to, ask):
    server = serve(fails(429, headers={"retry-after-ms": "300"}), says(GOOD))
    model = talk_to(server, concurrency=2)
    waiting = threading.Thread(target=model.chat, args=(ask("first"),))
    waiting.start()
    while len(server.seen) < 1 or model._server.gate._paused_until == 0:
        time.sleep(0.005)
    model.chat(ask("second"))
    waiting.join()
    assert min(s.at for s in server.seen[1:]) - server.seen[0].at >= 0.29


def test_a_call_budget_is_never_exceeded_by_eight_threads(serve, talk_to, ask):
    server = serve(says(GOOD))
    budget = Budget(max_calls=20)
    model = talk_to(server, concurrency=8, budget=budget)
    with pytest.raises(ModelBudgetError, match="20 model calls"):
        model.map_chat([ask(str(i)) for i in range(60)])
    time.sleep(0.1)
    assert len(server.seen) == 20
    assert budget.spending().calls == 20


def test_retries_count_as_calls(serve, talk_to, ask):
    model = talk_to(serve(fails(500)), budget=Budget(max_calls=3))
    with pytest.raises(ModelBudgetError):
        model.chat(ask())
    assert model.budget.spending().calls == 3
    assert model.budget.spending().answered == 0


def test_a_token_budget_is_never_exceeded_by_eight_threads(serve, talk_to, ask):
    def uses_all(seen):
        most = len(seen.user) // 2 + seen.body["max_tokens"]
        usage = {
            "prompt_tokens": most - seen.body["max_tokens"],
            "completion_tokens": seen.body["max_tokens"],
        }
        return says(GOOD, usage=usage, after=0.01)

    budget = Budget(max_tokens=10_000)
    model = talk_to(serve(by_request=uses_all), concurrency=8, budget=budget)
    replies = model.map_chat([ask(f"{i} {'word ' * 40}", max_tokens=300) for i in range(60)], partial=True)
    spent = budget.spending()
    answered = sum(not r.failed for r in replies)
    assert 8_000 < spent.input_tokens + spent.output_tokens <= 10_000
    assert answered == spent.answered
    assert {r.failure for r in replies if r.failed} == {Failure.STOPPED}


def test_a_seed_follows_the_sample_and_can_be_left_out(serve, talk_to, ask):
    server = serve(says(GOOD))
    model = talk_to(server)
    for fields in ({"seed": 7, "sample": 2}, {"seed": None}):
        model.chat(ask(**fields))
    assert server.seen[0].body["seed"] == 9
    assert "seed" not in server.seen[1].body


def test_connect_takes_a_cache_by_its_path(serve, ask, tmp_path, talk_to):
    server = serve(says(GOOD))
    talk_to(server)  # clears the environment of keys
    model = connect("test-model", base_url=server.url, cache=tmp_path / "new" / "cache.sqlite")
    assert [model.chat(ask()).cached for _ in range(2)] == [False, True]
    assert len(server.seen) == 1
    assert isinstance(model, CachedModel)
    model.cache.close()
    assert isinstance(model.inner, OpenAIModel)
    model.inner.close()


def test_a_reply_survives_pickling(serve, talk_to, ask):
    reply = talk_to(serve(says(GOOD))).chat(ask())
    assert pickle.loads(pickle.dumps(reply)) == reply
