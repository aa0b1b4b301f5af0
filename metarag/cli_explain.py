"""What `metarag explain` shows: a line a stage for a clinician first, all the numbers when asked for."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from metarag.audit import Basis, Decision, Measurement, Verdict
from metarag.cli_output import SUMMARY_NOTE, name_of
from metarag.design_words import design_words
from metarag.pipeline import Ranking
from metarag.records import TextOrigin
from metarag.report.plain import plain, shorten
from metarag.reported_facts import ReportedFacts
from metarag.reported_words import fact_words
from metarag.types import DesignFinding, Evidence

_QUOTE = 80
"""Characters of a quote that are shown."""
_PLACES = {
    "mesh": "MeSH heading",
    "grants": "grant in the record",
    "publication_type": "publication type",
    "conflict_of_interest": "statement in the record",
}
_STYLES = {Verdict.EXCLUDED: "red", Verdict.NOT_ASSESSED: "yellow", Verdict.INCLUDED: "green"}
FULL_HINT = "--full shows every number, the words behind the design, and each criterion."


def show_explanation(console: Console, ranking: Ranking, item: Evidence, *, full: bool) -> None:
    """Print why one piece of evidence was kept or left out.

    Parameters
    ----------
    full : bool
        Also every number, signal, fact and criterion.
    """
    _show_heading(console, ranking, item)
    decisions = ranking.audit.of(item.key)
    lines = _grid()
    for decision in decisions:
        verdict = Text(_words(decision.verdict), style=_STYLES[decision.verdict])
        lines.add_row(decision.stage, verdict, Text(plain(_reason(decision))))
    console.print()
    console.print(lines)
    facts = item.appraisal.facts if item.appraisal else None
    if facts:
        _show_facts(console, facts, full=full)
    for override in ranking.audit.overrides:
        if override.key == item.key:
            console.print(Text(f"\nOverride by {plain(override.author)}: {plain(override.reason)}"))
    if not full:
        console.print(Text(f"\n{FULL_HINT}", style="dim"))
        return
    if item.appraisal:
        _show_design(console, item.appraisal.design)
    for decision in decisions:
        _show_numbers(console, decision)


def _show_heading(console: Console, ranking: Ranking, item: Evidence) -> None:
    console.print(Text(f"{name_of(item)}  {plain(item.article.title)}", style="bold"))
    rank = ranking.rank_of(item.key)
    score = "" if item.score is None else f", score {item.score:.2f}"
    place = f"Rank {rank} of {len(ranking)}{score}" if rank else "Left out"
    console.print(Text(f"{place}; retrieved as number {item.retrieval_rank}."))
    if item.article.text_origin is TextOrigin.SUMMARY:
        console.print(Text(SUMMARY_NOTE, style="dim"))


def _reason(decision: Decision) -> str:
    """Return the reason, with the model's part in it where one was asked."""
    return " ".join((decision.reason, *_model_part(decision)))


def _model_part(decision: Decision) -> Iterator[str]:
    if decision.basis is Basis.MODEL:
        yield f"[A language model took part: {decision.prompt or 'prompt not recorded'}.]"
    elif decision.prompt:
        yield f"[A language model was asked ({decision.prompt}); none of its answers was used.]"
    failures = [value for name, value in decision.measurements.items() if name.startswith("model_failure")]
    if failures:
        classes = ", ".join(sorted({str(value) for value in failures}))
        yield f"[A call of the language model failed ({classes}); the rules stand.]"
    if decision.measurements.get("suspicious_text"):
        yield "[The text tries to instruct a model or hides something; no model was shown it.]"


def _show_facts(console: Console, facts: ReportedFacts, *, full: bool) -> None:
    rows: dict[str, list[str]] = {}
    for topic, meaning, span in fact_words(facts):
        quote = f"“{shorten(span.text, _QUOTE)}”"
        words = f"{meaning}: {_PLACES.get(span.where, span.where)} {quote}" if full else f"{meaning} {quote}"
        rows.setdefault(topic, []).append(words)
    if not rows:
        return
    lines = _grid()
    for topic, told in rows.items():
        lines.add_row(topic, Text(plain("; ".join(told))))
    console.print(Text("\nReported", style="bold"))
    console.print(lines)


def _show_design(console: Console, design: DesignFinding) -> None:
    if not design.signals:
        return
    console.print(Text("\nWhat says so of the design", style="bold"))
    for signal in design.signals:
        source = signal.source.value.replace("_", " ")
        words = f"{design_words(signal.design)}: {source} “{shorten(signal.evidence, _QUOTE)}”"
        console.print(Text(f"  {words}"))


def _show_numbers(console: Console, decision: Decision) -> None:
    """Print criterion, basis and prompt of a decision, and all its numbers."""
    heading = Text(
        f"\n{decision.stage}: {_words(decision.verdict)}", style=f"bold {_STYLES[decision.verdict]}"
    )
    prompt = f", prompt {decision.prompt}" if decision.prompt else ""
    console.print(heading.append(f"  ({decision.criterion}, basis {decision.basis.value}{prompt})", "dim"))
    for name, value in decision.measurements.items():
        line = f"{name} = {_shown(value)}"
        console.print(Padding(Text(line, style="dim"), (0, 0, 0, 4), expand=False))


def _grid() -> Table:
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(no_wrap=True, style="bold")
    return made


def _words(verdict: Verdict) -> str:
    return verdict.value.replace("_", " ")


def _shown(value: Measurement) -> str:
    if value is None:
        return "not assessed"
    return f"{value:.4g}" if isinstance(value, float) else plain(str(value))
