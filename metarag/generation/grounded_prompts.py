"""The prompts of an answer, filled: the question and the articles as data, what code knows as text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.material import Material, sources_text, standing_text
from metarag.generation.model_text import CANNOT_ANSWER
from metarag.llm.base import ChatRequest
from metarag.llm.prompting import prepare_prose
from metarag.prompts import Prompt, load_prompt
from metarag.types import Question

_NONE = "none"
_REFUSAL = f"Only if no source says anything on the topic of the question, write instead: {CANNOT_ANSWER}"
# Small models take any way out that they are shown, so that it is shown only where it may be needed.
_RESULTS_ARE_KNOWN = "The sources tell results on the question."


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The prompts that an answer takes."""

    cited_answer: Prompt
    short_answer: Prompt
    answer_afterword: Prompt
    snippets: Prompt
    snippet_ranking: Prompt
    sentence_support: Prompt

    @classmethod
    def load(cls, folder: Path | str | None = None) -> Self:
        """Load them; a file of the same name in ``folder`` replaces one.

        Raises
        ------
        PromptError
            A prompt cannot be used.
        """
        return cls(*(load_prompt(name, folder) for name in cls.__dataclass_fields__))

    def cited(
        self, question: Question, material: Material, options: GroundedOptions, *, previous: str | None
    ) -> ChatRequest:
        """Return the request for the cited answer."""
        return prepare_prose(
            self.cited_answer,
            {
                "question": question.text,
                "background": options.background or _NONE,
                "previous": previous or _NONE,
                "language": options.language,
            },
            composed={**_composed(material), "words": str(options.cited_words)},
            max_tokens=options.max_tokens,
            temperature=options.temperature,
        )

    def short(self, question: Question, material: Material, options: GroundedOptions) -> ChatRequest:
        """Return the request for the short answer."""
        return prepare_prose(
            self.short_answer,
            {
                "question": question.text,
                "background": options.background or _NONE,
                "language": options.language,
            },
            composed={**_composed(material), "words": str(options.short_words)},
            max_tokens=options.max_tokens,
            temperature=options.temperature,
        )

    def afterword(
        self, question: Question, material: Material, options: GroundedOptions, *, answer: str
    ) -> ChatRequest:
        """Return the request for what is to be added to a finished answer."""
        return prepare_prose(
            self.answer_afterword,
            {
                "question": question.text,
                "answer": answer,
                "task": options.afterword or _NONE,
                "language": options.language,
            },
            composed={"sources": sources_text(material)},
            max_tokens=options.max_tokens,
            temperature=options.temperature,
        )

    def digests(self, options: GroundedOptions) -> dict[str, str]:
        """Return ``id@version`` to digest of the prompts that these options use."""
        used = [self.cited_answer]
        used += [self.short_answer] if options.short_answer else []
        used += [self.answer_afterword] if options.afterword else []
        used += [self.snippets] if options.snippets == "model" else []
        used += [self.snippet_ranking] if options.ranking == "model" else []
        used += [self.sentence_support] if options.check_sentences else []
        return {f"{prompt.id}@{prompt.version}": prompt.digest for prompt in used}


def _composed(material: Material) -> dict[str, str]:
    return {
        "sources": sources_text(material),
        "standing": standing_text(material),
        "refusal": _RESULTS_ARE_KNOWN if material.has_results else _REFUSAL,
    }
