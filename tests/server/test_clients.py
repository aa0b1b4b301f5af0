"""Real clients of other rerankers against the real server."""

import pytest

QUERY = "Do imaginary tablets prevent stroke in adults?"
TRIAL = (
    "Imaginary tablets and stroke: a randomised trial. We randomised 400 adults to imaginary tablets or placebo."
    " Stroke was rarer with tablets (RR 0.80, 95% CI 0.70 to 0.91)."
)
REPORT = "Stroke after imaginary tablets: a case report. We describe a woman of 70 with stroke."
DOCUMENTS = [REPORT, TRIAL, ""]


def missing(name):
    return f"{name} is not installed; .ci/adapters runs this in an environment that has it"


@pytest.fixture
def cohere():
    return pytest.importorskip("cohere", reason=missing("cohere"))


def test_cohere_v2_gets_indices_and_scores(cohere, usual):
    client = cohere.ClientV2(api_key="unused", base_url=usual.url)
    found = client.rerank(model="metarag", query=QUERY, documents=DOCUMENTS, top_n=2).results
    assert [r.index for r in found] == [1, 0]
    assert 1 >= found[0].relevance_score > found[1].relevance_score > 0


def test_cohere_v1_gets_documents_back(cohere, usual):
    client = cohere.Client(api_key="unused", base_url=usual.url)
    documents = [{"text": text} for text in DOCUMENTS[:2]]
    found = client.rerank(model="metarag", query=QUERY, documents=documents, return_documents=True)
    assert [r.index for r in found.results] == [1, 0]
    assert found.results[0].document.text == TRIAL


def test_langchain_cohere_ranks_documents(usual):
    hosts = pytest.importorskip("langchain_cohere", reason=missing("langchain-cohere"))
    documents = pytest.importorskip("langchain_core.documents", reason=missing("langchain-core"))
    given = [documents.Document(page_content=text) for text in DOCUMENTS[:2]]
    for top_n in (1, None):
        reranker = hosts.CohereRerank(
            cohere_api_key="unused", base_url=usual.url, model="metarag", top_n=top_n
        )
        found = reranker.compress_documents(given, QUERY)
        assert [d.page_content for d in found] == [TRIAL, REPORT][:top_n]


@pytest.mark.parametrize("provider", ["hosted_vllm", "cohere", "jina_ai", "litellm_proxy"])
@pytest.mark.parametrize("return_documents", [True, False])
def test_litellm_reads_the_answer_on_four_paths(provider, return_documents, usual):
    litellm = pytest.importorskip("litellm", reason=missing("litellm"))
    paths = {"cohere": f"{usual.url}/v2/rerank"}
    found = litellm.rerank(
        model=f"{provider}/metarag",
        query=QUERY,
        documents=DOCUMENTS,
        top_n=2,
        return_documents=return_documents,
        api_key="unused",
        api_base=paths.get(provider, usual.url),
    )
    assert [r["index"] for r in found.results] == [1, 0]
    assert found.results[0]["relevance_score"] > found.results[1]["relevance_score"]


def test_litellm_reads_the_shape_of_tei(usual):
    litellm = pytest.importorskip("litellm", reason=missing("litellm"))
    found = litellm.rerank(
        model="huggingface/metarag", query=QUERY, documents=DOCUMENTS, api_key="unused", api_base=usual.url
    )
    assert [r["index"] for r in found.results] == [1, 0, 2]
