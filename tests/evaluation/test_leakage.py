"""The article that a question was made from is no evidence for it."""

from __future__ import annotations

from builders import make_article

from metarag.evaluation.items import Item
from metarag.evaluation.leakage import without_sources
from metarag.types import Retrieved

ITEM = Item(
    id="1",
    dataset="pubmedqa",
    question="Do they help?",
    options={"A": "yes", "B": "no"},
    gold="A",
    source_pmids=("101", "999"),
)


def test_the_source_is_taken_out_and_named_and_the_order_of_the_others_stays():
    given = [make_article(pmid="103"), Retrieved(article=make_article(pmid="101")), make_article(pmid="102")]
    found = without_sources(ITEM, [*given, make_article(pmid="101")])
    assert [getattr(a, "article", a).pmid for a in found.articles] == ["103", "102"]
    assert found.removed == ("101",)


def test_articles_without_a_pmid_and_questions_without_sources_lose_nothing():
    bare = make_article(pmid=None, title="A text")
    assert without_sources(ITEM, [bare]).articles == (bare,)
    other = ITEM.model_copy(update={"source_pmids": ()})
    assert len(without_sources(other, [make_article(pmid="101")]).articles) == 1
