"""Words, and where they stand."""

from __future__ import annotations

from typing import Final, Self

from pydantic import Field, model_validator

from metarag.records import Frozen
from metarag.unchecked import unchecked


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

    @classmethod
    def cut(cls, where: str, text: str, start: int, end: int) -> Span:
        """Return the span of ``text[start:end]`` without validating it: for the readers of this package.

        An article has thirty. ``0 <= start <= end <= len(text)`` is the caller's care: places that a search in
        this very text gave.
        """
        values = {"where": where, "start": start, "end": end, "text": text[start:end]}
        return unchecked(cls, values, SPAN_FIELDS)


# Pydantic asks for a set that is not frozen; a copy of a span has a copy of it.
SPAN_FIELDS: Final = set(Span.model_fields)


class Pico(Frozen):
    """Population, intervention, comparator and outcome in words; ``None`` means not stated."""

    population: str | None = None
    intervention: str | None = None
    comparator: str | None = None
    outcome: str | None = None
