"""Meta-analysis of study effects: arrays in, numbers out; knows nothing of articles.

This module is the one to import from; the ``meta_*`` modules beside it hold the parts. Effects are on
an additive scale (log odds ratio, not odds ratio), variances are squared standard errors, shares are
in [0, 1] and ``None`` means not assessed.
"""

from __future__ import annotations

from metarag.meta_bias import BeggTest, EggerTest, begg_test, egger_test
from metarag.meta_binary import BinaryEffects, binary_effects
from metarag.meta_conflict import (
    DirectionConflict,
    TwoClusterSplit,
    cluster_share_threshold,
    direction_conflict,
    two_cluster_split,
)
from metarag.meta_continuous import (
    ContinuousEffects,
    mean_differences,
    small_sample_correction,
    standard_deviations,
    standardised_mean_differences,
)
from metarag.meta_gosh import gosh, gosh_medians
from metarag.meta_influence import baujat, holm, influence, leave_one_out, pair_deletion
from metarag.meta_many import ManyLeaveOneOut, ManyPools, dersimonian_laird_many, leave_one_out_many
from metarag.meta_models import dersimonian_laird, fixed_effect, paule_mandel, prediction_interval, reml
from metarag.meta_results import (
    Baujat,
    Gosh,
    HeterogeneityInterval,
    Influence,
    Interval,
    LeaveOneOut,
    PairDeletion,
    PooledEffect,
    PredictionInterval,
)
from metarag.meta_sparse import TablePool, mantel_haenszel, peto_odds_ratio
from metarag.meta_tau import q_profile

__all__ = [
    "Baujat",
    "BeggTest",
    "BinaryEffects",
    "ContinuousEffects",
    "DirectionConflict",
    "EggerTest",
    "Gosh",
    "HeterogeneityInterval",
    "Influence",
    "Interval",
    "LeaveOneOut",
    "ManyLeaveOneOut",
    "ManyPools",
    "PairDeletion",
    "PooledEffect",
    "PredictionInterval",
    "TablePool",
    "TwoClusterSplit",
    "baujat",
    "begg_test",
    "binary_effects",
    "cluster_share_threshold",
    "dersimonian_laird",
    "dersimonian_laird_many",
    "direction_conflict",
    "egger_test",
    "fixed_effect",
    "gosh",
    "gosh_medians",
    "holm",
    "influence",
    "leave_one_out",
    "leave_one_out_many",
    "mantel_haenszel",
    "mean_differences",
    "pair_deletion",
    "paule_mandel",
    "peto_odds_ratio",
    "prediction_interval",
    "q_profile",
    "reml",
    "small_sample_correction",
    "standard_deviations",
    "standardised_mean_differences",
    "two_cluster_split",
]
