import pytest
from builders import make_article

from metarag.comparison_keys import comparison_key
from metarag.pico import article_pico
from metarag.types import EffectEstimate, Span


def key(printed, title="Aspirin and stroke in adults", abstract="Adults took aspirin or placebo."):
    span = Span(where="abstract", start=0, end=2, text="OR")
    effect = EffectEstimate(measure="OR", comparison_key=printed, span=span)
    return comparison_key(effect, article_pico(make_article(title=title, abstract=abstract)))


@pytest.mark.parametrize(
    "comparator", ["placebo", "control", "usual_care", "no_treatment", "without_it", "saline"]
)
def test_all_inactive_comparators_are_one(comparator):
    assert key(f"aspirin|{comparator}") == "aspirin|inactive control"


def test_two_treatments_compared_are_kept_apart_from_placebo():
    assert key("aspirin|warfarin") == "aspirin|warfarin"


@pytest.mark.parametrize("printed", ["5_mg|placebo", "day_7|placebo", "active_arm|placebo", None])
def test_what_names_no_treatment_takes_the_one_of_the_title(printed):
    assert key(printed) == "aspirin|inactive control"


def test_a_drug_that_the_vocabulary_lacks_keeps_its_own_name():
    assert key("zorblatide|placebo", title="A new tablet for stroke") == "zorblatide|inactive control"


@pytest.mark.parametrize(
    ("printed", "title", "abstract"),
    [
        ("5_mg|placebo", "A new tablet for stroke", "Adults took it or placebo."),
        (None, "Aspirin and stroke", "Adults took aspirin."),
        (None, "Aspirin, warfarin and clopidogrel in stroke", "Compared with placebo."),
        ("5_mg|10_mg", "Aspirin and stroke", "Adults took aspirin or placebo."),
        ("aspirin|aspirin", "Aspirin and stroke", "Adults took aspirin or placebo."),
    ],
)
def test_what_is_not_known_for_sure_has_no_key(printed, title, abstract):
    assert key(printed, title, abstract) is None


def test_without_facets_only_the_effects_own_words_count():
    span = Span(where="abstract", start=0, end=2, text="OR")
    assert comparison_key(EffectEstimate(measure="OR", span=span), None) is None
    named = EffectEstimate(measure="OR", comparison_key="aspirin|placebo", span=span)
    assert comparison_key(named, None) == "aspirin|inactive control"
