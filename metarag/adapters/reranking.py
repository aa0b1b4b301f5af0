"""Documents in, the same documents in a better order out: what every adapter does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from metarag.adapters.documents import Converted, GradedFrom, HostDocument, to_article
from metarag.adapters.enrichment import Enrich, records_of
from metarag.audit import Verdict
from metarag.config import Settings
from metarag.llm.base import ChatModel
from metarag.pipeline import Pipeline, Ranking
from metarag.presets import build_pipeline
from metarag.types import Evidence, Question, Retrieved

EXCLUDED_SCORE: Final = 0.0
"""Score of what a stage left out; its place is behind everything else."""
UNSCORED: Final = 0.005
"""Score where nothing could be assessed: below every assessed one (the least is 0.01), above the excluded."""
RESULT_KEY: Final = "metarag"
"""Where hosts keep what we add to a document's metadata."""

_NO_QUESTION: Final = "No question was given."
_NEEDS_A_QUESTION: Final = ("relevance", "extrapolation", "paper_extrapolation", "paper_heterogeneity")


@dataclass(frozen=True, slots=True)
class Reranked:
    """One document of the request in its new place.

    Attributes
    ----------
    index : int
        Its place in the request, from 0.
    score : float
        In [0, 1], absolute: it does not depend on the other documents (but for agreement between studies).
    result : dict
        Plain JSON: rank, score and its terms, level, design, what was excluded and why; see ``docs/plugins.md``.
    """

    index: int
    score: float
    result: dict[str, Any]

    @property
    def excluded(self) -> bool:
        """True when a stage left it out; it is still here, at the end."""
        return bool(self.result["excluded"])


class Reranker:
    """Ranks a host's documents for a question.

    Parameters
    ----------
    settings : mapping or None
        Fields of :class:`metarag.config.Settings`, e.g. ``{"preset": "paper"}``.
    top_n : int or None
        Documents to return, at least 1; ``None`` returns all.
    drop_excluded : bool
        Leave out what a stage excluded. By default nothing is lost: it comes last, with score 0 and flagged.
    enrich : callable or None
        Completes documents that have a PMID, in one call a request.
    model : ChatModel or None
        Adds to the rules; see :func:`metarag.llm.connect`.

    Raises
    ------
    ConfigurationError
        A setting is unknown or wrong.
    ValueError
        ``top_n`` is smaller than 1.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        top_n: int | None = None,
        drop_excluded: bool = False,
        enrich: Enrich | None = None,
        model: ChatModel | None = None,
    ) -> None:
        self.settings = _for_hosts(Settings.from_mapping(settings or {}))
        self.top_n = checked_top_n(top_n)
        self.drop_excluded = drop_excluded
        self.enrich = enrich
        self._collaborators: dict[str, object] = {"model": model} if model else {}
        self._pipeline = build_pipeline(self.settings, **self._collaborators)

    def rank(
        self, question: str | None, documents: Iterable[HostDocument], *, top_n: int | None = None
    ) -> list[Reranked]:
        """Return every document once, best first; the excluded ones last.

        Parameters
        ----------
        question : str or None
            ``None``, blank or without any word: ranked by what needs no question (eligibility, reliability,
            agreement).
        documents : iterable of HostDocument
            In the retriever's order, which decides ties. Equal ones stay apart, each with its score.
        top_n : int or None
            For this request; ``None`` takes the instance's.

        Raises
        ------
        QuestionError
            The question is longer than 20,000 characters, or no valid Unicode.
        """
        converted = [to_article(document) for document in documents]
        return self._rank(question, converted, top_n)[0]

    def rank_with_audit(
        self, question: str | None, documents: Iterable[HostDocument], *, top_n: int | None = None
    ) -> tuple[list[Reranked], Ranking | None]:
        """Return what :meth:`rank` returns and the ranking with its audit; ``None`` without any text."""
        return self._rank(question, [to_article(document) for document in documents], top_n)

    async def arank(
        self, question: str | None, documents: Iterable[HostDocument], *, top_n: int | None = None
    ) -> list[Reranked]:
        """Rank in a thread, so that an event loop goes on; bound to no loop."""
        return await asyncio.to_thread(self.rank, question, list(documents), top_n=top_n)

    def _rank(
        self, question: str | None, converted: Sequence[Converted], top_n: int | None
    ) -> tuple[list[Reranked], Ranking | None]:
        limit = self.top_n if top_n is None else checked_top_n(top_n)
        records, converted = records_of(converted, self.enrich)
        places = [index for index, record in enumerate(records) if record is not None]
        ranking = self._ranking(question, [record for record in records if record is not None])
        found = [] if ranking is None else _in_order(ranking, places, converted)
        found += [_blank(index) for index, record in enumerate(records) if record is None]
        if self.drop_excluded:
            found = [item for item in found if not item.excluded]
        for rank, item in enumerate(found, 1):
            item.result["rank"] = rank
        return found[:limit], ranking

    def _ranking(self, question: str | None, records: Sequence[Retrieved]) -> Ranking | None:
        if not records:
            return None
        if question is None or (isinstance(question, str) and not any(c.isalnum() for c in question)):
            return self._without_question().rank(Question(text=_NO_QUESTION), records)
        return self._pipeline.rank(question, records)

    def _without_question(self) -> Pipeline:
        needless = [name for name in self.settings.stage_names() if name in _NEEDS_A_QUESTION]
        without = (*self.settings.without, *needless)
        options = {k: v for k, v in self.settings.options.items() if k not in without}
        agreement = options.get("heterogeneity", {})
        if agreement.get("policy") == "paper":
            # Its stances are towards claims, and a claim needs a question; the effects need none.
            options["heterogeneity"] = agreement | {"policy": "flag"}
        settings = self.settings.model_copy(update={"without": without, "options": options})
        return build_pipeline(settings, **self._collaborators)


def checked_top_n(top_n: int | None) -> int | None:
    """Return ``top_n``.

    Raises
    ------
    ValueError
        It is no whole number, or smaller than 1.
    """
    if top_n is None:
        return None
    if not hasattr(top_n, "__index__") or top_n < 1:
        raise ValueError(f"top_n must be at least 1 and whole, or None for all; got {top_n!r}")
    return top_n


def _for_hosts(settings: Settings) -> Settings:
    """Keep repeats: a host's documents are passages, and several may be of one article.

    They still count once in a synthesis. Whoever wants them excluded says so in the options.
    """
    if "eligibility" not in settings.stage_names():
        return settings
    given = settings.options.get("eligibility", {})
    options = settings.options | {"eligibility": {"exclude_duplicates": False} | given}
    return settings.model_copy(update={"options": options})


def _in_order(ranking: Ranking, places: Sequence[int], converted: Sequence[Converted]) -> list[Reranked]:
    index_of = dict(zip(ranking.audit.identified, places, strict=True))
    why = {d.key: d for d in ranking.audit.decisions if d.verdict is Verdict.EXCLUDED}
    found = []
    for item in (*ranking.evidence, *ranking.excluded):
        index, excluding = index_of[item.key], why.get(item.key)
        score = UNSCORED if item.score is None else item.score
        source = converted[index]
        result = _result(item, source.graded_from, source.notes)
        result |= {"excluded": excluding is not None, "reason": excluding.reason if excluding else None}
        score = EXCLUDED_SCORE if excluding else score
        found.append(Reranked(index, score, {"rank": 0, "score": score} | result))
    return found


def _result(item: Evidence, graded_from: GradedFrom, notes: Sequence[str]) -> dict[str, Any]:
    appraisal = item.appraisal
    return {
        "relevance": item.relevance,
        "reliability": item.reliability,
        "consistency": item.consistency,
        "applicability": item.applicability,
        "level": item.level,
        "design": appraisal.design.design.value if appraisal else None,
        "retraction": appraisal.retraction.state.value if appraisal else None,
        "article_id": item.article.id,
        "graded_from": graded_from.value,
        "notes": list(notes),
    }


def _blank(index: int) -> Reranked:
    result = dict.fromkeys(("relevance", "reliability", "consistency", "applicability", "level", "design"))
    return Reranked(
        index,
        EXCLUDED_SCORE,
        {"rank": 0, "score": EXCLUDED_SCORE}
        | result
        | {
            "retraction": None,
            "article_id": None,
            "graded_from": GradedFrom.NOTHING.value,
            "notes": [],
            "excluded": True,
            "reason": "It has no text and no metadata to judge.",
        },
    )
