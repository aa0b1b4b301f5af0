"""Whether the articles that a sentence cites say what it says, by a language model's reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from metarag.generation.citation_check import with_places
from metarag.generation.model_text import Checked
from metarag.llm.base import ChatModel, ChatReply
from metarag.llm.judgements import read_stance
from metarag.llm.schemas import StanceAnswer
from metarag.model_judging import Inquiry, Panel, Round, texts_of
from metarag.prompts import Prompt
from metarag.types import Evidence

NOT_SUPPORTED, CONTRADICTED = "not_supported", "contradicted"


def check_support(
    model: ChatModel,
    checked: Checked,
    articles: Mapping[str, Evidence],
    *,
    prompt: str | Prompt = "sentence_support",
) -> tuple[Checked, tuple[ChatReply, ...]]:
    """Return the sentences with flags where no cited article says so, and the model's replies.

    One call a sentence and cited article. A reply counts only with words that are in the article; where all
    calls for a sentence fail, nothing is said of it.

    Parameters
    ----------
    articles : mapping of str to Evidence
        By citation.
    """
    told = Panel(model, prompt).ask(
        [
            Inquiry(
                articles[c],
                {"claim": with_places(sentence.text), **texts_of(articles[c].article)},
                about=f"sentence{n}",
            )
            for n, sentence in enumerate(checked.sentences)
            for c in sentence.citations
        ]
    )
    counts = Counter(checked.counts)
    sentences = []
    for n, sentence in enumerate(checked.sentences):
        flag = _flag([_answer(told, articles[c], n) for c in sentence.citations])
        if flag == "":
            counts["sentences_not_assessed"] += 1
        if flag:
            counts[f"sentences_{flag}"] += 1
            sentence = sentence.model_copy(update={"flags": (*sentence.flags, flag)})
        sentences.append(sentence)
    return Checked(tuple(sentences), +counts), tuple(told.replies.values())


def _answer(told: Round, item: Evidence, sentence: int) -> str | None:
    reply = told.usable(item.key, f"sentence{sentence}")
    return read_stance(reply, item.article).answer if reply else None


def _flag(answers: Sequence[str | None]) -> str | None:
    """Return the flag of a sentence; ``None`` for a supported or uncited one, empty for one not assessed."""
    known = [answer for answer in answers if answer is not None]
    if not answers or StanceAnswer.SUPPORT in known:
        return None
    if not known:
        return ""
    return CONTRADICTED if StanceAnswer.OPPOSE in known else NOT_SUPPORTED
