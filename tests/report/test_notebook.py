from builders import make_article
from report_builders import Page, large_run, run_of, trial

from metarag.report.notebook import repr_html


def test_a_ranking_shows_its_best_articles_with_their_reasons():
    run = run_of([trial(1, -0.3), make_article(pmid="9", types=("Retracted Publication",))])
    page = Page(repr_html(run.ranking, run.answer))
    assert "2 articles found, 1 ranked, 1 left out; 1 retracted" in page.text
    assert "Randomised trial (level 6 of metarag-2025)" in page.text
    assert run.answer.sentences[0].text.split("[")[0].strip() in page.text
    assert not any(attributes.get("id") for _, attributes in page.tags)


def test_it_is_inert_and_short():
    hostile = "<img src=x onerror=alert(1)>"
    page = Page(repr_html(run_of([make_article(pmid="1", title=hostile)]).ranking))
    assert "img" not in {tag for tag, _ in page.tags}
    assert hostile in page.text
    assert "and 40 more" in Page(repr_html(large_run(50).ranking)).text


def test_an_empty_ranking_is_shown_too():
    assert "0 articles found, 0 ranked, 0 left out." in Page(repr_html(run_of([]).ranking)).text
