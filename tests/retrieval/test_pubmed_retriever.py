"""Questions against PubMed: which queries were run, what they brought, and what is missing of it."""

import re
from pathlib import Path

import pytest
from entrez_server import answers
from pubmed_builders import article_set, record

from metarag.errors import PubMedRejectedError, PubMedUnavailableError, QueryError
from metarag.rag import MetaRag
from metarag.retrieval.entrez import DateLimits
from metarag.retrieval.pubmed import PubmedRetriever
from metarag.retrieval.query_plan import QueryPlan, QueryStep
from metarag.types import Question

QUESTION = Question(text="Does zinc shorten fever?")


def plan_of(*queries, warnings=()):
    steps = tuple(QueryStep(query=query, note=f"step {n}") for n, query in enumerate(queries, 1))
    plan = QueryPlan(steps=steps, warnings=warnings, source="rule")
    return lambda question: plan


def test_articles_keep_pubmeds_order_and_the_query_is_on_record(pubmed, talk_to):
    server = pubmed()
    result = PubmedRetriever(talk_to(server), query="zinc AND fever").retrieve(QUESTION, limit=2)
    assert [hit.article.pmid for hit in result.articles] == ["90000001", "90000002"]
    assert all(hit.relevance is None for hit in result.articles)
    record_ = result.query
    assert (record_.source, record_.query, record_.sort) == ("PubMed", "zinc AND fever", "relevance")
    assert (record_.total, record_.retrieved) == (3, 2)
    assert server.seen[0].get("sort") == "relevance"
    assert record_.searched_at is not None


def test_a_given_query_is_checked_and_never_expanded(pubmed, talk_to):
    server = pubmed()
    expander = plan_of("copper")
    found = PubmedRetriever(talk_to(server), query="zinc", expander=expander).retrieve(QUESTION)
    assert found.query.query == "zinc"
    once = PubmedRetriever(talk_to(server), expander=expander).retrieve(QUESTION, query="cough")
    assert once.query.query == "cough"
    with pytest.raises(QueryError, match="character"):
        PubmedRetriever(talk_to(server), query="(zinc")


def test_a_query_is_widened_step_by_step_and_each_step_recorded(pubmed, talk_to):
    expander = plan_of(
        "zinc AND rash AND cough", "zinc AND quuxzorblin", "zinc", "fever", warnings=("By rule.",)
    )
    server = pubmed()
    result = PubmedRetriever(talk_to(server), expander=expander).retrieve(QUESTION)
    assert result.query.query == "zinc AND quuxzorblin"
    assert result.query.note == "step 2"
    assert result.query.changed
    assert result.query.source_warnings == {"phrases_not_found": ("quuxzorblin",)}
    assert [(step.query, step.total, step.note) for step in result.query.earlier] == [
        ("zinc AND rash AND cough", 0, "step 1")
    ]
    assert result.query.warnings[0] == "By rule."
    assert len(server.requests("esearch")) == 2


def test_nothing_found_at_all_is_a_result_with_every_step(pubmed, talk_to):
    server = pubmed()
    result = PubmedRetriever(talk_to(server), expander=plan_of("zinc NOT zinc", "quuxzorblin")).retrieve(
        QUESTION
    )
    assert result.articles == ()
    assert [step.query for step in (*result.query.earlier, result.query)] == ["zinc NOT zinc", "quuxzorblin"]
    assert any("not evidence of absence" in warning for warning in result.query.warnings)
    assert not server.requests("efetch")


def test_a_step_that_cannot_be_read_is_passed_over_with_a_warning(pubmed, talk_to):
    retriever = PubmedRetriever(talk_to(pubmed()), expander=plan_of("(zinc", "zinc AND fever"))
    result = retriever.retrieve(QUESTION)
    assert len(result.articles) == 3
    assert any("Not run" in warning and "(zinc" in warning for warning in result.query.warnings)
    with pytest.raises(QueryError):
        PubmedRetriever(talk_to(pubmed()), expander=plan_of("(zinc")).retrieve(QUESTION)


def test_a_step_that_pubmed_refuses_is_passed_over_with_a_warning(pubmed, talk_to):
    server = pubmed()
    refusal = answers("<eSearchResult><ERROR>Invalid characters in query</ERROR></eSearchResult>", 400)
    server.fail("esearch", refusal)
    result = PubmedRetriever(talk_to(server), expander=plan_of("copper", "zinc AND fever")).retrieve(QUESTION)
    assert len(result.articles) == 3
    (warning,) = result.query.warnings
    assert warning == "Not run, because PubMed answered with an error: Invalid characters in query: copper"
    server.fail("esearch", refusal, refusal)
    with pytest.raises(PubMedRejectedError):
        PubmedRetriever(talk_to(server), expander=plan_of("copper", "zinc")).retrieve(QUESTION)


def test_years_limit_what_is_retrieved(pubmed, talk_to):
    dates = DateLimits.years(2016, 2017)
    result = PubmedRetriever(talk_to(pubmed()), query="zinc", dates=dates).retrieve(QUESTION)
    assert [hit.article.year for hit in result.articles] == [2016, 2017]
    assert result.query.date_limits == "pdat 2016 to 2017"


def test_each_hit_without_an_article_is_a_failure_with_its_rank(pubmed, talk_to):
    server = pubmed()
    bad = record(90000003).replace("</Journal>", "</Jour>")
    server.fail("efetch", answers(article_set(record(90000002), bad)))
    result = PubmedRetriever(talk_to(server), query="zinc AND fever").retrieve(QUESTION)
    assert [hit.article.pmid for hit in result.articles] == ["90000002"]
    assert [(f.position, f.pmid) for f in result.failures] == [(1, "90000001"), (3, "90000003")]
    assert "no record" in result.failures[0].reason
    assert result.query.retrieved == 1


def test_what_could_not_be_fetched_is_told_with_the_reason(pubmed, talk_to, tmp_path):
    from metarag.retrieval.record_cache import RecordCache

    server = pubmed()
    with RecordCache(tmp_path / "c.sqlite") as cache:
        client = talk_to(server, max_tries=1)
        PubmedRetriever(client, query="zinc AND fever", cache=cache).retrieve(QUESTION, limit=1)
        server.fail("efetch", answers("down", 503))
        result = PubmedRetriever(client, query="zinc AND fever", cache=cache).retrieve(QUESTION)
    assert len(result.articles) == 1
    assert [f.position for f in result.failures] == [2, 3]
    assert "503" in result.failures[0].reason


def test_the_answer_of_a_whole_run_names_what_is_missing(pubmed, talk_to):
    server = pubmed()
    del server.model.by_pmid["90000002"]
    answer = MetaRag(PubmedRetriever(talk_to(server), query="zinc AND fever")).ask(QUESTION)
    assert len(answer.ranking.audit.identified) == 2
    assert any("90000002" in warning for warning in answer.ranking.audit.warnings)
    assert answer.ranking.audit.query.total == 3


def test_a_failing_search_is_an_error_and_no_empty_result(pubmed, talk_to):
    server = pubmed()
    server.fail("esearch", answers("down", 503))
    with pytest.raises(PubMedUnavailableError):
        PubmedRetriever(talk_to(server, max_tries=1), query="zinc").retrieve(QUESTION)


def test_a_limit_of_nothing_counts_and_fetches_nothing(pubmed, talk_to):
    server = pubmed()
    result = PubmedRetriever(talk_to(server), query="zinc").retrieve(QUESTION, limit=0)
    assert (result.articles, result.query.total) == ((), 5)
    assert not server.requests("efetch")
    with pytest.raises(ValueError, match="0 or more"):
        PubmedRetriever(talk_to(server), query="zinc").retrieve(QUESTION, limit=-1)


def test_a_question_is_made_a_query_by_rule_and_widened_until_something_is_found(pubmed, talk_to):
    server = pubmed()
    question = Question(text="Does zinc shorten fever in adults?")
    result = PubmedRetriever(talk_to(server)).retrieve(question)
    assert "zinc" in result.query.query
    assert result.articles
    assert result.query.prompt is None
    assert all(step.total == 0 and step.note for step in result.query.earlier)
    sent = [seen.get("term") for seen in server.requests("esearch")]
    assert sent == [step.query for step in (*result.query.earlier, result.query)]


def test_a_query_that_a_model_made_names_its_prompt(pubmed, talk_to):
    steps = (
        QueryStep(query="zinc NOT zinc", note="By the model m."),
        QueryStep(query="zinc", note="By rule."),
    )
    plan = QueryPlan(steps=steps, source="model", prompt="query_expansion@1", model_asked="m")
    query = PubmedRetriever(talk_to(pubmed()), expander=lambda question: plan).retrieve(QUESTION).query
    assert query.earlier[0].prompt == "query_expansion@1"
    assert query.prompt is None


def test_the_example_of_the_page_runs(pubmed, monkeypatch, tmp_path):
    page = Path(__file__).resolve().parents[2] / "docs" / "pubmed.md"
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = {}
    code = (
        example.replace("EntrezClient(email", f"EntrezClient('{pubmed().url}', email")
        .replace("gout AND colchicine", "zinc AND fever")
        .replace("colchicine prevent gout flares", "zinc shorten fever")
    )
    exec(compile(code, "pubmed.md", "exec"), names)
    assert len(names["records"].articles) == 3
    assert names["answer"].ranking.audit.identified
    assert (tmp_path / "pubmed.sqlite").exists()
