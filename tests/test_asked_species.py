"""A question about animals is not answered by studies in people, and the other way round."""

import pytest
from builders import make_article

from metarag import rank

PEOPLE = make_article(
    "1",
    "Zinc for colds: a randomised trial",
    "We randomly assigned 400 adults with colds to zinc or placebo.",
)
RATS = make_article(
    "2",
    "Zinc in rats with colds",
    "Forty rats with colds were randomised to zinc or vehicle. The rats lived.",
)
SILENT = make_article("3", "Zinc for colds", "Zinc was compared with placebo.")


def reasons(question):
    ranking = rank(question, [PEOPLE, RATS, SILENT])
    return {d.key: d.reason for d in ranking.audit.decisions if d.stage == "extrapolation"}, ranking


@pytest.mark.parametrize("animals", ["rats", "dogs", "animals", "mice"])
def test_people_do_not_fit_a_question_about_animals(animals):
    told, ranking = reasons(f"Does zinc shorten colds in {animals}?")
    assert "population mismatch: people; the question is about animals" in told["pmid:1"]
    assert "mismatch" not in told["pmid:2"]
    assert "mismatch" not in told["pmid:3"]
    fits = {item.key: item.applicability for item in ranking}
    assert fits["pmid:1"] < fits["pmid:3"] < fits["pmid:2"]


def test_animals_are_left_out_of_a_question_about_people():
    told, ranking = reasons("Does zinc shorten colds?")
    assert told["pmid:2"].startswith("Does not apply: animals only")
    assert [item.key for item in ranking.excluded] == ["pmid:2"]
