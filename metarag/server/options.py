"""What a server allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr

from metarag.option_models import Options
from metarag.run_folder import RUNS


class ServerOptions(Options):
    """Limits of a server, each with a default that suits a small machine.

    Parameters
    ----------
    settings : dict
        Fields of :class:`metarag.config.Settings` for every request.
    token : SecretStr or None
        Asked of every client as ``Authorization: Bearer ...``, if there is one.
    max_body_bytes : int
        Of a request, at least 1,024.
    max_held_bytes : int
        Of all requests that are being read, ranked or waiting; one more is told to come back later.
    max_documents : int
        Of a request, at least 1.
    read_seconds : float
        A request has to be here by then, head and body each, > 0.
    workers : int
        Requests that are ranked at the same time, at least 1; others wait their turn.
    max_waiting : int
        Requests that may wait; one more is told to come back later.
    only_loopback : bool
        Answer to the names of this machine only, so that no other page can lead here under its own name.
    pages : bool
        Show the pages too, not only the endpoints.
    folder : Path
        Where the pages keep their runs.
    index : Path or None
        A local index that the pages can search.
    pubmed : bool
        Whether the pages can search PubMed.
    pubmed_url, email, pubmed_key
        Another address of the E-utilities; the address that NCBI asks for; a key for them.
    questions_per_minute : int
        That one address may ask by the pages, at least 1.
    """

    settings: dict[str, Any] = Field(default_factory=dict)
    token: SecretStr | None = None
    max_body_bytes: int = Field(default=16_000_000, ge=1_024)
    max_held_bytes: int = Field(default=128_000_000, ge=1_024)
    max_documents: int = Field(default=2_000, ge=1)
    read_seconds: float = Field(default=15.0, gt=0)
    workers: int = Field(default=2, ge=1)
    max_waiting: int = Field(default=256, ge=0)
    only_loopback: bool = True
    pages: bool = True
    folder: Path = RUNS
    index: Path | None = None
    pubmed: bool = True
    pubmed_url: str | None = None
    email: str | None = None
    pubmed_key: SecretStr | None = None
    questions_per_minute: int = Field(default=30, ge=1)
