import asyncio
import importlib
import importlib.util
import subprocess
import sys

import pytest
from adapters.test_contract import QUERY, REPORT, TRIAL

from metarag.errors import MissingExtraError

HOSTS = {
    "langchain": "langchain_core",
    "llamaindex": "llama_index",
    "haystack": "haystack",
    "rerankers": "rerankers",
    "dspy": "dspy",
    "mcp": "mcp",
}
WITHOUT = """
import importlib, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in sys.argv[2::2]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
for extra in sys.argv[1::2]:
    try:
        home = "metarag.server.app" if extra == "web" else f"metarag.adapters.{extra}"
        module = importlib.import_module(home)
        if extra == "mcp":
            module.make_server()
    except ImportError as error:
        print(type(error).__name__, error)
"""


def test_37_a_missing_host_is_an_import_error_with_the_line_that_installs_it():
    needed = HOSTS | {"web": "fastapi"}
    pairs = [name for pair in needed.items() for name in pair]
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT, *pairs]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    for line, extra in zip(shown.splitlines(), needed, strict=True):
        assert line.startswith("MissingExtraError")
        assert f"pip install 'metarag-ebm[{extra}]'" in line
    assert issubclass(MissingExtraError, ImportError)


def test_importing_metarag_imports_no_host():
    script = "import metarag, metarag.presets, sys; print([m for m in sys.argv[1:] if m in sys.modules])"
    shown = subprocess.run(
        [sys.executable, "-c", script, *HOSTS.values(), "fastapi", "openai"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    assert shown.strip() == "[]"


def test_35_a_program_with_the_dspy_module_is_saved_and_loaded(tmp_path):
    dspy = pytest.importorskip("dspy", reason="dspy is not installed; .ci/adapters has it")
    adapter = importlib.import_module("metarag.adapters.dspy")

    class Program(dspy.Module):
        def __init__(self):
            super().__init__()
            self.rerank = adapter.MetaragRerank(k=1)

        def forward(self, question):
            return self.rerank(query=question, passages=[REPORT, TRIAL])

    program = Program()
    program.save(str(tmp_path / "program.json"))
    program.load(str(tmp_path / "program.json"))
    found = program(question=QUERY)
    assert (found.passages, found.indices) == ([TRIAL], [1])


def test_dspy_passages_may_be_objects_with_long_text():
    pytest.importorskip("dspy", reason="dspy is not installed; .ci/adapters has it")
    adapter = importlib.import_module("metarag.adapters.dspy")

    class Passage:
        long_text = TRIAL

    assert adapter.MetaragRerank()(query=QUERY, passages=[REPORT, Passage()]).indices == [1, 0]


def test_dspy_takes_one_text_examples_and_a_later_k():
    dspy = pytest.importorskip("dspy", reason="dspy is not installed; .ci/adapters has it")
    adapter = importlib.import_module("metarag.adapters.dspy")
    rerank = adapter.MetaragRerank()
    assert rerank(query=QUERY, passages=TRIAL).passages == [TRIAL]
    withdrawn = dspy.Example(text=TRIAL, retracted=True)
    assert rerank(query=QUERY, passages=[withdrawn, REPORT]).indices == [1, 0]
    rerank.k = 1
    assert rerank(query=QUERY, passages=[REPORT, TRIAL, None, 3]).passages == [TRIAL]


def test_rerankers_say_which_list_is_too_short():
    pytest.importorskip("rerankers", reason="rerankers is not installed; .ci/adapters has it")
    ranker = importlib.import_module("metarag.adapters.rerankers").MetaragRanker()
    with pytest.raises(ValueError, match="doc_ids must be as many as the documents: got 1 for 2"):
        ranker.rank(QUERY, [REPORT, TRIAL], doc_ids=[1])
    with pytest.raises(ValueError, match="metadata must be as many"):
        ranker.rank(QUERY, [REPORT, TRIAL], metadata=[{}])
    assert len(ranker.rank(QUERY, [REPORT, TRIAL], metadata=[None, {}]).results) == 2


def test_the_ranker_of_rerankers_serves_langchain_where_that_is():
    pytest.importorskip("rerankers", reason="rerankers is not installed; .ci/adapters has it")
    ranker = importlib.import_module("metarag.adapters.rerankers").MetaragRanker()
    if importlib.util.find_spec("langchain_core"):
        assert ranker.as_langchain_compressor(k=3).top_n == 3
    else:
        with pytest.raises(ImportError, match=r"metarag-ebm\[langchain\]"):
            ranker.as_langchain_compressor()


def test_rerankers_take_one_text_ids_and_metadata():
    pytest.importorskip("rerankers", reason="rerankers is not installed; .ci/adapters has it")
    ranker = importlib.import_module("metarag.adapters.rerankers").MetaragRanker()
    assert ranker.rank(QUERY, TRIAL).results[0].rank == 1
    found = ranker.rank(QUERY, [REPORT, TRIAL], doc_ids=["r", "t"], metadata=[{"k": 1}, {"k": 2}])
    assert [(r.document.doc_id, r.document.metadata["k"]) for r in found.results] == [("t", 2), ("r", 1)]
    assert found.get_score_by_docid("t") == ranker.score(QUERY, TRIAL)


def test_txtai_gets_a_list_for_each_of_several_queries():
    from metarag.adapters.txtai import MetaragSimilarity

    found = MetaragSimilarity()([QUERY, QUERY], [REPORT, TRIAL])
    assert [[index for index, _ in pairs] for pairs in found] == [[1, 0], [1, 0]]


def test_txtai_takes_rows_without_text():
    from metarag.adapters.txtai import MetaragSimilarity

    found = MetaragSimilarity()(QUERY, [None, {"text": None}, {"text": TRIAL}])
    assert [index for index, _ in found] == [2, 0, 1]


def call(server, name, arguments):
    """Call a tool as a client would, whichever major version of mcp is here."""
    mcp = importlib.import_module("mcp")

    async def over_a_session():
        if hasattr(mcp, "Client"):
            async with mcp.Client(server) as client:
                return await client.list_tools(), await client.call_tool(name, arguments)
        shared = importlib.import_module("mcp.shared.memory")
        async with shared.create_connected_server_and_client_session(server._mcp_server) as client:
            return await client.list_tools(), await client.call_tool(name, arguments)

    return asyncio.run(over_a_session())


def structured(result):
    return getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)


def is_error(result):
    return getattr(result, "is_error", None) or getattr(result, "isError", False)


@pytest.fixture
def mcp_server():
    pytest.importorskip("mcp", reason="mcp is not installed; .ci/adapters has 1.x and 2.x")
    return importlib.import_module("metarag.adapters.mcp").make_server()


def test_33_the_mcp_server_lists_its_tool_and_ranks(mcp_server):
    tools, result = call(mcp_server, "rank_evidence", {"question": QUERY, "documents": [REPORT, TRIAL]})
    assert [tool.name for tool in tools.tools] == ["rank_evidence"]
    assert [r["index"] for r in structured(result)["results"]] == [1, 0]


def test_34_an_empty_list_is_an_answer_for_mcp(mcp_server):
    _, result = call(mcp_server, "rank_evidence", {"question": QUERY, "documents": []})
    assert structured(result) == {"results": []}
    assert len(result.content) == 1


def test_an_mcp_client_reads_what_was_wrong(mcp_server):
    _, result = call(mcp_server, "rank_evidence", {"question": QUERY, "documents": [TRIAL], "top_n": 0})
    assert is_error(result)
    assert "top_n must be at least 1 and whole" in result.content[0].text


def test_agents_of_both_kinds_take_the_plain_function():
    from metarag.adapters.tools import rank_evidence

    pydantic_ai = pytest.importorskip(
        "pydantic_ai", reason="pydantic-ai is not installed; .ci/adapters has it"
    )
    tool = pydantic_ai.Tool(rank_evidence)
    assert set(tool.function_schema.json_schema["properties"]) == {"question", "documents", "top_n"}
    agents = pytest.importorskip("agents", reason="openai-agents is not installed; .ci/adapters has it")
    assert agents.function_tool(rank_evidence).name == "rank_evidence"
