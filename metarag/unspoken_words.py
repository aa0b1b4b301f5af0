"""Words of a question that nothing found speaks of, so that an answer on the rest of it says so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from metarag.joined_treatment import is_unknown_name, named_by_none
from metarag.outcome_keys import outcomes_in
from metarag.pico_question import question_pico
from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Words, vocabulary
from metarag.types import Evidence, Question

_WORD: Final = re.compile(r"[^\W\d_][\w-]{3,}")
# What is done to a disease, said loosely; no thing that an article had to name.
_LOOSE: Final = frozenset(
    """cure cured cures curing heal heals healed stop stops stopped stopping beat beats shrink shrinks slow slows slowed
    save saves saved lives life good really actually worth work works working ever still even make makes made keep
    keeps raise raises raised take takes taken taking need needs needed improve improves relieve relieves delay delays
    boost boosts question answer doctor doctors evidence proven proof true false right wrong know known think tell show shown
    anyone someone something anything nothing everyone somebody people person patients""".split()
)
_TREATMENTS: Final = (TermKind.DRUG, TermKind.PROCEDURE)
MOST_WORDS: Final = 3
"""Told of one question; ours."""


def unspoken_words(question: Question, evidence: Iterable[Evidence]) -> list[str]:
    """Return words of a question on no known treatment, at most three, that are no known name and in no article.

    "Does homeopathy cure lung cancer?" may be read as a question on lung cancer alone; what is found on it is
    no answer then.
    """
    if any(term.kind in _TREATMENTS for term in question_pico(question).used.intervention):
        # The treatment was read; of words beside it nobody knows whether an article had to use them.
        return []
    text = question.text
    known = [(hit.start, hit.end) for hit in vocabulary().find(Words.of(text))]
    known += [(hit.start, hit.end) for hit in outcomes_in(text)]
    words = dict.fromkeys(
        m.group()
        for m in _WORD.finditer(text)
        if not any(start <= m.start() < end for start, end in known) and m.group().lower() not in _LOOSE
    )
    unknown = [word for word in words if is_unknown_name(word)]
    return named_by_none(unknown, evidence)[:MOST_WORDS] if unknown else []
