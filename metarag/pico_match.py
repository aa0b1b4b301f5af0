"""How an article's facets fit a question's, and what number follows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Self

from pydantic import Field, model_validator

from metarag.option_models import Options, Weight
from metarag.pico_facets import AskedComparator, AskedIntervention, AskedOutcome
from metarag.pico_findings import UNKNOWN, Finding, Fit
from metarag.pico_people import AskedPopulation
from metarag.pico_related import Relations, Stems, Studied
from metarag.pico_types import AskedPico, ExtractedPico, TermKind
from metarag.pico_vocabulary import Vocabulary


class FacetWeights(Options):
    """Weights of the facets in applicability. Ours: who is treated with what weighs most.

    The order follows GRADE's indirectness (population, intervention, outcome, then indirect comparison).
    """

    population: Weight = 1.0
    intervention: Weight = 1.0
    comparator: Weight = 0.5
    outcome: Weight = 0.5

    @model_validator(mode="after")
    def _one_counts(self) -> Self:
        if not (self.population or self.intervention or self.comparator or self.outcome):
            raise ValueError("at least one weight must be greater than 0")
        return self


class FitValues(Options):
    """What each decision is worth, in (0, 1]. Ours.

    ``unknown`` stands between partial and match: an abstract that does not state a facet is neither
    punished as if it were wrong nor rewarded as if it were right, and saying less never beats saying more.
    """

    match: float = Field(default=1.0, gt=0, le=1)
    partial: float = Field(default=0.6, gt=0, le=1)
    mismatch: float = Field(default=0.15, gt=0, le=1)
    unknown: float = Field(default=0.75, gt=0, le=1)


class Comparison:
    """A question made ready to be compared with many articles, facet by facet.

    Parameters
    ----------
    asked : AskedPico
        What the question asks for. Only facets that it states are compared.
    known : Vocabulary
        Says which concept belongs to which class.
    """

    def __init__(self, asked: AskedPico, known: Vocabulary) -> None:
        used = asked.used
        people = used.of_kind(TermKind.CONDITION, TermKind.HISTORY)
        self._relations = Relations(known, (*people, *used.intervention, *used.comparator, *used.outcome))
        self._facets = (
            AskedPopulation(asked, self._relations),
            AskedIntervention(used, self._relations),
            AskedComparator(used, self._relations),
            AskedOutcome(used, self._relations),
        )

    def findings(self, found: ExtractedPico, stems: Stems) -> tuple[Finding, ...]:
        """Compare one article.

        Parameters
        ----------
        found : ExtractedPico
            What the article studies.
        stems : callable
            Gives the article's stems; called only for a term that the vocabulary does not know.
        """
        studied = Studied(
            found,
            people=[(term.kind, term) for term in found.population],
            outcomes=[(term.kind, term) for term in found.outcome],
            mentioned=self._relations.mentioned(found.mentioned),
            stems=stems,
        )
        compared = [facet.compare(studied) for facet in self._facets]
        return tuple([finding for finding in compared if finding])


class Applicability:
    """Turns facets into a number by a weighted geometric mean.

    applicability = exp(sum(w_f ln v_f) / sum(w_f)) over the facets that the question states.
    """

    def __init__(self, weights: FacetWeights, values: FitValues) -> None:
        self._weights, self._values = weights, values
        # Four facets with four decisions: few combinations, however many articles.
        self._known: dict[tuple[tuple[str, Fit], ...], tuple[float | None, dict[str, float]]] = {}

    def of(self, findings: Iterable[Finding]) -> tuple[float | None, dict[str, float]]:
        """Return the mean, and the value of each facet.

        ``None`` when the question states no facet, or when nothing at all is known of any: there is nothing
        to judge by.
        """
        decided = tuple([(finding.aspect, finding.fit) for finding in findings])
        if decided not in self._known:
            self._known[decided] = self._mean(decided)
        return self._known[decided]

    def _mean(self, decided: Iterable[tuple[str, Fit]]) -> tuple[float | None, dict[str, float]]:
        listed = [(facet, fit) for facet, fit in decided if getattr(self._weights, facet) > 0]
        if all(fit is UNKNOWN for _, fit in listed):
            return None, {}
        terms = {facet: getattr(self._values, fit) for facet, fit in listed}
        total = sum(getattr(self._weights, facet) for facet in terms)
        logs = sum(getattr(self._weights, facet) * math.log(value) for facet, value in terms.items())
        return min(1.0, math.exp(logs / total)), terms
