"""One call from its first request to a reply: retries, the ladder of reply shapes, and one re-ask."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from metarag.llm.base import ChatReply, ChatRequest, Failure, Rung
from metarag.llm.budget import Budget
from metarag.llm.interpret import Completion, Reading, read_completion
from metarag.llm.retry import Deadline, Gate
from metarag.llm.wire import (
    STOPPING,
    TRANSIENT,
    Dialect,
    Fault,
    HttpAnswer,
    adapted,
    read_answer,
    request_body,
)

LARGER_LIMIT = 4
"""Factor on the reply's token limit after a truncation; ours. There is one step only, so it is a big one."""
_IN_VAIN = TRANSIENT | {Failure.TIMEOUT}
_REASKED = frozenset({Failure.MALFORMED, Failure.SCHEMA, Failure.MISMATCHED})

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Server:
    """One model at one endpoint, and what was learnt of it.

    Parameters
    ----------
    exchange : callable
        Sends a body, waits so many seconds at most, and returns the answer without secrets; never raises.
    """

    model: str
    host: str
    exchange: Callable[[dict[str, JsonValue], float], HttpAnswer]
    gate: Gate
    budget: Budget
    dialect: Dialect = field(default_factory=Dialect)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _other_models: set[str] = field(default_factory=set, repr=False)

    def learn(self, parameter: str | None) -> bool:
        """Leave out a rejected parameter from now on; false when that changes nothing."""
        with self._lock:
            changed = adapted(self.dialect, parameter)
            self.dialect = changed or self.dialect
        return changed is not None

    def settle_for(self, rung: Rung) -> None:
        """Ask this way from now on."""
        with self._lock:
            self.dialect = replace(self.dialect, rung=rung)

    def other_model(self, answered: str | None) -> str | None:
        """Return a note when another model than the one asked answered; warn once for each."""
        if answered is None or _same_model(self.model, answered):
            return None
        note = f"answered by {answered[:100]!r}, asked was {self.model!r}"
        with self._lock:
            new = answered not in self._other_models and len(self._other_models) < 100
            if new:
                self._other_models.add(answered)
        if new:
            logger.warning("%s: %s", self.host, note)
        return note


class Call:
    """The state of one call."""

    def __init__(self, server: Server, request: ChatRequest) -> None:
        self._server = server
        self._request = request
        self._deadline = Deadline(server.gate.policy.deadline)
        self._rung = server.dialect.rung if request.reply_schema else Rung.TEXT
        self._max_tokens = request.max_tokens
        self._complaint: str | None = None
        self._rejected_rung = False
        self._prose_instead = False
        self._tried: set[str] = set()
        self._notes: list[str] = []
        self._attempts = 0
        self._lost = 0
        self._usage: list[tuple[int | None, int | None]] = []

    def run(self) -> ChatReply:
        """Return the reply.

        Raises
        ------
        ModelUnavailableError
            No further call can succeed.
        ModelBudgetError
            The budget is used up.
        """
        while True:
            came = self._send()
            if isinstance(came, Fault):
                if self._ask_more_simply(came):
                    continue
                return self._failed(came.failure, came.message, None)
            if self._rejected_rung:
                self._server.settle_for(self._rung)
            reading = read_completion(came, self._request)
            if reading.failure is None:
                return self._answered(came, reading)
            if not self._ask_again(reading):
                return self._failed(reading.failure, reading.complaint or reading.failure, came, reading)

    def _send(self) -> Completion | Fault:
        """Send the request, again after transient failures, until an answer or the deadline."""
        gate = self._server.gate
        while True:
            blocked = gate.enter(self._deadline)
            if blocked is not None:
                return self._too_long_a_wait(blocked)
            if self._deadline.left <= 0:
                return Fault(Failure.TIMEOUT, f"no usable answer within {gate.policy.deadline:g} s")
            came = self._exchange()
            if not isinstance(came, Fault):
                return came
            if came.failure in STOPPING:
                raise gate.close(came.message)
            if came.failure not in TRANSIENT:
                return came
            self._lost += 1
            if self._lost >= gate.policy.attempts or not self._back_off(came):
                return came

    def _exchange(self) -> Completion | Fault:
        """Send once; count and pay for it whatever happens."""
        server = self._server
        body = request_body(
            self._request,
            model=server.model,
            dialect=server.dialect,
            rung=self._rung,
            max_tokens=self._max_tokens,
            complaint=self._complaint,
        )
        most = len(json.dumps(body, ensure_ascii=False).encode("utf-8", errors="replace")) + self._max_tokens
        if not server.budget.reserve(most, seconds=self._deadline.left):
            return Fault(Failure.TIMEOUT, "the token budget was taken by other calls until the deadline")
        self._attempts += 1
        came: Completion | Fault | None = None
        worked = True
        try:
            answer = server.exchange(body, self._deadline.left)
            came = read_answer(answer, host=server.host)
            worked = answer.status == 200 or answer.timed_out or answer.began
        finally:
            used = (came.input_tokens, came.output_tokens) if isinstance(came, Completion) else (None, None)
            server.budget.settle(most, input_tokens=used[0], output_tokens=used[1], worked=worked)
        if worked:
            self._usage.append(used)
        if not isinstance(came, Fault) or came.failure not in _IN_VAIN:
            server.gate.answered(sum(n or 0 for n in used))
        return came

    def _back_off(self, fault: Fault) -> bool:
        """Wait before the next attempt; false when the deadline does not allow it."""
        gate = self._server.gate
        wait = fault.wait if fault.wait is not None else gate.jitter(gate.policy.longest_wait(self._lost))
        if fault.failure is Failure.RATE_LIMITED or fault.wait is not None:
            # What the server asks of one call it means for all; entering the gate does the waiting.
            gate.pause(wait)
            return True
        if wait > self._deadline.left:
            return False
        gate.sleep(wait)
        return True

    def _too_long_a_wait(self, seconds: float) -> Fault:
        left = max(0.0, self._deadline.left)
        return Fault(
            Failure.RATE_LIMITED,
            f"{self._server.host} may be asked again in {seconds:.0f} s, and this call has {left:.0f} s left;"
            " try again later, or allow a longer deadline",
        )

    def _ask_more_simply(self, fault: Fault) -> bool:
        """After a rejection leave out what the server does not know, or go down the ladder."""
        if fault.failure is not Failure.REJECTED:
            return False
        if self._server.learn(fault.parameter):
            return True
        if self._request.reply_schema is None or self._rung is Rung.TEXT:
            return False
        self._rung = self._rung.looser
        self._rejected_rung = True
        return True

    def _ask_again(self, reading: Reading) -> bool:
        """Ask once more where that can help, in a way that may help; false when it was tried already."""
        failure = reading.failure
        kind = "shape" if failure in _REASKED else str(failure)
        if kind in self._tried or kind not in ("shape", Failure.TRUNCATED, Failure.EMPTY):
            return False
        self._tried.add(kind)
        if failure is Failure.TRUNCATED:
            self._max_tokens *= LARGER_LIMIT
            self._notes.append(f"asked again with a limit of {self._max_tokens} tokens")
        elif failure is Failure.EMPTY:
            self._notes.append("asked again after an empty reply")
        else:
            self._complaint = reading.complaint
            if failure is Failure.MALFORMED:
                # Prose is proof that the server does not enforce the shape, whatever it answers with 200.
                self._prose_instead = True
                self._rung = self._rung.looser
        return True

    def _answered(self, completion: Completion, reading: Reading) -> ChatReply:
        if self._prose_instead:
            self._server.settle_for(self._rung)
        status = "reasked" if self._complaint else "coerced" if reading.coerced else "ok"
        return self._reply(status, None, completion, reading)

    def _failed(
        self, failure: Failure, message: str, completion: Completion | None, reading: Reading | None = None
    ) -> ChatReply:
        if failure in _IN_VAIN:
            self._server.gate.in_vain(message)
        return self._reply(f"failed:{failure}", message, completion or Completion(), reading or Reading())

    def _reply(self, status: str, message: str | None, completion: Completion, reading: Reading) -> ChatReply:
        server = self._server
        other = server.other_model(completion.model)
        return ChatReply(
            status=status,
            text=reading.text,
            parsed=reading.parsed,
            message=message,
            notes=(*self._notes, *reading.notes, *((other,) if other else ())),
            rung=self._rung if self._request.reply_schema else None,
            model_asked=server.model,
            model_answered=completion.model,
            finish_reason=completion.finish_reason,
            system_fingerprint=completion.system_fingerprint,
            first_token=dict(completion.first_token) if completion.first_token else None,
            input_tokens=_total([used[0] for used in self._usage]),
            output_tokens=_total([used[1] for used in self._usage]),
            attempts=self._attempts,
            latency=self._deadline.spent,
        )


def _total(counts: list[int | None]) -> int | None:
    """Return the sum; ``None`` when nothing was counted or a part is unknown."""
    known = [n for n in counts if n is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _same_model(asked: str, answered: str) -> bool:
    """Return whether a name is the one asked for; paths, file endings and dates behind it do not count."""
    asked, answered = (name.casefold().rpartition("/")[2].removesuffix(".gguf") for name in (asked, answered))
    return answered.startswith(asked)
