import json

import pytest
from llm.fake_server import completion, drips, fails, says, sends

from metarag.llm.base import ChatRequest, Failure
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.recorded import ScriptedModel
from metarag.llm.streaming import EventStream, stream_chat

REQUEST = ChatRequest(system="Answer.", user="Does aspirin help?")


def event(content=None, *, finish=None, **fields):
    delta = {} if content is None else {"content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "1",
        "object": "chat.completion.chunk",
        "model": "test-model",
        "choices": [choice],
        **fields,
    }


USAGE = {"id": "1", "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 3}}


def body(*events, end="data: [DONE]\n\n"):
    return ("".join(f"data: {json.dumps(e)}\n\n" for e in events) + end).encode()


def streams(*events, **options):
    return sends(body(*events, **options), headers={"content-type": "text/event-stream"})


def ask(model):
    texts = []
    return stream_chat(model, REQUEST, texts.append), texts


def test_the_text_grows_and_the_reply_at_the_end_is_checked_and_counted(serve, talk_to):
    server = serve(streams(event("Aspirin "), event("helps."), event(finish="stop"), USAGE))
    reply, texts = ask(talk_to(server))
    assert texts[-1] == reply.text == "Aspirin helps."
    assert all("Aspirin helps.".startswith(text) for text in texts)
    assert (reply.status, reply.input_tokens, reply.output_tokens) == ("ok", 100, 3)
    assert server.seen[0].body["stream"] is True


def test_a_server_that_does_not_stream_answers_at_once(serve, talk_to):
    reply, texts = ask(talk_to(serve(says("Aspirin helps."))))
    assert (reply.text, texts) == ("Aspirin helps.", ["Aspirin helps."])


def test_a_server_that_rejects_streaming_is_asked_without(serve, talk_to):
    server = serve(fails(400, "stream_options is not supported"), says("Aspirin helps."))
    reply, texts = ask(talk_to(server))
    assert (reply.text, texts) == ("Aspirin helps.", ["Aspirin helps."])
    assert "stream" not in server.seen[1].body


def test_a_broken_stream_is_asked_again_and_starts_from_the_beginning(serve, talk_to):
    server = serve(fails(503), streams(event("Aspirin helps."), event(finish="stop")))
    reply, texts = ask(talk_to(server))
    assert (reply.text, texts[-1], reply.attempts) == ("Aspirin helps.", "Aspirin helps.", 2)


def test_a_text_cut_off_by_its_limit_is_no_answer(serve, talk_to):
    cut = streams(event("Aspirin hel"), event(finish="length"))
    reply, _ = ask(talk_to(serve(cut)))
    assert reply.failure is Failure.TRUNCATED


def test_a_stream_that_never_ends_ends_at_the_deadline(serve, talk_to):
    reply, texts = ask(talk_to(serve(drips), policy={"deadline": 0.5}))
    assert reply.failure is Failure.TIMEOUT
    assert texts == []


def test_a_key_that_a_server_repeats_is_in_no_text(serve, talk_to):
    key = "sk-abcdefgh12345"
    server = serve(streams(event(f"Your key is {key}."), event(finish="stop")))
    reply, texts = ask(talk_to(server, api_key=key))
    assert key not in reply.text
    assert all(key not in text for text in texts)


def test_a_callback_that_fails_is_the_callers_error(serve, talk_to):
    def broken(text):
        raise RuntimeError("my own mistake")

    server = serve(streams(event("Aspirin "), event("helps."), event(finish="stop")))
    with pytest.raises(RuntimeError, match="my own mistake"):
        stream_chat(talk_to(server), REQUEST, broken)


def test_a_cached_reply_comes_at_once_and_a_new_one_is_kept(serve, talk_to, tmp_path):
    server = serve(streams(event("Aspirin "), event("helps."), event(finish="stop"), USAGE))
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        model = CachedModel(talk_to(server), cache)
        first, grown = ask(model)
        second, texts = ask(model)
    assert grown[-1] == "Aspirin helps."
    assert (second.text, second.cached, texts) == (first.text, True, ["Aspirin helps."])
    assert len(server.seen) == 1


def test_a_model_that_cannot_stream_gives_its_text_at_once():
    assert ask(ScriptedModel(lambda request: "Aspirin helps."))[1] == ["Aspirin helps."]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_events_may_be_cut_anywhere(size):
    stream, raw = EventStream(), body(event("Aspirin hé"), event("lps."), event(finish="stop"), USAGE)
    for start in range(0, len(raw), size):
        stream.feed(raw[start : start + size])
    whole = json.loads(stream.completion())
    assert whole["choices"][0]["message"]["content"] == "Aspirin hélps."
    assert whole["usage"]["prompt_tokens"] == 100


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        json.dumps(completion("x")).encode(),
        b"data: {broken\n\n",
        b"data: [DONE]\n",
        body(event("half"), end="data: {bro\n"),
    ],
)
def test_what_is_no_stream_of_events_is_left_as_it_came(raw):
    stream = EventStream()
    stream.feed(raw)
    assert stream.completion() is None
