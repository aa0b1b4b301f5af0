"""Stances by a language model: one call an article and claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from metarag.audit import Basis
from metarag.llm.base import ChatModel
from metarag.llm.judgements import read_stance
from metarag.model_judging import MAX_FAILED_SHARE, Inquiry, Panel, Round, texts_of
from metarag.paper_method import Stance
from metarag.prompts import Prompt
from metarag.stances import Claim, JudgedStances, StanceFinding, StanceJudge
from metarag.types import Evidence, Question

_STAGE = "stances"
_SILENT = "The article says nothing of the claim."


class ModelStanceJudge:
    """Asks a model whether an article supports a claim, opposes it, or says nothing of it.

    For a pair whose call failed, whose quote is not in the article, or whose article's text tries to instruct
    a model, the rules' finding stands; without rules, or where they find nothing, it was not assessed.

    Parameters
    ----------
    model : ChatModel
        Answers.
    prompt : Prompt or None
        ``None`` is the ``stance`` prompt that comes with metarag.
    rules : StanceJudge or None
        Judges where the model gave no answer that can be used.
    max_failed_share : float
        Share of the calls that may fail before the run is said to be degraded, in [0, 1].
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        prompt: Prompt | None = None,
        rules: StanceJudge | None = None,
        max_failed_share: float = MAX_FAILED_SHARE,
    ) -> None:
        if not 0 <= max_failed_share <= 1:
            raise ValueError(f"max_failed_share must be in [0, 1], got {max_failed_share}")
        self.panel = Panel(model, prompt or "stance")
        self.rules = rules
        self.max_failed_share = max_failed_share

    @property
    def model_asked(self) -> str:
        """The name the model is asked for by."""
        return self.panel.model.model

    @property
    def prompts(self) -> dict[str, str]:
        """The prompt's name and digest."""
        return self.panel.prompts

    def judge(
        self, question: Question, claims: Sequence[Claim], evidence: Sequence[Evidence]
    ) -> JudgedStances:
        """Return the findings by claim id and evidence key, with what went wrong."""
        told = self.panel.ask(
            [
                Inquiry(item, {"claim": claim.text, **texts_of(item.article)}, about=claim.id)
                for claim in claims
                for item in evidence
            ]
        )
        ruled = self.rules.judge(question, claims, evidence) if self.rules else {}
        found = dict(ruled) | {
            (claim.id, item.key): finding
            for claim in claims
            for item in evidence
            if (finding := _finding(item, claim, told))
        }
        shown = {item.key: told.shown(item.key, *(claim.id for claim in claims)) for item in evidence}
        return JudgedStances(
            found,
            measurements={key: notes for key, notes in shown.items() if notes},
            warnings=told.warnings(_STAGE, max_failed_share=self.max_failed_share),
            model_use=told.use(max_failed_share=self.max_failed_share),
        )


def _finding(item: Evidence, claim: Claim, told: Round) -> StanceFinding | None:
    reply = told.usable(item.key, claim.id)
    said = read_stance(reply, item.article) if reply else None
    if said is None or said.answer not in get_args(Stance):
        return None
    return StanceFinding(
        stance=cast("Stance", said.answer),
        basis=Basis.MODEL,
        reason=f"A model reads “{' '.join(said.span.text.split())}”." if said.span else _SILENT,
        span=said.span,
        prompt=told.prompt,
    )
