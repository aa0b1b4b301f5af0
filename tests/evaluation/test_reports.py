"""Reports: the numbers are those of the results, the warnings stand above them, and no name breaks a format."""

from __future__ import annotations

import csv
import io
import json
import random
import xml.etree.ElementTree as ET

import pytest
from evaluation.result_builders import make_cell, make_result, make_signature

from metarag.errors import InputError
from metarag.evaluation.report_figure import accuracy_figure
from metarag.evaluation.report_formats import csv_text, json_text, latex, markdown
from metarag.evaluation.reports import build_report
from metarag.evaluation.signature import ModelSignature

RESULTS = [
    *make_cell("++--?-+-", system="closed_book", calls=1, seconds=2.0),
    *make_cell("++++?-+-", system="recommended", calls=4, evidence=("pmid:1", "pmid:2"), input_tokens=900),
]
SIGNATURE = make_signature(items=8)
FORMATS = (markdown, csv_text, latex, json_text, accuracy_figure)


def report(results=RESULTS, signature=SIGNATURE, baseline="closed_book", **options):
    return build_report(results, signature=signature, baseline=baseline, resamples=200, **options)


def test_cells_and_comparisons_have_the_numbers_of_the_results():
    found = report()
    assert [(cell.system, cell.accuracy) for cell in found.cells] == [
        ("closed_book", 3 / 8),
        ("recommended", 5 / 8),
    ]
    (comparison,) = found.comparisons
    assert comparison.paired.difference == pytest.approx(0.25)
    assert comparison.paired.gained == ("q003", "q004")
    assert comparison.paired.p_value == pytest.approx(0.5)
    assert comparison.p_holm == comparison.paired.p_value
    assert found.warnings == ()


@pytest.mark.parametrize("write", FORMATS, ids=lambda f: f.__name__)
def test_the_same_results_in_any_order_give_the_same_bytes(write):
    shuffled = random.Random(4).sample(RESULTS, len(RESULTS))
    assert write(report(shuffled)) == write(report())


def test_holm_adjusts_over_all_comparisons_of_the_report():
    worse = make_cell("--------", system="reversed")
    signature = make_signature(items=8, systems=("closed_book", "recommended", "reversed"))
    first, second = report([*RESULTS, *worse], signature).comparisons
    assert (first.paired.p_value, second.paired.p_value) == (0.5, 0.25)
    assert (first.p_holm, second.p_holm) == (0.5, 0.5)


def test_what_is_missing_or_failed_is_warned_of():
    results = [*make_cell("+-!+--+", system="closed_book"), *make_cell("+-++--++", system="recommended")]
    warnings = report(results).warnings
    assert any("7 of 8 answers are there" in warning for warning in warnings)
    assert any("1 of 7 calls failed" in warning for warning in warnings)
    assert any("7 common items; 1 answers are in one of the two only" in warning for warning in warnings)


def test_copies_of_questions_are_counted_in_a_warning():
    results = [make_result("q1", cluster="x"), make_result("q2", cluster="x")]
    assert "d: 1 questions are copies of others" in report(results, make_signature(items=2), None).warnings


def test_without_results_or_without_the_baseline_there_is_no_report():
    with pytest.raises(InputError, match="no results to report"):
        report([])
    with pytest.raises(InputError, match="baseline 'plain'; there are closed_book, recommended"):
        report(baseline="plain")


def test_markdown_has_intervals_outcomes_tests_and_the_signature():
    text = markdown(report())
    assert "| d | m | closed_book | 8 | 1 | 37.5 [13.7, 69.4] | 42.9 | 1 | 0 | 0 |" in text
    assert "+25.0 [" in text
    # (1.96 + 0.84) sqrt((2 / 8) / 8): two discordant items of eight.
    assert "| 2 / 0 | 49.5 | 0.500 | 0.500 |" in text
    assert SIGNATURE.fingerprint in text
    assert "unknown" in text, "tokens of one call are not known"


def test_confidences_are_shown_where_there_are_any():
    sure = make_cell("+++-", system="recommended", confidence=0.75)
    found = report([*make_cell("++--", system="closed_book"), *sure], make_signature(items=4))
    assert [(c.system, c.found.n) for c in found.calibrations] == [("recommended", 4)]
    text = markdown(found)
    assert "| d | m | recommended | 4 | 0 | 0.188 | 0.000 |" in text
    rows = list(csv.DictReader(io.StringIO(csv_text(found))))
    assert [row["brier"] for row in rows] == ["", "0.1875"]
    assert "Brier" not in markdown(report())


def numbered(*systems, **cells):
    signature = make_signature(items=4, systems=systems, models=(ModelSignature(name="m"),))
    settings = {s: {"order": s.partition("@")[0], "top_n": int(s.partition("@")[2] or 4)} for s in systems}
    results = [r for system, pattern in cells.items() for r in make_cell(pattern, system=system)]
    return results, signature.model_copy(update={"systems": settings})


def test_the_best_of_several_numbers_of_articles_is_warned_of():
    results, signature = numbered(
        "plain@1", "plain@2", "recommended@1", "closed_book",
        **{"plain@1": "+---", "plain@2": "+++-", "recommended@1": "++--", "closed_book": "----"},
    )  # fmt: skip
    (warning,) = report(results, signature).warnings
    assert "plain@1, plain@2 differ in nothing but the number of articles" in warning
    assert "(plain@2, 75.0%)" in warning
    assert "their mean is 50.0%" in warning
    assert f"- **Warning:** {warning}" in markdown(report(results, signature))


def test_a_baseline_of_several_numbers_is_compared_with_by_number():
    names = ("plain@1", "plain@2", "recommended@1", "recommended@2", "recommended@3")
    results, signature = numbered(*names, **dict.fromkeys(names, "+-+-"))
    found = report(results, signature, "plain")
    assert [(c.system, c.baseline) for c in found.comparisons] == [
        ("recommended@1", "plain@1"),
        ("recommended@2", "plain@2"),
    ]
    one = report([r for r in results if r.system != "plain@2"], signature, "plain")
    assert [(c.system, c.baseline) for c in one.comparisons] == [
        (f"recommended@{n}", "plain@1") for n in (1, 2, 3)
    ]


def test_several_seeds_show_their_spread():
    runs = [*make_cell("++--", seed=1), *make_cell("+---", seed=2)]
    text = markdown(report(runs, make_signature(items=4, systems=("s",)), None))
    assert "1: 50.0, 2: 25.0; standard deviation 17.7" in text


def test_csv_holds_raw_numbers():
    rows = list(csv.DictReader(io.StringIO(csv_text(report()))))
    assert [row["system"] for row in rows] == ["closed_book", "recommended"]
    assert float(rows[0]["accuracy"]) == pytest.approx(3 / 8)
    assert rows[0]["baseline"] == ""
    assert float(rows[1]["difference"]) == pytest.approx(0.25)
    assert (rows[1]["gained"], rows[1]["lost"], rows[1]["calls"]) == ("2", "0", "32")
    assert rows[0]["input_tokens"] == ""
    assert rows[1]["fingerprint"] == SIGNATURE.fingerprint


def test_a_negative_difference_stays_a_number_in_the_csv():
    text = csv_text(report(baseline="recommended"))
    (row,) = [row for row in csv.DictReader(io.StringIO(text)) if row["baseline"]]
    assert float(row["difference"]) == pytest.approx(-0.25)


def test_json_is_the_whole_report_with_the_whole_signature():
    found = json.loads(json_text(report()))
    assert found["cells"][0]["outcomes"] == {
        "correct": 3,
        "wrong": 4,
        "unreadable": 1,
        "refused": 0,
        "error": 0,
    }
    assert found["comparisons"][0]["paired"]["lost"] == []
    assert found["signature"]["systems"]["recommended"] == {"order": "recommended", "top_n": 4}
    assert found["fingerprint"] == SIGNATURE.fingerprint


HOSTILE = '=HYPERLINK("x") [a](http://x) | <script>&_%$#{}~^\\ \n\x1b[31m `a`'


def hostile():
    results = [r.model_copy(update={"system": HOSTILE, "model": HOSTILE}) for r in make_cell("+-+-")]
    return report(results, make_signature(items=4, systems=(HOSTILE,)), None)


def test_no_name_breaks_out_of_a_markdown_cell():
    (line,) = [
        line for line in markdown(hostile()).splitlines() if "HYPERLINK" in line and line.startswith("|")
    ]
    assert line.replace("\\|", "").count("|") == 16
    assert "<script>" not in line.replace("\\<", "")
    assert "](" not in line
    assert "\x1b" not in line


def test_no_name_is_a_formula_in_the_csv():
    (row,) = csv.DictReader(io.StringIO(csv_text(hostile())))
    assert row["system"].startswith("'=")


def test_no_name_is_a_command_in_the_latex():
    (line,) = [
        line for line in latex(hostile()).splitlines() if "HYPERLINK" in line and not line.startswith("%")
    ]
    assert r"\&\_\%\$\#\{\}" in line
    assert line.endswith(r"\\")


def test_the_figure_is_well_formed_says_what_it_shows_and_runs_no_script():
    for found in (report(), hostile()):
        root = ET.fromstring(accuracy_figure(found))
        assert root.attrib["role"] == "img"
        assert not [node for node in root.iter() if node.tag.endswith("script")]
    text = accuracy_figure(report())
    assert "d, m, recommended: 62.5 (30.6 to 86.3)" in text
    assert "62.5 [30.6, 86.3]" in text


def test_the_marks_of_the_figure_stand_where_the_numbers_say():
    root = ET.fromstring(accuracy_figure(report()))
    squares = [node for node in root.iter() if node.tag.endswith("polygon")]
    centres = []
    for node in squares:
        xs = [float(pair.split(",")[0]) for pair in node.attrib["points"].split()]
        centres.append((min(xs) + max(xs)) / 2)
    zero, hundred = 220.0, 580.0
    assert centres == pytest.approx([zero + (hundred - zero) * share for share in (3 / 8, 5 / 8)], abs=0.01)
