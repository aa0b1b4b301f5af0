"""Frozen models of values that were checked before: what a ranking makes by the ten thousand."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)
_set = object.__setattr__


def unchecked(model: type[Model], values: dict[str, Any], given: set[str]) -> Model:  # of any model
    """Return a model with these values, as they are.

    As pydantic's ``model_construct``, without its search for defaults and aliases, which costs more than
    validating. Only for values that were validated, or that code of this package made, whose types are
    checked before it runs; never for what comes from outside.

    Parameters
    ----------
    model : type of BaseModel
        Without private attributes.
    values : dict
        A value for each field; the model keeps the dictionary.
    given : set of str
        What the model says was set; kept too, so that one set serves all models of a kind.
    """
    made = model.__new__(model)
    _set(made, "__dict__", values)
    _set(made, "__pydantic_fields_set__", given)
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made
