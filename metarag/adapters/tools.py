"""A plain function for agents (pydantic-ai, OpenAI agents, MCP): closed types in, one closed type out.

>>> from metarag.adapters.tools import rank_evidence
>>> rank_evidence("Does aspirin prevent stroke?", ["Aspirin and stroke: a case report."]).results[0].index
0
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from metarag.adapters.documents import HostDocument
from metarag.adapters.reranking import Reranker


class RankedDocument(BaseModel):
    """A document in its new place."""

    model_config = ConfigDict(extra="forbid")

    index: int = Field(description="Place in the request, from 0")
    score: float = Field(ge=0, le=1, description="How far it can be trusted for the question")
    design: str | None = Field(description="Kind of study, as far as its text tells")
    excluded: bool = Field(description="True for what should not be used, e.g. retracted articles")
    reason: str | None = Field(description="Why it is excluded")


class RankedDocuments(BaseModel):
    """All documents of the request, best first."""

    model_config = ConfigDict(extra="forbid")

    results: list[RankedDocument]


def rank_evidence(question: str, documents: list[str], top_n: int | None = None) -> RankedDocuments:
    """Rank texts of medical articles by how far they can be trusted for a clinical question.

    Parameters
    ----------
    question : str
        The clinical question in words.
    documents : list of str
        Titles and abstracts, one article each.
    top_n : int or None
        How many to return; null for all.
    """
    found = Reranker(top_n=top_n).rank(question, [HostDocument(text) for text in documents])
    return RankedDocuments(
        results=[
            RankedDocument(
                index=item.index,
                score=item.score,
                design=item.result["design"],
                excluded=item.excluded,
                reason=item.result["reason"],
            )
            for item in found
        ]
    )
