"""How like articles are to the claim with the right option."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.evaluation.evidence_quality import (
    EvidenceQuality,
    LexicalEmbedder,
    evidence_quality,
    gold_claim,
    mean_quality,
)
from metarag.evaluation.items import Item
from metarag.stances import claims_of

ITEM = Item(
    id="1",
    dataset="d",
    question="Which tablet lowers invented fever?",
    options={"A": "Imaginol", "B": "Placebol"},
    gold="A",
)


def test_the_gold_claim_is_the_papers_claim_of_the_right_option():
    (gold,) = [claim.text for claim in claims_of(ITEM.as_question()) if claim.id == ITEM.gold]
    assert gold_claim(ITEM) == gold


def test_an_article_on_the_right_option_is_more_like_the_claim_than_one_on_the_wrong():
    right, wrong, other = evidence_quality(
        ITEM, ["Imaginol tablets lowered fever.", "Placebol tablets and fever.", "Surgery of the knee."]
    ).similarities
    assert right > wrong > other == 0


def test_the_claim_itself_is_like_the_claim_and_no_text_like_nothing():
    same, empty = evidence_quality(ITEM, [gold_claim(ITEM), ""]).similarities
    assert same == pytest.approx(1)
    assert empty == 0


def test_a_cosine_by_hand():
    # Claim: which(no) tablet lower invented fever imaginol -> 5 stems; text: fever twice, tablet once.
    (value,) = evidence_quality(ITEM, ["fever fever tablet"]).similarities
    twice = 1 + np.log(2)
    assert value == pytest.approx((1 + twice) / (np.sqrt(5) * np.sqrt(1 + twice**2)))


@given(st.lists(st.text(alphabet="abc ", max_size=20), max_size=4))
def test_a_similarity_does_not_depend_on_the_other_articles(others):
    (alone,) = evidence_quality(ITEM, ["Imaginol and fever"]).similarities
    assert evidence_quality(ITEM, ["Imaginol and fever", *others]).similarities[0] == pytest.approx(alone)


def test_an_embedder_of_ones_own_gives_the_number_its_name():
    class Counting:
        name = "counting@2"

        def embed(self, texts):
            return np.array([[len(text), 1.0] for text in texts])

    found = evidence_quality(ITEM, ["x"], embedder=Counting())
    assert found.embedder == "counting@2"
    assert found.mean == pytest.approx(found.similarities[0])


@pytest.mark.parametrize("vectors", [np.zeros((1, 2)), np.full((2, 2), np.nan), np.zeros(2)])
def test_an_embedder_that_breaks_its_promise_is_named(vectors):
    class Broken:
        name = "broken"

        def embed(self, texts):
            return vectors

    with pytest.raises(ValueError, match="'broken' must return"):
        evidence_quality(ITEM, ["x"], embedder=Broken())


def test_means_are_over_questions_and_not_over_articles():
    few, many = EvidenceQuality("e", (1.0,)), EvidenceQuality("e", (0.0, 0.0, 0.0))
    assert mean_quality([few, many, EvidenceQuality("e", ())]) == pytest.approx(0.5)
    assert mean_quality([]) is None
    assert evidence_quality(ITEM, []).mean is None
    with pytest.raises(ValueError, match="different embedders"):
        mean_quality([few, EvidenceQuality("other", (1.0,))])


def test_the_lexical_embedder_has_a_name():
    assert LexicalEmbedder.name == "lexical-1"
