"""From the twenty invented questions to a report, with a scripted model whose accuracy is known beforehand."""

from __future__ import annotations

import re

import pytest
from model_builders import part

from metarag.evaluation.datasets import invented_questions
from metarag.evaluation.report_formats import markdown
from metarag.evaluation.reports import build_report
from metarag.evaluation.results import ItemResult, Outcome
from metarag.evaluation.signature import DatasetSignature, EvaluationSignature, ModelSignature
from metarag.generation.multiple_choice import MultipleChoiceGenerator
from metarag.generation.multiple_choice_options import MultipleChoiceOptions
from metarag.llm.recorded import ScriptedModel
from metarag.pipeline import Pipeline
from metarag.presets import build_pipeline
from metarag.retrieval.corpus import CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus

DATA = invented_questions()
GOLD = {item.question: item.gold for item in DATA}
UNREADABLE = {"scurvy-vitamin", "folic-acid"}
REFUSED = {"cough-drug-class"}
WRONG = {"pneumonia-bacterium", "primary-hypothyroidism"}


def scripted(by_id):
    """Answer right, except where told otherwise."""
    ids = {item.question: item.id for item in DATA}

    def script(request):
        question = part(request.user, "question")
        return by_id(ids[question], GOLD[question])

    return ScriptedModel(script)


def closed_book(id, gold):
    if id in UNREADABLE:
        return "Answer: A or B"
    if id in REFUSED:
        return "I cannot answer this question."
    if id in WRONG:
        return f"Answer: {'B' if gold == 'A' else 'A'}"
    return f"Answer: {gold}"


def with_evidence(id, gold):
    return f"Answer: {gold}" if id not in UNREADABLE else "It depends."


@pytest.fixture(scope="module")
def report():
    generators = {
        "closed_book": MultipleChoiceGenerator(
            scripted(closed_book), MultipleChoiceOptions(closed_book=True)
        ),
        "recommended": MultipleChoiceGenerator(
            scripted(with_evidence), MultipleChoiceOptions(top_n=2, without_evidence="closed_book")
        ),
    }
    pipeline, empty = build_pipeline(), Pipeline([])
    results = []
    with open_demo_corpus() as corpus:
        retriever = CorpusRetriever(corpus)
        for item in DATA:
            question = item.as_question()
            found = retriever.retrieve(question, limit=5).articles
            rankings = {
                "closed_book": empty.rank(question, []),
                "recommended": pipeline.rank(question, found),
            }
            for system, generator in generators.items():
                choice = generator.choose(question, rankings[system])
                results.append(ItemResult.of(item, choice, system=system, model="scripted"))
    signature = EvaluationSignature(
        datasets=(DatasetSignature.of(DATA),),
        models=(ModelSignature(name="scripted"),),
        systems={
            system: generator.options.model_dump(mode="json") for system, generator in generators.items()
        },
    )
    return build_report(results, signature=signature, baseline="closed_book", resamples=500)


def test_accuracy_and_outcomes_are_those_of_the_script(report):
    closed, recommended = report.cells
    assert closed.accuracy == pytest.approx(15 / 20)
    assert [closed.outcomes[outcome] for outcome in Outcome] == [15, 2, 2, 1, 0]
    assert closed.accuracy_answered == pytest.approx(15 / 17)
    assert recommended.accuracy == pytest.approx(18 / 20)
    assert [recommended.outcomes[outcome] for outcome in Outcome] == [18, 0, 2, 0, 0]


def test_the_flips_are_named_and_tested_as_pairs(report):
    (comparison,) = report.comparisons
    assert set(comparison.paired.gained) == WRONG | REFUSED
    assert comparison.paired.lost == ()
    assert comparison.paired.p_value == pytest.approx(2 / 8)
    assert comparison.paired.interval.low >= 0


def test_the_report_shows_evidence_calls_and_signature(report):
    text = markdown(report)
    assert report.cells[0].evidence == 0
    assert 1 < report.cells[1].evidence <= 2
    assert all(cell.calls == 20 for cell in report.cells)
    assert report.warnings == ()
    assert re.search(r"invented\[all\]:20#[0-9a-f]{8}", text)
