"""Designs read from title and abstract alone, with the traps."""

import pytest

from metarag.records import AbstractSection, Article
from metarag.study_design import classify
from metarag.types import StudyDesign

D = StudyDesign


def design_of(title="", abstract=""):
    sections = (AbstractSection(text=abstract),) if abstract else ()
    return classify(Article(pmid="1", title=title, abstract_sections=sections))


@pytest.mark.parametrize(
    ("title", "abstract", "design"),
    [
        ("Tablets for fever: a randomised controlled trial", "", D.RANDOMIZED_TRIAL),
        ("Tablets for fever", "Adults were randomized to tablets or syrup.", D.RANDOMIZED_TRIAL),
        ("Tablets for fever", "Adults were allocated at random to tablets or syrup.", D.RANDOMIZED_TRIAL),
        ("Tablets for fever", "DESIGN: Prospective, randomised, open study.", D.RANDOMIZED_TRIAL),
        ("Tablets for one patient: an N-of-1 trial", "", D.N_OF_1_TRIAL),
        (
            "Tablets",
            "Adults were assigned in a quasi-randomised way by day of birth.",
            D.QUASI_RANDOMIZED_TRIAL,
        ),
        ("Tablets for fever: a nonrandomized controlled trial", "", D.NON_RANDOMIZED_TRIAL),
        ("Tablets for fever: a single-arm trial", "", D.SINGLE_ARM_TRIAL),
        ("A phase II study of tablets in fever", "", D.CLINICAL_TRIAL),
        ("Who benefits from tablets? A post hoc analysis of the FEVER trial", "", D.SECONDARY_ANALYSIS),
        ("Tablets for fever: study protocol for a randomised trial", "", D.PROTOCOL),
        ("Tablets for fever: a systematic review", "", D.SYSTEMATIC_REVIEW),
        ("Tablets for fever: systematic review and meta-analysis", "", D.META_ANALYSIS),
        ("Tablets and syrups for fever: a network meta-analysis", "", D.NETWORK_META_ANALYSIS),
        ("Tablets for fever: a scoping review", "", D.SCOPING_REVIEW),
        ("Tablets for fever: an umbrella review of meta-analyses", "", D.UMBRELLA_REVIEW),
        ("Tablets for fever: a review", "", D.NARRATIVE_REVIEW),
        ("Clinical practice guideline for fever", "", D.GUIDELINE),
        ("International consensus statement on fever", "", D.CONSENSUS_STATEMENT),
        ("Fever and later baldness: a prospective cohort study", "", D.COHORT),
        ("Fever and baldness: a nested case-control study", "", D.NESTED_CASE_CONTROL),
        ("Fever and baldness: a case-control study", "", D.CASE_CONTROL),
        ("Fever among bakers: a cross-sectional survey", "", D.CROSS_SECTIONAL),
        ("Tablet rationing: an interrupted time series analysis", "", D.INTERRUPTED_TIME_SERIES),
        ("Tablet rationing: a before-and-after study", "", D.BEFORE_AFTER),
        ("Outcome of fever in the national fever registry", "", D.REGISTRY),
        ("Green fever: a case series", "", D.CASE_SERIES),
        ("Green fever: a case report", "", D.CASE_REPORT),
        ("Green fever", "We report a 34-year-old woman with green fever. She recovered.", D.CASE_REPORT),
        ("Diagnostic accuracy of the fever stick", "", D.DIAGNOSTIC_ACCURACY),
        ("Prognostic factors in fever", "", D.PROGNOSTIC),
        ("Living with fever: a qualitative study", "", D.QUALITATIVE),
        ("A Markov model of tablets for fever", "", D.MODELLING),
        ("Iron and fever: a Mendelian randomization study", "", D.MENDELIAN_RANDOMIZATION),
        ("Tablets lower fever in rats", "Wistar rats were randomly assigned to tablets or water.", D.ANIMAL),
        ("Tablets kill fever cells in vitro", "", D.IN_VITRO),
        ("Editorial: the price of tablets", "", D.EDITORIAL),
        ("Comment on: tablets for fever", "", D.COMMENT),
        ("Letter to the editor: tablets", "", D.LETTER),
        ("Corrigendum: Tablets for fever", "", D.ERRATUM),
        ("Retraction: Tablets for fever: a randomised trial", "", D.NOTICE),
        ("Expression of concern: Tablets for fever", "", D.NOTICE),
        ("WITHDRAWN: Tablets for fever", "", D.NOTICE),
        ("Tablet rationing", "A pre-post study was done in three hospitals.", D.BEFORE_AFTER),
    ],
)
def test_the_words_of_a_design_are_understood(title, abstract, design):
    assert design_of(title, abstract).design is design


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Tablets: a cluster randomised trial", "cluster"),
        ("Tablets: a randomised crossover trial", "cross_over"),
        ("Tablets: a 2x2 factorial randomised trial", "factorial"),
        ("Tablets: a randomised parallel-group trial", "parallel"),
        ("Tablets: a pragmatic randomised trial", "pragmatic"),
        ("Tablets: a randomised non-inferiority trial", "non_inferiority"),
        ("Tablets: an adaptive randomised trial", "adaptive"),
        ("Tablets: a pilot randomised trial", "pilot"),
        ("Tablets: a randomised double-blind trial", "double_blind"),
        ("Tablets: a randomised placebo-controlled trial", "placebo_controlled"),
        ("Tablets: a randomised phase 3 trial", "phase_3"),
        ("Tablets: a stepped-wedge randomised trial", "stepped_wedge"),
    ],
)
def test_finer_facts_of_a_trial_are_labels(title, label):
    finding = design_of(title)
    assert finding.design is D.RANDOMIZED_TRIAL
    assert label in finding.labels


@pytest.mark.parametrize(
    ("title", "abstract"),
    [
        (
            "Fever among bakers",
            "A random sample of 400 bakers was asked about fever. Bakers were randomly selected.",
        ),
        ("Fever and bread", "Effects were combined with a random effects model over eleven towns."),
        (
            "Reporting of randomised trials in bakers' journals",
            "We looked at how 90 randomised trials are reported.",
        ),
        (
            "Tablets for fever",
            "We observed 40 adults. A randomised controlled trial is needed to confirm this.",
        ),
        (
            "Tablets for fever",
            "Previous randomised trials were small. We followed 40 adults who took tablets.",
        ),
        (
            "Tablets for fever",
            "In a previous randomised trial tablets worked. We followed 40 adults for a year.",
        ),
        ("Reading fever sticks", "Images were scored by two readers in a double-blind manner."),
        ("Iron and fever", "We used two-sample Mendelian randomization to estimate the effect of iron."),
        ("Tablets for fever", "Forty adults took part in a double-blind study of tablets."),
        ("Tablets for fever: a non-randomised trial", "Forty adults chose tablets or syrup."),
        (
            "Tablets for dogs with fever",
            "Forty client-owned dogs were randomly assigned to tablets or syrup.",
        ),
        (
            "Trials of tablets: a systematic review",
            "Trials in which adults were randomised to tablets were included.",
        ),
        ("Tablets for fever: a review of randomised trials", ""),
    ],
)
def test_what_only_looks_like_randomisation_is_no_randomised_trial(title, abstract):
    assert design_of(title, abstract).design is not D.RANDOMIZED_TRIAL


def test_a_cohort_inside_a_trial_stays_a_trial():
    text = "In this cohort of 90 adults with fever, patients were randomly assigned to tablets or syrup."
    assert design_of("Tablets for fever", text).design is D.RANDOMIZED_TRIAL


@pytest.mark.parametrize(
    "aside",
    [
        "In a substudy of 40 adults we measured sweat.",
        "These results agree with data from previous trials.",
        "Predefined subgroup analyses showed the same.",
    ],
)
def test_a_trial_with_an_aside_on_a_part_is_still_the_trial(aside):
    finding = design_of("Tablets for fever", f"We randomly assigned 90 adults to tablets or syrup. {aside}")
    assert finding.design is D.RANDOMIZED_TRIAL


def test_a_passing_word_of_reviews_does_not_outweigh_a_clear_trial():
    text = "Four earlier studies were identified. We randomly assigned 90 adults to tablets or syrup."
    assert design_of("Tablets for fever: a randomised trial", text).design is D.RANDOMIZED_TRIAL


def test_a_registry_that_is_called_a_cohort_is_no_trial():
    text = "We used data from the national fever registry, a cohort of 9000 adults, to study baldness."
    assert design_of("Fever and baldness", text).design in {D.COHORT, D.REGISTRY}


def test_a_review_that_searched_for_case_reports_is_no_case_report():
    text = "We searched MEDLINE for case reports of green fever. Forty case reports were included."
    finding = design_of("Green fever: a systematic review of case reports", text)
    assert finding.design is D.SYSTEMATIC_REVIEW
    assert "of_case_series" in finding.labels


@pytest.mark.parametrize(
    "title", ["Reporting quality of systematic reviews on fever", "How to read a meta-analysis"]
)
def test_an_article_about_syntheses_is_none(title):
    assert design_of(title).design not in {D.SYSTEMATIC_REVIEW, D.META_ANALYSIS}


def test_a_model_that_uses_data_from_trials_is_a_model():
    text = "We used a Markov model with data from randomised trials."
    assert design_of("Cost-effectiveness of tablets", text).design is D.MODELLING


def test_a_trial_that_mentions_a_meta_analysis_stays_a_trial():
    text = "A recent meta-analysis showed no effect. We randomly assigned 90 adults to tablets or syrup."
    assert design_of("Tablets for fever", text).design is D.RANDOMIZED_TRIAL


def test_a_double_blind_comparison_with_placebo_is_likely_randomised_and_says_that_it_is_not_stated():
    finding = design_of("Tablets", "In a double-blind, placebo-controlled study forty adults took tablets.")
    assert finding.design is D.RANDOMIZED_TRIAL
    assert "randomization_not_stated" in finding.labels
    assert finding.confidence < 0.8


def test_a_synthesis_says_what_it_holds():
    of_trials = design_of("Tablets: a meta-analysis of randomised trials and cohort studies")
    of_cohorts = design_of("Fever and baldness: a meta-analysis of cohort studies")
    assert "of_randomized_trials" in of_trials.labels
    assert "of_observational_studies" not in of_trials.labels
    assert "of_observational_studies" in of_cohorts.labels


def test_a_protocol_says_of_what():
    assert "of_randomized_trial" in design_of("Study protocol for a randomised trial of tablets").labels
    assert "of_review" in design_of("Protocol for a systematic review of tablets").labels
    assert "of_review" in design_of("Tablets for fever: systematic review protocol").labels
    assert "of_review" not in design_of("Tablets for fever: systematic review").labels


def test_prose_without_own_data_reads_like_a_review():
    text = (
        "Fever is one of the most common reasons to see a doctor. In recent years the understanding of its "
        "pathogenesis has changed, and novel therapeutic strategies have emerged. However, the role"
        " of tablets remains controversial, and many patients may not gain. Current evidence on mechanism, "
        "diagnosis and management is discussed, and future directions for research are outlined."
    )
    finding = design_of("Fever: pathogenesis and current management", text)
    assert finding.design is D.NARRATIVE_REVIEW


@pytest.mark.parametrize(
    "text",
    [
        "randomised " * 90_000,
        "a" * 1_000_000,
        "random " * 140_000,
        "(" * 1_000_000,
        "we report a " * 80_000,
        "a 3-year-old " * 75_000,
        "search of medline " * 55_000,
        "double-blind, " * 70_000,
        "trial " + " " * 1_000_000,
        "meta-analysis of " * 60_000,
    ],
    ids=lambda text: text[:14],
)
def test_a_megabyte_of_hostile_text_is_read_in_linear_time(text):
    assert design_of("Tablets", text).confidence <= 1


DENIALS = [
    "Treatment was not assigned at random.",
    "Tablets were not allocated at random.",
    "The comparison was not randomised.",
    "Patients were not randomly assigned to tablets.",
    "Adults weren't randomised to tablets or syrup.",
    "Treatment was neither randomised nor blinded.",
    "Patients were not blinded, nor were they randomised.",
    "No patient was randomised.",
    "None of the patients was allocated at random.",
    "Allocation was by choice and not by randomisation.",
    "Allocation was by choice rather than at random.",
    "Groups were formed without random assignment.",
    "Groups had not been divided at random.",
    "This is not a randomised trial.",
    "Methods: this was not a randomised comparison.",
    "Treatment could not be randomly allocated.",
    "Beds were never assigned randomly.",
]


@pytest.mark.parametrize("denial", DENIALS)
def test_what_was_not_randomised_is_no_randomised_trial(denial):
    alone = design_of("Tablets for fever", f"Tablets were compared with syrup. {denial}")
    assert D.RANDOMIZED_TRIAL not in {signal.design for signal in alone.signals}
    cohort = design_of("Tablets for fever", f"Prospective registry cohort of 90 adults. {denial}")
    assert cohort.design is D.COHORT


def test_a_trial_that_was_not_randomised_is_a_trial():
    text = "In this open-label trial adults took tablets or syrup. They were not assigned at random."
    finding = design_of("Tablets for fever: a trial", text)
    assert finding.design is D.NON_RANDOMIZED_TRIAL
    assert "randomisation_denied" not in finding.labels


@pytest.mark.parametrize(
    "text",
    [
        "Adults who did not respond were randomised to tablets or syrup.",
        "Patients without fever were randomly assigned to tablets or syrup.",
        "Twenty adults were not eligible and ninety were randomised.",
        "Adults were randomly assigned to tablets or no tablets.",
        "Ten were not randomised. The others were randomised to tablets or syrup.",
    ],
)
def test_the_negation_of_another_verb_leaves_a_trial_randomised(text):
    assert design_of("Tablets", text).design is D.RANDOMIZED_TRIAL


@pytest.mark.parametrize(
    "text",
    [
        "Tablets were given on alternate days.",
        "Adults took 50 mg on alternate days.",
        "Adults were assigned to take tablets on alternate days or none.",
        "Adults were randomly assigned to 50 mg on alternate days or placebo.",
    ],
)
def test_a_dose_on_alternate_days_is_no_allocation(text):
    designs = {signal.design for signal in design_of("Tablets on alternate days", text).signals}
    assert D.QUASI_RANDOMIZED_TRIAL not in designs


@pytest.mark.parametrize(
    "text",
    [
        "Patients were allocated on alternate days to tablets or syrup.",
        "Patients were allocated to groups by alternate weeks.",
        "Patients were assigned to treatment on alternating weeks.",
        "Adults were assigned to tablets or syrup by alternate allocation.",
    ],
)
def test_allocation_by_alternate_days_is_quasi_randomised(text):
    assert design_of("Tablets", text).design is D.QUASI_RANDOMIZED_TRIAL


@pytest.mark.parametrize(
    "title",
    [
        "Observational studies of tea and fever: a pooled analysis",
        "Observational studies of tea and fever: a pooled quantitative review",
        "Cohort studies of tea and fever: a meta-analysis",
        "Tea and fever: a pooled analysis of nine prospective studies",
    ],
)
def test_a_synthesis_whose_title_names_observational_studies_is_one_of_them(title):
    finding = design_of(title)
    assert finding.design is D.META_ANALYSIS
    assert "of_observational_studies" in finding.labels


@pytest.mark.parametrize(
    "abstract",
    [
        "Fever was graded in forty cases. Its weight in a meta-analysis may prove useful.",
        "Patients were classified by a systematic review of history and examination.",
        "We surveyed librarians on the time that a literature search takes.",
        "The team has much systematic review experience and did a literature search of standards.",
    ],
)
def test_a_word_of_syntheses_without_one_is_none(abstract):
    assert design_of("Imaginary fever", abstract).design not in {D.SYSTEMATIC_REVIEW, D.META_ANALYSIS}
