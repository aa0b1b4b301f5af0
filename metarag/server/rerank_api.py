"""The endpoints that other programs call: ``/rerank`` in three shapes, and ``/v1/appraise``."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from metarag._version import __version__
from metarag.adapters.reranking import Reranker
from metarag.server.metrics import Metrics
from metarag.server.options import ServerOptions
from metarag.server.rerank_wire import (
    parse_documents,
    parse_json,
    parse_query,
    parse_rerank,
    rerank_answer,
)
from metarag.server.schemas import APPRAISE_BODY, RERANK_BODY
from metarag.server.workers import Workers

RERANK_PATHS: Final = ("/rerank", "/v1/rerank", "/v2/rerank")
OTHER_PATHS: Final = ("/v1/appraise", "/healthz", "/metrics", "/openapi.json")


def is_endpoint(path: str) -> bool:
    """Tell whether a path is for programs, which read JSON, and not a page."""
    return path in RERANK_PATHS or path in OTHER_PATHS


def rerank_router(options: ServerOptions, workers: Workers, metrics: Metrics) -> APIRouter:
    """Return the endpoints, with one reranker for all requests.

    Raises
    ------
    ConfigurationError
        A setting is unknown or wrong.
    """
    router = APIRouter()
    reranker = Reranker(options.settings)

    async def rerank(request: Request) -> Response:
        began = perf_counter()
        asked = parse_rerank(parse_json(await request.body()), max_documents=options.max_documents)
        found = await workers.run(reranker.rank, asked.query, asked.documents, top_n=asked.top_n)
        metrics.count(request.url.path, 200, documents=len(asked.documents), seconds=perf_counter() - began)
        return JSONResponse(rerank_answer(asked, found, request_id=str(uuid4())))

    for path in RERANK_PATHS:
        router.add_api_route(
            path,
            rerank,
            methods=["POST"],
            summary="Rank documents by how far they can be trusted for the query",
            openapi_extra=RERANK_BODY,
        )

    @router.post("/v1/appraise", summary="Rank, with every decision", openapi_extra=APPRAISE_BODY)
    async def appraise(request: Request) -> Response:
        began = perf_counter()
        content = parse_json(await request.body())
        documents = parse_documents(content, max_documents=options.max_documents)
        query = parse_query(content, key="question") if "question" in content else None
        answer = await workers.run(_appraised, reranker, query, documents)
        metrics.count("/v1/appraise", 200, documents=len(documents), seconds=perf_counter() - began)
        return JSONResponse(answer)

    @router.get("/healthz", summary="Is the server up?")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @router.get("/metrics", summary="Counters for Prometheus", response_class=PlainTextResponse)
    async def counters() -> str:
        return metrics.text(waiting=workers.inside)

    return router


def _appraised(reranker: Reranker, question: str | None, documents: Any) -> dict[str, Any]:
    found, ranking = reranker.rank_with_audit(question, documents)
    # A ranking out of which everything was left is empty, and yet has its audit.
    judged = () if ranking is None else (*ranking.evidence, *ranking.excluded)
    return {
        "results": [{"index": item.index, "score": item.score} | item.result for item in found],
        "appraisals": {i.key: i.appraisal.model_dump(mode="json") for i in judged if i.appraisal},
        "audit": None if ranking is None else ranking.audit.model_dump(mode="json"),
    }
