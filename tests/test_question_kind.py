"""The kind of a question by its words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.question_kind import infer_kind
from metarag.types import QuestionKind

QUESTIONS = [
    ("therapy", "reduce mortality", "Does aspirin reduce mortality after myocardial infarction?"),
    ("therapy", "effective", "Is azithromycin effective for acute sinusitis in adults?"),
    ("therapy", "better than", "In adults with migraine, is sumatriptan better than ibuprofen?"),
    ("therapy", "improve survival", "Does chemotherapy improve survival in elderly patients with glioma?"),
    ("therapy", "treatment", "What is the treatment of choice for community acquired pneumonia?"),
    (
        "therapy",
        "improve the prognosis",
        "Does early surgery improve the prognosis of patients with hip fracture?",
    ),
    ("therapy", "versus", "Intensive versus conventional insulin therapy in critically ill adults"),
    ("therapy", "relieve", "Do compression stockings relieve leg pain?"),
    (
        "therapy",
        "next step",
        "A man has a risk factor. What is the next step in management?",
    ),
    ("prevention", "prevent", "Does low-dose aspirin prevent a first stroke?"),
    ("prevention", "reduce the risk", "Can vitamin D supplements reduce the risk of falls in older people?"),
    ("prevention", "vaccination", "Is influenza vaccination of health workers worthwhile?"),
    (
        "prevention",
        "lower the incidence",
        "Do beta-blockers lower the incidence of atrial fibrillation after heart surgery?",
    ),
    ("prevention", "screening lower", "Does mammography screening lower deaths from breast cancer?"),
    ("prevention", "prophylaxis", "Is antibiotic prophylaxis needed before dental work?"),
    ("diagnosis", "how accurate", "How accurate is D-dimer for pulmonary embolism?"),
    ("diagnosis", "sensitivity", "What is the sensitivity of ultrasound for appendicitis?"),
    ("diagnosis", "rule out", "Can a normal ECG rule out heart failure?"),
    ("diagnosis", "accuracy of", "What is the accuracy of rapid antigen tests in children?"),
    ("diagnosis", "likely diagnosis", "Which of the following is the most likely diagnosis?"),
    ("diagnosis", "reliably detect", "Does troponin reliably detect infarction within one hour?"),
    ("diagnosis", "how well does a stool test detect", "How well does a stool test detect colon cancer?"),
    ("prognosis", "prognosis", "What is the prognosis of Bell's palsy in children?"),
    ("prognosis", "predict", "Which findings predict recurrence of depression?"),
    ("prognosis", "survival of", "What is the five-year survival of patients with stage II melanoma?"),
    ("prognosis", "natural history", "What is the natural history of small aortic aneurysms?"),
    ("prognosis", "how long does", "How long does a concussion last, and how long until players recover?"),
    ("etiology_harm", "cause", "Does smoking cause bladder cancer?"),
    ("etiology_harm", "risk of lymphoma after", "What is the risk of lymphoma after exposure to glyphosate?"),
    ("etiology_harm", "increase the risk", "Does hormone replacement therapy increase the risk of stroke?"),
    ("etiology_harm", "safe", "Are proton pump inhibitors safe in pregnancy?"),
    ("etiology_harm", "side effects", "What are the side effects of long-term amiodarone?"),
    ("etiology_harm", "associated with", "Is red meat associated with colon cancer?"),
    ("etiology_harm", "risk factor", "Is obesity a risk factor for asthma?"),
    ("etiology_harm", "lead to", "Do statins lead to diabetes?"),
    ("prevalence", "how common", "How common is restless legs syndrome in pregnancy?"),
    ("prevalence", "prevalence", "What is the prevalence of coeliac disease in Europe?"),
    ("prevalence", "what proportion of", "What proportion of people with psoriasis have arthritis?"),
    ("prevalence", "incidence", "What is the incidence of type 1 diabetes in Finland?"),
    ("prevalence", "how often", "How often do adverse events occur with ceftriaxone?"),
    ("other", "", "Which nerve innervates the deltoid?"),
    ("other", "", "Tell me about zinc"),
    ("therapy", "help", "Does hydroxychloroquine help patients in hospital with COVID-19?"),
    ("therapy", "reduce mortality", "Do corticosteroids reduce mortality in septic shock?"),
    (
        "therapy",
        "reduce",
        "Does perioperative beta-blockade reduce cardiac events after non-cardiac surgery?",
    ),
    ("etiology_harm", "increase mortality", "Does hydroxyethyl starch increase mortality?"),
    ("etiology_harm", "raise breast cancer risk", "Does HRT raise breast cancer risk?"),
    ("prevention", "prevent", "Does hormone therapy prevent coronary heart disease?"),
    ("therapy", "improve outcomes", "Does tight glucose control improve outcomes in the ICU?"),
    ("therapy", "lower mortality", "Magnesium for acute myocardial infarction: does it lower mortality?"),
    ("therapy", "reduce", "Does beta carotene reduce lung cancer?"),
    ("therapy", "superior", "Is physiotherapy superior to splinting for tennis elbow?"),
    ("therapy", "vs", "Clopidogrel vs ticagrelor in women with angina"),
    ("prevention", "protect against", "Do helmets protect against head injury in cyclists?"),
    ("prevention", "reduce the risk", "Do statins reduce the risk of a first infarction?"),
    ("diagnosis", "accurate for", "Is troponin accurate for ruling out infarction at night?"),
    ("diagnosis", "diagnose", "Do we need an MRI to diagnose multiple sclerosis?"),
    ("prognosis", "life expectancy", "Which patients with sepsis have a life expectancy below one year?"),
    ("etiology_harm", "association between", "Is there an association between air pollution and dementia?"),
    ("etiology_harm", "higher rate of", "Is there a higher rate of falls with opioids?"),
    ("etiology_harm", "lead to", "Does living near a motorway lead to asthma?"),
    ("prevalence", "how many people", "How many people in Norway live with heart failure?"),
    ("other", "", "Is high-sensitivity CRP produced in the liver?"),
    ("other", "", "Which gene is mutated in cystic fibrosis?"),
]


@pytest.mark.parametrize(("kind", "words", "question"), QUESTIONS)
def test_a_question_is_known_by_its_words(kind, words, question):
    assert infer_kind(question) == (QuestionKind(kind), words)


def test_every_kind_is_among_the_examples():
    assert {kind for kind, _, _ in QUESTIONS} == set(QuestionKind)


def test_a_story_before_the_question_does_not_decide():
    story = (
        "A teacher with a risk factor for stroke was diagnosed with gout. Treatment with 2.5 mg of invented"
        " tablets prevented attacks. He was exposed to asbestos, and his prognosis was discussed with"
        " him and his whole family, who asked how common this is. He was sent home on the very same day,"
        " with an appointment. "
    )
    assert len(story) > 300
    assert infer_kind(story + "Which nerve is affected?") == (QuestionKind.OTHER, "")
    assert infer_kind(story + "What is the best treatment? ")[0] is QuestionKind.THERAPY
    assert infer_kind(story + "How common is a level above 2.5 mmol/l?")[0] is QuestionKind.PREVALENCE


def test_a_short_remark_before_the_question_does_decide():
    assert infer_kind("Aspirin to prevent stroke. Yes or no?") == (QuestionKind.PREVENTION, "prevent")


def test_case_and_line_breaks_do_not_matter():
    assert infer_kind("HOW\n  COMMON is it?") == infer_kind("how common is it?")


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300))
def test_any_text_has_a_kind_and_words_exactly_when_a_rule_applied(text):
    kind, words = infer_kind(text)
    assert (kind is QuestionKind.OTHER) == (words == "")


@pytest.mark.parametrize(
    "unit", ["risk of ", "reduce a ", "how well a ", "a", "? ", "screening a ", "increase the "]
)
def test_a_megabyte_is_read_like_its_end(unit):
    hostile = unit * (1_000_000 // len(unit))
    assert infer_kind(hostile + ". How common is it?")[0] is infer_kind("How common is it?")[0]
