"""Whether a question is written in another language than English, by the small words that every sentence needs."""

from __future__ import annotations

import re
from typing import Final

# German, French, Spanish, Italian, Portuguese, Dutch: articles, prepositions, conjunctions, forms of "to be". Left
# out is what is a word of English or of its medicine too ("die", "on", "con", "per", "de novo", "en bloc").
_OTHER: Final = frozenset(
    """der das den dem ein eine einer einen einem bei beim und ist sind mit für von vom zum zur oder nicht wie
    wird werden welche hat nach auf aus durch über gegen kann hilft wirkt
    le les des du une est sont chez pour dans avec sur que quel quelle quels quelles et aux ou
    la el los las una para del por entre sobre cuál qué más son
    il gli nel nell dell nella nei nelle della delle dei degli che è sono alla negli
    os um uma com em não são dos das pelo pela
    het een van voor bij met zijn wordt naar""".split()
)
_ENGLISH: Final = frozenset(
    """the of and are does do did with for to than what which who how by from should when whether there been
    have has be can could will would""".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SURNAME: Final = re.compile(r"\bvan (?:der|den|de) (?=[A-Z])", re.IGNORECASE)
"""Of a disease that is named after somebody."""
_FEWEST: Final = 2


def seems_foreign(text: str) -> bool:
    """Tell whether a text has two small words of another language, and more of them than of English.

    Abbreviations do not count: "DES" is a stent, "des" is French.

    Parameters
    ----------
    text : str
        A question.
    """
    words = {word.lower() for word in _WORD.findall(_SURNAME.sub(" ", text)) if word[1:].islower()}
    other = len(words & _OTHER)
    return other >= _FEWEST and other > len(words & _ENGLISH)
