"""Numbers as abstracts write them, ``1,204`` and ``one hundred and twenty``, and the people they count."""

from __future__ import annotations

import re
from typing import Final

_TO_NINETEEN: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_ONES: Final = {word: number for number, word in enumerate(_TO_NINETEEN.split()) if number}
_TENS_FROM_TWENTY: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS: Final = {word: 10 * number for number, word in enumerate(_TENS_FROM_TWENTY.split(), start=2)}
_SCALES: Final = {"hundred": 100, "thousand": 1000}
NUMBER_WORDS: Final = frozenset({*_ONES, *_TENS, *_SCALES})
ANY_WORD: Final = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
NUMBER: Final = (
    r"(?<![\w.,/%-])(?P<number>\d{1,3}(?:[, ]\d{3}){1,2}(?![\d,.]\d)|\d{1,6}(?![\d%]|[.,]\d)"
    rf"|(?:{ANY_WORD})(?:(?:-|\s(?:and\s)?)(?:{ANY_WORD})){{0,6}}\b)(?!\s?%|\s?(?:percent|per\scent"
    r"|kg|mg|g|ml|cm|mm|µg|mcg|iu|years?|months?|weeks?|days?|hours?|min|minutes)\b)"
)
PEOPLE: Final = (
    "(?:patients|participants|subjects|adults|children|infants|neonates|newborns|women|men|people|persons"
    "|individuals|volunteers|adolescents|girls|boys|mothers|students|workers|nurses|physicians|veterans"
    "|residents|smokers|athletes|households|families|couples|outpatients|inpatients|survivors|males|females"
    "|cases|pregnancies|eyes|knees|teeth|recipients|youths?|carriers|donors|responders|dyads|pairs"
    "|caregivers|employees|soldiers|teachers|doctors|professionals|asthmatics)"
)


def to_number(words: str) -> int:
    """Return ``1,200``, ``1 200`` or ``one thousand two hundred`` as a number; 0 when it is none."""
    digits = words.replace(",", "").replace(" ", "")
    if digits.isdecimal():
        return int(digits)
    total = part = 0
    for word in re.split(r"[-\s]+", words):
        if word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if _SCALES[word] == _SCALES["thousand"]:
                total, part = total + part, 0
        else:
            part += _ONES.get(word, 0) + _TENS.get(word, 0)
    return total + part
