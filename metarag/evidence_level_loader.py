"""YAML to plain values, with the line of each; only what a table of levels needs.

A file of levels may come from anywhere, and a plain loader takes the second of two equal keys without
a word. So this takes mappings, lists, text, numbers, true, false and null (the core schema of YAML 1.2:
``no`` and ``2011-01-01`` are text), and refuses repeated keys, anchors, aliases and tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from metarag.errors import EvidenceLevelsError

if TYPE_CHECKING:
    from yaml.events import Event

Location = tuple[str | int, ...]
"""Keys and list positions that lead to a value, e.g. ``("hierarchies", "nhmrc", "tables", 0)``."""

MAX_DEPTH: Final = 16
"""A table of levels is 9 deep; text that nests deeper is none."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][-+]?[0-9]{1,3})?")
_WORDS: Final = (("null", None), ("~", None), ("", None), ("true", True), ("false", False))


@dataclass(frozen=True, slots=True)
class MarkedYaml:
    """A value, and the line (from 1) on which each of its parts begins."""

    value: object
    lines: dict[Location, int]

    def line(self, location: Location) -> int | None:
        """Return the line of a part, or of the nearest part around it that is known."""
        for length in range(len(location), 0, -1):
            if location[:length] in self.lines:
                return self.lines[location[:length]]
        return None


def read_yaml(name: str, text: str) -> MarkedYaml:
    """Read one YAML document.

    Parameters
    ----------
    name : str
        What messages call the file.

    Raises
    ------
    EvidenceLevelsError
        It is not YAML, not one document, or uses what is refused; the message holds the line.
    """
    builder = _Builder(name)
    for event in _events(name, text):
        builder.take(event)
    return MarkedYaml(builder.root[0] if builder.root else None, builder.lines)


def _events(name: str, text: str) -> Iterator[Event]:
    import yaml

    # libyaml is several times as fast; PyYAML may have been built without it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _fault(name, mark.line + 1 if mark else None, f"not YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise _fault(name, None, f"not YAML: {error}") from error


def _fault(name: str, line: int | None, problem: str) -> EvidenceLevelsError:
    return EvidenceLevelsError(f"{name}{f', line {line}' if line else ''}: {problem}")


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is still open."""

    content: dict[str, object] | list[object]
    location: Location
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    """Puts values together event by event, without recursion, so that depth cannot exhaust the stack."""

    name: str
    lines: dict[Location, int] = field(default_factory=dict)
    root: list[object] = field(default_factory=list)
    documents: int = 0
    open: list[_Frame] = field(default_factory=list)

    def take(self, event: Event) -> None:
        import yaml

        line = event.start_mark.line + 1 if event.start_mark else None
        tag = getattr(event, "tag", None)
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise _fault(self.name, line, "the file holds more than one document (---)")
        elif isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _fault(self.name, line, "anchors (&) and aliases (*) are not taken; write the values out")
        elif tag:
            raise _fault(self.name, line, f"tags ({tag}) are not taken")
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event.value, plain=bool(event.implicit[0]), line=line)
        elif isinstance(event, yaml.MappingStartEvent):
            self._start({}, line)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._start([], line)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self.open.pop()

    def _scalar(self, text: str, *, plain: bool, line: int | None) -> None:
        frame = self.open[-1] if self.open else None
        if frame is not None and isinstance(frame.content, dict) and frame.key is None:
            self._start_entry(frame, text, line)
        else:
            self._put(_value(text) if plain else text, line)

    def _start_entry(self, frame: _Frame, key: str, line: int | None) -> None:
        location = (*frame.location, key)
        if location in self.lines:
            raise _fault(
                self.name, line, f"{key!r} stands here a second time (first in line {self.lines[location]})"
            )
        self.lines[location] = line or 0
        frame.key = key

    def _start(self, content: dict[str, object] | list[object], line: int | None) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise _fault(self.name, line, f"nested deeper than {MAX_DEPTH} levels")
        self.open.append(_Frame(content, self._put(content, line)))

    def _put(self, value: object, line: int | None) -> Location:
        """Put a value where the open mapping or list expects one, and return where that is."""
        if not self.open:
            self.root.append(value)
            return ()
        frame = self.open[-1]
        if isinstance(frame.content, list):
            location: Location = (*frame.location, len(frame.content))
            frame.content.append(value)
            self.lines[location] = line or 0
            return location
        if frame.key is None:
            raise _fault(self.name, line, "a key must be one word or text, not a list or mapping")
        location = (*frame.location, frame.key)
        frame.content[frame.key] = value
        frame.key = None
        return location


def _value(text: str) -> object:
    for word, value in _WORDS:
        if text == word:
            return value
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    return text
