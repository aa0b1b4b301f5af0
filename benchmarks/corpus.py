"""Speed, size and memory of the local index on synthetic records.

    python benchmarks/corpus.py [--records 20000]

Vocabulary of 30,000 invented words, Zipf's law, seed 1; abstracts of about 200 words in four sections.
Peers (bare FTS5; tantivy and bm25s where installed) index the same texts, but store no records.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from metarag.records import (
    AbstractSection,
    Article,
    Author,
    Journal,
    MeshHeading,
    MeshQualifier,
    PartialDate,
    PublicationType,
)
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.corpus_rows import indexed_text
from metarag.types import Question

VOCABULARY = 30_000
COMMON = 100
SECTIONS = ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS")


class Words:
    """Words by Zipf's law; rank 0 is the most frequent."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        consonants, vowels = list("bcdfghklmnprstvz"), list("aeiou")
        shapes = self.rng.integers(2, 5, VOCABULARY)
        self.words = [
            "".join(self.rng.choice(consonants) + self.rng.choice(vowels) for _ in range(n))
            + f"{'nsx'[i % 3]}"
            for i, n in enumerate(shapes)
        ]
        weights = 1 / np.arange(1, VOCABULARY + 1)
        self.frequencies = weights / weights.sum()

    def draw(self, n: int) -> list[str]:
        return [self.words[i] for i in self.rng.choice(VOCABULARY, n, p=self.frequencies)]

    def subjects(self, n: int) -> list[str]:
        """Draw as texts do, but past the commonest words, as the words of a question are."""
        tail = self.frequencies[COMMON:] / self.frequencies[COMMON:].sum()
        return [self.words[COMMON + i] for i in self.rng.choice(VOCABULARY - COMMON, n, p=tail)]


def make_article(words: Words, number: int) -> Article:
    lengths = words.rng.integers(35, 66, len(SECTIONS))
    return Article(
        pmid=str(number),
        title=" ".join(words.draw(12)).capitalize(),
        abstract_sections=tuple(
            AbstractSection(label=label, nlm_category=label, text=" ".join(words.draw(n)).capitalize() + ".")
            for label, n in zip(SECTIONS, lengths, strict=True)
        ),
        publication_types=(PublicationType(name="Journal Article", ui="D016428"),),
        mesh=tuple(
            MeshHeading(descriptor=word.capitalize(), qualifiers=(MeshQualifier(name="therapy"),))
            for word in words.subjects(10)
        ),
        journal=Journal(title="Journal of Examples", volume="1"),
        print_date=PartialDate(year=2020),
        date_revised=PartialDate(year=2021, month=1, day=1),
        authors=tuple(Author(last=word.capitalize(), initials="A") for word in words.draw(6)),
        languages=("eng",),
    )


def article_xml(article: Article) -> str:
    sections = "".join(
        f'<AbstractText Label="{s.label}" NlmCategory="{s.nlm_category}">{s.text}</AbstractText>'
        for s in article.abstract_sections
    )
    mesh = "".join(
        f'<MeshHeading><DescriptorName MajorTopicYN="N" UI="D1">{h.descriptor}</DescriptorName>'
        f'<QualifierName MajorTopicYN="N" UI="Q1">therapy</QualifierName></MeshHeading>'
        for h in article.mesh
    )
    authors = "".join(
        f'<Author ValidYN="Y"><LastName>{a.last}</LastName><Initials>A</Initials></Author>'
        for a in article.authors
    )
    return (
        '<PubmedArticle><MedlineCitation Status="MEDLINE" IndexingMethod="Automated" Owner="NLM">'
        f'<PMID Version="1">{article.pmid}</PMID>'
        "<DateRevised><Year>2021</Year><Month>01</Month><Day>01</Day></DateRevised>"
        '<Article PubModel="Print"><Journal><JournalIssue CitedMedium="Print"><Volume>1</Volume>'
        "<PubDate><Year>2020</Year></PubDate></JournalIssue><Title>Journal of Examples</Title></Journal>"
        f"<ArticleTitle>{article.title}</ArticleTitle><Abstract>{sections}</Abstract>"
        f'<AuthorList CompleteYN="Y">{authors}</AuthorList><Language>eng</Language><PublicationTypeList>'
        '<PublicationType UI="D016428">Journal Article</PublicationType></PublicationTypeList></Article>'
        f"<MeshHeadingList>{mesh}</MeshHeadingList></MedlineCitation></PubmedArticle>\n"
    )


def write_sources(folder: Path, articles: Sequence[Article]) -> tuple[Path, Path]:
    lines, xml = folder / "records.jsonl", folder / "records.xml.gz"
    with lines.open("w", encoding="utf-8") as stream:
        for article in articles:
            fields = article.model_dump(mode="json", exclude_defaults=True)
            stream.write(json.dumps({"topic": "benchmark", "article": fields}) + "\n")
    with gzip.open(xml, "wt", encoding="utf-8", compresslevel=6) as stream:
        stream.write('<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n')
        stream.writelines(map(article_xml, articles))
        stream.write("</PubmedArticleSet>\n")
    return lines, xml


class Stopwatch:
    """Wall-clock and processor time; on a busy machine only the second can be compared."""

    def __enter__(self) -> Stopwatch:
        self._started = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._started[0]
        self.processor = time.process_time() - self._started[1]


def milliseconds(label: str, call: Callable[[str], object], queries: Sequence[str]) -> None:
    watches = []
    for query in [*queries[:10], *queries]:
        with Stopwatch() as watch:
            call(query)
        watches.append(watch)
    times = [watch.seconds * 1e3 for watch in watches[10:]]
    processor = statistics.median(watch.processor * 1e3 for watch in watches[10:])
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{label:46}p50 {p50:7.2f} ms   p95 {p95:7.2f} ms   p50 of processor time {processor:7.2f} ms")


def rate(label: str, records: int, seconds: float, processor: float, size: int | None = None) -> None:
    megabytes = f"   {size / 1e6:6.1f} MB" if size else ""
    print(
        f"{label:52}{records / seconds:8,.0f} records/s {seconds:6.2f} s"
        f"   processor {records / processor:8,.0f} records/s {processor:6.2f} s{megabytes}"
    )


def measure_builds(folder: Path, articles: Sequence[Article]) -> Path:
    source = folder / "parsed"
    index, appraised = folder / "plain.sqlite", folder / "appraised.sqlite"
    revised = [a.model_copy(update={"title": f"{a.title} revised", "version": 2}) for a in articles]
    for label, target, records, appraisals in (
        ("index, records already parsed", index, articles, False),
        ("  with appraisals", appraised, articles, True),
        ("  each record replaced by a revision", index, revised, False),
        ("  the same records from another file", index, revised, False),
    ):
        source.write_text(label, encoding="utf-8")  # new content, or the source would be skipped
        with Stopwatch() as watch:
            build_index(target, [source], reader=lambda _, given=records: iter(given), appraisals=appraisals)
        rate(label, len(records), watch.seconds, watch.processor, target.stat().st_size)
    return index


def measure_files(folder: Path, sources: Sequence[Path], records: int) -> None:
    """Build in a process of its own, so that its memory is the build's and not the benchmark's."""
    for source in sources:
        for appraisals in (False, True):
            target = folder / f"{source.name}.{appraisals}.sqlite"
            arguments = [sys.executable, __file__, "--child", str(target), str(source), str(int(appraisals))]
            answer = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
            label = f"{source.name}, parsing included{', with appraisals' if appraisals else ''}"
            rate(label, records, float(answer[0]), float(answer[1]), target.stat().st_size)
            print(f"{'':52}peak memory {answer[3]} MB, before the build {answer[2]} MB")


def child(target: str, source: str, appraisals: str) -> None:
    before = peak_memory()
    with Stopwatch() as watch:
        build_index(Path(target), [Path(source)], appraisals=bool(int(appraisals)))
    print(watch.seconds, watch.processor, before, peak_memory())


def peak_memory() -> int:
    """Return MB. Not ``getrusage``, which a child inherits from its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def measure_queries(index: Path, threes: Sequence[str], vignettes: Sequence[str]) -> None:
    with Stopwatch() as watch:
        corpus = Corpus.open(index)
    print(f"open: {watch.seconds * 1e3:.2f} ms")
    with corpus:
        totals = sorted(corpus.search(query, limit=0).total for query in threes)
        print(f"three terms match {totals[len(totals) // 2]:,} records (median), {totals[-1]:,} (most)")
        retriever = CorpusRetriever(corpus)

        def ask(query: str) -> object:
            return retriever.retrieve(Question(text=query), limit=50)

        milliseconds(
            "search, 3 terms, top 20, articles read back", lambda q: corpus.search(q, limit=20), threes
        )
        milliseconds("retriever, 3 terms, top 50", ask, threes)
        milliseconds("retriever, vignette of 150 words, top 50", ask, vignettes)
        milliseconds("get by PMID", corpus.get, [str(number) for number in range(1, 300)])
    bare = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
    statement = (
        "SELECT rowid, bm25(text_index, 3, 1, 2) AS score FROM text_index "
        "WHERE text_index MATCH ? ORDER BY score LIMIT 20"
    )
    milliseconds(
        "peer: bare FTS5, same file, row ids only",
        lambda q: bare.execute(statement, (" OR ".join(q.split()),)).fetchall(),
        threes,
    )
    bare.close()


def measure_bare_fts5(folder: Path, texts: Sequence[tuple[str, str, str]]) -> None:
    path = folder / "bare.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(title, abstract, terms, tokenize='porter unicode61')"
    )
    with Stopwatch() as watch:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", texts)
        connection.execute("COMMIT")
    connection.close()
    rate("peer: bare FTS5 table", len(texts), watch.seconds, watch.processor, path.stat().st_size)


def measure_tantivy(folder: Path, texts: Sequence[tuple[str, str, str]], threes: Sequence[str]) -> None:
    try:
        import tantivy
    except ImportError:
        print("peer: tantivy is not installed")
        return
    fields = ["title", "abstract", "terms"]
    builder = tantivy.SchemaBuilder()
    for field in fields:
        builder.add_text_field(field, tokenizer_name="en_stem")
    path = folder / "tantivy"
    path.mkdir()
    index = tantivy.Index(builder.build(), path=str(path))
    with Stopwatch() as watch:
        writer = index.writer(heap_size=64_000_000, num_threads=1)
        for text in texts:
            writer.add_document(tantivy.Document(**dict(zip(fields, text, strict=True))))
        writer.commit()
        writer.wait_merging_threads()
    size = sum(file.stat().st_size for file in path.iterdir())
    rate("peer: tantivy, 1 thread", len(texts), watch.seconds, watch.processor, size)
    index.reload()
    searcher = index.searcher()
    milliseconds(
        "peer: tantivy, document ids only",
        lambda q: searcher.search(index.parse_query(q, fields), 20).hits,
        threes,
    )


def measure_bm25s(texts: Sequence[tuple[str, str, str]], threes: Sequence[str]) -> None:
    try:
        import bm25s
        import Stemmer
    except ImportError:
        print("peer: bm25s with PyStemmer is not installed")
        return
    stemmer = Stemmer.Stemmer("english")
    quiet = {"stemmer": stemmer, "show_progress": False}
    retriever = bm25s.BM25()
    with Stopwatch() as watch:
        retriever.index(bm25s.tokenize(["\n".join(text) for text in texts], **quiet), show_progress=False)
    rate("peer: bm25s, in memory, one field", len(texts), watch.seconds, watch.processor)
    milliseconds(
        "peer: bm25s, row numbers only",
        lambda q: retriever.retrieve(bm25s.tokenize(q, **quiet), k=20, show_progress=False),
        threes,
    )


def machine() -> Iterator[str]:
    yield f"command: python benchmarks/corpus.py {' '.join(sys.argv[1:])}".strip()
    yield f"{platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    yield f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    print("\n".join(machine()))
    words = Words(seed=1)
    articles = [make_article(words, number) for number in range(1, options.records + 1)]
    # The articles stay for the whole run; without this the collector's walks over them would be measured.
    gc.collect()
    gc.freeze()
    length = statistics.mean(len((article.abstract or "").split()) for article in articles)
    print(f"{len(articles):,} records, abstracts of {length:.0f} words\n")
    threes = [" ".join(words.subjects(3)) for _ in range(300)]
    vignettes = [" ".join(words.draw(150)) for _ in range(20)]
    texts = [indexed_text(article) for article in articles]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = measure_builds(folder, articles)
        measure_files(folder, write_sources(folder, articles), len(articles))
        print()
        measure_queries(index, threes, vignettes)
        print()
        measure_bare_fts5(folder, texts)
        measure_tantivy(folder, texts, threes)
        measure_bm25s(texts, threes)


if __name__ == "__main__":
    main()
