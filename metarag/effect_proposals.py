"""Effects that a language model proposes: only numbers that stand in the quoted words survive.

A model may find what the grammar does not, but it also invents. So it proposes, and this module
verifies: the quote must be in the text, each number must be printed in the quote, and the standard
error is computed here from what is printed, never taken over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pydantic import Field

from metarag.effect_arms import ArmResult
from metarag.effect_document import Document
from metarag.effect_estimates import Estimator
from metarag.effect_intervals import UNLABELLED, PrintedInterval
from metarag.effect_lexicon import Measure, lexicon
from metarag.effect_marks import mark
from metarag.effect_numbers import numbers_of
from metarag.effect_pairs import ArmPair
from metarag.effect_raw import RawEffect, judged_pair
from metarag.effect_readings import Reading
from metarag.effect_roles import Printed, Surroundings, roles_of
from metarag.effect_sentences import Found
from metarag.effect_text import PlainText, plain, sentences
from metarag.effect_tokens import IntervalMark, PValue, Token, lex
from metarag.effect_units import names_percentage_points
from metarag.records import Frozen
from metarag.types import EffectEstimate

_RAW_FIELDS = ("events_1", "total_1", "events_2", "total_2", "mean_1", "sd_1", "mean_2", "sd_2")


class ProposedEffect(Frozen):
    """An effect as a model read it; every number as printed, percentages as percentages.

    Parameters
    ----------
    quote : str
        The words of the text that print the numbers.
    measure : str
        An abbreviation (``HR``, ``OR``, ``RR``, ``IRR``, ``RD``, ``MD``, ``SMD`` ...), ``2x2`` or ``means``.
    """

    quote: str = Field(min_length=1)
    measure: str
    estimate: float | None = Field(default=None, allow_inf_nan=False)
    lower: float | None = Field(default=None, allow_inf_nan=False)
    upper: float | None = Field(default=None, allow_inf_nan=False)
    p: float | None = Field(default=None, ge=0, le=1)
    events_1: int | None = Field(default=None, ge=0)
    total_1: int | None = Field(default=None, gt=0)
    events_2: int | None = Field(default=None, ge=0)
    total_2: int | None = Field(default=None, gt=0)
    mean_1: float | None = Field(default=None, allow_inf_nan=False)
    sd_1: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    mean_2: float | None = Field(default=None, allow_inf_nan=False)
    sd_2: float | None = Field(default=None, gt=0, allow_inf_nan=False)


def verify_proposed(text: str, proposal: ProposedEffect, *, where: str = "text") -> EffectEstimate | None:
    """Return the proposed effect as this library reads it, or ``None`` where it cannot be verified.

    Parameters
    ----------
    text : str
        What the model was shown.
    proposal : ProposedEffect
        What it answered.
    where : str
        What ``Span.where`` says.

    Returns
    -------
    EffectEstimate or None
        With the flag ``proposed``, its role and its checks decided by the same rules as any other.
        ``None``: the quote is not in the text, a number is not in the quote, or the measure is unknown.
    """
    source = plain(text)
    place = _find(source, proposal.quote)
    if place is None:
        return None
    document = Document(source.text)
    tokens = mark(
        source.text,
        lex(source.text, *place, decimal_comma=document.decimal_comma),
        document.abbreviations,
    )
    if not set(_given(proposal)) <= set(_printed_values(tokens)):
        return None
    item = _raw_item(tokens, proposal) if proposal.measure in ("2x2", "means") else _reading(tokens, proposal)
    if item is None:
        return None
    found = _found(item, place, tokens, source, document)
    effect = Estimator(source, document, where).estimate(found)
    return effect.model_copy(update={"flags": (*effect.flags, "proposed")})


def _find(source: PlainText, quote: str) -> tuple[int, int] | None:
    """Return where the quote stands in the plain text; spaces and dashes may be written differently."""
    wanted = plain(quote).text.strip()
    start = source.text.find(wanted) if wanted else -1
    return (start, start + len(wanted)) if start >= 0 else None


def _given(proposal: ProposedEffect) -> Iterable[float]:
    names = ("estimate", "lower", "upper", "p", *_RAW_FIELDS)
    return (round(float(value), 9) for name in names if (value := getattr(proposal, name)) is not None)


def _printed_values(tokens: Sequence[Token]) -> Iterable[float]:
    for token in tokens:
        if token.kind in ("num", "noise"):
            yield round(token.value, 9)
        elif isinstance(token.meaning, PValue) and token.meaning.value is not None:
            yield round(token.meaning.value, 9)


def _reading(tokens: Sequence[Token], proposal: ProposedEffect) -> Reading | None:
    measure = lexicon().abbreviations.get(proposal.measure)
    estimate = _token_of(tokens, proposal.estimate)
    if not isinstance(measure, Measure) or measure.name == "other" or estimate is None:
        return None
    lower, upper = _token_of(tokens, proposal.lower), _token_of(tokens, proposal.upper)
    last = max(index for index in (estimate, lower, upper) if index is not None)
    first = min(index for index in (estimate, lower, upper) if index is not None)
    percent = any(names_percentage_points(tokens, index + 1) for index in (estimate, last))
    limits = [tokens[index] if index is not None else None for index in (lower, upper)]
    numbers, flags = numbers_of(measure, tokens[estimate], limits[0], limits[1], percent=percent)
    marks = [token.meaning for token in tokens if isinstance(token.meaning, IntervalMark)]
    interval = PrintedInterval(
        first, last + 1, limits[0], limits[1], marks[0] if marks else UNLABELLED, labelled=bool(marks)
    )
    return Reading(
        measure,
        estimate,
        first,
        last + 1,
        numbers,
        interval=interval if any(limits) else None,
        p=_p_of(tokens, proposal.p),
        flags=flags,
    )


def _token_of(tokens: Sequence[Token], value: float | None) -> int | None:
    if value is None:
        return None
    return next(
        (i for i, token in enumerate(tokens) if token.kind == "num" and abs(token.value - value) < 1e-9), None
    )


def _p_of(tokens: Sequence[Token], value: float | None) -> PValue | None:
    for token in tokens:
        if (
            isinstance(token.meaning, PValue)
            and token.meaning.value == value
            and token.meaning.purpose is None
        ):
            return token.meaning
    return None


def _raw_item(tokens: Sequence[Token], proposal: ProposedEffect) -> RawEffect | None:
    arms = [
        ArmResult(
            0,
            len(tokens),
            getattr(proposal, f"total_{arm}"),
            getattr(proposal, f"events_{arm}"),
            mean=getattr(proposal, f"mean_{arm}"),
            spread="sd",
            spread_value=getattr(proposal, f"sd_{arm}"),
        )
        for arm in (1, 2)
    ]
    for arm in arms:
        if arm.total is None or (arm.events or 0) > arm.total:
            return None
        if (arm.events if proposal.measure == "2x2" else arm.mean) is None:
            return None
    return judged_pair(ArmPair(arms[0], arms[1], 0, len(tokens), arms_known=False), proposal.measure)


def _found(
    item: Reading | RawEffect,
    place: tuple[int, int],
    tokens: Sequence[Token],
    source: PlainText,
    document: Document,
) -> Found:
    text = source.text
    start, end = next((s for s in sentences(text) if s[0] <= place[0] < s[1]), place)
    end = max(end, place[1])
    around = Surroundings(
        before=text[start : place[0]],
        inside=text[slice(*place)],
        after=text[place[1] : end],
        sentence=text[start:end],
        section=document.section_at(place[0]),
    )
    measure = item.measure
    name, role, adjusted = (
        (measure, None, None) if isinstance(measure, str) else (measure.name, measure.role, measure.adjusted)
    )
    printed = Printed(name, role, adjusted, has_interval=True, surroundings=around)
    first = tokens[item.estimate] if isinstance(item, Reading) else tokens[0]
    found = Found(
        item, *place, around, (start, end), roles_of([printed], document)[0], None, (first.start, first.end)
    )
    return replace(found, list_before=found.before)
