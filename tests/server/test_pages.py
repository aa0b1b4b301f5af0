"""The pages as a browser without scripts uses them, over real connections."""

import json
import re
import threading
import time

import httpx
import pytest

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"
ASKS_FOR_PAGES = {"accept": "text/html"}


class Browser:
    """Follows links and sends forms; keeps its cookie."""

    def __init__(self, url):
        self.http = httpx.Client(
            base_url=url, headers=ASKS_FOR_PAGES, trust_env=False, timeout=60, follow_redirects=True
        )
        self.page = self.http.get("/")

    def open(self, path):
        self.page = self.http.get(path)
        return self.page

    def send(self, path, **fields):
        token = re.search(r'name="form" value="([0-9a-f]+)"', self.page.text)[1]
        self.page = self.http.post(path, data={"form": token, **fields})
        return self.page

    def wait(self):
        """Reload as the page itself does, until the job is over."""
        deadline = time.monotonic() + 60
        while 'http-equiv="refresh"' in self.page.text and time.monotonic() < deadline:
            time.sleep(0.05)
            self.page = self.http.get(self.page.url.path)
        return self.page

    @property
    def run(self):
        return self.page.url.path.split("/")[2]


@pytest.fixture
def site(serve, tmp_path):
    return serve(folder=tmp_path / "runs", pubmed=False)


@pytest.fixture
def visit():
    """Open browsers that close after the test."""
    opened = []

    def start(site):
        opened.append(Browser(site.url))
        return opened[-1]

    yield start
    for each in opened:
        each.http.close()


@pytest.fixture
def browser(site, visit):
    return visit(site)


def ask(browser, question=QUESTION, **fields):
    browser.send("/start", question=question, where="demo", limit="12", **fields)
    return browser.wait()


def test_the_way_from_question_to_report(browser, tmp_path):
    browser.send("/plan", question=QUESTION, where="demo")
    assert 'value="myocardial infarction"' in browser.page.text
    page = ask(browser)
    assert page.url.path.startswith("/runs/")
    assert "better evidence shows no benefit" in page.text
    assert f'href="/runs/{browser.run}/report#' in page.text
    report = browser.open(f"/runs/{browser.run}/report")
    assert "Evidence report" in report.text
    assert (tmp_path / "runs" / "ledger.jsonl").exists()


def test_a_change_makes_a_new_run_that_says_who_and_why_and_can_be_compared(browser):
    ask(browser)
    parent, key = browser.run, re.search(r'name="exclude" value="([^"]+)"', browser.page.text)[1]
    browser.send(f"/runs/{parent}/change", exclude=key, author="Dr Quill", note="judged flawed")
    browser.wait()
    child = browser.run
    assert child != parent
    assert "Left out by Dr Quill: judged flawed." in browser.page.text
    compared = browser.open(f"/compare?before={parent}&after={child}").text
    assert "not ranked, was rank" in compared
    assert "judged flawed" in compared
    assert "Dr Quill" in browser.open(f"/runs/{child}/report").text
    assert parent in browser.open("/runs").text


def test_facets_as_edited_win_and_are_shown(browser):
    page = ask(browser, pico_population="children")
    assert 'value="children"' in page.text
    content = browser.open(f"/runs/{browser.run}/files/json").json()
    assert content["ranking"]["audit"]["question"]["pico"]["population"] == "children"
    assert content["ranking"]["audit"]["question"]["pico"]["intervention"] is None


def test_the_query_can_be_edited_and_searched_again(browser):
    ask(browser)
    page = ask(browser, query="magnesium[ti] AND placebo")
    assert "magnesium[ti] AND placebo" in page.text
    refused = browser.send("/start", question=QUESTION, where="demo", query="magnesium[nonsense]")
    assert refused.status_code == 422
    assert "nonsense" in refused.text
    assert "Ask a question" in refused.text


def test_every_export_is_a_file_to_save(browser):
    ask(browser)
    run = browser.run
    for format_ in ("html", "json", "csv", "ris", "bibtex", "svg", "fhir"):
        answer = browser.open(f"/runs/{run}/files/{format_}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["content-security-policy"]
        assert len(answer.content) > 200


def test_a_page_loads_nothing_from_anywhere_and_may_run_nothing(browser):
    ask(browser)
    for path in (
        "/",
        "/questions",
        "/runs",
        f"/runs/{browser.run}",
        f"/runs/{browser.run}/report",
        "/nowhere",
    ):
        page = browser.open(path)
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "<script" not in page.text
        assert not re.search(r'(?:src|srcset)="', page.text)
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["x-content-type-options"] == "nosniff"


def test_a_form_of_another_page_or_session_is_refused(site, browser, visit):
    stranger = visit(site)
    token = re.search(r'name="form" value="([0-9a-f]+)"', stranger.page.text)[1]
    for fields in ({}, {"form": ""}, {"form": token}, {"form": "0" * 64}):
        answer = browser.http.post("/start", data={"question": QUESTION, **fields})
        assert answer.status_code == 403
        assert "open the page again" in answer.text
    assert "None yet" in browser.open("/questions").text


def test_the_cookie_is_for_this_site_and_no_script(site):
    answer = httpx.get(site.url, headers=ASKS_FOR_PAGES, trust_env=False)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:80", "127.0.0.1.evil.test", "localhost.evil.test", ""]
)
def test_another_name_leads_nowhere(site, host):
    answer = httpx.get(site.url, headers={"host": host, **ASKS_FOR_PAGES}, trust_env=False)
    assert answer.status_code in (400, 421)


def test_with_a_token_every_page_asks_for_it_once(serve, tmp_path, visit):
    site = serve(folder=tmp_path, token="a-long-token", pubmed=False)
    browser = visit(site)
    assert browser.page.url.path == "/enter"
    for path in ("/runs", "/questions", "/runs/x/report", "/compare?before=a&after=b"):
        assert browser.open(path).url.path == "/enter"
    assert "That is not the token" in browser.send("/enter", token="wrong").text
    assert browser.open("/runs").url.path == "/enter"
    browser.open("/enter")
    browser.send("/enter", token="a-long-token")
    assert browser.page.url.path == "/"
    assert ask(browser).url.path.startswith("/runs/")
    assert "a-long-token" not in browser.page.text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"question": ""}, "is empty"),
        ({"question": "?!"}, "holds no word"),
        ({"question": "long " * 5_000}, "20,000"),
        ({"question": "x" * 2_000_000}, "2,000,000 characters"),
        ({"question": QUESTION, "where": "moon"}, "no source"),
        ({"question": QUESTION, "limit": "0"}, "from 1 to 500"),
        ({"question": QUESTION, "preset": "nonsense"}, "preset"),
        ({"question": QUESTION, "where": "index"}, "does not search"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_asked_ends_in_a_page_with_a_way_forward(browser, fields, told):
    browser.send("/start", **fields)
    page = browser.wait()
    assert told in page.text
    assert 'href="/"' in page.text


@pytest.mark.parametrize(
    "path", ["/nowhere", "/runs/none", "/runs/..%2f..%2fetc", "/questions/0", "/runs/x/files/exe"]
)
def test_what_is_not_there_is_told_on_a_page(browser, path):
    page = browser.open(path)
    assert page.status_code == 404
    assert "Questions asked" in page.text


def test_hostile_text_is_inert(browser, tmp_path):
    hostile = "<img src=x onerror=alert(1)> \"'><script>alert(2)</script> does magnesium help?"
    page = ask(browser, question=hostile)
    assert "<img" not in page.text
    assert "<script" not in page.text
    assert "&lt;img src=x" in page.text
    browser.send(f"/runs/{browser.run}/change", pico_population="<b>x</b>", author="<i>me</i>", note="=1+1")
    browser.wait()
    assert "<i>me</i>" not in browser.open(f"/runs/{browser.run}/report").text


def test_a_job_survives_a_reload_and_shows_its_place_in_the_queue(serve, tmp_path, visit):
    site = serve(folder=tmp_path, workers=1, pubmed=False)
    browsers = [visit(site) for _ in range(3)]
    pages = [b.send("/start", question=QUESTION, where="demo") for b in browsers]
    states = [json.loads(p.read_text())["state"] for p in tmp_path.glob("jobs/*/job.json")]
    assert len(states) == 3
    for browser, page in zip(browsers, pages, strict=True):
        browser.page = browser.http.get(page.url.path)
    assert all(b.wait().url.path.startswith("/runs/") for b in browsers)


def test_six_at_once_are_all_answered(site, visit):
    answered = []
    browsers = [visit(site) for _ in range(6)]
    threads = [threading.Thread(target=lambda b=b: answered.append(ask(b).url.path)) for b in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answered) == 6
    assert all(path.startswith("/runs/") for path in answered)


def test_too_many_questions_in_a_minute_are_told_to_wait(serve, tmp_path, visit):
    browser = visit(serve(folder=tmp_path, questions_per_minute=2, pubmed=False))
    for _ in range(2):
        ask(browser)
        browser.open("/")
    page = browser.send("/start", question=QUESTION, where="demo")
    assert page.status_code == 429
    assert "wait a moment" in page.text


def test_a_run_that_cannot_be_read_is_told_in_the_list(browser, tmp_path):
    ask(browser)
    (tmp_path / "runs" / "half.json").write_text("{")
    assert "half.json is not a run file" in browser.open("/runs").text


def test_a_change_without_a_name_or_a_reason_is_refused(browser):
    ask(browser)
    run = browser.run
    key = re.search(r'name="exclude" value="([^"]+)"', browser.page.text)[1]
    assert (
        "Say who you are and why"
        in browser.send(f"/runs/{run}/change", exclude=key, author="", note="x").text
    )
    browser.open(f"/runs/{run}")
    assert "Nothing would change" in browser.send(f"/runs/{run}/change", author="a", note="b").text
