from __future__ import annotations

import pytest
from llm.fake_server import GOOD, says

from metarag.errors import InputError, ModelBudgetError, ModelResponseError, ModelUnavailableError
from metarag.llm.base import ChatModel, ChatReply, Failure, failed_reply
from metarag.llm.recorded import RecordedModel, RecordingModel, ScriptedModel


def test_what_was_recorded_is_replayed(serve, talk_to, ask, tmp_path):
    server = serve(says(GOOD), says("prose"))
    recording = RecordingModel(talk_to(server, concurrency=1))
    live = recording.map_chat([ask("one"), ask("two")])
    assert recording.save(tmp_path / "recording.jsonl") == 2
    replayed = RecordedModel(tmp_path / "recording.jsonl").map_chat([ask("two"), ask("one")])
    assert [r.status for r in replayed] == ["failed:malformed", "ok"]
    assert replayed[1].parsed == live[0].parsed
    assert isinstance(recording, ChatModel)


def test_recording_the_same_replies_gives_the_same_file(ask, tmp_path):
    for name in ("a", "b"):
        recording = RecordingModel(ScriptedModel(lambda request: GOOD))
        requests = [ask("one"), ask("two")]
        recording.map_chat(requests if name == "a" else requests[::-1])
        recording.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_unknown_request_is_named(ask, tmp_path):
    RecordingModel(ScriptedModel(lambda request: GOOD)).save(tmp_path / "empty.jsonl")
    with pytest.raises(ModelUnavailableError, match=r"empty\.jsonl.*stance@1.*'What of aspirin\?'"):
        RecordedModel(tmp_path / "empty.jsonl").chat(ask("What of\n aspirin?", prompt="stance@1#0"))


def test_a_missing_file_and_a_wrong_line_are_named(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        RecordedModel(tmp_path / "missing.jsonl")
    (tmp_path / "wrong.jsonl").write_text('\n{"key": "a"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        RecordedModel(tmp_path / "wrong.jsonl")


def test_line_separators_in_a_reply_do_not_break_the_file(ask, tmp_path):
    recording = RecordingModel(ScriptedModel(lambda request: "a\u2028b\x85c"))
    request = ask(reply_schema=None)
    recording.chat(request)
    recording.save(tmp_path / "r.jsonl")
    assert RecordedModel(tmp_path / "r.jsonl").chat(request).text == "a\u2028b\x85c"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (GOOD, "ok"),
        ({"article_ref": "pmid:1", "answer": "no"}, "ok"),
        ({"article_ref": "pmid:1", "answer": "NO"}, "coerced"),
        ("prose", "failed:malformed"),
        ({"article_ref": "pmid:2", "answer": "no"}, "failed:mismatched"),
        ("", "failed:empty"),
        (failed_reply(Failure.REFUSED, "no"), "failed:refused"),
    ],
    ids=str,
)
def test_a_script_goes_through_the_same_checks_as_a_model(ask, said, status):
    model = ScriptedModel(lambda request: said)
    request = ask()
    assert model.chat(request).status == status
    assert model.requests == [request]


def test_an_error_in_a_script_is_not_swallowed(ask):
    with pytest.raises(ZeroDivisionError):
        ScriptedModel(lambda request: str(1 / 0)).map_chat([ask()], partial=True)


def test_nothing_is_asked_after_a_stop(ask):
    def third_is_the_last(request):
        if request.user == "2":
            raise ModelBudgetError("enough")
        return GOOD

    model = ScriptedModel(third_is_the_last)
    replies = model.map_chat([ask(str(i)) for i in range(6)], partial=True)
    assert [r.failed for r in replies] == [False, False, True, True, True, True]
    assert {r.message for r in replies[2:]} == {"enough"}
    assert len(model.requests) == 3


def test_plain_text_comes_without_its_reasoning(ask):
    reply = ScriptedModel(lambda request: "<think>hm</think> Aspirin.").chat(ask(reply_schema=None))
    assert (reply.text, reply.parsed) == ("Aspirin.", None)


def test_a_failed_reply_raises_only_when_it_is_required():
    with pytest.raises(ModelResponseError, match="refused: no"):
        failed_reply(Failure.REFUSED, "no").require()
    with pytest.raises(ModelUnavailableError, match="timeout"):
        failed_reply(Failure.TIMEOUT, "late").require()
    assert ChatReply(status="ok").require().failure is None


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "fine"},
        {"status": "failed:bad_luck", "message": "x"},
        {"status": "failed:empty"},
        {"status": "failed:empty", "message": "x", "parsed": {"answer": "yes"}},
    ],
    ids=["unknown", "unknown failure", "no reason", "default answer"],
)
def test_a_reply_cannot_be_failed_and_answered(fields):
    with pytest.raises(ValueError, match=r"status|failed reply"):
        ChatReply(**fields)
