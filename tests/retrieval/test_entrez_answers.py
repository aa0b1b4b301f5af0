"""Whatever comes back, the client returns an answer or one of its own errors."""

import json

import httpx
import pytest
from clocks import SkippingClock
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import MetaragError, PubMedRecordError, PubMedRejectedError
from metarag.retrieval.entrez import EntrezClient, RateLimiter
from metarag.retrieval.pmids import pmid_in, pubmed_url, sort_out

NAMES = st.sampled_from(
    ["error", "ERROR", "result", "uids", "1", "esearchresult", "count", "idlist", "errorlist", "warninglist",
     "phrasesnotfound", "linksets", "ids", "linksetdbs", "linkname", "links", "id", "score", "einforesult",
     "dbinfo", "fieldlist", "name", "termcount", "articleids", "authors", "title"]
)  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 99)
    | st.sampled_from(["", "1", "x", "pubmed_pubmed", "9" * 30])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
BODIES = st.binary(max_size=60) | st.dictionaries(NAMES, JSON, max_size=3).map(
    lambda v: json.dumps(v).encode()
)
CALLS = (
    lambda c: c.search("x"),
    lambda c: c.esearch("x"),
    lambda c: c.fetch(["1"]),
    lambda c: c.esummary(["1"]),
    lambda c: c.epost(["1"]),
    lambda c: c.elink(["1"]),
    lambda c: c.espell("x"),
    lambda c: c.einfo_fields(),
)


def client_of(body, status=200):
    clock = SkippingClock()
    return EntrezClient(
        "http://127.0.0.1:9/",
        transport=httpx.MockTransport(lambda request: httpx.Response(status, content=body)),
        limiter=RateLimiter(1000, clock=clock, sleep=clock.sleep),
        clock=clock,
        sleep=clock.sleep,
        max_tries=1,
    )


@given(body=BODIES, call=st.sampled_from(CALLS), status=st.sampled_from([200, 200, 200, 400, 429, 500]))
@settings(max_examples=150, deadline=None)
def test_no_body_raises_anything_but_our_errors(body, call, status):
    with client_of(body, status) as client:
        try:
            said = repr(call(client))
        except MetaragError as error:
            said = str(error)
    assert 0 < len(said) < 2_000


@pytest.mark.parametrize("body", [b"{}", b'{"result": {}}', b'{"result": {"uids": 5}}'])
def test_summaries_that_are_none_are_an_error(body):
    with client_of(body) as client, pytest.raises(PubMedRecordError, match="no summaries"):
        client.esummary(["1"])


def test_links_for_several_articles_in_one_set_are_no_answer_to_what_was_asked():
    body = b'{"linksets": [{"ids": ["1", "2"], "linksetdbs": []}]}'
    with client_of(body) as client, pytest.raises(PubMedRecordError, match="no links as asked for"):
        client.elink(["1", "2"])


def test_links_are_read_as_plain_numbers_too():
    body = (
        b'{"linksets": [{"ids": [1], "linksetdbs": [{"linkname": "pubmed_pubmed_refs", "links": [2, "3"]}]}]}'
    )
    with client_of(body) as client:
        (links,) = client.elink([1], "pubmed_pubmed_refs").links
    assert (links.linked, links.scores) == (("2", "3"), ())


def test_posted_ids_that_pubmed_refuses_are_named():
    body = b"<ePostResult><InvalidIdList><Id>7</Id></InvalidIdList><QueryKey>1</QueryKey><WebEnv>M</WebEnv></ePostResult>"
    with client_of(body) as client, pytest.raises(PubMedRecordError, match="invalid: 7"):
        client.epost(["7"])


def test_too_many_summaries_at_once_are_not_asked_again():
    body = b'{"header": {}, "error": "Too many UIDs in request. Maximum number of UIDs is 500"}'
    with client_of(body) as client, pytest.raises(PubMedRejectedError, match="Too many UIDs"):
        client.esummary(["1"])


@pytest.mark.parametrize(
    ("text", "pmid"),
    [
        ("123", "123"),
        (123, "123"),
        (" PMID: 00123 ", "123"),
        ("pmid123", "123"),
        ("http://www.ncbi.nlm.nih.gov/pubmed/123", "123"),
        ("https://pubmed.ncbi.nlm.nih.gov/123/?from=x#a", "123"),
        ("", None),
        ("0", None),
        ("12345678901", None),
        ("12a", None),
        ("１２３", None),
        ("https://example.org/123", None),
        (None, None),
        (b"123", None),
    ],
)
def test_a_pmid_is_read_as_it_is_written(text, pmid):
    assert pmid_in(text) == pmid


@given(st.integers(1, 9_999_999_999))
def test_a_pmid_and_its_address_are_one(number):
    assert pmid_in(pubmed_url(number)) == str(number)
    assert pmid_in(f"http://www.ncbi.nlm.nih.gov/pubmed/{number}") == str(number)


def test_what_is_no_pmid_has_no_address():
    with pytest.raises(ValueError, match="no PMID"):
        pubmed_url("x")


def test_ids_are_told_from_what_is_none():
    assert sort_out(["2", 1, "x", "2"]) == (("2", "1"), ("x",))
    assert sort_out("12") == (("12",), ())
