"""What an abstract reports of its methods, and the registrations it names."""

import pytest

from metarag.design_registry import registrations
from metarag.records import AbstractSection, Article, RegistryId
from metarag.reporting_checks import OBSERVATIONAL_ITEMS, SYNTHESIS_ITEMS, TRIAL_ITEMS, reporting_checks
from metarag.study_design import classify
from metarag.types import CheckAnswer, DesignFinding, StudyDesign

TRIAL = DesignFinding(design=StudyDesign.RANDOMIZED_TRIAL, confidence=0.9)
REVIEW = DesignFinding(design=StudyDesign.META_ANALYSIS, confidence=0.9)


def article(abstract="", title="Imaginary tablets", **fields):
    sections = (AbstractSection(text=abstract),) if abstract else ()
    return Article(pmid="1", title=title, abstract_sections=sections, **fields)


def answers(abstract, design, **fields):
    return {check.item: check.answer for check in reporting_checks(article(abstract, **fields), design)}


@pytest.mark.parametrize(
    ("item", "text", "answer"),
    [
        ("randomisation_method", "A computer-generated random list was used.", "yes"),
        ("allocation_concealed", "Allocation was concealed in sealed opaque envelopes.", "yes"),
        ("allocation_concealed", "Adults took tablets.", "not_reported"),
        ("blinded", "A double-blind trial.", "yes"),
        ("blinded", "An open-label trial.", "no"),
        ("blinded", "Staff were not blinded.", "no"),
        ("blinded", "An open-label trial with blinded outcome assessment.", "yes"),
        ("participants_blinded", "Patients were blinded to the tablets.", "yes"),
        ("participants_blinded", "Patients and nurses were unaware of the group.", "yes"),
        ("participants_blinded", "A trial with blinding of the participants.", "yes"),
        ("participants_blinded", "Patients could not be blinded.", "no"),
        ("participants_blinded", "An open-label trial.", "no"),
        ("participants_blinded", "A double-blind trial.", "unclear"),
        ("participants_blinded", "A double-blind study of patients with fever.", "unclear"),
        ("participants_blinded", "Assessors were blinded; patients took tablets.", "not_reported"),
        ("participants_blinded", "Patients who are blind took tablets.", "not_reported"),
        ("participants_blinded", "Patients wore masks.", "not_reported"),
        ("participants_blinded", "A weakness is the lack of blinding of the participants.", "not_reported"),
        ("participants_blinded", "Secondary (unblinded) outcomes were pain and fever.", "not_reported"),
        ("participants_blinded", "A non-blinded equivalence trial.", "no"),
        ("staff_blinded", "Patients and nurses were unaware of the group.", "yes"),
        ("staff_blinded", "Blinded investigators gave the tablets.", "yes"),
        ("staff_blinded", "Surgeons were not blinded.", "no"),
        ("staff_blinded", "Patients were blinded.", "not_reported"),
        ("assessors_blinded", "Assessors were blinded to the group.", "yes"),
        ("assessors_blinded", "A double-blind trial.", "unclear"),
        ("intention_to_treat", "Analysis was by intention to treat.", "yes"),
        ("intention_to_treat", "A modified intention-to-treat analysis was done.", "unclear"),
        ("intention_to_treat", "A per-protocol analysis was done.", "no"),
        ("losses_reported", "Four adults were lost to follow-up.", "yes"),
        ("losses_reported", "Adults in alcohol withdrawal took tablets.", "not_reported"),
        ("sample_size_reported", "We randomly assigned 90 adults.", "yes"),
        ("precision_reported", "The ratio was 0.8 (95% CI 0.7 to 0.9).", "yes"),
        ("precision_reported", "The ratio was 0.8.", "not_reported"),
        ("limitations_stated", "Limitations include the short follow-up.", "yes"),
        ("limitations_stated", "Adults with functional limitation took tablets.", "not_reported"),
        ("population_limited", "Tablets help in Japanese patients.", "yes"),
        ("region_limited", "A single-centre trial.", "yes"),
        ("region_limited", "A trial in twelve countries.", "no"),
        ("limits_explained", "The results may not be generalizable to children.", "yes"),
    ],
)
def test_the_items_of_a_trial(item, text, answer):
    assert answers(text, TRIAL)[item] == CheckAnswer(answer)


@pytest.mark.parametrize(
    ("item", "text", "answer"),
    [
        ("databases_searched", "We searched MEDLINE and Embase to May.", "yes"),
        ("databases_searched", "A literature search was done.", "unclear"),
        ("studies_counted", "Twelve trials were included.", "yes"),
        ("risk_of_bias_assessed", "Two reviewers assessed the risk of bias.", "yes"),
        ("heterogeneity_reported", "Heterogeneity was low (I2 = 12%).", "yes"),
        ("registered", "PROSPERO registration CRD42020123456.", "yes"),
        ("registered", "The largest trial (NCT01234567) dominated.", "not_reported"),
    ],
)
def test_the_items_of_a_synthesis(item, text, answer):
    assert answers(text, REVIEW)[item] == CheckAnswer(answer)


def test_each_design_has_its_own_list():
    cohort = DesignFinding(design=StudyDesign.COHORT, confidence=0.9)
    assert tuple(answers("Text.", TRIAL)) == TRIAL_ITEMS
    assert tuple(answers("Text.", cohort)) == OBSERVATIONAL_ITEMS
    assert tuple(answers("Text.", REVIEW)) == SYNTHESIS_ITEMS
    assert answers("Text.", DesignFinding(design=StudyDesign.CASE_REPORT, confidence=0.9)) == {}
    assert answers("Text.", DesignFinding()) == {}


def test_silence_is_not_reported_and_not_a_no():
    silent = answers("Tablets were studied.", TRIAL)
    assert silent.pop("randomised") is CheckAnswer.YES
    assert set(silent.values()) == {CheckAnswer.NOT_REPORTED}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Adults were randomly assigned to tablets or syrup.", CheckAnswer.YES),
        ("In a double-blind, placebo-controlled study adults took tablets.", CheckAnswer.UNCLEAR),
        ("A non-randomised trial of tablets in adults.", CheckAnswer.NO),
    ],
)
def test_randomised_follows_the_design_that_was_found(text, answer):
    record = article(text)
    check = next(c for c in reporting_checks(record, classify(record)) if c.item == "randomised")
    assert check.answer is answer


def test_each_answer_from_text_quotes_it():
    text = "A double-blind trial. Four adults were lost to follow-up. The ratio was 0.8 (95% CI 0.7 to 0.9)."
    record = article(text)
    spans = [check.span for check in reporting_checks(record, TRIAL) if check.span]
    assert len(spans) >= 3
    assert all(text[span.start : span.end] == span.text for span in spans)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("NCT 01234567", "NCT01234567"),
        ("nct01234567", "NCT01234567"),
        ("ISRCTN12345678", "ISRCTN12345678"),
        ("EudraCT number 2009-012345-12", "2009-012345-12"),
        ("ACTRN12605000567628", "ACTRN12605000567628"),
        ("ChiCTR-TRC-12002345", "CHICTR-TRC-12002345"),
        ("CTRI/2012/05/002345", "CTRI/2012/05/002345"),
        ("DRKS00001234", "DRKS00001234"),
        ("IRCT201201234567N1", "IRCT201201234567N1"),
        ("UMIN000012345", "UMIN000012345"),
        ("NTR2815", "NTR2815"),
        ("PACTR201612001234567", "PACTR201612001234567"),
        ("CRD42020123456", "CRD42020123456"),
    ],
)
def test_registrations_are_read_in_their_usual_form(written, number):
    text = f"Registered as {written}."
    found = registrations(article(text))
    assert [one.id for one in found] == [number]
    span = found[0].span
    assert text[span.start : span.end] == span.text


def test_a_registration_that_stands_twice_is_one():
    record = article(
        "See NCT01234567.", registry_ids=(RegistryId(registry="ClinicalTrials.gov", id="NCT01234567"),)
    )
    assert len(registrations(record)) == 1
