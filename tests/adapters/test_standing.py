"""Documents of other systems that say they are retracted, in metadata or in their own text."""

import pytest

from metarag.adapters.documents import HostDocument
from metarag.adapters.reranking import Reranker

QUESTION = "Do imaginary tablets prevent stroke?"
TITLE = "Imaginary tablets and stroke in adults: a randomised trial"
TEXT = "We randomised 400 adults to tablets or placebo. Stroke was rarer with tablets (RR 0.80, 95% CI 0.70 to 0.91)."


def reranked(*documents):
    given = [HostDocument(text=text, metadata=metadata) for text, metadata in documents]
    found = Reranker().rank(QUESTION, given)
    return {item.index: item.result for item in found}


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        (TEXT, {"title": TITLE, "retracted": True}),
        (TEXT, {"title": TITLE, "publication_types": [" Retracted Publication "]}),
        (TEXT, {"title": TITLE, "publication_types": ["retracted publication"]}),
        (TEXT, {"title": f"RETRACTED: {TITLE}"}),
        (f"RETRACTED: {TITLE}\n{TEXT}", {}),
        (f"RETRACTED: {TITLE}. {TEXT}", {}),
        (f"[Retracted] {TITLE}\n\n{TEXT}", {}),
        (f"Title: {TITLE} (Retracted)\nAbstract: {TEXT}", {}),
        (f"{TITLE}\nThis article has been retracted at the request of the authors.", {}),
    ],
)
def test_a_retracted_document_is_left_out_and_says_why(text, metadata):
    result = reranked((text, metadata))[0]
    assert result["excluded"]
    assert result["retraction"] == "retracted"


@pytest.mark.parametrize("ids", [{"pmid": "1"}, {"doi": "10.1000/AB"}, {}])
def test_a_clean_passage_of_a_retracted_article_is_left_out_too(ids):
    clean = (TEXT, {"title": TITLE, **ids})
    told = ("Other words of it.", {"title": TITLE, "retracted": True, **ids})
    results = reranked(clean, told)
    assert [results[n]["excluded"] for n in (0, 1)] == [True, True]
    assert "copy" in results[0]["reason"]


@pytest.mark.parametrize("title", ["Retracted articles in neurology: a survey", "Withdrawn drugs for stroke"])
def test_a_document_about_retractions_stays(title):
    assert not reranked((f"{title}\n{TEXT} We excluded retracted trials.", {}))[0]["excluded"]
