"""Rank medical evidence by how far it can be trusted for a question, and show why.

>>> from metarag import Article, rank
>>> ranking = rank("Does aspirin prevent stroke?", [Article(title="Aspirin and stroke")])
>>> ranking[0].article.title
'Aspirin and stroke'

Names are loaded when they are first used, so that ``import metarag`` stays cheap in a host application.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from metarag._version import __version__

if TYPE_CHECKING:
    from metarag.appraisal import appraise
    from metarag.audit import AuditTrail, Decision, StageReport, Verdict
    from metarag.config import Settings
    from metarag.errors import MetaragError
    from metarag.generation.base import Answer
    from metarag.pipeline import Pipeline, Ranking
    from metarag.presets import build_pipeline, rank
    from metarag.rag import MetaRag
    from metarag.records import Article
    from metarag.types import Appraisal, Evidence, Pico, Question, Retrieved

_HOMES = {
    "Answer": "metarag.generation.base",
    "Appraisal": "metarag.types",
    "Article": "metarag.records",
    "AuditTrail": "metarag.audit",
    "Decision": "metarag.audit",
    "Evidence": "metarag.types",
    "MetaRag": "metarag.rag",
    "MetaragError": "metarag.errors",
    "Pico": "metarag.types",
    "Pipeline": "metarag.pipeline",
    "Question": "metarag.types",
    "Ranking": "metarag.pipeline",
    "Retrieved": "metarag.types",
    "Settings": "metarag.config",
    "StageReport": "metarag.audit",
    "Verdict": "metarag.audit",
    "appraise": "metarag.appraisal",
    "build_pipeline": "metarag.presets",
    "rank": "metarag.presets",
}

__all__ = [
    "Answer",
    "Appraisal",
    "Article",
    "AuditTrail",
    "Decision",
    "Evidence",
    "MetaRag",
    "MetaragError",
    "Pico",
    "Pipeline",
    "Question",
    "Ranking",
    "Retrieved",
    "Settings",
    "StageReport",
    "Verdict",
    "__version__",
    "appraise",
    "build_pipeline",
    "rank",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'metarag' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
