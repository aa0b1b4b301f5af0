"""The texts beside the cited answer: what is shown while it is written, the short answer, the afterword."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from metarag.generation.base import AnswerSentence
from metarag.generation.citation_check import NO_SOURCE, with_places
from metarag.generation.direction_check import DirectionCheck
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.material import Material
from metarag.generation.model_text import (
    CANNOT_ANSWER,
    Checked,
    check_cited,
    refuses,
    rendered,
    settle,
    short_additions,
)
from metarag.llm.base import ChatReply
from metarag.llm.extract import without_reasoning
from metarag.pipeline import Ranking
from metarag.types import Question


@dataclass(frozen=True, slots=True)
class SideText:
    """A text with what was counted in it; ``note`` says why there is none."""

    text: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """What the texts of one answer are checked against.

    Attributes
    ----------
    labels : mapping of str to str
        Citation to what a reader is shown.
    """

    question: Question
    material: Material
    options: GroundedOptions
    labels: Mapping[str, str]
    ranking: Ranking
    directions: DirectionCheck

    def checked(self, text: str) -> Checked:
        """Return the sentences of a text with flags; invented citations are gone."""
        return check_cited(text, self.material, self.question, self.options, self.directions)

    def so_far(self, text: str) -> str:
        """Return the complete sentences of an answer that is being written, checked."""
        bare, _ = without_reasoning(text)
        if not bare:
            return ""
        found = self.checked(bare).sentences
        complete = found if bare.rstrip().endswith((".", "!", "?")) else found[:-1]
        kept = settle(Checked(complete), self.options, words=self.options.cited_words, labels=self.labels)
        return "\n".join(rendered(sentence, self.labels).text for sentence in kept.sentences)

    def short(self, reply: ChatReply | None) -> SideText:
        """Return the short answer without citations, its numbers held against all sources."""
        if reply is None:
            return SideText()
        if reply.failed or not reply.text:
            return SideText(note=f"no short answer: {_why_not(reply)}")
        if refuses(reply.text):
            return SideText(CANNOT_ANSWER)
        checked = self.checked(reply.text)
        bare = Checked(tuple(uncited(sentence) for sentence in checked.sentences))
        kept = settle(bare, self.options, words=self.options.short_words)
        added = short_additions(_shown(kept), self.material, self.ranking)
        if added:
            room = self.options.short_words - sum(len(text.split()) for text in added)
            kept = settle(bare, self.options, words=room)
        counts = Counter(
            short_numbers_not_in_sources=checked.counts["numbers_not_in_sources"],
            short_directions_not_in_sources=checked.counts["directions_not_in_sources"],
            short_sentences_over_the_limit=kept.counts["sentences_over_the_limit"],
        )
        return SideText(" ".join([_shown(kept), *added]).strip() or None, +counts)

    def afterword(self, reply: ChatReply) -> SideText:
        """Return what was added at the end; a sentence that cites is held to what it cites."""
        if reply.failed or not reply.text:
            return SideText(note=f"no afterword: {_why_not(reply)}")
        checked = self.checked(reply.text)
        # A list of questions to ask is no list of claims: it needs no source.
        shown = [rendered(s if s.citations else uncited(s), self.labels).text for s in checked.sentences]
        counts = Counter(invented_citations=checked.counts["invented_citations"])
        return SideText("\n".join(shown) or None, +counts)


def uncited(sentence: AnswerSentence) -> AnswerSentence:
    """Return a sentence of a text that is not to cite."""
    flags = tuple(flag for flag in sentence.flags if flag != NO_SOURCE)
    return sentence.model_copy(update={"text": with_places(sentence.text), "citations": (), "flags": flags})


def _shown(checked: Checked) -> str:
    return " ".join(rendered(sentence, {}).text for sentence in checked.sentences)


def _why_not(reply: ChatReply) -> str:
    return f"the model did not write one ({reply.failure}: {reply.message})"
