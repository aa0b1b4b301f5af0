"""The chat completions protocol: requests as servers want them, answers as they really come."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from metarag.llm.base import ChatRequest, Failure, Rung
from metarag.llm.interpret import Completion
from metarag.llm.reply_schema import BOUNDS
from metarag.llm.retry import retry_after

STOPPING = frozenset({Failure.QUOTA, Failure.AUTH, Failure.FORBIDDEN, Failure.NOT_FOUND, Failure.NOT_AN_API})
"""After these no other call can succeed."""
TRANSIENT = frozenset({Failure.CONNECTION, Failure.RATE_LIMITED, Failure.SERVER_ERROR, Failure.BAD_BODY})
"""After these the same request may succeed."""

# Not "billing" or "quota": messages on ordinary limits per minute speak of both.
_QUOTA = re.compile(
    r"insufficient_quota|insufficient (?:balance|credits?|funds)|billing[_ ]hard[_ ]limit|credit balance",
    re.I,
)
_TOO_LONG = re.compile(
    r"context_length|context (?:length|size|window)|maximum context|too many tokens|prompt is too long", re.I
)
_FILTER = re.compile(r"content[_ ](?:filter|policy|management)", re.I)
_RATE = re.compile(r"rate.?limit|too many requests", re.I)
_LOGPROBS = "logprobs"
_OPTIONAL = ("temperature", "seed", _LOGPROBS)
_PARAMETERS = re.compile(
    r"\b(?:max_tokens|temperature|seed|top_logprobs|logprobs|maxLength|maxItems|minItems|minimum|maximum)\b"
)
_SCHEMA_BOUNDS = "schema bounds"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server turned out to want; starts as what nearly all accept.

    Attributes
    ----------
    rung : Rung
        The firmest way to ask for a shape that is known to work.
    limit_name : str
        ``max_tokens``, or ``max_completion_tokens`` for servers that insist on it.
    omit : frozenset of str
        Optional parameters that were rejected, and ``schema bounds`` when those were.
    """

    rung: Rung = Rung.JSON_SCHEMA
    limit_name: str = "max_tokens"
    omit: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One HTTP exchange, whatever became of it.

    Attributes
    ----------
    status : int or None
        ``None`` when no answer came.
    problem : str
        What went wrong below HTTP.
    timed_out : bool
        True when the time given to the exchange ran out.
    began : bool
        True when an answer had begun before it broke: the model had worked.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    problem: str = ""
    timed_out: bool = False
    began: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """An exchange that brought no completion.

    Attributes
    ----------
    wait : float or None
        Seconds that the server asked to wait.
    parameter : str or None
        The parameter that the server does not know.
    """

    failure: Failure
    message: str
    wait: float | None = None
    parameter: str | None = None


def request_body(
    request: ChatRequest,
    *,
    model: str,
    dialect: Dialect,
    rung: Rung,
    max_tokens: int,
    complaint: str | None = None,
) -> dict[str, JsonValue]:
    """Return the JSON body of a request.

    Instructions stay in the system message. A re-ask names what was wrong and does not carry the
    earlier reply along: a growing history multiplies the cost and repeats the model's mistake to it.
    """
    system = request.system
    schema = request.reply_schema
    if schema and (rung is not Rung.JSON_SCHEMA or complaint):
        system += (
            f"\n\nReply with one JSON object and nothing else. It must fit this JSON Schema:\n{schema.text}"
        )
    if complaint:
        system += f"\n\nAn earlier reply could not be used: {complaint}. Reply again, in full."
    messages: list[JsonValue] = [{"role": "user", "content": request.user}]
    if system.strip():
        messages.insert(0, {"role": "system", "content": system.strip()})
    body: dict[str, JsonValue] = {"model": model, "messages": messages, dialect.limit_name: max_tokens}
    if "temperature" not in dialect.omit:
        body["temperature"] = request.temperature
    if request.seed is not None and "seed" not in dialect.omit:
        body["seed"] = request.seed + request.sample
    if request.top_logprobs and _LOGPROBS not in dialect.omit:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    if schema and rung is Rung.JSON_SCHEMA:
        shown = schema.without_bounds() if _SCHEMA_BOUNDS in dialect.omit else schema.json_schema
        described: JsonValue = {"name": schema.name, "strict": True, "schema": shown}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    elif schema and rung is Rung.JSON_OBJECT:
        body["response_format"] = {"type": "json_object"}
    return body


def adapted(dialect: Dialect, parameter: str | None) -> Dialect | None:
    """Return the dialect without a parameter that was rejected; ``None`` when nothing can be changed."""
    if parameter == "max_tokens" and dialect.limit_name == "max_tokens":
        return replace(dialect, limit_name="max_completion_tokens")
    name = _SCHEMA_BOUNDS if parameter in BOUNDS else (parameter or "").removeprefix("top_")
    if name in (*_OPTIONAL, _SCHEMA_BOUNDS) and name not in dialect.omit:
        return replace(dialect, omit=dialect.omit | {name})
    return None


def read_answer(answer: HttpAnswer, *, host: str) -> Completion | Fault:
    """Return the completion in an HTTP answer, or what it is instead."""
    if answer.status is None:
        failure = Failure.TIMEOUT if answer.timed_out else Failure.CONNECTION
        return Fault(failure, f"no answer from {host}: {answer.problem}")
    try:
        body: JsonValue = json.loads(answer.body.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError):
        body = None
    if answer.status != 200:
        return _status_fault(answer.status, body, answer, host)
    if not isinstance(body, dict):
        return _no_completion(answer, host)
    if body.get("error") and not body.get("choices"):
        return _status_fault(_embedded_status(body["error"]), body, answer, host)
    if not isinstance(body.get("choices"), list):
        return _no_completion(answer, host)
    return _completion(body)


def _completion(body: dict[str, JsonValue]) -> Completion:
    """Read what is there, and take nothing for granted: compatible servers leave out or null any part."""
    choices = body.get("choices")
    choice = _dict(choices[0]) if isinstance(choices, list) and choices else {}
    message = _dict(choice.get("message"))
    usage = _dict(body.get("usage"))
    return Completion(
        text=_content(message.get("content")),
        refusal=_str(message.get("refusal")),
        finish_reason=_str(choice.get("finish_reason")),
        model=_str(body.get("model")),
        system_fingerprint=_str(body.get("system_fingerprint")),
        first_token=_first_token(choice),
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def _first_token(choice: dict[str, JsonValue]) -> dict[str, float] | None:
    """Return the likeliest first tokens; ``None`` when the server gave none that can be read."""
    tokens = _dict(choice.get("logprobs")).get("content")
    first = _dict(tokens[0]) if isinstance(tokens, list) and tokens else {}
    others = first.get("top_logprobs")
    found: dict[str, float] = {}
    for entry in (first, *map(_dict, others if isinstance(others, list) else ())):
        token, value = entry.get("token"), entry.get("logprob")
        if (
            isinstance(token, str)
            and isinstance(value, int | float)
            and math.isfinite(value)
            and value <= 0.0
        ):
            found[token] = float(value)
    return found or None


def _status_fault(status: int, body: JsonValue, answer: HttpAnswer, host: str) -> Fault:
    code, message, parameter = _error_parts(body)
    said = message or _beginning(answer)
    both = f"{code} {said}"
    text = f"{host} answered {status}: {said}" if said else f"{host} answered {status}"
    failure = _failure(status, both)
    if failure is Failure.AUTH:
        text += ". Check the API key"
    elif failure is Failure.NOT_FOUND:
        text += ". Check the model's name and base_url (most servers want it to end in /v1)"
    elif failure is Failure.NOT_AN_API:
        text += ". base_url redirects; redirects are not followed, give the final address"
    if failure is Failure.REJECTED and parameter not in _OPTIONAL:
        named = _PARAMETERS.search(said)
        parameter = named.group() if named else parameter
    return Fault(failure, text, retry_after(answer.headers), parameter)


def _failure(status: int, said: str) -> Failure:
    """Sort a status and the words that came with it; the words decide where servers share a status."""
    if status == 402 or (status in (403, 429) and _QUOTA.search(said)):
        return Failure.QUOTA
    exact = {401: Failure.AUTH, 403: Failure.FORBIDDEN, 404: Failure.NOT_FOUND, 405: Failure.NOT_FOUND}
    if status in exact:
        return exact[status]
    if status == 429:
        return Failure.RATE_LIMITED
    if status == 413 or (status < 600 and _TOO_LONG.search(said)):
        return Failure.TOO_LONG
    if status in (408, 409, 425) or status >= 500:
        return Failure.SERVER_ERROR
    if 300 <= status < 400:
        return Failure.NOT_AN_API
    return Failure.FILTERED if _FILTER.search(said) else Failure.REJECTED


def _embedded_status(error: JsonValue) -> int:
    """Return the HTTP status that an error inside a 200 stands for."""
    parts = _dict(error)
    for value in (parts.get("code"), parts.get("status")):
        if isinstance(value, str) and value.isdecimal() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    said = " ".join(str(v)[:200] for v in parts.values()) if parts else str(error)[:200]
    if _RATE.search(said) or _QUOTA.search(said):
        return 429
    return 400 if _TOO_LONG.search(said) or _FILTER.search(said) else 500


def _error_parts(body: JsonValue) -> tuple[str, str, str | None]:
    """Return code, message and parameter of an error body in any of the shapes in use."""
    outer = _dict(body)
    error = outer.get("error") or outer.get("detail") or outer
    if isinstance(error, str):
        return "", _one_line(error), None
    parts = _dict(error)
    code = " ".join(str(parts[k])[:100] for k in ("code", "type") if parts.get(k))
    return code, _one_line(_str(parts.get("message")) or ""), _str(parts.get("param"))


def _no_completion(answer: HttpAnswer, host: str) -> Fault:
    beginning = _beginning(answer)
    if beginning.startswith("<"):
        hint = "is /v1 missing at the end of base_url, or is there a login page in between?"
        return Fault(Failure.NOT_AN_API, f"{host} answered with a web page ({hint}): {beginning}")
    return Fault(Failure.BAD_BODY, f"{host} answered with something else than a chat completion: {beginning}")


def _beginning(answer: HttpAnswer) -> str:
    return _one_line(answer.body[:800].decode("utf-8", errors="replace"))


def _one_line(text: str) -> str:
    """Return the first 200 characters without line breaks: a server must not write log lines of its own."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:400]).split())[:200]


def _dict(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _str(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _content(value: JsonValue) -> str | None:
    """Return the text of a message, which is a string or a list of parts."""
    if isinstance(value, list):
        parts = [_str(_dict(part).get("text")) for part in value]
        return "".join(p for p in parts if p)
    return _str(value)
