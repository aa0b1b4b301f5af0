"""What a record tells of a review beside its words: how it was indexed, how many wrote it, where it stands.

Reviews get many subheadings on few headings, have few authors, and stand in journals that print little else.
None of it decides; the prose model weighs it with the words. A sign that the record does not carry is ``None``,
which the model takes for the average record.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

from metarag.records import Article

SIGNS: Final = ("headings", "subheadings", "major_headings", "log_authors", "review_journal")
"""The signs by name, in the order in which :func:`record_signs` gives them."""

_MOST_HEADINGS: Final = 25
_FEWEST_HEADINGS: Final = 3
"""A record with fewer was hardly indexed, or only tagged by whoever handed it over."""

_REVIEW_JOURNAL: Final = re.compile(
    r"\b(?:reviews?|opinion|seminars?|advances|clinics|trends|progress|perspectives|treatment options|expert"
    r"|critical|current|annals of the new york)\b",
    re.IGNORECASE,
)


def record_signs(article: Article) -> list[float | None]:
    """Return headings (at most 25), subheadings and major headings a heading, log authors, and the journal's kind."""
    count = len(article.mesh) if len(article.mesh) >= _FEWEST_HEADINGS else 0
    subheadings = sum(len(heading.qualifiers) for heading in article.mesh)
    major = sum(heading.major for heading in article.mesh)
    # A source that gives neither gives the bare descriptors.
    detailed = count > 0 and subheadings + major > 0
    return [
        float(min(count, _MOST_HEADINGS)) if count else None,
        subheadings / count if detailed else None,
        major / count if detailed else None,
        math.log(1 + len(article.authors)) if article.authors else None,
        _is_review_journal(article.journal.title) if article.journal.title else None,
    ]


@lru_cache(maxsize=2_048)
def _is_review_journal(title: str) -> float:
    return float(_REVIEW_JOURNAL.search(title) is not None)
