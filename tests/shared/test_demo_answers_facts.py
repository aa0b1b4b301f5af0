"""What the demo answers count for each study is what the facts say that it concluded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metarag import appraise, rank
from metarag.agreement import agreements
from metarag.records import Article
from metarag.resources import data_file
from metarag.types import Question, Retrieved

SHARED = Path(__file__).resolve().parents[3] / "shared"
FACTS = SHARED / "data" / "landmark_facts.jsonl"
pytestmark = pytest.mark.skipif(not FACTS.is_file(), reason=f"the facts are not there: {FACTS}")

# The facts hold one conclusion a study; on these outcomes its result is another, by its own numbers.
OTHER_OUTCOME = {
    ("myocardial_infarction", "pmid:25401325"): "non-fatal infarction 0.53 (0.31 to 0.91), the composite neutral",
    ("stroke", "pmid:15753114"): "stroke 0.83 (0.69 to 0.99), the composite neutral",
    ("stroke", "pmid:19482214"): "stroke 0.95 (0.85 to 1.06), the balance of all outcomes uncertain",
    ("all_cause_death", "pmid:6399346"): "1 of 40 and 2 of 36 died, the study uncertain",
    ("all_cause_death", "doi:10.1001/archinte.1987.00370040135023"): "1 death each, fewer arrhythmias",
    ("all_cause_death", "pmid:18184958"): "no difference in deaths, harm by hypoglycaemia",
    ("all_cause_death", "pmid:18312617"): "1.15 (0.98 to 1.35), the study uncertain",
}  # fmt: skip


@pytest.fixture(scope="module")
def counted():
    """Outcome and article to the result that an answer counts."""
    lines = data_file("demo_corpus.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [Article.model_validate(json.loads(line)["article"]) for line in lines]
    found = [Retrieved(article=article, appraisal=appraise(article)) for article in articles]
    results = {}
    for asked in json.loads(data_file("demo_questions.json").read_text(encoding="utf-8")):
        question = Question(text=asked["text"])
        for agreement in agreements(question, rank(question, found)):
            results |= {(agreement.outcome, r.key): r.result.value for r in agreement.results}
    return results


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
