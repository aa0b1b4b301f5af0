"""All that a record reports of its participants, its dates and its money, read in one go."""

from __future__ import annotations

from typing import Final

from metarag import reported_ages, reported_follow_up, reported_periods, reported_species, reported_statements
from metarag.records import Article
from metarag.reported_ages import read_ages
from metarag.reported_facts import ReportedFacts
from metarag.reported_follow_up import read_follow_up
from metarag.reported_periods import read_periods
from metarag.reported_species import read_species
from metarag.reported_statements import read_conflicts, read_funding
from metarag.reported_text import texts_of
from metarag.unchecked import unchecked

_TELLING: Final = (
    reported_ages.CUES
    | reported_follow_up.CUES
    | reported_periods.CUES
    | reported_species.CUES
    | reported_statements.CUES
)


def read_facts(article: Article) -> ReportedFacts:
    """Return the facts of a record, each with the words that say so: a pure function of the record."""
    texts = texts_of(article, _TELLING)
    facts = {
        "species": tuple(read_species(article.mesh, texts)),
        "ages": tuple([age for text in texts for age in read_ages(text)]),
        "periods": tuple([period for text in texts for period in read_periods(text)]),
        "follow_up": tuple([length for text in texts for length in read_follow_up(text)]),
        "funding": tuple(read_funding(article, texts)),
        "conflicts": tuple(read_conflicts(article, texts)),
    }
    return unchecked(ReportedFacts, facts, _FIELDS)


# Pydantic asks for a set that is not frozen; a copy has a copy of it.
_FIELDS: Final = set(ReportedFacts.model_fields)
