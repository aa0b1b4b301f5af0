"""Which option a model's reply chooses: the order in which its places are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from metarag.choices.json_field import JsonAnswer, json_answer
from metarag.choices.mentions import by_mention, is_refusal, is_short
from metarag.choices.options import AnswerOptions
from metarag.choices.places import first_words, last_line, whole_reply
from metarag.choices.reading import read_at
from metarag.choices.result import ParsedAnswer, chosen, from_reading, unreadable
from metarag.choices.statements import Statement, declarations, opinions, taken_back
from metarag.choices.text import (
    before_next_question,
    lowered,
    own_turn,
    plain,
    shortened,
    without_thoughts,
)

PARSER = "metarag-answers@1"
"""Name and version; raised with every change that can read a reply otherwise. Part of a signature."""
_PREFACE = 200
"""Characters. Ours: what stands before a question that is only repeated is a sentence or two."""
_LETTER_FIRST = re.compile(r"\W{0,3}\w{1,4}\s{0,2}(?:[).:,/&|-]|and|or)")


def parse_answer(text: str | None, options: Mapping[str, str]) -> ParsedAnswer:
    r"""Return the option that a reply chooses.

    In order: closed reasoning is left out (an unclosed block is no answer), then a question that the model
    made up; the last JSON key that means an answer; a reply that is one letter; the last declaration
    ("the answer is B", ``<answer>``, ``\boxed``), where denied, supposed, asked, quoted and reported ones do
    not count; a letter at the beginning; looser statements; a letter as the last line; the one option whose
    text is mentioned. Two letters, or a letter outside the options, are no answer.

    Parameters
    ----------
    text : str or None
        The reply. Of a text longer than :data:`~metarag.choices.text.LONGEST` characters the
        beginning and the end are read, so the time is bounded.
    options : mapping of str to str
        Label to text. Labels can be any letters, numbers or short strings.
    """
    if not options:
        return unreadable("no_options")
    if text is None or not text.strip():
        return unreadable("empty")
    known = AnswerOptions.of(options)
    answer = without_thoughts(shortened(text))
    if answer is None:
        return unreadable("reasoning")
    answer = own_turn(answer)
    if not answer.strip():
        return unreadable("empty")
    first = before_next_question(answer)
    if first is not None:
        read = _parse(first, known)
        if read.method != "nothing" or len(first) > _PREFACE:
            return read
    return _parse(answer, known)


def _parse(raw: str, options: AnswerOptions) -> ParsedAnswer:
    in_json = json_answer(raw)
    if in_json:
        behind = plain(raw[in_json.end :])
        if not any(True for _ in declarations(behind, lowered(behind), options)):
            return _from_json(in_json, options)
    return _from_text(plain(raw).strip('"').strip(), options)


def _from_text(text: str, options: AnswerOptions) -> ParsedAnswer:
    if not text:
        return unreadable("empty")
    whole = whole_reply(text, options)
    if whole:
        return whole
    lower = lowered(text)
    statement = _statement(text, lower, options)
    if statement:
        return _unless_taken_back(text, lower, statement, options)
    return last_line(text, options) or _by_text(text, lower, options)


def _statement(text: str, lower: str, options: AnswerOptions) -> Statement | None:
    """Return the statement that counts. A first line that is nothing but an option beats an opinion."""
    declared = next(declarations(text, lower, options), None)
    if declared:
        return declared
    first, alone = first_words(text, lower, options) or (None, False)
    if first and alone:
        return first
    opinion = next(opinions(text, lower, options), None)
    if opinion or first is None or not first.reading.by_text:
        return opinion or first
    # An option's text that goes on is weighed with the others that are mentioned, unless it is too short for that.
    return first if is_short(options.text_of(first.reading.labels[0])) else None


def _unless_taken_back(text: str, lower: str, statement: Statement, options: AnswerOptions) -> ParsedAnswer:
    """Return what a statement says, unless the text takes it back; then what it says after that."""
    resumed = taken_back(text, lower, statement)
    if resumed is None:
        return from_reading(statement.reading, statement.method)
    read = _from_text(text[resumed:].lstrip(" .,:;!-"), options)
    return read if read.letter else unreadable("withdrawn", statement.reading.labels)


def _from_json(found: JsonAnswer, options: AnswerOptions) -> ParsedAnswer:
    read = [_value(value, options) for value in found.values]
    letters = tuple(dict.fromkeys(label for part in read for label in part.candidates))
    if len(read) == 1 and read[0].letter is None:
        kept = "no_value" if read[0].method in ("nothing", "empty") else read[0].method
        return unreadable(kept, read[0].candidates)
    if len(letters) == 1 and all(part.letter for part in read):
        return chosen(letters[0], "json", letters, conflict=any(part.conflict for part in read))
    return unreadable("several" if len(letters) > 1 else "no_value", letters)


def _value(value: str, options: AnswerOptions) -> ParsedAnswer:
    text = plain(value)
    whole = whole_reply(text, options)
    if whole:
        return whole
    reading = read_at(text, 0, options, alone=_LETTER_FIRST.match(text) is not None)
    if reading and (not reading.by_text or reading.end >= len(text.rstrip(" .!)\"'"))):
        return from_reading(reading, "json")
    return _from_text(text, options)


def _by_text(text: str, lower: str, options: AnswerOptions) -> ParsedAnswer:
    if is_refusal(lower):
        return unreadable("refused")
    labels = by_mention(text, lower, options)
    if len(labels) == 1:
        return chosen(labels[0], "text", labels)
    return unreadable("several" if labels else "nothing", labels)
