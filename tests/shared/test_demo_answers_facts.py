"""What the demo answers count for each study is what the facts say that it concluded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from metarag import appraise, rank
from metarag.agreement import agreements
from metarag.generation.extractive import ExtractiveGenerator
from metarag.records import Article
from metarag.resources import data_file
from metarag.types import Question, Retrieved

SHARED = Path(__file__).resolve().parents[3] / "shared"
FACTS = SHARED / "data" / "landmark_facts.jsonl"
pytestmark = pytest.mark.skipif(not FACTS.is_file(), reason=f"the facts are not there: {FACTS}")

# The facts hold one conclusion a study; on these outcomes its result is another, by its own numbers.
COMBINED = "combined:myocardial_infarction+stroke"
OTHER_OUTCOME = {
    (COMBINED, "pmid:19482214"): "events reduced by 12%, the balance with bleeding uncertain",
    (COMBINED, "pmid:30667501"): "0.89 (0.84 to 0.95), the balance with bleeding uncertain",
    (COMBINED, "doi:10.1001/jama.2022.3337"): "0.90 (0.85 to 0.95), the overall conclusion uncertain",
    (COMBINED, "pmid:30146931"): "0.88 (0.79 to 0.97), counterbalanced by bleeding",
    (COMBINED, "pmid:30221597"): "0.95 (0.83 to 1.08), harm by bleeding",
    ("myocardial_infarction", "pmid:25401325"): "non-fatal infarction 0.53 (0.31 to 0.91), the composite neutral",
    ("stroke", "pmid:15753114"): "stroke 0.83 (0.69 to 0.99), the composite neutral",
    ("stroke", "pmid:19482214"): "stroke 0.95 (0.85 to 1.06), the balance of all outcomes uncertain",
    ("all_cause_death", "pmid:6399346"): "1 of 40 and 2 of 36 died, the study uncertain",
    ("all_cause_death", "doi:10.1001/archinte.1987.00370040135023"): "1 death each, fewer arrhythmias",
    ("all_cause_death", "pmid:18184958"): "no difference in deaths, harm by hypoglycaemia",
    ("all_cause_death", "pmid:18312617"): "1.15 (0.98 to 1.35), the study uncertain",
}  # fmt: skip
# Where the facts hold the people analysed, and the text tells all randomised too.
RANDOMISED = {"Metcovid2020": 416}


@pytest.fixture(scope="module")
def rankings():
    """Question and its ranking of the whole corpus, for all eight."""
    lines = data_file("demo_corpus.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [Article.model_validate(json.loads(line)["article"]) for line in lines]
    found = [Retrieved(article=article, appraisal=appraise(article)) for article in articles]
    questions = json.loads(data_file("demo_questions.json").read_text(encoding="utf-8"))
    return [(q, rank(q, found)) for q in (Question(text=asked["text"]) for asked in questions)]


@pytest.fixture(scope="module")
def counted(rankings):
    """Outcome and article to the result that an answer counts."""
    return {
        (agreement.outcome, r.key): r.result.value
        for question, ranking in rankings
        for agreement in agreements(question, ranking)
        for r in agreement.results
    }


@pytest.fixture(scope="module")
def quoted(rankings):
    """Facts of the study with each sentence that quotes it."""
    rows = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    facts = {row["pmid"] or f"doi:{(row['doi'] or '').lower()}": row for row in rows}
    return [
        (facts[sentence.citations[0]], sentence)
        for question, ranking in rankings
        for sentence in ExtractiveGenerator().generate(question, ranking).sentences
        if sentence.quote and sentence.citations[0] in facts
    ]


@pytest.fixture(scope="module")
def conclusions():
    """Article id to the direction of its conclusion in the facts."""
    rows = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    return {
        f"pmid:{row['pmid']}" if row["pmid"] else f"doi:{(row['doi'] or '').lower()}": row[
            "direction_of_conclusion"
        ]
        for row in rows
    }


def test_most_studies_of_the_eight_questions_are_counted(counted):
    assert len(counted) >= 50


def test_each_study_counts_for_what_it_concluded_unless_its_numbers_on_the_outcome_differ(
    counted, conclusions
):
    known = {key: result for key, result in counted.items() if key[1] in conclusions}
    wrong = {key for key, result in known.items() if result != conclusions[key[1]]}
    assert wrong == set(OTHER_OUTCOME)


def test_year_people_and_design_of_what_is_quoted_are_those_of_the_facts(quoted):
    headed = [(row, sentence.text.partition(": “")[0]) for row, sentence in quoted]
    headed = [
        (row, heading) for row, heading in headed if heading[-4:] == str(row["year"]) or "people" in heading
    ]
    assert len(headed) >= 30
    for row, heading in headed:
        assert f", {row['year']}" in heading
        told = re.search(r"([\d,]+) people", heading)
        people = RANDOMISED.get(row["key"], row["population"]["n_total"])
        assert told is None or int(told[1].replace(",", "")) == people, row["key"]
        assert _design(row["design"]) in heading.lower(), (row["key"], heading)


def test_an_effect_that_is_quoted_has_the_numbers_of_the_facts(quoted):
    checked = 0
    for row, sentence in quoted:
        for lower, upper in re.findall(r"(\d*\.\d+)(?: to |-|, )(\d*\.\d+)\)?", sentence.quote.text):
            known = {(o["lo"], o["hi"]) for o in row["outcomes"]}
            assert (float(lower), float(upper)) in known, (row["key"], sentence.text)
            checked += 1
    assert checked >= 20


def _design(told):
    for words, design in (
        ("guideline", "guideline"),
        ("meta-analysis", "meta-analysis"),
        ("systematic review", "meta-analysis"),
        ("randomized", "randomised trial"),
    ):
        if words in told.lower():
            return design
    return "study"
