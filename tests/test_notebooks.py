"""The notebooks as they are committed; `.ci/notebooks.py` executes them and compares their outputs."""

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NAMES = ("01_quickstart", "02_audit", "03_heterogeneity", "04_evaluation", "05_in_your_rag_stack")
MACHINE = re.compile(r"(?<![\w.])/(?:home|root|tmp|Users|work|var|opt)/|\b[A-Z]:\\|site-packages")


def cells(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


def test_all_of_them_are_there():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_was_executed_from_top_to_bottom_without_an_error(name):
    code = [cell for cell in cells(name) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not [o for cell in code for o in cell["outputs"] if o["output_type"] == "error"]
    assert sum(bool(cell["outputs"]) for cell in code) > len(code) / 2


@pytest.mark.parametrize("name", NAMES)
def test_it_is_short_has_no_logic_of_its_own_and_tells_no_machine(name):
    found = cells(name)
    assert len(found) <= 15
    for cell in found:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            assert not re.search(r"^\s*(?:def|class|while|try)\b", source, re.MULTILINE)
        assert not MACHINE.search(json.dumps(cell))
