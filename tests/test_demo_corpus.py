"""The demo corpus and its questions: complete, marked as summaries, and holding the hard cases."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from metarag.records import Article, TextOrigin
from metarag.resources import data_file
from metarag.retraction import retraction_status
from metarag.types import Question, RetractionState

RETRACTED = ("pmid:32450107", "pmid:32205204")
MACAQUES = "doi:10.1038/s41586-020-2558-4"
CELLS = "pmid:32194981"
CHILDREN = "pmid:24401049"
INHALED_IN_OUTPATIENTS = "doi:10.1016/s0140-6736(21)01744-x"
CHLOROQUINE_LETTER = "pmid:32074550"
# Each pair: a study that found benefit, and one on the same question that found none or harm.
CONFLICTS = {
    "aspirin_primary_prevention": ("pmid:2664509", "pmid:30221597"),
    "magnesium_acute_mi": ("pmid:1351547", "pmid:7661937"),
    "hydroxychloroquine_covid19_hospital": ("doi:10.1016/j.ijid.2020.06.099", "pmid:33859192"),
    "corticosteroids_covid19": ("pmid:32678530", "doi:10.1016/j.jval.2021.12.013"),
    "beta_carotene_lung_cancer": ("pmid:11010942", "pmid:8127329"),
    "hormone_therapy_chd": ("pmid:8672166", "pmid:12117397"),
    "intensive_insulin_icu": ("pmid:11794168", "pmid:19318384"),
    "perioperative_beta_blocker": ("pmid:10588963", "pmid:18479744"),
}


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    text = data_file("demo_corpus.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(data_file("demo_questions.json").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def articles(lines: list[dict[str, Any]]) -> dict[str, Article]:
    return {a.id: a for a in (Article.model_validate(line["article"]) for line in lines)}


@pytest.fixture(scope="module")
def topic_of(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {Article.model_validate(line["article"]).id: line["topic"] for line in lines}


def mesh_of(article: Article) -> set[str]:
    return {heading.descriptor for heading in article.mesh}


def test_every_line_is_an_article_with_a_topic_and_its_own_id(
    lines: list[dict[str, Any]], articles: dict[str, Article]
) -> None:
    assert len(lines) >= 80
    assert len(articles) == len(lines)
    assert all(set(line) == {"topic", "article"} for line in lines)


def test_the_files_are_plain_ascii(lines: list[dict[str, Any]]) -> None:
    for name in ("demo_corpus.jsonl", "demo_questions.json"):
        assert data_file(name).read_bytes().isascii()
    assert all(json.dumps(line, ensure_ascii=False).isascii() for line in lines)


def test_every_text_is_marked_as_a_summary(articles: dict[str, Article]) -> None:
    assert {a.text_origin for a in articles.values()} == {TextOrigin.SUMMARY}


def test_eight_questions_have_at_least_six_records_each(
    lines: list[dict[str, Any]], questions: list[dict[str, Any]]
) -> None:
    counts = Counter(line["topic"] for line in lines)
    assert len(questions) == 8
    assert set(counts) == {q["id"] for q in questions}
    assert min(counts.values()) >= 6


def test_every_demo_question_is_a_question_with_kind_pico_and_reason(questions: list[dict[str, Any]]) -> None:
    for raw in questions:
        fields = {k: v for k, v in raw.items() if k not in {"id", "why"}}
        question = Question.model_validate(fields)
        assert question.kind is not None
        assert question.pico is not None
        assert all(question.pico.model_dump().values())
        assert raw["why"].endswith(".")


def test_every_record_has_what_a_citation_needs(articles: dict[str, Article]) -> None:
    for article in articles.values():
        assert article.title
        assert article.year is not None
        assert article.journal.abbreviation
        assert article.authors
        assert article.publication_types
        assert article.keywords
        assert article.status is None
        assert article.indexing_method is None


def test_every_summary_is_structured_and_of_useful_length(articles: dict[str, Article]) -> None:
    for article in articles.values():
        words = sum(len(section.text.split()) for section in article.abstract_sections)
        assert 40 <= words <= 160, article.label
        assert len(article.abstract_sections) >= 2
        assert all(s.label and s.nlm_category for s in article.abstract_sections)


def test_retracted_articles_carry_type_and_link(articles: dict[str, Article]) -> None:
    retracted = [i for i, a in articles.items() if retraction_status(a).state is RetractionState.RETRACTED]
    assert sorted(retracted) == sorted(RETRACTED)
    for key in RETRACTED:
        assert articles[key].has_type("D016441")
        assert "RetractionIn" in {c.type for c in articles[key].corrections}


def test_disputed_trials_say_so_in_their_text_and_carry_no_retraction(articles: dict[str, Article]) -> None:
    for key in ("pmid:10588963", "pmid:19474688"):
        assert articles[key].corrections == ()
        assert "Erasmus MC" in (articles[key].abstract or "")


def test_animals_cells_and_children_are_there_and_tagged(articles: dict[str, Article]) -> None:
    assert mesh_of(articles[MACAQUES]) == {"Animals"}
    assert mesh_of(articles[CELLS]) == set()
    assert "in vitro" in (articles[CELLS].abstract or "").casefold()
    assert mesh_of(articles[CHILDREN]) == {"Humans", "Child"}


def test_another_drug_and_another_route_are_there(
    articles: dict[str, Article], topic_of: dict[str, str]
) -> None:
    assert topic_of[CHLOROQUINE_LETTER] == "hydroxychloroquine_covid19_hospital"
    assert "hydroxychloroquine" not in (articles[CHLOROQUINE_LETTER].abstract or "").casefold()
    assert topic_of[INHALED_IN_OUTPATIENTS] == "corticosteroids_covid19"
    assert "outpatients" in (articles[INHALED_IN_OUTPATIENTS].abstract or "").casefold()


def test_each_question_has_records_that_disagree(topic_of: dict[str, str]) -> None:
    assert set(CONFLICTS) == set(topic_of.values())
    for topic, pair in CONFLICTS.items():
        assert [topic_of[key] for key in pair] == [topic, topic]


def test_publication_types_have_the_identifier_of_their_name(articles: dict[str, Article]) -> None:
    uis = {
        (t.name, t.ui)
        for a in articles.values()
        for t in a.publication_types
        if not t.name.startswith("Research Support")
    }
    names = [name for name, _ in uis]
    assert len(names) == len(set(names))
    assert all(ui is not None for _, ui in uis)


def test_numbers_seen_only_in_weak_sources_are_not_printed(articles: dict[str, Article]) -> None:
    for key in (
        "pmid:12117397",
        "doi:10.1056/nejmoa030808",
        "pmid:15082697",
        "doi:10.1136/bmj.e6409",
        "pmid:33264556",
    ):
        results = [s.text for s in articles[key].abstract_sections if s.nlm_category == "RESULTS"]
        assert results
        assert not any(word in text for text in results for word in ("95%", "ratio", "hazard"))
