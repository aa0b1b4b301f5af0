"""What several test files of the command line share."""

import sys
from dataclasses import dataclass

import pytest
from builders import make_article

from metarag.cli_entry import main


@dataclass
class Done:
    """What a finished command leaves: as subprocess.CompletedProcess."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def metarag(tmp_path, monkeypatch, capsys):
    """Run a command in this process: the same entry point, without paying for a new interpreter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*args, columns="160"):
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setattr(sys, "argv", ["metarag", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        return Done(int(stop.value.code or 0), shown.out, shown.err)

    return run


@pytest.fixture
def records(tmp_path):
    articles = [
        make_article(
            pmid="1",
            title="Zinc for fever",
            types=("Randomized Controlled Trial",),
            abstract="Zinc did not cure fever.",
        ),
        make_article(pmid="2", title="Zinc and fever: a case", types=("Case Reports",)),
        make_article(
            pmid="3", title="Zinc", types=("Retracted Publication",), corrections=(("RetractionIn", "9"),)
        ),
    ]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(a.model_dump_json() + "\n" for a in articles), encoding="utf-8")
    return path
