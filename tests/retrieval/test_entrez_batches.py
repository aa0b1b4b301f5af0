"""Batches with something in them that PubMed cannot answer: it costs that one id, and is told."""

import numpy as np
import pytest
from entrez_model import Answer
from entrez_records import synthetic_entries
from entrez_server import answers
from pubmed_builders import article_set, record

from metarag.errors import ConfigurationError, PubMedOverloadError, PubMedUnavailableError
from metarag.records import Article
from metarag.retrieval.entrez import LinkKind
from metarag.retrieval.entrez_fetch import MOST_IN_VAIN
from metarag.retrieval.pmids import pmid_in, sort_out

SOME = synthetic_entries(600)
IDS = [entry.pmid for entry in SOME]
TIMEOUT = (
    b"<eFetchResult><ERROR>Error: External viewer error: Empty Response. Bytes read: 0 Status: Timeout"
    b"</ERROR></eFetchResult>"
)


def refuses(server, utility, *pmids, body, status=400):
    """Let a server answer with ``body`` whenever one of these ids is asked for."""
    usual = getattr(server.model, utility)

    def answer(parameters):
        asked = [pmid for joined in parameters.get("id", []) for pmid in joined.split(",")]
        return Answer(body, status) if set(pmids) & set(asked) else usual(parameters)

    setattr(server.model, utility, answer)


@pytest.mark.parametrize("place", [0, 250, 599])
def test_a_record_that_pubmed_cannot_make_costs_no_other(pubmed, talk_to, place):
    server = pubmed(SOME)
    refuses(server, "efetch", IDS[place], body=TIMEOUT)
    result = talk_to(server, max_tries=2).fetch(IDS)
    assert [a.pmid for a in result.articles] == [pmid for pmid in IDS if pmid != IDS[place]]
    assert result.unfetched == (IDS[place],)
    assert result.missing == ()
    assert "External viewer error" in result.messages[0]


def test_a_record_that_is_larger_than_allowed_costs_no_other(pubmed, talk_to):
    server = pubmed(SOME)
    usual = server.model.efetch
    large = record(IDS[7], article="<Language>eng</Language>" * 40_000)
    server.model.efetch = lambda parameters: Answer(
        usual(parameters).body.replace(SOME[7].whole.encode(), large.encode())
    )
    result = talk_to(server, max_bytes=500_000).fetch(IDS)
    assert len(result.articles) == 599
    assert result.unfetched == (IDS[7],)
    assert "larger than" in result.messages[0]


def test_when_pubmed_makes_no_record_at_all_it_is_not_asked_for_each(pubmed, talk_to):
    server = pubmed(SOME)
    refuses(server, "efetch", *IDS[200:], body=TIMEOUT)
    result = talk_to(server, max_tries=1).fetch(IDS)
    assert [a.pmid for a in result.articles] == IDS[:200]
    assert result.unfetched == tuple(IDS[200:])
    # 200 at once, then halves down to single ids, of which the third ends it.
    assert len(server.seen) < 12 + MOST_IN_VAIN


def test_nothing_fetched_at_all_is_an_error(pubmed, talk_to):
    server = pubmed(SOME)
    refuses(server, "efetch", *IDS, body=TIMEOUT)
    for count in (1, 2, 50):
        with pytest.raises(PubMedOverloadError):
            talk_to(server, max_tries=1).fetch(IDS[:count])


@pytest.mark.parametrize("status", [200, 400])
def test_an_id_that_pubmed_calls_invalid_is_missing_and_costs_no_other(pubmed, talk_to, status):
    server = pubmed(SOME)
    wrong = (IDS[3], IDS[450])
    refuses(
        server,
        "efetch",
        *wrong,
        body=b"<eFetchResult><ERROR>Invalid uid 1000004 at position= 0</ERROR></eFetchResult>",
        status=status,
    )
    result = talk_to(server).fetch(IDS)
    assert len(result.articles) == 598
    assert (result.missing, result.unfetched) == (wrong, ())


@pytest.mark.parametrize(
    "said",
    [
        "<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR></eFetchResult>",
        "ID list is empty! Possibly it has no correct IDs.",
        "<PubmedArticleSet></PubmedArticleSet>",
    ],
)
def test_ids_of_which_none_exists_are_missing_at_once(pubmed, talk_to, said):
    server = pubmed()
    server.fail("efetch", answers(said))
    result = talk_to(server).fetch(["77", "78", "79"])
    assert result.missing == ("77", "78", "79")
    assert result.unfetched == ()
    assert len(server.seen) == 1


def test_what_cannot_be_read_is_not_told_twice_when_a_later_half_fails(pubmed, talk_to):
    server = pubmed()
    bad = record(90000001).replace("</Journal>", "</Jour>")
    server.fail("efetch", answers(TIMEOUT, 400), answers(article_set(bad, record(90000002))))
    server.fail("efetch", answers("down", 503))
    result = talk_to(server, max_tries=1).fetch(["90000001", "90000002", "90000003", "90000004"])
    assert [f.pmid for f in result.failures] == ["90000001"]
    assert result.unfetched == ("90000003", "90000004")
    assert [a.pmid for a in result.articles] == ["90000002"]


def test_articles_are_handed_over_answer_by_answer(pubmed, talk_to):
    server, kept = pubmed(SOME), []
    server.model.by_pmid = dict(server.model.by_pmid)

    def stop(done, total):
        if done == 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        talk_to(server).fetch(IDS, progress=stop, arrived=kept.extend)
    assert sorted(a.pmid for a in kept) == IDS[:400]


def test_one_wrong_id_costs_no_other_summary(pubmed, talk_to):
    server = pubmed(SOME)
    refuses(server, "esummary", IDS[7], body=b'{"error":"Invalid uid 1000008 at position= 7"}')
    found = talk_to(server).esummary(IDS)
    assert len(found.summaries) == 599
    assert found.missing == (IDS[7],)


def test_one_wrong_id_costs_no_other_links(pubmed, talk_to):
    server = pubmed(SOME)
    refuses(server, "elink", IDS[7], body=b'{"ERROR":"Invalid uid 1000008"}')
    found = talk_to(server).elink(IDS[:20], LinkKind.REFERENCES)
    assert len(found.links) == 19
    assert found.missing == (IDS[7],)


def test_a_set_of_links_with_an_error_in_it_is_not_taken_for_none(pubmed, talk_to):
    server = pubmed()
    body = (
        '{"linksets": [{"ids": ["1"], "ERROR": "backend"},'
        ' {"ids": ["2"], "linksetdbs": [{"linkname": "pubmed_pubmed_refs", "links": ["3"]}]}]}'
    )
    server.fail("elink", answers(body, type="application/json"))
    found = talk_to(server).elink(["1", "2"], LinkKind.REFERENCES)
    assert found.missing == ("1",)
    assert found.links[0].linked == ("3",)


@pytest.mark.parametrize("batch", [0, -1])
def test_a_batch_of_nothing_is_refused_and_never_read_as_nothing_found(pubmed, talk_to, batch):
    client = talk_to(pubmed())
    _, history = client.esearch("zinc")
    for call in (
        lambda: client.fetch(["1"], batch=batch),
        lambda: client.esummary(["1"], batch=batch),
        lambda: client.elink(["1"], batch=batch),
        lambda: list(client.efetch_history(history, total=5, batch=batch)),
    ):
        with pytest.raises(ConfigurationError, match="batch must be 1 or more"):
            call()


def test_more_summaries_than_pubmed_gives_at_once_are_not_asked_for(pubmed, talk_to):
    server = pubmed(SOME)
    with pytest.raises(ConfigurationError, match="500 summaries at a time"):
        talk_to(server).esummary(IDS, batch=501)
    assert len(talk_to(server).esummary(IDS, batch=500).summaries) == 600


def test_links_of_no_kind_are_refused_by_name(pubmed, talk_to):
    with pytest.raises(ConfigurationError, match="no links called 'pubmed_pubmed_ref'; did you mean"):
        talk_to(pubmed()).elink(["1"], "pubmed_pubmed_ref")


def test_a_set_that_expires_and_comes_back_in_another_order_loses_and_repeats_nothing(pubmed, talk_to):
    server = pubmed(SOME)
    client = talk_to(server)
    _, history = client.esearch("x", count=1)

    def renew():
        _, renewed = client.esearch("x", count=1)
        server.model.sessions[renewed.webenv].reverse()
        return renewed

    got = []
    for one in client.efetch_history(history, total=600, batch=100, renew=renew):
        assert isinstance(one, Article)
        got.append(one.pmid)
        if len(got) == 250:
            server.model.sessions.clear()
    assert len(got) == 600
    assert set(got) == set(IDS)


def test_whole_numbers_of_numpy_are_pmids_and_arrays_are_lists_of_them(pubmed, talk_to):
    client = talk_to(pubmed())
    assert client.fetch(np.array([90000002, 90000001])).is_complete
    assert [a.pmid for a in client.fetch(np.int64(90000001)).articles] == ["90000001"]
    assert sort_out([np.int32(5), 5, "5", "0005"]) == (("5",), ())


@pytest.mark.parametrize(
    "odd",
    [
        *(
            "1.5",
            1.0,
            True,
            None,
            b"1",
            "１２３",
            "٣",
            "+5",
            "-5",
            "1e6",
            "",
            "1,2",
            "1 2",
            "PMC1",
            "12345678901",
        ),
        *(
            np.float64(7),
            np.array([7]),
            [7],
            "https://example.org/7",
            "https://pubmed.ncbi.nlm.nih.gov/?term=7",
        ),
    ],
)
def test_what_only_looks_like_a_pmid_is_none(odd):
    assert pmid_in(odd) is None
    pmids, invalid = sort_out([odd, "7"])
    assert pmids == ("7",)
    assert len(invalid) == 1


def test_an_id_that_is_none_is_shown_without_what_a_terminal_obeys():
    assert sort_out(["\x1b[31m1\u202e"]) == ((), (" [31m1 ",))


def test_a_server_that_is_down_is_not_asked_for_halves(pubmed, talk_to):
    server = pubmed()
    server.fail("efetch", *[answers("down", 503)] * 9)
    with pytest.raises(PubMedUnavailableError):
        talk_to(server, max_tries=2).fetch(["1", "2", "3"])
    assert len(server.seen) == 2
