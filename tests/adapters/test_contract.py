"""What users of other rerankers complained of, run over every adapter that is installed.

The numbers in the names are those of the table in `docs/plugins.md`.
"""

import asyncio
import copy
import json
import math
import os
import pickle
import subprocess
import sys

import pytest
from adapters.hosts import HOSTS, Spec, run_async

QUERY = "Do imaginary tablets prevent stroke in adults?"
OTHER_QUERY = "Does an invented diet shorten fever in children?"
TRIAL = (
    "Imaginary tablets and stroke: a randomised trial. We randomised 400 adults to imaginary tablets or placebo."
    " Stroke was rarer with tablets (RR 0.80, 95% CI 0.70 to 0.91)."
)
REPORT = "Stroke after imaginary tablets: a case report. We describe a woman of 70 with stroke."
MICE = "Imaginary tablets in mice with stroke. We gave imaginary tablets to mice after stroke."


def three():
    return [
        Spec(REPORT, "report", {"page": 3, "nested": {"a": [1, 2]}}, 0.9),
        Spec(MICE, "mice", {"page": 5, "relevance_score": 0.99, "score": 0.99, "nested": {"a": []}}, None),
        Spec(TRIAL, "trial", {"page": 7, "nested": {"b": {"c": 1}}}, 0.1),
    ]


def by_text(seen):
    return {item.text: item for item in seen}


def test_01_metadata_stay(host):
    if not host.keeps_metadata:
        pytest.skip(f"{host.name} has no metadata")
    given = {s.text: s.metadata for s in three()}
    for item in host.rank(three(), QUERY):
        stays = {k: v for k, v in given[item.text].items() if k not in ("relevance_score", "score")}
        assert {k: item.metadata[k] for k in stays} == stays


def test_02_ids_stay(host):
    if not host.keeps_ids:
        pytest.skip(f"{host.name} has no ids")
    assert {item.id: item.text for item in host.rank(three(), QUERY)} == {s.id: s.text for s in three()}


def test_03_what_is_given_is_not_changed_and_a_second_query_leaves_the_first_result_alone(host):
    adapter, documents = host.make(), host.build(three())
    before = copy.deepcopy(documents)
    first = host.seen(host.run(adapter, documents, QUERY))
    kept = copy.deepcopy(first)
    host.run(adapter, documents, OTHER_QUERY)
    assert list(map(str, documents)) == list(map(str, before))
    assert first == kept


def test_04_the_given_list_keeps_its_order(host):
    documents = host.build(three())
    identities = [id(d) for d in documents]
    host.run(host.make(), documents, QUERY)
    assert [id(d) for d in documents] == identities


def test_05_scores_are_plain_floats_that_json_takes(host):
    for item in host.rank(three(), QUERY):
        assert type(item.score) is float
        assert json.loads(json.dumps({"s": item.score, "r": item.result}))["s"] == item.score


def test_06_every_document_has_its_score(host):
    assert all(item.score is not None for item in host.rank(three(), QUERY))


def test_07_a_score_from_before_does_not_win(host):
    assert by_text(host.rank(three(), QUERY))[MICE].score != 0.99


def test_08_no_documents_are_no_error(host):
    assert host.rank([], QUERY) == []
    assert host.rank([], "") == []


def test_09_each_score_belongs_to_its_document_whatever_the_order(host):
    forward = {t: s.score for t, s in by_text(host.rank(three(), QUERY)).items()}
    backward = {t: s.score for t, s in by_text(host.rank(three()[::-1], QUERY)).items()}
    assert forward == backward
    assert max(forward, key=forward.get) == TRIAL


def test_10_blank_and_repeated_documents_are_all_there(host):
    specs = [Spec(TRIAL, "a"), Spec("", "b"), Spec(TRIAL, "c"), Spec(" ", "d"), Spec("", "e")]
    seen = host.rank(specs, QUERY)
    assert sorted(item.text for item in seen) == sorted(s.text for s in specs)
    assert [item.text for item in seen[:2]] == [TRIAL, TRIAL]


def test_11_a_limit_above_the_number_of_documents_is_no_error(host):
    assert len(host.rank(three(), QUERY, top_n=99)) == 3


def test_12_a_limit_is_kept_and_none_is_all(host):
    assert [item.text for item in host.rank(three(), QUERY, top_n=1)] == [TRIAL]
    assert len(host.rank(three(), QUERY, top_n=None)) == 3


def test_13_there_is_exactly_one_score_for_each_document_also_the_excluded(host):
    specs = [
        *three(),
        Spec("Retraction: tablets and stroke.", "r", {"publication_type": "Retracted Publication"}),
    ]
    assert len(host.rank(specs, QUERY)) == 4


def test_13_no_document_is_lost_when_all_of_them_are_excluded(host):
    if not host.reads_metadata:
        pytest.skip(f"{host.name} hands over text only")
    gone = {"publication_types": ["Retracted Publication"]}
    seen = host.rank([Spec(TRIAL, "a", gone), Spec(REPORT, "b", gone)], QUERY)
    assert [(item.text, item.score) for item in seen] == [(TRIAL, 0.0), (REPORT, 0.0)]


@pytest.mark.parametrize(
    "text",
    ["x", "é" * 5_000, "95% CI 0.0 to 1e309, RR -5, p<0", "\x00\x1b[31m", "1 " * 3_000, "(" * 2_000, "🩺"],
    ids=["x", "long", "numbers", "control", "digits", "brackets", "emoji"],
)
def test_14_scores_lie_between_0_and_1_whatever_the_text(host, text):
    for item in host.rank([Spec(text, "odd"), Spec(TRIAL, "t")], QUERY):
        assert 0.0 <= item.score <= 1.0
        assert math.isfinite(item.score)


def test_15_a_score_does_not_depend_on_the_other_documents(host):
    alone = host.rank([Spec(TRIAL, "t")], QUERY)[0].score
    together = by_text(host.rank(three(), QUERY))[TRIAL].score
    assert alone == together > 0


def test_17_async_gives_the_same_and_is_the_adapters_own(host):
    if not host.has_async:
        pytest.skip(f"{host.name} is called synchronously")
    adapter, documents = host.make(), host.build(three())
    assert run_async(host, adapter, documents, QUERY) == host.seen(host.run(adapter, documents, QUERY))


def test_18_one_adapter_serves_several_event_loops(host):
    if not host.has_async:
        pytest.skip(f"{host.name} is called synchronously")
    adapter, documents = host.make(), host.build(three())
    assert run_async(host, adapter, documents, QUERY) == run_async(host, adapter, documents, QUERY)


def test_17_the_event_loop_goes_on_while_documents_are_ranked(host):
    if not host.has_async:
        pytest.skip(f"{host.name} is called synchronously")
    adapter = host.make()
    documents = host.build([Spec(f"{TRIAL} Centre {n}.", str(n)) for n in range(60)])

    async def both():
        work = asyncio.ensure_future(host.arun(adapter, documents, QUERY))
        turns = 0
        while not work.done():
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert asyncio.run(both()) > 3


def test_23_what_is_known_of_the_study_counts_and_where_it_was_found_does_not(host):
    if not host.reads_metadata:
        pytest.skip(f"{host.name} hands over text only")
    text = "Imaginary tablets and stroke. Tablets were given to adults with stroke."

    def score(**metadata):
        return host.rank([Spec(text, "d", metadata)], QUERY)[0].score

    assert score(publication_type="Randomized Controlled Trial") > score(publication_type="Case Reports")
    assert score(url="https://a.test/1") == score(url="https://b.test/2") == score()


def test_27_adapters_and_results_can_be_pickled_and_copied(host):
    if host.name in ("txtai", "tool"):
        pytest.skip("there is nothing but a function")
    adapter = host.make()
    documents = host.build(three())
    expected = host.seen(host.run(adapter, documents, QUERY))
    for other in (copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))):
        assert host.seen(host.run(other, documents, QUERY)) == expected
    if host.name != "rerankers":  # its own Result recurses without end
        found = host.run(adapter, documents, QUERY)
        assert host.seen(pickle.loads(pickle.dumps(copy.deepcopy(found)))) == expected


def test_28_ties_keep_the_given_order(host):
    specs = [Spec(TRIAL, str(n), {"page": n}) for n in range(6)]
    seen = host.rank(specs, QUERY)
    if host.keeps_ids:
        assert [item.id for item in seen] == [s.id for s in specs]
    assert len({item.score for item in seen}) == 1


def test_31_a_document_without_any_text_comes_last_and_says_why(host):
    seen = host.rank([Spec("", "a"), Spec(REPORT, "b")], QUERY)
    assert [item.text for item in seen] == [REPORT, ""]
    assert seen[1].score == 0.0
    if seen[1].result:
        assert seen[1].result["excluded"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"year": "n.d."},
        {"year": float("nan")},
        {"pmid": -3, "doi": 7, "title": None, "publication_types": {"a": 1}},
        {"mesh": "[not json", "authors": 5, "journal": [], "language": {}},
        {"PMID": "not a number", "pub_date": "soon", "publicationTypes": [None, 3, {"name": None}]},
        {"retracted": "maybe", "keywords": [["nested"]], "abstract": "   "},
        {"title": "\ud800", "abstract": "lone \udfff surrogate"},
    ],
    ids=lambda value: ",".join(value),
)
def test_32_odd_metadata_cost_nothing_but_themselves(host, metadata):
    for item in host.rank([Spec(TRIAL, "t", metadata), Spec(REPORT, "r")], QUERY):
        assert math.isfinite(item.score)
        assert 0 < item.score <= 1


def test_excluded_documents_come_last_flagged_and_go_only_on_request(host):
    if not host.reads_metadata:
        pytest.skip(f"{host.name} hands over text only")
    retracted = Spec(TRIAL + " More.", "gone", {"publication_types": ["Retracted Publication"]})
    seen = host.rank([retracted, Spec(REPORT, "r")], QUERY)
    assert [item.text for item in seen] == [REPORT, retracted.text]
    assert seen[1].score == 0.0
    if host.name not in ("txtai", "tool"):
        assert "etracted" in seen[1].result["reason"]
        assert len(host.rank([retracted, Spec(REPORT, "r")], QUERY, drop_excluded=True)) == 1


@pytest.mark.parametrize("query", ["", "   ", "???"])
def test_without_a_question_the_study_itself_decides(host, query):
    seen = host.rank([Spec(REPORT, "r"), Spec(TRIAL, "t")], query)
    assert [item.text for item in seen] == [TRIAL, REPORT]


def test_settings_of_metarag_reach_the_ranking_and_a_wrong_one_is_told_at_once(host):
    if host.name == "tool":
        pytest.skip("the tool has no settings")
    plain, paper = (host.rank(three(), QUERY, settings={"preset": p}) for p in ("recommended", "paper"))
    assert [i.score for i in plain] != [i.score for i in paper]
    with pytest.raises(ValueError, match="preset"):
        host.rank([], QUERY, settings={"preset": "nonsense"})


ORDER = """
import sys
sys.path.insert(0, {tests!r})
from adapters.hosts import HOSTS, Spec
from adapters.test_contract import TRIAL, QUERY, three
host = next(h for h in HOSTS if h.name == {name!r})
print([(s.text[:20], s.score) for s in host.rank([*three(), *three()[:2]], QUERY)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [next(h.name for h in HOSTS if h.missing() is None)])
def test_28_the_order_is_the_same_in_every_process(name):
    from pathlib import Path

    script = ORDER.format(tests=str(Path(__file__).parents[1]), name=name)
    shown = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(shown) == 1
