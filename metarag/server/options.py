"""What a server allows."""

from __future__ import annotations

from typing import Any

from pydantic import Field, SecretStr

from metarag.records import Frozen


class ServerOptions(Frozen):
    """Limits of a server, each with a default that suits a small machine.

    Parameters
    ----------
    settings : dict
        Fields of :class:`metarag.config.Settings` for every request.
    token : SecretStr or None
        Asked of every client as ``Authorization: Bearer ...``, if there is one.
    max_body_bytes : int
        Of a request, at least 1,024.
    max_documents : int
        Of a request, at least 1.
    read_seconds : float
        A request has to be here by then, head and body each, > 0.
    workers : int
        Requests that are ranked at the same time, at least 1; others wait their turn.
    max_waiting : int
        Requests that may wait; one more is told to come back later.
    """

    settings: dict[str, Any] = Field(default_factory=dict)
    token: SecretStr | None = None
    max_body_bytes: int = Field(default=16_000_000, ge=1_024)
    max_documents: int = Field(default=2_000, ge=1)
    read_seconds: float = Field(default=15.0, gt=0)
    workers: int = Field(default=2, ge=1)
    max_waiting: int = Field(default=256, ge=0)
