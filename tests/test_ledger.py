import json
import os
import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import RunFileError
from metarag.ledger import LEDGER, record, verify

NOW = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


def a_folder(folder, *names):
    for number, name in enumerate(names or ("a.json", "b.json", "c.json")):
        (folder / name).write_text(json.dumps({"run": number}), encoding="utf-8")
        record(folder / name, f"run-{number}", now=NOW)
    return folder


def problems(folder):
    return [str(fault) for fault in verify(folder).faults]


def test_runs_as_they_were_written_have_no_faults(tmp_path):
    found = verify(a_folder(tmp_path))
    assert (found.runs, found.faults) == (3, ())
    assert found.head == json.loads((tmp_path / LEDGER).read_text().splitlines()[-1])["digest"]


def test_each_byte_of_the_ledger_counts(tmp_path):
    a_folder(tmp_path)
    whole = (tmp_path / LEDGER).read_bytes()
    for place in range(len(whole)):
        for other in (b" ", b"\n", b"\r", b"0", b"x"):
            changed = whole[:place] + other + whole[place + 1 :]
            if changed != whole:
                (tmp_path / LEDGER).write_bytes(changed)
                assert verify(tmp_path).faults, place
    (tmp_path / LEDGER).write_bytes(whole[:-1])
    assert verify(tmp_path).faults


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_one_changed_byte_is_found_wherever_it_is(tmp_path_factory, data):
    folder = a_folder(tmp_path_factory.mktemp("runs"))
    path = folder / data.draw(st.sampled_from(["a.json", "b.json", "c.json", LEDGER]))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = (content[place] + data.draw(st.integers(1, 255))) % 256
    path.write_bytes(bytes(content))
    assert verify(folder).faults


def test_a_changed_run_is_named(tmp_path):
    a_folder(tmp_path)
    (tmp_path / "b.json").write_text("{}")
    assert problems(tmp_path) == ["b.json: was changed after run run-1 had written it"]


def test_a_deleted_and_a_foreign_run_are_named(tmp_path):
    a_folder(tmp_path)
    (tmp_path / "a.json").rename(tmp_path / "z.json")
    assert problems(tmp_path) == [
        "a.json: is missing; run run-0 was recorded 2025-01-02",
        "z.json: is not in the ledger",
    ]


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2), (1, 2), (0, 1, 1, 2)])
def test_lines_in_another_order_missing_or_doubled_break_the_chain(tmp_path, order):
    a_folder(tmp_path)
    lines = (tmp_path / LEDGER).read_text().splitlines(keepends=True)
    (tmp_path / LEDGER).write_text("".join(lines[i] for i in order))
    assert any("does not follow" in problem for problem in problems(tmp_path))


def test_a_line_that_was_changed_with_its_digest_left_is_named(tmp_path):
    a_folder(tmp_path)
    text = (tmp_path / LEDGER).read_text()
    (tmp_path / LEDGER).write_text(text.replace('"run-1"', '"run-9"'))
    assert f"{LEDGER} line 2: was changed" in problems(tmp_path)


def test_a_run_written_again_is_what_its_last_line_says(tmp_path):
    a_folder(tmp_path, "a.json", "a.json")
    assert verify(tmp_path).faults == ()
    assert verify(tmp_path).runs == 1


def test_a_damaged_line_is_named_and_the_next_run_can_still_be_recorded(tmp_path):
    a_folder(tmp_path)
    with (tmp_path / LEDGER).open("a") as ledger:
        ledger.write("half a li")
    (tmp_path / "d.json").write_text("{}")
    record(tmp_path / "d.json", "run-4")
    assert f"{LEDGER} line 4: is damaged" in problems(tmp_path)
    assert not any("d.json" in problem for problem in problems(tmp_path))


def test_many_writers_at_once_make_one_chain(tmp_path):
    def write(number):
        path = tmp_path / f"{number}.json"
        path.write_text("{}")
        record(path, str(number))

    threads = [threading.Thread(target=write, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = verify(tmp_path)
    assert (found.runs, found.faults) == (12, ())


def test_a_folder_without_a_ledger_is_told_so(tmp_path):
    with pytest.raises(RunFileError, match="no ledger"):
        verify(tmp_path)


def test_a_line_that_a_crash_cut_off_is_one_fault_and_the_chain_goes_on(tmp_path):
    a_folder(tmp_path)
    whole = (tmp_path / LEDGER).read_bytes()
    (tmp_path / LEDGER).write_bytes(whole[:-20])
    (tmp_path / "d.json").write_text("{}")
    record(tmp_path / "d.json", "run-4")
    assert problems(tmp_path) == [f"{LEDGER} line 3: is damaged", "c.json: is not in the ledger"]


def test_a_lock_that_a_dead_process_left_behind_stops_nobody(tmp_path):
    (tmp_path / "ledger.lock").write_text("")
    assert verify(a_folder(tmp_path)).faults == ()


def test_a_lock_that_is_held_for_too_long_is_told(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="only Unix has it")
    monkeypatch.setattr("metarag.ledger._LOCK_SECONDS", 0.05)
    with (tmp_path / "ledger.lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        (tmp_path / "a.json").write_text("{}")
        with pytest.raises(RunFileError, match="another process has held it"):
            record(tmp_path / "a.json", "run")
    assert record(tmp_path / "a.json", "run").number == 1


@pytest.mark.parametrize("name", ["/dev/zero", "../a.json", "b/a.json", "a\\\\b.json"])
def test_a_line_that_names_a_file_elsewhere_is_damaged_and_the_file_is_not_read(tmp_path, name):
    a_folder(tmp_path)
    text = (tmp_path / LEDGER).read_text()
    (tmp_path / LEDGER).write_text(text.replace('"a.json"', f'"{name}"'))
    assert f"{LEDGER} line 1: is damaged" in problems(tmp_path)


def test_a_pipe_in_the_place_of_a_run_is_a_fault_and_nobody_waits_for_it(tmp_path):
    a_folder(tmp_path)
    (tmp_path / "b.json").unlink()
    os.mkfifo(tmp_path / "b.json")
    assert problems(tmp_path) == ["b.json: is no file any more"]


def test_a_folder_in_the_place_of_the_ledger_is_no_ledger(tmp_path):
    (tmp_path / LEDGER).mkdir()
    with pytest.raises(RunFileError, match="no ledger"):
        verify(tmp_path)


def test_a_clock_that_went_backwards_breaks_no_chain(tmp_path):
    for number, year in enumerate((2026, 2020, 2023)):
        (tmp_path / f"{number}.json").write_text("{}")
        record(tmp_path / f"{number}.json", str(number), now=datetime(year, 1, 1, tzinfo=UTC))
    assert verify(tmp_path).faults == ()
