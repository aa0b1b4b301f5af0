"""A folder of run files in whatever state it is found."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest
from report_builders import run_of, trial

from metarag.errors import RunFileError
from metarag.reruns import Changes, rerun
from metarag.run_folder import find_parent, find_run, is_file, keep_run, read_head, stored_runs
from metarag.runs import load_run, save_run

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def template():
    return run_of([trial(n, -0.3) for n in (1, 2)])


@pytest.fixture
def folder(tmp_path, template):
    save_run(template, tmp_path / f"{template.id}.json")
    return tmp_path


def variant(folder, template, name, **changes):
    content = json.loads(template.model_dump_json()) | changes
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder / name


def test_a_run_under_another_name_is_found_by_its_id(folder, template):
    (folder / f"{template.id}.json").rename(folder / "demo.json")
    assert find_run(template.id, folder) == find_run("demo", folder) == folder / "demo.json"


def test_a_list_needs_the_head_of_a_run_only(folder, template):
    (stored,) = stored_runs(folder)
    assert (stored.run.id, stored.run.kept, stored.run.left_out) == (template.id, 2, 0)
    assert stored.run.question == template.ranking.audit.question.text
    assert stored.run.parent is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"schema_id": "metarag-run/2"}',
     b'{"schema_id": "metarag-run/2", "ranking": 3}',
     b'{"schema_id": "metarag-run/2", "ranking": {"audit": {"question": {"text": "x"}}, "evidence": "ab"}}'],
    ids=["empty", "cut", "list", "null", "bytes", "deep", "nothing", "number", "text"],
)  # fmt: skip
def test_a_damaged_file_is_told_and_hides_no_other(folder, content):
    (folder / "damaged.json").write_bytes(content)
    first, last = stored_runs(folder)
    assert first.run is not None
    assert last.run is None
    assert "damaged.json" in last.problem


def test_a_time_without_a_zone_is_in_utc_and_can_be_compared(folder, template):
    path = variant(folder, template, "naive.json", created_at="2020-01-01T00:00:00", id="naive")
    assert load_run(path).created_at == datetime(2020, 1, 1, tzinfo=UTC)
    assert [each.path.stem for each in stored_runs(folder)] == [template.id, "naive"]


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_a_time_beyond_all_calendars_is_damage_and_no_traceback(folder, template, moment):
    path = variant(folder, template, "odd.json", created_at=moment)
    assert "created_at" in read_head(path).problem
    with pytest.raises(RunFileError, match="created_at"):
        load_run(path)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", 'a\r\nSet-Cookie: b="c"', "<script>", "\u202eevil", "", ".hidden", "a" * 101]
)
def test_an_id_that_could_be_a_path_a_header_or_markup_is_no_id(folder, template, name):
    path = variant(folder, template, "odd.json", id=name)
    assert read_head(path).run is None
    with pytest.raises(RunFileError, match="id"):
        load_run(path)


def test_a_newer_version_is_told_by_its_name(folder, template):
    path = variant(folder, template, "newer.json", schema_id="metarag-run/9")
    assert "metarag-run/9" in read_head(path).problem


def test_what_is_no_file_is_no_run(folder):
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    (folder / "loop.json").symlink_to("loop.json")
    (folder / "endless.json").symlink_to("/dev/zero")
    assert len(list(stored_runs(folder))) == 1
    with pytest.raises(RunFileError, match="there is no run"):
        find_run(str(folder / "pipe.json"), folder)


@pytest.mark.parametrize("name", ["a" * 5_000, "a\0b", "\udcff"])
def test_a_name_that_no_file_can_have_is_not_found(folder, name):
    assert not is_file(folder / name)
    with pytest.raises(RunFileError, match="there is no run"):
        find_run(name, folder)


def change(run, **changes):
    return rerun(run, Changes(author="a", note="b", **changes), now=NOW + timedelta(seconds=1))


def test_the_parent_is_found_under_its_id_or_another_name(folder, template):
    child = change(template, exclude=("1",))
    assert find_parent(child, folder) == template
    (folder / f"{template.id}.json").rename(folder / "another.json")
    assert find_parent(child, folder) == template


def test_a_parent_that_was_deleted_or_changed_is_told_so(folder, template):
    child = change(template, exclude=("1",))
    changed = template.model_copy(update={"created_at": NOW - timedelta(days=1)})
    save_run(changed, folder / f"{template.id}.json")
    with pytest.raises(RunFileError, match="is not as it was"):
        find_parent(child, folder)
    (folder / f"{template.id}.json").unlink()
    with pytest.raises(RunFileError, match="is not in"):
        find_parent(child, folder)
    with pytest.raises(RunFileError, match="changes no other run"):
        find_parent(template, folder)


def test_a_file_name_that_the_ledger_cannot_hold_is_refused_before_anything_is_written(tmp_path, template):
    path = tmp_path / "run-\udcff.json"
    with pytest.raises(RunFileError, match="not valid Unicode"):
        keep_run(template, path)
    assert list(tmp_path.iterdir()) == []
