"""`metarag query explain`, and the page about queries."""

import json
import re
from pathlib import Path

import pytest

from metarag.retrieval.query import parse_query
from metarag.retrieval.query_fields import BY_TAG, COPIED_ON, find_field
from metarag.retrieval.query_words import query_lines

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "queries.md").read_text(encoding="utf-8")


def test_a_query_is_shown_in_words_as_sent_and_as_run(metarag):
    done = metarag("query", "explain", "(aspirin OR statin*[ti]) AND asthma[mh:noexp] NOT 2020:2021[dp]")
    assert done.returncode == 0
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert "      “aspirin”, anywhere; PubMed adds headings and synonyms" in lines
    assert "      “statin*”, with any ending, in the title" in lines
    assert "    MeSH heading “asthma”, without narrower ones" in lines
    assert "  but not" in lines
    assert "    Date - Publication: from 2020 to 2021" in lines
    assert "  ((aspirin OR statin*[ti]) AND asthma[mh:noexp]) NOT 2020:2021[dp]" in lines
    assert "published_print BETWEEN 20200000 AND 20219999" in " ".join(done.stdout.split())
    assert "Note: Headings were matched by their words" in done.stdout


def test_what_the_local_index_cannot_run_is_said_and_the_rest_shown(metarag):
    done = metarag("query", "explain", "kyoto[ad] AND asthma[tiab]")
    assert done.returncode == 0
    assert "cannot run it: the local index has no field [ad] (Affiliation)" in done.stdout


def test_an_error_points_at_its_place_and_nothing_else_is_printed(metarag):
    done = metarag("query", "explain", "zinc AND fever[tiabb]")
    assert (done.returncode, done.stdout) == (1, "")
    problem, shown, caret = done.stderr.rstrip("\n").splitlines()
    assert problem.startswith("metarag: character 15 of the query: PubMed has no field tag [tiabb]")
    assert shown == "  zinc AND fever[tiabb]"
    assert shown[caret.index("^")] == "["


def test_a_question_is_shown_step_by_step_with_what_was_left_out(metarag):
    done = metarag("query", "explain", "Does zinc reduce mortality in sepsis?")
    assert done.returncode == 0
    assert "kind: therapy" in done.stdout
    assert "intervention: zinc" in done.stdout
    assert "comparator: not read" in done.stdout
    assert "queries: by rule" in done.stdout
    assert "Step 1: All of: population (sepsis), intervention (zinc), outcome (mortality)" in done.stdout
    assert "Step 2, when nothing was found: Without the outcome (mortality)." in done.stdout
    assert "Step 4, when nothing was found: Without a filter." in done.stdout


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("Does zinc help?", True),
        ("does zinc help colds", True),
        ("zinc colds", False),
        ("zinc AND colds", False),
        ("zinc[ti]", False),
        ('"common cold"', False),
    ],
)
def test_a_question_is_told_from_a_query_by_its_form(metarag, text, is_question):
    done = metarag("query", "explain", text, "--json")
    assert (json.loads(done.stdout)["plan"]["source"] == "rule") is is_question


def test_the_form_can_be_said(metarag):
    as_query = metarag("query", "explain", "does zinc help colds", "--as", "query", "--json")
    assert json.loads(as_query.stdout)["plan"]["steps"][0]["query"] == "does zinc help colds"
    as_question = metarag(
        "query", "explain", "zinc (for colds)", "--as", "question", "--scope", "broad", "--json"
    )
    explained = json.loads(as_question.stdout)
    assert explained["plan"]["source"] == "rule"
    assert explained["steps"][0]["local_index"]


def test_a_query_that_may_be_read_otherwise_is_warned_of(metarag):
    done = metarag("query", "explain", "zinc OR iron AND fever")
    assert "Warning: AND and NOT after an OR" in done.stderr


def test_control_characters_of_a_query_do_not_reach_the_terminal(metarag):
    done = metarag("query", "explain", '"a\x1b[31mb"')
    assert done.returncode == 1
    assert "\x1b" not in done.stderr
    assert "U+001B" in done.stderr


def test_the_example_of_the_page_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "queries.md", "exec"), {})
    assert "All of: population (myocardial infarction)" in capsys.readouterr().out


def test_every_form_and_tag_of_the_page_is_read():
    table = PAGE.split("| form | means |")[1].split("\n\n")[0]
    for row in table.splitlines()[3:]:
        for form in re.findall(r"`([^`]+)`", row.split(" | ")[0]):
            assert parse_query(form), form
    (tags,) = re.findall(r"Tags: `([^`]+)`", PAGE)
    assert all(find_field(tag) for tag in tags.split())
    assert COPIED_ON == "2025-02-25"
    assert "25 February 2025" in PAGE


@pytest.mark.parametrize("tag", BY_TAG)
def test_a_term_of_every_field_can_be_said_in_words(tag):
    value = {"dp": "2020", "pmid": "7"}.get(tag, "2020")
    (line,) = query_lines(parse_query(f"{value}[{tag}]").root)
    assert value in line
    assert len(line) > len(value) + 4
