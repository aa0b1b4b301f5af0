import pytest
from builders import make_article

from metarag.ablation import ablate
from metarag.config import Settings
from metarag.errors import ConfigurationError

QUESTION = "Do zinc tablets cure fever?"
ARTICLES = [
    make_article(pmid="1", title="Gardens in spring", types=("Meta-Analysis",), abstract="Roses bloomed."),
    make_article(
        pmid="2", title="Zinc tablets for fever", types=("Letter",), abstract="We write on zinc and fever."
    ),
    make_article(pmid="3", title="Zinc tablets and fever", types=("Retracted Publication",)),
    make_article(pmid="4", title="Zinc tablets for fever: a trial", types=("Randomized Controlled Trial",)),
]


def rows(**settings):
    found = ablate(QUESTION, ARTICLES, settings=Settings(**settings), k=2)
    return found, {row.off: row for row in found.rows}


def test_every_combination_is_ranked_once_with_all_stages_first():
    found, by_off = rows()
    assert found.rows[0].off == ()
    assert len(by_off) == len(found.rows) == 2 ** len(found.stages)


def test_all_stages_compared_with_themselves_change_nothing():
    _, by_off = rows()
    assert (by_off[()].overlap, by_off[()].moved) == (1.0, 0.0)


def test_without_eligibility_the_retracted_article_comes_back():
    _, by_off = rows()
    assert by_off[()].excluded == 1
    assert by_off[("eligibility",)].excluded == 0


def test_without_relevance_the_strong_study_of_something_else_rises():
    _, by_off = rows(stages=("eligibility", "relevance", "reliability"))
    assert by_off[()].top[0] == "pmid:4"
    assert by_off[("relevance",)].top[0] == "pmid:1"
    assert by_off[("relevance",)].moved > 0


def test_without_any_stage_the_order_is_the_retrievers():
    found, by_off = rows()
    assert by_off[found.stages].top == ("pmid:1", "pmid:2")


def test_no_articles_are_no_error():
    assert all(row.included == 0 and row.overlap == 1.0 for row in ablate(QUESTION, []).rows)


def test_too_many_stages_are_refused_before_anything_runs():
    with pytest.raises(ConfigurationError, match="combinations"):
        ablate(QUESTION, ARTICLES, settings=Settings(stages=("relevance",) * 9))


def test_at_least_one_article_has_to_be_compared():
    with pytest.raises(ValueError, match="at least 1"):
        ablate(QUESTION, ARTICLES, k=0)
