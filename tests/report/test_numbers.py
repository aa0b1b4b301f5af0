import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.report.numbers import count, decimal, interval, p_value, percent, printed, signed


@pytest.mark.parametrize(
    ("value", "scale", "shown"),
    [
        (0.0, "log", "1.00"),
        (math.log(0.512), "log", "0.51"),
        (math.log(0.0153), "log", "0.015"),
        (math.log(20.16), "log", "20.2"),
        (math.log(250.4), "log", "250"),
        (math.log(4e8), "log", "> 1,000"),
        (-800.0, "log", "< 0.001"),
        (5000.0, "log", "> 1,000"),
        (-2.5, "identity", "−2.50"),
        (-0.0000001, "identity", "0.000000"),
        (-0.0, "identity", "0.00"),
        (1234.5, "identity", "1,234"),
        (None, "log", "not assessed"),
    ],
)
def test_an_effect_is_printed_on_its_own_scale(value, scale, shown):
    assert printed(value, scale) == shown


@pytest.mark.parametrize(
    ("share", "shown"), [(0.2523, "25%"), (0.7487, "75%"), (0.0, "0%"), (0.001, "< 1%"), (1.0, "100%")]
)
def test_i_squared_is_a_share_shown_as_a_percentage(share, shown):
    assert percent(share) == shown


@given(st.floats(min_value=-1e6, max_value=1e6))
def test_a_printed_number_is_within_its_last_digit(value):
    text = decimal(value).replace(",", "").replace("−", "-")
    digits = len(text.partition(".")[2])
    assert float(text) == pytest.approx(value, abs=0.5 * 10**-digits * 1.000001 + 1e-9 * abs(value))


def test_small_things():
    assert interval(None, 1.0) == "interval not known"
    assert (p_value(0.0004), p_value(0.004), p_value(0.04), p_value(None)) == (
        "p < 0.001",
        "p = 0.004",
        "p = 0.04",
        "p not assessed",
    )
    assert (signed(0.03), signed(-0.004)) == ("+0.030", "−0.004")
    assert (count(1, "study", "studies"), count(1200, "article")) == ("1 study", "1,200 articles")
