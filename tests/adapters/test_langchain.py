import asyncio
import json

import pytest
from adapters.test_contract import MICE, QUERY, REPORT, TRIAL

pytest.importorskip("langchain_core", reason="langchain-core is not installed; .ci/adapters has it")

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from pydantic import ValidationError

from metarag import Article
from metarag.adapters.langchain import MetaragCompressor, MetaragRetriever
from metarag.errors import RetrievalError

DOCUMENTS = [Document(page_content=t, id=t[:9]) for t in (REPORT, MICE, TRIAL)]


class Given(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [d.model_copy() for d in DOCUMENTS]


class Heard(BaseCallbackHandler):
    def __init__(self):
        self.ends = 0

    def on_retriever_end(self, documents, **kwargs):
        self.ends += 1


def test_25_it_survives_a_round_trip_and_refuses_what_it_does_not_know():
    made = MetaragCompressor(top_n=2, settings={"preset": "paper"}, drop_excluded=True)
    assert MetaragCompressor(**made.model_dump()) == made
    assert MetaragCompressor.model_validate_json(made.model_dump_json()) == made
    assert MetaragCompressor(top_n=2) != made
    with pytest.raises(ValidationError):
        MetaragCompressor(topn=3)
    with pytest.raises(ValidationError):
        MetaragCompressor(top_n=0)


def test_the_runnable_takes_what_a_chain_hands_it():
    chain = (
        RunnableParallel(documents=RunnableLambda(lambda _: DOCUMENTS), query=RunnablePassthrough())
        | MetaragCompressor(top_n=1).as_runnable()
    )
    assert [d.page_content for d in chain.invoke(QUERY)] == [TRIAL]
    assert [d.page_content for d in asyncio.run(chain.ainvoke(QUERY))] == [TRIAL]


def test_the_retriever_reranks_another_ones_documents_and_its_callbacks_are_heard():
    retriever, heard = MetaragRetriever(retriever=Given()), Heard()
    found = retriever.invoke(QUERY, config={"callbacks": [heard]})
    assert found[0].page_content == TRIAL
    assert heard.ends == 2
    assert asyncio.run(retriever.ainvoke(QUERY)) == found
    assert retriever.batch([QUERY, QUERY]) == [found, found]


def test_rerank_returns_indices_as_other_vendors_do():
    compressor = MetaragCompressor()
    found = compressor.rerank([REPORT, TRIAL], QUERY, top_n=1)
    assert [r["index"] for r in found] == [1]
    assert found[0]["relevance_score"] == compressor.rerank(DOCUMENTS, QUERY)[0]["relevance_score"]


def test_results_are_json_and_callbacks_may_be_given():
    found = MetaragCompressor().compress_documents(DOCUMENTS, QUERY, callbacks=[])
    assert json.loads(found[0].model_dump_json())["metadata"]["metarag"]["rank"] == 1


def test_documents_with_a_pmid_can_be_completed():
    def records(pmids):
        full = {"pmid": "7", "title": "Tablets", "publication_types": [{"name": "Retracted Publication"}]}
        return {"7": Article(**full, abstract_sections=[{"text": "Text."}])} if "7" in pmids else {}

    known = Document(page_content=TRIAL, metadata={"pmid": 7})
    found = MetaragCompressor(enrich=records).compress_documents([known, *DOCUMENTS], QUERY)
    completed = next(d for d in found if "pmid" in d.metadata)
    assert completed.page_content == TRIAL
    assert completed.metadata["metarag"]["graded_from"] == "record"
    assert completed.metadata["metarag"]["retraction"] == "retracted"
    assert completed.metadata["relevance_score"] == 0.0


def test_documents_are_completed_from_a_local_index():
    from metarag.adapters.enrichment import index_records
    from metarag.retrieval.demo import open_demo_corpus

    with open_demo_corpus() as corpus:
        pmid = next(article.pmid for article in corpus if article.pmid)
        compressor = MetaragCompressor(enrich=index_records(corpus))
        given = [Document(page_content="x", metadata={"pmid": pmid}), *DOCUMENTS]
        found = compressor.compress_documents(given, QUERY)
    sources = {d.page_content: d.metadata["metarag"]["graded_from"] for d in found}
    assert sources == {"x": "record", REPORT: "text", MICE: "text", TRIAL: "text"}


def test_36_the_order_reaches_the_prompt_that_a_chain_makes():
    prompt = RunnableLambda(lambda found: "\n".join(d.page_content for d in found))
    context = (MetaragRetriever(retriever=Given()) | prompt).invoke(QUERY)
    assert context.startswith(TRIAL)
    assert context.index(REPORT) < context.index(MICE)


def test_22_classic_wrappers_take_it_where_they_are_installed():
    classic = pytest.importorskip("langchain_classic.retrievers", reason="langchain-classic is not installed")
    wrapper = classic.ContextualCompressionRetriever(
        base_compressor=MetaragCompressor(top_n=1), base_retriever=Given()
    )
    assert [d.page_content for d in wrapper.invoke(QUERY)] == [TRIAL]


def test_documents_stand_where_their_full_records_cannot_be_had():
    def unreachable(pmids):
        raise RetrievalError("PubMed does not answer")

    given = [Document(page_content=TRIAL, metadata={"pmid": "7"}), Document(page_content=REPORT)]
    found = MetaragCompressor(enrich=unreachable).compress_documents(given, QUERY)
    assert [d.page_content for d in found] == [TRIAL, REPORT]
    assert "PubMed does not answer" in found[0].metadata["metarag"]["notes"][0]
    assert found[1].metadata["metarag"]["notes"] == []


def test_a_retraction_that_only_the_host_knows_of_outlives_the_completion():
    def older(pmids):
        return {"7": Article(pmid="7", title="Tablets", abstract_sections=[{"text": TRIAL}])}

    given = [Document(page_content=TRIAL, metadata={"pmid": "7", "retracted": True})]
    (found,) = MetaragCompressor(enrich=older).compress_documents(given, QUERY)
    assert found.metadata["metarag"]["excluded"]
    assert found.metadata["metarag"]["graded_from"] == "record"


def test_rerank_refuses_a_limit_of_zero_and_takes_a_generator():
    compressor = MetaragCompressor(top_n=1)
    with pytest.raises(ValueError, match="at least 1"):
        compressor.rerank([TRIAL], QUERY, top_n=0)
    assert len(compressor.compress_documents((d for d in DOCUMENTS), QUERY)) == 1
