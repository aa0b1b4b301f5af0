"""Speed, size and memory of the local index on synthetic records.

    python benchmarks/corpus.py [--records 20000]

Vocabulary of 30,000 invented words, Zipf's law, seed 1; abstracts of about 200 words in four sections.
Peers (tantivy, bm25s) take part where they are installed; none of them stores the records.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import platform
import resource
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


def milliseconds(call: Callable[[str], object], queries: Sequence[str]) -> str:
    for query in queries[:10]:
        call(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        call(query)
        times.append((time.perf_counter() - started) * 1e3)
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return f"p50 {p50:6.2f} ms   p95 {p95:6.2f} ms   max {max(times):6.2f} ms"


def rate(label: str, records: int, seconds: float, size: int | None = None) -> None:
    megabytes = f"   {size / 1e6:7.1f} MB" if size else ""
    print(f"{label:58}{records / seconds:9,.0f} records/s   {seconds:6.2f} s{megabytes}")


def measure_builds(folder: Path, articles: Sequence[Article]) -> Path:
    source = folder / "parsed"
    source.write_bytes(b"parsed")
    index = folder / "plain.sqlite"
    for label, target, appraisals in (
        ("index, records already parsed", index, False),
        ("index, records already parsed, with appraisals", folder / "appraised.sqlite", True),
    ):
        report = build_index(target, [source], reader=lambda _: iter(articles), appraisals=appraisals)
        rate(label, report.added, report.seconds, target.stat().st_size)
    revised = [a.model_copy(update={"title": f"{a.title} revised", "version": 2}) for a in articles]
    source.write_bytes(b"revised")
    report = build_index(index, [source], reader=lambda _: iter(revised), appraisals=False)
    rate(
        "the same, each record replaced by a revision", report.replaced, report.seconds, index.stat().st_size
    )
    source.write_bytes(b"revised again")
    report = build_index(index, [source], reader=lambda _: iter(revised), appraisals=False)
    rate("the same again, nothing changed", report.unchanged, report.seconds, index.stat().st_size)
    return index


def measure_files(folder: Path, sources: Sequence[Path], records: int) -> None:
    """Build in a process of its own, so that its memory is the build's and not the benchmark's."""
    for source in sources:
        for appraisals in (False, True):
            target = folder / f"{source.name}.{appraisals}.sqlite"
            arguments = [sys.executable, __file__, "--child", str(target), str(source), str(int(appraisals))]
            answer = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
            seconds, before, peak = float(answer[0]), int(answer[1]), int(answer[2])
            label = f"{source.name}, parsing included{', with appraisals' if appraisals else ''}"
            rate(label, records, seconds, target.stat().st_size)
            print(
                f"{'':58}peak memory {peak / 1024:.0f} MB, of which {before / 1024:.0f} MB before the build"
            )


def child(target: str, source: str, appraisals: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = build_index(Path(target), [Path(source)], appraisals=bool(int(appraisals)))
    print(report.seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def measure_queries(index: Path, words: Words) -> None:
    threes = [" ".join(words.subjects(3)) for _ in range(300)]
    vignettes = [" ".join(words.draw(150)) for _ in range(20)]
    started = time.perf_counter()
    corpus = Corpus.open(index)
    print(f"open: {(time.perf_counter() - started) * 1e3:.2f} ms")
    with corpus:
        totals = sorted(corpus.search(query, limit=0).total for query in threes)
        print(f"three terms match {totals[len(totals) // 2]:,} records (median), {totals[-1]:,} (most)")
        print(
            "search, 3 terms, top 20, articles read back   ",
            milliseconds(lambda q: corpus.search(q, limit=20), threes),
        )
        retriever = CorpusRetriever(corpus)
        ask = lambda q: retriever.retrieve(Question(text=q), limit=50)  # noqa: E731
        print("retriever, 3 terms, top 50                    ", milliseconds(ask, threes))
        print("retriever, vignette of 150 words, top 50      ", milliseconds(ask, vignettes))
        print(
            "get by PMID                                   ",
            milliseconds(corpus.get, [str(n) for n in range(1, 300)]),
        )
    bare = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
    statement = (
        "SELECT rowid, bm25(text_index, 3, 1, 2) AS score FROM text_index "
        "WHERE text_index MATCH ? ORDER BY score LIMIT 20"
    )
    run = lambda q: bare.execute(statement, (" OR ".join(q.split()),)).fetchall()  # noqa: E731
    print("bare FTS5 on the same file: row ids only      ", milliseconds(run, threes))
    bare.close()


def measure_bare_fts5(folder: Path, articles: Sequence[Article]) -> None:
    texts = [indexed_text(article) for article in articles]
    path = folder / "bare.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(title, abstract, terms, tokenize='porter unicode61')"
    )
    started = time.perf_counter()
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", texts)
    connection.execute("COMMIT")
    seconds = time.perf_counter() - started
    connection.close()
    rate("peer: bare FTS5 table with its text, nothing else", len(texts), seconds, path.stat().st_size)


def measure_tantivy(folder: Path, articles: Sequence[Article], words: Words) -> None:
    try:
        import tantivy
    except ImportError:
        print("peer: tantivy is not installed")
        return
    texts = [indexed_text(article) for article in articles]
    builder = tantivy.SchemaBuilder()
    for field in ("title", "abstract", "terms"):
        builder.add_text_field(field, tokenizer_name="en_stem")
    builder.add_integer_field("row", stored=True)
    path = folder / "tantivy"
    path.mkdir()
    index = tantivy.Index(builder.build(), path=str(path))
    started = time.perf_counter()
    writer = index.writer(heap_size=64_000_000, num_threads=1)
    for row, (title, abstract, terms) in enumerate(texts):
        writer.add_document(tantivy.Document(title=title, abstract=abstract, terms=terms, row=row))
    writer.commit()
    writer.wait_merging_threads()
    size = sum(file.stat().st_size for file in path.iterdir())
    rate("peer: tantivy, 1 thread, no records stored", len(texts), time.perf_counter() - started, size)
    index.reload()
    searcher = index.searcher()
    run = lambda q: searcher.search(index.parse_query(q, ["title", "abstract", "terms"]), 20).hits  # noqa: E731
    print(
        "tantivy, 3 terms, top 20, document ids only   ",
        milliseconds(run, [" ".join(words.subjects(3)) for _ in range(300)]),
    )


def measure_bm25s(articles: Sequence[Article], words: Words) -> None:
    try:
        import bm25s
        import Stemmer
    except ImportError:
        print("peer: bm25s with PyStemmer is not installed")
        return
    texts = ["\n".join(indexed_text(article)) for article in articles]
    stemmer = Stemmer.Stemmer("english")
    started = time.perf_counter()
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, stemmer=stemmer, show_progress=False), show_progress=False)
    rate("peer: bm25s, in memory, one field, no records stored", len(texts), time.perf_counter() - started)
    run = lambda q: retriever.retrieve(  # noqa: E731
        bm25s.tokenize(q, stemmer=stemmer, show_progress=False), k=20, show_progress=False
    )
    print(
        "bm25s, 3 terms, top 20, row numbers only      ",
        milliseconds(run, [" ".join(words.subjects(3)) for _ in range(300)]),
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
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = measure_builds(folder, articles)
        measure_bare_fts5(folder, articles)
        measure_files(folder, write_sources(folder, articles), len(articles))
        print()
        measure_queries(index, words)
        print()
        measure_tantivy(folder, articles, words)
        measure_bm25s(articles, words)


if __name__ == "__main__":
    main()
