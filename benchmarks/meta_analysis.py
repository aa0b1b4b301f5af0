"""How long 10,000 meta-analyses of 20 studies with full leave-one-out take, beside statsmodels in a loop.

    env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS=1 \
        python benchmarks/meta_analysis.py

One core. statsmodels is run on fewer analyses and scaled; it has no leave-one-out of its own, so that
the loop pools each analysis once and once without each study. Each time is the best of three runs.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from statsmodels.stats.meta_analysis import combine_effects

from metarag.meta_analysis import (
    dersimonian_laird,
    dersimonian_laird_many,
    gosh,
    influence,
    leave_one_out,
    leave_one_out_many,
    paule_mandel,
    reml,
)

REPEATS = 3
PEER_ANALYSES = 100
CALLS = 20


def best_of(run: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def pool_all(effects: np.ndarray, variances: np.ndarray) -> None:
    dersimonian_laird_many(effects, variances)
    leave_one_out_many(effects, variances)


def pool_one_by_one(effects: np.ndarray, variances: np.ndarray) -> None:
    for y, v in zip(effects, variances, strict=True):
        dersimonian_laird(y, v)
        leave_one_out(y, v)


def pool_with_statsmodels(effects: np.ndarray, variances: np.ndarray) -> None:
    for y, v in zip(effects, variances, strict=True):
        combine_effects(y, v, method_re="dl")
        for i in range(y.size):
            combine_effects(np.delete(y, i), np.delete(v, i), method_re="dl")


def show_environment() -> None:
    print(f"machine      {processor()}, {platform.machine()}, {platform.system()} {platform.release()}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "statsmodels"))
    print(
        f"versions     Python {platform.python_version()}, {packages}, metarag-ebm {version('metarag-ebm')}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--analyses", type=int, default=10_000)
    parser.add_argument("--studies", type=int, default=20)
    options = parser.parse_args()
    n, k = options.analyses, options.studies
    rng = np.random.default_rng(1)
    variances = rng.uniform(0.005, 0.08, (n, k))
    effects = rng.normal(-0.3, np.sqrt(variances + 0.09))
    few = effects[:PEER_ANALYSES], variances[:PEER_ANALYSES]
    show_environment()
    print(f"task         {n:,} analyses of {k} studies by DerSimonian-Laird, each also without each study")
    whole = best_of(lambda: pool_all(effects, variances))
    print(f"all at once  {whole:.3f} s")
    scale = n / len(few[0])
    single = best_of(lambda: pool_one_by_one(*few)) * scale
    print(f"one by one   {single:.2f} s  (from {len(few[0])} analyses; checked, sorted, all intervals)")
    peer = best_of(lambda: pool_with_statsmodels(*few)) * scale
    print(f"statsmodels  {peer:.1f} s  (from {len(few[0])} analyses) = {peer / whole:.0f} times all at once")
    y, v = effects[0], variances[0]
    print(f"\nmilliseconds a call, k = {k}")
    for function in (dersimonian_laird, paule_mandel, reml, leave_one_out, influence):
        seconds = best_of(lambda f=function: [f(y, v) for _ in range(CALLS)]) / CALLS
        print(f"  {function.__name__:<18} {1000 * seconds:.3f}")
    sample = best_of(lambda: gosh(y, v, subsets=10_000, rng=np.random.default_rng(1)))
    print(f"  {'gosh (10,000)':<18} {1000 * sample:.1f}")


if __name__ == "__main__":
    main()
