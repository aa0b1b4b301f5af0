"""Whatever a host hands over costs at most itself: odd values, odd limits, other threads, later changes."""

import asyncio
import copy
import decimal
import enum
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from adapters.hosts import Spec
from adapters.test_contract import MICE, OTHER_QUERY, QUERY, REPORT, TRIAL, three

HOLDS_ATTRIBUTES = ("langchain", "llamaindex", "haystack", "dspy", "rerankers")
HAS_LIMIT = ("langchain", "llamaindex", "haystack", "dspy", "tool")
FIELDS = "pmid doi pmcid title abstract publication_types mesh keywords year journal authors language nct retracted"


class Touchy:
    """Fails at whatever is tried with it."""

    def _fail(self, *_):
        raise RuntimeError("not to be touched")

    __str__ = __repr__ = __eq__ = __bool__ = __len__ = __iter__ = __deepcopy__ = __reduce_ex__ = _fail
    __hash__ = object.__hash__


def holds_itself():
    listed = ["Aspirin"]
    listed.append(listed)
    return listed


ODD = {
    "touchy": Touchy(),
    "lock": threading.Lock(),
    "iterator": iter(["Aspirin"]),
    "arrays": np.array([1, 2]),
    "empty array": np.array([]),
    "series": pd.Series(["Aspirin", None]),
    "missing": pd.NA,
    "no time": pd.NaT,
    "nan": float("nan"),
    "infinite": float("-inf"),
    "signalling": decimal.Decimal("sNaN"),
    "digits": 10**5_000,
    "bytes": b"\xff\xfe",
    "itself": holds_itself(),
    "deep": json.loads("[" * 200 + "]" * 200),
    "brackets": "[" * 50_000,
    "long": "word " * 100_000,
    "many": ["Aspirin"] * 10_000,
    "enumeration": enum.Enum("Kind", "RCT").RCT,
    "set": {"Aspirin", 3},
    "surrogate": "\ud800",
    "broken doi": "10.1000/x\ud800",
}


@pytest.mark.parametrize("kind", ODD)
def test_a_value_of_any_kind_under_every_key_costs_no_document(host, kind):
    specs = [Spec(TRIAL, "t", dict.fromkeys(FIELDS.split(), ODD[kind])), Spec(REPORT, "r")]
    seen = host.rank(specs, QUERY)
    assert sorted(item.text for item in seen) == sorted([TRIAL, REPORT])
    assert all(0 <= item.score <= 1 for item in seen)
    json.dumps([item.result for item in seen])


def test_containers_are_copied_and_what_cannot_be_copied_is_shared(host):
    if not host.keeps_metadata:
        pytest.skip(f"{host.name} has no metadata")
    lock, nested = threading.Lock(), {"a": [1, (2, [3])]}
    documents = host.build([Spec(TRIAL, "t", {"lock": lock, "nested": nested})])
    found = host.seen(host.run(host.make(), documents, QUERY))[0].metadata
    assert found["lock"] is lock
    found["nested"]["a"][1][1].append(4)
    assert nested == {"a": [1, (2, [3])]}


@pytest.mark.parametrize("top_n", [0, -1, "5", 2.5])
def test_a_limit_that_is_none_is_refused_and_not_read_as_all(host, top_n):
    if host.name not in HAS_LIMIT:
        pytest.skip(f"{host.name} cuts by itself")
    if host.name in ("langchain", "llamaindex") and top_n == "5":
        pytest.skip("pydantic reads a number from text")
    with pytest.raises(ValueError, match=r"greater than|at least 1|valid integer"):
        host.rank(three(), QUERY, top_n=top_n)


def test_a_synchronous_call_works_while_an_event_loop_runs(host):
    async def inside():
        return host.rank(three(), QUERY)

    assert asyncio.run(inside()) == host.rank(three(), QUERY)


def test_one_adapter_serves_several_threads_with_questions_of_their_own(host):
    adapter, documents = host.make(), host.build(three())
    questions = [QUERY, OTHER_QUERY, "", QUERY] * 2
    one_by_one = [host.seen(host.run(adapter, documents, q)) for q in questions]
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda q: host.seen(host.run(adapter, documents, q)), questions)
        assert list(found) == one_by_one


def test_what_is_set_after_an_adapter_was_made_counts(host):
    if host.name not in HOLDS_ATTRIBUTES:
        pytest.skip(f"{host.name} holds no settings that could be changed")
    gone = Spec(MICE, "gone", {"publication_types": ["Retracted Publication"]})
    adapter, documents = host.make(), host.build([Spec(TRIAL, "t"), gone])
    before = host.seen(host.run(adapter, documents, QUERY))
    adapter.drop_excluded = True
    assert len(host.seen(host.run(adapter, documents, QUERY))) == len(before) - 1
    adapter.drop_excluded, adapter.settings = False, {"preset": "paper"}
    assert host.seen(host.run(adapter, documents, QUERY)) != before
    adapter.settings = {"preset": "nonsense"}
    with pytest.raises(ValueError, match="preset"):
        host.run(adapter, documents, QUERY)


def test_a_changed_copy_leaves_the_first_adapter_as_it_was(host):
    if host.name not in HOLDS_ATTRIBUTES:
        pytest.skip(f"{host.name} holds no settings that could be changed")
    adapter, documents = host.make(settings={"preset": "recommended"}), host.build(three())
    before = host.seen(host.run(adapter, documents, QUERY))
    other = copy.copy(adapter)
    other.settings = {"preset": "paper"}
    assert host.seen(host.run(other, documents, QUERY)) != before
    assert host.seen(host.run(adapter, documents, QUERY)) == before


def test_a_single_document_and_a_very_long_one_are_ranked(host):
    assert len(host.rank([Spec(TRIAL, "t")], QUERY)) == 1
    seen = host.rank([Spec(f"{TRIAL} More was found." * 10_000, "long"), Spec(REPORT, "r")], QUERY)
    assert len(seen) == 2
