import pytest
from pydantic import ValidationError

from metarag.records import Article
from metarag.types import Evidence

ITEM = Evidence(key="pmid:11", article=Article(pmid="11"), relevance=0.25, retrieval_rank=3)


@pytest.mark.parametrize("wrong", [2, -0.1, float("nan"), "high"])
def test_a_score_off_the_scale_is_refused_and_named(wrong):
    with pytest.raises(ValidationError, match="Evidence\nreliability"):
        ITEM.assessed(reliability=wrong)


def test_a_field_that_does_not_exist_is_refused():
    with pytest.raises(ValidationError, match="quality"):
        ITEM.assessed(quality=0.5)


def test_only_the_given_fields_change_and_the_original_stays():
    assessed = ITEM.assessed(reliability=1, level="x:1")
    assert assessed == Evidence(**{**dict(ITEM), "reliability": 1.0, "level": "x:1"})
    assert isinstance(assessed.reliability, float)
    assert ITEM.reliability is None
    assert ITEM.level is None
