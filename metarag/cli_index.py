"""`metarag index`: build and look at a local corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metarag.cli_output import err, out, table
from metarag.retrieval.corpus import Corpus

index_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Build and inspect a local index.")

IndexOption = Annotated[Path, typer.Option("--index", help="The index file.")]


@index_app.command()
def build(
    sources: Annotated[list[Path], typer.Argument(help="PubMed XML, MEDLINE, RIS or JSONL, oldest first.")],
    index: IndexOption = Path("metarag-index.sqlite"),
) -> None:
    """Add files to the index; the same file twice changes nothing, a revised record replaces the old one."""
    raise NotImplementedError


@index_app.command()
def info(index: IndexOption = Path("metarag-index.sqlite")) -> None:
    """What the index holds."""
    with Corpus.open(index) as corpus:
        facts = corpus.info()
    out().print(table(("", ""), [(name, str(value)) for name, value in facts.model_dump().items()]))
    err()
