"""`metarag index`: engines, several processes, progress, and a check that exits with 1."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from builders import make_article

from metarag import cli_index

QUESTION = "Does zinc cure fever?"


@pytest.fixture
def has_tantivy():
    pytest.importorskip("tantivy", reason="tantivy (extra mirror) is not installed")


def test_a_tantivy_index_is_built_asked_described_and_checked(metarag, records, has_tantivy):
    built = metarag("index", "build", records, "--engine", "tantivy", "--index", "mirror")
    assert built.returncode == 0
    asked = metarag("ask", QUESTION, "--index", "mirror")
    assert (asked.returncode, "Zinc did not cure fever" in asked.stdout) == (0, True)
    assert "Searching the demo corpus" not in asked.stderr
    searched = metarag("ask", QUESTION, "--index", "mirror", "--query", "fever[ti] NOT case", "--json")
    assert json.loads(searched.stdout)["ranking"]["audit"]["query"]["translation"] == (
        '(title:"fever" NOT "case")'
    )
    assert re.search(r"engine\s+tantivy", metarag("index", "info", "--index", "mirror").stdout)
    checked = metarag("index", "verify", records, "--index", "mirror")
    assert checked.returncode == 0
    assert checked.stdout.strip() == (
        "mirror (tantivy) is whole: 3 records can be read and found by their words, and 1 files are those that"
        " were indexed."
    )


def test_without_a_name_each_engine_has_its_own(metarag, records, tmp_path, has_tantivy):
    metarag("index", "build", records)
    metarag("index", "build", records, "--engine", "tantivy")
    assert (tmp_path / "metarag-index.sqlite").is_file()
    assert (tmp_path / "metarag-index.tantivy").is_dir()


def test_the_check_tells_what_is_wrong_and_what_to_do_and_exits_with_one(metarag, records):
    metarag("index", "build", records)
    with closing(sqlite3.connect("metarag-index.sqlite")) as connection, connection:
        connection.execute("UPDATE article SET json = x'00' WHERE record_id = 2")
    done = metarag("index", "verify")
    assert done.returncode == 1
    assert done.stdout.strip() == (
        "1 records cannot be read: pmid:2. Delete the index and build it again from its files."
    )


def test_a_file_that_is_not_in_the_index_is_told(metarag, records, tmp_path):
    metarag("index", "build", records)
    more = tmp_path / "more.jsonl"
    more.write_text(make_article("9").model_dump_json(), encoding="utf-8")
    done = metarag("index", "verify", records, more)
    assert (done.returncode, done.stdout.strip()) == (1, "more.jsonl is not in the index. Build it in.")


def test_several_processes_and_a_folder_of_pubmeds_files(metarag, records, tmp_path):
    baseline = tmp_path / "baseline"
    baseline.mkdir()
    for number in (2, 1):
        path = baseline / f"pubmed26n000{number}.xml.gz"
        path.write_bytes(records.read_bytes() + make_article(f"9{number}").model_dump_json().encode())
    (baseline / "README.txt").write_text("not a file of records", encoding="utf-8")
    done = metarag("index", "build", baseline, "--jobs", "2", "--no-appraise")
    assert done.returncode == 0
    assert done.stdout.index("pubmed26n0001") < done.stdout.index("pubmed26n0002")
    assert "4" in metarag("index", "info").stdout
    assert metarag("index", "verify", baseline).returncode == 0


def test_without_files_an_index_is_brought_up_to_date(metarag, records):
    metarag("index", "build", records, "--no-appraise")
    done = metarag("index", "build")
    assert (done.returncode, done.stdout) == (0, "")
    assert "3 appraisals were made or renewed" in done.stderr
    missing = metarag("index", "build", "--index", "nowhere.sqlite")
    assert missing.returncode == 2
    assert "there is no index nowhere.sqlite yet" in missing.stderr


@pytest.mark.parametrize("option", [("--jobs", "0"), ("--jobs", "two"), ("--engine", "lucene")])
def test_wrong_options_are_told(metarag, records, option):
    done = metarag("index", "build", records, *option)
    assert done.returncode == 2
    assert option[0] in done.stderr


def test_progress_goes_to_stderr_with_rate(metarag, records, monkeypatch):
    monkeypatch.setattr(cli_index, "SECONDS_BETWEEN_LINES", 0.0)
    done = metarag("index", "build", records)
    assert re.search(r"^file 1 of 1, records\.jsonl: 3 records; [\d,]+ a second$", done.stderr, re.MULTILINE)
    assert "a second" not in done.stdout
    assert "3 records checked" in metarag("index", "verify").stderr


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (89, "89 s"),
        (90, "2 min"),
        (3600, "60 min"),
        (5400, "1.5 h"),
        (36_000, "10 h"),
        (180_000, "50 h"),
    ],
)
def test_time_left_is_told_in_the_unit_that_it_calls_for(seconds, shown):
    assert cli_index._duration(seconds) == shown
