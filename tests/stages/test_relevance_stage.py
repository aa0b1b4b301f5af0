import pytest
from builders import make_article, make_evidence

from metarag.audit import Verdict
from metarag.stages.relevance import RelevanceOptions, RelevanceStage
from metarag.types import Pico, Question

QUESTION = Question(text="Does aspirin prevent stroke?")


def assess(*evidence, **options):
    return RelevanceStage(RelevanceOptions(**options)).assess(QUESTION, evidence)


def test_a_retrievers_relevance_is_kept():
    report = assess(make_evidence(make_article(title="Nothing of it"), relevance=0.9))
    assert report.evidence[0].relevance == 0.9
    assert report.decisions[0].criterion == "relevance.retriever"


def test_an_engines_own_score_is_shown_and_not_used():
    report = assess(make_evidence(make_article(title="Aspirin, stroke", abstract=""), retriever_score=17.3))
    assert report.evidence[0].relevance < 1
    assert report.decisions[0].measurements["retriever_score"] == 17.3


def test_the_reason_names_the_words_found_and_missing():
    report = assess(make_evidence(make_article(title="Aspirin for headache", abstract="")))
    assert "speaks of aspirin" in report.decisions[0].reason
    assert "not of prevent, stroke" in report.decisions[0].reason


def test_nothing_is_excluded_unless_a_minimum_is_set():
    off_topic = make_evidence(make_article(title="Gardens", abstract=""))
    assert assess(off_topic).evidence[0].relevance == 0.0
    report = assess(off_topic, min_relevance=0.3)
    assert report.evidence == ()
    assert report.decisions[0].verdict is Verdict.EXCLUDED
    assert report.decisions[0].criterion == "relevance.below_minimum"


def test_an_article_without_words_is_not_assessed_and_stays():
    report = assess(make_evidence(make_article(title="", abstract="")))
    assert report.decisions[0].verdict is Verdict.NOT_ASSESSED
    assert report.evidence[0].relevance is None


def warned(text, pico=None):
    question = Question(text=text, pico=pico)
    report = RelevanceStage().assess(question, [make_evidence(make_article(title="Hernia repair"))])
    return report.decisions[0].verdict, " ".join(report.warnings)


@pytest.mark.parametrize(
    "text", ["阿司匹林能预防中风吗？", "هل يمنع الأسبرين السكتة الدماغية؟", "What is it?"]
)
def test_a_question_of_which_nothing_can_be_read_is_not_assessed_and_warned_of(text):
    verdict, warning = warned(text)
    assert verdict is Verdict.NOT_ASSESSED
    assert "nothing of the question could be read" in warning
    assert "write the question in English, or give its PICO" in warning


def test_a_question_of_which_only_an_abbreviation_can_be_read_is_warned_of():
    verdict, warning = warned("阿司匹林能预防 COVID 患者中风吗？")
    assert verdict is Verdict.INCLUDED
    assert "only part of the question could be read (covid)" in warning


@pytest.mark.parametrize(
    "text",
    [
        "Does aspirin prevent stroke?",
        "TNF-α und β-Blocker",
        "Does DES versus BMS shorten LOS?",
        "aspirin in AVC",
    ],
)
def test_a_question_in_english_or_in_bare_names_is_not_warned_of(text):
    assert warned(text)[1] == ""


@pytest.mark.parametrize(
    "text",
    [
        "Hilft Aspirin bei einem Herzinfarkt und nach Schlaganfall?",
        "L'aspirine est-elle efficace dans l'infarctus du myocarde ?",
        "La aspirina reduce la mortalidad en el infarto?",
        "L'aspirina riduce la mortalità nei pazienti con infarto?",
        "Helpt aspirine bij een hartinfarct?",
        "A aspirina reduz a mortalidade dos doentes com um enfarte?",
    ],
)
def test_a_question_in_another_language_of_latin_letters_is_warned_of(text):
    verdict, warning = warned(text)
    assert verdict is Verdict.INCLUDED
    assert "does not seem to be in English" in warning
    assert warned(text, Pico(intervention="aspirin"))[1] == ""


def test_a_pico_in_english_makes_up_for_a_text_in_another_script():
    verdict, warning = warned("阿司匹林能预防中风吗？", Pico(intervention="aspirin"))
    assert (verdict, warning) == (Verdict.INCLUDED, "")


@pytest.mark.parametrize(
    "name", ["van der Woude", "Van der Waals", "van den Ende-Gupta", "Gilles de la Tourette"]
)
def test_a_disease_that_is_named_after_somebody_is_english(name):
    assert warned(f"Does {name} syndrome surgery help?")[1] == ""
