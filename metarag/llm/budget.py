"""What calls cost, and the limit at which they end."""

from __future__ import annotations

import threading

from pydantic import Field

from metarag.errors import ModelBudgetError
from metarag.records import Frozen


class Prices(Frozen):
    """What a provider charges per million tokens; given by the user, never looked up or guessed."""

    input_per_million: float = Field(ge=0, allow_inf_nan=False)
    output_per_million: float = Field(ge=0, allow_inf_nan=False)
    currency: str = "USD"


class Spending(Frozen):
    """What was spent so far.

    Attributes
    ----------
    calls : int
        HTTP requests sent, failed ones and retries too.
    answered : int
        Those with an answer of the model, usable or not.
    unmetered : int
        Answers without a token count, and requests that were given up on while the model may have
        been working. Their tokens are unknown, so the cost is too.
    input_tokens, output_tokens : int
        Counted by the server.
    cost : float or None
        In ``currency``; ``None`` is unknown: no prices were given, or something was not metered.
    """

    calls: int = 0
    answered: int = 0
    unmetered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    currency: str | None = None


class Budget:
    """Counts calls and tokens of all models it is given to, and ends the run at its limits.

    Parameters
    ----------
    max_calls : int or None
        HTTP requests; retries count, because they are sent.
    max_tokens : int or None
        Input and output together. Before a request is sent, the most that it can use is set aside, so
        that the limit holds whatever is in flight; a request waits while it would fit once the others
        turn out smaller.
    prices : Prices or None
        ``None`` leaves the cost unknown.

    Notes
    -----
    Safe to share between threads and models. Tokens are bounded by the bytes of the request (no
    tokeniser in use makes more than one token of a byte) plus the limit of the reply, so a token budget
    may end a run a few calls early, never late. A server that adds long texts of its own, or ignores
    the reply's limit, can still exceed it.
    """

    def __init__(
        self, *, max_calls: int | None = None, max_tokens: int | None = None, prices: Prices | None = None
    ) -> None:
        for name, limit in (("max_calls", max_calls), ("max_tokens", max_tokens)):
            if limit is not None and limit < 0:
                raise ValueError(f"{name} must be 0 or more, or None for no limit; got {limit}")
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._prices = prices
        self._settled = threading.Condition()
        self._spent = Spending()
        self._set_aside = 0
        self._assumed = 0

    def reserve(self, tokens: int, *, seconds: float) -> bool:
        """Count one request, and set aside the most tokens it can use.

        Returns
        -------
        bool
            False when it would have to wait for the requests in flight for more than ``seconds``. Nothing
            is counted then.

        Raises
        ------
        ModelBudgetError
            A limit would be exceeded. Nothing is counted then.
        """
        with self._settled:
            if not self._settled.wait_for(lambda: self._fits(tokens), timeout=max(0.0, seconds)):
                return False
            self._spent = self._spent.model_copy(update={"calls": self._spent.calls + 1})
            self._set_aside += tokens
        return True

    def _fits(self, tokens: int) -> bool:
        """Return whether a request may go now; false when it has to wait for the ones in flight."""
        if self._max_calls is not None and self._spent.calls >= self._max_calls:
            raise ModelBudgetError(
                f"the budget of {self._max_calls} model calls is used up; raise max_calls to go on"
            )
        if self._max_tokens is None:
            return True
        used = self._spent.input_tokens + self._spent.output_tokens + self._assumed
        if used + tokens > self._max_tokens:
            raise ModelBudgetError(
                f"{used} of {self._max_tokens} tokens are used, and the next call may need {tokens}; "
                "raise max_tokens to go on"
            )
        return used + self._set_aside + tokens <= self._max_tokens

    def settle(
        self, reserved: int, *, input_tokens: int | None, output_tokens: int | None, worked: bool
    ) -> None:
        """Replace what was set aside by what was used.

        Parameters
        ----------
        reserved : int
            As given to :meth:`reserve`.
        input_tokens, output_tokens : int or None
            ``None`` when the server did not count.
        worked : bool
            True when the model answered or may have been working on it. Without a count its whole
            reservation then stays taken: for a limit, unknown means the most it can be.
        """
        metered = input_tokens is not None and output_tokens is not None
        with self._settled:
            spent = self._spent
            self._spent = spent.model_copy(
                update={
                    "answered": spent.answered + worked,
                    "unmetered": spent.unmetered + (worked and not metered),
                    "input_tokens": spent.input_tokens + (input_tokens or 0),
                    "output_tokens": spent.output_tokens + (output_tokens or 0),
                }
            )
            self._set_aside -= reserved
            if worked and not metered:
                self._assumed += max(0, reserved - (input_tokens or 0) - (output_tokens or 0))
            self._settled.notify_all()

    def spending(self) -> Spending:
        """Return the figures so far."""
        with self._settled:
            spent = self._spent
        if self._prices is None or spent.unmetered:
            return spent
        cost = (
            spent.input_tokens * self._prices.input_per_million
            + spent.output_tokens * self._prices.output_per_million
        ) / 1_000_000
        return spent.model_copy(update={"cost": cost, "currency": self._prices.currency})
