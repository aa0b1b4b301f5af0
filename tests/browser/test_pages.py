"""The pages as Chromium shows them: the whole way from a question to a report, without any script."""

import re
import socket
import threading
import time

import pytest

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
    from metarag.server.options import ServerOptions
    from metarag.server.running import make_server

    listening = socket.create_server(("127.0.0.1", 0))
    options = ServerOptions(folder=tmp_path_factory.mktemp("runs"), questions_per_minute=1_000)
    server = make_server(options)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def visit(browser, site):
    """Open pages that report what they say and whom they ask."""
    contexts = []

    def start(*, width=1280, scheme="light", scripts=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            bypass_csp=scripts,
            java_script_enabled=True,
            base_url=site,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.said, page.strangers = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("request", lambda r: None if r.url.startswith(site) else page.strangers.append(r.url))
        page.goto("/")
        return page

    yield start
    for context in contexts:
        context.close()


def ask(page, question=QUESTION):
    page.goto("/")
    page.get_by_role("textbox", name="Question").fill(question)
    page.get_by_role("button", name="Next: check the question").click()
    page.get_by_role("button", name="Search and rank").click()
    page.wait_for_url(re.compile(r"/runs/[^/]+$"))
    return page


def violations(page, axe):
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(axe)
    found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", TAGS)
    return [(page.url, v["id"], v["nodes"][0]["html"][:160]) for v in found["violations"]]


def test_from_a_question_to_a_report_and_a_change_of_it(visit):
    page = ask(visit(scripts=False))
    assert page.get_by_text("better evidence shows no benefit").count()
    page.get_by_role("checkbox", name="leave out").first.check()
    page.get_by_label("Your name").fill("Dr Quill")
    page.get_by_label("Why").fill("judged flawed")
    page.get_by_role("button", name="Rank again with these changes").click()
    page.wait_for_url(re.compile(r"/runs/[^/]+$"))
    page.get_by_role("link", name="what changed").click()
    assert page.get_by_text("not ranked, was rank 1").count()
    page.go_back()
    page.get_by_role("link", name="Open the report").click()
    assert page.get_by_text("Dr Quill").count()
    assert page.get_by_role("heading", name="Sign-off").count()
    assert (page.said, page.strangers) == ([], [])


def test_the_query_is_edited_and_searched_again(visit):
    page = ask(visit(scripts=False))
    page.locator("#again").fill("magnesium[ti]")
    page.get_by_role("button", name="Search again with this query").click()
    page.wait_for_url(re.compile(r"/runs/[^/]+$"))
    assert page.locator("#again").input_value() == "magnesium[ti]"


def test_a_mistake_ends_in_a_page_from_which_it_goes_on(visit):
    page = visit(scripts=False)
    page.get_by_role("textbox", name="Question").fill("?!")
    page.get_by_role("button", name="Next: check the question").click()
    assert "holds no word" in page.get_by_role("alert").inner_text()
    page.get_by_role("main").get_by_role("link", name="Ask a question").click()
    assert page.get_by_role("heading", name="Ask a clinical question").count()


def test_a_reload_in_the_middle_loses_nothing(visit):
    page, asked = visit(scripts=False), []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    page.get_by_role("button", name="Next: check the question").click()
    page.get_by_role("button", name="Search and rank").click()
    page.wait_for_url(re.compile(r"/(?:questions|runs)/[^/]+$"))
    (job,) = {url for url in asked if "/questions/" in url}
    # Another tab at the same address, and this one closed: a reload that cannot meet the page's own refresh.
    again = page.context.new_page()
    page.close()
    again.goto(job)
    again.wait_for_url(re.compile(r"/runs/[^/]+$"))
    assert again.get_by_role("heading", name="Articles").count()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_no_page_has_a_violation_of_the_guidelines(visit, axe, width, scheme):
    page = visit(width=width, scheme=scheme)
    found = violations(page, axe)
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    page.get_by_role("radio", name="PubMed").check()
    page.get_by_role("button", name="Next: check the question").click()
    found += violations(page, axe)
    ask(page)
    run = page.url
    found += violations(page, axe)
    for path in ("/questions", "/runs", "/nowhere", "/enter", f"{run}/report"):
        page.goto(path)
        found += violations(page, axe)
    name = run.rsplit("/", 1)[1]
    page.goto(f"/compare?before={name}&after={name}")
    assert found + violations(page, axe) == []


def test_every_page_fits_a_phone_and_twice_the_size(visit):
    page = ask(visit(width=390))
    run = page.url
    beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for path in ("/", "/questions", "/runs", run):
        page.goto(path)
        for width in (640, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(beyond) == 0, (path, width)


def test_the_pages_work_with_the_keyboard_alone(visit):
    page = visit(scripts=False)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.get_by_role("textbox", name="Question").focus()
    page.keyboard.type(QUESTION)
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/plan$"))
    page.get_by_role("button", name="Search and rank").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/[^/]+$"))


def test_six_users_at_once_are_all_answered(visit):
    pages = [visit(scripts=False) for _ in range(6)]
    for page in pages:
        page.get_by_role("textbox", name="Question").fill(QUESTION)
        page.get_by_role("button", name="Next: check the question").click()
    began = time.monotonic()
    for page in pages:
        page.get_by_role("button", name="Search and rank").click(no_wait_after=True)
    for page in pages:
        page.wait_for_url(re.compile(r"/runs/[^/]+$"))
    assert time.monotonic() - began < 60
