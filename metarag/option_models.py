"""The base of what a user can set: a model in which true and false are no numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidatorFunctionWrapHandler, field_validator
from pydantic_core import PydanticCustomError

from metarag.records import Frozen

NO_NUMBER: Final = "expected a number, got true or false"

MAX_WEIGHT = 1e6
"""Only the proportions of weights count; a larger number is a slip, and its logarithms lose digits."""

Weight = Annotated[float, Field(ge=0, le=MAX_WEIGHT, allow_inf_nan=False)]
"""Weight of a term: a finite number of at least 0."""


class Options(Frozen):
    """Settings: frozen and strict, and no number is made of ``true``, however deep it stands."""

    @field_validator("*", mode="wrap")
    @classmethod
    def _numbers(cls, given: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        made = handler(given)
        if next(truths_for_numbers(given, made), None) is not None:
            raise PydanticCustomError("truth_for_number", NO_NUMBER)
        return made


def truths_for_numbers(given: object, made: object, inside: str = "") -> Iterator[str]:
    """Yield the names of numbers for which true or false was given: pydantic would take them for 1 and 0.

    Parameters
    ----------
    given : object
        What ``made`` was validated from.
    made : object
        What came of it; where nothing was changed, and in fields that it does not have, nothing is looked at,
        however much was given.
    inside : str
        Where it stands; parts follow behind a dot.
    """
    if given is made:
        return
    if isinstance(given, bool):
        if isinstance(made, (int, float)) and not isinstance(made, bool):
            yield inside
        return
    if isinstance(made, BaseModel):
        made = {field: getattr(made, field) for field in type(made).model_fields}
    if isinstance(given, Mapping) and isinstance(made, Mapping):
        parts = [(key, given[key], made[key]) for key in given if key in made]
    elif isinstance(given, (list, tuple)) and isinstance(made, (list, tuple)):
        parts = [(place, *pair) for place, pair in enumerate(zip(given, made, strict=False))]
    else:
        return
    for key, part, became in parts:
        yield from truths_for_numbers(part, became, f"{inside}.{key}" if inside else str(key))
