"""Find the statements that declare an answer, from the end of a reply to its beginning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from metarag.choices.guards import is_declared, withdrawal
from metarag.choices.options import AnswerOptions
from metarag.choices.reading import Reading, read_at

MOST_STATEMENTS = 400
"""Places with a cue that are looked at, from the end. Ours: a bound for replies that repeat one phrase."""

_ANSWER_WORDS = (
    "answer", "ans", "ans.",
    "antwort", "lösung", "réponse", "reponse", "respuesta", "risposta", "resposta", "antwoord", "svar",
    "odpowied", "odpověď", "cevap", "yanıt", "jawaban", "đáp án", "vastaus", "válasz", "răspuns", "ответ",
    "відповідь", "απάντηση", "الجواب", "الإجابة", "उत्तर", "答案", "答え", "正解", "解答", "回答", "정답", "คำตอบ",
)  # fmt: skip
_NOUNS = (
    "choice", "option", "selection", "pick", "final", "decision", "prediction", "verdict", "conclusion",
    "selected", "letter", "solution", "opción", "opcion", "opção", "opzione", "alternativa", "选项",
)  # fmt: skip
_SUPERLATIVES = ("most ", "best ", "correct ", "right ")
_VERBS = (
    "choose", "chose", "choosing", "select", "pick", "go with", "going with", "go for", "opt for", "opting for",
    "settle on", "vote for", "lean towards", "lean toward",
    "leaning towards", "leaning toward", "mark ", "circle ", "guess", "think", "believe", "suspect", "say ", "conclude",
    "leaves", "leaving", "选", "選",
)  # fmt: skip
_POINTERS = (
    "it is ", "it's ", "it must be ", "it should be ", "it would be ", "this is ", "that is ", "that's ",
    "must be ", "therefore", "thus", "hence", "so ", "so, ", "consequently", "in conclusion", "in summary",
    "corresponds to ", "points to ", "matches ", "namely ", "but ", "but rather ", "rather ", "instead ",
)  # fmt: skip

_FILL = (
    r"(?:(?:therefore|thus|then|so|hence|clearly|definitely|certainly|obviously|most likely|likely|probably|indeed"
    r"|actually|in fact|simply|still|now|given by|represented by|listed as|as follows|the|letter|option|choice"
    r"|answer|number|alternative|alternativa|opción|opcion|opção|opzione"
    r"|buchstabe|lettre|la lettre|a letra|a alternativa|a opção|letra"
    r"|la letra|la|le|l'option|die|вариант|选项|選項|only|just|us with)\b[ \t]{0,2}[:,]?\s{0,3}){0,5}"
    r"(?:not\s(?:option\s)?\W{0,3}\w{1,3}\W{0,3}\s?,?\s?but\s(?:rather\s|instead\s)?(?:option\s)?)?"
)
_IS = (
    r"(?:is|was|are|be|ist|lautet|est|es|è|é|är|er|jest|je|adalah|является|είναι|هو|هي)\b"
    r"|是|为|為|は|が|은|는|이|है|คือ"
)
_MARK = r"[\"')\]]{0,2}\s{0,3}(?:\([^()\n]{0,40}\)\s{0,2})?(?::|=>|->|=|-+>?|\|)\s{0,6}"
_TO_ANSWER = re.compile(
    rf"(?:[^\W\d_]{{0,6}}[ _-]{{0,2}}(?:choice|option|letter|key|idx|index|correcta|correcte|correta|corretta)?)"
    rf"(?:{_MARK}|(?P<gap>[^.;:?!\n]{{0,80}}?)(?<![a-zà-ɏ])(?:{_IS})[ \t]{{0,3}}:?\s{{0,4}}){_FILL}"
)
_LONE = r"(?=[(\[\"']{0,2}[^\W\d_][)\]\"']{0,2}[ \t]{0,2}(?:$|[.,;:)\n]))"
_AT_LINE_START = re.compile(
    r"(?:[ \t]{1,3}|[ \t]{0,2}\n{1,3}[ \t#>-]{0,4})(?=[(\[\"']{0,2}[^\W\d_][)\]\"']{0,2}[ \t]{0,2}(?:$|[.,;:)\n]))",
    re.MULTILINE,
)
_TO_NOUN = re.compile(
    rf"s?(?:[ ](?:answer|choice|option|letter))?"
    rf"(?:{_MARK}|(?P<gap>[^.;:?!\n]{{0,60}}?)(?<![a-zà-ɏ])(?:{_IS})[ \t]{{0,3}}:?\s{{0,4}}){_FILL}"
)
_TO_SUPERLATIVE = re.compile(
    rf"(?P<gap>[^.;:?!\n]{{0,80}}?)(?<![a-zà-ɏ])(?:{_IS})[ \t]{{0,3}}:?\s{{0,4}}{_FILL}"
)
_TO_VERB = re.compile(
    r"(?:ing|ed|s)?(?:择|擇|项|項)?[ \t]{0,2}:?[ \t]{0,2}(?:that\s)?"
    rf"(?:(?:it|this|that)(?:'s| is| must be| should be| would be| has to be| is probably| is likely)\s)?{_FILL}"
)
_TO_POINTER = re.compile(rf"[,:]?[ \t]{{0,2}}{_FILL}")
_IS_WRONG = r"\s(?:is|was)\s(?:wrong|incorrect|not (?:right|correct|the (?:right|correct|best)))"
_PICK_ENDS = re.compile(r"[ \t]{0,2}(?:$|\n|[.,;:!)\"']|(?:because|since|as|due|given|for)\b)")
_SENTENCE_ENDS = re.compile(r"[.!?;\n]")
_NEGATED_GAP = re.compile(r"\b(?:not|never|cannot|incorrect|wrong|false|least|except)\b|n't")
_BOXED = re.compile(r"\\f?boxed\s{0,2}\{([^{}\n]{0,300})\}")
_TAGGED = re.compile(
    r"<(answer|final_answer|finalanswer|final|choice|option|ans|response)>([^<>]{0,600})</\1\s{0,2}>",
    re.IGNORECASE,
)
_MARKED = re.compile(r"(?:^|\n)[ \t]{0,4}#{2,6}[ \t]{1,3}(?=[^\n]{1,40}\s*$)|\[\[(?=[^\[\]\n]{1,40}\]\])")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that names options, and where it stands.

    Attributes
    ----------
    method : str
        ``declared``, ``stated``, ``tag`` or ``boxed``.
    """

    start: int
    reading: Reading
    method: str


def declarations(text: str, lower: str, options: AnswerOptions) -> Iterator[Statement]:
    r"""Yield explicit declarations ("the answer is B", ``<answer>``, ``\boxed``), the last one first."""
    places = [(start, end, "declared") for start, end in _cues(lower, _ANSWER_WORDS)]
    places += [(m.start(1), m.end(), "boxed") for m in _BOXED.finditer(text)]
    places += [(m.start(2), m.end(), "tag") for m in _TAGGED.finditer(text)]
    places += [(m.end(), m.end(), "tag") for m in _MARKED.finditer(text)]
    for start, end, method in sorted(places, reverse=True)[:MOST_STATEMENTS]:
        if method == "declared":
            found = _declared(text, lower, start, end, options)
        else:
            found = _enclosed(text, start, options, method)
        if found:
            yield found


def opinions(text: str, lower: str, options: AnswerOptions) -> Iterator[Statement]:
    """Yield looser statements ("I choose B", "option B is correct"), the last one first."""
    patterns = (
        (_NOUNS, _TO_NOUN),
        (_SUPERLATIVES, _TO_SUPERLATIVE),
        (_VERBS, _TO_VERB),
        (_POINTERS, _TO_POINTER),
    )
    places = [(start, end, pattern) for words, pattern in patterns for start, end in _cues(lower, words)]
    found = []
    for start, end, pattern in sorted(places, key=lambda place: place[:2], reverse=True)[:MOST_STATEMENTS]:
        statement = _said(text, lower, start, pattern.match(lower, end), options)
        if statement and (pattern is not _TO_POINTER or _PICK_ENDS.match(lower, statement.reading.end)):
            found.append(statement)
            break
    found += list(_approved(text, lower, options))
    yield from sorted(found, key=lambda statement: statement.start, reverse=True)


def taken_back(text: str, lower: str, statement: Statement) -> int | None:
    """Return where a text goes on after it took a statement back; ``None`` when it does not."""
    ends = [withdrawal(lower, statement.reading.end)]
    for label in statement.reading.labels[:1]:
        wrong = re.compile(rf"(?<![\w-])\(?{re.escape(label)}\)?{_IS_WRONG}")
        ends += [match.end() for match in wrong.finditer(text, statement.reading.end)]
    return max((end for end in ends if end is not None), default=None)


def _cues(lower: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where the words stand, as beginning and end; the last ones where there are too many."""
    places: list[tuple[int, int]] = []
    for word in words:
        start, left = lower.rfind(word), MOST_STATEMENTS
        while start >= 0 and left:
            left -= 1
            if not (word[0].isascii() and start and lower[start - 1].isalpha()):
                places.append((start, start + len(word)))
            start = lower.rfind(word, 0, start)
    return sorted(places, reverse=True)[:MOST_STATEMENTS]


def _declared(text: str, lower: str, start: int, end: int, options: AnswerOptions) -> Statement | None:
    cue = _TO_ANSWER.match(lower, end)
    if cue is None and not text[:start].rpartition("\n")[2].strip(" #>-(["):
        cue = _AT_LINE_START.match(lower, end)
    return _said(text, lower, start, cue, options, method="declared")


def _said(
    text: str,
    lower: str,
    start: int,
    cue: re.Match[str] | None,
    options: AnswerOptions,
    *,
    method: str = "stated",
) -> Statement | None:
    if cue is None or _NEGATED_GAP.search(cue.groupdict().get("gap") or ""):
        return None
    reading = read_at(text, cue.end(), options, strict=method == "stated")
    if reading is None or not is_declared(lower, start, reading.end):
        return None
    return Statement(start, reading, method)


def _enclosed(text: str, start: int, options: AnswerOptions, method: str) -> Statement | None:
    reading = read_at(text, start, options, alone=True)
    return Statement(start, reading, method) if reading else None


def _approved(text: str, lower: str, options: AnswerOptions) -> Iterator[Statement]:
    """Yield "option B is correct" and its like; two of them in one sentence name two options."""
    labels: tuple[str, ...] = ()
    last = 0
    for match in _APPROVED.finditer(text, max(0, len(text) - 20_000)):
        token = options.token.match(text, match.start("letter"))
        label = options.label(token.group()) if token else None
        if label and is_declared(lower, match.start(), match.end()):
            labels = (label,) if _SENTENCE_ENDS.search(text, last, match.start()) else (*labels, label)
            last = match.end()
            yield Statement(match.start(), Reading(tuple(dict.fromkeys(labels)), last), "stated")


_APPROVED = re.compile(
    r"(?<![\w-])\(?(?P<letter>[A-Z]|\d{1,2}|[ivx]{1,4})\)?"
    r"(?:[.:)]\s[^.()\n,;]{1,80}?|\s\([^()\n]{1,80}\)|,[^,.;\n]{1,80},)?"
    r"\s(?:is|would be|seems|appears|must be|remains|looks|represents|provides|offers)\s"
    r"(?:(?:therefore|thus|clearly|definitely|likely|probably|hence|indeed|actually|also)\s)?(?:to be\s)?(?:(?:the|my)\s)?"
    r"(?:(?:most|single|only|one)\s)?(?:correct|right|best|appropriate|likely|accurate|suitable|answer)\b"
    r"(?!\s(?:if|only|when|unless|for|in)\b)"
)
