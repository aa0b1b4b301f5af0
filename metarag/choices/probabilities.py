"""An option by the probabilities of the first token, where a server gives them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_AROUND = " \t\n▁Ġ()[]{}*_\"'`.:,;#"


@dataclass(frozen=True, slots=True)
class LetterProbabilities:
    """How likely a model is to begin its reply with each letter.

    Attributes
    ----------
    shares : dict of str to float
        Label to its share of the probability that falls on labels; sums to 1.
    mass : float
        Probability that falls on labels at all, in (0, 1]. What is missing went to other words.
    """

    shares: dict[str, float]
    mass: float

    @property
    def best(self) -> str | None:
        """The likeliest label; ``None`` when two are equally likely."""
        highest = max(self.shares.values())
        labels = [label for label, share in self.shares.items() if share == highest]
        return labels[0] if len(labels) == 1 else None


def letter_probabilities(
    first_token: Mapping[str, float] | None, labels: Iterable[str]
) -> LetterProbabilities | None:
    """Return the probabilities of the labels; ``None`` without any among the tokens.

    A token counts for a label when nothing but space and brackets is around it: " B", "(B" and "B." do, and
    their probabilities add up. "b" does not, because "a" begins a sentence of another kind.

    Parameters
    ----------
    first_token : mapping of str to float, or None
        Token to natural log-probability.
    """
    known = tuple(labels)
    sums = dict.fromkeys(known, 0.0)
    for token, log_probability in (first_token or {}).items():
        label = token.strip(_AROUND)
        if label in sums:
            sums[label] += math.exp(log_probability)
    mass = math.fsum(sums.values())
    if mass <= 0:
        return None
    return LetterProbabilities({label: value / mass for label, value in sums.items()}, min(1.0, mass))
