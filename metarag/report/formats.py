"""What a run can be exported as, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from metarag.errors import InputError, suggest
from metarag.report.comparison import Comparison
from metarag.runs import RunRecord

SUFFIXES: Final = {
    "html": ".html",
    "json": ".json",
    "csv": ".csv",
    "ris": ".ris",
    "bibtex": ".bib",
    "svg": ".svg",
    "png": ".png",
    "fhir": ".fhir",
}
"""Format to the end of its file's name."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is exported.

    Attributes
    ----------
    kept_only : bool
        Of a table or list of references, only what is ranked.
    figure : str or None
        For ``svg`` and ``png``: ``flow``, ``forest-1`` and so on.
    digest, comparison : str, Comparison or None
        For ``html``: SHA-256 of the run file, and what the run changed against the one before it.
    """

    kept_only: bool = False
    figure: str | None = None
    digest: str | None = None
    comparison: Comparison | None = None


def export(run: RunRecord, name: str, options: ExportOptions | None = None) -> bytes:
    """Return a run in a format of :data:`SUFFIXES`; texts are UTF-8.

    Raises
    ------
    InputError
        There is no such format, or the run has no such figure.
    MissingExtraError
        ``png`` without matplotlib.
    """
    options = options or ExportOptions()
    if name == "png":
        from metarag.report.export_png import render_png

        return render_png(run, options.figure)
    return _text(run, name, options).encode()


def _text(run: RunRecord, name: str, options: ExportOptions) -> str:
    # Each import is paid for by whoever asks for the format.
    if name == "html":
        from metarag.report.html import render_html

        return render_html(run, digest=options.digest, comparison=options.comparison)
    if name == "json":
        return run.model_dump_json(indent=1) + "\n"
    if name == "csv":
        from metarag.report.export_csv import render_csv

        return render_csv(run, kept_only=options.kept_only)
    if name == "ris":
        from metarag.report.export_ris import render_ris

        return render_ris(run, kept_only=options.kept_only)
    if name == "bibtex":
        from metarag.report.export_bibtex import render_bibtex

        return render_bibtex(run, kept_only=options.kept_only)
    if name == "svg":
        from metarag.report.figures import render_svg

        return render_svg(run, options.figure)
    if name == "fhir":
        from metarag.report.fhir import render_fhir

        return render_fhir(run)
    raise InputError(f"a run cannot be exported as {name!r}{suggest(name, SUFFIXES)}")
