"""Execute every notebook from top to bottom; a cell that fails fails the run."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

MAX_CELLS = 15

for path in sorted(Path("notebooks").glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    if len(notebook.cells) > MAX_CELLS:
        sys.exit(f"{path} has {len(notebook.cells)} cells; at most {MAX_CELLS}")
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": "notebooks"}}
    ).execute()
    print(f"{path}: {len(notebook.cells)} cells ran")
