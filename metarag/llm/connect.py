"""One call from settings to a model that is ready to use."""

from __future__ import annotations

from pathlib import Path

from metarag.llm.base import ChatModel
from metarag.llm.budget import Budget
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.openai import OPENAI_URL, OpenAIModel
from metarag.llm.retry import Gate, RetryPolicy


def connect(
    model: str,
    *,
    base_url: str = OPENAI_URL,
    api_key: str | None = None,
    concurrency: int = 4,
    cache: ReplyCache | Path | str | None = None,
    budget: Budget | None = None,
    policy: RetryPolicy | None = None,
) -> ChatModel:
    """Return the model of that name at an OpenAI-compatible endpoint, with a cache where one is given.

    Parameters
    ----------
    model, base_url, api_key, concurrency, budget
        See :class:`~metarag.llm.openai.OpenAIModel`.
    cache : ReplyCache, Path, str or None
        A cache, or the file of one.
    policy : RetryPolicy or None
        How patient a call is.

    Raises
    ------
    ConfigurationError
        A setting is unusable.
    """
    live = OpenAIModel(
        model,
        base_url=base_url,
        api_key=api_key,
        concurrency=concurrency,
        gate=Gate(policy=policy) if policy else None,
        budget=budget,
    )
    if cache is None:
        return live
    return CachedModel(live, cache if isinstance(cache, ReplyCache) else ReplyCache(cache))
