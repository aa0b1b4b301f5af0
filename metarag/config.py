"""Settings of a run, from keywords, a mapping or a file, checked before any article is read."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pydantic import Field, ValidationError, field_validator

from metarag.errors import ConfigurationError, suggest
from metarag.files import read_small_file
from metarag.option_models import Options
from metarag.scoring import TermWeights
from metarag.types import QuestionKind
from metarag.written_settings import READERS, parse_settings
from metarag.written_yaml import TOO_DEEP

RECOMMENDED_STAGES = ("eligibility", "relevance", "reliability", "heterogeneity", "extrapolation")
"""The stages of the `recommended` preset, in order."""

PAPER_STAGES = ("eligibility", "paper_reliability", "paper_heterogeneity", "paper_extrapolation")
"""The stages of the `paper` preset. Eligibility is ours: the paper ranks a retracted trial as a trial."""

PRESETS: Final = MappingProxyType({"recommended": RECOMMENDED_STAGES, "paper": PAPER_STAGES})
"""Preset to its stages."""

MAX_SETTINGS_BYTES = 1_000_000
"""No file of settings is larger; what is, was named by mistake."""


class Settings(Options):
    """Everything that can be set on a ranking.

    Parameters
    ----------
    preset : str
        Names the stages and the final score: ``recommended`` (default) or ``paper`` (arXiv 2510.24003).
    stages : tuple of str or None
        Registered stages to run instead of the preset's, in order. Leaving one out is the ablation.
        A single name may stand alone.
    without : tuple of str
        Stages of the preset to leave out; a single name may stand alone.
    hierarchy : str
        Hierarchy of evidence: ``metarag-2025``, ``ocebm-2011``, ``nhmrc``, ``melnyk``, or one of your file.
    levels_file : Path or None
        Your own hierarchies, in the form of ``data/evidence_levels.yaml``.
    kind : QuestionKind or None
        The kind of question; ``None`` infers it.
    weights : TermWeights
        Of relevance, reliability, consistency and applicability in the final score, each in [0, 1e6] and
        at least one of them greater than 0.
    neutral_reliability : float
        Stands in where reliability was not assessed, in (0, 1).
    options : dict
        Stage name to its options, e.g. ``{"eligibility": {"exclude_superseded": False}}``.
    """

    preset: str = "recommended"
    stages: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    hierarchy: str = "metarag-2025"
    levels_file: Path | None = None
    kind: QuestionKind | None = None
    weights: TermWeights = TermWeights()
    neutral_reliability: float = Field(default=0.5, gt=0, lt=1)
    options: dict[str, dict[str, Any]] = Field(default_factory=dict)  # checked by each stage's own model

    @field_validator("stages", "without", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], *, where: str = "settings") -> Settings:
        """Validate a mapping.

        Raises
        ------
        ConfigurationError
            Names every wrong entry, where it stands, and the closest known name.
        """
        unknown = [name for name in values if name not in cls.model_fields]
        if unknown:
            name = unknown[0]
            if not isinstance(name, str):
                raise ConfigurationError(f"{where}: names of settings are text, not {_shown(name)}")
            raise ConfigurationError(
                f"{where}: there is no setting {name!r}{suggest(name, cls.model_fields)}"
            )
        try:
            settings = cls.model_validate(dict(values))
        except ValidationError as error:
            raise ConfigurationError(f"{where}: {describe(error)}") from error
        settings.stage_names()
        return settings

    @classmethod
    def from_file(cls, path: Path | str) -> Settings:
        """Read settings from a ``.toml``, ``.yaml``, ``.yml`` (YAML 1.2) or ``.json`` file in UTF-8.

        Raises
        ------
        ConfigurationError
            The file cannot be read, is no regular file, is larger than 1 MB, is not of these forms, or holds
            no setting or a wrong one.
        """
        path = Path(path)
        try:
            text = read_small_file(path, limit=MAX_SETTINGS_BYTES).decode("utf-8-sig")
        except OSError as error:
            reason = error.strerror or str(error)
            raise ConfigurationError(f"settings file {path} cannot be read: {reason}") from error
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"settings file {path} cannot be read: it is not UTF-8") from error
        values = _parse(path, text)
        if values is None or values == {}:
            raise ConfigurationError(
                f"settings file {path} holds no setting; write one, e.g. hierarchy, or leave the file out"
            )
        if not isinstance(values, dict):
            raise ConfigurationError(
                f"settings file {path} must hold names and values, not a {type(values).__name__}"
            )
        return cls.from_mapping(values, where=f"settings file {path}")

    def stage_names(self) -> tuple[str, ...]:
        """Return the stages to run, in order.

        Raises
        ------
        ConfigurationError
            The preset is unknown, or ``without`` names a stage that would not run.
        """
        if self.preset not in PRESETS:
            raise ConfigurationError(f"there is no preset {self.preset!r}{suggest(self.preset, PRESETS)}")
        names = self.stages if self.stages is not None else PRESETS[self.preset]
        for name in self.without:
            if name not in names:
                raise ConfigurationError(f"cannot leave out {name!r}: it would not run{suggest(name, names)}")
        return tuple(name for name in names if name not in self.without)


def describe(error: ValidationError) -> str:
    """Return a pydantic error as one line a person can act on, without the library's own links."""
    lines = []
    for problem in error.errors(include_url=False, include_input=True):
        where = ".".join(str(part) for part in problem["loc"]) or "value"
        lines.append(f"{where}: {problem['msg']} (got {_shown(problem['input'])})")
    return "; ".join(lines)


def _shown(value: object) -> str:
    """Return a value's beginning, as Python writes it, whatever it is and however large."""
    short = reprlib.Repr()
    short.maxlevel, short.maxstring, short.maxother = 3, 80, 80
    try:
        return short.repr(value)[:80]
    except (ValueError, RecursionError):
        # An integer of more than 4,300 digits cannot be written in decimal.
        return f"a very large {type(value).__name__}"


def _parse(path: Path, text: str) -> object:
    if path.suffix.lower() not in READERS:
        raise ConfigurationError(f"settings file {path} must end in {', '.join(READERS)}")
    try:
        return parse_settings(path, text) if text.strip() else None
    except RecursionError as error:
        raise ConfigurationError(f"settings file {path} cannot be parsed: {TOO_DEEP}") from error
    except ValueError as error:
        raise ConfigurationError(f"settings file {path} cannot be parsed: {error}") from error
