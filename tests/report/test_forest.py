import math
import re
from xml.etree import ElementTree

import pytest
from builders import make_article
from hypothesis import given, settings
from hypothesis import strategies as st
from report_builders import SVG, Page, run_of, run_with_outlier, svg_texts, trial

from metarag.audit import Synthesis, SynthesisStudy
from metarag.heterogeneity_pool import pool_results
from metarag.report.axis import axis_for, tick_words
from metarag.report.drawing import svg
from metarag.report.figures import figures_of
from metarag.report.forest import forest_plot, study_label
from metarag.report.html import render_html
from metarag.report.numbers import printed

LEFT_COLUMN, NUMBERS = 0.0, 516.0


def synthesis_of(effects, errors, *, scale="log", flagged=(), label="Doe J 2001"):
    import numpy as np

    y, v = np.array(effects), np.array(errors) ** 2
    results = pool_results(y, v)
    if flagged:
        keep = [n for n in range(len(effects)) if n not in flagged]
        results |= {f"without_flagged_{k}": r for k, r in pool_results(y[keep], v[keep]).items()}
    studies = tuple(
        SynthesisStudy(
            key=f"pmid:{n}",
            label=label,
            effect=effect,
            standard_error=error,
            lower=effect - 1.96 * error,
            upper=effect + 1.96 * error,
            weight=1 / len(effects),
            included=n not in flagged,
            flags=("outlier",) if n in flagged else (),
        )
        for n, (effect, error) in enumerate(zip(effects, errors, strict=True))
    )
    return Synthesis(
        id="s",
        measure="OR" if scale == "log" else "MD",
        scale=scale,
        outcome="all_cause_death",
        comparison="zinc|placebo",
        tier="randomised",
        studies=studies,
        results=results,
    )


def drawn(synthesis):
    return svg(forest_plot(synthesis), ident="f", standalone=True)


def numbers_of(picture):
    """Return the numbers printed in the figure, row by row."""
    return [words for x, y, words in svg_texts(picture) if x == NUMBERS and y > 20]


effects_and_errors = st.lists(st.tuples(st.floats(-3, 3), st.floats(0.05, 1.5)), min_size=2, max_size=12)


@given(effects_and_errors)
@settings(max_examples=60, deadline=None)
def test_every_number_of_the_figure_is_the_audits_to_the_printed_digit(pairs):
    effects, errors = zip(*pairs, strict=True)
    synthesis = synthesis_of(effects, errors)

    def row(effect, low, high):
        return f"{printed(effect, 'log')} ({printed(low, 'log')} to {printed(high, 'log')})"

    expected = [row(s.effect, s.lower, s.upper) for s in synthesis.studies]
    main = synthesis.results["dersimonian_laird"]
    expected.append(row(main["effect"], main["hk_low"], main["hk_high"]))
    prediction = synthesis.results["prediction"]
    if prediction["low"] is not None:
        low, high = printed(prediction["low"], "log"), printed(prediction["high"], "log")
        expected.append(f"({low} to {high})")
    assert numbers_of(drawn(synthesis)) == expected


def test_numbers_are_on_the_ratio_scale_and_not_logarithms():
    (first, *_) = numbers_of(drawn(synthesis_of([math.log(0.5), math.log(0.8)], [0.1, 0.1])))
    assert first == "0.50 (0.41 to 0.61)"


@given(effects_and_errors)
@settings(max_examples=60, deadline=None)
def test_each_estimate_stands_where_the_ticks_of_the_axis_say(pairs):
    """Read the picture as a person would: from the ticks, on a log axis."""
    effects, errors = zip(*pairs, strict=True)
    picture = drawn(synthesis_of(effects, errors))
    root = ElementTree.fromstring(picture)
    bottom = max(float(node.get("y2")) for node in root.iter(f"{SVG}line")) - 5
    ticks = {
        math.log(float(words.replace(",", ""))): x
        for x, y, words in svg_texts(picture)
        if y == pytest.approx(bottom + 18) and re.fullmatch(r"[\d.,e+-]+", words)
    }
    (low, x_low), (high, x_high) = min(ticks.items()), max(ticks.items())
    squares = [
        node.get("points").split() for node in root.iter(f"{SVG}polygon") if node.get("fill") == "#1f5f99"
    ]
    assert len(squares) == len(effects)
    for effect, points in zip(effects, squares, strict=True):
        xs = [float(point.split(",")[0]) for point in points]
        middle = (min(xs) + max(xs)) / 2
        if high > low:
            # Ticks are printed with three digits, so that the reading is as exact as they are.
            assert low + (middle - x_low) * (high - low) / (x_high - x_low) == pytest.approx(effect, abs=0.02)
        assert 205 < middle < 505


def test_what_was_left_out_is_hollow_and_both_pools_are_drawn():
    picture = drawn(synthesis_of([-0.3, -0.3, -0.25, -0.35, -0.3, 2.5], [0.2] * 6, flagged=(5,)))
    hollow = [n for n in ElementTree.fromstring(picture).iter(f"{SVG}polygon") if n.get("fill") == "#ffffff"]
    assert len(hollow) == 2  # the study and the pool without it
    labels = [words for x, _, words in svg_texts(picture) if x == LEFT_COLUMN]
    assert "All 6 studies" in labels
    assert "Without 1 that stands out" in labels
    assert "Prediction interval" in labels
    assert labels[6] == "Doe J 2001 †"


def test_the_figure_of_a_run_shows_the_numbers_of_its_audit():
    run = run_with_outlier()
    (synthesis,) = run.ranking.audit.syntheses
    page = Page(render_html(run))
    for study in synthesis.studies:
        assert printed(study.effect, synthesis.scale) in page.text
    main = synthesis.results["dersimonian_laird"]
    assert f"{main['i_squared']:.0%}" in page.text
    assert "Without 1 that stands out" in page.text
    assert "every condition for leaving it out holds" in page.text
    assert set(figures_of(run)) == {"flow", "forest-1"}


def test_differences_stand_on_a_plain_axis_with_a_minus_sign():
    picture = drawn(synthesis_of([-2.5, -1.0, 0.5], [0.5, 0.5, 0.5], scale="identity"))
    assert numbers_of(picture)[0] == "−2.50 (−3.48 to −1.52)"
    assert "Mean difference" in [words for *_, words in svg_texts(picture)]


def test_an_interval_beyond_the_axis_ends_in_an_arrow_and_its_number_stays():
    synthesis = synthesis_of([-0.1, 0.1], [0.1, 3.0])
    picture = drawn(synthesis)
    assert max(x for x, *_ in svg_texts(picture)) <= 760
    arrows = [
        n for n in ElementTree.fromstring(picture).iter(f"{SVG}polygon") if len(n.get("points").split()) == 3
    ]
    assert arrows
    assert printed(synthesis.studies[1].upper, "log") in numbers_of(picture)[1]


def test_a_hostile_label_is_text_and_nothing_else():
    hostile = "</text><script>alert(1)</script>\x1b[2J\u202e 2001"
    picture = drawn(synthesis_of([0.1, 0.2], [0.1, 0.1], label=hostile))
    tags = {node.tag.removeprefix(SVG) for node in ElementTree.fromstring(picture).iter()}
    assert tags == {"svg", "title", "desc", "rect", "text", "line", "polygon"}
    assert "\x1b" not in picture
    assert "\u202e" not in picture


def test_a_long_name_is_cut_and_its_year_stays():
    study = synthesis_of(
        [0.1, 0.2], [0.1, 0.1], label="A very long name of a collaborative group 1995"
    ).studies[0]
    assert study_label(study).endswith("… 1995")
    assert len(study_label(study)) <= 27


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=9), st.booleans())
def test_the_axis_holds_all_estimates_and_no_effect(estimates, is_log):
    axis = axis_for(estimates, [e + 1 for e in estimates], is_log=is_log, left=0, right=100)
    assert axis.low < min(0, *estimates)
    assert axis.high > max(0, *estimates)
    assert 0.0 in axis.ticks
    assert len(axis.ticks) <= 9
    assert list(axis.ticks) == sorted(axis.ticks)


def test_ticks_are_round_numbers():
    axis = axis_for([math.log(0.4), math.log(2.4)], [], is_log=True, left=0, right=100)
    assert [tick_words(t, is_log=True) for t in axis.ticks] == ["0.5", "0.7", "1", "1.5", "2"]


def test_a_run_without_pools_has_only_the_flow():
    run = run_of([trial(1, -0.2), make_article(pmid="2")])
    assert set(figures_of(run)) == {"flow"}
