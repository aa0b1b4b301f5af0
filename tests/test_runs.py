import json
from datetime import UTC, datetime

import pytest
from builders import make_article

from metarag import rank
from metarag.errors import RunFileError
from metarag.generation.extractive import ExtractiveGenerator
from metarag.runs import RunRecord, load_run, save_run
from metarag.types import Question

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
QUESTION = Question(text="Do tablets cure fever?")


def a_ranking():
    articles = [
        make_article(pmid=str(n), types=("Journal Article",), abstract="Tablets cure fever.") for n in (1, 2)
    ]
    return rank(QUESTION, [*articles, make_article(pmid="3", types=("Retracted Publication",))])


def test_a_run_reads_back_as_it_was(tmp_path):
    answer = ExtractiveGenerator().generate(QUESTION, a_ranking())
    run = RunRecord.of(answer, now=NOW)
    save_run(run, tmp_path / "run.json")
    assert load_run(tmp_path / "run.json") == run
    assert run.answer.text == answer.text


def test_the_same_input_gives_the_same_bytes():
    assert (
        RunRecord.of(a_ranking(), now=NOW).model_dump_json()
        == RunRecord.of(a_ranking(), now=NOW).model_dump_json()
    )


def test_runs_that_differ_have_different_names():
    assert RunRecord.of(a_ranking(), now=NOW).id != RunRecord.of(rank(QUESTION, []), now=NOW).id


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a run file"),
        (b"{}", "is not a run file"),
        (b"[1", "is not a run file"),
        (b"\xff", "cannot be read"),
    ],
)
def test_what_is_not_a_run_is_refused_by_name(tmp_path, content, message):
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(RunFileError, match=message):
        load_run(tmp_path / "run.json")


def test_a_missing_run_says_how_to_make_one(tmp_path):
    with pytest.raises(RunFileError, match="metarag ask"):
        load_run(tmp_path / "none.json")


def test_a_run_of_another_version_is_told_apart_from_damage(tmp_path):
    run = RunRecord.of(a_ranking(), now=NOW).model_copy(update={"schema_id": "metarag-run/9"})
    (tmp_path / "run.json").write_text(run.model_dump_json(), encoding="utf-8")
    with pytest.raises(
        RunFileError, match="metarag-run/9 file; this metarag reads metarag-run/1 and metarag-run/2"
    ):
        load_run(tmp_path / "run.json")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunFileError, match="cannot be written"):
        save_run(RunRecord.of(a_ranking(), now=NOW), tmp_path / "file" / "run.json")


def test_a_byte_order_mark_is_no_part_of_a_run(tmp_path):
    run = RunRecord.of(a_ranking(), now=NOW)
    (tmp_path / "run.json").write_text(run.model_dump_json(), encoding="utf-8-sig")
    assert load_run(tmp_path / "run.json") == run


def test_a_run_of_another_version_is_told_whatever_else_it_holds(tmp_path):
    (tmp_path / "run.json").write_text('{"schema_id": "metarag-run/3", "rankings": []}', encoding="utf-8")
    with pytest.raises(RunFileError, match="metarag-run/3 file; this metarag reads metarag-run/1 and"):
        load_run(tmp_path / "run.json")


def of_version_1(run):
    """Return a run as version 1 wrote it: the answer without what version 2 added."""
    content = json.loads(run.model_dump_json())
    content["schema_id"] = "metarag-run/1"
    added = ("question", "short", "afterword", "raw", "sources", "references", "counts", "prompts", "usage")
    for name in (*added, "degraded"):
        del content["answer"][name]
    for sentence in content["answer"]["sentences"]:
        del sentence["flags"]
    return content


def test_a_run_of_the_version_before_is_read_and_is_of_this_version_from_then_on(tmp_path):
    run = RunRecord.of(ExtractiveGenerator().generate(QUESTION, a_ranking()), now=NOW)
    (tmp_path / "run.json").write_text(json.dumps(of_version_1(run)), encoding="utf-8")
    read = load_run(tmp_path / "run.json")
    assert (read.answer.text, read.answer.citations) == (run.answer.text, run.answer.citations)
    assert (read.answer.question, read.answer.sources, read.answer.usage) == (None, (), ())
    save_run(read, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["schema_id"] == "metarag-run/2"


def test_a_run_keeps_all_that_an_answer_carries(tmp_path):
    run = RunRecord.of(ExtractiveGenerator().generate(QUESTION, a_ranking()), now=NOW)
    save_run(run, tmp_path / "run.json")
    answer = load_run(tmp_path / "run.json").answer
    assert answer.question == QUESTION
    assert [source.citation for source in answer.sources] == ["1", "2"]
    assert [reference.number for reference in answer.references] == [1, 2]


def test_a_run_whose_answer_cites_what_is_not_included_is_refused(tmp_path):
    content = json.loads(
        RunRecord.of(ExtractiveGenerator().generate(QUESTION, a_ranking())).model_dump_json()
    )
    content["answer"]["citations"].append("3")
    (tmp_path / "run.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(RunFileError, match="cites 3, which is not included"):
        load_run(tmp_path / "run.json")


def test_brackets_without_end_are_no_run(tmp_path):
    (tmp_path / "run.json").write_text('{"a": ' + "[" * 100_000, encoding="utf-8")
    with pytest.raises(RunFileError, match="is not a run file"):
        load_run(tmp_path / "run.json")


def spoil_evidence(content):
    content["ranking"]["evidence"].append(content["ranking"]["evidence"][0])


def spoil_identified(content):
    content["ranking"]["audit"]["identified"].append("pmid:99")


def spoil_decisions(content):
    audit = content["ranking"]["audit"]
    audit["decisions"] = [d for d in audit["decisions"] if d["key"] != "pmid:1"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_evidence, "is in the ranking twice"),
        (spoil_identified, "pmid:99 was identified but is not in the ranking"),
        (spoil_decisions, "pmid:1 has no decision"),
    ],
)
def test_a_run_that_does_not_add_up_is_refused(tmp_path, spoil, message):
    content = json.loads(RunRecord.of(a_ranking(), now=NOW).model_dump_json())
    spoil(content)
    (tmp_path / "run.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(RunFileError, match=message):
        load_run(tmp_path / "run.json")


def test_writing_a_run_through_a_link_replaces_the_file_it_leads_to(tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "run.json")
    run = RunRecord.of(a_ranking(), now=NOW)
    save_run(run, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert load_run(tmp_path / "run.json") == run
