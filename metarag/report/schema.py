"""The JSON Schema of a run file, so that other programs can read and check it."""

from __future__ import annotations

import json
from typing import Any, Final

from metarag.runs import SCHEMA, RunRecord

PUBLISHED: Final = "run_schema.json"
"""Its name under ``data/``."""


def run_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the run file that this version writes.

    ``$id`` holds the version of the format, which is ``schema_id`` in each file.
    """
    made = RunRecord.model_json_schema(mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:metarag:{SCHEMA}"}
    return head | made


def render_schema() -> str:
    """Return the schema as JSON text, as it is published in ``data/run_schema.json``."""
    return json.dumps(run_schema(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
