"""Requests and answers of ``/rerank``: the shapes of Cohere, Jina and TEI, read leniently, written strictly.

Clients differ in what they send (``top_n: null``, booleans as text, keys of their own) and in what they
accept; ``docs/plugins.md`` says which were tried. Only the keys below are read, all others are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from metarag.adapters.documents import HostDocument
from metarag.adapters.reranking import RESULT_KEY, Reranked
from metarag.errors import RequestError

DEFAULT_MODEL: Final = "metarag"
_TEXT_KEYS: Final = ("text", "content", "page_content", "passage")
_NESTED: Final = ("metadata", "meta")
_TRUE: Final = frozenset({"true", "1", "yes"})
_FALSE: Final = frozenset({"false", "0", "no", ""})


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """A request as it was meant.

    Attributes
    ----------
    top_n : int or None
        ``None`` for all.
    bare : bool
        True for TEI's shape (``texts``): the answer is a list.
    """

    query: str
    documents: tuple[HostDocument, ...]
    top_n: int | None
    return_documents: bool
    model: str
    bare: bool


def parse_json(body: bytes) -> Mapping[str, Any]:
    """Return the object of a request's body.

    Raises
    ------
    RequestError
        400: it is not UTF-8 JSON, too deeply nested, or no object.
    """
    try:
        content = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RequestError(400, f"the body is not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise RequestError(400, "the body is nested too deeply") from error
    except ValueError as error:
        raise RequestError(400, f"the body is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise RequestError(400, f"the body must be a JSON object, not {_kind(content)}")
    return content


def parse_rerank(content: Mapping[str, Any], *, max_documents: int) -> RerankRequest:
    """Return what is asked.

    Raises
    ------
    RequestError
        422: a value is missing or of a wrong type; the message names it.
    """
    bare = "documents" not in content and "texts" in content
    return_key = "return_text" if bare else "return_documents"
    return RerankRequest(
        query=parse_query(content),
        documents=parse_documents(content, max_documents=max_documents),
        top_n=_top_n(content),
        return_documents=_boolean(content, return_key),
        model=content["model"] if isinstance(content.get("model"), str) else DEFAULT_MODEL,
        bare=bare,
    )


def parse_query(content: Mapping[str, Any], *, key: str = "query") -> str:
    """Return the question, which may be empty.

    Raises
    ------
    RequestError
        422: it is missing or no text.
    """
    query = content.get(key)
    if not isinstance(query, str):
        what = f"is {_kind(query)}" if key in content else "is missing"
        raise RequestError(422, f"{key!r} {what}; it must be text")
    return query


def parse_documents(content: Mapping[str, Any], *, max_documents: int) -> tuple[HostDocument, ...]:
    """Return the documents: text, or objects with ``text`` and whatever is known of it.

    Raises
    ------
    RequestError
        413: there are too many; 422: they are missing, no list, or one is neither text nor object.
    """
    key = "documents" if "documents" in content or "texts" not in content else "texts"
    given = content.get(key)
    if not isinstance(given, list):
        what = f"is {_kind(given)}" if key in content else "is missing"
        raise RequestError(422, f"{key!r} {what}; it must be a list of texts or objects")
    if len(given) > max_documents:
        raise RequestError(413, f"{len(given):,} documents are too many; at most {max_documents:,} are taken")
    return tuple(_document(item, f"{key}[{index}]") for index, item in enumerate(given))


def rerank_answer(
    request: RerankRequest, found: Sequence[Reranked], *, request_id: str
) -> dict[str, Any] | list[dict[str, Any]]:
    """Return the answer's body; ``document`` is there only when it was asked for, and never null."""
    texts = [_sendable(document.text or "") for document in request.documents]
    if request.bare:
        return [
            {"index": r.index, "score": r.score}
            | ({"text": texts[r.index]} if request.return_documents else {})
            for r in found
        ]
    results = [
        {"index": r.index, "relevance_score": r.score, RESULT_KEY: r.result}
        | ({"document": {"text": texts[r.index]}} if request.return_documents else {})
        for r in found
    ]
    return {
        "id": request_id,
        "model": _sendable(request.model),
        "results": results,
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
        "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 0}},
    }


def _sendable(text: str) -> str:
    """Return a text with U+FFFD for each half of a pair that JSON may hold by its number, and UTF-8 cannot."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _document(item: object, where: str) -> HostDocument:
    if isinstance(item, str):
        return HostDocument(item)
    if not isinstance(item, dict):
        raise RequestError(422, f"{where} is {_kind(item)}; it must be text or an object with 'text'")
    metadata = dict(item)
    text = next((metadata.pop(key) for key in _TEXT_KEYS if isinstance(metadata.get(key), str)), None)
    for key in _NESTED:
        nested = metadata.pop(key, None)
        if isinstance(nested, dict):
            metadata = nested | metadata
    if text is None and not metadata:
        raise RequestError(422, f"{where} has neither 'text' nor anything else to judge")
    return HostDocument(text, metadata)


def _top_n(content: Mapping[str, Any]) -> int | None:
    key = "top_n" if content.get("top_n") is not None else "top_k"
    value = content.get(key)
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 12:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or (value == 0 and not isinstance(value, bool)):
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestError(422, f"{key!r} is {_kind(value)}; it must be a whole number")
    if value < 0:
        raise RequestError(422, f"{key!r} is {value}; it must be 0 (all) or more")
    return value


def _boolean(content: Mapping[str, Any], key: str) -> bool:
    value = content.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    folded = str(value).strip().casefold()
    if folded in _TRUE | _FALSE:
        return folded in _TRUE
    raise RequestError(422, f"{key!r} is {_kind(value)}; it must be true or false")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list"}
    return kinds.get(type(value), "an object")
