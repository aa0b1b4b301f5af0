"""The report of a run as one standalone HTML file: no script, no network, readable from disk and on paper."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib import resources
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metarag.errors import RunFileError
from metarag.files import write_text_atomically
from metarag.report.comparison import Comparison
from metarag.report.numbers import count, thousands
from metarag.report.places import ReportOptions
from metarag.report.plain import plain, shorten
from metarag.report.view import report_view
from metarag.report.words import STAGE_DOES, criterion_words, sentence_case, stage_words
from metarag.runs import RunRecord


def render_html(
    run: RunRecord,
    *,
    comparison: Comparison | None = None,
    options: ReportOptions | None = None,
    digest: str | None = None,
) -> str:
    """Return the report of a run as one HTML page.

    The page loads nothing and runs nothing: its own policy allows its one style sheet by its digest, and
    links. Whatever an article, a question or an answer holds is shown as text.

    Parameters
    ----------
    comparison : Comparison or None
        What the run changed against the one before it (:func:`metarag.report.comparison.compare`).
    options : ReportOptions or None
        How much of a large run is shown.
    digest : str or None
        SHA-256 of the run file, where the run was read from one; ``None`` gives that of the file that
        :func:`metarag.runs.save_run` would write.
    """
    view = report_view(run, comparison=comparison, options=options, digest=digest)
    asked = run.ranking.audit.question.text
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            r=view,
            title=f"Evidence report: {shorten(asked, 120)}",
            heading=shorten(asked, 400),
            css=Markup(style_sheet()),  # noqa: S704 - a file of this package
            policy=content_security_policy(),
        )
    )


def write_html(
    run: RunRecord,
    path: Path,
    *,
    comparison: Comparison | None = None,
    options: ReportOptions | None = None,
    digest: str | None = None,
) -> None:
    """Write the report of a run, replacing ``path`` in one step.

    Raises
    ------
    RunFileError
        The file cannot be written.
    """
    page = render_html(run, comparison=comparison, options=options, digest=digest)
    try:
        write_text_atomically(path, page)
    except OSError as error:
        raise RunFileError(f"the report cannot be written to {path}: {error.strerror or error}") from error


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return what renders the templates of this package: everything escaped, nothing undefined."""
    made = Environment(
        loader=PackageLoader("metarag.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        stage_words=stage_words,
        criterion_words=criterion_words,
        sentence_case=sentence_case,
        thousands=thousands,
    )
    made.globals.update(count=count, does=STAGE_DOES)
    return made


def shown(value: object) -> object:
    """Return text without characters that a page cannot hold or that make a line read as another.

    Applied to everything a template puts out; what is markup of ours passes.
    """
    if type(value) is str and not value.isprintable():
        return plain(value)
    return value


@lru_cache(maxsize=1)
def style_sheet() -> str:
    """Return the style sheet of the report."""
    return (resources.files("metarag.report") / "templates" / "report.css").read_text(encoding="utf-8")


def content_security_policy() -> str:
    """Return the policy of the page: nothing but its own style sheet, by its digest.

    A digest instead of ``unsafe-inline``, so that a style attribute that got in somehow would not count.
    """
    digest = base64.b64encode(hashlib.sha256(style_sheet().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
