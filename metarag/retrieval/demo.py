"""The demo corpus and its questions, so that everything can be tried without any set-up."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from metarag.errors import ConfigurationError
from metarag.records import Frozen
from metarag.resources import data_file
from metarag.retrieval.corpus import Corpus
from metarag.types import Pico, Question, QuestionKind

DEMO_CORPUS = "demo_corpus.jsonl"
DEMO_QUESTIONS = "demo_questions.json"


class DemoQuestion(Frozen):
    """A question that the demo corpus was made for; ``why`` says what is instructive about it."""

    id: str
    text: str
    kind: QuestionKind
    pico: Pico
    why: str

    @property
    def question(self) -> Question:
        """The question as the pipeline takes it."""
        return Question(text=self.text, kind=self.kind, pico=self.pico)


def demo_corpus_path() -> Path:
    """Return the file of the demo corpus: summaries written for metarag, not the authors' words.

    Raises
    ------
    ConfigurationError
        The file is missing, or the package was not unpacked.
    """
    place = data_file(DEMO_CORPUS)
    if not isinstance(place, Path):
        raise ConfigurationError(
            f"{DEMO_CORPUS} is inside an archive; install metarag-ebm unpacked, with pip"
        )
    return place


def demo_questions() -> tuple[DemoQuestion, ...]:
    """Return the questions that the demo corpus can answer.

    Raises
    ------
    ConfigurationError
        The file is missing or damaged.
    """
    try:
        return TypeAdapter(tuple[DemoQuestion, ...]).validate_json(data_file(DEMO_QUESTIONS).read_bytes())
    except ValidationError as error:
        raise ConfigurationError(f"{DEMO_QUESTIONS} is damaged; reinstall metarag-ebm: {error}") from error


def open_demo_corpus() -> Corpus:
    """Return the demo corpus, indexed in memory.

    Raises
    ------
    ConfigurationError
        Its file is missing.
    IndexUnusableError
        A record of it cannot be read.
    """
    from metarag.retrieval.records_file import read_records

    return Corpus.in_memory(read_records(demo_corpus_path()), name="demo")
