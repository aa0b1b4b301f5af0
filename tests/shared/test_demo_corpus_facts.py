"""Every number of the demo corpus stands in the facts it was written from, and no title was copied."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from metarag.records import Article
from metarag.resources import data_file

SHARED = Path(__file__).resolve().parents[3] / "shared"
FACTS = SHARED / "data" / "landmark_facts.jsonl"
pytestmark = pytest.mark.skipif(not FACTS.is_file(), reason=f"the facts are not there: {FACTS}")

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
THIN_GROUP = re.compile(r"(?<=\d)[ \u00a0\u2009](?=\d{3}\b)")
# Identifiers and addresses are full of digits that would let any number pass.
NOT_FACTS = frozenset({"pmid", "pmid_unverified", "doi", "sources", "status_source"})
CONFIDENCE_LEVEL = Decimal(95)
COPIED_WORDS = 8

Row = dict[str, Any]


def numbers(text: str) -> Iterator[Decimal]:
    for match in NUMBER.findall(text):
        yield Decimal(match.replace(",", ""))


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def known_numbers(row: Row) -> set[Decimal]:
    facts: list[object] = [value for key, value in row.items() if key not in NOT_FACTS]
    facts += [source["verifies"] for source in row["sources"]]
    facts.append(re.sub(r"https?:\S+", "", row["status_source"] or ""))
    known = {CONFIDENCE_LEVEL}
    for text in leaves(facts):
        known |= {*numbers(text), *numbers(THIN_GROUP.sub("", text))}
    for outcome in row["outcomes"]:
        if outcome["measure"] == "RD":  # a proportion in the facts, a percentage in the text
            values = (outcome[bound] for bound in ("estimate", "lo", "hi"))
            known |= {abs(Decimal(str(v)) * 100) for v in values if v is not None}
    return known


def word_runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", text.casefold())
    return {tuple(words[i : i + COPIED_WORDS]) for i in range(len(words) - COPIED_WORDS + 1)}


def row_of(article: Article, rows: list[Row]) -> Row:
    """Return the facts of an article: by PMID, by DOI, else by author, journal and year."""
    author = article.authors[0].short_name
    for row in rows:
        same_text = (row["first_author"], row["journal"], row["year"]) == (
            author,
            article.journal.abbreviation,
            article.year,
        )
        if (article.pmid and article.pmid == row["pmid"]) or (
            not article.pmid and ((article.doi and article.doi == row["doi"]) or same_text)
        ):
            return row
    raise AssertionError(f"no facts for {article.label}")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def pairs(rows: list[Row]) -> list[tuple[str, Article, Row]]:
    text = data_file("demo_corpus.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    articles = [(line["topic"], Article.model_validate(line["article"])) for line in lines]
    return [(topic, article, row_of(article, rows)) for topic, article in articles]


def test_each_record_has_its_own_row_of_the_same_question(
    pairs: list[tuple[str, Article, Row]], rows: list[Row]
) -> None:
    assert len({row["key"] for _, _, row in pairs}) == len(pairs) == len(rows)
    assert all(topic == row["question_id"] for topic, _, row in pairs)


def test_identifiers_are_only_those_that_were_verified(pairs: list[tuple[str, Article, Row]]) -> None:
    for _, article, row in pairs:
        assert article.pmid == row["pmid"]
        assert article.doi == row["doi"]
        assert [r.id for r in article.registry_ids] == row["registry_ids"]


def test_publication_types_are_displayed_ones_or_marked_as_inferred(
    pairs: list[tuple[str, Article, Row]],
) -> None:
    for _, article, row in pairs:
        displayed = row["publication_types"]
        expected = displayed or row["publication_types_inferred"]
        assert [t.name for t in article.publication_types] == expected
        assert article.publication_types_inferred is not bool(displayed)


def test_every_number_of_a_record_stands_in_its_facts(pairs: list[tuple[str, Article, Row]]) -> None:
    unsupported = {}
    for _, article, row in pairs:
        text = f"{article.title} {' '.join(s.text for s in article.abstract_sections)}"
        for registry_id in row["registry_ids"]:
            text = text.replace(registry_id, " ")
        printed = {n for n in numbers(text) if n >= 10 or n % 1}
        if missing := printed - known_numbers(row):
            unsupported[row["key"]] = sorted(missing)
    assert unsupported == {}


def test_no_eight_words_in_a_row_are_those_of_the_original_title(
    pairs: list[tuple[str, Article, Row]],
) -> None:
    copied = {}
    for _, article, row in pairs:
        parts = [article.title, *(s.text for s in article.abstract_sections)]
        if common := set().union(*map(word_runs, parts)) & word_runs(row["title"]):
            copied[row["key"]] = sorted(common)
    assert copied == {}


def test_only_the_species_of_the_facts_is_tagged(pairs: list[tuple[str, Article, Row]]) -> None:
    expected = {"human": {"Humans"}, "in vitro": set(), "cynomolgus macaque": {"Animals"}}
    for _, article, row in pairs:
        tags = {heading.descriptor for heading in article.mesh}
        assert tags & {"Humans", "Animals"} == expected[row["population"]["species"]]
