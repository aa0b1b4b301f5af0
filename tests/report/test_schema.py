import json

from report_builders import run_of, trial

from metarag.report.schema import PUBLISHED, render_schema, run_schema
from metarag.resources import data_file
from metarag.runs import SCHEMA


def test_the_published_schema_is_that_of_this_version():
    published = data_file(PUBLISHED).read_text(encoding="utf-8")
    assert published == render_schema(), f"write it again: metarag audit schema > data/{PUBLISHED}"


def test_the_schema_carries_the_version_of_the_format():
    assert run_schema()["$id"] == f"urn:metarag:{SCHEMA}"
    assert run_schema()["properties"]["schema_id"]["default"] == SCHEMA


def test_every_field_of_a_run_is_described():
    schema = run_schema()

    def check(value, described):
        while "$ref" in described:
            described = schema["$defs"][described["$ref"].rpartition("/")[2]]
        if "anyOf" in described:
            options = [d for d in described["anyOf"] if d.get("type") != "null"]
            if value is not None and len(options) == 1:
                check(value, options[0])
        elif isinstance(value, dict) and "properties" in described:
            assert set(value) <= set(described["properties"])
            assert set(described.get("required", ())) <= set(value)
            for name, inner in value.items():
                check(inner, described["properties"][name])
        elif isinstance(value, list) and "items" in described:
            for inner in value:
                check(inner, described["items"])

    run = run_of([trial(1, -0.3), trial(2, -0.2)])
    check(json.loads(run.model_dump_json()), schema)
