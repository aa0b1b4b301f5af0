"""How many of the results that answers count on real questions were judged right by a reader.

    python benchmarks/judged_results.py --reviews reviews.sqlite --records records.sqlite [--wrong]

Questions and verdicts: ``validation/results``. The two indexes are built of the records that its README names. A
result that nobody judged is counted apart: it came up after the reading.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from metarag.agreement import agreements
from metarag.presets import rank
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.local_index import open_index
from metarag.types import Question

JUDGED = Path(__file__).resolve().parents[1] / "validation" / "results"
LIMIT = 50


def rows(name: str) -> list[dict[str, str]]:
    with (JUDGED / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def counted(indexes: dict[str, Path]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield set, question, outcome, PMID, result and words of each result that an answer counts."""
    retrievers = {name: CorpusRetriever(open_index(path)) for name, path in indexes.items()}
    for row in rows("questions.csv"):
        question = Question(text=row["question"])
        ranking = rank(question, retrievers[row["index"]].retrieve(question, limit=LIMIT).articles)
        for agreement in agreements(question, ranking):
            for found in agreement.results:
                pmid, result = found.key.removeprefix("pmid:"), found.result.value.replace(" ", "_")
                yield row["set"], row["question"], agreement.outcome, pmid, result, found.span.text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reviews", type=Path, required=True)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--wrong", action="store_true", help="show what was judged wrong, or by nobody")
    given = parser.parse_args()
    verdicts = {
        (row["question"], row["outcome"], row["pmid"], row["result"]): row["verdict"]
        for row in rows("judged.csv")
    }
    counts: Counter[tuple[str, str]] = Counter()
    for of, question, outcome, pmid, result, words in counted(
        {"reviews": given.reviews, "records": given.records}
    ):
        verdict = verdicts.get((question, outcome, pmid, result), "not judged")
        counts[of, verdict] += 1
        if given.wrong and verdict != "right":
            print(f"{verdict}: {question} {pmid} {result}\n    {words[:200]}")
    for of in sorted({of for of, _ in counts}):
        print(f"set {of}: " + ", ".join(f"{n} {v}" for (s, v), n in sorted(counts.items()) if s == of))


if __name__ == "__main__":
    main()
