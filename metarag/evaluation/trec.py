"""Rankings and judgements in the files that trec_eval, ir_measures and their like read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metarag.errors import InputError


def run_text(rankings: Mapping[str, Sequence[str]], *, tag: str) -> str:
    """Return a TREC run: ``question Q0 document rank score tag``, one line a document.

    The score is the number of documents from here to the end, so that it falls with every rank: trec_eval
    goes by scores alone, and would break ties of the real ones in its own way.

    Parameters
    ----------
    rankings : mapping of str to sequence of str
        Question id to document ids (PMIDs), best first.
    tag : str
        Name of the system.

    Raises
    ------
    InputError
        An id or the tag is empty or holds white space, or a document is ranked twice.
    """
    _check(tag, "the tag")
    lines = []
    for question, documents in rankings.items():
        _check(question, "question id")
        if len(set(documents)) < len(documents):
            raise InputError(f"question {question!r} ranks a document twice; a run holds each once")
        for rank, document in enumerate(documents, 1):
            _check(document, f"document id of question {question!r}")
            lines.append(f"{question} Q0 {document} {rank} {len(documents) - rank + 1} {tag}\n")
    return "".join(lines)


def qrels_text(judgements: Mapping[str, Mapping[str, int]]) -> str:
    """Return TREC judgements: ``question 0 document grade``, one line a judgement.

    Raises
    ------
    InputError
        An id is empty or holds white space.
    """
    lines = []
    for question, judged in judgements.items():
        _check(question, "question id")
        for document, grade in judged.items():
            _check(document, f"document id of question {question!r}")
            lines.append(f"{question} 0 {document} {int(grade)}\n")
    return "".join(lines)


def _check(id: str, what: str) -> None:
    if not id or any(c.isspace() for c in id):
        raise InputError(f"{what} {id!r} must not be empty or hold white space: TREC files are split at it")
