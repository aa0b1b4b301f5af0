"""How often the result that an answer counts for a trial is the labelled one, on Evidence Inference 2.0.

    python benchmarks/answer_results.py PATH_TO_TRIALS [--wrong]

Data: `rct_abstracts.jsonl.gz` (title and abstract) and `outcome_labels.jsonl` (intervention, comparator, outcome and
what became of it). Taken are outcomes whose words are nothing but the name of an outcome that metarag knows. An answer
may say nothing of an outcome; what it says has to be right.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from metarag.appraisal import appraise
from metarag.outcome_keys import OutcomeKey, outcomes_in
from metarag.records import AbstractSection, Article
from metarag.results import Result, article_result
from metarag.types import Evidence

SAME = "0"
UP = "1"


def known_outcome(words: str) -> OutcomeKey | None:
    """Return the outcome that the words name, if they say nothing else."""
    named = outcomes_in(words)
    if len(named) != 1 or "+" in named[0].key:
        return None
    return named[0] if words[: named[0].start].strip() == words[named[0].end :].strip() == "" else None


def expected(code: str, outcome: OutcomeKey) -> Result:
    """Return what a label means for the patient."""
    if code == SAME:
        return Result.NO_DIFFERENCE
    return Result.HARM if (code == UP) is ((outcome.polarity or "harm") == "harm") else Result.BENEFIT


def trials(path: Path) -> dict[str, Article]:
    """Return the trials by PMCID."""
    read = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sections = tuple(
                AbstractSection(label=section.get("label"), text=section["text"])
                for section in row["abstract"]
                if section.get("text")
            )
            read[row["pmcid"]] = Article(
                pmid=row["pmid"] or None, title=row["title"], abstract_sections=sections
            )
    return read


def judged(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield right, wrong or silent for each labelled outcome, with what a reader has to see."""
    known = trials(folder / "rct_abstracts.jsonl.gz")
    for line in (folder / "outcome_labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        outcome, article = known_outcome(row["outcome"]), known.get(row["pmcid"])
        if outcome is None or article is None or row["valid_label"] != "True":
            continue
        item = Evidence(key=article.id, article=article, appraisal=appraise(article), retrieval_rank=1)
        found = article_result(item, outcome)
        if found is None:
            yield "silent", row["outcome"]
            continue
        wanted = expected(row["label_code"].strip(), outcome)
        told = f"{row['pmcid']} {row['outcome']}: {found.result} by {found.basis}, labelled {wanted}"
        yield ("right" if found.result is wanted else "wrong"), f"{told}\n    {found.span.text[:200]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true", help="show what was read wrong")
    given = parser.parse_args()
    results = list(judged(given.folder))
    for name, count in Counter(kind for kind, _ in results).items():
        print(f"{count:5}  {name}")
    for kind, told in results:
        if given.wrong and kind == "wrong":
            print(told)


if __name__ == "__main__":
    main()
