"""The required elements of FHIR R5, written down by hand from the definition of each resource."""

import json
import re
import uuid

import pytest
from report_builders import run_of, run_with_outlier, trial

from metarag.report.fhir import render_fhir, to_fhir

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
STATUSES = {"draft", "active", "retired", "unknown"}
RELATED = {
    "documentation", "justification", "citation", "predecessor", "successor", "derived-from", "depends-on",
    "composed-of", "part-of", "amends", "amended-with", "appends", "appended-with", "cites", "cited-by",
}  # fmt: skip


def evidence_of(bundle):
    return [entry["resource"] for entry in bundle.get("entry", [])]


def test_the_bundle_has_what_r5_requires():
    bundle = to_fhir(run_with_outlier())
    assert bundle["resourceType"] == "Bundle"
    assert bundle["type"] == "collection"
    assert INSTANT.fullmatch(bundle["timestamp"])
    urls = [entry["fullUrl"] for entry in bundle["entry"]]
    assert len(urls) == len(set(urls))
    for entry in bundle["entry"]:
        assert entry["fullUrl"] == f"urn:uuid:{uuid.UUID(entry['resource']['id'])}"


def test_each_evidence_has_what_r5_requires():
    (evidence,) = evidence_of(to_fhir(run_with_outlier()))
    assert evidence["resourceType"] == "Evidence"
    assert evidence["status"] in STATUSES
    assert evidence["experimental"] is True
    assert evidence["variableDefinition"]
    for variable in evidence["variableDefinition"]:
        assert variable["variableRole"]["text"]
    for artifact in evidence["relatedArtifact"]:
        assert artifact["type"] in RELATED
    for statistic in evidence["statistic"]:
        assert isinstance(statistic["quantity"]["value"], float)
        assert isinstance(statistic["sampleSize"]["numberOfStudies"], int)
        for estimate in statistic["attributeEstimate"]:
            assert estimate["type"]["text"]
    assert "certainty" not in evidence


def test_its_numbers_are_the_audits_on_the_ratio_scale():
    run = run_with_outlier()
    (synthesis,) = run.ranking.audit.syntheses
    every, without = evidence_of(to_fhir(run))[0]["statistic"]
    main = synthesis.results["dersimonian_laird"]
    assert every["quantity"]["value"] == pytest.approx(2.718281828459045 ** main["effect"])
    assert every["attributeEstimate"][0]["range"]["low"]["value"] == pytest.approx(
        2.718281828459045 ** main["hk_low"]
    )
    assert (every["sampleSize"]["numberOfStudies"], without["sampleSize"]["numberOfStudies"]) == (8, 7)


def test_the_same_run_gives_the_same_text_and_none_of_it_is_empty():
    assert render_fhir(run_with_outlier()) == render_fhir(run_with_outlier())

    def empty(value):
        if isinstance(value, dict):
            return not value or any(map(empty, value.values()))
        if isinstance(value, list):
            return not value or any(map(empty, value))
        return value in ("", None)

    assert not empty(json.loads(render_fhir(run_with_outlier())))


def test_a_run_without_pools_is_an_empty_bundle():
    assert "entry" not in to_fhir(run_of([trial(1, -0.3)]))
