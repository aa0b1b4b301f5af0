"""The report and the pages: time to start, to render and to answer, size, and six people at once.

Run: python benchmarks/report.py [--people 6] [--index FILE]
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from metarag.rag import MetaRag
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus
from metarag.retrieval.local_index import open_index
from metarag.runs import RunRecord

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"
READS_PAGES = {"Accept": "text/html"}
RENDER = """
import sys, time
from pathlib import Path
from metarag.runs import load_run
run = load_run(Path(sys.argv[1]))
times = []
for _ in range(int(sys.argv[2])):
    began = time.perf_counter()
    from metarag.report.html import render_html
    size = len(render_html(run).encode())
    times.append(time.perf_counter() - began)
print(*times, size)
"""


def a_run(index: Path | None) -> RunRecord:
    """Ask an index for a hundred articles, or the demo corpus for as many as it has on the question."""
    with open_index(index) if index else open_demo_corpus() as corpus:
        return RunRecord.of(MetaRag(CorpusRetriever(corpus), limit=100).ask(QUESTION))


def show_rendering(folder: Path, index: Path | None) -> None:
    run = a_run(index)
    path = folder / "run.json"
    path.write_text(run.model_dump_json(), encoding="utf-8")
    firsts, laters, size = [], [], 0.0
    for _ in range(5):
        command = [sys.executable, "-c", RENDER, str(path), "5"]
        *times, size = map(float, subprocess.check_output(command, text=True).split())
        firsts.append(times[0])
        laters += times[1:]
    audit = run.ranking.audit
    print(f"report of {len(audit.identified)} articles: {size / 1000:,.0f} KB")
    print(f"  first in a process, imports and templates included: {statistics.median(firsts) * 1000:.0f} ms")
    print(f"  later ones: {statistics.median(laters) * 1000:.0f} ms (medians of 5 processes)")


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def started(folder: Path) -> tuple[subprocess.Popen[str], str, float]:
    """Start the pages; return process, address, and the seconds until a page was there."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "metarag", "serve", "--port", "0", "--folder", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    url = re.search(r"http://[\d.:]+", process.stderr.readline())[0]
    httpx.get(url, headers=READS_PAGES, trust_env=False).raise_for_status()
    return process, url, time.perf_counter() - began


def ask(url: str) -> None:
    """Ask as a browser does, without the wait between two looks at the job that a person has."""
    with httpx.Client(base_url=url, headers=READS_PAGES, follow_redirects=True, trust_env=False) as browser:
        form = re.search(r'name="form" value="([^"]+)"', browser.get("/").text)[1]
        page = browser.post("/start", data={"form": form, "question": QUESTION, "where": "demo"})
        while "/runs/" not in page.url.path:
            page.raise_for_status()
            time.sleep(0.02)
            page = browser.get(page.url.path)
        browser.get(f"{page.url.path}/report").raise_for_status()


def show_pages(folder: Path, people: int) -> None:
    starts = []
    for _ in range(3):
        process, url, seconds = started(folder)
        starts.append(seconds)
        if len(starts) < 3:
            process.terminate()
            process.wait()
    try:
        print(f"start until the first page: {statistics.median(starts):.2f} s (median of 3)")
        ask(url)
        alone = statistics.median(timed(lambda: ask(url)) for _ in range(5))
        together: list[float] = []
        threads = [
            threading.Thread(target=lambda: together.append(timed(lambda: ask(url)))) for _ in range(people)
        ]
        whole = timed(lambda: ([t.start() for t in threads], [t.join() for t in threads]))
        print(f"from question to report, one person: {alone:.2f} s (median of 5)")
        print(
            f"{people} at once: {min(together):.2f} to {max(together):.2f} s each, {whole:.2f} s in all"
            f" ({whole / people:.2f} s a person)"
        )
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=6)
    parser.add_argument("--index", type=Path, help="of real records, for the report of a hundred of them")
    given = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    )
    with tempfile.TemporaryDirectory() as folder:
        show_rendering(Path(folder), given.index)
        show_pages(Path(folder) / "runs", given.people)


if __name__ == "__main__":
    main()
