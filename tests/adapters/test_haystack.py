import asyncio
import json
import warnings

import pytest
from adapters.test_contract import MICE, QUERY, REPORT, TRIAL

pytest.importorskip("haystack", reason="haystack-ai is not installed; .ci/adapters has it")

from haystack import Document, Pipeline

from metarag.adapters.haystack import MetaragRanker


def documents():
    return [Document(content=t, meta={"k": 1}) for t in (REPORT, MICE, TRIAL)]


def test_19_documents_with_the_same_id_become_one_unless_told_otherwise():
    twins = [Document(content=REPORT, id="same"), Document(content=TRIAL, id="same")]
    assert [d.content for d in MetaragRanker().run(QUERY, twins)["documents"]] == [TRIAL]
    assert len(MetaragRanker(deduplicate=False).run(QUERY, twins)["documents"]) == 2


def test_20_nothing_is_changed_in_place():
    given, untouched = documents(), [document.to_dict() for document in documents()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Haystack warns of a document that is written to
        found = MetaragRanker().run(QUERY, given)["documents"]
    assert [document.to_dict() for document in given] == untouched
    assert not any(new is old for new in found for old in given)


def test_21_a_pipeline_loads_again_without_any_list_of_allowed_modules():
    pipeline = Pipeline()
    pipeline.add_component("ranker", MetaragRanker(top_k=2, settings={"hierarchy": "nhmrc"}))
    again = Pipeline.loads(pipeline.dumps())
    found = again.run({"ranker": {"query": QUERY, "documents": documents()}})["ranker"]["documents"]
    assert [d.content for d in found] == [TRIAL, REPORT]


def test_26_it_survives_a_round_trip():
    made = MetaragRanker(top_k=3, drop_excluded=True, deduplicate=False, settings={"hierarchy": "nhmrc"})
    assert MetaragRanker.from_dict(made.to_dict()).to_dict() == made.to_dict()
    json.dumps(made.to_dict())


@pytest.mark.parametrize("top_k", [0, -1])
def test_a_limit_below_one_is_refused(top_k):
    with pytest.raises(ValueError, match="at least 1"):
        MetaragRanker(top_k=top_k)
    with pytest.raises(ValueError, match="at least 1"):
        MetaragRanker().run(QUERY, documents(), top_k=top_k)


def test_a_limit_at_run_time_wins():
    assert len(MetaragRanker(top_k=1).run(QUERY, documents(), top_k=2)["documents"]) == 2


def test_documents_without_text_are_taken():
    found = MetaragRanker().run(QUERY, [Document(content=None), *documents()])["documents"]
    assert found[-1].content is None
    json.dumps([d.to_dict() for d in found])


def test_async_pipelines_run_it():
    pipeline = Pipeline()
    if not hasattr(pipeline, "run_async"):
        from haystack import AsyncPipeline

        pipeline = AsyncPipeline()
    pipeline.add_component("ranker", MetaragRanker())
    given = {"ranker": {"query": QUERY, "documents": documents()}}
    assert asyncio.run(pipeline.run_async(given))["ranker"]["documents"][0].content == TRIAL


def test_ranks_count_what_is_left_of_documents_with_one_id():
    given = [Document(content=REPORT, id="same"), Document(content=TRIAL, id="same"), *documents()[:2]]
    found = MetaragRanker().run(QUERY, given)["documents"]
    assert [d.meta["metarag"]["rank"] for d in found] == [1, 2, 3]


def test_documents_without_metadata_and_from_a_generator_are_taken():
    given = (Document(content=text, meta=meta) for text, meta in ((REPORT, None), (TRIAL, {})))
    assert [d.content for d in MetaragRanker().run(QUERY, given)["documents"]] == [TRIAL, REPORT]
