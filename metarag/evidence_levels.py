"""``evidence_levels.yaml`` to checked hierarchies of evidence.

Every fault is reported with the file, the line, the hierarchy and the level, and all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError

from metarag.errors import EvidenceLevelsError
from metarag.evidence_level_loader import Location, MarkedYaml, read_yaml
from metarag.evidence_level_rules import Problem, rule_problems
from metarag.files import read_small_file
from metarag.hierarchy import Hierarchies, Hierarchy, LevelGrade, LevelSource
from metarag.level_table import Level, LevelTable, ListedType
from metarag.resources import data_file

__all__ = [
    "Hierarchies",
    "Hierarchy",
    "Level",
    "LevelGrade",
    "LevelSource",
    "LevelTable",
    "ListedType",
    "load_hierarchies",
]

SHIPPED: Final = "evidence_levels.yaml"
MAX_BYTES: Final = 1_000_000
"""The shipped file has about 30,000."""

_NAME_OF: Final[Mapping[str | int, tuple[str, str]]] = MappingProxyType(
    {"tables": ("table", "name"), "levels": ("level", "id")}
)


def load_hierarchies(source: str | Path | None = None) -> Hierarchies:
    """Read and check a file of hierarchies.

    Parameters
    ----------
    source : str or Path or None
        Path of a YAML file in UTF-8; ``None`` for the file that metarag ships. A file of your own
        replaces the shipped hierarchies; it knows the shipped publication types and may declare more.

    Raises
    ------
    EvidenceLevelsError
        The file cannot be read, is larger than 1 MB or is not such a file. The message lists every
        fault with its line, hierarchy and level.
    """
    if source is None:
        return _shipped()
    shipped = _parse(SHIPPED, data_file(SHIPPED).read_bytes())
    return _checked(_parse(str(source), _read(Path(source))), _vocabulary(shipped, {}))


@lru_cache(maxsize=1)
def _shipped() -> Hierarchies:
    """Read the shipped file once a process: it is frozen, and every pipeline needs it."""
    return _checked(_parse(SHIPPED, data_file(SHIPPED).read_bytes()), {})


@dataclass(frozen=True, slots=True)
class _File:
    """The plain content of a file, and how to speak of a place in it."""

    name: str
    content: dict[str, object]
    marked: MarkedYaml

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Raise one error that lists all problems, in the order of the file; nothing when there is none."""
        lines = [(self.marked.line(location) or 0, location, text) for location, text in problems]
        if lines:
            listed = sorted((line, self.sentence(line, location, text)) for line, location, text in lines)
            raise EvidenceLevelsError("\n".join(sentence for _, sentence in listed))

    def sentence(self, line: int, location: Location, text: str) -> str:
        """Return ``file, line 7, hierarchy 'a', level '2': text``."""
        parts = [self.name] + ([f"line {line}"] if line else [])
        if len(location) > 1 and location[0] == "hierarchies":
            parts.append(f"hierarchy {location[1]!r}")
            parts += [f"{word} {name!r}" for word, name in self._named(location)]
        return f"{', '.join(parts)}: {text}"

    def _named(self, location: Location) -> Iterator[tuple[str, object]]:
        """Yield the names of the table and the level around a place."""
        value: object = self.content
        for depth, part in enumerate(location):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
                around = location[depth - 1]
                if isinstance(value, dict) and around in _NAME_OF:
                    word, key = _NAME_OF[around]
                    yield word, value.get(key, part + 1)
            else:
                return


def _read(path: Path) -> bytes:
    try:
        return read_small_file(path, limit=MAX_BYTES)
    except OSError as error:
        raise EvidenceLevelsError(f"{path}: cannot be read ({error.strerror or error})") from error


def _parse(name: str, content: bytes) -> _File:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise EvidenceLevelsError(f"{name}, line {line}: not UTF-8; save the file as UTF-8") from error
    marked = read_yaml(name, text)
    if not isinstance(marked.value, dict):
        raise EvidenceLevelsError(
            f"{name}: must be a mapping with 'hierarchies'; see docs/evidence-levels.md"
        )
    return _File(name, marked.value, marked)


def _vocabulary(file: _File, known: Mapping[str, ListedType]) -> dict[str, ListedType]:
    """Return publication types by their names in lower case: the known ones and the file's own."""
    vocabulary = dict(known)
    problems: list[Problem] = []
    declared = file.content.get("publication_types")
    for index, entry in enumerate(declared if isinstance(declared, list) else ()):
        location: Location = ("publication_types", index)
        try:
            listed = ListedType.model_validate(entry)
        except ValidationError as error:
            problems += _model_problems(error, location)
            continue
        rival = next((other for other in vocabulary.values() if _clash(other, listed)), None)
        if rival is not None:
            problems.append(
                (location, f"publication type {listed.name!r} is known already as {rival.name!r}")
            )
        vocabulary[listed.name.casefold()] = listed
    file.refuse(problems)
    return vocabulary


def _clash(one: ListedType, other: ListedType) -> bool:
    return one.name.casefold() == other.name.casefold() or (one.ui is not None and one.ui == other.ui)


def _checked(file: _File, known: Mapping[str, ListedType]) -> Hierarchies:
    vocabulary = _vocabulary(file, known)
    try:
        hierarchies = Hierarchies.model_validate(file.content, context=vocabulary)
    except ValidationError as error:
        file.refuse(_model_problems(error, ()))
        raise
    file.refuse(rule_problems(hierarchies))
    return hierarchies


def _model_problems(error: ValidationError, around: Location) -> Iterator[Problem]:
    for problem in error.errors(include_url=False):
        if problem["type"] == "too_short" and problem["input"]:
            # Not empty in the file, only after its faulty parts, which have messages of their own.
            continue
        field = next((f"{part}: " for part in reversed(problem["loc"]) if isinstance(part, str)), "")
        message = problem["msg"].removeprefix("Value error, ")
        given = "" if problem["type"] in {"value_error", "missing"} else f" (got {problem['input']!r:.80})"
        yield (*around, *problem["loc"]), f"{field}{message}{given}"
