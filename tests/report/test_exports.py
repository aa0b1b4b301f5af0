import csv
import io
import re
from datetime import UTC, datetime

import pytest
import rispy
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st
from report_builders import QUESTION, rank_of, run_of, trial

from metarag.audit import Override, Verdict
from metarag.errors import InputError
from metarag.presets import rank
from metarag.records import Article, Author, Journal, PartialDate
from metarag.report.export_bibtex import escaped, render_bibtex, unique_keys
from metarag.report.export_csv import render_csv, safe_cell
from metarag.report.export_ris import render_ris
from metarag.report.formats import SUFFIXES, ExportOptions, export
from metarag.retrieval.ris import read_ris
from metarag.runs import RunRecord

HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(1)",
    '"=1+1"',
    "p;=1+1",
)
FORMULA = re.compile(r"(?:^|;)[\s\"]*[=+\-@＝＋－＠]")
FORGED = "Zinc\r\nER  - \r\nTY  - JOUR\r\nTI  - Forged\u2028AN  - 99\x85x"


def rows_of(run, **options):
    text = render_csv(run, **options).encode().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def a_run(*articles):
    return run_of([*articles, make_article(pmid="9", types=("Retracted Publication",))])


def test_the_table_has_a_row_for_every_article_with_its_reason():
    run = a_run(trial(1, -0.3), trial(2, -0.2))
    kept, second, out = rows_of(run)
    assert (kept["rank"], second["rank"], out["rank"]) == ("1", "2", "")
    assert out["verdict"] == "left out"
    assert out["reason_code"] == "eligibility.retracted"
    assert out["reason"].startswith("Retracted")
    assert out["retraction"] == "retracted"
    assert kept["cited_in_answer"] == "yes"
    assert float(kept["score"]) == pytest.approx(run.ranking[0].score, abs=5e-5)
    assert kept["intervention"] == "match: zinc"
    assert kept["link"] == f"https://pubmed.ncbi.nlm.nih.gov/{kept['pmid']}/"
    assert len(rows_of(run, kept_only=True)) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_is_a_formula(text):
    article = make_article(
        pmid="1", title=text, authors=(Author(collective=text),), journal=Journal(title=text)
    )
    row = rows_of(run_of([article]))[0]
    for column in ("title", "authors", "journal"):
        assert not FORMULA.search(row[column])
        assert row[column].replace("'", "") == " ".join(text.replace("'", "").split())


@given(st.text())
def test_a_safe_cell_is_no_formula_and_one_line(text):
    cell = safe_cell(text)
    assert not FORMULA.search(cell)
    assert cell.isprintable() or not set("\t\r\n\x00") & set(cell)


def test_an_override_is_in_the_table():
    ranking = rank_of([trial(1, -0.3)])
    override = Override(
        key="pmid:1",
        verdict=Verdict.INCLUDED,
        author="=Doe",
        reason="Right dose",
        timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    )
    audit = ranking.audit.model_copy(update={"overrides": (override,)})
    run = RunRecord.of(ranking.model_copy(update={"audit": audit}))
    assert rows_of(run)[0]["override"] == "included by =Doe: Right dose"


def reference_article():
    return make_article(
        pmid="7",
        title="Zinc: 100 % of {braces} & 5 $ in a_b #1 ~ ^ \\ done",
        doi="10.1000/x_y(1)<2>",
        authors=(
            Author(last="Müller", fore="Jörg", initials="J"),
            Author(last="Doe", initials="AB"),
            Author(collective="Zinc and Fever Group"),
        ),
        journal=Journal(
            title="Invented Journal",
            abbreviation="Inv J",
            volume="12",
            issue="3",
            pages="557-62",
            issn="1234-5678",
        ),
        print_date=PartialDate(year=2001, month=5),
        languages=("eng",),
        keywords=("zinc", "fever"),
    )


def test_references_read_back_by_rispy_and_by_our_reader_as_they_were():
    article = reference_article()
    run = a_run(article)
    text = render_ris(run)
    first, second = rispy.loads(text)
    assert first["authors"] == ["Müller, Jörg", "Doe, A. B.", "Zinc and Fever Group"]
    assert (first["start_page"], first["end_page"], first["year"]) == ("557", "62", "2001")
    assert first["notes"][0].startswith(f"metarag run {run.id}: rank 1 of 1, score")
    assert second["notes"][0].startswith(f"metarag run {run.id}: left out. Retracted")
    read = [record for record in read_ris(text.encode()) if isinstance(record, Article)]
    assert len(read) == 2
    back = read[0]
    assert (back.pmid, back.doi, back.title, back.year) == (article.pmid, article.doi, article.title, 2001)
    assert [a.short_name for a in back.authors] == ["Müller J", "Doe AB", "Zinc and Fever Group"]
    assert back.keywords == article.keywords
    assert len(list(read_ris(render_ris(run, kept_only=True).encode()))) == 1


@pytest.mark.parametrize("field", ["title", "abstract", "author", "journal", "keyword", "doi"])
def test_no_value_can_forge_a_record(field):
    values = {
        "title": {"title": FORGED},
        "abstract": {"abstract": FORGED},
        "author": {"authors": (Author(last=FORGED, fore=FORGED),)},
        "journal": {"journal": Journal(title=FORGED, volume=FORGED, pages=FORGED)},
        "keyword": {"keywords": (FORGED,)},
        "doi": {"doi": FORGED},
    }[field]
    run = RunRecord.of(rank(QUESTION, [make_article(pmid="1", **values), make_article(pmid="2")]))
    text = render_ris(run)
    assert len(rispy.loads(text)) == 2
    assert len([line for line in text.splitlines() if line.startswith("ER  -")]) == 2
    assert {record.pmid for record in read_ris(text.encode())} == {"1", "2"}


def test_a_record_without_a_title_or_author_is_still_one():
    run = run_of([make_article(pmid="3", title="", abstract="Zinc lowered fever.")])
    assert len(rispy.loads(render_ris(run))) == 1
    assert "title" not in render_bibtex(run)


def entries_of(text):
    """Read BibTeX by its own rule: an entry ends where its braces are closed."""
    found, position = [], 0
    while (start := text.find("@", position)) >= 0:
        depth, end = 0, text.index("{", start)
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0:
                break
            end += 1
        found.append(text[start : end + 1])
        position = end + 1
    assert not text[position:].strip()
    return found


def test_bibtex_is_escaped_and_its_braces_are_closed():
    run = a_run(reference_article(), trial(1, -0.3))
    entries = entries_of(render_bibtex(run))
    assert len(entries) == 3
    (entry,) = [e for e in entries if "100" in e]
    assert r"100 \% of \textbraceleft{}braces\textbraceright{} \& 5 \$ in a\_b \#1" in entry
    assert r"\textasciitilde{} \textasciicircum{} \textbackslash{} done" in entry
    assert "author = {{Müller}, {Jörg} and {Doe}, {A. B.} and {Zinc and Fever Group}}" in entry
    assert "pages = {557--62}" in entry
    assert "month = may" in entry
    assert entry.startswith("@article{Muller2001,")


@given(st.text())
def test_an_escaped_text_keeps_its_braces_balanced(text):
    shown = escaped(text)
    depth = 0
    for c in shown:
        depth += {"{": 1, "}": -1}.get(c, 0)
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"(?<!\\)[&%$#_]", shown)


def test_keys_of_references_are_unique_and_plain():
    articles = [
        make_article(pmid=str(n), authors=(Author(last=name),))
        for n, name in enumerate(("Müller", "Muller", "MULLER", "李", "李"), 1)
    ]
    keys = unique_keys(articles)
    assert len({key.casefold() for key in keys}) == 5
    assert all(key.isascii() and key.isalnum() for key in keys)


@pytest.mark.parametrize("name", [n for n in SUFFIXES if n != "png"])
def test_every_format_can_be_made_of_an_empty_run_too(name):
    assert isinstance(export(run_of([]), name), bytes)


def test_the_json_is_the_run():
    run = a_run(trial(1, -0.3))
    assert RunRecord.model_validate_json(export(run, "json")) == run


def test_an_unknown_format_or_figure_names_what_there_is():
    with pytest.raises(InputError, match="did you mean 'bibtex'"):
        export(run_of([]), "bibtx")
    with pytest.raises(InputError, match=r"no figure 'forest-1'.*flow"):
        export(run_of([]), "svg", ExportOptions(figure="forest-1"))


def test_figures_are_svg_of_their_own_and_png():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra `figures`)")
    run = a_run(trial(1, -0.3), trial(2, -0.2))
    picture = export(run, "svg").decode()
    assert picture.startswith("<svg")
    assert "class=" not in picture.replace('class="figure"', "")
    assert "xmlns" in picture
    for figure in ("flow", "forest-1"):
        content = export(run, "png", ExportOptions(figure=figure))
        assert content.startswith(b"\x89PNG\r\n")
        assert len(content) > 5_000
