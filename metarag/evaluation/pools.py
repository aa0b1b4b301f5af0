"""The candidates of each question: retrieved once, kept in a file, the same for every system."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from metarag.appraisal import APPRAISAL_VERSION, appraise
from metarag.errors import InputError
from metarag.evaluation.items import Item
from metarag.evaluation.leakage import without_sources
from metarag.records import Frozen
from metarag.retrieval.base import Retriever
from metarag.types import Appraisal, Question, Retrieved


class StoredPool(Frozen):
    """One line of the file: a question's candidates, without those that it was made from."""

    dataset: str
    item: str
    query: str
    articles: tuple[Retrieved, ...]
    removed: tuple[str, ...] = ()


class Pools:
    """Candidates by question, retrieved when first asked for.

    Parameters
    ----------
    path : Path
        JSON Lines; each pool is written and synced before it is used, so that a killed run finds it again.
    retriever : Retriever or None
        ``None``: only what the file holds.
    limit : int
        Candidates a question, at least 1.

    Notes
    -----
    What can be said of an article without a question is worked out once an article, not once a question.
    Questions are retrieved at the same time; two that ask for one question wait for one search.
    """

    def __init__(self, path: Path, retriever: Retriever | None, *, limit: int) -> None:
        self.path = path
        self.retriever = retriever
        self.limit = limit
        self._lock = threading.Lock()
        self._searches: dict[tuple[str, str], threading.Lock] = {}
        self._appraisals: dict[str, Appraisal] = {}
        self._pools = {(pool.dataset, pool.item): pool for pool in read_pools(path)}
        self._is_open = False

    def of(self, item: Item) -> tuple[Retrieved, ...]:
        """Return the candidates of a question, with their appraisals.

        Raises
        ------
        InputError
            There is no retriever, and the file does not hold the question.
        RetrievalError
            They could not be retrieved.
        """
        key = item.dataset, item.id
        with self._lock:
            search = self._searches.setdefault(key, threading.Lock())
        with search:
            pool = self._pools.get(key)
            if pool is None:
                pool = self._retrieve(item)
                with self._lock:
                    self._append(pool)
                    self._pools[key] = pool
        return tuple(self._appraised(found) for found in pool.articles)

    def _retrieve(self, item: Item) -> StoredPool:
        if self.retriever is None:
            raise InputError(f"question {item.id} of {item.dataset} has no evidence in {self.path}")
        # The options stay out of the search: they are candidates, and a search for them finds what is said of
        # the wrong ones.
        found = self.retriever.retrieve(
            Question.ask(item.question), limit=self.limit + len(item.source_pmids)
        )
        kept = without_sources(item, found.articles)
        articles = tuple(a if isinstance(a, Retrieved) else Retrieved(article=a) for a in kept.articles)
        return StoredPool(
            dataset=item.dataset,
            item=item.id,
            query=found.query.query,
            articles=tuple(a.model_copy(update={"appraisal": None}) for a in articles[: self.limit]),
            removed=kept.removed,
        )

    def _appraised(self, found: Retrieved) -> Retrieved:
        key = found.article.id
        known = self._appraisals.get(key)
        if known is None or known.version != APPRAISAL_VERSION:
            known = self._appraisals[key] = appraise(found.article)
        return found.model_copy(update={"appraisal": known})

    def _append(self, pool: StoredPool) -> None:
        if not self._is_open:
            # A line that was being written when the run was killed goes, so that others can follow.
            if self.path.exists():
                whole = self.path.read_bytes().rfind(b"\n") + 1
                with self.path.open("r+b") as file:
                    file.truncate(whole)
            self._is_open = True
        with self.path.open("a", encoding="utf-8", newline="\n") as lines:
            lines.write(pool.model_dump_json(exclude_defaults=True) + "\n")
            lines.flush()
            os.fsync(lines.fileno())


def read_pools(path: Path) -> Iterator[StoredPool]:
    """Yield the pools of a file; a last line without its end is left out: it was being written.

    Raises
    ------
    InputError
        A line is no pool.
    """
    if not path.exists():
        return
    *lines, _ = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            yield StoredPool.model_validate_json(line)
        except ValidationError as error:
            raise InputError(f"line {number} of {path} is no pool of evidence; remove the file") from error
