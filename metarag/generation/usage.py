"""What an answer cost: calls, tokens and money, from the replies themselves."""

from __future__ import annotations

from collections.abc import Iterable

from metarag.generation.answer_parts import TokenUse
from metarag.llm.base import ChatReply, Failure
from metarag.llm.budget import Prices


def token_use(model: str, replies: Iterable[ChatReply], prices: Prices | None = None) -> TokenUse:
    """Return what one model was asked and what that cost.

    Parameters
    ----------
    model : str
        The name it was asked for by.
    prices : Prices or None
        ``None`` leaves the cost unknown.

    Notes
    -----
    A cached reply cost nothing this time. A reply that was sent for and came without a count leaves the
    tokens, and so the cost, unknown.
    """
    given = tuple(replies)
    sent = [reply for reply in given if not reply.cached and reply.failure is not Failure.STOPPED]
    inputs, outputs = (
        _sum([reply.input_tokens for reply in sent]),
        _sum([reply.output_tokens for reply in sent]),
    )
    cost = None
    if prices is not None and inputs is not None and outputs is not None:
        cost = (inputs * prices.input_per_million + outputs * prices.output_per_million) / 1_000_000
    return TokenUse(
        model=model,
        answered=tuple(sorted({reply.model_answered for reply in given if reply.model_answered})),
        asked=len(given),
        cached=sum(reply.cached for reply in given),
        failed=sum(reply.failed for reply in given),
        input_tokens=inputs,
        output_tokens=outputs,
        cost=cost,
        currency=prices.currency if prices is not None and cost is not None else None,
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
