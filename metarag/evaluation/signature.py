"""Everything that has to be the same for a number to come out the same, in one line beside the number."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Set
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import Field, JsonValue

from metarag._version import __version__
from metarag.choices.parser import PARSER
from metarag.errors import ConfigurationError
from metarag.evaluation.items import Dataset
from metarag.records import Frozen

_PACKAGES = ("numpy", "openai", "pydantic", "scipy", "statsmodels")
_SOURCES = frozenset({".py", ".yaml"})
_NOT_COMPARED = frozenset({"answered_by", "code", "environment"})


class DatasetSignature(Frozen):
    """Which questions.

    Parameters
    ----------
    sha256 : str
        Of the file.
    items, clusters : int
        Questions that were asked, and different ones among them.
    selection : str
        ``all``, or how the questions were chosen, e.g. ``first 60``.
    """

    name: str
    sha256: str
    items: int = Field(ge=0)
    clusters: int = Field(ge=0)
    selection: str = "all"

    @classmethod
    def of(cls, dataset: Dataset, *, selection: str = "all") -> DatasetSignature:
        """Return the signature of a data set."""
        return cls(
            name=dataset.name,
            sha256=dataset.sha256,
            items=len(dataset),
            clusters=dataset.clusters,
            selection=selection,
        )


class ModelSignature(Frozen):
    """Which model, asked where. Never holds a key.

    Parameters
    ----------
    name : str
        As it was asked for.
    endpoint : str
        Host, port and path; empty without a network.
    """

    name: str
    endpoint: str = ""


class EvaluationSignature(Frozen):
    """What a number was measured with.

    Parameters
    ----------
    datasets, models : tuple
        What was asked of whom.
    systems : dict of str to dict
        Name of each system to all of its settings.
    prompts : dict of str to str
        ``id@version`` to digest, of every prompt that took part.
    evidence : dict of str to value
        Where the articles came from: index or recording with its digest, how many were retrieved, whether
        options were in the query, whether sources were excluded ...
    parser : str
        Name and version of what read the answers.
    seeds : tuple of int
        Of the runs.
    metarag : str
        Version.
    answered_by : dict of str to tuple of str
        Model asked to the names and fingerprints that its server gave. Known only afterwards, so not
        compared.
    code : str or None
        Start of a digest over the sources of metarag as they ran; not compared, because most changes of them
        change no number.
    environment : dict of str to str
        Python and packages; not compared, because another patch level should not stop a resumed run.
    """

    datasets: tuple[DatasetSignature, ...]
    models: tuple[ModelSignature, ...]
    systems: dict[str, dict[str, JsonValue]]
    prompts: dict[str, str] = Field(default_factory=dict)
    evidence: dict[str, JsonValue] = Field(default_factory=dict)
    parser: str = PARSER
    seeds: tuple[int, ...] = (0,)
    metarag: str = __version__
    answered_by: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    code: str | None = None
    environment: dict[str, str] = Field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """First 16 hex digits of a SHA-256 over all that is compared; a resumed run needs the same."""
        text = json.dumps(self._compared(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def line(self) -> str:
        """The signature in one line, to be printed with each number."""
        data = "+".join(f"{d.name}[{d.selection}]:{d.items}#{d.sha256[:8]}" for d in self.datasets)
        models = "+".join(f"{m.name}@{m.endpoint}" if m.endpoint else m.name for m in self.models)
        prompts = "+".join(f"{name}#{digest[:8]}" for name, digest in sorted(self.prompts.items()))
        parts = {
            "data": data,
            "model": models,
            "systems": "+".join(self.systems),
            "prompts": prompts,
            "parser": self.parser,
            "seeds": "+".join(map(str, self.seeds)),
            "metarag": self.metarag,
            "code": self.code,
            "fingerprint": self.fingerprint,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items() if value)

    def differences(self, other: EvaluationSignature) -> tuple[str, ...]:
        """Return what differs from another signature, one line a difference, for the message of a refusal."""
        names = (", ".join(self.systems), ", ".join(other.systems))
        said = [] if names[0] == names[1] else [f"systems: {names[0]} here, {names[1]} there"]
        both = self.systems.keys() & other.systems.keys()
        here, there = (dict(_leaves(signature._of_systems(both))) for signature in (self, other))
        said += [
            f"{path}: {_shown(here.get(path))} here, {_shown(there.get(path))} there"
            for path in sorted(here.keys() | there.keys())
            if here.get(path) != there.get(path)
        ]
        return tuple(said)

    def _of_systems(self, names: Set[str]) -> dict[str, JsonValue]:
        systems = {name: settings for name, settings in self.systems.items() if name in names}
        return self.model_copy(update={"systems": systems})._compared()

    def joined(self, other: EvaluationSignature) -> EvaluationSignature:
        """Return the signature of both experiments together: shards, other systems, other models.

        Raises
        ------
        ConfigurationError
            They differ in what has to be the same: evidence, parser, seeds, version, a prompt, a system of one
            name, a data set of one name.
        """
        one, two = self._shared(other), other._shared(self)
        apart = [
            f"{path}: {_shown(one.get(path))} and {_shown(two.get(path))}"
            for path in sorted(one.keys() | two.keys())
            if one.get(path) != two.get(path)
        ]
        if apart:
            raise ConfigurationError(f"these are no parts of one experiment: {'; '.join(apart[:5])}")
        answered = {
            name: tuple(sorted({*self.answered_by.get(name, ()), *other.answered_by.get(name, ())}))
            for name in sorted({*self.answered_by, *other.answered_by})
        }
        return self.model_copy(
            update={
                "datasets": tuple(dict.fromkeys((*self.datasets, *other.datasets))),
                "models": tuple(dict.fromkeys((*self.models, *other.models))),
                "systems": {**self.systems, **other.systems},
                "prompts": {**self.prompts, **other.prompts},
                "answered_by": answered,
            }
        )

    def _shared(self, other: EvaluationSignature) -> dict[str, JsonValue]:
        """Return, by path, what has to be the same in another part of the experiment."""
        whole = self.model_copy(
            update={
                "datasets": (),
                "models": (),
                "systems": {name: s for name, s in self.systems.items() if name in other.systems},
                "prompts": {name: d for name, d in self.prompts.items() if name in other.prompts},
            }
        )._compared()
        named = {dataset.name for dataset in other.datasets}
        whole["files"] = {d.name: d.sha256 for d in self.datasets if d.name in named}
        return dict(_leaves(whole))

    def _compared(self) -> dict[str, JsonValue]:
        return self.model_dump(mode="json", exclude=set(_NOT_COMPARED))


def environment() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers can depend on."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def code_digest() -> str:
    """Return the first 12 hex digits of a SHA-256 over the names and contents of metarag's own sources."""
    package = Path(__file__).resolve().parents[1]
    whole = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in _SOURCES:
            whole.update(path.relative_to(package).as_posix().encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:12]


def _leaves(value: JsonValue, path: str = "") -> Iterable[tuple[str, JsonValue]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value, 1):
            yield from _leaves(inner, f"{path}[{place}]")
    else:
        yield path, value


def _shown(value: JsonValue) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
