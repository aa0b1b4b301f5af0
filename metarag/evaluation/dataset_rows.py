"""From a row as each data set writes it to an item; what is wrong with a row is an error with its reason."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from metarag.evaluation.items import Item

# Any: rows come from files and hold whatever these hold; each reader checks what it uses.
Row = Mapping[str, Any]
YES_NO_MAYBE = {"A": "yes", "B": "no", "C": "maybe"}
_JSONL_FIELDS = frozenset({"id", "question", "options", "answer", "source_pmids", "subset"})


class RowError(ValueError):
    """A row is no usable question; the message says why."""


def medqa_item(row: Row, *, id: str, dataset: str) -> Item:
    """Read MedQA: ``options`` as a mapping (or a list of ``key`` and ``value``), ``answer_idx``, ``answer``."""
    options = row.get("options")
    if isinstance(options, list):
        options = {str(o.get("key")): o.get("value") for o in options if isinstance(o, dict)}
    options = _texts(options)
    gold = str(_needed(row, "answer_idx")).strip()
    said = row.get("answer")
    if isinstance(said, str) and gold in options and said.strip() != options[gold].strip():
        raise RowError(f"answer_idx is {gold!r}, but answer is another text than that option's")
    return _item(
        id=_id(row, id), dataset=dataset, question=_needed(row, "question"), options=options, gold=gold
    )


def medmcqa_item(row: Row, *, id: str, dataset: str, first: int = 1) -> Item:
    """Read MedMCQA: ``opa`` to ``opd``, and ``cop``, which counts from ``first``."""
    options = {label: str(_needed(row, f"op{label.lower()}")) for label in "ABCD"}
    given = _needed(row, "cop")
    if isinstance(given, bool) or not str(given).strip().lstrip("-").isdecimal():
        raise RowError(f"cop is {given!r} and no number")
    place = int(given) - first
    if not 0 <= place < len(options):
        raise RowError(
            f"cop is {given}, which is out of range when counting from {first};"
            f" if the whole file counts from {1 - first}, read it with first={1 - first}"
        )
    return _item(
        id=_id(row, id),
        dataset=dataset,
        question=_needed(row, "question"),
        options=options,
        gold="ABCD"[place],
        subset=row.get("subject_name") or None,
    )


def mmlu_item(cells: Sequence[str], *, id: str, dataset: str, subset: str) -> Item:
    """Read MMLU: question, four options, letter. Cells are text whatever they say: "None" and "NA" are answers."""
    if len(cells) != 6:
        raise RowError(f"it has {len(cells)} cells instead of 6 (question, four options, answer)")
    question, *texts, gold = cells
    options = dict(zip("ABCD", texts, strict=True))
    return _item(id=id, dataset=dataset, question=question, options=options, gold=gold.strip(), subset=subset)


def pubmedqa_item(row: Row, *, id: str, dataset: str) -> Item:
    """Read PubMedQA: a PMID with ``QUESTION`` and ``final_decision``. The article itself is its source."""
    decision = str(_needed(row, "final_decision")).strip().casefold()
    gold = next((label for label, text in YES_NO_MAYBE.items() if text == decision), None)
    if gold is None:
        raise RowError(f"final_decision is {decision!r} and none of yes, no, maybe")
    return _item(
        id=id,
        dataset=dataset,
        question=_needed(row, "QUESTION"),
        options=YES_NO_MAYBE,
        gold=gold,
        source_pmids=(id,),
    )


def mirage_item(row: Row, *, id: str, dataset: str, subset: str) -> Item:
    """Read MIRAGE: ``question``, ``options``, ``answer``, and the PMIDs of the sources under ``PMID``."""
    sources = row.get("PMID", id if subset == "pubmedqa" and id.isdecimal() else ())
    listed = sources if isinstance(sources, list | tuple) else (sources,)
    return _item(
        id=f"{subset}/{id}",
        dataset=dataset,
        question=_needed(row, "question"),
        options=_texts(row.get("options")),
        gold=str(_needed(row, "answer")).strip(),
        subset=subset,
        source_pmids=tuple(str(pmid) for pmid in listed),
    )


def jsonl_item(row: Row, *, id: str, dataset: str) -> Item:
    """Read the documented form: ``question``, ``options``, ``answer``, and optional fields."""
    unknown = row.keys() - _JSONL_FIELDS
    if unknown:
        raise RowError(
            f"unknown field {', '.join(sorted(unknown))}; known are {', '.join(sorted(_JSONL_FIELDS))}"
        )
    given = row.get("options")
    if isinstance(given, list):
        if len(given) > len(string.ascii_uppercase):
            raise RowError(f"it has {len(given)} options; more than 26 need labels of their own")
        given = dict(zip(string.ascii_uppercase, given, strict=False))
    options = _texts(given)
    answer = str(_needed(row, "answer")).strip()
    if answer not in options:
        named = [label for label, text in options.items() if text.strip() == answer]
        if len(named) != 1:
            raise RowError(f"the answer {answer!r} is no label, and the text of {len(named)} options")
        answer = named[0]
    sources = row.get("source_pmids", [])
    if not isinstance(sources, list):
        raise RowError("source_pmids must be a list")
    return _item(
        id=_id(row, id),
        dataset=dataset,
        question=_needed(row, "question"),
        options=options,
        gold=answer,
        subset=row.get("subset"),
        source_pmids=tuple(str(pmid) for pmid in sources),
    )


def _needed(row: Row, name: str) -> Any:
    value = row.get(name)
    if value is None:
        raise RowError(f"{name} is missing")
    return value


def _id(row: Row, default: str) -> str:
    given = row.get("id")
    return default if given is None else str(given)


def _texts(options: object) -> dict[str, str]:
    if not isinstance(options, Mapping):
        raise RowError("options must be a mapping of labels to texts")
    wrong = [label for label, text in options.items() if not isinstance(text, str)]
    if wrong:
        raise RowError(f"option {', '.join(map(str, wrong))} is no text")
    return {str(label).strip(): text for label, text in options.items()}


def _item(**values: Any) -> Item:
    try:
        return Item(**values)
    except ValidationError as error:
        said = "; ".join(
            f"{'.'.join(map(str, e['loc'])) + ': ' if e['loc'] else ''}{e['msg'].removeprefix('Value error, ')}"
            for e in error.errors()
        )
        raise RowError(said) from error
