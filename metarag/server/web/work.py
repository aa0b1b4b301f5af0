"""What a job does: search, rank and answer, or make a run again with a person's changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import Field

from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.presets import build_pipeline
from metarag.rag import DEFAULT_LIMIT, MetaRag, OnProgress, Progress, Step
from metarag.records import Frozen
from metarag.reruns import Changes, rerun
from metarag.retrieval.base import Retriever
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.demo import open_demo_corpus
from metarag.run_folder import keep_run
from metarag.runs import RunRecord, load_run
from metarag.server.options import ServerOptions
from metarag.types import Pico, Question


class Where(StrEnum):
    """Where articles are searched for."""

    DEMO = "demo"
    INDEX = "index"
    PUBMED = "pubmed"


class Wanted(Frozen):
    """A question as its page sends it.

    Parameters
    ----------
    query : str or None
        As edited; ``None`` lets the source make one of the question.
    pico : dict of str to str
        Facets as a person wrote them; they win over what is read from the question.
    """

    question: str
    where: Where = Where.DEMO
    query: str | None = None
    pico: dict[str, str] = Field(default_factory=dict)
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=500)
    preset: str = "recommended"


class Changed(Frozen):
    """Changes to a run as its page sends them."""

    run: str
    author: str
    note: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    pico: dict[str, str | None] = Field(default_factory=dict)


class Worker:
    """Does jobs and keeps their runs.

    Parameters
    ----------
    options : ServerOptions
        Settings, sources and the folder of runs.
    """

    def __init__(self, options: ServerOptions) -> None:
        self.options = options

    @property
    def places(self) -> tuple[Where, ...]:
        """Where this server can search."""
        known = {
            Where.DEMO: True,
            Where.INDEX: self.options.index is not None,
            Where.PUBMED: self.options.pubmed,
        }
        return tuple(where for where, there in known.items() if there)

    def __call__(self, asked: Mapping[str, Any], on_progress: OnProgress) -> str:
        """Do what a job asks for; return the name of its run file."""
        if "run" in asked:
            return self._keep(self._change(Changed.model_validate(asked), on_progress))
        return self._keep(self._ask(Wanted.model_validate(asked), on_progress))

    def _ask(self, wanted: Wanted, on_progress: OnProgress) -> RunRecord:
        if wanted.where not in self.places:
            raise ConfigurationError(
                f"this server does not search {wanted.where.value}; choose another source"
            )
        settings = Settings.from_mapping({**self.options.settings, "preset": wanted.preset})
        facets = {name: text.strip() for name, text in wanted.pico.items() if text.strip()}
        asked = Question.ask(wanted.question)
        if facets:
            asked = asked.model_copy(update={"pico": Pico.model_validate(facets)})
        with self._retriever(wanted) as retriever:
            rag = MetaRag(
                retriever, pipeline=build_pipeline(settings), limit=wanted.limit, on_progress=on_progress
            )
            return RunRecord.of(rag.ask(asked))

    def _change(self, changed: Changed, on_progress: OnProgress) -> RunRecord:
        parent = load_run(self.options.folder / f"{changed.run}.json")
        on_progress(Progress(Step.RANK, False, len(parent.ranking.audit.identified)))
        return rerun(
            parent,
            Changes(
                author=changed.author,
                note=changed.note,
                include=changed.include,
                exclude=changed.exclude,
                pico=changed.pico,
            ),
        )

    def _keep(self, run: RunRecord) -> str:
        keep_run(run, self.options.folder / f"{run.id}.json")
        return f"{run.id}.json"

    @contextmanager
    def _retriever(self, wanted: Wanted) -> Iterator[Retriever]:
        query = (wanted.query or "").strip() or None
        if wanted.where is Where.PUBMED:
            with self._pubmed(query) as retriever:
                yield retriever
            return
        index: Path | None = self.options.index if wanted.where is Where.INDEX else None
        with open_demo_corpus() if index is None else Corpus.open(index) as corpus:
            yield CorpusRetriever(corpus, query=query)

    @contextmanager
    def _pubmed(self, query: str | None) -> Iterator[Retriever]:
        from metarag.retrieval.entrez import EntrezClient
        from metarag.retrieval.entrez_http import NCBI_URL
        from metarag.retrieval.pubmed import PubmedRetriever

        key = self.options.pubmed_key
        with EntrezClient(
            NCBI_URL if self.options.pubmed_url is None else self.options.pubmed_url,
            email=self.options.email,
            api_key=key.get_secret_value() if key else None,
        ) as client:
            yield PubmedRetriever(client, query=query)
