import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import metarag
from metarag import errors

HEAVY = {
    "openai",
    "pandas",
    "statsmodels",
    "scipy",
    "numpy",
    "matplotlib",
    "fastapi",
    "lxml",
    "Bio",
    "typer",
    "rich",
}


def test_importing_metarag_loads_nothing_heavy():
    code = "import json, sys, metarag; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(json.loads(done.stdout))


def test_ranking_loads_no_model_client_and_no_data_frame():
    code = (
        "import json, sys, metarag\n"
        "metarag.rank('Does it work?', [metarag.Article(title='It works')])\n"
        "print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"openai", "pandas", "statsmodels", "matplotlib", "fastapi", "typer"} & set(
        json.loads(done.stdout)
    )


def test_importing_writes_nothing_and_reads_no_environment(tmp_path):
    code = "import metarag, metarag.presets, metarag.retrieval.records_file, metarag.cli"
    for home in ("/proc", "/dev/null"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=tmp_path,
            env={"HOME": home, "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_all_public_names_are_there_and_sorted():
    assert list(metarag.__all__) == sorted(metarag.__all__)
    assert all(getattr(metarag, name) is not None for name in metarag.__all__)
    assert set(metarag.__all__) <= set(dir(metarag))


def test_the_names_for_the_type_checker_are_the_names_that_load():
    tree = ast.parse(Path(metarag.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    declared = {alias.name: node.module for node in block.body for alias in node.names}
    assert declared == metarag._HOMES
    assert set(declared) == set(metarag.__all__) - {"__version__"}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'ranks'"):
        metarag.ranks  # noqa: B018


def test_every_error_stands_in_the_tree_that_is_drawn():
    drawn = errors.__doc__
    classes = [v for v in vars(errors).values() if isinstance(v, type) and v.__module__ == errors.__name__]
    assert len(classes) > 10
    assert all(issubclass(c, errors.MetaragError) and c.__name__ in drawn and c.__doc__ for c in classes)


@pytest.mark.parametrize("name", ["metarag", "metarag.presets"])
def test_examples_in_docstrings_are_true(name):
    import doctest

    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
