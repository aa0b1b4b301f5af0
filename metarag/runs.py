"""One run as one JSON file: the record that `explain` and the report are made from."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, model_validator
from pydantic_core import from_json

from metarag.errors import RunFileError
from metarag.files import write_text_atomically
from metarag.generation.base import Answer, AnswerBody
from metarag.generation.citations import citation_of
from metarag.pipeline import Ranking
from metarag.records import Frozen, UtcTime
from metarag.report.plain import shorten

SCHEMA = "metarag-run/2"
READABLE = ("metarag-run/1", SCHEMA)
"""Versions that can be read. Version 2 added to the answer: question, sources, references, counts, usage."""

RunId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
"""The name of a run; it becomes the name of a file and a part of addresses, so that it holds nothing else."""


class Parent(Frozen):
    """The run that another one changes: its name, and the SHA-256 of its content."""

    id: RunId
    sha256: str

    @classmethod
    def of(cls, run: RunRecord) -> Parent:
        """Name a run."""
        return cls(id=run.id, sha256=hashlib.sha256(run.model_dump_json().encode()).hexdigest())


class RunRecord(Frozen):
    """A ranking with its audit, the answer if one was asked for, and when it was made.

    ``id`` is the time in UTC and 8 hex digits of a SHA-256 over the ranking, so that two runs of one
    second that differ have two names.
    """

    schema_id: str = SCHEMA
    id: RunId
    created_at: UtcTime
    parent: Parent | None = None
    answer: AnswerBody | None = None
    ranking: Ranking

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        """Every article identified is in the ranking once, and something was decided about it."""
        audit = self.ranking.audit
        keys = Counter(item.key for item in (*self.ranking.evidence, *self.ranking.excluded))
        faults = {
            "is in the ranking twice": {key for key, n in keys.items() if n > 1},
            "is in the ranking but was not identified": keys.keys() - set(audit.identified),
            "was identified but is not in the ranking": set(audit.identified) - keys.keys(),
            "has no decision": keys.keys() - {decision.key for decision in audit.decisions},
        }
        for fault, found in faults.items():
            if found:
                raise ValueError(f"{min(found)} {fault}")
        included = {citation_of(item.article) for item in self.ranking}
        strange = set(self.answer.citations) - included if self.answer else set()
        if strange:
            raise ValueError(f"the answer cites {min(strange)}, which is not included in the ranking")
        return self

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from metarag.report.notebook import repr_html

        return repr_html(self.ranking, self.answer)

    @classmethod
    def of(
        cls, result: Ranking | Answer, *, now: datetime | None = None, parent: Parent | None = None
    ) -> RunRecord:
        """Make the record of a result, of a run changed by a person with its parent; ``now`` is for tests."""
        ranking = result.ranking if isinstance(result, Answer) else result
        answer = (
            AnswerBody(**{n: getattr(result, n) for n in AnswerBody.model_fields})
            if isinstance(result, Answer)
            else None
        )
        created = now or datetime.now(UTC)
        digest = hashlib.sha256(ranking.model_dump_json().encode()).hexdigest()[:8]
        return cls(
            id=f"{created:%Y%m%dT%H%M%SZ}-{digest}",
            created_at=created,
            parent=parent,
            answer=answer,
            ranking=ranking,
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
    text = read_content(path)[0]
    try:
        # What is read is of the present shape, so it is of the present version if it is written again.
        return RunRecord.model_validate_json(text).model_copy(update={"schema_id": SCHEMA})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place, said = ".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, ")
        raise RunFileError(
            f"{path} is not a run file of this metarag, or was changed since it was written:"
            f" {shorten(f'{place}: {said}' if place else said, 300)}"
        ) from error


def read_content(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a run file and what it says, of which nothing but the version was looked at.

    Raises
    ------
    RunFileError
        The file is missing, is not a run, or was made by a version this metarag does not know.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise RunFileError(
            f"there is no run file {path}; `metarag ask` and `metarag rank` write one"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RunFileError(f"run file {path} cannot be read: {error}") from error
    return text, _checked(path, text)


def _checked(path: Path, text: str) -> dict[str, Any]:
    """Look at the version first: of another one, no other field need be where it is in this one."""
    try:
        content = from_json(text)
    except ValueError as error:
        raise RunFileError(f"{path} is not a run file of this metarag: it is no JSON ({error})") from error
    schema = content.get("schema_id") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(schema, str):
        raise RunFileError(f"{path} is not a run file of this metarag: it has no schema_id")
    if schema not in READABLE:
        readable = " and ".join(READABLE)
        raise RunFileError(f"{path} is a {shorten(schema, 40)} file; this metarag reads {readable}")
    return content
