"""Records that people screened for a review: the question, every record, and which ones were included."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from metarag.errors import InputError
from metarag.evaluation.dataset_files import json_object, read_content, text_of
from metarag.records import AbstractSection, Article
from metarag.retrieval.json_article import article_of
from metarag.types import Pico, Question

QUESTIONS: Final = "questions.json"
_SUFFIXES: Final = (".csv.gz", ".csv", ".jsonl.gz", ".jsonl")
_PMID: Final = ("pmid", "pubmedID", "pubmed_id")
_LABEL: Final = ("included", "label_included", "label")
_YES: Final = frozenset({"1", "yes", "true", "included"})
_NO: Final = frozenset({"0", "no", "false", "excluded"})

Labels = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ScreenedReview:
    """One review.

    Attributes
    ----------
    articles : tuple of Article
        Every record that was screened, in the order of the file.
    included : array of bool
        Whether people included it, shape (articles,).
    """

    name: str
    question: Question
    articles: tuple[Article, ...]
    included: Labels

    @property
    def query(self) -> str:
        """The words of the question and of its population, intervention, comparator and outcome."""
        pico = self.question.pico.model_dump().values() if self.question.pico else ()
        return " ".join((self.question.text, *(value for value in pico if value)))


def read_reviews(folder: Path) -> tuple[ScreenedReview, ...]:
    """Read a folder of reviews.

    ``questions.json`` holds, for each name, ``question`` and, where they are known, ``population``,
    ``intervention``, ``comparator`` and ``outcome``. Beside it lies a file of that name with the records,
    ``.csv`` or ``.jsonl``, gzip or not: ``title``, ``abstract``, ``pmid`` (or ``pubmedID``) and ``included`` (or
    ``label_included``: 1 or 0, yes or no). Other columns of a CSV file are not read; a line of JSON may hold all
    that an article can.

    Raises
    ------
    InputError
        A file is missing or cannot be read, or a row is unusable; the message names the line.
    """
    asked = json_object(read_content(folder / QUESTIONS), folder / QUESTIONS)
    if not asked:
        raise InputError(f"{folder / QUESTIONS} holds no question")
    return tuple(_review(name, row, folder) for name, row in asked.items())


def _review(name: str, row: object, folder: Path) -> ScreenedReview:
    where = f"{folder / QUESTIONS}, {name}"
    if not isinstance(row, dict) or not isinstance(row.get("question"), str):
        raise InputError(f"{where}: an object with a question is needed")
    unknown = row.keys() - {"question", *Pico.model_fields}
    if unknown:
        raise InputError(f"{where}: unknown field {', '.join(sorted(unknown))}")
    facets = {facet: row[facet] for facet in Pico.model_fields if row.get(facet)}
    try:
        question = Question(text=row["question"], pico=Pico(**facets) if facets else None)
    except ValidationError as error:
        raise InputError(f"{where}: {error.errors()[0]['msg']}") from error
    path = next((p for suffix in _SUFFIXES if (p := folder / f"{name}{suffix}").exists()), None)
    if path is None:
        raise InputError(f"{where}: there is no {name}.csv or {name}.jsonl (or .gz) beside it")
    read = list(_csv_records(path) if ".csv" in path.suffixes else _json_records(path))
    labels = np.array([label for _, label in read], dtype=bool)
    if labels.all() or not labels.any():
        told = "every record is" if len(labels) and labels.all() else "no record is"
        raise InputError(f"{path}: {told} included; a ranking of them measures nothing")
    return ScreenedReview(name, question, tuple(article for article, _ in read), labels)


def _csv_records(path: Path) -> Iterator[tuple[Article, bool]]:
    reader = csv.DictReader(io.StringIO(text_of(read_content(path), path), newline=""))
    columns = reader.fieldnames or ()
    label = _column(columns, _LABEL, path, "whether a record was included")
    if label is None or "title" not in columns:
        raise InputError(f"{path}: columns title and {_LABEL[0]} are needed; it has {', '.join(columns)}")
    pmid = _column(columns, _PMID, path, "the PMID")
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        abstract = (row.get("abstract") or "").strip()
        fields: dict[str, Any] = {"title": row["title"] or ""}
        if abstract:
            fields["abstract_sections"] = (AbstractSection(text=row["abstract"]),)
        if pmid and (row[pmid] or "").strip():
            fields["pmid"] = row[pmid].strip()
        try:
            article = Article(**fields)
        except ValidationError as error:
            raise InputError(f"{where}: {error.errors()[0]['msg']}") from error
        yield article, _label(row[label], where)


def _json_records(path: Path) -> Iterator[tuple[Article, bool]]:
    for number, line in enumerate(text_of(read_content(path), path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: it is no JSON; write one object a line") from error
        if not isinstance(row, dict):
            raise InputError(f"{where}: it is no JSON object")
        label = _column(tuple(row), _LABEL, where, "whether the record was included")
        if label is None:
            raise InputError(f"{where}: {_LABEL[0]} is missing")
        try:
            article = article_of({name: value for name, value in row.items() if name != label})
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        yield article, _label(row[label], where)


def _column(columns: Sequence[str], names: Sequence[str], where: Path | str, what: str) -> str | None:
    found = [name for name in names if name in columns]
    if len(found) > 1:
        raise InputError(f"{where}: {' and '.join(found)} both say {what}; leave one out")
    return found[0] if found else None


def _label(value: object, where: str) -> bool:
    said = str(value).strip().casefold()
    if said in _YES | _NO:
        return said in _YES
    raise InputError(f"{where}: included is {value!r} and neither 1 nor 0")
