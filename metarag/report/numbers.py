"""Numbers as a report prints them. One place, so that figure, table and export never differ."""

from __future__ import annotations

from math import exp, floor, log10

NOT_ASSESSED = "not assessed"
MINUS = "\N{MINUS SIGN}"
_LARGEST_RATIO, _SMALLEST_RATIO = 1_000.0, 0.001
_LARGEST_LOG = 700.0
"""exp() overflows beyond; such an interval end is far out of any figure."""


def printed(value: float | None, scale: str = "identity") -> str:
    """Return an effect as it is printed: on the ratio scale for ``log``, with a true minus sign.

    Two decimals from 0.1 on, fewer from 10 on, two significant digits below 0.1.
    """
    if value is None:
        return NOT_ASSESSED
    return _ratio(value) if scale == "log" else decimal(value)


def decimal(value: float) -> str:
    """Return a number with as many decimals as a reader can use."""
    size = abs(value)
    if size >= 100:
        text = f"{value:,.0f}"
    elif size >= 10:
        text = f"{value:.1f}"
    elif size >= 0.1 or size == 0:
        text = f"{value:.2f}"
    else:
        text = f"{value:.{min(6, 1 - floor(log10(size)))}f}"
    return _with_minus(text)


def interval(low: float | None, high: float | None, scale: str = "identity") -> str:
    """Return ``0.71 to 0.98``; words where an end is not known."""
    if low is None or high is None:
        return "interval not known"
    return f"{printed(low, scale)} to {printed(high, scale)}"


def percent(share: float | None) -> str:
    """Return a share in [0, 1] as a percentage without decimals; ``< 1%`` for what would round to none."""
    if share is None:
        return NOT_ASSESSED
    return "< 1%" if 0 < share < 0.005 else f"{share:.0%}"


def score(value: float | None) -> str:
    """Return a score in [0, 1] with two decimals."""
    return NOT_ASSESSED if value is None else f"{value:.2f}"


def signed(value: float) -> str:
    """Return a term of a sum with its sign and three decimals."""
    return f"{MINUS if value < 0 else '+'}{abs(value):.3f}"


def p_value(value: float | None) -> str:
    """Return ``p = 0.03`` or ``p < 0.001``."""
    if value is None:
        return f"p {NOT_ASSESSED}"
    if value < 0.001:
        return "p < 0.001"
    return f"p = {value:.3f}" if value < 0.01 else f"p = {value:.2f}"


def thousands(number: int) -> str:
    """Return a count with its thousands set apart."""
    return f"{number:,}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return ``1 article`` or ``1,200 articles``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _ratio(logarithm: float) -> str:
    value = exp(min(logarithm, _LARGEST_LOG))
    if value > _LARGEST_RATIO:
        return "> 1,000"
    return "< 0.001" if value < _SMALLEST_RATIO else decimal(value)


def _with_minus(text: str) -> str:
    is_zero = not any(digit in "123456789" for digit in text)
    return text.lstrip("-") if is_zero else text.replace("-", MINUS)
