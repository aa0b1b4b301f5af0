"""Chooses an option of a multiple-choice question, closed book or from ranked evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from metarag.choices.parser import parse_answer
from metarag.choices.probabilities import LetterProbabilities, letter_probabilities
from metarag.errors import QuestionError
from metarag.generation.base import Answer, AnswerSentence
from metarag.generation.citation_check import check_citations
from metarag.generation.multiple_choice_evidence import ShownEvidence, shown_evidence
from metarag.generation.multiple_choice_options import (
    Choice,
    ChoiceOutcome,
    MultipleChoiceOptions,
    is_unsure,
)
from metarag.generation.usage import token_use
from metarag.llm.asking import ask
from metarag.llm.base import ChatModel, ChatReply, ChatRequest, Failure
from metarag.llm.prompting import prepare_prose
from metarag.pipeline import Ranking
from metarag.prompts import Prompt, load_prompt
from metarag.types import Question

TOP_LOGPROBS = 20
"""The most that servers give; a letter that is not among the 20 likeliest tokens was not meant."""
_DECLINED = (Failure.REFUSED, Failure.FILTERED)
_UNUSABLE = (Failure.TRUNCATED, Failure.EMPTY, Failure.MALFORMED, Failure.SCHEMA)
_NOTHING = "There is no evidence that may be shown, so nothing was asked."


class MultipleChoiceGenerator:
    """Lets a model choose one of the question's options. What cannot be read is no answer.

    Parameters
    ----------
    model : ChatModel
        Chooses; one call a question.
    options : MultipleChoiceOptions or None
        ``None`` takes the defaults.
    prompts : mapping of str to Prompt, or None
        By id (``choice_reasoned``, ``choice_direct``, each also with ``_closed``), instead of those that come
        with metarag; the same placeholders. Replies in JSON with a key like ``answer`` are read too.

    Notes
    -----
    Question, options and articles are data in the prompt: delimited, without invisible text. Excluded and
    retracted articles never reach it. An option's text never enters a search, because this takes a ranking.
    """

    name = "multiple_choice"

    def __init__(
        self,
        model: ChatModel,
        options: MultipleChoiceOptions | None = None,
        *,
        prompts: Mapping[str, Prompt] | None = None,
    ) -> None:
        self.model = model
        self.options = options or MultipleChoiceOptions()
        self._prompts = dict(prompts or {})

    def generate(self, question: Question, ranking: Ranking) -> Answer:
        """Return the choice as an answer; it abstains where no option was chosen.

        Raises
        ------
        QuestionError
            The question has no options.
        """
        shown = self._shown(ranking)
        choice = self._choose(question, shown)
        return _answer(question, ranking, shown, choice, name=self.name)

    def choose(self, question: Question, ranking: Ranking) -> Choice:
        """Return the choice with all that is known of it: outcome, probabilities, cost.

        Raises
        ------
        QuestionError
            The question has no options.
        """
        return self._choose(question, self._shown(ranking))

    def _shown(self, ranking: Ranking) -> ShownEvidence:
        if self.options.closed_book:
            return ShownEvidence()
        return shown_evidence(ranking, top_n=self.options.top_n, max_characters=self.options.max_characters)

    def _choose(self, question: Question, shown: ShownEvidence) -> Choice:
        if not question.options:
            raise QuestionError("the question has no options to choose from; give it options={'A': ..., ...}")
        closed = self.options.closed_book
        if not (shown.items or closed):
            if self.options.without_evidence == "abstain":
                return Choice(outcome=ChoiceOutcome.NO_EVIDENCE, reason=_NOTHING, warnings=shown.warnings)
            closed = True
        request, prompt = self._request(question, shown, closed_book=closed)
        reply = ask(self.model, request)
        choice = self._read(reply, question)
        unsure = choice.letter is not None and is_unsure(question.options[choice.letter])
        counts: Counter[str] = Counter(unsure=int(unsure))
        citations: tuple[str, ...] = ()
        if reply.text and shown.items:
            checked = check_citations(reply.text, shown.known)
            citations = tuple(dict.fromkeys(c for s in checked.sentences for c in s.citations))
            counts["invented_citations"] = checked.counts["invented_citations"]
        return choice.model_copy(
            update={
                "shown": tuple(item.key for item in shown.items),
                "citations": citations,
                "unsure": unsure,
                "counts": dict(+counts),
                "text": reply.text,
                "prompts": {f"{prompt.id}@{prompt.version}": prompt.digest},
                "usage": token_use(self.model.model, [reply], self.options.prices),
                "attempts": 0 if reply.cached else reply.attempts,
                "seconds": reply.latency,
                "warnings": (*shown.warnings, *choice.warnings),
            }
        )

    def _request(
        self, question: Question, shown: ShownEvidence, *, closed_book: bool
    ) -> tuple[ChatRequest, Prompt]:
        options = self.options
        name = options.prompt_id(closed_book=closed_book)
        prompt = self._prompts.get(name) or load_prompt(name)
        listed = "\n".join(f"{label}. {text}" for label, text in question.options.items())
        request = prepare_prose(
            prompt,
            {"question": question.text, "options": listed},
            composed={} if closed_book else {"evidence": shown.text},
            max_tokens=options.max_tokens,
            temperature=options.temperature,
        )
        top = TOP_LOGPROBS if options.by == "logprobs" else 0
        return request.model_copy(update={"seed": options.seed, "top_logprobs": top}), prompt

    def _read(self, reply: ChatReply, question: Question) -> Choice:
        if reply.failure is not None:
            return _failed(reply)
        if self.options.by == "logprobs":
            found = letter_probabilities(reply.first_token, question.options)
            if found and found.mass >= self.options.min_letter_mass:
                return _by_probability(found)
            why = "too little of it falls on letters" if found else "the server gives none for letters"
            note = (f"the letter was read from the text and not from the first token's probabilities: {why}",)
            return _by_text(reply, question).model_copy(update={"warnings": note})
        return _by_text(reply, question)


def _by_text(reply: ChatReply, question: Question) -> Choice:
    read = parse_answer(reply.text, question.options)
    outcome = ChoiceOutcome.ANSWERED
    if read.letter is None:
        outcome = ChoiceOutcome.REFUSED if read.refused else ChoiceOutcome.UNREADABLE
    return Choice(
        letter=read.letter, outcome=outcome, method=read.method, reason=read.reason, conflict=read.conflict
    )


def _by_probability(found: LetterProbabilities) -> Choice:
    letter = found.best
    reason = "It is the likeliest first token." if letter else "Two letters are equally likely."
    return Choice(
        letter=letter,
        outcome=ChoiceOutcome.ANSWERED if letter else ChoiceOutcome.UNREADABLE,
        method="logprobs",
        reason=reason,
        probabilities=found.shares,
        letter_mass=found.mass,
    )


def _failed(reply: ChatReply) -> Choice:
    outcome = ChoiceOutcome.ERROR
    if reply.failure in _DECLINED:
        outcome = ChoiceOutcome.REFUSED
    elif reply.failure in _UNUSABLE:
        outcome = ChoiceOutcome.UNREADABLE
    failure = reply.failure.value if reply.failure else None
    return Choice(outcome=outcome, failure=failure, reason=f"The call failed: {reply.message}")


def _answer(
    question: Question, ranking: Ranking, shown: ShownEvidence, choice: Choice, *, name: str
) -> Answer:
    text = (
        f"{choice.letter}: {question.options[choice.letter]}"
        if choice.letter
        else f"No option was chosen: {choice.reason}"
    )
    return Answer(
        text=text,
        choice=choice.letter,
        citations=choice.citations,
        sentences=(AnswerSentence(text=text, citations=choice.citations),),
        abstained=choice.letter is None,
        generator=name,
        warnings=choice.warnings,
        question=question,
        raw=choice.text,
        sources=shown.sources,
        counts=choice.counts,
        prompts=choice.prompts,
        usage=(choice.usage,) if choice.usage else (),
        degraded=choice.outcome is ChoiceOutcome.ERROR,
        ranking=ranking,
    )
