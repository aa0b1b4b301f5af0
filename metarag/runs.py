"""One run as one JSON file: the record that `explain` and the report are made from."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from metarag.config import describe
from metarag.errors import RunFileError
from metarag.files import write_text_atomically
from metarag.generation.base import Answer, AnswerBody
from metarag.pipeline import Ranking
from metarag.records import Frozen

SCHEMA = "metarag-run/1"


class RunRecord(Frozen):
    """A ranking with its audit, the answer if one was asked for, and when it was made.

    ``id`` is the time in UTC and 8 hex digits of a SHA-256 over the ranking, so that two runs of one
    second that differ have two names.
    """

    schema_id: str = SCHEMA
    id: str
    created_at: datetime
    answer: AnswerBody | None = None
    ranking: Ranking

    @classmethod
    def of(cls, result: Ranking | Answer, *, now: datetime | None = None) -> RunRecord:
        """Make the record of a result; ``now`` is for tests."""
        ranking = result.ranking if isinstance(result, Answer) else result
        answer = (
            AnswerBody(**{n: getattr(result, n) for n in AnswerBody.model_fields})
            if isinstance(result, Answer)
            else None
        )
        created = now or datetime.now(UTC)
        digest = hashlib.sha256(ranking.model_dump_json().encode()).hexdigest()[:8]
        return cls(
            id=f"{created:%Y%m%dT%H%M%SZ}-{digest}", created_at=created, answer=answer, ranking=ranking
        )


def save_run(run: RunRecord, path: Path) -> None:
    """Write the run, replacing ``path`` in one step.

    Raises
    ------
    RunFileError
        The folder cannot be written.
    """
    try:
        write_text_atomically(path, run.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise RunFileError(f"the run cannot be written to {path}: {error.strerror or error}") from error


def load_run(path: Path) -> RunRecord:
    """Read a run back.

    Raises
    ------
    RunFileError
        The file is missing, is not a run, or was made by a version this metarag does not know.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise RunFileError(
            f"there is no run file {path}; `metarag ask` and `metarag rank` write one"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RunFileError(f"run file {path} cannot be read: {error}") from error
    try:
        run = RunRecord.model_validate_json(text)
    except ValidationError as error:
        raise RunFileError(f"{path} is not a run file of this metarag: {describe(error)[:300]}") from error
    if run.schema_id != SCHEMA:
        raise RunFileError(f"{path} is a {run.schema_id} file; this metarag reads {SCHEMA}")
    return run
