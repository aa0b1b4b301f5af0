"""Intervals for shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval and its coverage, e.g. 0.95."""

    low: float
    high: float
    level: float = 0.95


def wilson(successes: float, n: int, *, level: float = 0.95) -> Interval:
    """Return the Wilson score interval of a share.

    Parameters
    ----------
    successes : float
        In [0, n]; a fraction where it is the mean over several runs of the same items.
    level : float
        Coverage, in (0, 1).

    References
    ----------
    Wilson EB. Probable inference, the law of succession, and statistical inference. J Am Stat Assoc
    1927;22:209-12.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"n must be at least 1 and successes in [0, n], got {n} and {successes}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and 1 the bound is exact, and rounding must not push it out.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high, level)


def detectable_difference(n: int, discordant: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """Return the smallest difference of two accuracies on the same items that a run is likely to resolve.

    (z_level + z_power) sqrt(discordant / n): an ablation step smaller than that cannot be claimed.

    Parameters
    ----------
    n : int
        Items, at least 1.
    discordant : float
        Share of items that one system gets right and the other does not, in [0, 1].

    References
    ----------
    Connor RJ. Sample size for testing differences in proportions for the paired-sample design. Biometrics
    1987;43:207-11; here without its small correction for the difference itself.
    """
    if n < 1 or not 0 <= discordant <= 1:
        raise ValueError(f"n must be at least 1 and discordant in [0, 1], got {n} and {discordant}")
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * math.sqrt(discordant / n)
