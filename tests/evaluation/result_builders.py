"""Invented results of experiments."""

from __future__ import annotations

from metarag.evaluation.results import ItemResult, Outcome
from metarag.evaluation.signature import DatasetSignature, EvaluationSignature, ModelSignature


def make_result(item="q1", letter="A", *, gold="A", **fields):
    outcome = fields.pop("outcome", None)
    if outcome is None:
        outcome = (
            Outcome.UNREADABLE if letter is None else Outcome.CORRECT if letter == gold else Outcome.WRONG
        )
    defaults = {"dataset": "d", "cluster": f"c-{item}", "system": "s", "model": "m"}
    return ItemResult(item=item, letter=letter, gold=gold, outcome=outcome, **{**defaults, **fields})


def make_cell(pattern, **fields):
    """Make one result a sign: ``+`` right, ``-`` wrong, ``?`` unreadable, ``!`` failed, ``/`` refused."""
    odd = {"?": Outcome.UNREADABLE, "!": Outcome.ERROR, "/": Outcome.REFUSED}
    results = []
    for n, sign in enumerate(pattern, 1):
        letter = {"+": "A", "-": "B"}.get(sign)
        extra = {} if letter else {"outcome": odd[sign]}
        results.append(make_result(f"q{n:03d}", letter, **extra, **fields))
    return results


def make_signature(items=4, systems=("closed_book", "recommended"), **fields):
    defaults = {
        "datasets": (DatasetSignature(name="d", sha256="ab" * 32, items=items, clusters=items),),
        "models": (ModelSignature(name="m", endpoint="localhost:8080/v1"),),
        "systems": {system: {"order": system.partition("@")[0], "top_n": 4} for system in systems},
        "prompts": {"choice_reasoned@1": "0123456789ab"},
    }
    return EvaluationSignature(**{**defaults, **fields})
