"""What the endpoints take, for the OpenAPI page; :mod:`metarag.server.rerank_wire` reads more leniently."""

from __future__ import annotations

from typing import Any, Final

_DOCUMENTS: Final[dict[str, Any]] = {
    "type": "array",
    "items": {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "description": "The text, and any of: pmid, doi, title, publication_types, mesh, year ...",
                "properties": {"text": {"type": "string"}},
                "additionalProperties": True,
            },
        ]
    },
}


def _body(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


RERANK_BODY: Final[dict[str, Any]] = _body(
    {
        "query": {"type": "string"},
        "documents": _DOCUMENTS,
        "texts": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Instead of documents, in TEI's shape; the answer is then a list.",
        },
        "top_n": {"type": "integer", "nullable": True, "description": "null or 0 for all"},
        "return_documents": {"type": "boolean", "default": False},
        "model": {"type": "string", "description": "Given back as it came"},
    },
    ["query"],
)
APPRAISE_BODY: Final[dict[str, Any]] = _body(
    {"question": {"type": "string"}, "documents": _DOCUMENTS}, ["documents"]
)
