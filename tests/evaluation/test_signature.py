"""Signatures: what changes a number changes the fingerprint, and nothing else does."""

from __future__ import annotations

import pytest
from evaluation.result_builders import make_signature

from metarag.evaluation.datasets import invented_questions
from metarag.evaluation.signature import DatasetSignature, EvaluationSignature, ModelSignature, environment

SIGNATURE = make_signature(evidence={"index": "demo", "retrieved": 15, "options_in_query": False})


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": (0, 1)},
        {"parser": "metarag-answers@2"},
        {"metarag": "9.9.9"},
        {"prompts": {"choice_reasoned@1": "ffffffffffff"}},
        {
            "systems": {
                "closed_book": {"order": "closed_book", "top_n": 4},
                "recommended": {"order": "recommended", "top_n": 3},
            }
        },
        {"evidence": {"index": "demo", "retrieved": 16, "options_in_query": False}},
        {"models": (ModelSignature(name="m", endpoint="elsewhere:8080/v1"),)},
        {"datasets": (DatasetSignature(name="d", sha256="cd" * 32, items=4, clusters=4),)},
        {
            "datasets": (
                DatasetSignature(name="d", sha256="ab" * 32, items=4, clusters=4, selection="first 4"),
            )
        },
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_can_change_a_number_changes_the_fingerprint_and_is_named(change):
    other = SIGNATURE.model_copy(update=change)
    assert other.fingerprint != SIGNATURE.fingerprint
    (difference,) = other.differences(SIGNATURE)
    assert difference.startswith(next(iter(change)))
    assert " here, " in difference


@pytest.mark.parametrize(
    "change",
    [
        {"environment": {"python": "3.99"}},
        {"code": "abc123"},
        {"answered_by": {"m": ("m-2026-01-01", "fp_1")}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_cannot_be_asked_for_beforehand_is_kept_and_not_compared(change):
    other = SIGNATURE.model_copy(update=change)
    assert other.fingerprint == SIGNATURE.fingerprint
    assert other.differences(SIGNATURE) == ()
    assert EvaluationSignature.model_validate_json(other.model_dump_json()) == other


def test_the_order_of_settings_makes_no_difference():
    systems = {"s": {"a": 1, "b": 2}}
    turned = {"s": {"b": 2, "a": 1}}
    assert make_signature(systems=()).model_copy(update={"systems": systems}).fingerprint == (
        make_signature(systems=()).model_copy(update={"systems": turned}).fingerprint
    )


def test_a_missing_part_is_told_from_a_changed_one():
    other = SIGNATURE.model_copy(update={"prompts": {}})
    assert any("nothing here" in line or "{} here" in line for line in other.differences(SIGNATURE))


def test_the_line_names_data_model_systems_prompts_parser_and_fingerprint():
    line = SIGNATURE.line
    assert "\n" not in line
    for part in (
        "data:d[all]:4#abababab",
        "model:m@localhost:8080/v1",
        "systems:closed_book+recommended",
        "prompts:choice_reasoned@1#01234567",
        "parser:metarag-answers@1",
        "seeds:0",
        f"fingerprint:{SIGNATURE.fingerprint}",
    ):
        assert part in line


def test_a_data_set_signs_itself():
    data = invented_questions()
    signed = DatasetSignature.of(data, selection="all")
    assert (signed.items, signed.clusters, signed.sha256) == (20, 20, data.sha256)


def test_the_environment_names_python_and_packages():
    assert {"python", "numpy", "openai"} <= environment().keys()
