"""An answer that a language model writes from the selected evidence, and that code checks and completes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metarag.generation.answer_warnings import warnings_of
from metarag.generation.base import Answer, AnswerSentence, Generator
from metarag.generation.citations import citation_of
from metarag.generation.direction_check import DirectionCheck
from metarag.generation.extractive import ExtractiveGenerator, abstention
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.grounded_prompts import PromptSet
from metarag.generation.grounded_texts import SideText, Writing
from metarag.generation.material import Material, gather
from metarag.generation.model_text import Checked, completed, refuses, rendered
from metarag.generation.references import references_of
from metarag.generation.sentence_support import check_support
from metarag.generation.usage import token_use
from metarag.llm.asking import ask_all, ask_streaming
from metarag.llm.base import ChatModel, ChatReply, ChatRequest
from metarag.llm.streaming import OnText
from metarag.pipeline import Ranking
from metarag.types import Question


class GroundedGenerator:
    """Lets a model answer from the sources it is given, and from nothing else.

    Parameters
    ----------
    model : ChatModel
        Writes.
    options : GroundedOptions or None
        ``None`` takes the defaults.
    prompts : PromptSet or None
        ``None`` takes those that come with metarag.
    fallback : Generator or None
        Answers when the model does not, or cites nothing it was given; ``None`` is the extractive one.
    on_text : callable or None
        Takes the checked part of the answer while it is being written: each call replaces the one before,
        and the last has the final text. It runs in the caller's thread.

    Notes
    -----
    Without sources nothing is asked. Citations of anything but the sources are removed and counted; a
    sentence that is left without one, or has numbers that its sources do not have, is marked or dropped.
    Conflicts and limits that the model leaves out are added from the counts.
    """

    name = "grounded"

    def __init__(
        self,
        model: ChatModel,
        options: GroundedOptions | None = None,
        *,
        prompts: PromptSet | None = None,
        fallback: Generator | None = None,
        on_text: OnText | None = None,
    ) -> None:
        self.model = model
        self.options = options or GroundedOptions()
        self.prompts = prompts or PromptSet.load()
        self.fallback = fallback or ExtractiveGenerator()
        self.on_text = on_text

    def generate(self, question: Question, ranking: Ranking, *, previous: str | None = None) -> Answer:
        """Return the answer; abstain without sources, fall back where the model fails.

        Parameters
        ----------
        previous : str or None
            An earlier answer to improve; no source of facts.
        """
        material = gather(
            self.model,
            question,
            ranking,
            self.options,
            snippets_prompt=self.prompts.snippets,
            ranking_prompt=self.prompts.snippet_ranking,
        )
        answer = _Run(self, question, ranking, material).answer(previous)
        if self.on_text is not None:
            self.on_text(answer.text)
        return answer


class _Run:
    """The making of one answer."""

    def __init__(
        self, generator: GroundedGenerator, question: Question, ranking: Ranking, material: Material
    ) -> None:
        self.generator = generator
        self.question = question
        self.ranking = ranking
        self.material = material
        labels = {citation_of(item.article): item.article.label for item in ranking}
        directions = DirectionCheck(material.articles, question)
        self.writing = Writing(question, material, generator.options, labels, ranking, directions)
        self.replies: list[ChatReply] = list(material.replies)
        self.counts = Counter(material.counts)
        self.notes = list(material.warnings)

    def answer(self, previous: str | None) -> Answer:
        """Ask for the texts and return what is left of them after the checks."""
        if not self.material.sources:
            return self._without_sources()
        cited, short = self._ask(previous)
        if cited.failed or not cited.text:
            why = f"the model did not answer ({cited.failure}: {cited.message})"
            return self._fallen_back(why, raw=cited.text)
        if refuses(cited.text) and not self.material.has_results:
            return self._refused(cited.text)
        if refuses(cited.text):
            # A model may add to what the rules found; it may not hide it.
            why = "by the model's reading the sources are not sufficient, by rule they tell results"
            return self._fallen_back(why, raw=cited.text)
        kept, added = completed(
            self._checked(cited.text),
            self.material,
            self.ranking,
            self.generator.options,
            self.writing.labels,
        )
        self.counts += kept.counts
        if not kept.cites:
            return self._fallen_back("the model's answer cites none of the sources", raw=cited.text)
        return self._finished(kept, added, raw=cited.text, short=self._noted(self.writing.short(short)))

    def _ask(self, previous: str | None) -> tuple[ChatReply, ChatReply | None]:
        prompts, options = self.generator.prompts, self.generator.options
        first = prompts.cited(self.question, self.material, options, previous=previous)
        others = [prompts.short(self.question, self.material, options)] if options.short_answer else []
        if self.generator.on_text is None:
            replies = self._chat([first, *others])
        else:
            replies = [self._streamed(first, self.generator.on_text), *self._chat(others)]
        self.replies += replies
        return replies[0], replies[1] if others else None

    def _chat(self, requests: Sequence[ChatRequest]) -> list[ChatReply]:
        return list(ask_all(self.generator.model, requests)) if requests else []

    def _streamed(self, request: ChatRequest, on_text: OnText) -> ChatReply:
        def show(text: str) -> None:
            if ready := self.writing.so_far(text):
                on_text(ready)

        return ask_streaming(self.generator.model, request, show)

    def _checked(self, text: str) -> Checked:
        """Return the sentences of the cited answer with what the checks say of them."""
        options = self.generator.options
        checked = self.writing.checked(text)
        if options.check_sentences:
            checked, replies = check_support(
                self.generator.model,
                checked,
                self.material.articles,
                prompt=self.generator.prompts.sentence_support,
            )
            self.replies += replies
        return checked

    def _finished(
        self, kept: Checked, added: tuple[AnswerSentence, ...], *, raw: str, short: str | None
    ) -> Answer:
        self.counts["added_sentences"] += len(added)
        sentences = (*(rendered(s, self.writing.labels) for s in kept.sentences), *added)
        citations = tuple(dict.fromkeys(c for s in sentences for c in s.citations))
        text = "\n".join(sentence.text for sentence in sentences)
        answer = Answer(
            text=text,
            citations=citations,
            sentences=sentences,
            generator=self.generator.name,
            short=short,
            afterword=self._afterword(text),
            raw=raw,
            sources=tuple(source for _, source in self.material.sources),
            references=references_of(citations, [item.article for item in self.ranking]),
            ranking=self.ranking,
        )
        return self._accounted(answer)

    def _afterword(self, text: str) -> str | None:
        """Ask for what is to be added to the finished answer, which stays as it is."""
        options = self.generator.options
        if options.afterword is None:
            return None
        request = self.generator.prompts.afterword(self.question, self.material, options, answer=text)
        replies = self._chat([request])
        self.replies += replies
        return self._noted(self.writing.afterword(replies[0]))

    def _noted(self, text: SideText) -> str | None:
        self.counts += text.counts
        self.notes += [text.note] if text.note else []
        return text.text

    def _without_sources(self) -> Answer:
        """Return a refusal; where texts could not be shown to a model, what rules can say of them."""
        if self.counts["suspicious_sources"]:
            return self._fallen_back("no source could be shown to the model", raw=None)
        return self._accounted(abstention(self.question, self.ranking, generator=self.generator.name))

    def _refused(self, raw: str) -> Answer:
        count = len(self.material.sources)
        sources = "the one source shown was" if count == 1 else f"the {count} sources shown were"
        answer = Answer(
            text=(
                "This question cannot be answered from the evidence at hand: by the model's reading"
                f" {sources} not sufficient."
            ),
            abstained=True,
            generator=self.generator.name,
            raw=raw,
            sources=tuple(source for _, source in self.material.sources),
            ranking=self.ranking,
        )
        return self._accounted(answer)

    def _fallen_back(self, why: str, *, raw: str | None) -> Answer:
        self.notes.append(f"{why}; this answer was made by rules instead")
        answer = self.generator.fallback.generate(self.question, self.ranking)
        return self._accounted(answer.model_copy(update={"raw": raw, "degraded": True}))

    def _accounted(self, answer: Answer) -> Answer:
        """Return the answer with what happened on the way, and what it cost."""
        options, counts = self.generator.options, +self.counts
        return answer.model_copy(
            update={
                "question": self.question,
                "warnings": (*self.notes, *warnings_of(counts), *answer.warnings),
                "counts": dict(sorted(counts.items())),
                "prompts": self.generator.prompts.digests(options),
                "usage": (token_use(self.generator.model.model, self.replies, options.prices),),
            }
        )
