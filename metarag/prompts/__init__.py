"""Prompts are data: one YAML file each, versioned, checked when loaded, replaceable by a user's own."""

from __future__ import annotations

import hashlib
import re
import string
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from metarag.errors import PromptError, suggest
from metarag.option_models import Options
from metarag.written_yaml import parse_yaml

_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Prompt(Options):
    """A versioned prompt with declared ``$placeholders``.

    Parameters
    ----------
    id : str
        The file's name without ``.yaml``.
    version : int
        From 1; raised with every change of the wording.
    purpose : str
        One sentence for a reader of the audit.
    placeholders : tuple of str
        Exactly those that ``system`` and ``user`` use. A literal dollar sign is ``$$``.
    reply : str
        The shape of the reply: a name in :data:`metarag.llm.schemas.REPLIES`.
    max_tokens : int
        Limit of the reply.
    system, user : str
        Instructions, and the frame for the data.
    """

    id: str
    version: int = Field(ge=1)
    purpose: str
    placeholders: tuple[str, ...]
    reply: str
    max_tokens: int = Field(default=1024, ge=1, le=100_000)
    system: str
    user: str

    @model_validator(mode="after")
    def _placeholders_are_declared(self) -> Self:
        templates = (string.Template(self.system), string.Template(self.user))
        if not all(template.is_valid() for template in templates):
            raise ValueError("holds a $ that starts no placeholder; write $$ for a dollar sign")
        used = {name for template in templates for name in template.get_identifiers()}
        if used != set(self.placeholders):
            raise ValueError(f"declares {sorted(self.placeholders)} but uses {sorted(used)}")
        return self

    @property
    def digest(self) -> str:
        """First 12 hex digits of a SHA-256 over all the model will be shown."""
        return hashlib.sha256(f"{self.system}\0{self.user}".encode()).hexdigest()[:12]

    @property
    def signature(self) -> str:
        """``id@version#digest``, for audits and cache keys."""
        return f"{self.id}@{self.version}#{self.digest}"

    def render(self, **values: str) -> tuple[str, str]:
        """Return ``(system, user)``. Placeholders inside the values are not filled in.

        Raises
        ------
        PromptError
            A value is missing, or is for no placeholder.
        """
        missing = set(self.placeholders) - values.keys()
        if missing:
            raise PromptError(f"prompt {self.id!r} is missing {', '.join(sorted(missing))}")
        unknown = values.keys() - set(self.placeholders)
        if unknown:
            raise PromptError(f"prompt {self.id!r} has no placeholder {', '.join(sorted(unknown))}")
        return string.Template(self.system).substitute(values), string.Template(self.user).substitute(values)


def available_prompts() -> tuple[str, ...]:
    """Return the ids of the prompts that come with metarag, sorted."""
    names = (entry.name for entry in resources.files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def load_prompt(id: str, folder: Path | str | None = None) -> Prompt:
    """Load and check a prompt.

    Parameters
    ----------
    id : str
        One of :func:`available_prompts`.
    folder : Path or str or None
        Of the user's own prompts: ``<id>.yaml`` in it is used instead of the one that comes with
        metarag. It needs the same placeholders and the same ``reply``.

    Raises
    ------
    PromptError
        There is no such prompt, the file cannot be read, or it is not a usable prompt. The message
        names the file and what to change.
    """
    known = available_prompts()
    if id not in known or not _ID.fullmatch(id):
        raise PromptError(f"no prompt is called {id!r}{suggest(id, known)}")
    shipped = _read(resources.files(__package__) / f"{id}.yaml", id)
    if folder is None:
        return shipped
    if not Path(folder).is_dir():
        raise PromptError(f"the prompt folder {folder} does not exist; make it, or leave the setting out")
    path = Path(folder) / f"{id}.yaml"
    if not path.is_file():
        return shipped
    own = _read(path, id)
    if set(own.placeholders) != set(shipped.placeholders):
        raise PromptError(f"prompt {path}: use exactly the placeholders {', '.join(shipped.placeholders)}")
    if own.reply != shipped.reply:
        raise PromptError(f"prompt {path}: reply must be {shipped.reply!r}, as the code reads that shape")
    return own


def _read(path: Traversable | Path, id: str) -> Prompt:
    try:
        values = parse_yaml(path.read_text(encoding="utf-8"))
        prompt = Prompt.model_validate(values)
    except ValidationError as error:
        found = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors())
        raise PromptError(f"prompt {path}: {found}") from error
    except (OSError, ValueError) as error:
        raise PromptError(f"prompt {path}: {' '.join(str(error).split())}") from error
    if prompt.id != id:
        raise PromptError(f"prompt {path}: the id is {prompt.id!r}, and must be {id!r} like the file's name")
    return prompt
