"""The folder of an experiment: its signature, its pools of evidence, its results, one process at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from metarag.errors import ConfigurationError, InputError
from metarag.evaluation.results import ItemResult, read_results
from metarag.evaluation.signature import EvaluationSignature
from metarag.files import write_text_atomically

SIGNATURE: Final = "signature.json"
RESULTS: Final = "results.jsonl"
POOLS: Final = "pools.jsonl"
_LOCK: Final = "running.lock"
_SHOWN: Final = 5

ResultKey = tuple[str, str, str, int, str]


class EvaluationFolder:
    """A folder that holds one experiment.

    Parameters
    ----------
    path : Path
        Made when something is first written.
    signature : EvaluationSignature
        Of the experiment that is to be run here.

    Raises
    ------
    ConfigurationError
        The folder belongs to an experiment with another fingerprint; the message says what differs. Or it
        holds answers and no signature, so that nobody knows whose they are.
    InputError
        A file of the folder cannot be read.
    """

    def __init__(self, path: Path, signature: EvaluationSignature) -> None:
        self.path = path
        self.signature = signature
        if (path / SIGNATURE).exists():
            self.signature = _same(path, signature)
        elif self.results.exists() and self.results.stat().st_size:
            raise ConfigurationError(
                f"{path} holds answers without their {SIGNATURE}, so they may be another experiment's: put it back,"
                " or name another folder"
            )

    @property
    def pools(self) -> Path:
        """The file of the pools of evidence."""
        return self.path / POOLS

    @property
    def results(self) -> Path:
        """The file of the results."""
        return self.path / RESULTS

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep the folder for this process and write the signature, if it is new.

        Raises
        ------
        ConfigurationError
            Another process works in it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with _locked(self.path / _LOCK):
            self._write_signature()
            yield

    def stored(self) -> dict[ResultKey, ItemResult]:
        """Return the results that are there. A line that was being written when the run was killed is none."""
        if not self.results.exists():
            return {}
        return {result.key: result for result in read_results(self.results).results}

    def cut_off_unfinished(self) -> None:
        """Take away a line that was being written when the run was killed, so that others can follow."""
        if self.results.exists() and read_results(self.results).is_cut_off:
            whole = self.results.read_bytes().rfind(b"\n") + 1
            with self.results.open("r+b") as file:
                file.truncate(whole)

    def append(self, result: ItemResult) -> None:
        """Write a result; it is on the disk when this returns."""
        try:
            with self.results.open("a", encoding="utf-8", newline="\n") as lines:
                lines.write(result.to_line())
                lines.flush()
                os.fsync(lines.fileno())
        except OSError as error:
            # What the system says of a full disk names no file.
            raise OSError(error.errno, error.strerror, str(self.results)) from error

    def note_answered(self, model: str, names: set[str]) -> None:
        """Add who answered to the signature, as soon as a new name is seen."""
        known = set(self.signature.answered_by.get(model, ()))
        if names <= known:
            return
        answered = {**self.signature.answered_by, model: tuple(sorted(known | names))}
        ordered = dict(sorted(answered.items()))
        self.signature = self.signature.model_copy(update={"answered_by": ordered})
        self._write_signature()

    def _write_signature(self) -> None:
        write_text_atomically(self.path / SIGNATURE, self.signature.model_dump_json(indent=1) + "\n")


def read_signature(path: Path) -> EvaluationSignature:
    """Read the signature of a run.

    Raises
    ------
    InputError
        The file is missing or is no signature.
    """
    try:
        return EvaluationSignature.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path.parent} is no folder of an evaluation: {error.strerror or error}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no signature of an evaluation") from error


def read_folders(folders: Sequence[Path]) -> tuple[EvaluationSignature, tuple[ItemResult, ...]]:
    """Return the results of one or more folders as one experiment: shards, or other systems or models.

    Raises
    ------
    InputError
        A folder holds no experiment or no results, or the same answer is in two of them.
    ConfigurationError
        What has to be the same for all (prompts' versions, parser, evidence, seeds, a system's settings) is not.
    """
    signatures = [read_signature(folder / SIGNATURE) for folder in folders]
    found: dict[ResultKey, ItemResult] = {}
    for folder in folders:
        for result in read_results(folder / RESULTS).results:
            if result.key in found:
                told = " / ".join(map(str, result.key))
                raise InputError(f"{folder} answers again what another folder answers: {told}")
            found[result.key] = result
    whole = signatures[0]
    for signature in signatures[1:]:
        whole = whole.joined(signature)
    return whole, tuple(found.values())


def _same(path: Path, mine: EvaluationSignature) -> EvaluationSignature:
    stored = read_signature(path / SIGNATURE)
    if stored.fingerprint != mine.fingerprint:
        differs = "; ".join(mine.differences(stored)[:_SHOWN])
        raise ConfigurationError(f"{path} holds another experiment ({differs}); name another folder")
    if mine.code in (stored.code or "").split("+"):
        return stored
    # Part of the answers are by another state of the code: both are told.
    return stored.model_copy(update={"code": "+".join(filter(None, (stored.code, mine.code)))})


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the system takes back when the process ends, however it ends."""
    with path.open("a", encoding="utf-8") as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            raise ConfigurationError(
                f"another process is running an experiment in {path.parent}; wait for it or name another folder"
            ) from error
        yield


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
