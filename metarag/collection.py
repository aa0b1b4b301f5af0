"""A short rest for Python's search for cycles, where it would only walk over what lives on anyway."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Switch the search for cycles off for as long as the block takes, if it is on.

    Ranking 10,000 articles makes so many small objects that Python walks twice over all that the process
    holds, which takes a third of the time and frees nothing: evidence and decisions hold no cycles. What
    has no cycle is freed as ever. Two threads in such blocks at once are no harm: the first that leaves
    switches it on again for both.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
