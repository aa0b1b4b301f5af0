"""Says which fields of a record do not fit, without quoting them."""

from __future__ import annotations

from pydantic import ValidationError


def faults_of(error: ValidationError) -> str:
    """Return the fields that were refused and the kind of fault; never their values."""
    faults = sorted({f"{'.'.join(map(str, e['loc'])) or 'record'} ({e['type']})" for e in error.errors()})
    return f"its fields do not fit: {', '.join(faults[:5])}"
