"""How often pools of one, and of two, true clusters reach the threshold of ``two_cluster_split``.

    python validation/cluster_split.py

The second term of ``cluster_share_threshold`` was chosen from the first table. The second compares the share with a
likelihood ratio of two groups against one normal distribution of effects, whose bar is set for each number of
studies so that its worst rate of false alarms is that of the share. About a minute.
"""

from __future__ import annotations

import numpy as np

from metarag.meta_analysis import two_cluster_split

POOLS = 1000
SMALLEST_VARIANCE, LARGEST_VARIANCE = 0.005, 0.08
SIZES = (5, 6, 8, 10, 13, 20, 30)
ONE, TWO = (0.0, 0.15, 0.3, 0.6), (0.6, 0.8, 1.0)
TAUS_SQUARED = np.array([0.0, *np.geomspace(0.02, 2.0, 30)]) ** 2


def pools(k: int, tau: float, gap: float, rng: np.random.Generator) -> list[tuple[bool, float]]:
    """Return for each simulated pool whether it is called split, and the likelihood ratio of its best cut."""
    found = []
    for _ in range(POOLS):
        variances = rng.uniform(SMALLEST_VARIANCE, LARGEST_VARIANCE, k)
        centres = -0.3 + gap * (np.arange(k) % 2)
        effects = rng.normal(centres, np.sqrt(variances + tau**2))
        split = two_cluster_split(effects, variances)
        if split is not None:
            two = -0.5 * (np.log(variances).sum() + split.q_within)
            ratio = two - one_normal(effects, variances) if split.q_p_value <= 0.10 else -np.inf
            found.append((split.is_split, ratio))
    return found


def one_normal(effects: np.ndarray, variances: np.ndarray) -> float:
    """Return the largest log likelihood of a random-effects model, without its constant."""
    total = variances + TAUS_SQUARED[:, None]
    means = (effects / total).sum(axis=1) / (1 / total).sum(axis=1)
    return float((-0.5 * (np.log(total) + (effects - means[:, None]) ** 2 / total).sum(axis=1)).max())


def main() -> None:
    rng = np.random.default_rng(20240501)
    print(
        f"share of {POOLS} pools called two clusters (variances U({SMALLEST_VARIANCE}, {LARGEST_VARIANCE}))"
    )
    truths = [(tau, 0.0) for tau in ONE] + [(0.0, gap) for gap in TWO]
    found = {(k, truth): pools(k, *truth, rng) for k in SIZES for truth in truths}
    show("by the share of Q", {at: np.mean([split for split, _ in each]) for at, each in found.items()})
    rates = {}
    for k in SIZES:
        ratios = {truth: np.array([ratio for _, ratio in found[k, truth]]) for truth in truths}
        allowed = max(np.mean([split for split, _ in found[k, (tau, 0.0)]]) for tau in ONE)
        bar = max(np.quantile(ratios[tau, 0.0], 1 - allowed, method="higher") for tau in ONE)
        rates |= {(k, truth): np.mean(ratios[truth] > bar) for truth in truths}
    show("by the likelihood ratio, with the same worst rate of false alarms", rates)


def show(name: str, rates: dict[tuple[int, tuple[float, float]], float]) -> None:
    print(f"\n{name}\ntruth                     " + "".join(f"  k={k:<4}" for k in SIZES))
    for truth in dict.fromkeys(truth for _, truth in rates):
        tau, gap = truth
        label = f"two clusters, gap {gap}" if gap else f"one normal, tau {tau}"
        print(f"{label:<26}" + "".join(f"  {rates[k, truth]:<6.3f}" for k in SIZES))


if __name__ == "__main__":
    main()
