"""Answers one a line in the style of lm-eval's ``--log_samples``, so that others can score them again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from metarag.errors import InputError
from metarag.evaluation.items import Dataset, Item
from metarag.evaluation.results import ItemResult


def sample_lines(results: Iterable[ItemResult], datasets: Sequence[Dataset]) -> list[str]:
    """Return a line of JSON for each result, with the question it answers.

    ``resps`` holds the reply as the model wrote it and ``filtered_resps`` the letter that was read from it.

    Raises
    ------
    InputError
        A result belongs to no question of the data sets.
    """
    items = {
        (dataset.name, item.id): (place, item) for dataset in datasets for place, item in enumerate(dataset)
    }
    return [_line(result, *_item(result, items)) for result in results]


def _item(result: ItemResult, items: dict[tuple[str, str], tuple[int, Item]]) -> tuple[int, Item]:
    found = items.get((result.dataset, result.item))
    if found is None:
        raise InputError(
            f"question {result.item} of {result.dataset} is in none of the data sets; name the same files as in"
            " `eval run`"
        )
    return found


def _line(result: ItemResult, place: int, item: Item) -> str:
    letter = result.letter or ""
    sample = {
        "doc_id": place,
        "doc": {"id": item.id, "question": item.question, "options": item.options, "answer": item.gold},
        "target": item.gold,
        "arguments": {"system": result.system, "model": result.model, "seed": result.seed},
        "resps": [[result.reply or ""]],
        "filtered_resps": [letter],
        "acc": float(result.is_correct),
        "metarag": result.model_dump(mode="json", exclude_defaults=True, exclude={"reply"}),
    }
    return json.dumps(sample, ensure_ascii=False, sort_keys=True) + "\n"
