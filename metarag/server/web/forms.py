"""Forms as browsers send them, read within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from metarag.errors import RequestError

FACETS: Final[Mapping[str, str]] = {
    "population": "Patients or problem",
    "intervention": "Intervention",
    "comparator": "Compared with",
    "outcome": "Outcome",
}
"""Facet to its words on a page."""
_MAX_FIELDS: Final = 2_000
_MAX_VALUE: Final = 20_000
"""Characters of a field: as many as a question may have."""


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form, in order; a name may occur several times."""

    fields: Sequence[tuple[str, str]]

    def one(self, name: str, default: str = "") -> str:
        """Return the first value of a field, without blanks around it."""
        return next((value.strip() for key, value in self.fields if key == name), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Return all values of a field."""
        return tuple(value for key, value in self.fields if key == name)

    def facets(self) -> dict[str, str]:
        """Return the facets of the question as they were written."""
        return {name: self.one(f"pico_{name}") for name in FACETS}


def parse_form(body: bytes) -> Form:
    """Return the fields of a form in UTF-8.

    Raises
    ------
    RequestError
        400: it is no form; 413: it has too many fields, or one of them is too long.
    """
    try:
        fields = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict"
        )
    except UnicodeDecodeError as error:
        raise RequestError(400, "the form is not UTF-8") from error
    except ValueError as error:
        raise RequestError(413, f"the form has more than {_MAX_FIELDS:,} fields") from error
    for name, value in fields:
        if len(value) > _MAX_VALUE:
            raise RequestError(
                413,
                f"{name[:40]!r} has {len(value):,} characters; at most {_MAX_VALUE:,} are taken. Go back and shorten"
                " it: a question is a sentence or a case, not a document",
            )
    return Form(fields)
