"""A local mirror of PubMed, made up: how fast it is built, how large it gets, how fast it is searched.

    python benchmarks/mirror.py [--records 20000 100000 300000] [--engines sqlite tantivy] [--jobs 1] [--keep FOLDER]

Records are invented (seed 1) and written as PubMed writes them, in gzipped XML files of at most 30,000. Words: 200,000
of syllables and English endings, drawn by the law of Zipf and Mandelbrot, and one word in twenty a number. A record
has affiliations and references, as in PubMed. Each stage is built by a process of its own on top of the stage before,
so that its peak memory is that of the build.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from metarag.errors import MetaragError
from metarag.retrieval.corpus_build import build_index
from metarag.retrieval.index_verify import verify_index
from metarag.retrieval.local_index import LocalIndex, open_index
from metarag.retrieval.query import parse_query

PUBMED = 41_000_000
"""Records in the summer of 2026."""
IN_A_FILE = 30_000
VOCABULARY = 200_000
COMMON = 150
ENDINGS = ("", "", "", "s", "ed", "ing", "ation", "ity", "al", "ous", "itis", "emia")
SECTIONS = ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS")
TYPES = (("Journal Article", "D016428"), ("Review", "D016454"), ("Randomized Controlled Trial", "D016449"))


class Words:
    """Words by the law of Zipf and Mandelbrot; the first is the most frequent."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        consonants, vowels = list("bcdfghklmnprstvz"), list("aeiou")
        shapes = self.rng.integers(1, 5, VOCABULARY)
        sounds = self.rng.integers(0, len(consonants) * len(vowels), int(shapes.sum()))
        ends = self.rng.integers(0, len(ENDINGS), VOCABULARY)
        words, at = [], 0
        for shape, end in zip(shapes, ends, strict=True):
            parts = sounds[at : at + shape]
            at += shape
            words.append("".join(consonants[p % 16] + vowels[p // 16] for p in parts) + ENDINGS[end])
        self.words = np.array(words, dtype=object)
        weights = 1 / (np.arange(1, VOCABULARY + 1) + 2.7)
        self.cumulated = np.cumsum(weights / weights.sum())

    def draw(self, n: int) -> list[str]:
        found = self.words[np.searchsorted(self.cumulated, self.rng.random(n)).clip(max=VOCABULARY - 1)]
        numbers = np.flatnonzero(self.rng.random(n) < 0.05)
        for place, number in zip(numbers, self.rng.lognormal(2, 2, len(numbers)), strict=True):
            found[place] = f"{number:.2f}" if number < 100 else f"{number:.0f}"
        return list(found)

    def subjects(self, n: int) -> list[str]:
        """Draw as texts do, but past the commonest words, as the words of a question are."""
        shares = self.rng.uniform(self.cumulated[COMMON], 1, n)
        return list(self.words[np.searchsorted(self.cumulated, shares).clip(max=VOCABULARY - 1)])


def record_xml(words: Words, pmid: int) -> str:
    rng = words.rng
    lengths = rng.integers(35, 66, len(SECTIONS))
    text = iter(words.draw(int(lengths.sum()) + 12 + 6 + 6 * 12 + 3))
    take: Callable[[int], str] = lambda n: " ".join(next(text) for _ in range(n))  # noqa: E731
    title = take(12).capitalize()
    sections = "".join(
        f'<AbstractText Label="{label}" NlmCategory="{label}">{take(n).capitalize()}.</AbstractText>'
        for label, n in zip(SECTIONS, lengths, strict=True)
    )
    authors = "".join(
        f'<Author ValidYN="Y"><LastName>{take(1).capitalize()}</LastName><ForeName>A B</ForeName>'
        f"<Initials>AB</Initials><AffiliationInfo><Affiliation>{take(12)}.</Affiliation></AffiliationInfo></Author>"
        for _ in range(6)
    )
    mesh = "".join(
        f'<MeshHeading><DescriptorName UI="D{len(word):06}" MajorTopicYN="N">{word.capitalize()}</DescriptorName>'
        '<QualifierName UI="Q000628" MajorTopicYN="N">therapy</QualifierName></MeshHeading>'
        for word in words.subjects(10)
    )
    year, month = int(rng.integers(1975, 2026)), int(rng.integers(1, 13))
    kinds = TYPES[: 1 + int(rng.random() < 0.15)] if rng.random() < 0.9 else (TYPES[0], TYPES[2])
    types = "".join(f'<PublicationType UI="{ui}">{name}</PublicationType>' for name, ui in kinds)
    cited = "".join(
        f"<Reference><Citation>Invented J. {1990 + n};{n}(2):1-9.</Citation><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{pmid + n}</ArticleId></ArticleIdList></Reference>'
        for n in range(int(rng.integers(0, 40)))
    )
    return (
        '<PubmedArticle><MedlineCitation Status="MEDLINE" IndexingMethod="Automated" Owner="NLM">'
        f'<PMID Version="1">{pmid}</PMID><DateRevised><Year>2026</Year><Month>01</Month><Day>01</Day></DateRevised>'
        '<Article PubModel="Print"><Journal><ISSN IssnType="Print">1234-5678</ISSN>'
        f'<JournalIssue CitedMedium="Print"><Volume>{year - 1970}</Volume><Issue>{month}</Issue>'
        f"<PubDate><Year>{year}</Year><Month>{month:02}</Month></PubDate></JournalIssue>"
        "<Title>Journal of Examples</Title><ISOAbbreviation>J Ex</ISOAbbreviation></Journal>"
        f"<ArticleTitle>{title}</ArticleTitle><Pagination><MedlinePgn>1-9</MedlinePgn></Pagination>"
        f'<Abstract>{sections}</Abstract><AuthorList CompleteYN="Y">{authors}</AuthorList><Language>eng</Language>'
        f"<PublicationTypeList>{types}</PublicationTypeList></Article>"
        "<MedlineJournalInfo><MedlineTA>J Ex</MedlineTA><NlmUniqueID>101</NlmUniqueID></MedlineJournalInfo>"
        f"<MeshHeadingList>{mesh}</MeshHeadingList></MedlineCitation><PubmedData><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{pmid}</ArticleId><ArticleId IdType="doi">10.9999/{pmid}</ArticleId>'
        f"</ArticleIdList><ReferenceList>{cited}</ReferenceList></PubmedData></PubmedArticle>\n"
    )


def write_files(folder: Path, words: Words, stages: Sequence[int]) -> dict[int, list[Path]]:
    """Write the files that each stage adds, numbered on."""
    files: dict[int, list[Path]] = {}
    pmid, number = 1, 1
    for stage in stages:
        files[stage] = []
        while pmid <= stage:
            last = min(pmid + IN_A_FILE - 1, stage)
            path = folder / f"pubmed26n{number:04}.xml.gz"
            with gzip.open(path, "wt", encoding="utf-8", compresslevel=6) as stream:
                stream.write('<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n')
                stream.writelines(record_xml(words, n) for n in range(pmid, last + 1))
                stream.write("</PubmedArticleSet>\n")
            files[stage].append(path)
            pmid, number = last + 1, number + 1
    return files


def child(index: str, engine: str, jobs: str, appraisals: str, *files: str) -> None:
    """Build, and print what it took; run in a process of its own."""
    own = OwnMemory()
    own.start()
    wall, processor = time.perf_counter(), cpu()
    report = build_index(
        index, files, engine=engine, jobs=int(jobs), appraisals=bool(int(appraisals)), progress=lambda _: None
    )
    told = {
        "records": report.added,
        "seconds": time.perf_counter() - wall,
        "processor": cpu() - processor,
        "peak": peak_memory(),
        "own": own.peak,
        "peak_of_readers": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        if jobs != "1"
        else 0,
        "skipped": sum(source.skipped for source in report.sources),
        "error": next((source.error for source in report.sources if source.error), None),
    }
    print(json.dumps(told))


def cpu() -> float:
    """Return seconds of processor time, of this process and of those that it waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class OwnMemory(threading.Thread):
    """Peak of the memory that is no file's: tantivy maps its files, and what it reads of them counts as its memory."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0

    def run(self) -> None:
        while True:
            self.peak = max(self.peak, kilobytes("RssAnon") // 1024)
            time.sleep(0.05)


def peak_memory() -> int:
    """Return MB. Not ``getrusage``, which a child inherits from its parent."""
    return kilobytes("VmHWM") // 1024


def kilobytes(name: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(f"{name}:")[1].split()[0])


def build(
    index: Path, engine: str, files: Sequence[Path], *, jobs: int, appraisals: bool = False
) -> dict[str, float]:
    arguments = [sys.executable, __file__, "--child", str(index), engine, str(jobs), str(int(appraisals))]
    done = subprocess.run([*arguments, *map(str, files)], check=True, capture_output=True, text=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def size_of(index: Path) -> int:
    files = index.rglob("*") if index.is_dir() else [index]
    return sum(file.stat().st_size for file in files if file.is_file())


def show_build(label: str, told: dict[str, float], index: Path) -> None:
    records, readers = told["records"], told["peak_of_readers"]
    print(
        f"{label:34}{records / told['seconds']:7,.0f} records/s {told['seconds']:7.1f} s"
        f"   processor {records / told['processor']:7,.0f} records/s {told['processor']:7.1f} s"
        f"   {size_of(index) / 1e6:8,.1f} MB   peak {told['peak']} MB, of its own {told['own']} MB"
        + (f", of a reader {readers} MB" if readers else ""),
        flush=True,
    )


def milliseconds(label: str, call: Callable[[str], object], queries: Sequence[str]) -> None:
    times, processor = [], []
    for query in [*queries[:10], *queries]:
        started, used = time.perf_counter(), time.process_time()
        call(query)
        times.append((time.perf_counter() - started) * 1e3)
        processor.append((time.process_time() - used) * 1e3)
    p50, p95 = statistics.median(times[10:]), statistics.quantiles(times[10:], n=20)[-1]
    c50, c95 = statistics.median(processor[10:]), statistics.quantiles(processor[10:], n=20)[-1]
    print(
        f"  {label:44}p50 {p50:8.2f}  p95 {p95:8.2f} ms    processor p50 {c50:8.2f}  p95 {c95:8.2f} ms",
        flush=True,
    )


def show_queries(index: Path, queries: dict[str, list[str]]) -> None:
    with open_index(index) as corpus:
        for label, texts in queries.items():
            search = free_search if label.startswith("text") else query_search
            milliseconds(label, partial(search, corpus), texts)
        milliseconds("get by PMID", corpus.get, [str(number) for number in range(1, 300)])


def free_search(corpus: LocalIndex, text: str) -> object:
    return corpus.search(text, limit=20)


def query_search(corpus: LocalIndex, text: str) -> object:
    return corpus.search(parse_query(text), limit=20)


def make_queries(words: Words) -> dict[str, list[str]]:
    threes = [words.subjects(3) for _ in range(200)]
    return {
        "text of 3 words, best 20": [" ".join(three) for three in threes],
        "text of 30 words, best 20": [" ".join(words.draw(30)) for _ in range(50)],
        "a AND (b OR c)": [f"{a} AND ({b} OR {c})" for a, b, c in threes],
        "a[tiab] AND 2010:2020[dp] AND review[pt]": [
            f"{a}[tiab] AND 2010:2020[dp] AND review[pt]" for a, _, _ in threes
        ],
        "beginning*[tiab] AND b": [f"{a[:5]}*[tiab] AND {b}" for a, b, _ in threes if len(a) >= 5][:50],
    }


def show_resume(folder: Path, engine: str, files: Sequence[Path], jobs: int) -> None:
    """Kill a build in its last file, and build again."""
    index = folder / f"killed.{engine}"
    arguments = [sys.executable, __file__, "--child", str(index), engine, str(jobs), "0", *map(str, files)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not is_in_last_file(index, len(files)):
            time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
    told = build(index, engine, files, jobs=jobs)
    again = build(index, engine, files, jobs=jobs)
    with open_index(index) as corpus:
        sources = [source.name for source in corpus.info().sources]
        print(
            f"killed in file {len(files)} of {len(files)}, built again: {told['skipped']:.0f} files skipped,"
            f" {told['records']:,.0f} records read again in {told['seconds']:.1f} s, {len(corpus):,} records,"
            f" each file once: {len(sources) == len(set(sources)) == len(files)};"
            f" a third time: {again['seconds']:.2f} s"
        )
    shutil.rmtree(index) if index.is_dir() else index.unlink()


def is_in_last_file(index: Path, files: int) -> bool:
    try:
        with open_index(index) as corpus:
            return len(corpus.info().sources) >= files - 1
    except MetaragError:  # it is being made
        return False


def show_estimate(
    engine: str, index: Path, plain: dict[str, float], appraised: dict[str, float], stages: int
) -> None:
    size = size_of(index)
    per_record, extra = size / stages, plain["processor"] / plain["records"] * 1e3
    judged = appraised["processor"] / appraised["records"] * 1e3
    print(f"estimate for {PUBMED:,} records, {engine}:")
    print(f"  size, no appraisals: {size:,} bytes / {stages:,} records = {per_record:,.0f} bytes a record,")
    print(f"    x {PUBMED:,} = {per_record * PUBMED / 1e9:,.0f} GB")
    for label, cost in (("reading and indexing", extra), ("and appraising", judged)):
        hours = cost * PUBMED / 1e3 / 3600
        print(f"  {label}: {cost:.2f} ms a record x {PUBMED:,} / 3.6e6 = {hours:,.1f} h of one core")


def machine() -> Iterator[str]:
    yield f"command: python benchmarks/mirror.py {' '.join(sys.argv[1:])}".strip()
    yield f"{platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    yield f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"


def measure(
    folder: Path, engine: str, files: dict[int, list[Path]], queries: dict[str, list[str]], jobs: int
) -> None:
    index, before = folder / f"mirror.{engine}", 0
    print(f"\n{engine}")
    appraised_index = folder / f"appraised.{engine}"
    first = min(files)
    appraised = build(appraised_index, engine, files[first], jobs=jobs, appraisals=True)
    show_build(f"{first:,} records, appraised", appraised, appraised_index)
    started = time.process_time()
    found = verify_index(appraised_index, files[first])
    print(
        f"  checked in {time.process_time() - started:.1f} s of processor time; problems: {len(found.problems)}"
    )
    parallel_index = folder / f"parallel.{engine}"
    show_build(
        f"{first:,} records, 2 readers", build(parallel_index, engine, files[first], jobs=2), parallel_index
    )
    for stage, added in files.items():
        told = build(index, engine, added, jobs=jobs)
        show_build(f"{before:,} to {stage:,} records", told, index)
        show_queries(index, queries)
        before = stage
    show_estimate(engine, index, told, appraised, before)
    show_resume(folder, engine, [file for added in files.values() for file in added][:3], jobs)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, nargs="+", default=[20_000, 100_000, 300_000])
    parser.add_argument("--engines", nargs="+", default=["sqlite", "tantivy"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="Folder that the files are left in.")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    print("\n".join(machine()))
    words = Words(seed=1)
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        started = time.process_time()
        files = write_files(folder, words, sorted(options.records))
        size = sum(file.stat().st_size for added in files.values() for file in added)
        print(
            f"{sum(map(len, files.values()))} files, {size / 1e6:,.0f} MB, written in {time.process_time() - started:.0f} s"
        )
        queries = make_queries(words)
        for engine in options.engines:
            measure(folder, engine, files, queries, options.jobs)


if __name__ == "__main__":
    main()
