"""Time of a ranking: fresh articles (appraised on the way) and appraised ones, by number of articles.

    python benchmarks/ranking.py PUBMED_XML_OR_MEDLINE ...

Prints milliseconds of processor time and of wall time on one core; records are repeated with new PMIDs where
the files hold fewer than asked for.
"""

from __future__ import annotations

import argparse
import platform
import time
from itertools import cycle, islice
from pathlib import Path

from metarag.appraisal import appraise
from metarag.presets import build_pipeline
from metarag.records import Article
from metarag.retrieval.records_file import read_records
from metarag.types import Question, Retrieved

QUESTION = Question(text="Does aspirin reduce mortality in adults with acute myocardial infarction?")
REPEATS = 3


def articles(paths: list[Path], count: int) -> list[Article]:
    read = [record for path in paths for record in read_records(path) if isinstance(record, Article)]
    made = islice(cycle(read), count)
    return [Article(**{**dict(article), "pmid": str(10_000_000 + n)}) for n, article in enumerate(made)]


def measure(label: str, candidates: list[Article] | list[Retrieved]) -> None:
    pipeline = build_pipeline()
    pipeline.rank(QUESTION, candidates[:3])
    best = []
    for _ in range(REPEATS):
        cpu, wall = time.process_time(), time.perf_counter()
        pipeline.rank(QUESTION, candidates)
        best.append((time.process_time() - cpu, time.perf_counter() - wall))
    cpu, wall = min(best)
    each = cpu / len(candidates)
    print(f"{label:>24} {len(candidates):>7} {cpu * 1e3:>10.1f} {wall * 1e3:>10.1f} {each * 1e6:>12.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    paths = parser.parse_args().files
    processor = platform.processor() or "processor unknown"
    print(f"{platform.machine()}, {processor}, Python {platform.python_version()}")
    print(f"{'':>24} {'number':>7} {'cpu ms':>10} {'wall ms':>10} {'us/article':>12}")
    measure("fresh", articles(paths, 100))
    for count in (100, 1_000, 10_000):
        found = [Retrieved(article=a, appraisal=appraise(a)) for a in articles(paths, min(count, 1_000))]
        many = [
            Retrieved(
                article=(copy := Article(**{**dict(f.article), "pmid": str(20_000_000 + n)})),
                appraisal=f.appraisal.model_copy(update={"article_id": copy.id}) if f.appraisal else None,
            )
            for n, f in enumerate(islice(cycle(found), count))
        ]
        measure("appraised", many)


if __name__ == "__main__":
    main()
