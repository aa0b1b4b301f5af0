"""Check a local index of either engine, and the files that it was built from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from metarag.report.plain import plain
from metarag.retrieval.index_store import Engine, engine_of, needs_tantivy
from metarag.retrieval.source_files import source_files
from metarag.retrieval.verify_report import Findings, VerifyReport, check_files, check_sources


def verify_index(
    index: str | Path,
    sources: Sequence[str | Path] = (),
    *,
    progress: Callable[[int], None] | None = None,
) -> VerifyReport:
    """Read all of an index and return what is wrong with it.

    Checked are: that the tables or files are as they were written; that as many records, texts and entries of the text
    index are there; that every record can be read and is the one that was stored, with its appraisal; that the text
    index has the words of the records; that nothing is here that a later file withdrew; that no build is unfinished, no
    source broken off, and none of PubMed's numbered files left out between others.

    Parameters
    ----------
    index : str or pathlib.Path
        A file of SQLite's, or a folder of tantivy's. Nothing is written to it.
    sources : sequence of str or pathlib.Path
        Files that should be in it, or folders of PubMed's files: their content is compared with what was indexed,
        and with the ``.md5`` files beside them.
    progress : callable or None
        Told now and then how many records have been read.

    Raises
    ------
    IndexUnusableError
        It is missing, is no local index, or so damaged that it cannot be gone through.
    InputError
        A source is missing.
    MissingExtraError
        It is of the tantivy engine, and tantivy is not installed.
    """
    path, findings = Path(index), Findings()
    files = source_files(sources)
    if path.is_dir() and engine_of(path) is Engine.TANTIVY:
        with needs_tantivy():
            from metarag.retrieval.tantivy_verify import verify_folder
        info = verify_folder(path, findings, progress)
    else:
        from metarag.retrieval.corpus_verify import verify_tables

        info = verify_tables(path, findings, progress)
    check_sources(info.sources, info.unfinished, findings)
    compared = check_files(files, info.sources, findings)
    return VerifyReport(
        name=plain(path.name),
        engine=info.engine,
        records=info.records,
        problems=findings.problems(),
        notes=tuple(findings.notes),
        files=compared,
    )
