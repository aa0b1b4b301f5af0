"""Contexts in which a phrase of a trial is somebody else's: searches, wishes, other people's trials."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

STUDY: Final = (
    r"(?:trial|study|design|experiment|comparison|evaluation|investigation|protocol|cross~over|pilot|rct)"
)

# Words before "randomised trial" which make it another's trial or a wish.
OTHERS: Final = (
    r"\b(?:previous|previously|prior|recent|recently|earlier|other|another|future|further|larger?|no"
    "|not|few|ongoing"
    r"|published|several|most|many|lack of|absence of|need for|without|first|existing|well-designed"
    r"|next|until|only|such|any|non|quasi|for|international standard) <3>(?:an? |,|-)?"
)

WISH: Final = (
    r"\b(?:needed|required|warranted|necessary|awaited|in progress|future research|should be"
    "|would require|we searched|eligible|inclusion criteria|selection criteria|literature search"
    r"|has shown|have shown)\b"
)

SEARCH: Final = (
    r"\b(?:we searched|search(?:es|ing)? (?:of|for|strategy|terms?)|selection criteria|inclusion criteria"
    "|eligible (?:stud|trial)|studies (?:that|which|were|reporting)|trials (?:that|which|in which"
    r"|were included|of))\b"
)

# "Not assigned at random", "neither randomised nor blinded", "no patient was randomised". Only such words may
# stand between: in "those who did not respond were randomised" the negation is another verb's.
NEGATED: Final = (
    r"\b(?:(?:not|never|neither|cannot|without|rather than|instead of|lack of|absence of|\w{2,6}n['’]t)"
    " (?:(?:be|been|being|was|were|a|an|by|at|in|to|truly|fully|formally|strictly|yet|made|done|chosen|given"
    "|assigned|allocated|divided|distributed|split|grouped|separated|selected|assignment|allocation) ){0,4}"
    "|nor (?:(?:was|were) )?(?:(?:the|any|it|they|patients|participants|treatments?|groups?) ){0,2}"
    r"|(?:no|none of the|none of our) (?:patients?|participants?|subjects?|children|women|men|adults) "
    "(?:was|were) (?:(?:assigned|allocated|divided) (?:at |by )?)?)"
)

NOT_OWN_VERB: Final = rf"(?:\b(?:mendelian|non~|quasi~)|{NEGATED})"

CONTEXTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        SEARCH: ("search", "criteria", "eligible", "studies", "trials"),
        WISH: (
            "needed", "required", "warranted", "necessary", "awaited", "progress", "future", "should", "would",
            "search", "eligible", "criteria", "shown",
        ),
    }
)  # fmt: skip
"""Contexts that many rules share, with literals of which each match holds one: most sentences hold none."""
