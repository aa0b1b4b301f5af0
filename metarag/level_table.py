"""Levels of evidence in a table: what each grades, and which of them a design or a type has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo

from metarag.errors import suggest
from metarag.records import Frozen, PublicationType
from metarag.types import DesignFinding, QuestionKind, StudyDesign

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Label = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]{0,59}$")]

WITHOUT_RESULTS: Final[Mapping[StudyDesign, str]] = MappingProxyType(
    {
        StudyDesign.PROTOCOL: "a protocol has no results yet",
        StudyDesign.ERRATUM: "an erratum corrects another article and has no results of its own",
        StudyDesign.NOTICE: "a notice is about another article and has no results of its own",
        StudyDesign.UNKNOWN: "neither its indexing nor its text says what the design is",
    }
)
"""Designs that no hierarchy may grade, with the reason: no level is not the lowest level."""


def _level_id(value: object) -> object:
    """Take ``6`` for ``"6"``: a file need not quote the number of a level."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _gradable(value: object) -> object:
    if not isinstance(value, str):
        return value
    designs = [design.value for design in StudyDesign if design not in WITHOUT_RESULTS]
    if value in WITHOUT_RESULTS:
        raise ValueError(f"{value} cannot have a level: {WITHOUT_RESULTS[StudyDesign(value)]}")
    if value not in designs:
        raise ValueError(f"unknown design {value!r}{suggest(value, designs)}")
    return value


def _from_vocabulary(value: object, info: ValidationInfo) -> object:
    """Take a type by its name, in any case; the loader passes the vocabulary as the context."""
    if not isinstance(value, str):
        return value
    vocabulary: Mapping[str, ListedType] = info.context or {}
    if value.casefold() not in vocabulary:
        names = [listed.name for listed in vocabulary.values()]
        raise ValueError(
            f"unknown publication type {value!r}{suggest(value, names)};"
            " a new one is declared under publication_types at the top of the file"
        )
    return vocabulary[value.casefold()]


LevelId = Annotated[str, BeforeValidator(_level_id), Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$")]
GradableDesign = Annotated[StudyDesign, BeforeValidator(_gradable)]


class ListedType(Frozen):
    """A publication type of the vocabulary; ``ui`` is ``None`` where none was found."""

    name: Text
    ui: Annotated[str, Field(pattern=r"^D\d{6,9}$")] | None = None
    former_names: tuple[Text, ...] = ()

    def matches(self, given: PublicationType) -> bool:
        """True when it is the same type: by UI where both have one, else by name in any case."""
        if self.ui and given.ui:
            return self.ui == given.ui
        return given.name.casefold() in {name.casefold() for name in (self.name, *self.former_names)}


KnownType = Annotated[ListedType, BeforeValidator(_from_vocabulary)]


class Level(Frozen):
    """One level of a table.

    Attributes
    ----------
    id : str
        As the source numbers it: ``6``, ``III-2``.
    weight : float
        In (0, 1); the reliability of the level before any adjustment.
    publication_types, added_publication_types : tuple of ListedType
        Types that the source prints, and types placed here by us.
    designs : tuple of StudyDesign
        Designs that are graded here.
    labelled : dict of str to tuple of StudyDesign
        Designs that are graded here when the appraisal gave them this label, e.g. ``of_case_series``.
    """

    id: LevelId
    label: Text
    weight: float = Field(gt=0, lt=1, strict=True, allow_inf_nan=False)
    publication_types: tuple[KnownType, ...] = ()
    added_publication_types: tuple[KnownType, ...] = ()
    designs: tuple[GradableDesign, ...] = ()
    labelled: dict[Label, tuple[GradableDesign, ...]] = Field(default_factory=dict)

    def types(self, *, printed_only: bool) -> tuple[ListedType, ...]:
        """Return the source's own types, and ours unless ``printed_only``."""
        return (
            self.publication_types if printed_only else self.publication_types + self.added_publication_types
        )


class LevelTable(Frozen):
    """Levels for some kinds of question, strongest first.

    Attributes
    ----------
    kinds : tuple of QuestionKind
        Empty for all kinds.
    others : str or None
        Level of every publication type that the source does not print, where the source says so.
    """

    name: Text
    kinds: tuple[QuestionKind, ...] = ()
    others: LevelId | None = None
    levels: tuple[Level, ...] = Field(min_length=1)

    def position(self, finding: DesignFinding) -> int | None:
        """Return the index of the level for a design and its labels; the weakest of several labels."""
        labelled = [
            index
            for index, level in enumerate(self.levels)
            if any(finding.design in level.labelled.get(label, ()) for label in finding.labels)
        ]
        plain = [index for index, level in enumerate(self.levels) if finding.design in level.designs]
        return max(labelled, default=max(plain, default=None))

    def position_of_types(self, types: Iterable[PublicationType], *, printed_only: bool) -> int | None:
        """Return the index of the strongest level that any of the types has."""
        found = [self._position_of_type(given, printed_only=printed_only) for given in types]
        return min((index for index in found if index is not None), default=None)

    def _position_of_type(self, given: PublicationType, *, printed_only: bool) -> int | None:
        for index, level in enumerate(self.levels):
            if any(listed.matches(given) for listed in level.types(printed_only=printed_only)):
                return index
        if printed_only and self.others is not None:
            return next(index for index, level in enumerate(self.levels) if level.id == self.others)
        return None

    def gaps(self, index: int) -> tuple[float, float]:
        """Return the distances to the next stronger and the next weaker weight."""
        weight = self.levels[index].weight
        above = self.levels[index - 1].weight if index > 0 else 1.0
        below = self.levels[index + 1].weight if index + 1 < len(self.levels) else 0.0
        return above - weight, weight - below
