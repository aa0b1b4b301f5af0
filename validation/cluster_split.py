"""How often pools of one, and of two, true clusters reach the threshold of ``two_cluster_split``.

    python validation/cluster_split.py

The second term of ``cluster_share_threshold`` was chosen from this table.
"""

from __future__ import annotations

import numpy as np

from metarag.meta_analysis import two_cluster_split

POOLS = 1000
SMALLEST_VARIANCE, LARGEST_VARIANCE = 0.005, 0.08


def rate_of_splits(k: int, tau: float, gap: float, rng: np.random.Generator) -> float:
    """Return the share of simulated pools that are called split."""
    found = 0
    for _ in range(POOLS):
        variances = rng.uniform(SMALLEST_VARIANCE, LARGEST_VARIANCE, k)
        centres = -0.3 + gap * (np.arange(k) % 2)
        effects = rng.normal(centres, np.sqrt(variances + tau**2))
        split = two_cluster_split(effects, variances)
        found += split is not None and split.is_split
    return found / POOLS


def main() -> None:
    rng = np.random.default_rng(20240501)
    print(
        f"share of {POOLS} pools called two clusters (variances U({SMALLEST_VARIANCE}, {LARGEST_VARIANCE}))"
    )
    sizes = (5, 6, 8, 10, 13, 20, 30)
    print("truth                     " + "".join(f"  k={k:<4}" for k in sizes))
    truths = [(tau, 0.0) for tau in (0.0, 0.15, 0.3, 0.6)] + [(0.0, gap) for gap in (0.6, 0.8, 1.0)]
    for tau, gap in truths:
        name = f"two clusters, gap {gap}" if gap else f"one normal, tau {tau}"
        print(f"{name:<26}" + "".join(f"  {rate_of_splits(k, tau, gap, rng):<6.3f}" for k in sizes))


if __name__ == "__main__":
    main()
