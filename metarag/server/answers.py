"""Answers that say what went wrong, in one shape."""

from __future__ import annotations

from starlette.responses import JSONResponse

from metarag.errors import MetaragError, RequestError
from metarag.report.plain import plain

_TYPES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    413: "too_large",
    421: "misdirected",
    422: "invalid_request",
    429: "too_many_requests",
    500: "internal_error",
    503: "overloaded",
}


def error_answer(error: MetaragError) -> JSONResponse:
    """Return ``{"error": {"message", "type"}}`` with the error's status; 422 for any other of our errors."""
    status = error.status if isinstance(error, RequestError) else 422
    headers = {}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if status in (429, 503):
        headers["retry-after"] = "2"
    body = {"error": {"message": plain(str(error)), "type": _TYPES.get(status, "error")}}
    return JSONResponse(body, status_code=status, headers=headers)
