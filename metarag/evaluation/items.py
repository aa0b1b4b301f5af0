"""The questions of a data set, and what is wrong with them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Self

from pydantic import Field, field_validator, model_validator

from metarag.records import Frozen
from metarag.types import MAX_QUESTION_LENGTH, Question

_WORD = re.compile(r"\w+")


class Item(Frozen):
    """One multiple-choice question with its answer.

    Parameters
    ----------
    id : str
        Unique in its data set.
    options : dict of str to str
        Label to text; at least two, none empty.
    gold : str
        The label of the right option.
    subset : str or None
        Part of the data set: an MMLU subject, a set of MIRAGE ...
    source_pmids : tuple of str
        Articles that the question was made from. A retriever must not find them (see
        :func:`metarag.evaluation.leakage.without_sources`).
    """

    id: str = Field(min_length=1)
    dataset: str = Field(min_length=1)
    question: str = Field(min_length=1, max_length=MAX_QUESTION_LENGTH)
    options: dict[str, str]
    gold: str
    subset: str | None = None
    source_pmids: tuple[str, ...] = ()

    @field_validator("question")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not any(c.isalnum() for c in value):
            raise ValueError("the question holds no word")
        return value.strip()

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if len(self.options) < 2:
            raise ValueError(f"it has {len(self.options)} options; at least two are needed")
        empty = [label for label, text in self.options.items() if not label.strip() or not text.strip()]
        if empty:
            raise ValueError(f"option {', '.join(empty)} is empty")
        if self.gold not in self.options:
            raise ValueError(f"the answer is {self.gold!r}, which is none of {', '.join(self.options)}")
        return self

    @property
    def cluster(self) -> str:
        """Hash of the question and its options, whatever their order, case and punctuation; 16 hex digits.

        Copies of a question share it. They are one question to the statistics, not two.
        """
        parts = [_normal(self.question), *sorted({_normal(text) or text for text in self.options.values()})]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    @property
    def gold_text(self) -> str:
        """Text of the right option."""
        return self.options[self.gold]

    def as_question(self) -> Question:
        """Return the question as a pipeline and a generator take it."""
        return Question(text=self.question, options=self.options)


class DatasetProblem(Frozen):
    """Something about one question that a reader of its numbers should know.

    Parameters
    ----------
    line : int or None
        In the file, from 1; of a question over several lines, the last.
    kind : str
        ``invalid``, ``duplicate_id`` (both left out), ``duplicate_options`` (two options have one text),
        ``contained_option`` (one option's text stands in another's), ``repeated_question``,
        ``contradicting_answers`` (the same question with another answer).
    left_out : bool
        True when the question is not among the items.
    """

    line: int | None
    item: str | None
    kind: str
    message: str
    left_out: bool = False


class Dataset(Frozen):
    """The usable questions of a file, in its order, and what was wrong.

    Attributes
    ----------
    sha256 : str
        Of the file; of a folder, over the names and digests of its files.
    """

    name: str
    sha256: str
    items: tuple[Item, ...]
    problems: tuple[DatasetProblem, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:  # type: ignore[override]  # a data set is a sequence first
        return iter(self.items)

    @property
    def clusters(self) -> int:
        """Number of different questions."""
        return len({item.cluster for item in self.items})

    @property
    def counts(self) -> dict[str, int]:
        """How many problems of each kind there are, sorted by kind."""
        return dict(sorted(Counter(problem.kind for problem in self.problems).items()))


def checked(numbered: Iterable[tuple[int | None, Item]]) -> tuple[list[Item], list[DatasetProblem]]:
    """Return the items whose id is new, and what is odd about any of them."""
    items: list[Item] = []
    problems: list[DatasetProblem] = []
    ids: set[str] = set()
    answers: dict[str, Item] = {}
    for line, item in numbered:
        if item.id in ids:
            message = "another question before it has this id; give each its own"
            problems.append(
                DatasetProblem(line=line, item=item.id, kind="duplicate_id", message=message, left_out=True)
            )
            continue
        ids.add(item.id)
        items.append(item)
        problems += _odd_options(line, item)
        first = answers.setdefault(item.cluster, item)
        if first is not item:
            problems.append(_repeated(line, item, first))
    return items, problems


def _odd_options(line: int | None, item: Item) -> Iterator[DatasetProblem]:
    folded = {label: _folded(text) for label, text in item.options.items()}
    labels = list(folded)
    for i, one in enumerate(labels):
        for other in labels[i + 1 :]:
            if folded[one] == folded[other]:
                message = f"options {one} and {other} have the same text"
                if item.gold in (one, other):
                    message += ", and one of them is the answer"
                yield DatasetProblem(line=line, item=item.id, kind="duplicate_options", message=message)
            elif _contains(folded[one], folded[other]) or _contains(folded[other], folded[one]):
                message = f"the text of option {one} or {other} stands in the other's"
                yield DatasetProblem(line=line, item=item.id, kind="contained_option", message=message)


def _repeated(line: int | None, item: Item, first: Item) -> DatasetProblem:
    same = _folded(item.gold_text) == _folded(first.gold_text)
    return DatasetProblem(
        line=line,
        item=item.id,
        kind="repeated_question" if same else "contradicting_answers",
        message=f"it is the question {first.id} again" + ("" if same else ", with another answer"),
    )


def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _contains(longer: str, shorter: str) -> bool:
    """Return whether a text stands in another as whole words."""
    return re.search(rf"(?<!\w){re.escape(shorter)}(?!\w)", longer) is not None
