"""`metarag eval ranking`: how well the records that people included in reviews are ranked."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from metarag.cli_output import err
from metarag.files import write_text_atomically


def ranking_command(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder with questions.json and the screened records of each (CSV or JSONL)."),
    ],
    rankers: Annotated[
        str, typer.Option("--rankers", help="Names with commas; also recommended-STAGE, or NAME=SETTINGS.")
    ] = "bm25,trials_first,relevance,reliability,extrapolation,paper,recommended",
    baseline: Annotated[str, typer.Option("--baseline", help="What the others are compared with.")] = "bm25",
    resamples: Annotated[int, typer.Option("--bootstrap", min=0, help="Draws; 0: no intervals.")] = 1_000,
    seed: Annotated[int, typer.Option("--seed", help="Of the bootstrap.")] = 20251024,
    format_: Annotated[str, typer.Option("--format", help="markdown, csv or json.")] = "markdown",
    out_path: Annotated[Path | None, typer.Option("--out", help="File to write; default: print it.")] = None,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder for a TREC run of each ranker and the qrels.")
    ] = None,
) -> None:
    """Rank every screened record of reviews, and measure how high those that people included stand."""
    from metarag.evaluation.ranking_experiment import RankingExperiment
    from metarag.evaluation.ranking_report import ranking_csv, ranking_json, ranking_markdown
    from metarag.evaluation.screened import read_reviews

    writers = {"markdown": ranking_markdown, "csv": ranking_csv, "json": ranking_json}
    if format_ not in writers:
        raise typer.BadParameter(f"--format {format_!r}: choose from {', '.join(writers)}")
    names = [name.strip() for name in rankers.split(",") if name.strip()]
    reviews = read_reviews(folder)
    console = err()
    records = sum(len(review.articles) for review in reviews)
    console.print(f"{len(reviews)} reviews, {records:,} records", style="dim")
    experiment = RankingExperiment(
        reviews, names, on_ranked=lambda name: console.print(f"ranked by {name}", style="dim")
    )
    report = experiment.report(baseline, source=_digest(folder), seed=seed, resamples=resamples)
    if run is not None:
        for name in experiment.scores:
            write_text_atomically(run / f"{name}.run", experiment.run(name))
        write_text_atomically(run / "qrels.txt", experiment.qrels())
        console.print(f"TREC files: {run}", style="dim", soft_wrap=True)
    text = writers[format_](report)
    if out_path is None:
        sys.stdout.write(text)
        return
    write_text_atomically(out_path, text)
    console.print(f"Report: {out_path}", style="dim", soft_wrap=True)


def _digest(folder: Path) -> str:
    """Return the start of a digest over the files of the folder, by name."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file():
            whole.update(path.name.encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]
