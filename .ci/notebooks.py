"""Execute every notebook from top to bottom and compare what it shows with the outputs that are committed.

A cell that fails fails the run, and so does one that shows something else now: `.ci/notebooks.py --write` keeps the new
outputs, for a person to look at. A cell with the tag `varies` (what it shows depends on what is installed) is executed
and not compared. Of a rich output only the richest form is kept: the text beside a page of HTML is the same again.
"""

import difflib
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

MAX_CELLS = 15
RICHEST_FIRST = ("image/svg+xml", "text/html", "text/markdown", "text/plain")


def executed(path: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    if len(notebook.cells) > MAX_CELLS:
        sys.exit(f"{path} has {len(notebook.cells)} cells; at most {MAX_CELLS}")
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": "notebooks"}},
    ).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            kept = next((form for form in RICHEST_FIRST if form in output.get("data", {})), None)
            if kept:
                output["data"] = {kept: output["data"][kept]}
    return notebook


def steady(text: str) -> str:
    """Return the text with what may differ from machine to machine, or changes with every change of code, cut short."""
    text = re.sub(r"code:[0-9a-f]{12}", "code:", text)
    return re.sub(r"\d+\.\d{8,}", lambda number: f"{float(number[0]):.6g}", text)


def shown(notebook: Any) -> list[str]:
    """Return what a reader sees below the cells, line by line, without what may vary."""
    lines = []
    for number, cell in enumerate(notebook.cells):
        if "varies" in cell.metadata.get("tags", []):
            continue
        for output in cell.get("outputs", []):
            text = output.get("text") or "".join(output.get("data", {}).values())
            lines += [f"cell {number}: {line}" for line in steady(text).splitlines()]
    return lines


stale = []
for path in sorted(Path("notebooks").glob("*.ipynb")):
    notebook, before = executed(path), nbformat.read(path, as_version=4)
    print(f"{path}: {len(notebook.cells)} cells ran")
    if "--write" in sys.argv:
        nbformat.write(notebook, path)
    elif shown(notebook) != shown(before):
        stale.append(str(path))
        for line in list(difflib.unified_diff(shown(before), shown(notebook), "committed", "now", n=0))[:40]:
            print(line[:200].rstrip())
if stale:
    sys.exit(f"not what is committed: {', '.join(stale)}; look, then run .ci/notebooks.py --write")
