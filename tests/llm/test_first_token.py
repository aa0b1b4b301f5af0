"""First tokens with their log-probabilities: asked for only where wanted, and kept with the reply."""

from __future__ import annotations

import json
import math

from llm.fake_server import completion, says, sends

from metarag.llm.base import ChatRequest
from metarag.llm.cache import CachedModel, ReplyCache, request_key


def with_first_token(probabilities):
    entries = [{"token": token, "logprob": math.log(p)} for token, p in probabilities.items()]
    body = completion("B")
    body["choices"][0]["logprobs"] = {"content": [{**entries[0], "top_logprobs": entries}]}
    return sends(json.dumps(body).encode())


def test_they_come_with_the_reply(serve, talk_to):
    model = talk_to(serve(with_first_token({"B": 0.7, "A": 0.3})))
    reply = model.chat(ChatRequest(user="Which?", top_logprobs=5))
    assert {token: round(math.exp(p), 6) for token, p in reply.first_token.items()} == {"B": 0.7, "A": 0.3}


def test_where_they_are_not_asked_for_nothing_of_them_is_sent(serve, talk_to):
    server = serve(says("B"))
    assert talk_to(server).chat(ChatRequest(user="Which?")).first_token is None
    assert not {"logprobs", "top_logprobs"} & server.seen[0].body.keys()


def test_impossible_values_are_no_probabilities(serve, talk_to):
    body = completion("B")
    first = {"token": "B", "logprob": 0.5, "top_logprobs": [{"token": 7, "logprob": -1}, {"token": "A"}]}
    body["choices"][0]["logprobs"] = {"content": [first]}
    model = talk_to(serve(sends(json.dumps(body).encode())))
    assert model.chat(ChatRequest(user="Which?", top_logprobs=5)).first_token is None


def test_a_cached_reply_has_them_and_one_without_is_another(serve, talk_to, tmp_path):
    server = serve(with_first_token({"B": 0.7, "A": 0.3}), says("B"))
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        model = CachedModel(talk_to(server), cache)
        request = ChatRequest(user="Which?", top_logprobs=5)
        first, again = model.chat(request), model.chat(request)
        assert again.cached
        assert again.first_token == first.first_token
        assert model.chat(ChatRequest(user="Which?")).first_token is None
    assert len(server.seen) == 2
    assert request_key(request) != request_key(ChatRequest(user="Which?"))
