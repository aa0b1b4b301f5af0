"""From a completion to a judgement on it: usable, and if not, why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from metarag.llm.base import ChatRequest, Failure
from metarag.llm.extract import extract_object, without_reasoning
from metarag.llm.reply_schema import SchemaMismatchError


@dataclass(frozen=True, slots=True)
class Completion:
    """The parts of a chat completion that matter; any may be missing.

    Attributes
    ----------
    first_token : mapping of str to float, or None
        The likeliest first tokens with their log-probabilities.
    input_tokens, output_tokens : int or None
        ``None`` when the server did not count.
    """

    text: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    first_token: Mapping[str, float] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a completion is worth for the request it answers.

    Attributes
    ----------
    text : str or None
        For plain text requests, without the reasoning.
    coerced : bool
        True when a value was changed by a rule; ``notes`` say which.
    complaint : str or None
        What was wrong, in words that may go back to the model: nothing in it is the model's own.
    """

    text: str | None = None
    parsed: dict[str, JsonValue] | None = None
    notes: tuple[str, ...] = ()
    coerced: bool = False
    failure: Failure | None = None
    complaint: str | None = None


def read_completion(completion: Completion, request: ChatRequest) -> Reading:
    """Check a completion in the one order that tells the causes apart.

    How it ended comes before what it says: a cut-off or filtered text may well parse.
    """
    text = completion.text
    if completion.finish_reason == "content_filter":
        return _failed(Failure.FILTERED, "the content filter withheld the answer", text)
    if completion.refusal:
        return _failed(Failure.REFUSED, "the model refused to answer", completion.refusal)
    if completion.finish_reason == "length" and not (request.top_logprobs and completion.first_token):
        return _failed(Failure.TRUNCATED, "the reply was cut off by its token limit", text)
    if text is None or not text.strip():
        return _failed(Failure.EMPTY, "the reply was empty", text)
    return _read_object(text, request) if request.reply_schema else _read_text(text)


def _read_text(text: str) -> Reading:
    answer, reasoned = without_reasoning(text)
    if answer is None:
        return _failed(Failure.TRUNCATED, "the reply ended before its reasoning did", text)
    if not answer:
        return _failed(Failure.EMPTY, "the reply held nothing but reasoning", text)
    return Reading(text=answer, notes=("reasoning removed",) if reasoned else ())


def _read_object(text: str, request: ChatRequest) -> Reading:
    found = extract_object(text)
    if found.value is None or request.reply_schema is None:
        truncated = found.failure is Failure.TRUNCATED
        complaint = "the reply was cut off" if truncated else "the reply held no valid JSON object"
        return _failed(found.failure or Failure.MALFORMED, complaint, text, found.notes)
    try:
        conformed = request.reply_schema.conform(found.value)
    except SchemaMismatchError as error:
        return _failed(Failure.SCHEMA, str(error), text, found.notes)
    parsed = conformed.value if isinstance(conformed.value, dict) else {}
    notes = found.notes + conformed.coercions
    for name, expected in request.must_echo.items():
        if parsed.get(name) != expected:
            return _failed(Failure.MISMATCHED, f"{name} must be {expected}", text, notes)
    return Reading(text=text, parsed=parsed, notes=notes, coerced=bool(conformed.coercions))


def _failed(failure: Failure, complaint: str, text: str | None, notes: tuple[str, ...] = ()) -> Reading:
    return Reading(text=text, notes=notes, failure=failure, complaint=complaint)
