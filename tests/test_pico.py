import pytest
from builders import make_article
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.pico import AskedPico, ExtractedPico, article_pico, extract_pico, question_pico
from metarag.records import MeshHeading, MeshQualifier
from metarag.types import Pico, Question

STORY = (
    "A 67-year-old woman, mother of two boys, is brought to the clinic because of "
    "swelling of both legs for two weeks. She has "
    "type 2 diabetes and high blood pressure and takes metformin and ramipril. Her pulse is 88/min. There is "
    "no history of stroke. Crackles are heard at both lung bases, and heart failure is diagnosed. "
    "Which of the following drugs is most likely to lower mortality?"
)


def concepts(terms):
    return [("no " if t.absent else "") + t.concept for t in terms if t.kind != "human"]


@pytest.mark.parametrize(
    ("question", "population", "intervention", "comparator", "outcome"),
    [
        (
            "Does metoprolol reduce mortality in adults with heart failure?",
            ["adults", "heart failure"], ["metoprolol"], [], ["mortality"],
        ),
        (
            "Is warfarin better than apixaban to prevent stroke in elderly people with atrial fibrillation?",
            ["older people", "atrial fibrillation"], ["warfarin"], ["apixaban"], ["stroke"],
        ),
        (
            "Does aspirin prevent stroke in people without diabetes?",
            ["no diabetes mellitus"], ["aspirin"], [], ["stroke"],
        ),
        ("Does garlic syrup lower blood pressure?", [], ["garlic syrup"], [], ["blood pressure"]),
        (
            "In hospitalised children with croup, does dexamethasone versus placebo shorten hospital stay?",
            ["hospital", "children", "croup"], ["dexamethasone"], ["placebo"], ["length of stay"],
        ),
        ("Do statins prevent fracture in adults, such as smokers?", ["adults"], ["statin"], [], ["fracture"]),
    ],
)  # fmt: skip
def test_the_facets_of_a_question(question, population, intervention, comparator, outcome):
    pico = extract_pico(question)
    assert concepts(pico.population) == population
    assert concepts(pico.intervention) == intervention
    assert concepts(pico.comparator) == comparator
    assert concepts(pico.outcome) == outcome


def test_a_story_gives_the_patient_but_not_the_drugs_already_taken():
    asked = question_pico(Question(text=STORY, options={"A": "spironolactone", "B": "digoxin"}))
    assert asked.vignette
    assert [t.span.text for t in asked.used.population if t.kind == "sex"] == ["woman"]
    people = concepts(asked.used.population)
    assert "children" not in people
    assert {"older people", "women", "type 2 diabetes", "hypertension", "heart failure", "no stroke"} <= set(
        people
    )
    assert asked.used.intervention == ()
    assert concepts(asked.used.outcome) == ["mortality"]


def test_options_are_never_read():
    with_options = question_pico(
        Question(text="Which drug helps?", options={"A": "aspirin", "B": "warfarin"})
    )
    assert with_options == question_pico(Question(text="Which drug helps?"))


def test_the_users_facets_win_one_by_one_and_the_parsed_ones_are_kept_beside_them():
    question = Question(
        text="Does metoprolol reduce mortality in adults with heart failure?",
        pico=Pico(intervention="bisoprolol or carvedilol"),
    )
    asked = question_pico(question)
    assert asked.given == ("intervention",)
    assert (
        concepts(asked.used.intervention) == ["bisoprolol", "carvedilol"]
        or concepts(asked.used.intervention)[0] == "bisoprolol"
    )
    assert concepts(asked.parsed.intervention) == ["metoprolol"]
    assert asked.used.outcome == asked.parsed.outcome
    assert asked.used.intervention[0].span.where == "pico.intervention"


def test_any_leaves_nothing_to_be_compared_and_is_given():
    question = Question(text="Does metoprolol help children?", pico=Pico(population="any"))
    asked = question_pico(question)
    assert (asked.used.population, asked.given) == ((), ("population",))
    assert concepts(asked.parsed.population) == ["children"]
    assert concepts(asked.used.intervention) == ["metoprolol"]


def test_words_of_the_user_that_no_vocabulary_knows_stay_as_written():
    asked = question_pico(Question(text="Does it work?", pico=Pico(intervention="hop-on boots, tin hats")))
    assert concepts(asked.used.intervention) == ["hop-on boots", "tin hats"]


def test_the_facets_of_a_structured_abstract():
    article = make_article(
        title="Invented tablets versus metoprolol in women with angina",
        abstract=(
            ("BACKGROUND", "Children with epilepsy often receive valproate."),
            ("METHODS", "We randomised 210 women aged 45 to 60 years to bisoprolol or placebo for 12 weeks."),
            ("RESULTS", "Severe headache was as frequent; quality of life improved."),
        ),
    )
    pico = article_pico(article)
    assert {"women", "adults", "angina"} <= set(concepts(pico.population))
    assert not {"children", "severe"} & set(concepts(pico.population))
    assert "bisoprolol" in concepts(pico.intervention)
    assert "valproate" not in concepts(pico.intervention)
    assert "placebo" in concepts(pico.comparator)
    assert "quality of life" in concepts(pico.outcome)
    assert concepts(pico.time) == ["12 week"]
    assert "valproate" in pico.mentioned


@pytest.mark.parametrize(
    ("heading", "qualifiers", "facet", "concept"),
    [
        ("Aged", (), "population", "older people"),
        ("Child, Preschool", (), "population", "children"),
        ("Diabetes Mellitus, Type 2", ("drug therapy",), "population", "type 2 diabetes"),
        ("Lung Neoplasms", ("prevention & control",), "outcome", "lung cancer"),
        ("Metoprolol", ("therapeutic use",), "intervention", "metoprolol"),
        ("Placebos", (), "comparator", "placebo"),
    ],
)
def test_mesh_headings_and_their_subheadings_go_to_their_facet(heading, qualifiers, facet, concept):
    mesh = (MeshHeading(descriptor=heading, qualifiers=tuple(MeshQualifier(name=q) for q in qualifiers)),)
    terms = getattr(article_pico(make_article(title="A study", abstract="", mesh=mesh)), facet)
    assert concept in concepts(terms)
    assert {t.span.where for t in terms if t.concept == concept} == {"mesh"}


def test_a_substance_that_was_only_measured_in_blood_is_no_intervention():
    heading = MeshHeading(descriptor="Insulin", qualifiers=(MeshQualifier(name="blood"),))
    assert article_pico(make_article(title="A study", abstract="", mesh=(heading,))).intervention == ()


@pytest.mark.parametrize(
    ("title", "intervention", "comparator"),
    [
        ("Blue lamps versus warm socks in chilblains", ["blue lamps"], ["warm socks"]),
        ("Effect of blue lamps on cold feet in sailors", ["blue lamps"], []),
        ("Efficacy of the warm sock", ["the warm sock"], []),
    ],
)
def test_title_patterns_name_what_the_vocabulary_does_not_know(title, intervention, comparator):
    pico = article_pico(make_article(title=title, abstract=""))
    assert concepts(pico.intervention) == intervention
    assert concepts(pico.comparator) == comparator


def test_arms_of_a_randomised_trial_are_read_from_the_abstract():
    abstract = "Sailors were randomised to receive blue lamps or warm socks for a month."
    pico = article_pico(make_article(title="Cold feet", abstract=abstract))
    assert (concepts(pico.intervention), concepts(pico.comparator)) == (["blue lamps"], ["warm socks"])


def test_participants_and_outcomes_are_kept_in_the_words_of_the_abstract():
    abstract = (
        "We enrolled 24 tired sailors with cold feet, and 12 cooks. "
        "The primary outcome was warmth of the toes. "
        "There was no change in shoe size between groups. Incidence of blisters was low."
    )
    pico = article_pico(make_article(title="Cold feet", abstract=abstract))
    people = [t.span.text for t in pico.population if t.kind == "open"]
    outcomes = [t.span.text for t in pico.outcome if t.kind == "open"]
    assert people == []
    assert outcomes == ["warmth of the toes", "shoe size", "blisters"]
    abstract = abstract.replace("sailors", "women")
    pico = article_pico(make_article(title="Cold feet", abstract=abstract))
    assert [t.span.text for t in pico.population if t.kind == "open"] == ["24 tired women with cold feet"]


def test_an_abbreviation_means_what_the_text_says_it_means():
    abstract = "Bladder (overactive bladder, unstable) and overactive bladder (OVB). Men with OVB came."
    assert "overactive bladder" in concepts(
        article_pico(make_article(title="OVB", abstract=abstract)).population
    )


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("children aged 2 to 12 years", ["children", "infants"]),
        ("patients aged 40-84 years", ["adults", "older people"]),
        ("a 3-week-old boy", ["newborns", "children"]),
        ("people of 70 years or older", ["older people"]),
        ("aged between 13 and 17 years", ["adolescents"]),
        ("followed for 2 to 12 years", []),
        ("5 to 10 mg", []),
    ],
)
def test_ages_in_figures_become_age_groups(text, groups):
    ages = {t.concept for t in extract_pico(text).population if t.kind == "age"}
    assert ages - {"infants"} == set(groups) - {"infants"}


PIECES = [*"aeo -.,;:()/β\nİ", "aspirin ", "stroke ", "no ", "children ", "(AF) ", "12 weeks ", "placebo ",
          "versus ", "effect of ", "mice ", "aged 5 to 9 years ", "without "]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(deadline=None, max_examples=150)
@given(TEXTS, TEXTS)
def test_extraction_is_total_and_every_span_is_exact(title, abstract):
    article = make_article(title=title or "x", abstract=abstract)
    pico = article_pico(article)
    sources = {"title": article.title, "abstract": article.abstract or ""}
    for terms in (pico.population, pico.intervention, pico.comparator, pico.outcome, pico.time):
        for term in terms:
            assert sources[term.span.where][term.span.start : term.span.end] == term.span.text
    assert ExtractedPico.model_validate_json(pico.model_dump_json()) == pico


@settings(deadline=None, max_examples=60)
@given(TEXTS.filter(lambda t: any(c.isalnum() for c in t)))
def test_a_question_of_any_words_is_read(text):
    asked = question_pico(Question(text=text))
    assert isinstance(asked, AskedPico)
    assert asked.used == asked.parsed


@pytest.mark.parametrize(
    "piece",
    ["aspirin versus ", "effect of ", "(AB ", "randomised to a or ", "12 to ", "no stroke, ", " ", ",", "a",
     "aged 5 ", "in vitro ", "heart ", "assigned to receive either ", ") (Abc", "12 year ",
     "12 men ", "patients with ", "change in ", "rate of a "],
)  # fmt: skip
def test_hostile_text_is_read_to_its_end(piece):
    text = (piece * 40_000)[:40_000] + "x"
    found = article_pico(make_article(title=text, abstract=text))
    assert found.length == len(text)
    assert len(found.model_dump_json()) < 30_000


def test_a_pico_stays_small_whatever_the_text():
    many = " ".join(f"Drug{i}statin and aspirin {i} weeks" for i in range(3000))
    assert len(article_pico(make_article(title="x", abstract=many)).model_dump_json()) < 30_000


def test_never_having_had_a_disease_does_not_negate_the_drug_that_is_asked_about():
    question = Question(text="Should adults who never had a stroke take aspirin?")
    assert [t.concept for t in question_pico(question).used.intervention] == ["aspirin"]


@pytest.mark.parametrize(
    ("title", "people", "comparator"),
    [
        ("Non-invasive ventilation in adults with heart failure", ["adults", "heart failure"], []),
        ("Non-invasive tests for heart failure", ["heart failure"], []),
        ("Never-treated hypertension and aspirin", ["hypertension"], []),
        ("Metformin in non-diabetic adults", ["no diabetes mellitus", "adults"], []),
        ("Stroke in women without aspirin", ["stroke", "women"], ["no treatment"]),
    ],
)
def test_a_prefix_with_a_hyphen_negates_its_own_word_and_no_other(title, people, comparator):
    read = article_pico(make_article(title=title, abstract=""))
    asked = extract_pico(f"{title}?")
    for found in (read, asked):
        assert concepts(found.population) == people
        assert concepts(found.comparator) == comparator


@pytest.mark.parametrize(
    ("question", "intervention", "outcome"),
    [
        ("Does bupropion improve sexual function?", ["bupropion"], ["sexual function"]),
        ("Does exercise improve knee function?", ["exercise"], ["functional status"]),
        ("Does exercise improve function?", ["exercise"], ["functional status"]),
        ("Does clonidine prolong analgesia?", ["clonidine"], ["analgesia"]),
        ("Does morphine improve analgesia?", ["morphine"], ["pain"]),
        (
            "Does azithromycin prevent nausea in acute exacerbations of asthma?",
            ["azithromycin"],
            ["nausea and vomiting"],
        ),
        ("Does azithromycin reduce exacerbations in asthma?", ["azithromycin"], ["exacerbation"]),
        ("Does azithromycin bring a reduction in exacerbations?", ["azithromycin"], ["exacerbation"]),
        ("Does gabapentin reduce opioid use after surgery?", ["gabapentin"], ["opioid use"]),
        ("Do scalp blocks reduce opioid use after surgery?", ["scalp blocks"], ["opioid use"]),
        ("Does opioid use increase mortality?", ["opioid"], ["mortality"]),
        ("Does lidocaine reduce pain on injection of propofol?", ["local anaesthetic"], ["pain"]),
        ("Does metformin prevent olanzapine-induced weight gain?", ["metformin"], ["body weight"]),
        ("Do text messages increase physical activity?", ["text messages"], ["physical activity"]),
        ("Does physical activity lower mortality?", ["exercise"], ["mortality"]),
    ],
)
def test_the_words_around_a_term_of_a_question_say_what_it_is(question, intervention, outcome):
    found = extract_pico(question)
    assert concepts(found.intervention) == intervention
    assert concepts(found.outcome) == outcome


@pytest.mark.parametrize(
    ("question", "intervention", "comparator"),
    [
        ("Is zorblaxin better than aspirin at preventing stroke?", ["zorblaxin"], ["aspirin"]),
        ("Is warfarin better than aspirin at preventing stroke?", ["warfarin"], ["aspirin"]),
        ("Is anything better than aspirin at preventing stroke?", ["aspirin"], []),
    ],
)
def test_what_an_unknown_treatment_is_set_against_is_not_the_treatment(question, intervention, comparator):
    found = extract_pico(question)
    assert concepts(found.intervention) == intervention
    assert concepts(found.comparator) == comparator
