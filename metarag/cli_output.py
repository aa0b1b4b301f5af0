"""What the command line shows: results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from metarag.audit import Verdict
from metarag.design_words import design_words
from metarag.generation.base import AnswerBody
from metarag.pipeline import Ranking
from metarag.records import TextOrigin
from metarag.report.plain import plain, plain_lines
from metarag.stages.relevance import is_of_the_question
from metarag.types import Evidence, StudyDesign

SHOWN_WARNINGS = 5
_UNSAFE: Final = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
"""Controls and format characters that JSON leaves as they are; they stand inside strings only."""

SUMMARY_NOTE = (
    "* Title and text are a summary written for this project from published facts, not PubMed's abstract."
)


class _Results(Console):
    """stdout; a reader that has closed (head, less) is told to the caller instead of ending the process."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _Messages(_Results):
    """stderr: text is made plain here, for every message; what nobody can receive any more is let go."""

    def print(self, *objects: Any, **options: Any) -> None:
        shown = [Text(plain_lines(each)) if isinstance(each, str) else each for each in objects]
        with suppress(OSError, ValueError):
            super().print(*shown, **options)


def out(*, no_color: bool = False) -> Console:
    """Return the console for results."""
    return _Results(no_color=no_color, highlight=False, markup=False, soft_wrap=False)


def err() -> Console:
    """Return the console for messages and progress; it takes untrusted text."""
    return _Messages(stderr=True, highlight=False, markup=False)


def write_json(text: str) -> None:
    """Write JSON to stdout in UTF-8, which JSON is in whatever the locale says.

    What could move a terminal's cursor, or show a line as what it is not, is written by its number; a reader of
    JSON gets the same text.
    """
    text = _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    if sys.stdout is not None:
        sys.stdout.write(text + "\n")


def show_answer(console: Console, answer: AnswerBody) -> None:
    """Print the answer, one sentence to a line, after the short one and before an afterword where there are."""
    parts = (("In short", answer.short), ("Answer", answer.text), ("Added", answer.afterword))
    for title, text in parts:
        if text:
            console.print(Text(title, style="bold"))
            for line in text.splitlines():
                console.print(Padding(Text(plain(line)), (0, 0, 0, 2), expand=False))
    for warning in answer.warnings:
        console.print(Padding(Text(f"Warning: {plain(warning)}", style="yellow"), (0, 0, 0, 2), expand=False))
    console.print()


def show_question_warnings(ranking: Ranking) -> None:
    """Print on stderr what is wrong with the question itself: it is read before what came of the question."""
    for warning in filter(is_of_the_question, ranking.audit.warnings):
        err().print(f"Warning: {warning}", style="yellow", soft_wrap=True)


def show_ranking(console: Console, ranking: Ranking, *, top: int) -> None:
    """Print the ranked evidence with one reason each, then what was left out and why, then warnings.

    Those of the question stand before all of it: :func:`show_question_warnings`.
    """
    if not len(ranking):
        console.print(Text("No evidence is left to rank."))
    for rank, item in enumerate(ranking.top(top), 1):
        _show_item(console, ranking, rank, item)
    if len(ranking) > top:
        console.print(Text(f"and {len(ranking) - top} more; --top shows them"))
    excluded = {d.key: d for d in ranking.audit.decisions if d.verdict is Verdict.EXCLUDED}
    if ranking.excluded:
        console.print(Text(f"\nLeft out ({len(ranking.excluded)})", style="bold"))
        for item in ranking.excluded[:top]:
            console.print(
                Padding(
                    Text(f"{name_of(item)}: {plain(excluded[item.key].reason)}"), (0, 0, 0, 2), expand=False
                )
            )
        if len(ranking.excluded) > top:
            console.print(Text(f"  and {len(ranking.excluded) - top} more"))
    for warning in [w for w in ranking.audit.warnings if not is_of_the_question(w)][:SHOWN_WARNINGS]:
        console.print(Text(f"Warning: {plain(warning)}", style="yellow"))
    if any(i.article.text_origin is TextOrigin.SUMMARY for i in (*ranking.evidence, *ranking.excluded)):
        console.print(Text(f"\n{SUMMARY_NOTE}", style="dim"))


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """Return a plain table of untrusted strings."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(name, overflow="fold")
    for row in rows:
        made.add_row(*(Text(plain(cell)) for cell in row))
    return made


def _show_item(console: Console, ranking: Ranking, rank: int, item: Evidence) -> None:
    """Print one piece of evidence as a block: what it is, its title, the reason for its place."""
    design = item.appraisal.design.design if item.appraisal else StudyDesign.UNKNOWN
    score = "not scored" if item.score is None else f"{item.score:.2f}"
    year = f", {item.article.year}" if item.article.year else ""
    heading = Text(f"{rank:>3}  {score}  ").append(f"{name_of(item)}  {design_words(design)}{year}", "bold")
    console.print(heading)
    for line, style in ((item.article.title, ""), (_reason(ranking, item), "dim")):
        console.print(Padding(Text(plain(line), style=style), (0, 0, 0, 5), expand=False))


def _reason(ranking: Ranking, item: Evidence) -> str:
    """Return the reason that says most: the last stage's but the score's, which only repeats the number."""
    history = [d for d in ranking.audit.of(item.key) if d.stage not in {"score", "eligibility", "relevance"}]
    spoken = [d.reason for d in history if d.verdict is Verdict.INCLUDED] or [d.reason for d in history]
    return " ".join(spoken)


def name_of(item: Evidence) -> str:
    """Return what a person is shown as its name, with a mark for summaries and for repeats."""
    mark = "*" if item.article.text_origin is TextOrigin.SUMMARY else ""
    repeat = item.key.removeprefix(item.article.id)
    return f"{plain(item.article.label)}{repeat}{mark}"
