"""Time and memory of a ranking: fresh articles (appraised on the way) and appraised ones, by their number.

    python benchmarks/ranking.py PUBMED_XML_OR_MEDLINE ...

Prints milliseconds of processor time and of wall time on one core, best of several; the peak of what a
ranking allocates, by article; and what is allocated still after it was thrown away, which is what caches
keep. Where the files hold fewer records than asked for, they are repeated as other studies: under new PMIDs,
DOIs and trial numbers, so that none is taken for a duplicate.
"""

from __future__ import annotations

import argparse
import gc
import platform
import time
import tracemalloc
from itertools import cycle, islice
from pathlib import Path

from metarag.appraisal import appraise
from metarag.presets import build_pipeline
from metarag.records import Article
from metarag.retrieval.records_file import read_records
from metarag.types import Question, Retrieved

QUESTION = Question(text="Does aspirin reduce mortality in adults with acute myocardial infarction?")
REPEATS = 5
KIB = 1024


def articles(paths: list[Path], count: int) -> list[Article]:
    """Take records from all over the files, so that a hundred are like the whole."""
    read = [record for path in paths for record in read_records(path) if isinstance(record, Article)]
    spread = read[:: max(1, len(read) // count)]
    return [as_another(article, 10_000_000 + n) for n, article in enumerate(islice(cycle(spread), count))]


def as_another(article: Article, number: int) -> Article:
    return Article(**{**dict(article), "pmid": str(number), "doi": f"10.1000/{number}"})


def appraised(found: list[Retrieved], count: int) -> list[Retrieved]:
    many = []
    for number, one in enumerate(islice(cycle(found), count), 20_000_000):
        article = as_another(one.article, number)
        trials = tuple(f"{trial}/{number}" for trial in one.appraisal.registry_ids)
        changed = {"article_id": article.id, "registry_ids": trials}
        many.append(Retrieved(article=article, appraisal=one.appraisal.model_copy(update=changed)))
    return many


def measure(label: str, candidates: list[Article] | list[Retrieved]) -> None:
    pipeline = build_pipeline()
    pipeline.rank(QUESTION, candidates[:3])
    best = []
    for _ in range(REPEATS):
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        ranking = pipeline.rank(QUESTION, candidates)
        best.append((time.process_time() - cpu, time.perf_counter() - wall))
        assert len(ranking) + len(ranking.excluded) == len(candidates)
        del ranking
    cpu, wall = min(best)
    peak, kept = memory(candidates)
    print(
        f"{label:>10} {len(candidates):>7} {cpu * 1e3:>9.1f} {wall * 1e3:>9.1f}"
        f" {cpu / len(candidates) * 1e6:>11.0f} {peak / len(candidates) / KIB:>16.1f} {kept / KIB:>9.0f}"
    )


def memory(candidates: list[Article] | list[Retrieved]) -> tuple[int, int]:
    """Bytes that a ranking allocates at its peak, and that are left when it is gone, the second time."""
    pipeline = build_pipeline()
    gc.collect()
    tracemalloc.start()
    pipeline.rank(QUESTION, candidates)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    pipeline.rank(QUESTION, candidates)
    _, peak = tracemalloc.get_traced_memory()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - before, after - before


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    paths = parser.parse_args().files
    processor = platform.processor() or "processor unknown"
    print(f"{platform.machine()}, {processor}, Python {platform.python_version()}")
    print(
        f"{'':>10} {'number':>7} {'cpu ms':>9} {'wall ms':>9} {'us/article':>11}"
        f" {'peak KiB/article':>16} {'kept KiB':>9}"
    )
    measure("fresh", articles(paths, 100))
    found = [Retrieved(article=a, appraisal=appraise(a)) for a in articles(paths, 1_000)]
    for count in (100, 1_000, 10_000):
        measure("appraised", appraised(found, count))


if __name__ == "__main__":
    main()
