from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.errors import ModelBudgetError
from metarag.llm.budget import Budget, Prices


def spend(budget, tokens, *, used=None, worked=True):
    assert budget.reserve(tokens, seconds=1)
    input_tokens, output_tokens = used or (None, None)
    budget.settle(tokens, input_tokens=input_tokens, output_tokens=output_tokens, worked=worked)


def test_without_limits_everything_is_counted():
    budget = Budget()
    spend(budget, 100, used=(30, 5))
    spend(budget, 100, worked=False)
    spent = budget.spending()
    assert (spent.calls, spent.answered, spent.input_tokens, spent.output_tokens) == (2, 1, 30, 5)
    assert spent.unmetered == 0


def test_the_cost_is_unknown_without_prices_and_never_zero():
    budget = Budget()
    spend(budget, 100, used=(30, 5))
    assert budget.spending().cost is None


def test_the_cost_follows_the_prices():
    budget = Budget(prices=Prices(input_per_million=2.0, output_per_million=10.0, currency="EUR"))
    spend(budget, 2_000_000, used=(1_000_000, 100_000))
    assert budget.spending().cost == pytest.approx(3.0)
    assert budget.spending().currency == "EUR"


def test_one_answer_without_a_count_makes_the_cost_unknown():
    budget = Budget(prices=Prices(input_per_million=1.0, output_per_million=1.0))
    spend(budget, 100, used=(30, 5))
    spend(budget, 100)
    assert budget.spending().unmetered == 1
    assert budget.spending().cost is None


def test_an_answer_without_a_count_takes_its_whole_reservation():
    budget = Budget(max_tokens=150)
    spend(budget, 100)
    with pytest.raises(ModelBudgetError, match="100 of 150 tokens"):
        budget.reserve(60, seconds=1)


def test_a_request_that_was_turned_away_takes_no_tokens():
    budget = Budget(max_tokens=150)
    spend(budget, 100, worked=False)
    spend(budget, 100, used=(10, 10))
    assert budget.spending().calls == 2


def test_a_request_waits_for_others_that_may_turn_out_smaller():
    budget = Budget(max_tokens=150)
    assert budget.reserve(100, seconds=1)
    assert not budget.reserve(100, seconds=0.01)
    assert budget.spending().calls == 1
    got = []
    waiting = threading.Thread(target=lambda: got.append(budget.reserve(100, seconds=30)), daemon=True)
    waiting.start()
    budget.settle(100, input_tokens=20, output_tokens=5, worked=True)
    waiting.join(timeout=2)
    assert got == [True], "it goes on as soon as there is room"


@pytest.mark.parametrize("limit", [{"max_calls": -1}, {"max_tokens": -1}])
def test_a_negative_limit_is_refused(limit):
    with pytest.raises(ValueError, match="0 or more"):
        Budget(**limit)


def test_a_budget_of_no_calls_allows_none():
    with pytest.raises(ModelBudgetError, match="raise max_calls"):
        Budget(max_calls=0).reserve(1, seconds=1)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 100), st.booleans()), max_size=40))
@settings(deadline=None, max_examples=100)
def test_tokens_in_use_never_exceed_the_limit(steps):
    budget = Budget(max_tokens=200)
    for reserved, percent, metered in steps:
        used = (reserved * percent // 100, 0) if metered else None
        try:
            spend(budget, reserved, used=used)
        except ModelBudgetError:
            break
        spent = budget.spending()
        assert spent.input_tokens + spent.output_tokens <= 200
