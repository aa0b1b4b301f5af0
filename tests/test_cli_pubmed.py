"""`metarag search`, `fetch` and `ask --source pubmed` as a person meets them, against a stand-in for PubMed."""

import io
import json
import sys
import unicodedata

import pytest
from entrez_model import Answer
from entrez_records import entry_of, invented_entries, synthetic_entries
from entrez_server import EntrezServer, answers
from llm.fake_server import FakeServer, says
from pubmed_builders import abstract, record

from metarag.cli_pubmed import key_for
from metarag.retrieval.entrez import RateLimiter
from metarag.runs import load_run

KEY = "0123456789abcdef0123456789abcdef0123"
QUESTION = "Does zinc shorten fever?"


@pytest.fixture
def pubmed(monkeypatch):
    for name in ("METARAG_NCBI_API_KEY", "NCBI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    # The pace is tested where it is kept.
    monkeypatch.setattr("metarag.retrieval.entrez.shared_limiter", lambda host, key: RateLimiter(1000))
    server = EntrezServer(invented_entries())
    yield server
    server.stop()


def test_a_search_shows_hits_on_stdout_and_the_query_on_stderr(metarag, pubmed):
    done = metarag("search", "zinc[tiab] AND fever", "--base-url", pubmed.url, "--email", "name@example.org")
    assert done.returncode == 0
    assert "90000001" in done.stdout
    assert "Zinc for invented fever" in done.stdout
    assert "3 hits, 3 here; sorted by relevance" in done.stderr
    assert "query: zinc[tiab] AND fever" in done.stderr
    assert pubmed.seen[0].get("email") == "name@example.org"


def test_a_search_as_json_is_all_that_is_known_of_it(metarag, pubmed):
    done = metarag("search", "zinc AND quuxzorblin", "--json", "--limit", "2", "--base-url", pubmed.url)
    found = json.loads(done.stdout)
    assert (found["total"], len(found["ids"]), len(found["summaries"])) == (5, 2, 2)
    assert found["query_changed"]
    assert found["warnings"]["phrases_not_found"] == ["quuxzorblin"]
    assert "quuxzorblin" in done.stderr


def test_years_really_limit_a_search(metarag, pubmed):
    done = metarag("search", "zinc", "--ids", "--from", "2016", "--to", "2017", "--base-url", pubmed.url)
    assert done.stdout.split() == ["90000002", "90000003"]
    assert "pdat 2016 to 2017" in done.stderr
    late = metarag("search", "zinc", "--from", "2018", "--to", "2017", "--base-url", pubmed.url)
    assert late.returncode == 1
    assert "--from 2018 is later" in late.stderr


def test_a_query_that_cannot_be_read_is_never_sent(metarag, pubmed):
    done = metarag("search", 'zinc AND "fever', "--base-url", pubmed.url)
    assert done.returncode == 1
    assert "character 10" in done.stderr
    assert not pubmed.seen


def test_all_hits_come_as_ids_with_progress_and_a_state_file(metarag, pubmed, tmp_path):
    pubmed.model.entries = synthetic_entries(10_100)
    done = metarag("search", "x", "--all", "--state", "s.json", "--base-url", pubmed.url)
    assert len(set(done.stdout.split())) == 10_100
    assert "of 10,100 ids found" in done.stderr
    assert not (tmp_path / "s.json").exists()
    assert metarag("search", "x", "--state", "s.json", "--base-url", pubmed.url).returncode == 2


def test_nothing_found_is_no_error(metarag, pubmed):
    done = metarag("search", "zinc NOT zinc", "--base-url", pubmed.url)
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 hits" in done.stderr


def test_fetched_records_can_be_ranked(metarag, pubmed, tmp_path):
    done = metarag("fetch", "90000001", "PMID:90000002", "77", "--out", "r.jsonl", "--base-url", pubmed.url)
    assert done.returncode == 0
    assert done.stdout == ""
    assert "PubMed has no record for: 77" in done.stderr
    ranked = metarag("rank", QUESTION, "--input", "r.jsonl")
    assert "PMID 90000001" in ranked.stdout
    assert [json.loads(line)["pmid"] for line in (tmp_path / "r.jsonl").read_text().splitlines()] == [
        "90000001",
        "90000002",
    ]


def test_ids_are_read_from_standard_input(metarag, pubmed, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"90000003\n90000001\n")))
    done = metarag("fetch", "-", "--base-url", pubmed.url)
    assert [json.loads(line)["pmid"] for line in done.stdout.splitlines()] == ["90000003", "90000001"]


def test_fetching_nothing_is_an_error_and_writes_nothing(metarag, pubmed, tmp_path):
    done = metarag("fetch", "77", "word", "--out", "r.jsonl", "--base-url", pubmed.url)
    assert done.returncode == 1
    assert "no record was fetched" in done.stderr
    assert not (tmp_path / "r.jsonl").exists()


def test_cached_records_are_there_without_a_network(metarag, pubmed):
    metarag("fetch", "90000001", "--record-cache", "c.sqlite", "--base-url", pubmed.url)
    done = metarag("fetch", "90000001", "90000002", "--record-cache", "c.sqlite", "--offline")
    assert done.returncode == 0
    assert json.loads(done.stdout)["pmid"] == "90000001"
    assert "not fetched (the network is switched off" in done.stderr


def test_ask_answers_from_pubmed_and_keeps_every_query_that_was_run(metarag, pubmed, tmp_path):
    done = metarag(
        "ask", QUESTION, "--source", "pubmed", "--query", "zinc AND fever", "--base-url", pubmed.url,
        "--from", "2015", "--to", "2016", "--limit", "5", "--out", "run.json",
    )  # fmt: skip
    assert done.returncode == 0
    assert "PMID 90000001" in done.stdout
    assert "2 hits: zinc AND fever" in done.stderr
    run = load_run(tmp_path / "run.json")
    query = run.ranking.audit.query
    assert (query.source, query.query, query.total, query.retrieved) == ("PubMed", "zinc AND fever", 2, 2)
    assert query.date_limits == "pdat 2015 to 2016"


def test_a_model_that_makes_no_query_leaves_the_one_by_rule(metarag, pubmed, tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = FakeServer([says("no query at all")])
    try:
        done = metarag(
            "ask", QUESTION, "--source", "pubmed", "--pubmed-url", pubmed.url, "--model", "m",
            "--base-url", server.url, "--set", "stages=[eligibility, relevance]", "--out", "run.json",
        )  # fmt: skip
    finally:
        server.stop()
    assert done.returncode == 0
    query = load_run(tmp_path / "run.json").ranking.audit.query
    assert server.seen
    assert "zinc" in query.query
    assert any("by rule stands" in warning for warning in query.warnings)


def test_ask_searches_the_index_and_pubmed_together(metarag, pubmed, records, tmp_path):
    metarag("index", "build", records, "--index", "i.sqlite")
    done = metarag(
        "ask", QUESTION, "--source", "both", "--index", "i.sqlite", "--query", "zinc AND fever",
        "--base-url", pubmed.url, "--out", "run.json",
    )  # fmt: skip
    assert done.returncode == 0
    run = load_run(tmp_path / "run.json")
    pmids = {item.article.pmid for item in (*run.ranking.evidence, *run.ranking.excluded)}
    assert pmids >= {"1", "90000001"}
    assert len(run.ranking.audit.query.parts) == 2


@pytest.mark.parametrize(
    "command", [("search", "zinc"), ("fetch", "1"), ("ask", "Zinc?", "--source", "pubmed", "--query", "zinc")]
)
@pytest.mark.parametrize("how", [("--offline",), ("--base-url", "http://127.0.0.1:9/")])
def test_without_a_network_one_line_says_so_and_what_works(metarag, pubmed, monkeypatch, command, how):
    monkeypatch.setattr("metarag.retrieval.entrez_send.RetryPolicy.wait", lambda *a: 0.0)
    done = metarag(*command, *how)
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "demo corpus" in line
    assert "--index FILE" in line


def test_a_source_that_fails_leaves_the_other(metarag, pubmed, records):
    metarag("index", "build", records, "--index", "i.sqlite")
    done = metarag("ask", QUESTION, "--source", "both", "--index", "i.sqlite", "--query", "zinc", "--offline")
    assert done.returncode == 0
    assert "PMID 1" in done.stdout
    assert "PubMed was not searched" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--email", "a@b.org"),
        ("--pubmed-url", "http://127.0.0.1:9/"),
        ("--from", "2010"),
        ("--source", "pubmed", "--index", "i.sqlite"),
        ("--source", "pubmed", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
        ("--source", "web"),
    ],
)
def test_options_that_do_not_go_together_are_typed_wrong(metarag, options):
    assert metarag("ask", QUESTION, *options).returncode == 2


def test_the_key_comes_from_the_environment_and_is_never_shown(metarag, pubmed, monkeypatch, tmp_path):
    monkeypatch.setenv("METARAG_NCBI_API_KEY", KEY)
    pubmed.fail("esearch", answers(f'{{"error":"API key invalid","api-key":"{KEY}"}}', 400))
    failed = metarag("search", "zinc", "--base-url", pubmed.url)
    assert failed.returncode == 1
    assert "refuses the API key" in failed.stderr
    done = metarag(
        "ask", QUESTION, "--source", "pubmed", "--query", "zinc", "--base-url", pubmed.url,
        "--record-cache", "c.sqlite", "--out", "run.json",
    )  # fmt: skip
    assert pubmed.seen[-1].in_body["api_key"] == [KEY]
    shown = [failed.stdout, failed.stderr, done.stdout, done.stderr, (tmp_path / "run.json").read_text()]
    assert not any(KEY in text for text in shown)
    assert KEY.encode() not in (tmp_path / "c.sqlite").read_bytes()


@pytest.mark.parametrize("url", ["", " ", "http://[::1", "http://user:word@127.0.0.1/", "127.0.0.1"])
@pytest.mark.parametrize(
    "command", [("search", "zinc"), ("fetch", "1"), ("ask", QUESTION, "--source", "pubmed")]
)
def test_an_address_that_is_none_is_one_line_and_never_ncbis(metarag, monkeypatch, url, command):
    monkeypatch.setenv("NCBI_API_KEY", KEY)
    monkeypatch.setattr("socket.getaddrinfo", lambda *a, **k: pytest.fail("a name was looked up"))
    done = metarag(*command, "--base-url", url)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.strip().splitlines()
    assert "the address of the E-utilities must" in line
    assert "word" not in line.replace("password", "")


def test_hits_are_shown_though_their_titles_cannot_be_had(metarag, pubmed):
    pubmed.fail("esummary", answers("no", 403, type="text/plain"))
    done = metarag("search", "zinc AND fever", "--base-url", pubmed.url)
    assert done.returncode == 0
    assert [line.split()[1] for line in done.stdout.splitlines()[1:]] == ["90000001", "90000002", "90000003"]
    assert "no titles, because PubMed" in done.stderr


@pytest.mark.parametrize(
    "given",
    [
        b"\xef\xbb\xbf90000003\r\n90000001\r\n",
        b"90000003, 90000001,\n",
        b"PMID: 90000003\nPMID: 90000001",
        b"pmid:90000003;https://pubmed.ncbi.nlm.nih.gov/90000001/",
    ],
)
def test_a_list_of_ids_is_read_as_people_keep_them(metarag, pubmed, monkeypatch, given):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    for arguments in (["-"], [given.decode("utf-8-sig")]):
        done = metarag("fetch", *arguments, "--base-url", pubmed.url)
        assert [json.loads(line)["pmid"] for line in done.stdout.splitlines()] == ["90000003", "90000001"]
        assert "no PMID" not in done.stderr


def test_ids_that_are_none_are_named_and_cost_no_other(metarag, pubmed):
    done = metarag("fetch", "1.5", "１２３", "0090000001", "\x1b[31m", "--base-url", pubmed.url)
    assert done.returncode == 0
    assert json.loads(done.stdout)["pmid"] == "90000001"
    assert "no PMID: 1.5, １２３, [31m" in done.stderr


def test_what_a_hostile_record_holds_reaches_no_terminal(metarag, pubmed):
    evil = "Zinc \x9b31m and \u202efever\u200b \x9d0;title\x9c"
    hostile = record(90000001, title=f"<ArticleTitle>{evil}</ArticleTitle>", article=abstract(evil))
    pubmed.model.by_pmid["90000001"] = entry_of(hostile)
    pubmed.model.entries = (entry_of(hostile),)
    body = (
        "<eSearchResult><Count>1</Count><IdList><Id>90000001</Id></IdList>"
        f"<QueryTranslation>{evil}\nmetarag: done</QueryTranslation>"
        f"<ErrorList><PhraseNotFound>{evil}\nWarning: none</PhraseNotFound></ErrorList></eSearchResult>"
    )
    pubmed.fail("esearch", *[answers(body)] * 3)
    told = [
        metarag("search", "zinc", "--base-url", pubmed.url),
        metarag("search", "zinc", "--json", "--base-url", pubmed.url),
        metarag("ask", QUESTION, "--source", "pubmed", "--query", "zinc", "--base-url", pubmed.url),
        metarag("fetch", "90000001", "--base-url", pubmed.url),
    ]
    for done in told:
        assert done.returncode == 0
        assert not any(
            unicodedata.category(c) in ("Cc", "Cf") for c in (done.stdout + done.stderr).replace("\n", "")
        )
        assert not any(
            line.startswith(("metarag: done", "Warning: none")) for line in done.stderr.splitlines()
        )
    assert json.loads(told[-1].stdout)["title"] == evil


def test_a_search_of_another_address_is_not_taken_up(metarag, pubmed, tmp_path):
    pubmed.model.entries = synthetic_entries(10_100)
    usual = pubmed.model.esearch
    pubmed.model.esearch = lambda parameters: (
        Answer(b"no", 403) if "mindate" in parameters else usual(parameters)
    )
    stopped = metarag("search", "x", "--all", "--state", "s.json", "--base-url", pubmed.url)
    assert stopped.returncode == 1
    assert (tmp_path / "s.json").exists()
    pubmed.model.esearch = usual
    elsewhere = pubmed.url.replace("/entrez/", "/mirror/")
    refused = metarag("search", "x", "--all", "--state", "s.json", "--base-url", elsewhere)
    assert "the state of another search" in refused.stderr
    done = metarag("search", "x", "--all", "--state", "s.json", "--base-url", pubmed.url)
    assert len(done.stdout.split()) == 10_100


@pytest.mark.parametrize(
    ("url", "environment", "key"),
    [
        ("https://eutils.ncbi.nlm.nih.gov/entrez/eutils", {"NCBI_API_KEY": "a"}, "a"),
        (
            "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
            {"NCBI_API_KEY": "a", "METARAG_NCBI_API_KEY": "b"},
            "b",
        ),
        ("http://127.0.0.1:1/", {"NCBI_API_KEY": "a"}, None),
        ("https://ncbi.nlm.nih.gov.example.org/", {"NCBI_API_KEY": "a"}, None),
        ("http://127.0.0.1:1/", {"METARAG_NCBI_API_KEY": "b"}, "b"),
        ("http://127.0.0.1:1/", {}, None),
        ("http://[::1", {"NCBI_API_KEY": "a"}, None),
    ],
)
def test_ncbis_key_goes_to_ncbi_only(url, environment, key):
    assert key_for(url, environment) == key
