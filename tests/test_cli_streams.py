"""The command line between pipes, full disks and closed streams, as the process that it is."""

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from builders import make_article

COMMAND = [sys.executable, "-m", "metarag"]
QUESTION = "Does zinc cure fever?"


def start(*args, **streams):
    return subprocess.run([*COMMAND, *map(str, args)], timeout=60, check=False, **streams)


@pytest.fixture
def many():
    return b"".join(
        f'{{"pmid": "{n}", "title": "Zinc for fever, study {n}"}}\n'.encode() for n in range(1, 201)
    )


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("packed", [False, True])
def test_records_from_standard_input_are_all_read(many, name, packed, tmp_path):
    data = gzip.compress(many) if packed else many
    done = start("rank", QUESTION, "--input", name, input=data, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0
    assert b"200 records read." in done.stderr


def test_standard_input_without_a_record_is_called_by_its_name(tmp_path):
    done = start("rank", QUESTION, "--input", "-", input=b"", cwd=tmp_path, capture_output=True)
    assert done.returncode == 1
    assert b"standard input is empty" in done.stderr


@pytest.mark.parametrize(
    "args", [("levels",), ("ask", "Does magnesium reduce mortality?"), ("ask", "Zinc?", "--json")]
)
def test_a_reader_that_closes_early_is_no_error(args, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stream:
        done = start(*args, stdout=stream, stderr=subprocess.PIPE, cwd=tmp_path)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "2>closed pipe"])
def test_a_closed_stderr_does_not_lose_the_result(closed, records, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    command = [*COMMAND, "rank", QUESTION, "--input", str(records), "--json"]
    if closed == "2>&-":
        command = ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *command]
    with os.fdopen(writing, "wb") as stream:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=stream, cwd=tmp_path, timeout=60, check=False
        )
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema_id"] == "metarag-run/2"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("args", [("levels",), ("--version",), ("rank", QUESTION, "--input", "-", "--json")])
def test_a_full_disk_behind_stdout_is_one_message(args, many, tmp_path):
    with Path("/dev/full").open("wb") as full:
        done = start(*args, input=many, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path)
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_terminal_without_the_characters_gets_their_numbers_and_json_stays_json(tmp_path):
    article = make_article(pmid="1", title="Zinc for fièvre ≥ 38 °C 🌡")
    data = article.model_dump_json().encode()
    env = {"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii"}
    text, as_json = (
        start("rank", QUESTION, "--input", "-", *more, input=data, cwd=tmp_path, capture_output=True, env=env)
        for more in ((), ("--json",))
    )
    assert text.returncode == as_json.returncode == 0
    assert rb"fi\xe8vre" in text.stdout
    assert json.loads(as_json.stdout)["ranking"]["evidence"][0]["article"]["title"] == article.title


def test_a_file_whose_name_is_no_unicode_can_be_ranked_and_explained(tmp_path):
    name = tmp_path / os.fsdecode(b"\xff.jsonl")
    name.write_text('{"pmid": "1", "title": "Zinc"}\n{broken\n', encoding="utf-8")
    done = start("rank", QUESTION, "--input", name, "--out", "r.json", cwd=tmp_path, capture_output=True)
    assert done.returncode == 0
    assert b"record 2" in done.stderr


def test_nothing_heavy_is_imported_before_interrupts_are_handled():
    heavy = "{'pydantic', 'rich', 'typer', 'numpy'}"
    code = f"import sys, metarag.__main__; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


INTERRUPTED_IMPORT = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *_):
        if name == "metarag.cli":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from metarag.cli_entry import main
main()
"""


def test_an_interrupt_during_the_imports_ends_like_any_other():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, "levels"],
        capture_output=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 130
    assert b"interrupted" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_pipe_that_nobody_reads_is_no_place_for_a_run_and_stays(records, tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    done = start("rank", QUESTION, "--input", records, "--out", fifo, cwd=tmp_path, capture_output=True)
    assert done.returncode == 1
    assert b"cannot be written" in done.stderr
    assert fifo.is_fifo()
