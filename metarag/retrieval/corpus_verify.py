"""Check an SQLite index from end to end: every record, every word of its text index, every withdrawal.

SQLite's own check says that pages and B-trees are well formed. Whether the text index holds the words of the records
is another question; see :mod:`metarag.retrieval.corpus_word_sums`.
"""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from metarag.appraisal import APPRAISAL_VERSION
from metarag.errors import IndexUnusableError
from metarag.records import Article
from metarag.retrieval.corpus_connection import damage_errors, open_to_verify, sqlite_errors
from metarag.retrieval.corpus_facets import day
from metarag.retrieval.corpus_info import CorpusInfo, corpus_info
from metarag.retrieval.corpus_rows import Revision, digest_of, unpack
from metarag.retrieval.corpus_tables import place_from
from metarag.retrieval.corpus_word_sums import WordSums, stored_sums
from metarag.retrieval.corpus_write import Withdrawal
from metarag.retrieval.verify_report import REBUILD, Findings, check_appraisals
from metarag.types import Appraisal

RECORDS_TOGETHER: Final = 1_000
_COUNTS: Final = """
    SELECT (SELECT count(*) FROM record), (SELECT count(*) FROM article),
        (SELECT count(*) FROM text_index_docsize), (SELECT count(*) FROM facet_index_docsize)
"""
_RECORDS: Final = """
    SELECT record.id, article_id, pmid, record.version, revised, text_origin, digest, published_print,
        published_online, article.json, appraisal.version, appraisal.json
    FROM record LEFT JOIN article ON article.record_id = record.id
    LEFT JOIN appraisal ON appraisal.record_id = record.id
    WHERE record.id > ? ORDER BY record.id LIMIT ?
"""
_WITHDRAWN: Final = """
    SELECT record.article_id, record.version, withdrawal.version, record.source_id, own.year, own.number,
        withdrawal.source_id, other.year, other.number
    FROM withdrawal JOIN record ON record.article_id = withdrawal.article_id
    JOIN source AS own ON own.id = record.source_id JOIN source AS other ON other.id = withdrawal.source_id
"""


# A flipped bit in a row's header makes another type of a value.
_KINDS: Final = (
    int, str, int | None, int, int, str, bytes, int | None, int | None, bytes | None, str | None, bytes | None,
)  # fmt: skip


class _Record(NamedTuple):
    row_id: int
    article_id: str
    pmid: int | None
    version: int
    revised: int
    text_origin: str
    digest: bytes
    published_print: int | None
    published_online: int | None
    article: bytes | None
    appraisal_version: str | None
    appraisal: bytes | None


def verify_tables(
    index: Path, findings: Findings, progress: Callable[[int], None] | None = None
) -> CorpusInfo:
    """Check an index and return what it holds.

    Parameters
    ----------
    progress : callable or None
        Told now and then how many records have been read.

    Raises
    ------
    IndexUnusableError
        It is damaged so that it cannot be gone through, or is no local index.
    """
    with open_to_verify(index) as connection, sqlite_errors(str(index)), damage_errors(str(index)):
        for (line,) in connection.execute("PRAGMA integrity_check(5)"):
            if line != "ok":
                findings.add(f"SQLite found damage: {line}.", REBUILD)
        dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
        if dangling:
            tables = ", ".join(sorted({str(row[0]) for row in dangling}))
            findings.add(f"{len(dangling):,} rows belong to no record or source (in {tables}).", REBUILD)
        counts = connection.execute(_COUNTS).fetchone()
        if len(set(counts)) > 1:
            told = "{:,} records, {:,} texts, {:,} in the text index, {:,} in that of facts".format(*counts)
            findings.add(f"The tables do not hold the same: {told}.", REBUILD)
        _check_records(connection, findings, progress)
        for article_id, version, limit, *places in connection.execute(_WITHDRAWN):
            own, other = place_from(*places[:3]), place_from(*places[3:])
            if Withdrawal(limit, other).still_applies(version, own):
                findings.add_record(article_id, "are here although a later file withdrew them")
        return corpus_info(connection, name=index.name)


def _check_records(
    connection: sqlite3.Connection, findings: Findings, progress: Callable[[int], None] | None
) -> None:
    last: int = connection.execute("SELECT coalesce(max(id), 0) FROM record").fetchone()[0]
    sums, strays = stored_sums(connection, last)
    read = current = appraised = 0
    with WordSums(connection) as anew:
        for rows in _batches(connection):
            batch = [_Record(*row) for row in rows if all(map(isinstance, row, _KINDS))]
            for row in rows if len(batch) < len(rows) else ():
                if not all(map(isinstance, row, _KINDS)):
                    findings.add_record(str(row[1]), "cannot be read")
                    sums[row[0]] = 0
            articles = {record.row_id: article for record in batch if (article := _article(record, findings))}
            _compare(batch, anew.of(articles), sums, findings)
            for record in batch:
                _check_appraisal(record, findings)
            appraised += sum(row[-1] is not None for row in rows)
            current += sum(row[-2] == APPRAISAL_VERSION for row in rows)
            read += len(rows)
            if progress:
                progress(read)
    strays += sum(map(bool, sums))
    if strays:
        findings.add(f"The text index has words of {strays:,} rows that are no record.", REBUILD)
    check_appraisals(read, current, appraised, findings)


def _batches(connection: sqlite3.Connection) -> Iterator[list[tuple[Any, ...]]]:
    last = 0
    while rows := connection.execute(_RECORDS, (last, RECORDS_TOGETHER)).fetchall():
        last = rows[-1][0]
        yield rows


def _article(record: _Record, findings: Findings) -> Article | None:
    """Return the article of a record, if it is the one that was stored."""
    try:
        json = zlib.decompress(record.article or b"")
        article = unpack(Article, record.article or b"")
    except (zlib.error, IndexUnusableError):
        findings.add_record(record.article_id, "cannot be read")
        return None
    columns = (
        record.article_id,
        record.pmid,
        Revision(record.version, record.revised),
        record.text_origin,
        record.digest,
        record.published_print,
        record.published_online,
    )
    said = (
        article.id,
        int(article.pmid) if article.pmid else None,
        Revision.of(article),
        article.text_origin,
        digest_of(json),
        day(article.print_date),
        day(article.electronic_date),
    )
    if columns != said:
        findings.add_record(record.article_id, "are not as they were stored")
    return article


def _compare(batch: list[_Record], expected: dict[int, int], sums: array[int], findings: Findings) -> None:
    """Compare what the text index holds of records with their texts, and take out what was compared."""
    for record in batch:
        if record.row_id in expected and sums[record.row_id] != expected[record.row_id]:
            findings.add_record(record.article_id, "have other words than the text index knows of them")
        sums[record.row_id] = 0


def _check_appraisal(record: _Record, findings: Findings) -> None:
    if record.appraisal is None or record.appraisal_version != APPRAISAL_VERSION:
        return
    try:
        appraisal = unpack(Appraisal, record.appraisal)
    except IndexUnusableError:
        findings.add_record(record.article_id, "have an appraisal that cannot be read")
        return
    if (appraisal.article_id, appraisal.version) != (record.article_id, record.appraisal_version):
        findings.add_record(record.article_id, "have the appraisal of another article or version")
