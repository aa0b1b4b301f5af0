"""The hygiene part of our adapters' contract, run over rerankers that ship with LangChain and LlamaIndex.

Their adapters are the real ones; what scores (an API, a model) is a stub, so that the result is about the
adapter and not about ranking. Only cases that make sense for any reranker are run, and ours are run beside.

Run, in an environment that has the adapters:
    pip install langchain-cohere langchain-classic langchain-community flashrank
    python benchmarks/incumbent_adapters.py
and in another one:
    pip install llama-index-postprocessor-cohere-rerank llama-index-postprocessor-flashrank-rerank
    python benchmarks/incumbent_adapters.py
"""

from __future__ import annotations

import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
os.environ.setdefault("CO_API_KEY", "unused")
os.environ.setdefault("COHERE_API_KEY", "unused")

import pytest
from adapters import test_contract as contract
from adapters.hosts import Host, LangChain, LlamaIndex, Seen

CASES = [
    "test_01_metadata_stay",
    "test_02_ids_stay",
    "test_03_what_is_given_is_not_changed_and_a_second_query_leaves_the_first_result_alone",
    "test_04_the_given_list_keeps_its_order",
    "test_05_scores_are_plain_floats_that_json_takes",
    "test_06_every_document_has_its_score",
    "test_07_a_score_from_before_does_not_win",
    "test_08_no_documents_are_no_error",
    "test_09_each_score_belongs_to_its_document_whatever_the_order",
    "test_10_blank_and_repeated_documents_are_all_there",
    "test_11_a_limit_above_the_number_of_documents_is_no_error",
    "test_12_a_limit_is_kept_and_none_is_all",
    "test_15_a_score_does_not_depend_on_the_other_documents",
    "test_17_async_gives_the_same_and_is_the_adapters_own",
    "test_18_one_adapter_serves_several_event_loops",
    "test_17_the_event_loop_goes_on_while_documents_are_ranked",
    "test_27_adapters_and_results_can_be_pickled_and_copied",
    "test_28_ties_keep_the_given_order",
]


def stub_score(text: str) -> float:
    """A scorer that prefers the trial, and gives every text the same score each time."""
    return 0.9 if "randomised" in text else 0.5 if "case report" in text else 0.1 if text.strip() else 0.0


def work() -> None:
    """Take as long as a real scorer would at least; one that takes no time is over before a loop can turn."""
    time.sleep(0.05)


def stub_results(documents: list[str], top_n: int | None) -> Any:
    work()
    ranked = sorted(
        (SimpleNamespace(index=i, relevance_score=stub_score(d)) for i, d in enumerate(documents)),
        key=lambda r: -r.relevance_score,
    )
    return SimpleNamespace(results=ranked[:top_n])


class StubClient:
    def rerank(self, *, documents: list[Any], top_n: int | None = None, **_: Any) -> Any:
        return stub_results([d if isinstance(d, str) else d["text"] for d in documents], top_n)


class StubFlash:
    def rerank(self, request: Any) -> list[dict[str, Any]]:
        work()
        found = [p | {"score": stub_score(p["text"])} for p in request.passages]
        return sorted(found, key=lambda p: -p["score"])


class StubCrossEncoder:
    def score(self, text_pairs: list[tuple[str, str]]) -> list[float]:
        work()
        return [stub_score(text) for _, text in text_pairs]


class LangChainIncumbent(LangChain):
    def seen(self, found: Any) -> list[Seen]:
        return [Seen(d.page_content, d.metadata.get("relevance_score"), d.id, d.metadata) for d in found]


class LangChainCohere(LangChainIncumbent):
    name = "langchain_cohere.CohereRerank"
    module = "langchain_cohere"
    package = "langchain-cohere"

    def make(self, *, top_n: int | None = None, **_: Any) -> Any:
        from langchain_cohere import CohereRerank

        made = CohereRerank(cohere_api_key="unused", model="stub", top_n=top_n)
        made.client = StubClient()
        return made


class LangChainFlash(LangChainIncumbent):
    name = "langchain_community.FlashrankRerank"
    module = "langchain_community"
    package = "langchain-community"

    def make(self, *, top_n: int | None = None, **_: Any) -> Any:
        from langchain_community.document_compressors import FlashrankRerank

        return FlashrankRerank.model_construct(
            client=StubFlash(), top_n=top_n, score_threshold=0.0, model="stub"
        )


class LangChainCrossEncoder(LangChainIncumbent):
    name = "langchain_classic.CrossEncoderReranker"
    module = "langchain_classic"
    package = "langchain-classic"

    def make(self, *, top_n: int | None = None, **_: Any) -> Any:
        from langchain_classic.retrievers.document_compressors import CrossEncoderReranker
        from langchain_core.cross_encoders import BaseCrossEncoder

        BaseCrossEncoder.register(StubCrossEncoder)
        return CrossEncoderReranker(model=StubCrossEncoder(), **({} if top_n is None else {"top_n": top_n}))


class LlamaIncumbent(LlamaIndex):
    def seen(self, found: Any) -> list[Seen]:
        return [Seen(n.node.text, n.score, n.node.node_id, n.node.metadata) for n in found]


class LlamaCohere(LlamaIncumbent):
    name = "llama_index CohereRerank"
    module = "llama_index.postprocessor.cohere_rerank"
    package = "llama-index-postprocessor-cohere-rerank"

    def make(self, *, top_n: int | None = None, **_: Any) -> Any:
        from llama_index.postprocessor.cohere_rerank import CohereRerank

        made = CohereRerank(api_key="unused", **({"top_n": 99} if top_n is None else {"top_n": top_n}))
        made._client = StubClient()
        return made


class LlamaFlash(LlamaIncumbent):
    name = "llama_index FlashRankRerank"
    module = "llama_index.postprocessor.flashrank_rerank"
    package = "llama-index-postprocessor-flashrank-rerank"

    def make(self, *, top_n: int | None = None, **_: Any) -> Any:
        import flashrank
        from llama_index.postprocessor.flashrank_rerank import FlashRankRerank

        original, flashrank.Ranker = flashrank.Ranker, lambda **_: StubFlash()
        try:
            import llama_index.postprocessor.flashrank_rerank.base as base

            base.Ranker = flashrank.Ranker
            return FlashRankRerank(model="stub", top_n=99 if top_n is None else top_n)
        finally:
            flashrank.Ranker = original


HOSTS: tuple[Host, ...] = (
    LangChain(),
    LangChainCohere(),
    LangChainFlash(),
    LangChainCrossEncoder(),
    LlamaIndex(),
    LlamaCohere(),
    LlamaFlash(),
)


def main() -> None:
    for host in HOSTS:
        try:
            if host.missing():
                continue
        except ModuleNotFoundError:
            continue
        passed, failed, skipped = 0, [], 0
        for case in CASES:
            try:
                getattr(contract, case)(host)
            except pytest.skip.Exception:
                skipped += 1
            except BaseException as error:
                failed.append(f"{case.removeprefix('test_')[:40]} ({type(error).__name__})")
            else:
                passed += 1
        of = version(host.package) if hasattr(host, "package") else "ours"
        print(
            f"{host.name} {of}: {passed}/{passed + len(failed)}"
            + (f", {skipped} do not apply" if skipped else "")
        )
        for name in failed:
            print(f"    fails {name}")


if __name__ == "__main__":
    main()
