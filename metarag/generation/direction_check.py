"""Whether a sentence of an answer turns round what its sources found: by rule.

A sentence is read as if it were an abstract of its own, by the rules that read the sources. Both have to be
plain; where either is not, nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from metarag.generation.base import AnswerSentence
from metarag.generation.groundedness import Grounding
from metarag.other_treatments import asked_treatments
from metarag.outcome_keys import OutcomeKey, outcomes_in
from metarag.records import AbstractSection, Article
from metarag.result_words import is_of_part
from metarag.results import Result, article_result
from metarag.types import Evidence, Question

DIRECTION_FLAG = "direction:"
_GRADES = ("major_", "severe_", "serious_")
"""How bad an outcome is, in front of its key; in loose speech it is the same outcome. Ours."""


class DirectionCheck:
    """Compares what sentences say of outcomes with what their sources found, each read once.

    Parameters
    ----------
    articles : mapping of str to Evidence
        By citation.
    question : Question
        Whose treatment the results are of; without a known one, or against another drug, nothing is compared.
    """

    def __init__(self, articles: Mapping[str, Evidence], question: Question) -> None:
        self._articles = articles
        self._question = question
        self._treatments = asked_treatments(question)
        self._claims: dict[str, tuple[tuple[OutcomeKey, Result], ...]] = {}
        self._found: dict[tuple[str, str], Result | None] = {}

    def check(self, sentences: Sequence[AnswerSentence]) -> Grounding:
        """Return the sentences, flagged where none of their sources found what they say of an outcome.

        Parameters
        ----------
        sentences : sequence of AnswerSentence
            In English. A sentence without citations is compared with all articles.

        Returns
        -------
        Grounding
            Flags are ``direction:`` with the outcome's key; counted are ``directions``, those that could be
            compared, and ``directions_not_in_sources``.
        """
        counts: Counter[str] = Counter()
        checked = tuple(self._checked(sentence, counts) for sentence in sentences)
        return Grounding(checked, +counts)

    def _checked(self, sentence: AnswerSentence, counts: Counter[str]) -> AnswerSentence:
        cited = [c for c in sentence.citations if c in self._articles] or list(self._articles)
        flags = []
        for outcome, said in self._said(sentence.text):
            found = {self._result(citation, outcome) for citation in cited} - {None}
            counts["directions"] += bool(found)
            if found and said not in found:
                counts["directions_not_in_sources"] += 1
                flags.append(DIRECTION_FLAG + outcome.key)
        return sentence.model_copy(update={"flags": (*sentence.flags, *flags)}) if flags else sentence

    def _said(self, text: str) -> tuple[tuple[OutcomeKey, Result], ...]:
        if text not in self._claims:
            self._claims[text] = tuple(self._read(text)) if self._treatments else ()
        return self._claims[text]

    def _read(self, text: str) -> Iterable[tuple[OutcomeKey, Result]]:
        """Yield what a sentence says of each outcome that it names; of some of the people, nothing."""
        if is_of_part(text):
            return
        article = Article(title=self._question.text, abstract_sections=(AbstractSection(text=text),))
        item = Evidence(key="sentence", article=article)
        named = {key: replace(hit, key=key) for hit in outcomes_in(text) for key in hit.key.split("+")}
        for outcome in named.values():
            said = article_result(item, outcome, treatments=self._treatments)
            if said:
                yield outcome, said.result

    def _result(self, citation: str, outcome: OutcomeKey) -> Result | None:
        """Return what an article found on an outcome, else on the same one of another grade: "major bleeding"."""
        asked = citation, outcome.key
        if asked not in self._found:
            results = (
                article_result(
                    self._articles[citation], replace(outcome, key=key), treatments=self._treatments
                )
                for key in _grades(outcome.key)
            )
            self._found[asked] = next((found.result for found in results if found), None)
        return self._found[asked]


def _grades(key: str) -> tuple[str, ...]:
    plain = next((key.removeprefix(grade) for grade in _GRADES if key.startswith(grade)), key)
    return tuple(dict.fromkeys((key, plain, *(grade + plain for grade in _GRADES))))
