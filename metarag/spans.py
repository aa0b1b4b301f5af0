"""Words, and where they stand."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from metarag.records import Frozen


class Span(Frozen):
    """Where a value was read: ``where`` is ``title``, ``abstract``, ``text`` or ``mesh`` ...

    ``start`` and ``end`` (exclusive) index that string in characters; ``text`` is the slice itself.
    """

    where: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str

    @model_validator(mode="after")
    def _length_fits(self) -> Self:
        if self.end - self.start != len(self.text):
            raise ValueError(f"span {self.start}:{self.end} does not have the length of {self.text!r}")
        return self


class Pico(Frozen):
    """Population, intervention, comparator and outcome in words; ``None`` means not stated."""

    population: str | None = None
    intervention: str | None = None
    comparator: str | None = None
    outcome: str | None = None
