"""EXPERIMENTAL: the pooled effects of a run as FHIR R5 Evidence resources in a Bundle.

The guide for evidence in FHIR (EBMonFHIR) is not final, so this may change in any version. Concepts are given
in words, without codes: a wrong code would be worse than none. No certainty is given, because none was judged.

References
----------
HL7 FHIR R5 (5.0.0): Bundle, Evidence; https://hl7.org/fhir/R5/evidence.html.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC
from math import exp
from typing import Any

from metarag.audit import Measurement, Synthesis
from metarag.report.plain import plain
from metarag.report.pools import Pooled, pools_of
from metarag.report.references import article_links
from metarag.report.words import MEASURES, TIERS, comparison_words, outcome_words, sentence_case
from metarag.runs import RunRecord
from metarag.types import Evidence

Resource = dict[str, Any]
"""JSON of a resource; its form is FHIR's, not ours."""
_NAMESPACE = uuid.UUID("8d7b0a8e-6f0c-5a41-9f3e-7f1f6d0f6a52")
NOTE = "Experimental export of metarag: read from abstracts by rules, not reviewed, certainty not judged."


def to_fhir(run: RunRecord) -> Resource:
    """Return a Bundle (``collection``) with one Evidence for each pool of two or more studies.

    Ids follow from the run and the pool, so that the same run gives the same Bundle.
    """
    items = {item.key: item for item in (*run.ranking.evidence, *run.ranking.excluded)}
    pools = [synthesis for synthesis in run.ranking.audit.syntheses if len(synthesis.studies) > 1]
    entries = [_entry(run, synthesis, items) for synthesis in pools]
    bundle: Resource = {
        "resourceType": "Bundle",
        "id": _id(run.id, "bundle"),
        "type": "collection",
        "timestamp": _instant(run),
    }
    return bundle | ({"entry": entries} if entries else {})


def render_fhir(run: RunRecord) -> str:
    """Return the Bundle as JSON text."""
    return json.dumps(to_fhir(run), ensure_ascii=False, indent=1) + "\n"


def _entry(run: RunRecord, synthesis: Synthesis, items: Mapping[str, Evidence]) -> Resource:
    ident = _id(run.id, synthesis.id)
    return {"fullUrl": f"urn:uuid:{ident}", "resource": _evidence(run, synthesis, items, ident)}


def _evidence(run: RunRecord, synthesis: Synthesis, items: Mapping[str, Evidence], ident: str) -> Resource:
    treatment, comparator = comparison_words(synthesis.comparison)
    outcome = outcome_words(synthesis.outcome)
    about = f"{sentence_case(outcome)}: {treatment} against {comparator}"
    return {
        "resourceType": "Evidence",
        "id": ident,
        "title": plain(about),
        "status": "draft",
        "experimental": True,
        "date": _instant(run),
        "description": plain(f"{about}. {TIERS.get(synthesis.tier, synthesis.tier)}."),
        "note": [{"text": NOTE}],
        "relatedArtifact": list(_studies(synthesis, items)),
        "variableDefinition": [
            _variable("exposure", treatment),
            _variable("referenceExposure", comparator),
            _variable("measuredVariable", outcome),
        ],
        "synthesisType": {"text": "random effects, DerSimonian-Laird"},
        "studyDesign": [{"text": TIERS.get(synthesis.tier, synthesis.tier)}],
        "statistic": [_statistic(synthesis, pool) for pool in pools_of(synthesis)],
    }


def _studies(synthesis: Synthesis, items: Mapping[str, Evidence]) -> Iterator[Resource]:
    for study in synthesis.studies:
        item = items.get(study.key)
        link = next((p.href for p in article_links(item.article) if p.href), "") if item else ""
        artifact: Resource = {"type": "derived-from", "display": plain(study.label) or study.key}
        yield artifact | ({"document": {"url": link}} if link else {})


def _variable(role: str, words: str) -> Resource:
    return {"description": plain(words) or "not named", "variableRole": {"text": role}}


def _statistic(synthesis: Synthesis, pool: Pooled) -> Resource:
    main = synthesis.results.get("dersimonian_laird", {})
    values: list[tuple[str, Measurement]] = [
        ("tau-squared", main.get("tau_squared")),
        ("I-squared", main.get("i_squared")),
        ("Q", main.get("q")),
    ]
    interval = {
        "type": {"text": "confidence interval" + (", Hartung-Knapp, floored" if pool.adjusted else "")},
        "level": 0.95,
        "range": {
            name: _quantity(shown)
            for name, end in (("low", pool.low), ("high", pool.high))
            if (shown := _shown(end, synthesis)) is not None
        },
    }
    spread = [
        {"type": {"text": name}, "quantity": _quantity(value)}
        for name, value in values
        if isinstance(value, float) and not pool.without
    ]
    out = sum("outlier" in study.flags for study in synthesis.studies) if pool.without else 0
    return {
        "description": pool.name,
        "statisticType": {"text": MEASURES.get(synthesis.measure, synthesis.measure)},
        "quantity": _quantity(_shown(pool.effect, synthesis)),
        "sampleSize": {"numberOfStudies": len(synthesis.studies) - out},
        "attributeEstimate": [interval, *spread],
    }


def _shown(value: float, synthesis: Synthesis) -> float | None:
    """Return a value as printed; ``None`` for an end beyond all numbers, which is no limit at all."""
    try:
        return exp(value) if synthesis.scale == "log" else value
    except OverflowError:
        return None


def _quantity(value: float | None) -> Resource:
    return {"value": value}


def _id(*parts: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, "\n".join(parts)))


def _instant(run: RunRecord) -> str:
    return f"{run.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
