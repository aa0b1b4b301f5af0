"""How many articles a second are appraised on one core, and what each part takes.

    python benchmarks/appraisal.py [FILE] [--rounds N]

FILE holds records in any format that ``read_records`` knows; by default the 500 MEDLINE records of the shared
data. Each part is timed alone over all records, the best of N rounds; texts that several parts read are cut
into words once in ``appraise`` and again for each part that is timed alone. Processor time is what can be
compared on a busy machine; wall-clock time is given beside it. The first two lines are repeated for the
records with an abstract alone, which take longer.

"Reliability" is what tells the kind of study and how well it was reported: design, retraction, sample size,
registrations, reporting checks and reported facts. Effects are timed beside it, and the facets of a question.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from metarag.appraisal import appraise
from metarag.design_registry import registrations
from metarag.effect_sizes import extract_effects
from metarag.pico_article import article_pico
from metarag.records import Article
from metarag.reported_reader import read_facts
from metarag.reporting_checks import checks_given, reporting_checks
from metarag.retraction import retraction_status
from metarag.retrieval.records_file import read_records
from metarag.sample_size import extract_sample_size
from metarag.study_design import classify
from metarag.types import DesignFinding, StudyDesign

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT.parent / "shared" / "data" / "pubmed" / "medline_2000.txt.gz"
HOSTILE = ("we report a ", "case ", "n = 12 ", "one two three ", "not assigned at random ", "İ", "a")
MEGABYTE = 1_000_000
TRIAL = DesignFinding(design=StudyDesign.CLINICAL_TRIAL, confidence=0.9)


def seconds(run: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the best processor time and the best wall-clock time of the rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time(), time.perf_counter()
        run()
        times.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return min(processor for processor, _ in times), min(wall for _, wall in times)


def report(name: str, articles: Sequence[Article], part: Callable[[Article], object], rounds: int) -> None:
    processor, wall = seconds(lambda: [part(article) for article in articles], rounds)
    count = len(articles)
    print(
        f"{name:24}{count / processor:9,.0f} articles/s of processor time{processor / count * 1e6:8.0f} µs"
        f"{count / wall:9,.0f} articles/s of wall time"
    )


def checks(article: Article) -> object:
    return reporting_checks(article, classify(article))


def rules(article: Article) -> object:
    """Design, size, registrations and checks as ``appraise`` reads them: each once."""
    design, known, size = classify(article), registrations(article), extract_sample_size(article)
    return checks_given(article, design, known, size)


def reliability(article: Article) -> object:
    """What ``appraise`` reads for the reliability of an article, each part once."""
    return rules(article), retraction_status(article), read_facts(article)


def effects(article: Article) -> object:
    return extract_effects(article.abstract, where="abstract") if article.abstract else ()


def report_hostile() -> None:
    print("\nOne megabyte of one phrase, processor time of design, size, checks and registrations together:")
    for phrase in HOSTILE:
        text = phrase * (MEGABYTE // len(phrase))
        article = Article.model_validate({"pmid": "1", "abstract_sections": [{"text": text}]})

        def read(one: Article = article) -> object:
            return classify(one), reporting_checks(one, TRIAL), extract_sample_size(one), registrations(one)

        print(f"  {phrase!r:28}{seconds(read, 1)[0]:6.2f} s")


def report_import() -> None:
    """Time imports in new processes: what the library's own modules add to the types they stand on."""
    for name, statement in (
        ("metarag.types alone", "import metarag.types"),
        ("with study_design", "import metarag.types, metarag.study_design"),
    ):
        code = f"import time; start = time.process_time(); {statement}; print(time.process_time() - start)"
        runs = [
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
            for _ in range(5)
        ]
        print(f"import, {name:24}{min(float(run.stdout) for run in runs) * 1e3:6.0f} ms of processor time")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=RECORDS)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    articles = [record for record in read_records(options.file) if isinstance(record, Article)]
    with_abstract = [article for article in articles if article.abstract]
    print(f"command: python benchmarks/appraisal.py {' '.join(sys.argv[1:])}".strip())
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores", end="")
    print(f", load {os.getloadavg()[0]:.1f}")
    print(f"{len(articles)} records of {options.file.name}, {len(with_abstract)} with an abstract\n")
    for article in articles:
        appraise(article)  # compiles the patterns and reads the weights
    for name, part in (
        ("appraise, all parts", appraise),
        ("reliability", reliability),
        ("the four rule parts", rules),
        ("classify", classify),
        ("extract_sample_size", extract_sample_size),
        ("registrations", registrations),
        ("classify, then checks", checks),
        ("extract_effects", effects),
        ("article_pico", article_pico),
        ("retraction_status", retraction_status),
        ("read_facts", read_facts),
    ):
        report(name, articles, part, options.rounds)
    print("\nthe records with an abstract alone:")
    for name, part in (("appraise, all parts", appraise), ("reliability", reliability)):
        report(name, with_abstract, part, options.rounds)
    report_hostile()
    print()
    report_import()


if __name__ == "__main__":
    main()
