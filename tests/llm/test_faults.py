"""What real servers do wrong, done by a real server, and what has to come of it."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from llm.fake_server import (
    GOOD,
    completion,
    cuts,
    drips,
    drips_error,
    drips_headers,
    fails,
    is_silent,
    says,
    sends,
)

from metarag.errors import ModelResponseError, ModelUnavailableError
from metarag.llm.base import Failure, Rung

KEY = "sk-test-0123456789abcdef"
NO_RETRY = {"attempts": 1}


# 1
def test_a_429_with_seconds_is_waited_out_and_both_attempts_are_counted(serve, talk_to, ask):
    server = serve(fails(429, headers={"retry-after": "1"}), says(GOOD))
    reply = talk_to(server).chat(ask())
    assert reply.status == "ok"
    assert reply.attempts == 2
    assert server.seen[1].at - server.seen[0].at >= 1.0


# 2
def test_a_429_with_a_date_is_waited_out(serve, talk_to, ask):
    def until(handler):
        soon = datetime.now(UTC) + timedelta(seconds=2)
        fails(429, headers={"retry-after": format_datetime(soon, usegmt=True)})(handler)

    server = serve(until, says(GOOD))
    reply = talk_to(server).chat(ask())
    assert (reply.status, reply.attempts) == ("ok", 2)
    assert server.seen[1].at - server.seen[0].at >= 1.0


# 3
@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_beyond_the_deadline_fails_at_once_and_says_how_long_it_would_be(serve, talk_to, ask, status):
    server = serve(fails(status, headers={"retry-after": "600"}), says(GOOD))
    model = talk_to(server)
    started = time.monotonic()
    reply = model.chat(ask())
    assert reply.failure is Failure.RATE_LIMITED
    assert "600 s" in reply.message
    assert time.monotonic() - started < 4.0, "well before the deadline"
    assert model.chat(ask("another")).failure is Failure.RATE_LIMITED
    assert len(server.seen) == 1, "nobody sends during the pause"


# 4
def test_an_empty_account_stops_the_run_without_a_retry(serve, talk_to, ask):
    server = serve(fails(429, "You exceeded your current quota", code="insufficient_quota"))
    model = talk_to(server)
    with pytest.raises(ModelUnavailableError, match="quota"):
        model.chat(ask())
    with pytest.raises(ModelUnavailableError, match="quota"):
        model.chat(ask("next article"))
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "message",
    [
        "Rate limit reached. Add a payment method at https://host.invalid/account/billing to raise it.",
        "You exceeded your current quota for requests per minute. Please retry in 2 s.",
    ],
)
def test_a_limit_per_minute_that_speaks_of_billing_is_not_an_empty_account(serve, talk_to, ask, message):
    assert talk_to(serve(fails(429, message), says(GOOD))).chat(ask()).status == "ok"


# 5
def test_server_errors_are_retried(serve, talk_to, ask):
    server = serve(fails(500), fails(503), says(GOOD))
    reply = talk_to(server).chat(ask())
    assert (reply.status, reply.attempts) == ("ok", 3)


def test_server_errors_end_in_a_failure_that_says_what_the_server_said(serve, talk_to, ask):
    server = serve(fails(502, "upstream is on fire"))
    reply = talk_to(server, policy={"attempts": 3}).chat(ask())
    assert (reply.failure, reply.attempts) == (Failure.SERVER_ERROR, 3)
    assert "upstream is on fire" in reply.message


# 6
@pytest.mark.parametrize(
    ("status", "hint"), [(401, "API key"), (403, "403"), (404, "model's name"), (402, "402")], ids=str
)
def test_what_no_call_can_get_past_stops_the_run_before_the_second_call(serve, talk_to, ask, status, hint):
    server = serve(fails(status, f"Incorrect API key provided: {KEY}"))
    model = talk_to(server, api_key=KEY, concurrency=1)
    with pytest.raises(ModelUnavailableError, match=hint) as raised:
        model.map_chat([ask(f"article {i}") for i in range(50)])
    assert len(server.seen) == 1
    assert KEY not in str(raised.value)
    assert raised.value.__context__ is None, "the SDK's exception holds the request with its headers"


# 7
def test_a_server_without_json_schema_is_asked_one_rung_lower_from_then_on(serve, talk_to, ask):
    def by_rung(seen):
        if seen.rung == "json_schema":
            return fails(400, "response_format json_schema is not supported")
        return says(GOOD)

    server = serve(by_request=by_rung)
    model = talk_to(server)
    first, second = model.chat(ask()), model.chat(ask("another"))
    assert [first.rung, second.rung] == [Rung.JSON_OBJECT, Rung.JSON_OBJECT]
    assert [s.rung for s in server.seen] == ["json_schema", "json_object", "json_object"]
    assert '"not_reported"' in server.seen[1].system, "the schema moves into the prompt"


def test_a_server_without_any_response_format_is_asked_for_text(serve, talk_to, ask):
    def text_only(seen):
        return says(f"Here you are: {GOOD}") if seen.rung == "text" else fails(422, "unknown field")

    server = serve(by_request=text_only)
    reply = talk_to(server).chat(ask())
    assert (reply.rung, reply.parsed["answer"]) == (Rung.TEXT, "yes")
    assert reply.notes == ("found in other text",)


def test_parameters_that_a_model_rejects_are_left_out_from_then_on(serve, talk_to, ask):
    def picky(seen):
        for name in ("max_tokens", "temperature", "seed"):
            if name in seen.body:
                return fails(400, f"Unsupported parameter: '{name}'", param=name)
        return says(GOOD)

    server = serve(by_request=picky)
    model = talk_to(server)
    assert model.chat(ask()).rung is Rung.JSON_SCHEMA
    assert model.chat(ask("another")).attempts == 1
    assert server.seen[-1].body["max_completion_tokens"] == 1024


def test_a_server_that_rejects_bounds_keeps_the_rest_of_the_schema(serve, talk_to, ask):
    def strict(seen):
        if "maxLength" in json.dumps(seen.body):
            return fails(400, "Invalid schema: 'maxLength' is not permitted.", param="response_format")
        return says(GOOD)

    server = serve(by_request=strict)
    model = talk_to(server)
    assert model.chat(ask()).rung is Rung.JSON_SCHEMA
    assert model.chat(ask("another")).attempts == 1
    assert [s.rung for s in server.seen] == ["json_schema"] * 3


def test_a_wrong_answer_inside_the_right_shape_keeps_the_rung(serve, talk_to, ask):
    server = serve(says(GOOD.replace("pmid:1", "pmid:2")), says(GOOD))
    reply = talk_to(server).chat(ask())
    assert (reply.status, reply.rung) == ("reasked", Rung.JSON_SCHEMA)
    assert '"not_reported"' in server.seen[1].system, "the schema is in words too this time"


# 8
def test_prose_leads_to_one_re_ask_with_the_schema_and_without_history(serve, talk_to, ask):
    server = serve(says("I think the answer is yes."), says(GOOD))
    reply = talk_to(server).chat(ask())
    assert (reply.status, reply.attempts, reply.rung) == ("reasked", 2, Rung.JSON_OBJECT)
    again = server.seen[1]
    assert [m["role"] for m in again.body["messages"]] == ["system", "user"]
    assert "I think the answer" not in json.dumps(again.body)
    assert "no valid JSON object" in again.system
    assert again.user == server.seen[0].user


def test_a_server_that_ignores_the_schema_is_not_asked_that_way_again(serve, talk_to, ask):
    def ignores(seen):
        return says("Yes, surely.") if seen.rung == "json_schema" else says(GOOD)

    server = serve(by_request=ignores)
    model = talk_to(server)
    model.chat(ask())
    assert model.chat(ask("another")).attempts == 1


def test_prose_twice_is_a_failure_without_an_answer(serve, talk_to, ask):
    server = serve(says("I think the answer is yes."))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.parsed, reply.attempts) == (Failure.MALFORMED, None, 2)
    assert reply.text == "I think the answer is yes."
    with pytest.raises(ModelResponseError, match="malformed"):
        reply.require()


# 9
@pytest.mark.parametrize(
    ("content", "note"),
    [
        (f"```json\n{GOOD}\n```", "found in other text"),
        ('<think>{"article_ref": "pmid:1", "answer": "no"}</think>' + GOOD, "reasoning removed"),
        ('{"article_ref": "pmid:1", "answer": "no"}\n' + GOOD, "last of several objects"),
    ],
    ids=["fence", "think", "two objects"],
)
def test_wrapped_objects_are_found_and_flagged(serve, talk_to, ask, content, note):
    reply = talk_to(serve(says(content))).chat(ask())
    assert (reply.status, reply.parsed["answer"]) == ("ok", "yes")
    assert note in reply.notes


# 10
def test_a_truncated_reply_is_asked_for_once_more_with_a_larger_limit(serve, talk_to, ask):
    server = serve(says(GOOD[:-6], finish_reason="length"), says(GOOD))
    reply = talk_to(server).chat(ask(max_tokens=100))
    assert (reply.status, reply.attempts) == ("ok", 2)
    assert [s.body["max_tokens"] for s in server.seen] == [100, 400]
    assert "400 tokens" in reply.notes[0]


def test_a_truncated_reply_is_never_repaired_even_if_it_parses(serve, talk_to, ask):
    server = serve(says(GOOD, finish_reason="length"))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.parsed, reply.attempts) == (Failure.TRUNCATED, None, 2)


# 11
def test_a_reply_that_breaks_off_is_truncated_whatever_its_finish_reason(serve, talk_to, ask):
    server = serve(says('{"article_ref": "pmid:1", "answer": "ye', finish_reason="stop"))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.parsed, reply.attempts) == (Failure.TRUNCATED, None, 2)


# 12
def test_a_filtered_reply_is_not_asked_for_again_and_gets_no_default(serve, talk_to, ask):
    server = serve(says(None, finish_reason="content_filter"))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.parsed, reply.attempts) == (Failure.FILTERED, None, 1)


def test_a_request_that_the_filter_rejects_is_filtered_too(serve, talk_to, ask):
    server = serve(fails(400, "The prompt triggered the content management policy", code="content_filter"))
    assert talk_to(server).chat(ask()).failure is Failure.FILTERED
    assert len(server.seen) == 1


# 13
def test_a_refusal_is_a_refusal(serve, talk_to, ask):
    server = serve(says(None, message={"refusal": "I cannot help with that."}))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.attempts) == (Failure.REFUSED, 1)
    assert reply.text == "I cannot help with that."


# 14
@pytest.mark.parametrize(
    "behaviour",
    [
        says(None),
        says(""),
        says("  \n"),
        sends(json.dumps({**completion(), "choices": []}).encode()),
        sends(json.dumps({**completion(), "choices": [{}]}).encode()),
        sends(json.dumps({**completion(), "choices": [None]}).encode()),
    ],
    ids=["null", "empty", "blank", "no choices", "empty choice", "null choice"],
)
def test_an_empty_reply_is_asked_for_once_more(serve, talk_to, ask, behaviour):
    server = serve(behaviour)
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.attempts) == (Failure.EMPTY, 2)
    assert talk_to(serve(behaviour, says(GOOD))).chat(ask()).status == "ok"


# 15
@pytest.mark.parametrize(
    ("content", "says_what"),
    [
        ('{"article_ref": "pmid:1", "answer": "maybe"}', "answer must be one of yes, no, not_reported"),
        ('{"article_ref": "pmid:1"}', "the reply must be an object with answer"),
        ('{"article_ref": "pmid:1", "answer": true}', "answer must be one of"),
        ('{"article_ref": "pmid:1", "answer": ["yes"]}', "answer must be one of"),
    ],
    ids=["unknown answer", "missing key", "true", "list"],
)
def test_a_reply_outside_the_schema_is_re_asked_and_then_fails(serve, talk_to, ask, content, says_what):
    server = serve(says(content))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.parsed, reply.attempts) == (Failure.SCHEMA, None, 2)
    assert says_what in reply.message
    assert says_what in server.seen[1].system
    assert "maybe" not in server.seen[1].system, "nothing of the reply goes back"


def test_what_a_rule_can_read_is_coerced_and_recorded(serve, talk_to, ask):
    content = '{"article_ref": "pmid:1", "answer": "Not reported", "score": 1.0}'
    reply = talk_to(serve(says(content))).chat(ask())
    assert reply.status == "coerced"
    assert reply.parsed == {"article_ref": "pmid:1", "answer": "not_reported"}
    assert reply.notes == ("reply: 1 unknown key dropped", "answer: spelling read as not_reported")


# 16
@pytest.mark.parametrize(
    "behaviour", [is_silent, drips, drips_headers, drips_error], ids=lambda b: b.__name__
)
def test_the_deadline_holds_against_servers_that_never_finish(serve, talk_to, ask, behaviour):
    model = talk_to(serve(behaviour), policy={"deadline": 0.4})
    started = time.monotonic()
    reply = model.chat(ask())
    assert 0.3 < time.monotonic() - started < 3.0
    assert reply.failure is Failure.TIMEOUT
    assert reply.attempts == 1


def test_a_slow_drip_is_hung_up_on(serve, talk_to, ask):
    hung_up = threading.Event()

    def watched(handler):
        try:
            drips(handler)
        except OSError:
            hung_up.set()

    talk_to(serve(watched), policy={"deadline": 0.2}).chat(ask())
    assert hung_up.wait(3), "no thread reads on behind the caller's back"


# 17
def test_a_connection_cut_in_the_body_is_retried(serve, talk_to, ask):
    reply = talk_to(serve(cuts, says(GOOD))).chat(ask())
    assert (reply.status, reply.attempts) == ("ok", 2)


def test_a_connection_cut_every_time_is_a_failure(serve, talk_to, ask):
    reply = talk_to(serve(cuts), policy={"attempts": 3}).chat(ask())
    assert (reply.failure, reply.attempts) == (Failure.CONNECTION, 3)


def test_no_server_at_all_is_a_failure_that_names_the_host(talk_to, ask):
    reply = talk_to("http://127.0.0.1:9/v1", policy={"attempts": 2}).chat(ask())
    assert (reply.failure, reply.attempts) == (Failure.CONNECTION, 2)
    assert "127.0.0.1:9" in reply.message


# 18
def test_a_login_page_stops_the_run_with_the_page_and_a_hint(serve, talk_to, ask):
    page = b"<!DOCTYPE html><html><title>Sign in</title>" + b"x" * 1000
    server = serve(sends(page, headers={"content-type": "text/html"}))
    with pytest.raises(ModelUnavailableError, match=r"/v1 missing.*Sign in") as raised:
        talk_to(server).chat(ask())
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("body", [b'{"choices": [', b'"Not Found"', b"[]", b"", b'{"detail": 1}'], ids=repr)
def test_a_body_that_is_no_completion_is_one_failure_with_its_beginning(serve, talk_to, ask, body):
    reply = talk_to(serve(sends(body)), policy=NO_RETRY).chat(ask())
    assert reply.failure is Failure.BAD_BODY
    assert body.decode() in reply.message


def test_a_broken_body_is_tried_again(serve, talk_to, ask):
    assert talk_to(serve(sends(b'{"cho'), says(GOOD))).chat(ask()).status == "ok"


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ({"message": "Rate limit reached", "code": 429}, Failure.RATE_LIMITED),
        ({"message": "too many requests"}, Failure.RATE_LIMITED),
        ({"message": "backend crashed", "code": "500"}, Failure.SERVER_ERROR),
        ("overloaded", Failure.SERVER_ERROR),
        ({"message": "maximum context length is 4096 tokens"}, Failure.TOO_LONG),
    ],
    ids=str,
)
def test_an_error_inside_a_200_is_treated_as_what_it_is(serve, talk_to, ask, error, failure):
    body = json.dumps({"error": error}).encode()
    assert talk_to(serve(sends(body)), policy=NO_RETRY).chat(ask()).failure is failure


def test_an_embedded_429_is_retried(serve, talk_to, ask):
    body = json.dumps({"error": {"message": "Rate limit", "code": 429}}).encode()
    reply = talk_to(serve(sends(body), says(GOOD))).chat(ask())
    assert (reply.status, reply.attempts) == ("ok", 2)


# 19
def test_a_missing_token_count_makes_the_usage_unknown(serve, talk_to, ask):
    model = talk_to(serve(says(GOOD, usage=None)))
    reply = model.chat(ask())
    assert (reply.status, reply.input_tokens, reply.output_tokens) == ("ok", None, None)
    assert model.budget.spending().unmetered == 1


def test_another_model_answering_is_noted_and_warned_of_once(serve, talk_to, ask, caplog):
    model = talk_to(serve(says(GOOD, model="cheaper-model")))
    replies = [model.chat(ask()), model.chat(ask("another"))]
    assert [r.model_answered for r in replies] == ["cheaper-model"] * 2
    assert "cheaper-model" in replies[0].notes[0]
    assert caplog.text.count("cheaper-model") == 1


@pytest.mark.parametrize("name", ["test-model-2026-01-01", "/models/Test-Model.gguf", "vendor/test-model"])
def test_a_longer_name_of_the_same_model_is_not_another_model(serve, talk_to, ask, name):
    assert talk_to(serve(says(GOOD, model=name))).chat(ask()).notes == ()


def test_a_reply_to_another_article_is_rejected(serve, talk_to, ask):
    server = serve(says('{"article_ref": "pmid:2", "answer": "yes"}'))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.parsed, reply.attempts) == (Failure.MISMATCHED, None, 2)
    assert "pmid:1" in server.seen[1].system


# Extras
def test_a_request_that_does_not_fit_the_context_fails_with_the_reason(serve, talk_to, ask):
    server = serve(fails(400, "This model's maximum context length is 2048 tokens"))
    reply = talk_to(server).chat(ask())
    assert (reply.failure, reply.attempts) == (Failure.TOO_LONG, 1)
    assert "2048" in reply.message


def test_a_huge_body_is_cut_off(serve, talk_to, ask):
    huge = json.dumps({"padding": "x" * 12_000_000, **completion(GOOD)}).encode()
    reply = talk_to(serve(sends(huge)), policy=NO_RETRY).chat(ask())
    assert reply.failure is Failure.BAD_BODY
    assert len(reply.message) < 400


def test_unicode_separators_and_broken_utf8_do_no_harm(serve, talk_to, ask):
    body = json.dumps(completion(GOOD)).encode().replace(b"chatcmpl-1", b"\xff\xfe\xe2\x80\xa8")
    assert talk_to(serve(sends(body))).chat(ask()).status == "ok"


def test_a_server_that_closes_its_connections_can_be_used_again(serve, talk_to, ask):
    def closes(handler):
        says(GOOD)(handler)
        handler.close_connection = True

    server = serve(closes)
    model = talk_to(server)
    assert [model.chat(ask(str(i))).status for i in range(4)] == ["ok"] * 4


@pytest.mark.parametrize(
    "behaviour", [cuts, fails(503), fails(429), sends(b"?")], ids=["cuts", "503", "429", "?"]
)
def test_a_server_that_is_no_use_is_given_up_after_some_calls(serve, talk_to, ask, behaviour):
    server = serve(behaviour)
    model = talk_to(server, policy={"attempts": 1, "give_up_after": 3})
    assert all(model.chat(ask(str(i))).failed for i in range(3))
    with pytest.raises(ModelUnavailableError, match="3 calls in a row came to nothing"):
        model.chat(ask())
    assert len(server.seen) == 3


def test_articles_that_cannot_be_judged_do_not_close_the_endpoint(serve, talk_to, ask):
    model = talk_to(serve(says(None, finish_reason="content_filter")), policy={"give_up_after": 2})
    assert [model.chat(ask(str(i))).failure for i in range(4)] == [Failure.FILTERED] * 4


def test_an_endpoint_that_was_given_up_is_tried_again_later(serve, talk_to, ask):
    server = serve(fails(401), says(GOOD))
    model = talk_to(server, policy={"closed_for": 0.1})
    with pytest.raises(ModelUnavailableError):
        model.chat(ask())
    time.sleep(0.12)
    assert model.chat(ask()).status == "ok"
