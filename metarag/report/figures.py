"""The figures of a run by name: the flow of records, and a forest plot for each pool."""

from __future__ import annotations

from collections.abc import Mapping

from metarag.errors import InputError, suggest
from metarag.report.agreement_view import sort_pools
from metarag.report.drawing import Drawing, svg
from metarag.report.flow import flow_diagram, flow_of
from metarag.report.forest import forest_plot
from metarag.results import asked_outcomes
from metarag.runs import RunRecord


def figures_of(run: RunRecord) -> Mapping[str, Drawing]:
    """Return ``flow``, then ``forest-1`` and so on: pools on the question first, then the larger ones."""
    outcomes = [outcome.key for outcome in asked_outcomes(run.ranking.audit.question)]
    pools = [
        synthesis
        for group in sort_pools(run.ranking, outcomes)
        for synthesis in sorted(group, key=lambda each: (-len(each.studies), each.id))
        if len(synthesis.studies) > 1
    ]
    named = {f"forest-{number}": forest_plot(pool) for number, pool in enumerate(pools, 1)}
    return {"flow": flow_diagram(flow_of(run.ranking)), **named}


def figure(run: RunRecord, name: str | None) -> Drawing:
    """Return one figure; ``None`` takes the first forest plot, or the flow where nothing was pooled.

    Raises
    ------
    InputError
        The run has no figure of that name; says which it has.
    """
    figures = figures_of(run)
    wanted = name or ("forest-1" if "forest-1" in figures else "flow")
    if wanted not in figures:
        raise InputError(f"this run has no figure {wanted!r}{suggest(wanted, figures)}")
    return figures[wanted]


def render_svg(run: RunRecord, name: str | None = None) -> str:
    """Return a figure as an SVG file of its own.

    Raises
    ------
    InputError
        The run has no figure of that name.
    """
    return svg(figure(run, name), ident="figure", standalone=True) + "\n"
