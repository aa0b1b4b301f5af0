"""Settings as people write them, in TOML, YAML or JSON: read so that nothing that was written is lost unseen."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

if TYPE_CHECKING:
    import yaml

TOO_DEEP: Final = "brackets are nested too deeply"


def parse_settings(path: Path, text: str) -> object:
    """Return what the text of a file of settings says, by the ending of the file's name.

    Raises
    ------
    ValueError
        It cannot be read, or gives one name twice: then nobody knows which of the two is meant.
    KeyError
        The ending is none of :data:`READERS`.
    """
    return READERS[path.suffix.lower()](text)


def parse_json(text: str) -> object:
    """Return what JSON text says; a name that stands twice in one object is refused.

    Raises
    ------
    ValueError
        It is no JSON, holds a name twice, or is nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_object_of)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error


def parse_yaml(text: str) -> object:
    """Return what YAML text says; a name that stands twice in one mapping is refused.

    Raises
    ------
    ValueError
        It is no YAML, holds a name twice, a date or number that is none, or is nested too deeply.
    """
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        for name in _repeated(node):
            raise ValueError(f"the name {name!r} stands twice")
        return yaml.safe_load(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except (KeyError, AttributeError, OverflowError) as error:
        # PyYAML's own answer to "!!bool perhaps" and an impossible escape, which says too little to a person.
        raise ValueError(
            f"a value does not fit its tag (!!) or its escape; write it plainly ({error})"
        ) from error


def truths_for_numbers(given: Mapping[str, Any], made: BaseModel, inside: str = "") -> Iterator[str]:
    """Yield the names of numbers for which true or false was given: pydantic would take them for 1 and 0.

    Parameters
    ----------
    given : mapping
        What ``made`` was validated from.
    made : BaseModel
        What came of it; only its fields are looked into, however much else was given.
    inside : str
        Where it stands, with a dot at the end.
    """
    for name in type(made).model_fields.keys() & given.keys():
        value, came_of = given[name], getattr(made, name)
        if isinstance(value, bool) and isinstance(came_of, (int, float)) and not isinstance(came_of, bool):
            yield inside + name
        elif isinstance(value, Mapping) and isinstance(came_of, BaseModel):
            yield from truths_for_numbers(value, came_of, f"{inside}{name}.")


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(name, _)] = Counter([name for name, _ in pairs]).most_common(1)
        raise ValueError(f"the name {name!r} stands twice")
    return found


def _repeated(node: yaml.Node | None) -> Iterator[str]:
    """Yield the names that stand twice in one mapping; what an alias repeats is looked at once."""
    from yaml import MappingNode, ScalarNode, SequenceNode

    waiting, seen = [node], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            names = Counter([key.value for key, _ in node.value if isinstance(key, ScalarNode)])
            yield from (name for name, count in names.items() if count > 1)
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, SequenceNode):
            waiting += node.value


READERS: Final[Mapping[str, Callable[[str], object]]] = MappingProxyType(
    {".toml": tomllib.loads, ".json": parse_json, ".yaml": parse_yaml, ".yml": parse_yaml}
)
"""How a file of settings is read, by its ending."""
