"""YAML by the core schema of version 1.2, so that a value is the number that a person sees.

By version 1.1, which PyYAML reads, ``12:30`` is 750, ``017`` is 15, ``2011-01-01`` a date and ``no`` is false.

References
----------
YAML Ain't Markup Language, version 1.2.2, 10.3.2: Core schema, tag resolution. https://yaml.org/spec/1.2.2/
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Final

import yaml

TOO_DEEP: Final = "brackets are nested too deeply"

_TAG: Final = "tag:yaml.org,2002:"
_BASES: Final = {"0o": 8, "0x": 16}
_INTEGER: Final = re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")
_FLOAT: Final = re.compile(
    r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)
# Kind of a plain word, with what it can begin, and how it is written; the first that fits is it.
_PLAIN: Final = (
    ("bool", "tTfF", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")),
    ("int", "-+0123456789", _INTEGER),
    ("float", "-+.0123456789", _FLOAT),
    ("null", ("~", "n", "N", ""), re.compile(r"(?:~|null|Null|NULL|)\Z")),
    ("merge", "<", re.compile(r"<<\Z")),  # of version 1.1, and no number
)


def parse_yaml(text: str) -> object:
    """Return what YAML 1.2 text says; a name that stands twice in one mapping is refused.

    Raises
    ------
    ValueError
        It is no YAML, holds a name twice or a number that is none, or is nested too deeply.
    """
    try:
        loader = Yaml12Loader(text)
        node = loader.get_single_node()
        for name in _repeated(node):
            raise ValueError(f"the name {name!r} stands twice")
        return None if node is None else loader.construct_document(node)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except (KeyError, AttributeError, OverflowError) as error:
        # PyYAML's own answer to "!!bool perhaps" and an impossible escape, which says too little to a person.
        raise ValueError(
            f"a value does not fit its tag (!!) or its escape; write it plainly ({error})"
        ) from error


def _whole(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    if not _INTEGER.match(text):
        raise ValueError(f"{text[:40]!r} is no whole number")
    return int(text, _BASES.get(text[:2], 10))


def _number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    text = str(loader.construct_scalar(node))
    if not _FLOAT.match(text):
        raise ValueError(f"{text[:40]!r} is no number")
    return float(re.sub(r"\.(?=[inIN])", "", text))


class Yaml12Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with the plain words and the numbers of YAML 1.2; ``0o17`` and ``0xf`` are 15."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(_TAG + kind, written) for kind, begins, written in _PLAIN if first in begins]
        for first in {first for _, begins, _ in _PLAIN for first in begins}
    }
    yaml_constructors: ClassVar = {
        **yaml.SafeLoader.yaml_constructors,
        f"{_TAG}int": _whole,
        f"{_TAG}float": _number,
    }


def _repeated(node: yaml.Node | None) -> Iterator[str]:
    """Yield the names that stand twice in one mapping; what an alias repeats is looked at once."""
    waiting, seen = [node], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            names = Counter([key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
            yield from (name for name, count in names.items() if count > 1)
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
