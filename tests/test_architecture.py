"""Which module may import what. Fails with the offending import, not with a theory."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "metarag"

# From the inside out; a module imports its own layer and those before it.
LAYERS = (
    ("_version", "cache_file", "collection", "errors", "files", "per_process"),
    ("records", "spans", "pico_types", "reported_facts", "stems", "folded_words", "unchecked", "types",
     "option_models", "written_yaml"),
    ("audit",),
    ("resources", "hierarchy", "level_table", "meta_*", "effect_*", "outcome_*", "direction*",
     "evidence_levels", "evidence_level_*", "study_design", "design_*", "indexing", "retraction*", "record_copies",
     "relevance", "names", "sentences", "question_kind", "sample_size", "sample_size_text", "number_words",
     "literals", "foreign_words", "study_names", "word_facts", "word_kinds",
     "reporting_checks", "reported_*", "pico", "pico_*", "prompts", "llm", "choices"),
    ("appraisal",),
    ("stages", "scoring", "pooling", "study_links", "comparison_keys", "other_treatments",
     "asked_treatment", "joined_treatment", "unspoken_words", "stopped_treatment", "result_*", "results",
     "rule_stances", "paper_method", "paper_questions", "heterogeneity_*", "stances",
     "reliability_terms", "model_*", "person_stages"),
    ("pipeline",),
    ("written_settings", "config", "presets", "retrieval", "agreement", "generation", "report", "runs", "ledger",
     "run_folder"),
    ("rag", "ablation", "reruns"),
    ("cli", "cli_*", "server", "evaluation", "adapters", "__main__", "__init__"),
)  # fmt: skip

# Each third party has one home, so that it can be replaced or left out in one place.
HOMES = {
    "openai": ("llm.openai",),
    "Bio": ("retrieval.medline",),
    "lxml": ("retrieval",),
    "httpx": ("retrieval",),
    "sqlite3": ("cache_file", "retrieval", "llm.cache"),
    "tantivy": ("retrieval.tantivy_",),
    "yaml": ("evidence_levels", "evidence_level_loader", "written_yaml"),
    "statsmodels": ("effect_sizes",),
    "scipy": ("meta_",),
    "typer": ("cli",),
    "jinja2": ("report", "server"),
    "markupsafe": ("report", "server"),
    "rispy": ("report.export_ris",),
    "matplotlib": ("report.export_png",),
    "rich": ("cli",),
}

# A notebook asks the object itself how it looks.
DISPLAY = {("pipeline", "metarag.report.notebook")}

MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__" or len(parts) == 1)


def layer(module):
    head = module.removeprefix("metarag").lstrip(".").split(".")[0] or "__init__"
    for number, names in enumerate(LAYERS):
        if any(head == name or (name.endswith("*") and head.startswith(name[:-1])) for name in names):
            return number
    raise AssertionError(f"{module} stands in no layer; add it to LAYERS where it belongs")


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_inwards(path):
    here = name_of(path)
    if here == "__init__":
        return  # its imports are for the type checker only; test_public_api holds it
    for target in imports(path):
        if target.startswith("metarag.") and (here, target) not in DISPLAY:
            assert layer(target) <= layer(here), f"{here} imports {target}"
            if here.startswith("stages.") and target.startswith("metarag.stages."):
                assert target in {
                    "metarag.stages.asking",
                    "metarag.stages.base",
                    "metarag.stages.registry",
                }, f"{here} imports {target}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_third_parties_have_one_home(path):
    here = name_of(path)
    for target in imports(path):
        homes = HOMES.get(target.split(".")[0])
        if homes:
            assert any(here == h or here.startswith(h) for h in homes), (
                f"{here} imports {target}; its home is {homes}"
            )


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_outgrows_a_reader(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
