"""How well the design of an article is found, against PubMed's tags and a set of trial articles.

    python benchmarks/study_design.py [--shared PATH]

Publication types are hidden; the design is judged from title, abstract and MeSH headings. "dev" are the
records with an even PMID, on which the rules were written; "held out" are the others. A record that occurs
twice counts once, as it came first.

What counts as a hit:
- randomised: a randomised (or n-of-1) trial, or a secondary analysis of a randomised trial, because PubMed
  tags those as randomised trials, too; for the trial articles also the protocol of a randomised trial;
- any trial: those, and any other trial, secondary analysis or protocol;
- case report: the design case report;
- review: any review or meta-analysis.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from Bio import Medline

from metarag.records import AbstractSection, Article, MeshHeading
from metarag.retrieval.pubmed_xml import read_pubmed_xml
from metarag.study_design import classify
from metarag.types import DesignFinding, StudyDesign

ROOT = Path(__file__).resolve().parents[1]
VERDICTS = ROOT / "validation" / "study_design" / "rct_disagreements.csv"

TRIALS = frozenset(
    {
        StudyDesign.RANDOMIZED_TRIAL,
        StudyDesign.N_OF_1_TRIAL,
        StudyDesign.QUASI_RANDOMIZED_TRIAL,
        StudyDesign.NON_RANDOMIZED_TRIAL,
        StudyDesign.SINGLE_ARM_TRIAL,
        StudyDesign.CLINICAL_TRIAL,
        StudyDesign.SECONDARY_ANALYSIS,
        StudyDesign.PROTOCOL,
    }
)
REVIEWS = frozenset(
    {
        StudyDesign.SYSTEMATIC_REVIEW,
        StudyDesign.META_ANALYSIS,
        StudyDesign.NETWORK_META_ANALYSIS,
        StudyDesign.UMBRELLA_REVIEW,
        StudyDesign.SCOPING_REVIEW,
        StudyDesign.NARRATIVE_REVIEW,
    }
)
REVIEW_TYPES = frozenset(
    {"review", "systematic review", "meta-analysis", "scoping review", "network meta-analysis"}
)


class Tagged(NamedTuple):
    """An article whose publication types are hidden, and those types in small letters."""

    article: Article
    types: frozenset[str]


class Rates(NamedTuple):
    """Counts of a two-by-two comparison with its precision and recall."""

    hits: int
    false_alarms: int
    misses: int

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false_alarms)

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.misses)

    def __str__(self) -> str:
        counts = f"{self.hits} right, {self.false_alarms} too many, {self.misses} missed"
        return f"precision {self.precision:.3f}  recall {self.recall:.3f}  ({counts})"


def rates(pairs: Iterable[tuple[bool, bool]]) -> Rates:
    """Compare pairs of (found, wanted)."""
    found = list(pairs)
    return Rates(
        hits=sum(ours and theirs for ours, theirs in found),
        false_alarms=sum(ours and not theirs for ours, theirs in found),
        misses=sum(theirs and not ours for ours, theirs in found),
    )


def is_randomised(finding: DesignFinding) -> bool:
    if finding.design in (StudyDesign.RANDOMIZED_TRIAL, StudyDesign.N_OF_1_TRIAL):
        return True
    return finding.design is StudyDesign.SECONDARY_ANALYSIS and "of_randomized_trial" in finding.labels


def is_randomised_or_part(finding: DesignFinding) -> bool:
    planned = finding.design is StudyDesign.PROTOCOL and "of_randomized_trial" in finding.labels
    return planned or is_randomised(finding)


def read_medline(path: Path) -> list[Tagged]:
    """Read MEDLINE format; of records with one PMID the first stands."""
    found: dict[str, Tagged] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in Medline.parse(lines):
            if record.get("PMID") and record["PMID"] not in found:
                types = frozenset(name.casefold() for name in record.get("PT", ()))
                found[record["PMID"]] = Tagged(_medline_article(record), types)
    return list(found.values())


def _medline_article(record: Medline.Record) -> Article:
    headings = [line.split("/") for line in record.get("MH", ())]
    return Article(
        pmid=record["PMID"],
        title=record.get("TI", ""),
        abstract_sections=(AbstractSection(text=record["AB"]),) if record.get("AB") else (),
        mesh=tuple(MeshHeading(descriptor=name.strip("*")) for name, *_ in headings),
        status=record.get("STAT"),
    )


def read_xml(paths: Iterable[Path]) -> list[Tagged]:
    """Read PubMed XML; of records with one PMID the first stands; records without abstract are left out."""
    found: dict[str, Tagged] = {}
    for path in paths:
        for record in read_pubmed_xml(path):
            if isinstance(record, Article) and record.abstract and record.id not in found:
                types = frozenset(kind.name.casefold() for kind in record.publication_types)
                hidden = record.model_copy(update={"publication_types": ()})
                found[record.id] = Tagged(hidden, types)
    return list(found.values())


def read_trials(path: Path) -> Iterator[Article]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            sections = [
                AbstractSection(text=part["text"], label=part["label"] or None)
                for part in record["abstract"]
                if part["text"]
            ]
            yield Article(
                pmid=record.get("pmid") or None,
                pmcid=record["pmcid"],
                title=record["title"] or "",
                abstract_sections=tuple(sections),
            )


def is_dev(article: Article) -> bool:
    number = article.pmid or (article.pmcid or "").removeprefix("PMC") or "0"
    return int(number) % 2 == 0


def corrected_tag(tagged: Tagged, verdicts: dict[str, str]) -> bool:
    """Return PubMed's tag, or the verdict where the record was read."""
    verdict = verdicts.get(tagged.article.pmid or "")
    return verdict == "rct" if verdict else has_rct_tag(tagged)


def has_rct_tag(tagged: Tagged) -> bool:
    return "randomized controlled trial" in tagged.types


def read_verdicts(path: Path = VERDICTS) -> dict[str, str]:
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["pmid"]: row["verdict"] for row in csv.DictReader(lines)}


HALVES: tuple[tuple[str, Callable[[Article], bool]], ...] = (
    ("dev", is_dev),
    ("held out", lambda article: not is_dev(article)),
    ("all", lambda article: True),
)


def report_tagged(name: str, data: list[Tagged], found: list[bool], wanted: list[bool]) -> None:
    for half, chosen in HALVES:
        pairs = [pair for tagged, *pair in zip(data, found, wanted, strict=True) if chosen(tagged.article)]
        print(f"  {name:34} {half:9} n={len(pairs):5}  {rates((ours, theirs) for ours, theirs in pairs)}")


def report_share(name: str, articles: list[Article], found: list[bool]) -> None:
    for half, chosen in HALVES:
        hits = [hit for article, hit in zip(articles, found, strict=True) if chosen(article)]
        print(f"  {name:34} {half:9} n={len(hits):5}  share {sum(hits) / len(hits):.3f}  ({sum(hits)})")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    shared = parser.parse_args().shared / "data"
    medline = read_medline(shared / "pubmed" / "medline_2000.txt.gz")
    xml = read_xml(sorted((shared / "pubmed").glob("pubmed_real_part*.xml.gz")))
    trials = list(read_trials(shared / "trials" / "rct_abstracts.jsonl.gz"))
    classify(medline[0].article)  # reads the weights
    start = time.process_time()
    on_medline = [classify(tagged.article) for tagged in medline]
    on_xml = [classify(tagged.article) for tagged in xml]
    on_trials = [classify(article) for article in trials]
    seconds = time.process_time() - start
    count = len(medline) + len(xml) + len(trials)

    print("MEDLINE records of 2000, types hidden")
    randomised = [is_randomised(finding) for finding in on_medline]
    report_tagged("randomised, tags as they stand", medline, randomised, [has_rct_tag(t) for t in medline])
    verdicts = read_verdicts()
    truth = [corrected_tag(tagged, verdicts) for tagged in medline]
    report_tagged(f"randomised, {len(verdicts)} tags checked", medline, randomised, truth)
    print("Trial articles")
    report_share("randomised or part of it", trials, [is_randomised_or_part(f) for f in on_trials])
    report_share("any trial", trials, [finding.design in TRIALS for finding in on_trials])
    print("PubMed XML with abstract, types hidden")
    case_reports = [finding.design is StudyDesign.CASE_REPORT for finding in on_xml]
    report_tagged("case report", xml, case_reports, ["case reports" in tagged.types for tagged in xml])
    reviews = [finding.design in REVIEWS for finding in on_xml]
    report_tagged("any review", xml, reviews, [bool(tagged.types & REVIEW_TYPES) for tagged in xml])
    print(f"Speed: {count / seconds:,.0f} articles a second of one core ({count} in {seconds:.2f} s)")
    print(f"Machine: {platform.machine()}, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
