"""What other programs send to /rerank, over real connections."""

import json
import threading

import httpx
import pytest

QUERY = "Do imaginary tablets prevent stroke in adults?"
TRIAL = (
    "Imaginary tablets and stroke: a randomised trial\nWe randomised 400 adults to imaginary tablets or placebo."
    " Stroke was rarer with tablets (RR 0.80, 95% CI 0.70 to 0.91)."
)
REPORT = "Stroke after imaginary tablets: a case report\nWe describe a woman of 70 with stroke."


@pytest.fixture
def api(usual):
    with httpx.Client(base_url=usual.url, trust_env=False, timeout=20) as client:
        yield client


def body(**changes):
    return {"model": "metarag", "query": QUERY, "documents": [REPORT, TRIAL]} | changes


@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_the_better_study_comes_first_and_index_leads_back_to_the_request(api, path):
    answer = api.post(path, json=body()).json()
    assert [r["index"] for r in answer["results"]] == [1, 0]
    scores = [r["relevance_score"] for r in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert answer["model"] == "metarag"
    assert answer["results"][0]["metarag"]["design"] == "randomized_trial"
    assert answer["meta"]["api_version"] == {"version": "2"}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"top_n": 1}, 1),
        ({"top_n": None}, 2),
        ({"top_n": 0}, 2),
        ({"top_n": 99}, 2),
        ({"top_n": "1"}, 1),
        ({"top_n": 1.0}, 1),
        ({"top_k": 1}, 1),
        ({"top_n": None, "top_k": 1}, 1),
        ({}, 2),
    ],
    ids=str,
)
def test_top_n_is_what_clients_mean_by_it(api, asked, expected):
    assert len(api.post("/rerank", json=body(**asked)).json()["results"]) == expected


@pytest.mark.parametrize(
    ("asked", "there"),
    [(True, True), ("true", True), (False, False), ("false", False), (None, False), ("", False)],
    ids=str,
)
def test_a_document_is_in_the_answer_only_when_asked_for_and_never_null(api, asked, there):
    result = api.post("/v1/rerank", json=body(return_documents=asked)).json()["results"][0]
    assert ("document" in result) is there
    if there:
        assert result["document"] == {"text": TRIAL}


def test_texts_are_answered_in_the_shape_of_tei(api):
    asked = {"query": QUERY, "texts": [REPORT, TRIAL], "return_text": True, "raw_scores": False}
    first, second = api.post("/rerank", json=asked).json()
    assert (first["index"], first["text"]) == (1, TRIAL)
    assert first["score"] > second["score"]


def test_what_is_known_of_a_document_changes_its_place(api):
    plain = {"text": "Tablets and stroke. Tablets were given to adults."}
    known = plain | {
        "metadata": {"publication_type": "Randomized Controlled Trial"},
        "url": "https://a.test/1",
    }
    answer = api.post("/rerank", json=body(documents=[plain, known])).json()
    assert [r["index"] for r in answer["results"]] == [1, 0]
    assert answer["results"][0]["metarag"]["graded_from"] == "metadata"
    assert answer["results"][1]["metarag"]["graded_from"] == "text"


def test_blank_documents_cost_nobody_anything(api):
    answer = api.post("/rerank", json=body(documents=["", " ", TRIAL])).json()
    assert [r["index"] for r in answer["results"]] == [2, 0, 1]
    assert [r["relevance_score"] for r in answer["results"][1:]] == [0.0, 0.0]
    assert "no text" in answer["results"][1]["metarag"]["reason"]


def test_no_documents_are_an_answer_without_results(api):
    assert api.post("/rerank", json=body(documents=[])).json()["results"] == []
    assert api.post("/rerank", json={"query": QUERY, "texts": []}).json() == []


def test_keys_of_other_services_are_ignored(api):
    extra = {"rank_fields": ["text"], "max_chunks_per_doc": 3, "instruction": "x", "user": "u", "priority": 0}
    assert api.post("/v2/rerank", json=body(**extra)).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "told"),
    [
        ({"query": None}, 422, "'query' is null"),
        ({"query": 3}, 422, "'query' is a number"),
        ({"documents": "text"}, 422, "'documents' is text; it must be a list"),
        ({"documents": None}, 422, "'documents' is null"),
        ({"documents": [TRIAL, 7]}, 422, "documents[1] is a number"),
        ({"documents": [TRIAL, None]}, 422, "documents[1] is null"),
        ({"documents": [TRIAL, {}]}, 422, "documents[1] has neither"),
        ({"documents": [[TRIAL]]}, 422, "documents[0] is a list"),
        ({"top_n": -1}, 422, "'top_n' is -1"),
        ({"top_n": "many"}, 422, "'top_n' is text"),
        ({"top_n": True}, 422, "'top_n' is a boolean"),
        ({"top_n": 1.5}, 422, "'top_n' is a number"),
        ({"return_documents": "perhaps"}, 422, "'return_documents' is text"),
        ({"query": "long " * 5_000}, 422, "25,000 characters"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_value_is_refused_by_name(api, changes, status, told):
    answer = api.post("/rerank", json=body(**changes))
    assert answer.status_code == status
    assert told in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "a JSON object, not a list"),
        (b'"text"', "a JSON object, not text"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
    ],
    ids=["empty", "cut", "list", "text", "utf-16", "deep"],
)
def test_a_body_that_is_no_json_object_is_refused(api, content, told):
    answer = api.post("/rerank", content=content)
    assert answer.status_code == 400
    assert told in answer.json()["error"]["message"]


def test_unknown_paths_and_methods_are_told_in_the_same_shape(api):
    assert api.get("/nowhere").json()["error"]["type"] == "not_found"
    assert api.get("/rerank").json()["error"]["type"] == "method_not_allowed"


def test_appraise_gives_every_decision_of_every_document(api):
    answer = api.post("/v1/appraise", json={"question": QUERY, "documents": [REPORT, TRIAL]}).json()
    keys = {d["key"] for d in answer["audit"]["decisions"] if d["stage"] == "reliability"}
    assert keys == {r["article_id"] for r in answer["results"]} == set(answer["appraisals"])
    trial = answer["appraisals"][answer["results"][0]["article_id"]]
    assert trial["effects"][0]["estimate"] == 0.80


def test_appraise_tells_of_every_document_when_all_of_them_are_left_out(api):
    gone = [{"text": text, "retracted": True} for text in (REPORT, TRIAL)]
    answer = api.post("/v1/appraise", json={"question": QUERY, "documents": gone}).json()
    assert [(r["index"], r["excluded"]) for r in answer["results"]] == [(0, True), (1, True)]
    assert len(answer["appraisals"]) == len(answer["audit"]["identified"]) == 2


def test_appraise_needs_no_question(api):
    answer = api.post("/v1/appraise", json={"documents": [REPORT, TRIAL, ""]}).json()
    assert [r["index"] for r in answer["results"]] == [1, 0, 2]
    assert all(r["relevance"] is None for r in answer["results"])


def test_a_body_or_a_list_that_is_too_long_is_refused(serve):
    server = serve(max_body_bytes=2_000, max_documents=2)
    answer = httpx.post(f"{server.url}/rerank", json=body(documents=["x" * 3_000]), trust_env=False)
    assert (answer.status_code, answer.json()["error"]["type"]) == (413, "too_large")
    answer = httpx.post(f"{server.url}/rerank", json=body(documents=["x"] * 3), trust_env=False)
    assert "3 documents are too many" in answer.json()["error"]["message"]


def test_a_body_without_a_declared_length_is_cut_off_at_the_limit(serve):
    server = serve(max_body_bytes=2_000)
    chunks = b"".join(b"400\r\n" + b" " * 1_024 + b"\r\n" for _ in range(4))
    head = b"POST /rerank HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert b" 413 " in server.raw(head + chunks).splitlines()[0]


def test_a_body_that_comes_drop_by_drop_is_refused_in_time(serve):
    server = serve(read_seconds=0.3)
    head = b"POST /rerank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n"
    answer = server.raw(head, b"{", b'"', pause=0.05)
    assert b" 408 " in answer.splitlines()[0]
    assert b"not complete after 0.3 seconds" in answer


def test_a_head_that_comes_drop_by_drop_is_refused_in_time_also_on_a_second_request(serve):
    server = serve(read_seconds=0.3)
    assert b" 408 " in server.raw(b"GET /healthz HTTP/1.1\r\nHo").splitlines()[0]
    both = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /heal", pause=0.1)
    assert both.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in both


def test_a_token_is_asked_for_everywhere_but_at_the_health_check(serve):
    server = serve(token="s3cret-value")
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        assert client.get("/healthz").status_code == 200
        refused = client.post("/rerank", json=body())
        assert refused.status_code == 401
        assert "s3cret" not in refused.text
        for wrong in ("Bearer s3cret", "s3cret-value", "Bearer s3cret-value2", "bearer"):
            assert client.get("/metrics", headers={"Authorization": wrong}).status_code == 401
        allowed = {"Authorization": "Bearer s3cret-value"}
        assert client.post("/rerank", json=body(), headers=allowed).status_code == 200


def test_more_requests_than_may_wait_are_told_to_come_back(serve):
    server = serve(workers=1, max_waiting=0)
    documents = [TRIAL + f" Centre {n}." for n in range(300)]
    statuses = []

    def ask():
        answer = httpx.post(
            f"{server.url}/rerank", json=body(documents=documents), trust_env=False, timeout=60
        )
        statuses.append((answer.status_code, answer.headers.get("retry-after")))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (200, None) in statuses
    assert (503, "2") in statuses
    assert {status for status, _ in statuses} == {200, 503}


def test_the_counters_count_and_hold_no_text(serve):
    with httpx.Client(base_url=serve().url, trust_env=False, timeout=20) as client:
        client.post("/rerank", json=body())
        client.post("/rerank", json=body(query=3))
        text = client.get("/metrics").text
    assert 'metarag_requests_total{path="/rerank",status="200"} 1' in text
    assert 'metarag_requests_total{path="/rerank",status="422"} 1' in text
    assert "metarag_documents_total 2" in text
    assert "tablets" not in text


def test_the_description_names_every_endpoint_and_loads_nothing_from_elsewhere(api):
    described = api.get("/openapi.json").json()
    assert {"/rerank", "/v1/rerank", "/v2/rerank", "/v1/appraise", "/healthz", "/metrics"} <= set(
        described["paths"]
    )
    schema = described["paths"]["/rerank"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["query"]
    assert api.get("/docs").status_code == 404


def test_answers_are_the_same_for_the_same_request(api):
    first, second = (api.post("/rerank", json=body()).json() for _ in range(2))
    assert json.dumps(first["results"]) == json.dumps(second["results"])
