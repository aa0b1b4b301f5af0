"""One way to say which extra is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from metarag.errors import MissingExtraError


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Import a host inside; where it is missing, say what installs it.

    Parameters
    ----------
    extra : str
        Name of the extra, which is also the host's.

    Raises
    ------
    MissingExtraError
        An :class:`ImportError` with the line that installs the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"metarag's adapter for {extra}", extra) from error
