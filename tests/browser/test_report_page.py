"""The report file as a browser shows it: opened from disk, at several widths, light and dark."""

import pytest
from builders import make_article
from report_builders import run_of, run_with_outlier, trial

from metarag.records import Author
from metarag.report.html import render_html

HOSTILE = '<img src="https://example.org/x" onerror="window.hit=1"><script>window.hit=1</script>'
WIDTHS = {"desktop": 1280, "zoomed to 200 %": 640, "mobile": 390, "narrowest": 320}


def hostile_run():
    articles = [
        trial(n, -0.3 + n / 10, title=f"Zinc {HOSTILE}", authors=(Author(collective=HOSTILE),))
        for n in (1, 2, 3)
    ]
    return run_of([*articles, make_article(pmid="9", title=HOSTILE, types=("Retracted Publication",))])


RUNS = {"outlier": run_with_outlier, "hostile": hostile_run, "empty": lambda: run_of([])}


@pytest.fixture(scope="module", params=RUNS)
def address(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_html(RUNS[request.param]()), encoding="utf-8")
    return path.as_uri()


def opened(browser, address, *, width=1280, scheme="light", bypass_csp=False):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=bypass_csp
    )
    page = context.new_page()
    page.said, page.asked_for = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("request", lambda request: page.asked_for.append(request.url))
    page.goto(address)
    return page


def test_it_loads_only_itself_runs_nothing_and_says_nothing(browser, address):
    page = opened(browser, address)
    assert page.asked_for == [address]
    assert page.said == []
    assert page.evaluate("window.hit") is None
    # The policy lets the style sheet through: without it the border would not be there.
    assert page.evaluate("getComputedStyle(document.querySelector('.stamp')).borderTopWidth") == "1px"
    page.context.close()


def test_what_an_article_holds_does_not_run_even_without_the_policy(browser, address):
    page = opened(browser, address, bypass_csp=True)
    assert page.evaluate("window.hit") is None
    assert page.asked_for == [address]
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_it_has_no_violation_of_the_guidelines(browser, axe, address, width, scheme):
    page = opened(browser, address, width=width, scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", tags)
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []
    page.context.close()


def test_it_fits_every_width(browser, address):
    page = opened(browser, address)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for name, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(beyond) == 0, name
    page.context.close()


def test_a_citation_of_the_answer_jumps_to_its_article(browser, address):
    page = opened(browser, address)
    link = page.locator("section[aria-labelledby=answer] a[href^='#a']").first
    if link.count() == 0:
        assert page.get_by_text("No answer is given").count()
        return
    name = link.inner_text()
    link.click()
    target = page.evaluate("document.querySelector(':target').innerText")
    assert name in target
    page.context.close()


def test_it_can_be_read_with_the_keyboard_alone(browser, address):
    page = opened(browser, address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the summary"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#short"
    page.context.close()
