"""`metarag rank` and `ask` with a model behind a real server on the loopback."""

import re
import sys
from types import SimpleNamespace

import pytest
from builders import make_article
from llm.fake_server import fails, says
from model_builders import most_favourable

from metarag.audit import Basis
from metarag.cli_entry import main
from metarag.runs import load_run

QUESTION = "Do zinc tablets reduce fever in adults?"
KEY = "sk-secret-0123456789"
ABSTRACT = (
    "Adults with fever were randomly assigned to zinc tablets or placebo in a double-blind trial. "
    "Temperature fell by 0.4 degrees (95% CI 0.1 to 0.7)."
)


@pytest.fixture
def metarag(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("METARAG_API_KEY", KEY)
    for variable in ("http_proxy", "HTTP_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["metarag", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        return SimpleNamespace(code=int(stop.value.code or 0), out=shown.out, err=shown.err)

    return run


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "records.jsonl"
    made = [
        make_article(
            pmid=str(n), title=f"Zinc, {n}", abstract=ABSTRACT, types=("Randomized Controlled Trial",)
        )
        for n in (1, 2, 3)
    ]
    path.write_text("".join(a.model_dump_json() + "\n" for a in made), encoding="utf-8")
    return path


def reads_well(seen):
    kind = "reliability_checklist" if "- randomised:" in seen.system else "applicability"
    return says(most_favourable(seen.user, kind))


def test_rank_asks_the_server_and_the_second_time_its_cache(metarag, records, serve, tmp_path):
    server = serve(by_request=reads_well)
    command = ("rank", QUESTION, "--input", records, "--out", "run.json", "--model", "small-1")
    command += ("--base-url", server.url, "--model-cache", "replies.sqlite")
    first = metarag(*command)
    assert first.code == 0
    assert len(server.seen) == 6
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert "small-1, reliability_checklist: 3 answers asked for, 0 from the cache, 0 failed." in first.err
    audit = load_run(tmp_path / "run.json").ranking.audit
    assert (audit.signature.model_asked, audit.signature.model_answered) == ("small-1", "test-model")
    assert {d.basis for d in audit.decisions if d.stage == "reliability"} == {Basis.MODEL}
    again = metarag(*command)
    assert (again.code, again.out, len(server.seen)) == (0, first.out, 6)
    assert "3 from the cache" in again.err
    assert KEY not in first.err + first.out + (tmp_path / "run.json").read_text(encoding="utf-8")


def test_a_run_without_usable_answers_is_ranked_by_rules_and_exits_with_3(metarag, records, serve):
    server = serve(fails(401, "bad key"))
    done = metarag("rank", QUESTION, "--input", records, "--model", "m", "--base-url", server.url)
    assert done.code == 3
    assert "PMID 1" in done.out
    assert "degraded" in done.err
    assert re.search(r"(?m)^3 x stopped: .*(?:401|key)", done.err)
    assert "Traceback" not in done.err
    assert KEY not in done.err + done.out


def test_the_limit_of_calls_holds_and_what_was_not_asked_is_judged_by_rules(
    metarag, records, serve, tmp_path
):
    server = serve(by_request=reads_well)
    done = metarag(
        *("rank", QUESTION, "--input", records, "--out", "run.json"),
        *("--model", "m", "--base-url", server.url, "--max-calls", 2),
    )
    assert len(server.seen) == 2
    assert done.code == 3
    ranking = load_run(tmp_path / "run.json").ranking
    assert len(ranking) == 3
    assert any("max_calls" in warning for warning in ranking.audit.warnings)


def test_ask_takes_a_model_too(metarag, serve, tmp_path):
    server = serve(by_request=reads_well)
    done = metarag(
        *("ask", "Does magnesium reduce mortality after myocardial infarction?", "--out", "run.json"),
        *("--limit", 4, "--model", "m", "--base-url", server.url),
    )
    assert done.code == 0
    assert server.seen
    assert load_run(tmp_path / "run.json").ranking.audit.signature.model_asked == "m"


@pytest.mark.parametrize(
    "option", [("--base-url", "http://localhost:1/v1"), ("--model-cache", "c"), ("--max-calls", "3")]
)
def test_an_option_of_the_model_without_a_model_is_typed_wrong(metarag, records, option):
    done = metarag("rank", QUESTION, "--input", records, *option)
    assert done.code == 2
    assert f"{option[0]} needs --model" in done.err


@pytest.mark.parametrize("url", ["localhost", ""])
def test_an_unusable_address_ends_in_one_line(metarag, records, url, monkeypatch):
    monkeypatch.setenv("METARAG_API_KEY", "sk-invented")
    done = metarag("rank", QUESTION, "--input", records, "--model", "m", "--base-url", url)
    assert done.code == 1
    assert done.err.startswith("metarag: base_url must look like")
    assert done.err.count("\n") == 1
