"""From a model's prose to sentences that may stand in an answer: checked, cut to length, with what code adds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metarag.generation.added_sentences import (
    conflict_sentence,
    limits_sentence,
    tells_conflict,
    tells_limits,
)
from metarag.generation.base import AnswerSentence
from metarag.generation.citation_check import check_citations, with_places
from metarag.generation.direction_check import DIRECTION_FLAG, DirectionCheck
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.groundedness import NUMBER_FLAG, QUOTE_FLAG, check_groundedness
from metarag.generation.material import Material
from metarag.generation.wording import outcome_words
from metarag.pipeline import Ranking
from metarag.types import Question

CANNOT_ANSWER = "The sources do not answer this question."
"""What the prompts ask a model to say, word for word, where the sources are not enough."""
_ROUNDS = 4
"""At most four kinds of sentences are added (three outcomes, limits), so more rounds change nothing."""
_SAID = {
    "no_source": "no source",
    QUOTE_FLAG: "quotation not in the cited sources",
    "not_supported": "not found in the cited sources by a model's reading",
    "contradicted": "contradicted by a cited source by a model's reading",
}
_DOUBTS = tuple(_SAID)


@dataclass(frozen=True, slots=True)
class Checked:
    """Sentences of a model with flags, and what was counted."""

    sentences: tuple[AnswerSentence, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def cites(self) -> bool:
        """True when any sentence cites a source."""
        return any(sentence.citations for sentence in self.sentences)


def refuses(text: str) -> bool:
    """True when a model says, in the words it was given or nearly, that the sources are not enough."""
    said = " ".join(re.findall(r"\w+", text.casefold()))
    wanted = " ".join(re.findall(r"\w+", CANNOT_ANSWER.casefold()))
    return said.startswith((wanted, "i cannot answer", "cannot answer"))


def check_cited(
    text: str,
    material: Material,
    question: Question,
    options: GroundedOptions,
    directions: DirectionCheck,
) -> Checked:
    """Return the sentences of the cited answer; invented citations are gone, doubtful sentences flagged.

    What they say of outcomes is read in English only.
    """
    cited = check_citations(text, material.known)
    grounded = check_groundedness(
        cited.sentences, material.texts, everywhere=question.text, decimal_comma=not options.is_english
    )
    counts = cited.counts + grounded.counts
    if not options.is_english:
        return Checked(grounded.sentences, counts)
    turned = directions.check(grounded.sentences)
    return Checked(turned.sentences, counts + turned.counts)


def settle(
    checked: Checked, options: GroundedOptions, *, words: int, labels: Mapping[str, str] | None = None
) -> Checked:
    """Return the sentences that stay: doubtful ones dropped where the options say so, cut to ``words``.

    A sentence is kept whole or not at all; the first one always is. Where not all fit, those that cite nothing
    go first. Words are those that are shown, citations and remarks included.
    """
    counts = Counter(checked.counts)
    kept = list(checked.sentences)
    if options.unsupported == "drop":
        kept = [sentence for sentence in kept if not _doubtful(sentence)]
        counts["dropped_sentences"] += len(checked.sentences) - len(kept)
    written, used = len(kept), 0
    if sum(word_count(rendered(sentence, labels or {})) for sentence in kept) > words:
        kept = [sentence for sentence in kept if sentence.citations] or kept
    short: list[AnswerSentence] = []
    for sentence in kept:
        used += word_count(rendered(sentence, labels or {}))
        if short and used > words:
            break
        short.append(sentence)
    counts["sentences_over_the_limit"] += written - len(short)
    return Checked(tuple(short), +counts)


def word_count(sentence: AnswerSentence) -> int:
    """Return the words of a sentence as it is shown."""
    return len(sentence.text.split())


def rendered(sentence: AnswerSentence, labels: Mapping[str, str]) -> AnswerSentence:
    """Return the sentence as it is shown.

    All citations stand before the full stop, those in the middle also where they were; doubts stand behind
    it in parentheses.
    """
    shown = [labels.get(citation, citation) for citation in sentence.citations]
    text, stop = with_places(sentence.text, shown), ""
    if text[-1:] in ".!?":
        text, stop = text[:-1], text[-1]
    if sentence.citations:
        text += f" [{'; '.join(shown)}]"
    notes = doubts(sentence.flags)
    return sentence.model_copy(update={"text": f"{text}{stop}{f' ({notes})' if notes else ''}"})


def doubts(flags: Sequence[str]) -> str:
    """Return the flags of a sentence in words; empty without flags."""
    numbers = [flag.removeprefix(NUMBER_FLAG) for flag in flags if flag.startswith(NUMBER_FLAG)]
    said = [f"not in the cited sources: {', '.join(numbers)}"] if numbers else []
    turned = [flag.removeprefix(DIRECTION_FLAG) for flag in flags if flag.startswith(DIRECTION_FLAG)]
    if turned:
        said.append(f"the cited sources tell something else of {_listed(turned)}, as the rules read them")
    return "; ".join([*(words for flag, words in _SAID.items() if flag in flags), *said])


def _listed(outcomes: Sequence[str]) -> str:
    return " and ".join(outcome_words(outcome) for outcome in outcomes)


def completed(
    checked: Checked,
    material: Material,
    ranking: Ranking,
    options: GroundedOptions,
    labels: Mapping[str, str],
) -> tuple[Checked, tuple[AnswerSentence, ...]]:
    """Return what stays of an answer, and the sentences that code adds, within the words allowed together."""
    words = options.cited_words
    for _ in range(_ROUNDS):
        kept = settle(checked, options, words=words, labels=labels)
        added = tuple(rendered(s, labels) for s in _missing(kept.sentences, material, ranking))
        shown = [rendered(s, labels) for s in kept.sentences]
        over = sum(map(word_count, [*shown, *added])) - options.cited_words
        if over <= 0 or len(shown) < 2:
            break
        # A shorter text may lack more, so that the sentences to be added are looked for again.
        words = sum(map(word_count, shown)) - over
    return kept, added


def short_additions(text: str, material: Material, ranking: Ranking) -> list[str]:
    """Return what the short answer leaves out, without citations."""
    articles, shown = {item.key: item for item in ranking}, list(material.known.values())
    untold = [
        weighing
        for weighing in material.weighings
        if weighing.disagrees and not tells_conflict(text, None, weighing, articles, set(shown))
    ]
    added = [conflict_sentence(untold, articles, shown).text] if untold else []
    if not tells_limits(text):
        added.append(limits_sentence([item for item, _ in material.sources], ranking, ()).text)
    return added


def _missing(
    sentences: Sequence[AnswerSentence], material: Material, ranking: Ranking
) -> list[AnswerSentence]:
    """Return what the sentences leave out and has to be said: conflicts, then what limits the certainty."""
    articles, shown = {item.key: item for item in ranking}, list(material.known.values())
    text = " ".join(sentence.text for sentence in sentences)
    cited = list(dict.fromkeys(citation for sentence in sentences for citation in sentence.citations))
    untold = [
        weighing
        for weighing in material.weighings
        if weighing.disagrees and not tells_conflict(text, set(cited), weighing, articles, set(shown))
    ]
    added = [conflict_sentence(untold, articles, shown)] if untold else []
    if not tells_limits(text):
        added.append(limits_sentence([item for item, _ in material.sources], ranking, cited or shown))
    return added


def _doubtful(sentence: AnswerSentence) -> bool:
    return any(flag in _DOUBTS or flag.startswith((NUMBER_FLAG, DIRECTION_FLAG)) for flag in sentence.flags)
