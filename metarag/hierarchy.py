"""Hierarchies of evidence, and the level that an article's design has in one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from metarag.design_words import design_words, finding_words
from metarag.errors import EvidenceLevelsError, suggest
from metarag.level_table import WITHOUT_RESULTS, LevelTable, ListedType, Text
from metarag.records import Frozen, PublicationType
from metarag.types import DesignFinding, QuestionKind


class LevelSource(Frozen):
    """Where a hierarchy was published."""

    title: Text
    authors: Text | None = None
    year: int = Field(ge=1900, le=2100, strict=True)
    where: Text


class LevelGrade(Frozen):
    """The level that an article was given.

    Attributes
    ----------
    level : str
        Id within the table.
    weight : float
        In (0, 1).
    gap_above, gap_below : float
        Distance to the weight of the next stronger and next weaker level, > 0; to 1 and 0 at the ends.
    why : str
        What placed it there, in words.
    note : str or None
        Set when a table for other questions had to be used.
    """

    hierarchy: str
    table: str
    level: str
    label: str
    weight: float
    gap_above: float
    gap_below: float
    why: str
    note: str | None = None

    @property
    def id(self) -> str:
        """Name of the level everywhere, e.g. ``metarag-2025:6``."""
        return f"{self.hierarchy}:{self.level}"


class Hierarchy(Frozen):
    """A hierarchy of evidence with its source.

    Attributes
    ----------
    from_source, ours : str or None
        What the source says, and what the maker of the file decided.
    tables : tuple of LevelTable
        The first serves every kind of question that no table names.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,59}$")]
    title: Text
    sources: tuple[LevelSource, ...] = Field(min_length=1)
    from_source: Text | None = None
    ours: Text | None = None
    tables: tuple[LevelTable, ...] = Field(min_length=1)

    def table_for(self, kind: QuestionKind | None) -> LevelTable:
        """Return the table that serves a kind of question."""
        return next((table for table in self.tables if kind in table.kinds), self.tables[0])

    def level_for(self, finding: DesignFinding, kind: QuestionKind | None = None) -> LevelGrade | None:
        """Return the level of a design for a kind of question.

        Labels of the finding refine it: a systematic review with ``of_case_series`` stands below the
        trials. ``None`` when the design has no level; :meth:`why_no_level` says why.
        """
        table = self.table_for(kind)
        index = table.position(finding)
        if index is None:
            return None
        return self._grade(table, index, kind, finding_words(finding))

    def why_no_level(self, finding: DesignFinding, kind: QuestionKind | None = None) -> str:
        """Return why :meth:`level_for` gave no level, as a phrase without a full stop."""
        if finding.design in WITHOUT_RESULTS:
            return WITHOUT_RESULTS[finding.design]
        table = self.table_for(kind)
        where = f"{self.name} ({table.name})" if len(self.tables) > 1 else self.name
        return f"{where} does not say where a {design_words(finding.design)} stands"

    def level_for_types(
        self,
        publication_types: Iterable[PublicationType],
        kind: QuestionKind | None = None,
        *,
        printed_only: bool = False,
    ) -> LevelGrade | None:
        """Return the strongest level of any publication type: the rule of arXiv:2510.24003, Figure 4.

        Parameters
        ----------
        printed_only : bool
            Use only the types that the source prints, with its level for all others (``1`` in the
            paper). Otherwise our additions count too, and an unlisted type says nothing.

        Returns
        -------
        LevelGrade or None
            ``None`` when there is no type that says anything.
        """
        types = tuple(publication_types)
        table = self.table_for(kind)
        index = table.position_of_types(types, printed_only=printed_only)
        if index is None:
            return None
        names = ", ".join(sorted(given.name for given in types))
        return self._grade(table, index, kind, f"Publication types {names}")

    def _grade(self, table: LevelTable, index: int, kind: QuestionKind | None, why: str) -> LevelGrade:
        level = table.levels[index]
        above, below = table.gaps(index)
        return LevelGrade(
            hierarchy=self.name,
            table=table.name,
            level=level.id,
            label=level.label,
            weight=level.weight,
            gap_above=above,
            gap_below=below,
            why=why,
            note=None if kind is None or not table.kinds or kind in table.kinds else self._note(table),
        )

    def _note(self, table: LevelTable) -> str:
        return f"{self.name} has no table for this kind of question, so its {table.name} table is used"


class Hierarchies(Frozen):
    """All hierarchies of one file, by name."""

    version: Literal[1] = 1
    publication_types: tuple[ListedType, ...] = ()
    hierarchies: dict[str, Hierarchy] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _names_are_keys(cls, data: Any) -> Any:  # whatever the file holds
        """Give each hierarchy the key it stands under as its name."""
        if not isinstance(data, dict) or not isinstance(data.get("hierarchies"), dict):
            return data
        named = {
            name: {**body, "name": name} if isinstance(body, dict) and "name" not in body else body
            for name, body in data["hierarchies"].items()
        }
        return {**data, "hierarchies": named}

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        for key, hierarchy in self.hierarchies.items():
            if hierarchy.name != key:
                raise ValueError(f"hierarchy {key!r} calls itself {hierarchy.name!r}; leave its name out")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Names, as they stand in the file."""
        return tuple(self.hierarchies)

    def get(self, name: str) -> Hierarchy:
        """Return a hierarchy.

        Raises
        ------
        EvidenceLevelsError
            There is none of that name; the message holds the closest one.
        """
        if name not in self.hierarchies:
            raise EvidenceLevelsError(
                f"no hierarchy of evidence is called {name!r}{suggest(name, self.names)}"
            )
        return self.hierarchies[name]

    @cached_property
    def digest(self) -> str:
        """First 12 hex digits of the SHA-256 of the content, whatever its layout or comments."""
        content = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(content.encode("ascii")).hexdigest()[:12]
