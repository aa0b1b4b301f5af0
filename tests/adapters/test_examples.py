"""Every example runs where its host is, is short, and puts the large trial first."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NEEDS = {
    "agent_tool": "metarag",
    "dspy_rerank": "dspy",
    "haystack_rerank": "haystack",
    "langchain_rerank": "langchain_core",
    "llamaindex_rerank": "llama_index",
    "rerankers_rerank": "rerankers",
    "txtai_rerank": "metarag",
}
WITH_A_SERVER = {"http_rerank"}


def run(name, **environment):
    command = [sys.executable, "-W", "ignore", str(EXAMPLES / f"{name}.py")]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


@pytest.mark.parametrize(("name", "package"), NEEDS.items())
def test_it_runs_on_the_demo_corpus(name, package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed; .ci/adapters runs this in an environment that has it")
    lines = run(name).strip().splitlines()
    assert len(lines) == 5
    assert "58,050 patients" in lines[0]


def test_there_is_no_other_example_and_each_is_short():
    found = {path.stem: len(path.read_text(encoding="utf-8").splitlines()) for path in EXAMPLES.glob("*.py")}
    assert set(found) == set(NEEDS) | WITH_A_SERVER | {"passages"}
    assert max(found.values()) <= 40
