"""What no honest browser sends: odd cookies, hosts, names, numbers and methods; and what a full disk does."""

import json
import re
import time

import httpx
import pytest

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"
READS_PAGES = {"accept": "text/html"}


@pytest.fixture
def site(serve, tmp_path):
    return serve(folder=tmp_path / "runs", pubmed=False)


@pytest.fixture
def client(site):
    with httpx.Client(
        base_url=site.url, headers=READS_PAGES, trust_env=False, timeout=60, follow_redirects=True
    ) as opened:
        yield opened


def token(client):
    return re.search(r'name="form" value="([0-9a-f]+)"', client.get("/").text)[1]


def send(client, path, **fields):
    return client.post(path, data={"form": token(client), **fields})


def ask(client, **fields):
    page = send(client, "/start", **{"question": QUESTION, "limit": "5", **fields})
    deadline = time.monotonic() + 60
    while 'http-equiv="refresh"' in page.text and time.monotonic() < deadline:
        time.sleep(0.05)
        page = client.get(page.url.path)
    return page


@pytest.mark.parametrize(
    "value",
    [b"a.known.\xe9\xe9", b"\xff\xff", b"a.known", b"", b"." * 8_000, b"a.known." + b"0" * 64],
    ids=["not-ascii", "bytes", "cut", "empty", "dots", "made-up"],
)
def test_any_cookie_gives_a_page_and_a_session_of_ones_own(site, value):
    name = f"metarag_session_{site.address[1]}".encode()
    headers = {**READS_PAGES, "cookie": name + b"=" + value}
    answer = httpx.get(site.url, headers=headers, trust_env=False)
    assert answer.status_code == 200
    assert name.decode() in answer.headers["set-cookie"]


@pytest.mark.parametrize("given", ["é", "", "\U0001f600", "0" * 64])
def test_any_token_of_a_form_is_refused_in_words(client, given):
    client.get("/")
    answer = client.post("/start", data={"form": given, "question": QUESTION})
    assert answer.status_code == 403
    assert "open the page again" in answer.text


def test_two_servers_of_one_machine_do_not_take_each_others_session(serve, tmp_path):
    first, second = (serve(folder=tmp_path / name, pubmed=False) for name in "ab")
    with httpx.Client(headers=READS_PAGES, trust_env=False, timeout=60) as client:
        form = re.search(r'name="form" value="([0-9a-f]+)"', client.get(first.url).text)[1]
        client.get(second.url)
        fields = {"form": form, "question": QUESTION, "where": "demo"}
        assert client.post(f"{first.url}/plan", data=fields).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.8.0.1", 200),
        ("[::1]:80", 200),
        ("LOCALHOST:1", 200),
        ("127.0.0.1.evil.test", 421),
        ("127.0.0.1@evil.test", 421),
        ("127.1", 421),
        ("0x7f.1", 421),
        ("192.0.2.7", 421),
        ("[::ffff:192.0.2.7]", 421),
    ],
)
def test_addresses_of_this_machine_are_answered_and_no_other(site, host, status):
    assert httpx.get(f"{site.url}/healthz", headers={"host": host}, trust_env=False).status_code == status


def test_what_a_page_of_another_site_sends_to_an_endpoint_is_refused(site):
    asked = {"query": "Does it work?", "documents": ["Tablets were given to adults."]}

    def answer(origin):
        headers = {"sec-fetch-site": origin} if origin else {}
        return httpx.post(f"{site.url}/rerank", json=asked, headers=headers, trust_env=False).status_code

    assert answer("cross-site") == 403
    assert [answer(each) for each in ("same-origin", "none", None)] == [200, 200, 200]


@pytest.mark.parametrize("limit", ["0", "501", "0005009", "9" * 5_000, "-1", "1.5", "²", "many"])
def test_a_number_of_articles_out_of_range_is_told(client, limit):
    answer = send(client, "/start", question=QUESTION, limit=limit)
    assert answer.status_code == 422
    assert "from 1 to 500" in answer.text


@pytest.mark.parametrize(
    "name", ["a" * 300, "a" * 5_000, "a%00b", "%ff%fe", "..", "%2e%2e%2f%2e%2e%2fetc", ".hidden", "a%0d%0ab"]
)
@pytest.mark.parametrize("rest", ["", "/report", "/files/json"])
def test_a_name_that_no_run_has_is_not_there(client, name, rest):
    answer = client.get(f"/runs/{name}{rest}")
    assert answer.status_code in (404, 200)
    assert "There is no such page" in answer.text or answer.url.path in ("/", "/runs")


def test_two_runs_have_to_be_named_to_be_compared(client):
    answer = client.get("/compare")
    assert answer.status_code == 422
    assert "Name two runs" in answer.text
    assert client.get("/compare?before=a&after=b").status_code == 404


def test_a_page_is_there_for_who_asks_for_its_head_only(site, client):
    answer = client.head("/")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 1_000
    assert httpx.head(f"{site.url}/healthz", trust_env=False).status_code == 200
    assert httpx.head(f"{site.url}/rerank", trust_env=False).status_code == 405


@pytest.mark.parametrize("path", ["/", "/rerank", "/healthz"])
@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "TRACE"])
def test_a_method_that_is_not_taken_is_told_with_those_that_are(client, method, path):
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"]


@pytest.mark.parametrize("path", ["/plan", "/start"])
def test_the_address_of_a_form_leads_back_to_where_it_begins(client, path):
    assert client.get(path).url.path == "/"


def test_requests_one_behind_another_on_one_connection_are_all_answered(site):
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    received = site.raw(head + b"\r\n" + head + b"\r\n" + head + b"Connection: close\r\n\r\n")
    assert received.count(b'"status":"ok"') == 3


def test_another_address_in_the_first_line_leads_nowhere_else(site):
    received = site.raw(b"GET http://evil.test/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert b" 404 " in received.split(b"\r\n", 1)[0]


def test_the_parent_of_a_change_that_is_not_there_any_more_is_told_and_not_linked(client, tmp_path):
    parent = ask(client).url.path
    key = re.search(r'name="exclude" value="([^"]+)"', client.get(parent).text)[1]
    form = {"exclude": key, "author": "a", "note": "b"}
    page = send(client, f"{parent}/change", **form)
    while 'http-equiv="refresh"' in page.text:
        time.sleep(0.05)
        page = client.get(page.url.path)
    child = page.url.path
    assert f'href="{parent}"' in page.text
    (tmp_path / "runs" / f"{parent.rsplit('/', 1)[1]}.json").unlink()
    page = client.get(child)
    assert f'href="{parent}"' not in page.text
    assert "which is not here any more" in page.text
    report = client.get(f"{child}/report").text
    assert "was not at hand" in report
    assert client.get(parent).status_code == 404


def test_a_run_under_another_name_works_by_the_name_of_its_file(client, tmp_path):
    run = ask(client).url.path.rsplit("/", 1)[1]
    (tmp_path / "runs" / f"{run}.json").rename(tmp_path / "runs" / "my run, ü & 100%.json")
    listed = client.get("/runs").text
    address = re.search(r'<a href="(/runs/[^"]+)"', listed)[1]
    page = client.get(address)
    for link in re.findall(r'href="(/runs/my[^"#]+)"', page.text):
        assert client.get(link.replace("&amp;", "&")).status_code == 200, link
    saved = client.get(f"{address}/files/csv")
    assert saved.headers["content-disposition"].endswith("UTF-8''my%20run%2C%20%C3%BC%20%26%20100%25.csv")
    assert client.get(
        "/compare", params={"before": "my run, ü & 100%", "after": "my run, ü & 100%"}
    ).is_success


def test_the_page_of_a_change_or_of_an_older_version_cannot_be_asked_again(serve, tmp_path):
    folder = tmp_path / "jobs" / ("0" * 16)
    folder.mkdir(parents=True)
    job = {
        "id": "0" * 16,
        "created_at": "2026-01-02T03:04:05",
        "title": "x",
        "asked": {"run": "y"},
        "state": "failed",
    }
    (folder / "job.json").write_text(json.dumps(job))
    site = serve(folder=tmp_path, pubmed=False)
    page = httpx.get(f"{site.url}/?again={'0' * 16}", headers=READS_PAGES, trust_env=False)
    assert page.status_code == 200
    assert (
        "Ask this one again"
        not in httpx.get(f"{site.url}/questions/{'0' * 16}", headers=READS_PAGES, trust_env=False).text
    )


def test_a_facet_that_is_emptied_is_said_to_be_read_again(client):
    page = send(client, "/plan", question=QUESTION)
    assert "A field that you empty is read from the question again; write “any”" in page.text
    run = ask(client).url.path
    page = client.get(run)
    assert "A field that you empty is read from the question again; write “any”" in page.text
    page = send(
        client,
        f"{run}/change",
        author="a",
        note="b",
        pico_population="",
        was_population="myocardial infarction",
    )
    while 'http-equiv="refresh"' in page.text:
        time.sleep(0.05)
        page = client.get(page.url.path)
    assert "obody wrote the population" in page.text


def test_a_fault_of_ours_is_a_page_and_the_log_holds_no_word_of_the_question(client, caplog, monkeypatch):
    def broken(form):
        raise ValueError(form.one("question"))

    monkeypatch.setattr("metarag.server.web.ask_pages._plan", broken)
    answer = send(client, "/plan", question="Does the secret tablet work?")
    assert answer.status_code == 500
    assert "That is a fault of this server" in answer.text
    assert "ended with ValueError" in caplog.text
    assert "secret tablet" not in caplog.text + answer.text


def test_bodies_that_are_more_than_the_server_may_hold_wait_for_another_time(serve):
    site = serve(max_body_bytes=3_000, max_held_bytes=4_000, pages=False)
    body = json.dumps({"query": "q", "documents": ["tablets " * 300]}).encode()
    head = f"POST /rerank HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    import socket

    with socket.create_connection(site.address) as slow:
        slow.sendall(head.encode() + body[:-10])
        time.sleep(0.3)
        assert httpx.post(f"{site.url}/rerank", content=body, trust_env=False).status_code == 503
        slow.sendall(body[-10:])
        assert b" 200 " in slow.recv(65_536).split(b"\r\n", 1)[0]
    assert httpx.post(f"{site.url}/rerank", content=body, trust_env=False).status_code == 200


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (b'{"query":"a","documents":["\\ud800 tablets"],"return_documents":true}', "/rerank"),
        (b'{"query":"a","documents":["b"],"model":"\\udfff"}', "/v1/rerank"),
        (b'{"query":"a","texts":["\\ud800"],"return_text":true}', "/rerank"),
        (
            b'{"query":"a","documents":[{"text":"b","title":"\\ud800","pmid":"\\udfff","journal":"\\ud800"}]}',
            "/rerank",
        ),
        (b'{"documents":["\\ud800 tablets"]}', "/v1/appraise"),
    ],
)
def test_half_a_pair_that_only_json_can_hold_comes_back_as_a_mark(usual, content, path):
    answer = httpx.post(usual.url + path, content=content, trust_env=False)
    assert answer.status_code == 200
    json.loads(answer.content.decode("utf-8"))


def test_a_whole_pair_comes_back_as_it_was(usual):
    asked = b'{"query":"a","documents":["\\ud83d\\ude00 \xc3\xa9"],"return_documents":true}'
    answer = httpx.post(f"{usual.url}/rerank", content=asked, trust_env=False).json()
    assert answer["results"][0]["document"]["text"] == "\U0001f600 é"


def test_a_title_of_a_million_letters_is_ranked_in_a_moment(usual):
    text = "Zinc lowered mortality: odds ratio for death 0.7 (95% CI 0.5 to 0.9) with zinc against placebo in 200 adults."
    document = {
        "text": text,
        "title": "The " + "A" * 1_000_000,
        "publication_types": ["Randomized Controlled Trial"],
    }
    asked = {"query": "Do zinc tablets lower mortality?", "documents": [document]}
    answer = httpx.post(f"{usual.url}/rerank", json=asked, trust_env=False, timeout=60)
    assert answer.status_code == 200


def test_a_folder_that_cannot_be_one_is_told_at_the_start(tmp_path):
    from metarag.errors import ConfigurationError
    from metarag.server.app import create_app
    from metarag.server.options import ServerOptions

    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="name another --folder"):
        create_app(ServerOptions(folder=tmp_path / "file" / "runs"))
    create_app(ServerOptions(folder=tmp_path / "not" / "yet", pages=True))
    assert not (tmp_path / "not").exists()
