"""The design of real articles, against PubMed's tags and a set of trial articles."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from metarag.study_design import classify
from metarag.types import StudyDesign

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = SHARED / "data"

if not DATA.is_dir():
    pytest.skip(f"no shared data at {DATA}", allow_module_level=True)


def load_benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "study_design_benchmark", ROOT / "benchmarks" / "study_design.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = load_benchmark()


def listed(name):
    path = ROOT / "validation" / "study_design" / name
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["pmid"]: row for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def medline():
    records = bench.read_medline(DATA / "pubmed" / "medline_2000.txt.gz")
    return [(record, bench.is_randomised(classify(record.article))) for record in records]


@pytest.fixture(scope="module")
def trials():
    articles = bench.read_trials(DATA / "trials" / "rct_abstracts.jsonl.gz")
    return [(article, classify(article)) for article in articles]


@pytest.fixture(scope="module")
def xml():
    records = bench.read_xml(sorted((DATA / "pubmed").glob("pubmed_real_part*.xml.gz")))
    return [(record, classify(record.article).design) for record in records]


def test_randomised_trials_agree_with_the_tags_as_they_stand(medline):
    rates = bench.rates((ours, bench.has_rct_tag(record)) for record, ours in medline)
    assert rates.precision >= 0.95
    assert rates.recall >= 0.95


def test_randomised_trials_agree_better_with_what_a_reader_says(medline):
    verdicts = bench.read_verdicts()
    rates = bench.rates((ours, bench.corrected_tag(record, verdicts)) for record, ours in medline)
    assert rates.precision >= 0.97
    assert rates.recall >= 0.97


def test_every_disagreement_with_a_tag_was_read(medline):
    disagreements = {record.article.pmid for record, ours in medline if ours != bench.has_rct_tag(record)}
    assert disagreements == set(listed("rct_disagreements.csv"))


def test_trial_articles_are_found_as_trials(trials):
    randomised = sum(bench.is_randomised_or_part(finding) for _, finding in trials)
    any_trial = sum(finding.design in bench.TRIALS for _, finding in trials)
    assert randomised / len(trials) >= 0.88
    assert any_trial / len(trials) >= 0.94


def test_every_trial_article_without_randomisation_is_listed(trials):
    misses = {
        article.pmid or article.pmcid
        for article, finding in trials
        if not bench.is_randomised_or_part(finding)
    }
    assert misses == set(listed("trial_misses.csv"))


@pytest.mark.parametrize("half", ["all", "held out"])
def test_case_reports_are_found_without_their_tag(xml, half):
    chosen = dict(bench.HALVES)[half]
    rates = bench.rates(
        (design is StudyDesign.CASE_REPORT, "case reports" in record.types)
        for record, design in xml
        if chosen(record.article)
    )
    assert rates.precision >= (0.85 if half == "all" else 0.80)
    assert rates.recall >= 0.75


def test_reviews_are_found_without_their_tag(xml):
    rates = bench.rates(
        (design in bench.REVIEWS, bool(record.types & bench.REVIEW_TYPES)) for record, design in xml
    )
    assert rates.precision >= 0.75
    assert rates.recall >= 0.70
