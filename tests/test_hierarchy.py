"""Which level a design or a publication type has in the shipped hierarchies."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.design_words import finding_words
from metarag.evidence_levels import load_hierarchies
from metarag.level_table import WITHOUT_RESULTS
from metarag.records import PublicationType
from metarag.types import DesignFinding, QuestionKind, StudyDesign

D, K = StudyDesign, QuestionKind
HIERARCHIES = load_hierarchies()
PAPER = HIERARCHIES.get("metarag-2025")
SYNTHESES = (D.SYSTEMATIC_REVIEW, D.META_ANALYSIS, D.NETWORK_META_ANALYSIS, D.UMBRELLA_REVIEW)
EVERYWHERE = list(itertools.product(HIERARCHIES.names, (*QuestionKind, None)))


def grade(name, design, *labels, kind=None):
    return HIERARCHIES.get(name).level_for(DesignFinding(design=design, labels=labels), kind)


def types(*names):
    return [PublicationType(name=name) for name in names]


# Figure 4 of the paper, as printed.
FIGURE = {
    "7": ["Systematic Review", "Meta-Analysis"],
    "6": [
        "Randomized Controlled Trial",
        "Clinical Trial, Phase I",
        "Controlled Clinical Trial",
        "Multicenter Study",
    ],
    "5": ["Observational Study", "Comparative Study", "Cohort Study"],
    "4": ["Validation Study", "Evaluation Study"],
    "3": ["Case Reports", "Clinical Trial", "Comment", "Letter"],
    "2": [
        "Journal Article",
        "Review",
        "Editorial",
        "Research Support, U.S. Gov't, P.H.S.",
        "Research Support, U.S. Gov't, Non-P.H.S.",
        "Research Support, Non-U.S. Gov't",
        "Research Support, N.I.H., Extramural",
    ],
    "1": [
        "Practice Guideline",
        "Clinical Trial, Phase III",
        "Pragmatic Clinical Trial",
        "Network Meta-Analysis",
        "Scoping Review",
        "Clinical Trial Protocol",
        "Randomized Controlled Trial, Veterinary",
        "Retracted Publication",
        "A type of next year",
    ],
}


@pytest.mark.parametrize(("level", "name"), [(level, name) for level in FIGURE for name in FIGURE[level]])
def test_the_papers_table_is_reproduced_with_one_for_all_others(level, name):
    found = PAPER.level_for_types(types(name), printed_only=True)
    assert found.level == level


def test_no_other_type_is_printed_by_the_paper():
    printed = {listed.name for level in PAPER.tables[0].levels for listed in level.publication_types}
    assert printed == {name for level, names in FIGURE.items() if level != "1" for name in names}


def test_the_strongest_type_counts():
    found = PAPER.level_for_types(types("Journal Article", "Meta-Analysis", "Letter"), printed_only=True)
    assert found.id == "metarag-2025:7"
    assert "Journal Article, Letter, Meta-Analysis" in found.why


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("Practice Guideline", "6"),
        ("Clinical Trial, Phase III", "6"),
        ("Network Meta-Analysis", "7"),
        ("Scoping Review", "2"),
        ("Randomized Controlled Trial, Veterinary", "1"),
    ],
)
def test_types_that_the_paper_leaves_out_are_placed_beside_their_kin(name, level):
    assert PAPER.level_for_types(types(name)).level == level


@pytest.mark.parametrize("name", ["Clinical Trial Protocol", "Retraction Notice", "A type of next year"])
def test_a_type_that_nobody_placed_says_nothing(name):
    assert PAPER.level_for_types(types(name)) is None


def test_an_article_without_types_has_no_level_by_types():
    assert PAPER.level_for_types([], printed_only=True) is None


@pytest.mark.parametrize(
    ("name", "ui", "level"),
    [
        ("Validation Studies", None, "4"),
        ("JOURNAL ARTICLE", "", "2"),
        ("Renamed next year", "D016449", "6"),
        ("Randomized Controlled Trial", "D000081262", "1"),
    ],
)
def test_a_type_is_known_by_its_ui_then_by_its_name_or_former_name(name, ui, level):
    found = PAPER.level_for_types([PublicationType(name=name, ui=ui)], printed_only=True)
    assert found.level == level


@pytest.mark.parametrize("design", [design for design in D if design not in WITHOUT_RESULTS])
def test_the_default_hierarchy_places_every_design(design):
    assert grade("metarag-2025", design) is not None


@pytest.mark.parametrize(("name", "kind"), EVERYWHERE)
def test_what_has_no_results_has_no_level_and_a_reason(name, kind):
    for design in (D.PROTOCOL, D.ERRATUM, D.NOTICE, D.UNKNOWN):
        assert grade(name, design, kind=kind) is None
        why = HIERARCHIES.get(name).why_no_level(DesignFinding(design=design), kind)
        assert "no results" in why or "neither its indexing nor its text" in why


@pytest.mark.parametrize(("name", "kind"), EVERYWHERE)
@pytest.mark.parametrize("design", SYNTHESES)
def test_a_synthesis_of_case_series_stands_below_a_trial_and_not_below_a_case_series(name, kind, design):
    synthesis = grade(name, design, "of_case_series", kind=kind)
    trial = grade(name, D.RANDOMIZED_TRIAL, kind=kind)
    series = grade(name, D.CASE_SERIES, kind=kind)
    assert synthesis.weight >= series.weight
    assert trial is None or synthesis.weight < trial.weight


@pytest.mark.parametrize("name", HIERARCHIES.names)
@pytest.mark.parametrize("design", SYNTHESES)
def test_a_synthesis_of_observational_studies_stands_below_a_trial_of_treatment(name, design):
    synthesis = grade(name, design, "of_observational_studies", kind=K.THERAPY)
    assert synthesis.weight < grade(name, D.RANDOMIZED_TRIAL, kind=K.THERAPY).weight
    assert synthesis.weight >= grade(name, D.COHORT, kind=K.THERAPY).weight


@pytest.mark.parametrize(("name", "kind"), EVERYWHERE)
def test_a_synthesis_of_qualitative_studies_is_not_taken_for_one_of_trials(name, kind):
    synthesis = grade(name, D.SYSTEMATIC_REVIEW, "of_qualitative_studies", kind=kind)
    trial = grade(name, D.RANDOMIZED_TRIAL, kind=kind)
    assert synthesis.weight < (trial.weight if trial else 0.5)


def test_a_mixed_synthesis_is_as_good_as_the_weakest_of_it():
    mixed = grade("metarag-2025", D.META_ANALYSIS, "of_randomized_trials", "of_case_series")
    assert mixed.level == "4"
    assert "randomised trials and case series" in mixed.why
    both = grade("metarag-2025", D.META_ANALYSIS, "of_observational_studies", "of_case_series")
    assert both.level == "4"


def test_a_label_about_synthesis_does_not_move_a_trial():
    assert grade("metarag-2025", D.RANDOMIZED_TRIAL, "of_case_series", "cluster").level == "6"


@pytest.mark.parametrize(
    ("kind", "design", "labels", "level"),
    [
        (K.THERAPY, D.META_ANALYSIS, (), "1"),
        (K.THERAPY, D.N_OF_1_TRIAL, (), "1"),
        (K.PREVENTION, D.RANDOMIZED_TRIAL, (), "2"),
        (K.THERAPY, D.COHORT, (), "3"),
        (K.THERAPY, D.COHORT, ("historical_control",), "4"),
        (K.THERAPY, D.CASE_CONTROL, (), "4"),
        (K.THERAPY, D.NESTED_CASE_CONTROL, (), "4"),
        (K.THERAPY, D.IN_VITRO, (), "5"),
        (K.ETIOLOGY_HARM, D.NESTED_CASE_CONTROL, (), "3"),
        (K.ETIOLOGY_HARM, D.CASE_SERIES, (), "4"),
        (K.DIAGNOSIS, D.SYSTEMATIC_REVIEW, ("of_observational_studies",), "1"),
        (K.DIAGNOSIS, D.DIAGNOSTIC_ACCURACY, (), "2"),
        (K.DIAGNOSIS, D.CROSS_SECTIONAL, (), "3"),
        (K.DIAGNOSIS, D.CASE_CONTROL, (), "4"),
        (K.PROGNOSIS, D.COHORT, ("inception",), "2"),
        (K.PROGNOSIS, D.COHORT, (), "3"),
        (K.PROGNOSIS, D.RANDOMIZED_TRIAL, (), "3"),
        (K.PROGNOSIS, D.CASE_SERIES, (), "4"),
        (K.PREVALENCE, D.CROSS_SECTIONAL, ("random_sample",), "1"),
        (K.PREVALENCE, D.SYSTEMATIC_REVIEW, (), "2"),
        (K.PREVALENCE, D.CROSS_SECTIONAL, (), "3"),
        (K.PREVALENCE, D.CASE_SERIES, (), "4"),
    ],
)
def test_the_oxford_level_depends_on_the_kind_of_question(kind, design, labels, level):
    assert grade("ocebm-2011", design, *labels, kind=kind).level == level


@pytest.mark.parametrize(
    ("design", "labels", "nhmrc", "melnyk"),
    [
        (D.SYSTEMATIC_REVIEW, (), "I", "I"),
        (D.RANDOMIZED_TRIAL, (), "II", "II"),
        (D.QUASI_RANDOMIZED_TRIAL, (), "III-1", "III"),
        (D.NON_RANDOMIZED_TRIAL, (), "III-2", "III"),
        (D.CASE_CONTROL, (), "III-2", "IV"),
        (D.INTERRUPTED_TIME_SERIES, ("controlled",), "III-2", "IV"),
        (D.INTERRUPTED_TIME_SERIES, (), "III-3", "IV"),
        (D.COHORT, ("historical_control",), "III-3", "IV"),
        (D.BEFORE_AFTER, (), "IV", "IV"),
        (D.CASE_SERIES, (), "IV", "VI"),
        (D.SYSTEMATIC_REVIEW, ("of_case_series",), "IV", "V"),
        (D.EDITORIAL, (), "IV", "VII"),
    ],
)
def test_the_levels_of_nhmrc_and_melnyk(design, labels, nhmrc, melnyk):
    assert grade("nhmrc", design, *labels, kind=K.THERAPY).level == nhmrc
    assert grade("melnyk", design, *labels, kind=K.THERAPY).level == melnyk


def test_a_kind_without_a_table_uses_the_first_one_and_says_so():
    found = grade("nhmrc", D.COHORT, kind=K.DIAGNOSIS)
    assert found.table == "intervention"
    assert found.note == "nhmrc has no table for this kind of question, so its intervention table is used"
    assert grade("nhmrc", D.COHORT, kind=K.PREVENTION).note is None
    assert grade("melnyk", D.COHORT, kind=K.DIAGNOSIS).note is None
    assert grade("ocebm-2011", D.COHORT, kind=K.OTHER).table == "treatment benefit"


def test_a_design_without_a_place_is_named_with_the_table():
    assert grade("ocebm-2011", D.GUIDELINE, kind=K.DIAGNOSIS) is None
    why = HIERARCHIES.get("ocebm-2011").why_no_level(DesignFinding(design=D.GUIDELINE), K.DIAGNOSIS)
    assert why == "ocebm-2011 (diagnosis) does not say where a guideline stands"


def test_the_gaps_reach_to_the_neighbours_and_to_the_ends_of_the_scale():
    top, second, last = (grade("nhmrc", d) for d in (D.META_ANALYSIS, D.RANDOMIZED_TRIAL, D.CASE_SERIES))
    assert (top.gap_above, top.gap_below) == pytest.approx((0.08, 0.15))
    assert (second.gap_above, second.gap_below) == pytest.approx((0.15, 0.15))
    assert (last.gap_above, last.gap_below) == pytest.approx((0.15, 0.17))


@pytest.mark.parametrize(
    ("design", "labels", "words"),
    [
        (D.RANDOMIZED_TRIAL, (), "Randomised trial"),
        (D.SYSTEMATIC_REVIEW, ("of_case_series", "rapid"), "Systematic review of case series"),
        (D.COHORT, (), "Cohort study"),
        (D.CASE_SERIES, (), "Case series"),
    ],
)
def test_a_design_is_told_in_a_clinicians_words(design, labels, words):
    assert finding_words(DesignFinding(design=design, labels=labels)) == words


@settings(deadline=None, max_examples=80)
@given(
    st.sampled_from(EVERYWHERE),
    st.sampled_from(list(D)),
    st.lists(
        st.sampled_from(["of_randomized_trials", "of_observational_studies", "of_case_series", "inception"])
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_labels_changes_no_level(where, design, labels, random):
    shuffled = random.sample(labels, len(labels))
    name, kind = where
    first, second = (grade(name, design, *given_labels, kind=kind) for given_labels in (labels, shuffled))
    assert first == second
