"""What the models were given to read: likeness to the right answer, and what gives the answer away."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation.result_builders import make_result, make_signature

from metarag.evaluation.evidence_report import look_at, shares_words
from metarag.evaluation.items import Dataset, Item
from metarag.evaluation.pools import StoredPool
from metarag.evaluation.report_formats import csv_text, json_text, markdown
from metarag.evaluation.reports import build_report
from metarag.records import AbstractSection, Article
from metarag.types import Retrieved

ITEM = Item(
    id="q1",
    dataset="d",
    question="Does imaginol lower fever in adults?",
    options={"A": "It lowers fever by two degrees", "B": "It raises blood pressure"},
    gold="A",
)
DATA = Dataset(name="d", sha256="0" * 64, items=(ITEM,))


def article(pmid, text):
    return Retrieved(
        article=Article(pmid=pmid, title="Report", abstract_sections=(AbstractSection(text=text),))
    )


POOL = StoredPool(
    dataset="d",
    item="q1",
    query="imaginol fever",
    articles=(
        article("1", "Imaginol lowers fever by two degrees in adults."),
        article("2", "Beetles of the northern woods."),
    ),
    removed=("99",),
)
RESULTS = (
    make_result("q1", "A", system="good", evidence=("pmid:1",)),
    make_result("q1", "B", system="bad", evidence=("pmid:2", "pmid:2#2")),
    make_result("q1", "B", system="closed"),
)


def test_evidence_like_the_right_answer_scores_higher_than_evidence_of_something_else():
    found = {each.system: each for each in look_at(RESULTS, [DATA], [POOL]).cells}
    assert found["good"].similarity > 0.5 > found["bad"].similarity
    assert found["closed"].similarity is None
    assert (found["good"].questions, found["closed"].questions, found["closed"].without) == (1, 0, 1)


def test_the_embedder_is_named_and_gets_the_claim_with_the_right_option():
    seen = []

    class Named:
        name = "named-7"

        def embed(self, texts):
            seen.extend(texts)
            return np.ones((len(texts), 2))

    found = look_at(RESULTS[:1], [DATA], [POOL], embedder=Named())
    assert found.embedder == "named-7"
    assert seen[0] == f"{ITEM.question} {ITEM.options['A']}"
    assert found.cells[0].similarity == pytest.approx(1)


def test_what_was_taken_out_and_what_overlaps_is_counted():
    (leak,) = look_at(RESULTS, [DATA], [POOL]).leakage
    assert (leak.questions, leak.sources_removed, leak.overlapping) == (1, 1, ())
    copied = POOL.model_copy(update={"articles": (article("3", f"Asked: {ITEM.question} Yes."),)})
    (leak,) = look_at(RESULTS, [DATA], [copied]).leakage
    assert leak.overlapping == ("q1",)


def test_a_question_shares_thirteen_words_or_all_of_it():
    words = [f"w{n}" for n in range(20)]
    assert shares_words(" ".join(words), f"x {' '.join(words[3:16])}, y")
    assert not shares_words(" ".join(words), f"x {' '.join(words[3:15])} y")
    assert shares_words("Does imaginol lower fever in adults?", "DOES IMAGINOL LOWER FEVER: IN ADULTS")
    assert not shares_words("Which drug is it?", "which drug is it")
    assert not shares_words("Does imaginol lower fever in adults?", "does imaginol lower fever in adultshood")


def test_a_report_shows_both_with_the_name_of_the_measure():
    signature = make_signature(items=1, systems=("good", "bad", "closed"))
    report = build_report(RESULTS, signature=signature, shown=look_at(RESULTS, [DATA], [POOL]))
    text = markdown(report)
    good, bad = (line for line in text.splitlines() if "lexical-1" in line and line.startswith("| d"))
    assert " good " in good
    assert " bad " in bad
    assert "| d | 1 | 1 | 0 |" in text
    assert "It is a proxy" in text
    assert '"embedder": "lexical-1"' in json_text(report)
    assert "lexical-1" in csv_text(report)
    assert "lexical-1" not in markdown(build_report(RESULTS, signature=signature))
