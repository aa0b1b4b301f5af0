"""Models without a network: one that replays a recording, one that follows a function."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import JsonValue, ValidationError

from metarag.errors import InputError, ModelUnavailableError
from metarag.files import write_text_atomically
from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.cache import request_key
from metarag.llm.interpret import Completion, read_completion
from metarag.llm.pool import MapsChat, WrapsModel

Script = Callable[[ChatRequest], "str | Mapping[str, JsonValue] | ChatReply"]


class RecordedModel(MapsChat):
    """Replays replies from a JSON Lines file that :class:`RecordingModel` wrote.

    Parameters
    ----------
    path : Path or str
        One object a line: ``key``, ``prompt``, ``reply``.

    Raises
    ------
    InputError
        The file cannot be read or a line of it is not a recording.
    """

    def __init__(self, path: Path | str, *, model: str = "recorded") -> None:
        self._path = Path(path)
        self._model = model
        self._replies = _read_recording(self._path)

    @property
    def model(self) -> str:
        """The name of the recording."""
        return self._model

    @property
    def endpoint(self) -> str:
        """Empty: there is none."""
        return ""

    @property
    def concurrency(self) -> int:
        """One: there is nothing to wait for."""
        return 1

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the recorded reply.

        Raises
        ------
        ModelUnavailableError
            The request is not in the recording.
        """
        reply = self._replies.get(request_key(request))
        if reply is None:
            asked = " ".join(request.user.split())[:120]
            raise ModelUnavailableError(
                f"{self._path} holds no reply to prompt {request.prompt or '(none)'}, asked: {asked!r} "
                f"(key {request_key(request)[:12]}); record it again with RecordingModel"
            )
        return reply


class RecordingModel(WrapsModel):
    """Passes requests on to a model and keeps what came back.

    Parameters
    ----------
    inner : ChatModel
        Does the work. Failed replies are recorded too: tests need them.
    """

    def __init__(self, inner: ChatModel) -> None:
        super().__init__(inner)
        self._lock = threading.Lock()
        self._taken: dict[str, tuple[ChatRequest, ChatReply]] = {}

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the inner model's reply."""
        reply = self.inner.chat(request)
        with self._lock:
            self._taken[request_key(request)] = (request, reply)
        return reply

    def save(self, path: Path | str) -> int:
        """Write the recording, sorted by key, and return the number of replies.

        Latency and the cache mark are left out, so that recording again without a change of replies
        gives the same file.
        """
        with self._lock:
            taken = sorted(self._taken.items())
        lines = [
            json.dumps(
                {
                    "key": key,
                    "prompt": request.prompt,
                    "reply": reply.model_dump(
                        mode="json", exclude_defaults=True, exclude={"latency", "cached"}
                    ),
                },
                ensure_ascii=False,
                sort_keys=True,
            )
            for key, (request, reply) in taken
        ]
        write_text_atomically(Path(path), "".join(f"{line}\n" for line in lines))
        return len(lines)


class ScriptedModel(MapsChat):
    """Answers by a function, through the same checks as a real model.

    Parameters
    ----------
    script : callable
        Takes the request; returns the text of the reply, an object (sent as JSON), or a whole
        :class:`ChatReply` for failures.

    Attributes
    ----------
    requests : list of ChatRequest
        Everything that was asked, in the order of arrival.
    """

    def __init__(self, script: Script, *, model: str = "scripted", concurrency: int = 1) -> None:
        self._script = script
        self._model = model
        self._concurrency = concurrency
        self.requests: list[ChatRequest] = []

    @property
    def model(self) -> str:
        """The name of the script."""
        return self._model

    @property
    def endpoint(self) -> str:
        """Empty: there is none."""
        return ""

    @property
    def concurrency(self) -> int:
        """Calls of the function at the same time."""
        return self._concurrency

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return what the script says, checked. There is no re-ask: the script has one answer."""
        self.requests.append(request)
        said = self._script(request)
        if isinstance(said, ChatReply):
            return said
        text = said if isinstance(said, str) else json.dumps(said)
        reading = read_completion(Completion(text=text, finish_reason="stop"), request)
        status = "coerced" if reading.coerced else "ok"
        return ChatReply(
            status=f"failed:{reading.failure}" if reading.failure else status,
            text=reading.text,
            parsed=reading.parsed,
            message=reading.complaint,
            notes=reading.notes,
            model_asked=self._model,
            model_answered=self._model,
            attempts=1,
        )


def _read_recording(path: Path) -> dict[str, ChatReply]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the recording {path} cannot be read: {error}") from error
    replies: dict[str, ChatReply] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            replies[entry["key"]] = ChatReply.model_validate(entry["reply"])
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise InputError(f"line {number} of {path} is not a recorded reply; record it again") from error
    return replies
