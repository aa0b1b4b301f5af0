"""Read the questions of MedQA, MMLU, MedMCQA, PubMedQA, MIRAGE, or a file of one's own.

The files are the user's. A row that cannot be used is reported with its line and the others stand.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from metarag.errors import InputError
from metarag.evaluation.dataset_files import (
    Rows,
    dataset_of,
    digest,
    json_object,
    key_end,
    line_rows,
    object_rows,
    read_content,
    read_row,
    text_of,
)
from metarag.evaluation.dataset_rows import (
    jsonl_item,
    medmcqa_item,
    medqa_item,
    mirage_item,
    mmlu_item,
    pubmedqa_item,
)
from metarag.evaluation.items import Dataset, DatasetProblem, Item
from metarag.resources import data_file

__all__ = [
    "Dataset",
    "DatasetFormat",
    "DatasetProblem",
    "Item",
    "invented_questions",
    "read_dataset",
    "read_medmcqa",
    "read_medqa",
    "read_mirage",
    "read_mmlu",
    "read_pubmedqa",
    "read_questions",
]

DatasetFormat = Literal["medqa", "mmlu", "medmcqa", "pubmedqa", "mirage", "jsonl"]
INVENTED_QUESTIONS = "evaluation_questions.jsonl"
_SPLIT = re.compile(r"_(?:test|val|dev|train)$")


def read_dataset(path: Path | str, format: DatasetFormat | None = None) -> Dataset:
    """Read a file of questions; the format is told by its content where it is not given.

    Parameters
    ----------
    path : Path or str
        A file, gzip or not; a folder of CSV files is MMLU.

    Raises
    ------
    InputError
        The file cannot be read, its format is not known, or no question of it is usable.
    """
    place = Path(path)
    found = format or _format_of(place)
    readers: dict[str, Callable[[Path], Dataset]] = {
        "medqa": read_medqa,
        "mmlu": read_mmlu,
        "medmcqa": read_medmcqa,
        "pubmedqa": read_pubmedqa,
        "mirage": read_mirage,
        "jsonl": read_questions,
    }
    if found not in readers:
        raise InputError(f"unknown format {found!r}; known are {', '.join(readers)}")
    return readers[found](place)


def read_medqa(path: Path | str, *, name: str = "medqa") -> Dataset:
    """Read MedQA, one JSON object a line, with four or five options.

    Raises
    ------
    InputError
        As :func:`read_dataset`.
    """
    return _json_lines(Path(path), name, medqa_item)


def read_medmcqa(path: Path | str, *, name: str = "medmcqa", first: int = 1) -> Dataset:
    """Read MedMCQA, one JSON object a line.

    Parameters
    ----------
    first : {1, 0}
        What ``cop`` counts from: 1 in the authors' files, 0 in copies elsewhere.

    Raises
    ------
    InputError
        As :func:`read_dataset`.
    """
    return _json_lines(Path(path), name, partial(medmcqa_item, first=first))


def read_questions(path: Path | str, *, name: str | None = None) -> Dataset:
    """Read questions in metarag's own form, one JSON object a line.

    ``question``, ``options`` (an object of labels and texts, or a list, labelled A, B ...) and ``answer`` (a
    label, or the text of one option) are needed; ``id``, ``subset`` and ``source_pmids`` (PMIDs of articles
    that the question was made from) are optional. Another field is an error.

    Raises
    ------
    InputError
        As :func:`read_dataset`.
    """
    place = Path(path)
    return _json_lines(place, name or _stem(place), jsonl_item)


def read_pubmedqa(path: Path | str, *, name: str = "pubmedqa") -> Dataset:
    """Read PubMedQA, one JSON object by PMID; each article is the source of its question.

    Raises
    ------
    InputError
        As :func:`read_dataset`.
    """
    place = Path(path)
    content = read_content(place)
    make = partial(pubmedqa_item, dataset=name)
    rows = object_rows(json_object(content, place), make, content)
    return dataset_of(rows, name=name, content=content, path=place)


def read_mirage(path: Path | str, *, name: str = "mirage", subsets: Sequence[str] | None = None) -> Dataset:
    """Read MIRAGE's ``benchmark.json``; ids are ``subset/id``.

    Parameters
    ----------
    subsets : sequence of str or None
        ``medqa``, ``mmlu`` ...; ``None`` is all.

    Raises
    ------
    InputError
        As :func:`read_dataset`; or a subset is not in the file.
    """
    place = Path(path)
    content = read_content(place)
    sets = json_object(content, place)
    missing = [subset for subset in subsets or () if subset not in sets]
    if missing:
        raise InputError(f"{place} has no subset {', '.join(missing)}; it has {', '.join(sets)}")

    def rows() -> Rows:
        for subset in subsets or sets:
            if not isinstance(sets[subset], dict):
                raise InputError(f"{place}: {subset!r} is no object of questions by id")
            make = partial(mirage_item, dataset=name, subset=subset)
            yield from object_rows(sets[subset], make, content, start=key_end(content, subset))

    return dataset_of(rows(), name=name, content=content, path=place)


def read_mmlu(path: Path | str, *, name: str = "mmlu") -> Dataset:
    """Read MMLU: one CSV file, or all of a folder. The subject is the file's name.

    Raises
    ------
    InputError
        As :func:`read_dataset`.
    """
    place = Path(path)
    files = sorted(place.glob("*.csv")) if place.is_dir() else [place]
    if not files:
        raise InputError(f"{place} holds no CSV file")
    contents = {file: read_content(file) for file in files}
    if len(files) == 1:
        whole = contents[files[0]]
    else:
        whole = "".join(f"{file.name} {digest(content)}\n" for file, content in contents.items()).encode()
    rows = (row for file, content in contents.items() for row in _csv_rows(file, content, name))
    return dataset_of(rows, name=name, content=whole, path=place)


def invented_questions() -> Dataset:
    """Return the twenty questions that come with metarag, for tests and tutorials.

    The subset ``demo`` can be answered from the demo corpus, ``elsewhere`` cannot.
    """
    content, place = data_file(INVENTED_QUESTIONS).read_bytes(), Path(INVENTED_QUESTIONS)
    rows = line_rows(content, place, jsonl_item, name="invented")
    return dataset_of(rows, name="invented", content=content, path=place)


def _json_lines(path: Path, name: str, make: Callable[..., Item]) -> Dataset:
    content = read_content(path)
    return dataset_of(line_rows(content, path, make, name=name), name=name, content=content, path=path)


def _csv_rows(file: Path, content: bytes, name: str) -> Rows:
    subset = _SPLIT.sub("", _stem(file))
    reader = csv.reader(io.StringIO(text_of(content, file), newline=""))
    try:
        for number, cells in enumerate(reader, 1):
            is_header = number == 1 and cells[:1] == ["question"] and cells[-1:] == ["answer"]
            if cells and not is_header:
                make = partial(mmlu_item, cells, id=f"{subset}-{number}", dataset=name, subset=subset)
                yield reader.line_num, read_row(make, reader.line_num)
    except csv.Error as error:
        raise InputError(f"{file}, line {reader.line_num}: it is no CSV: {error}") from error


def _format_of(path: Path) -> str:
    if path.is_dir() or ".csv" in path.suffixes:
        return "mmlu"
    content = read_content(path)
    row = _first_object(text_of(content, path))
    if row is None:
        row = json_object(content, path)
    for key, found in (("cop", "medmcqa"), ("answer_idx", "medqa"), ("question", "jsonl")):
        if key in row:
            return found
    inner = next((value for value in row.values() if isinstance(value, dict)), {})
    if "QUESTION" in inner:
        return "pubmedqa"
    if any(isinstance(value, dict) and "question" in value for value in inner.values()):
        return "mirage"
    raise InputError(f"{path} is in none of the formats {', '.join(get_args(DatasetFormat))}; name one")


# Any: whatever the first line of a file holds.
def _first_object(text: str) -> dict[str, Any] | None:
    try:
        row = json.loads(text.lstrip().split("\n", 1)[0])
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name
