"""Frozen models of values that were checked before: what a ranking makes by the ten thousand."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)
_new = object.__new__
# The setters of the slots themselves: looking a slot up by its name each time takes as long again.
_set_values, _set_given, _set_extra, _set_private = (
    BaseModel.__dict__[slot].__set__
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


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
    made = _new(model)
    _set_values(made, values)
    _set_given(made, given)
    _set_extra(made, None)
    _set_private(made, None)
    return made
