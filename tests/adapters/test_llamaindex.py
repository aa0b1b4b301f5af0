import pytest
from adapters.test_contract import MICE, QUERY, REPORT, TRIAL

pytest.importorskip("llama_index", reason="llama-index-core is not installed; .ci/adapters has it")

from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.schema import (
    ImageNode,
    IndexNode,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
)
from pydantic import Field, ValidationError

from metarag.adapters.llamaindex import MetaragPostprocessor


def nodes():
    given = [(REPORT, 0.9), (MICE, None), (TRIAL, 0.1)]
    return [NodeWithScore(node=TextNode(text=t, metadata={"k": 1}), score=s) for t, s in given]


def test_16_no_score_is_missing_for_the_steps_that_follow():
    found = MetaragPostprocessor().postprocess_nodes(nodes(), query_str=QUERY)
    assert len(SimilarityPostprocessor(similarity_cutoff=0).postprocess_nodes(found)) == 3


def test_19_nodes_with_the_same_id_have_a_score_each():
    twins = [
        NodeWithScore(node=TextNode(text=REPORT, id_="same"), score=0.5),
        NodeWithScore(node=TextNode(text=TRIAL, id_="same"), score=0.5),
    ]
    found = MetaragPostprocessor().postprocess_nodes(twins, query_str=QUERY)
    assert len({n.score for n in found}) == 2


@pytest.mark.parametrize("top_n", [None, 2])
def test_24_both_kinds_of_events_are_told(top_n):
    class Seen(BaseEventHandler):
        names: list = Field(default_factory=list)

        def handle(self, event, **kwargs):
            self.names.append(event.class_name())

    heard, debug = Seen(), LlamaDebugHandler(print_trace_on_end=False)
    get_dispatcher().add_event_handler(heard)
    try:
        made = MetaragPostprocessor(top_n=top_n, callback_manager=CallbackManager([debug]))
        made.postprocess_nodes(nodes(), query_str=QUERY)
    finally:
        get_dispatcher().event_handlers.remove(heard)
    assert [n for n in heard.names if n.startswith("ReRank")] == ["ReRankStartEvent", "ReRankEndEvent"]
    assert len(debug.get_event_pairs(CBEventType.RERANKING)) == 1


def test_26_it_survives_a_round_trip_and_refuses_what_it_does_not_know():
    made = MetaragPostprocessor(top_n=2, settings={"preset": "paper"})
    again = MetaragPostprocessor.from_dict(made.to_dict())
    assert again.to_dict() == made.to_dict()
    assert MetaragPostprocessor.from_json(made.to_json()).settings == {"preset": "paper"}
    with pytest.raises(ValidationError):
        MetaragPostprocessor(topn=3)


def test_our_result_stays_out_of_embeddings_and_prompts():
    from llama_index.core.schema import MetadataMode

    first = MetaragPostprocessor().postprocess_nodes(nodes(), query_str=QUERY)[0].node
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert "metarag" not in first.get_content(mode)
        assert "k: 1" in first.get_content(mode)


def test_36_later_steps_see_our_order():
    found = MetaragPostprocessor(top_n=2).postprocess_nodes(nodes(), query_str=QUERY)
    kept = SimilarityPostprocessor(similarity_cutoff=0).postprocess_nodes(found)
    assert [n.node.text for n in kept] == [TRIAL, REPORT]


def test_no_query_at_all_is_ranked_by_the_study_itself():
    assert MetaragPostprocessor().postprocess_nodes(nodes())[0].node.text == TRIAL


def test_what_stands_behind_a_node_is_neither_copied_nor_changed():
    class Index:
        def __deepcopy__(self, memo):
            raise TypeError("an index is not copied")

    node = IndexNode(text=TRIAL, index_id="i", obj=Index(), metadata={"k": [1]})
    node.relationships[NodeRelationship.NEXT] = RelatedNodeInfo(node_id="next")
    found = MetaragPostprocessor().postprocess_nodes([NodeWithScore(node=node)], query_str=QUERY)[0].node
    assert found.obj is node.obj
    assert found.relationships == node.relationships
    found.relationships.clear()
    found.metadata["k"].append(2)
    assert (len(node.relationships), node.metadata["k"]) == (1, [1])


def test_a_second_pass_hides_our_key_once():
    first = MetaragPostprocessor().postprocess_nodes(nodes(), query_str=QUERY)
    second = MetaragPostprocessor().postprocess_nodes(first, query_str=QUERY)
    assert second[0].node.excluded_llm_metadata_keys == ["metarag"]


def test_nodes_that_carry_no_text_are_taken():
    given = [NodeWithScore(node=ImageNode(image_url="https://a.test/1.png")), *nodes()]
    assert len(MetaragPostprocessor().postprocess_nodes(given, query_str=QUERY)) == 4
