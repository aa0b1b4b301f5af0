import base64
import hashlib
import re
from datetime import UTC, datetime

import pytest
from builders import make_article
from report_builders import ABSTRACT, NOW, QUESTION, Page, large_run, rank_of, run_of, run_with_outlier, trial

from metarag.audit import ModelUse, Override, QueryRecord, Verdict
from metarag.errors import RunFileError
from metarag.pipeline import Ranking
from metarag.presets import rank
from metarag.records import Author, Grant, Journal, TextOrigin
from metarag.report.comparison import compare
from metarag.report.html import content_security_policy, render_html, style_sheet, write_html
from metarag.report.places import ReportOptions
from metarag.report.run_view import file_digest
from metarag.runs import RunRecord, save_run
from metarag.types import Pico, Question

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)> </style></title>{{7*7777777}} \x1b[2J\u202e\u2028 & < '
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "section", "h1", "h2", "h3",
    "p", "a", "b", "i", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "div", "span", "bdi", "br", "code", "pre", "mark", "blockquote", "details", "summary", "svg", "path", "line",
    "polygon", "text", "desc",
}  # fmt: skip
OUTSIDE = ("https://pubmed.ncbi.nlm.nih.gov/", "https://doi.org/", "https://pmc.ncbi.nlm.nih.gov/")


def test_the_page_has_nothing_that_runs_or_loads():
    page = Page(render_html(run_with_outlier()))
    assert {tag for tag, _ in page.tags} <= ALLOWED
    for tag, attributes in page.tags:
        assert not any(
            name.startswith("on") or name in ("src", "srcset", "action", "style") for name in attributes
        ), tag
    policies = [
        a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [content_security_policy()]
    assert "unsafe" not in policies[0]


def test_the_policy_allows_the_style_sheet_that_the_page_has():
    html = render_html(run_of([make_article(pmid="1")]))
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in content_security_policy()
    assert style == style_sheet()
    assert "url(" not in style
    assert "@import" not in style


def test_every_link_leads_to_a_row_or_to_a_known_place_and_every_id_is_one():
    page = Page(render_html(run_with_outlier()))
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    for link in page.links:
        assert link[1:] in page.ids if link.startswith("#") else link.startswith(OUTSIDE)


@pytest.mark.parametrize("field", ["title", "abstract", "author", "journal", "doi", "question"])
def test_whatever_a_record_or_a_question_holds_is_shown_as_text(field):
    fields = {
        "title": {"title": f"Zinc for fever {HOSTILE}"},
        "abstract": {"abstract": f"{ABSTRACT} {HOSTILE} in 50 patients."},
        "author": {"authors": (Author(last=HOSTILE, initials="A"),)},
        "journal": {"journal": Journal(title=HOSTILE, volume="1", pages=HOSTILE)},
        "doi": {"doi": f"javascript:alert(1){HOSTILE}"},
        "question": {},
    }[field]
    question = Question(text=f"Does zinc lower mortality? {HOSTILE}") if field == "question" else QUESTION
    articles = [trial(n, -0.3 + n / 20, **fields) for n in (1, 2, 3)]
    ranking = rank(question, articles, options={"extrapolation": {"strictness": "lenient"}})
    html = render_html(RunRecord.of(ranking, now=NOW))
    page = Page(html)
    assert {tag for tag, _ in page.tags} <= ALLOWED
    assert sum(tag == "title" for tag, _ in page.tags) == 1 + len(re.findall("<svg class", html))
    assert all(link.startswith(("#", *OUTSIDE)) for link in page.links)
    assert not any(c in html for c in "\x1b\u202e\u2028")
    assert "54444439" not in html
    assert html.count("<style>") == html.count("</style>") == 1


def test_the_answers_citations_lead_to_their_articles():
    run = run_of([trial(n, -0.3) for n in range(1, 6)])
    html = render_html(run)
    answer = html[html.index('<h2 id="answer">') : html.index("<h3>References</h3>")]
    for citation in run.answer.citations:
        rank_ = next(n for n, item in enumerate(run.ranking, 1) if item.article.pmid == citation)
        assert f'<a href="#a{rank_}">PMID {citation}</a>' in answer


def test_quotes_are_marked_and_stand_in_the_article_word_by_word():
    run = run_of([trial(1, -0.3), trial(2, -0.25)])
    html = render_html(run)
    marked = re.findall(r"<mark>(.*?)</mark>", html)
    assert "OR 0.7" in marked
    texts = [f"{item.article.title}\n{item.article.abstract}" for item in run.ranking]
    assert all(any(words in text for text in texts) for words in marked)
    assert "effect on death from any cause" in html


def test_a_retracted_article_is_left_out_loudly_and_never_shown_as_clean():
    run = run_of(
        [
            trial(1, -0.3),
            make_article(pmid="9", types=("Retracted Publication",), corrections=(("RetractionIn", "8"),)),
        ]
    )
    page = Page(render_html(run))
    assert "RETRACTED" in page.text
    assert "Left out at: Eligibility (eligibility.retracted)" in page.text
    assert "1 retracted article found and left out" in page.text


def test_a_retracted_article_that_the_settings_keep_is_a_warning():
    ranking = rank(
        QUESTION,
        [make_article(pmid="9", types=("Retracted Publication",))],
        options={"eligibility": {"exclude_retracted": False}},
    )
    text = Page(render_html(RunRecord.of(ranking, now=NOW))).text
    assert "Warning. Retracted, and yet kept in the ranking by the settings: 1 article" in text


def test_what_was_not_checked_is_said_to_be_so():
    text = Page(render_html(run_of([make_article(pmid=None, title="Zinc for fever")]))).text
    assert "Retraction not checked" in text
    assert "Retraction could not be checked for 1 kept article" in text


def test_a_run_without_articles_says_so():
    page = Page(render_html(run_of([])))
    for words in ("0 found", "No answer is given", "No article is in the ranking", "No article was left out"):
        assert words in page.text
    assert "zinc" in page.text  # the question is read all the same


def test_a_run_with_nothing_to_pool_says_why():
    text = Page(
        render_html(run_of([make_article(pmid="1", abstract="Zinc was given to adults with fever.")]))
    ).text
    assert "Nothing could be pooled on the question" in text
    assert "print no effect that could be compared" in text


def test_a_run_in_which_everything_is_retracted_is_readable():
    run = run_of([make_article(pmid=str(n), types=("Retracted Publication",)) for n in (1, 2, 3)])
    text = Page(render_html(run)).text
    assert "Retracted: 3 articles" in text
    assert "No article is in the ranking" in text


def test_a_conflict_is_told_in_a_sentence_and_both_sides_are_linked():
    effects = (-0.9, -0.8, -0.85, 0.8, 0.9, 0.85)
    run = run_of([trial(n, value, 0.1) for n, value in enumerate(effects, 1)])
    text = Page(render_html(run)).text
    assert "point to opposite sides" in text
    assert "both sides stay" in text


def test_the_summary_tells_both_pools_and_who_stands_out():
    html = render_html(run_with_outlier())
    text = Page(html[: html.index('<h2 id="question">')]).text
    assert "8 studies pooled (randomised trials), odds ratio 1.05 (0.46 to 2.41)" in text
    assert "Without 1 that stands out: 0.74 (0.62 to 0.89)" in text
    assert "is unlike the 7 that stay; every condition for leaving it out holds" in text
    assert "Result unlike all other studies of its pool: 1 article" in text


def test_a_run_of_10_000_articles_stays_readable_and_counts_what_it_does_not_show():
    run = large_run(10_000, excluded=1_500)
    html = render_html(run)
    assert len(html) < 900_000
    text = Page(html).text
    assert "Articles kept, best first (10,000)" in text
    assert "500 more articles, in brief" in text
    assert "9,400 more articles stand in the run file" in text
    assert "900 more articles stand in the run file" in text


def test_a_report_of_100_articles_is_under_300_kb():
    run = run_of([trial(n, -0.3 + n / 400, abstract=ABSTRACT * 6) for n in range(1, 101)])
    assert len(render_html(run).encode()) < 300_000


def test_the_number_of_articles_shown_can_be_set():
    page = Page(render_html(large_run(30), options=ReportOptions(max_detailed=5, max_listed=10)))
    assert sum(tag == "details" for tag, _ in page.tags) == 5 + 1  # and the settings
    assert "15 more articles stand in the run file" in page.text


def test_the_facets_are_shown_as_read_and_as_edited():
    question = Question(text=QUESTION.text, pico=Pico(population="children with fever"))
    ranking = rank(question, [trial(1, -0.3)])
    text = Page(render_html(RunRecord.of(ranking, now=NOW))).text
    assert "a person edited it" in text
    assert "children with fever" in text
    assert "not edited" in text


def test_the_search_is_shown_as_run_with_its_gaps():
    query = QueryRecord(
        source="PubMed",
        query='zinc AND "invented fever"[tiab]',
        translation='"zinc"[MeSH Terms] AND "invented fever"[tiab]',
        warnings=("Phrase not found: invented fever",),
        total=500,
        retrieved=1,
        searched_at=NOW,
    )
    ranking = rank_of([trial(1, -0.3)])
    audit = ranking.audit.model_copy(update={"query": query})
    run = RunRecord.of(Ranking(evidence=ranking.evidence, audit=audit), now=NOW)
    page = Page(render_html(run))
    assert "2026-01-02 03:04:05 UTC" in page.text
    assert "Only 1 of 500 matching records were retrieved" in page.text
    assert page.text.count("Phrase not found: invented fever") == 2
    assert "https://pubmed.ncbi.nlm.nih.gov/?term=zinc+AND+%22invented+fever%22%5Btiab%5D" in page.links


def test_the_models_part_and_its_failures_are_told():
    ranking = rank_of([trial(1, -0.3)])
    use = {"reliability": ModelUse(asked=10, failed=4, suspicious=1, degraded=True, answered=("m-1",))}
    audit = ranking.audit.model_copy(update={"model_use": use})
    text = Page(render_html(RunRecord.of(Ranking(evidence=ranking.evidence, audit=audit), now=NOW))).text
    assert "4 of 10 calls of the language model failed, more than the settings allow" in text
    assert "1 article not shown to the language model" in text
    assert "10 calls, 4 failed, 1 texts not sent; m-1 answered" in text


def test_overrides_show_who_when_why_and_what_changed():
    parent = run_of([trial(n, -0.3) for n in (1, 2, 3)])
    override = Override(
        key="pmid:1",
        verdict=Verdict.EXCLUDED,
        author="Dr <b>Doe</b>",
        reason="Wrong dose",
        timestamp=datetime(2026, 2, 3, tzinfo=UTC),
    )
    left = rank_of([trial(n, -0.3) for n in (2, 3)])
    audit = left.audit.model_copy(update={"overrides": (override,)})
    child = RunRecord.of(Ranking(evidence=left.evidence, audit=audit), now=NOW)
    page = Page(render_html(child, comparison=compare(parent, child)))
    assert "Dr <b>Doe</b>" in page.text
    assert "Wrong dose" in page.text
    assert "2026-02-03" in page.text
    assert parent.id in page.text
    assert "not ranked, was rank" in page.text
    assert "The answer changed" in page.text
    assert "Overrides" not in Page(render_html(parent)).text


def with_decision(ranking, criterion=None, **measurements):
    """Return the ranking with another decision on reliability."""
    decisions = [
        d.model_copy(
            update={"criterion": criterion or d.criterion, "measurements": {**d.measurements, **measurements}}
        )
        if d.stage == "reliability"
        else d
        for d in ranking.audit.decisions
    ]
    return ranking.model_copy(
        update={"audit": ranking.audit.model_copy(update={"decisions": tuple(decisions)})}
    )


def test_a_text_that_tries_to_instruct_a_model_is_told_at_its_article():
    ranking = with_decision(rank_of([trial(1, -0.3)]), suspicious_text=True)
    text = Page(render_html(RunRecord.of(ranking, now=NOW))).text
    assert "reliability: the text tries to instruct a model or hides something" in text


def test_what_a_person_keeps_is_told_at_its_article_with_what_the_rule_says():
    ranking = with_decision(rank_of([trial(1, -0.3)]), criterion="override.included")
    reason = next(d.reason for d in ranking.audit.decisions if d.criterion == "override.included")
    assert reason in Page(render_html(RunRecord.of(ranking, now=NOW))).text


def test_the_longest_question_leaves_a_readable_page():
    question = Question(text="Does zinc lower mortality? " + "x" * 19_000)
    page = Page(render_html(RunRecord.of(rank(question, [trial(1, -0.3)]), now=NOW)))
    assert len(page.text) < 15_000


def test_money_interests_and_the_origin_of_the_text_are_told():
    article = trial(
        1,
        -0.3,
        grants=(Grant(agency="Invented Fund"),),
        conflict_of_interest="One author sells zinc.",
        text_origin=TextOrigin.SUMMARY,
    )
    text = Page(render_html(run_of([article]))).text
    assert "Invented Fund" in text
    assert "One author sells zinc." in text
    assert "a summary of ours, not the authors' abstract" in text


def test_the_digest_is_that_of_the_run_file(tmp_path):
    run = run_of([trial(1, -0.3)])
    save_run(run, tmp_path / "run.json")
    digest = hashlib.sha256((tmp_path / "run.json").read_bytes()).hexdigest()
    assert file_digest(run) == digest
    assert digest in render_html(run)


def test_the_same_run_gives_the_same_page():
    assert render_html(run_with_outlier()) == render_html(run_with_outlier())


def test_no_grade_of_certainty_is_ever_given():
    text = Page(render_html(run_with_outlier())).text.casefold()
    for level in ("high certainty", "moderate certainty", "low certainty", "grade a", "grade: "):
        assert level not in text


def test_the_paper_preset_has_a_report_too():
    ranking = rank(QUESTION, [trial(n, -0.3).article for n in (1, 2)], preset="paper")
    text = Page(render_html(RunRecord.of(ranking, now=NOW))).text
    assert "S = r² T" in text
    assert "Reliability r" in text


def test_a_report_that_cannot_be_written_is_one_error(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunFileError, match="report cannot be written"):
        write_html(run_of([]), tmp_path / "file" / "report.html")
