"""What is put before a model: the selected articles' sentences, and what is known of how they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metarag.agreement import agreements
from metarag.generation.answer_parts import AnswerSource, Snippet
from metarag.generation.grounded_options import GroundedOptions
from metarag.generation.harms import MORE_FREQUENT, other_harms
from metarag.generation.question_notes import (
    may_be_quoted,
    names_nothing,
    uncounted_text,
    unspoken_text,
    unstudied_treatment,
)
from metarag.generation.selection import Selected, Selection, eligible, select
from metarag.generation.snippet_models import (
    Order,
    Picked,
    order_by_model,
    order_by_rule,
    pick_snippets,
)
from metarag.generation.snippets import Topic, rule_snippets
from metarag.generation.sources import heading, source_of
from metarag.generation.weighing import Weighing, weigh
from metarag.generation.wording import outcome_words, result_words
from metarag.llm.base import ChatModel, ChatReply
from metarag.llm.prompting import article_reference
from metarag.llm.untrusted import as_data
from metarag.model_judging import is_suspicious
from metarag.pipeline import Ranking
from metarag.prompts import Prompt
from metarag.results import Result
from metarag.types import Evidence, Question


@dataclass(frozen=True, slots=True)
class Material:
    """The sources of one answer.

    Attributes
    ----------
    sources : tuple of (Evidence, AnswerSource)
        What is shown, in the order of the ranking. Empty: there is nothing to answer from.
    weighings : tuple of Weighing
        How all articles on the question agree, outcome by outcome.
    selection : Selection
        Also what could have been selected.
    harms : mapping of str to tuple of Evidence
        By outcome, the articles that found more of it with the treatment.
    uncounted : str
        Why results on what is asked are not counted, if they are not.
    unspoken : str
        Which words of the question no article found names, if any.
    """

    sources: tuple[tuple[Evidence, AnswerSource], ...] = ()
    weighings: tuple[Weighing, ...] = ()
    selection: Selection = field(default_factory=Selection)
    harms: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    uncounted: str = ""
    unspoken: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    warnings: tuple[str, ...] = ()
    replies: tuple[ChatReply, ...] = ()

    @property
    def known(self) -> dict[str, str]:
        """Id as the model is given it to citation."""
        return {source_id(item): source.citation for item, source in self.sources}

    @property
    def articles(self) -> dict[str, Evidence]:
        """Citation to article."""
        return {source.citation: item for item, source in self.sources}

    @property
    def texts(self) -> dict[str, str]:
        """Citation to all that may be said of the article: title, abstract, and what code tells of it."""
        return {
            source.citation: f"{item.article.title}\n{item.article.abstract or ''}\n{heading(item)}"
            for item, source in self.sources
        }

    @property
    def has_results(self) -> bool:
        """True when the rules read a result on the question's outcome from one of the sources."""
        shown = {item.key for item, _ in self.sources}
        return any(r.key in shown for w in self.weighings for r in w.agreement.results)


def gather(
    model: ChatModel,
    question: Question,
    ranking: Ranking,
    options: GroundedOptions,
    *,
    snippets_prompt: str | Prompt = "snippets",
    ranking_prompt: Prompt | None = None,
) -> Material:
    """Select articles and their sentences; a model takes part where the options say so.

    An article whose text tries to instruct a model is not shown, and counted. Where no article studies the
    question's treatment there is nothing to answer from.
    """
    if names_nothing(question) or unstudied_treatment(question, ranking):
        return Material()
    topic, articles = Topic.of(question), {item.key: item for item in ranking}
    weighings = tuple(weigh(found, articles) for found in agreements(question, ranking))
    pool = tuple(i for i in eligible(ranking, options.selection) if may_be_quoted(question, i))
    safe = tuple(item for item in pool if not is_suspicious(item.article))
    ruled = {item.key: rule_snippets(item, topic) for item in safe}
    selection = select(
        ranking.model_copy(update={"evidence": safe}),
        options.selection,
        weighings=weighings,
        text_of=lambda item: " ".join(s.span.text for s in ruled[item.key]) + heading(item),
        names_asked=topic.asked.named_by if topic.asked.is_known else None,
    )
    picked = Picked(ruled)
    if options.snippets == "model" and selection.items:
        picked = pick_snippets(model, question, selection.items, topic=topic, prompt=snippets_prompt)
    chosen = [(s.item, text) for s in selection.selected for text in _texts(s, picked, ruled)]
    order = _order(model, question, chosen, options, ranking_prompt)
    kept = _kept(selection.selected, chosen, order, options)
    return Material(
        sources=tuple(
            (s.item, source_of(s.item, s.reason, kept[s.item.key]))
            for s in selection.selected
            if kept.get(s.item.key)
        ),
        weighings=weighings,
        selection=selection,
        harms=other_harms(question, ranking),
        uncounted=uncounted_text(question, topic.asked),
        unspoken=unspoken_text(question, ranking, topic.asked),
        counts=picked.counts + order.counts + Counter(suspicious_sources=len(pool) - len(safe)),
        warnings=(*selection.missing, *picked.warnings, *order.warnings),
        replies=(*picked.replies, *order.replies),
    )


def _texts(
    selected: Selected, picked: Picked, ruled: Mapping[str, tuple[Snippet, ...]]
) -> tuple[Snippet, ...]:
    """Return the snippets of an article; one that must be in has the rules' where a model found none."""
    key = selected.item.key
    return picked.snippets[key] or (ruled[key] if selected.must else ())


def source_id(item: Evidence) -> str:
    """Return what a model cites an article by: the PMID, else a hash, which no article can choose."""
    return item.article.pmid or article_reference(item.article.id)


def sources_text(material: Material) -> str:
    """Return all sources, each under its id, with the words of the article between data marks."""
    blocks = []
    for item, source in material.sources:
        texts = [item.article.title, *(s.span.text for s in source.texts if s.span.where != "title")]
        block = as_data("source", "\n".join(text for text in texts if text))
        blocks.append(f"[{source_id(item)}] {heading(item)}\n{block.text}")
    return "\n\n".join(blocks)


def standing_text(material: Material) -> str:
    """Return how the sources agree, by code, with the ids that the sources have."""
    ids = {item.key: source_id(item) for item, _ in material.sources}
    lines = [f"{material.uncounted}."] if material.uncounted else []
    lines += [material.unspoken] if material.unspoken else []
    for weighing in material.weighings:
        found = weighing.agreement
        if not found.results:
            continue
        outcome = outcome_words(found.outcome)
        counts = Counter(result_words(r.result, found) for r in found.results)
        told = ", ".join(f"{n} found {words}" for words, n in counts.items())
        line = f"On {outcome}: of the articles found, {told}."
        for result in Result:
            shown = [f"[{ids[r.key]}]" for r in found.results if r.result is result and r.key in ids]
            if shown:
                line += f" Of the sources, {' '.join(shown)} found {result_words(result, found)}."
        if weighing.disagrees and weighing.better:
            of = f" of {found.treatment}" if found.treatment else ""
            line += f" By rule, the better evidence shows {weighing.better.value}{of}."
        elif weighing.disagrees:
            line += " By rule, neither side clearly has the better evidence."
        lines.append(line)
    for key, items in material.harms.items():
        shown = [f" [{ids[item.key]}]" for item in items if item.key in ids]
        lines.append(f"{MORE_FREQUENT}: {outcome_words(key)}{''.join(shown)}.")
    return "\n".join(lines) or "Nothing was counted."


def _order(
    model: ChatModel,
    question: Question,
    chosen: Sequence[tuple[Evidence, Snippet]],
    options: GroundedOptions,
    prompt: Prompt | None,
) -> Order:
    if options.ranking == "none" or not chosen:
        return Order(tuple(range(len(chosen))))
    if options.ranking == "rule":
        return order_by_rule(chosen)
    return order_by_model(model, question, chosen, most=options.max_snippets, prompt=prompt)


def _kept(
    selected: Sequence[Selected],
    chosen: Sequence[tuple[Evidence, Snippet]],
    order: Order,
    options: GroundedOptions,
) -> dict[str, tuple[Snippet, ...]]:
    """Return the snippets of each article that won a place, in the text's order; a must keeps one anyway."""
    places = set(order.places[: options.max_snippets])
    kept: dict[str, list[Snippet]] = {}
    for place, (item, snippet) in enumerate(chosen):
        if place in places:
            kept.setdefault(item.key, []).append(snippet)
    for s in selected:
        own = [snippet for item, snippet in chosen if item.key == s.item.key]
        if s.must and own and s.item.key not in kept:
            kept[s.item.key] = [max(own, key=lambda snippet: snippet.score or 0.0)]
    return {key: tuple(snippets) for key, snippets in kept.items()}
