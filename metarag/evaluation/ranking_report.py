"""A ranking experiment as Markdown, CSV and JSON. The same results give the same bytes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict

from metarag.evaluation.ranking_experiment import MEASURES, RankerResult, RankingReport
from metarag.report.export_csv import safe_cell
from metarag.report.plain import plain

_NOTE = (
    "AP is average precision of the records that people included, over all records; nDCG@20 and recall@50 look at"
    " the first 20 and 50; WSS@95 is the share of records that need not be read to find 95% of the included, less"
    " the 5% that chance saves. Means are over reviews. Intervals are a paired bootstrap of reviews and of records"
    " within them; with few reviews they say little of other reviews."
)


def ranking_markdown(report: RankingReport) -> str:
    """Return the tables: means over reviews, then average precision by review."""
    names = list(report.reviews)
    sizes = "".join(
        f"- {plain(name)}: {records} records, {included} included\n"
        for name, (records, included) in report.reviews.items()
    )
    head = ("ranker", *MEASURES, f"AP less that of {report.baseline} [95% CI]")
    rows = [
        (each.name, *(f"{each.means[measure]:.3f}" for measure in MEASURES), _difference(each))
        for each in report.results
    ]
    by_review = [
        (each.name, *(f"{each.by_review[name]['AP']:.3f}" for name in names)) for each in report.results
    ]
    parts = [
        "# Ranking\n",
        sizes,
        _table(head, rows),
        "Average precision by review:\n",
        _table(("ranker", *names), by_review),
        f"{_NOTE}\n",
        f"Signature: `{plain(report.signature).replace('`', '')}`\n",
    ]
    return "\n".join(parts)


def ranking_csv(report: RankingReport) -> str:
    """Return one row a ranker and review, with raw numbers; the mean over reviews has an empty review."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(("ranker", "review", *MEASURES, "difference", "difference_low", "difference_high"))
    for each in report.results:
        for review, values in each.by_review.items():
            cells = [safe_cell(each.name), safe_cell(review), *(values.get(measure) for measure in MEASURES)]
            writer.writerow([*cells, None, None, None])
        around = each.interval
        bounds = (around.low, around.high) if around else (None, None)
        writer.writerow(
            [safe_cell(each.name), None, *(each.means[m] for m in MEASURES), each.difference, *bounds]
        )
    return stream.getvalue()


def ranking_json(report: RankingReport) -> str:
    """Return all of the report as JSON."""
    return json.dumps(asdict(report), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _difference(each: RankerResult) -> str:
    if each.difference is None:
        return ""
    around = f" [{each.interval.low:+.3f}, {each.interval.high:+.3f}]" if each.interval else ""
    return f"{each.difference:+.3f}{around}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(plain(cell).replace('|', ' ') for cell in line)} |\n" for line in lines)
