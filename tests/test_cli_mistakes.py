"""What a user gets wrong ends in one message, which cannot write to the terminal, and an exit code."""

import json
import os

import pytest

from metarag.retrieval.corpus_build import build_index

QUESTION = "Does zinc cure fever?"
HOSTILE = "x\x1b]0;owned\x07\u202e"
UNDECODABLE = os.fsdecode(b"\xff")


@pytest.mark.parametrize(
    "args",
    [
        ("rank", QUESTION, "--input", HOSTILE),
        ("ask", QUESTION, "--index", HOSTILE),
        ("ask", QUESTION, "--settings", f"{HOSTILE}.toml"),
        ("ask", QUESTION, "--set", f"{HOSTILE}=1"),
        ("ask", QUESTION, "--set", f"hierarchy={HOSTILE}"),
        ("ask", QUESTION, "--set", f"kind={HOSTILE}"),
        ("explain", HOSTILE, "--run", HOSTILE),
        ("index", "build", HOSTILE),
        ("index", "info", "--index", HOSTILE),
        ("levels", HOSTILE),
        ("levels", "metarag-2025", HOSTILE),
        (HOSTILE,),
        (f"--{HOSTILE}",),
    ],
)
def test_no_message_can_write_to_the_terminal(metarag, args):
    done = metarag(*args)
    assert done.returncode in {1, 2}
    assert done.stderr
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stderr + done.stdout)


def test_names_of_files_and_fields_in_warnings_cannot_write_to_the_terminal(metarag, tmp_path):
    path = tmp_path / f"{HOSTILE}.jsonl"
    lines = [{"pmid": "1", "title": "Zinc"}, {"pmid": "2", "title": "Zinc", HOSTILE: 1}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for args in (
        ("rank", QUESTION, "--input", path, "--out", f"{HOSTILE}.json"),
        ("index", "build", path),
        ("ask", QUESTION, "--index", "metarag-index.sqlite"),
    ):
        done = metarag(*args)
        assert done.returncode == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(done.stderr + done.stdout)


@pytest.mark.parametrize("command", ["rank", "ablate"])
def test_where_nothing_can_be_read_nothing_is_ranked_or_written(metarag, tmp_path, command):
    (tmp_path / "r.jsonl").write_text('{"titel": "Zinc"}\n' * 7, encoding="utf-8")
    done = metarag(command, QUESTION, "--input", "r.jsonl")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no record could be read from r.jsonl" in done.stderr
    assert "did you mean 'title'" in done.stderr
    assert "and 2 more" in done.stderr
    assert not (tmp_path / "metarag-runs").exists()


def test_a_run_is_not_written_over_the_records_it_is_made_of(metarag, records):
    before = records.read_bytes()
    done = metarag("rank", QUESTION, "--input", records, "--out", records)
    assert done.returncode == 1
    assert "is also an --input" in done.stderr
    assert records.read_bytes() == before


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("kind=2020-13-45", "(got '2020-13-45')"),
        ("weights=" + "[" * 5000, "nested too deeply"),
        ("neutral_reliability=" + "9" * 5000, "cannot be read"),
        ("weights=0x" + "f" * 5000, "a very large int"),
        ("weights.relevance=.inf", "finite number"),
        ("weights={relevance: 0, reliability: 0, consistency: 0, applicability: 0}", "at least one weight"),
        ("weights.relevance.more=1", "'relevance' holds no names"),
        ("weights.relevanc=1", "weights.relevanc: Extra inputs"),
    ],
)
def test_a_wrong_set_is_one_short_message(metarag, pair, message):
    done = metarag("ask", QUESTION, "--set", pair)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr) < 1500


def test_one_weight_is_set_by_its_dotted_name(metarag, records):
    pairs = ("--set", "weights.relevance=3", "--set", "options.eligibility.exclude_retracted=false")
    done = metarag("rank", QUESTION, "--input", records, "--json", *pairs)
    run = json.loads(done.stdout)
    settings = run["ranking"]["audit"]["signature"]["settings"]
    assert (settings["weights.relevance"], settings["weights.applicability"]) == (3.0, 2.0)
    assert run["ranking"]["excluded"] == []


def test_one_stage_is_left_out_by_its_name_alone(metarag, records):
    done = metarag("rank", QUESTION, "--input", records, "--json", "--set", "without=relevance")
    assert "relevance" not in json.loads(done.stdout)["ranking"]["audit"]["signature"]["stages"]


def test_explain_passes_over_what_is_no_run(metarag, records, tmp_path):
    metarag("rank", QUESTION, "--input", records)
    (tmp_path / "metarag-runs" / "z.json").symlink_to(tmp_path / "gone.json")
    (tmp_path / "metarag-runs" / "folder.json").mkdir()
    assert "Rank 1" in metarag("explain", "1").stdout


@pytest.mark.parametrize("name", ["", "  "])
def test_explain_wants_a_name(metarag, name):
    done = metarag("explain", name)
    assert done.returncode == 1
    assert "name the article" in done.stderr


def test_an_unfinished_index_says_so_when_it_is_asked_and_described(metarag, records, tmp_path):
    metarag("index", "build", records)
    more = tmp_path / "more.jsonl"
    more.write_text('{"pmid": "8", "title": "Zinc"}\n', encoding="utf-8")

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index("metarag-index.sqlite", [more], progress=stop)
    asked = metarag("ask", QUESTION, "--index", "metarag-index.sqlite", "--json")
    assert "not finished" in asked.stderr
    assert any("not finished" in w for w in json.loads(asked.stdout)["ranking"]["audit"]["query"]["warnings"])
    assert "Not finished: more.jsonl" in metarag("index", "info").stdout


def test_an_empty_index_is_an_error_and_no_empty_answer(metarag):
    build_index("metarag-index.sqlite", [])
    done = metarag("ask", QUESTION, "--index", "metarag-index.sqlite")
    assert done.returncode == 1
    assert "holds no record" in done.stderr
    assert metarag("index", "info").returncode == 0


def test_a_damaged_index_is_told_by_every_command(metarag, records, tmp_path):
    metarag("index", "build", records)
    index = tmp_path / "metarag-index.sqlite"
    content = index.read_bytes()
    index.write_bytes(content[:4096] + os.urandom(len(content) - 4096))
    for args in (("ask", QUESTION, "--index", index), ("index", "info"), ("index", "build", records)):
        done = metarag(*args)
        assert done.returncode == 1
        assert "damaged" in done.stderr
    assert index.read_bytes()[:4096] == content[:4096]


def test_an_index_is_not_built_from_a_pipe(metarag, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = metarag("index", "build", "pipe")
    assert done.returncode == 1
    assert "save what comes from a pipe to a file first" in done.stderr


def test_settings_from_a_pipe_are_refused_without_a_wait(metarag, tmp_path):
    os.mkfifo(tmp_path / "s.yaml")
    assert "name a file" in metarag("ask", QUESTION, "--settings", "s.yaml").stderr
    assert "name a file" in metarag("levels", "--file", "s.yaml").stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("ask", f"Does {UNDECODABLE} work?"), "the question is not valid Unicode at character 6"),
        (("rank", QUESTION, "--input", f"none{UNDECODABLE}.xml"), "does not exist"),
        (("ask", QUESTION, "--index", f"none{UNDECODABLE}"), "there is no local index"),
        (("ask", QUESTION, "--settings", f"none{UNDECODABLE}.toml"), "cannot be read"),
        (("ask", QUESTION, "--set", f"hierarchy={UNDECODABLE}"), "cannot be read"),
        (("explain", UNDECODABLE, "--run", f"none{UNDECODABLE}"), "there is no run file"),
        (("levels", UNDECODABLE), "no hierarchy"),
    ],
)
def test_bytes_that_are_no_unicode_end_in_a_message(metarag, args, message):
    done = metarag(*args)
    assert done.returncode == 1
    assert message in done.stderr
