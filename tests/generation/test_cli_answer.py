"""`metarag ask --answer model` with a real server on the loopback."""

import sys
from types import SimpleNamespace

import pytest
from llm.fake_server import fails, says
from model_builders import most_favourable

from metarag.cli_entry import main
from metarag.runs import load_run

QUESTION = "Does intravenous magnesium reduce early mortality in patients with acute myocardial infarction?"
WRITTEN = "Deaths did not differ in 58,050 patients [7661937]. It cures all [99999999]."


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "400")
    for variable in ("http_proxy", "HTTP_PROXY", "OPENAI_API_KEY", "METARAG_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    def run(*args):
        monkeypatch.setattr(sys, "argv", ["metarag", "ask", QUESTION, "--limit", "8", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        return SimpleNamespace(code=int(stop.value.code or 0), out=shown.out, err=shown.err)

    return run


def writes(seen):
    """Answer the stages' questions as they want it, and write the answer that was asked for."""
    if "You answer a clinical question" in seen.system:
        return says(WRITTEN if "for a clinician" in seen.system else "Magnesium does not help.")
    return says(
        most_favourable(
            seen.user, "reliability_checklist" if "- randomised:" in seen.system else "applicability"
        )
    )


def test_the_model_writes_the_answer_and_what_it_invents_is_gone(ask, serve):
    server = serve(by_request=writes)
    done = ask("--answer", "model", "--model", "test-model", "--base-url", server.url, "--out", "run.json")
    assert done.code == 0
    assert "In short\n  Magnesium does not help." in done.out
    assert "Deaths did not differ in 58,050 patients [PMID 7661937]." in done.out
    assert "It cures all. (no source)" in done.out
    assert "99999999" not in done.out
    assert "1 citation of an article that was not given to the model was removed" in done.out


def test_the_run_keeps_who_wrote_what_from_what(ask, serve, tmp_path):
    server = serve(by_request=writes)
    ask("--answer", "model", "--model", "test-model", "--base-url", server.url, "--out", "run.json")
    answer = load_run(tmp_path / "run.json").answer
    assert answer.generator == "grounded"
    assert answer.raw == WRITTEN
    assert answer.usage[0].model == "test-model"
    assert "7661937" in {source.citation for source in answer.sources}


def test_a_model_that_fails_leaves_the_rules_answer_and_another_exit_code(ask, serve):
    server = serve(fails(401, "bad key"))
    done = ask("--answer", "model", "--model", "test-model", "--base-url", server.url)
    assert done.code == 3
    assert "The articles disagree on death from any cause." in done.out
    assert "answer" in done.err.splitlines()[-1]


def test_without_a_model_there_is_nobody_to_write(ask):
    done = ask("--answer", "model")
    assert done.code == 2
    assert "--answer model needs --model NAME" in done.err


def test_the_model_is_asked_for_the_language_and_the_rules_have_only_one(ask, serve):
    server = serve(by_request=writes)
    done = ask("--answer", "model", "--model", "test-model", "--base-url", server.url, "--language", "French")
    assert done.code == 0
    assert "French" in str(server.seen[-1])
    refused = ask("--language", "French")
    assert refused.code == 2
    assert "--language needs --answer model" in refused.err


def test_the_rules_answer_unless_the_model_is_asked_to(ask, serve):
    server = serve(by_request=writes)
    done = ask("--model", "test-model", "--base-url", server.url)
    assert "The articles disagree on death from any cause." in done.out
    assert not any("You answer a clinical question" in seen.system for seen in server.seen)
