"""`metarag levels`: the hierarchies of evidence, as they are used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from metarag.cli_output import out, table
from metarag.design_words import design_words
from metarag.evidence_levels import load_hierarchies
from metarag.hierarchy import Hierarchies, Hierarchy
from metarag.level_table import LevelTable
from metarag.report.plain import plain


def levels(
    name: Annotated[str | None, typer.Argument(help="Hierarchy to show; default: list all.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Your own file of hierarchies.")] = None,
) -> None:
    """Show the hierarchies of evidence: which design has which level, with which weight."""
    hierarchies = load_hierarchies(file)
    if name is None:
        _list(hierarchies)
    else:
        _show(hierarchies.get(name))


def _list(hierarchies: Hierarchies) -> None:
    rows = [
        (name, str(sum(len(t.levels) for t in h.tables)), ", ".join(t.name for t in h.tables), h.title)
        for name, h in hierarchies.hierarchies.items()
    ]
    out().print(table(("name", "levels", "tables", "title"), rows))
    out().print(Text("\nmetarag levels NAME shows one."))


def _show(hierarchy: Hierarchy) -> None:
    console = out()
    console.print(Text(f"{hierarchy.name}: {plain(hierarchy.title)}", style="bold"))
    for source in hierarchy.sources:
        console.print(Text(plain(f"  {source.title}. {source.where}, {source.year}")))
    for heading, text in (("As published", hierarchy.from_source), ("Ours", hierarchy.ours)):
        if text:
            console.print(Text(plain(f"  {heading}: {text}")))
    for each in hierarchy.tables:
        _show_table(each)


def _show_table(each: LevelTable) -> None:
    kinds = ", ".join(kind.value.replace("_", " ") for kind in each.kinds)
    console = out()
    console.print(Text(f"\n{each.name}" + (f" (questions of {kinds})" if kinds else ""), style="bold"))
    rows = [
        (level.id, f"{level.weight:.2f}", level.label, ", ".join(design_words(d) for d in level.designs))
        for level in each.levels
    ]
    console.print(table(("level", "weight", "what", "designs graded here"), rows))
