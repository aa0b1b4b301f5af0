"""Faults that public readers of PubMed XML have had, one file each, with what a reader has to return."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from metarag.errors import PubMedRecordError, PubMedUnavailableError
from metarag.records import Article, PartialDate
from metarag.retraction import retraction_status
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.esearch_xml import read_esearch_xml
from metarag.retrieval.pubmed_xml import read_pubmed_xml
from metarag.types import RetractionState

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = SHARED / "cases" / "entrez"

if not CASES.is_dir():
    pytest.skip(f"no case files at {CASES}", allow_module_level=True)


def _checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_expectations", CASES / "check_expectations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _xml_cases() -> list[dict[str, Any]]:
    cases = json.loads((CASES / "expectations.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if (case.get("file") or "").endswith(".xml")]


def adapt(data: bytes) -> dict[str, Any]:
    """Return what the contract of the cases asks for."""
    try:
        if b"<eSearchResult" in data:
            answer = read_esearch_xml(data)
            return answer.model_dump(mode="json") | {"query_changed": answer.query_changed}
        records = list(read_pubmed_xml(data))
    except PubMedUnavailableError as error:
        return {"error": "service", "detail": str(error)}
    except PubMedRecordError as error:
        return {"error": "malformed", "detail": str(error)}
    failures = [record for record in records if isinstance(record, ReadFailure)]
    if failures:
        return {"error": "malformed", "detail": "; ".join(map(str, failures))}
    return {
        "records": [_article(record) for record in records if isinstance(record, Article)],
        "deleted_pmids": [record.pmid for record in records if isinstance(record, Deletion)],
    }


def _article(article: Article) -> dict[str, Any]:
    state = retraction_status(article).state
    links = {link.type for link in article.corrections}
    return article.model_dump(mode="json") | {
        "abstract": article.abstract,
        "pub_date": _date(article.print_date),
        "article_date": _date(article.electronic_date),
        "journal": article.journal.title,
        "volume": article.journal.volume,
        "issue": article.journal.issue,
        "pages": article.journal.pages,
        "mesh": [heading.model_dump(mode="json") | {"major": heading.major} for heading in article.mesh],
        "registry_ids": [entry.id for entry in article.registry_ids],
        "comments_corrections": [link.model_dump(mode="json") for link in article.corrections],
        "is_retracted": state is RetractionState.RETRACTED,
        "is_retraction_notice": state is RetractionState.RETRACTION_NOTICE,
        "has_erratum": "ErratumIn" in links,
        "has_expression_of_concern": "ExpressionOfConcernIn" in links,
    }


def _date(date: PartialDate | None) -> dict[str, Any] | None:
    return None if date is None else date.model_dump(mode="json")


@pytest.mark.parametrize("case", _xml_cases(), ids=lambda case: case["id"])
def test_the_case_reads_as_expected(case: dict[str, Any]) -> None:
    checker = _checker()
    result = adapt((CASES / case["file"]).read_bytes())

    failed = [(want, got) for want in case["expect"] for ok, got in [checker.check(result, want)] if not ok]

    assert not failed, result.get("detail", "")


def test_no_case_file_is_left_out() -> None:
    assert {case["file"] for case in _xml_cases()} == {path.name for path in CASES.glob("*.xml")}
