"""Participants, dates and money: what is read, in which unit, and that the words stand in the record."""

import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag.appraisal import appraise
from metarag.records import Grant, MeshHeading
from metarag.reported_facts import ConflictKind, FundingKind, PeriodKind
from metarag.reported_reader import read_facts
from metarag.reported_words import fact_words


def facts_of(abstract="", title="Imaginary tablets for fever", **fields):
    return read_facts(make_article(abstract=abstract, title=title, **fields))


def shown(time):
    numbers = {
        name: getattr(time, name)
        for name in ("value", "lower", "upper", "spread")
        if getattr(time, name) is not None
    }
    return time.kind.value, numbers, time.unit.value if time.unit else None


@pytest.mark.parametrize(
    ("text", "kind", "numbers", "unit"),
    [
        ("The mean age was 54.3 years.", "mean", {"value": 54.3}, "years"),
        ("Mean (SD) age of the women was 62.3 (10.1) years.", "mean", {"value": 62.3, "spread": 10.1}, "years"),
        ("The mean age +/- SD, 34.3 +/- 10.5 yr, did not differ.", "mean", {"value": 34.3, "spread": 10.5}, "years"),
        ("Mean age of the 32 patients was 54 years.", "mean", {"value": 54}, "years"),
        ("Athletes (age 23 ± 6 y) ran.", "mean", {"value": 23, "spread": 6}, "years"),
        ("Children had a mean age of 53 mo (range 35 to 71 mo).", "mean", {"value": 53, "lower": 35, "upper": 71}, "months"),
        ("The median age was 28 yrs (IQR: 24-32).", "median", {"value": 28, "lower": 24, "upper": 32}, "years"),
        ("Median age was 12 (range, 8-14) years.", "median", {"value": 12, "lower": 8, "upper": 14}, "years"),
        ("Adults aged 18–75 years took part.", "range", {"lower": 18, "upper": 75}, "years"),
        ("Their ages ranged from 6 to 19 years.", "range", {"lower": 6, "upper": 19}, "years"),
        ("Infants were 1 to 9 months of age.", "range", {"lower": 1, "upper": 9}, "months"),
        ("Men between 40 and 70 years of age were asked.", "range", {"lower": 40, "upper": 70}, "years"),
        ("People aged 65 years or older were asked.", "limits", {"lower": 65}, "years"),
        ("Women 18 years or older were asked.", "limits", {"lower": 18}, "years"),
        ("Women aged ≥ 50 years were asked.", "limits", {"lower": 50}, "years"),
        ("Workers (aged 45+ years) were asked.", "limits", {"lower": 45}, "years"),
        ("Children under the age of 5 years were seen.", "limits", {"upper": 5}, "years"),
        ("Patients younger than age 17 were seen.", "limits", {"upper": 17}, None),
        ("A 54-year-old man had fever.", "exact", {"value": 54}, "years"),
        ("At 6 months of age infants were weighed.", "exact", {"value": 6}, "months"),
    ],
)  # fmt: skip
def test_an_age_is_read_with_what_it_is_and_its_unit(text, kind, numbers, unit):
    (age,) = facts_of(text).ages
    assert shown(age) == (kind, numbers, unit)


@pytest.mark.parametrize(
    "text",
    [
        "Fever fell with age (p = 0.021) in 32 of 54 adults.",
        "Mean gestational age was 32 weeks.",
        "The mean age at menarche was 13 years.",
        "Results were adjusted for age, sex and 12 other variables.",
        "The mean age difference was 3 years.",
        "Tablets were taken for 5 years at a dosage of 20 mg.",
        "The average stage was 3 in 45 percent of adults.",
        "Age-matched controls took 40 mg.",
        "Over 60 years, fever became rare.",
    ],
)
def test_other_numbers_are_no_ages(text):
    assert facts_of(text).ages == ()


def test_the_ends_of_an_interval_in_another_unit_are_not_taken():
    (age,) = facts_of("The mean age was 2.1 years (range, 6-46 months).").ages
    assert shown(age) == ("mean", {"value": 2.1}, "years")


@pytest.mark.parametrize(
    ("text", "kind", "numbers", "unit"),
    [
        ("Patients were followed for 18 months.", "exact", {"value": 18}, "months"),
        ("At the twelve-month follow-up fever was gone.", "exact", {"value": 12}, "months"),
        ("Median follow-up was 54 months (range 18-186).", "median", {"value": 54, "lower": 18, "upper": 186}, "months"),
        ("Median follow-up, 63 (range, 23-119) months.", "median", {"value": 63, "lower": 23, "upper": 119}, "months"),
        ("During a median of 4.0 y of follow-up, fever fell.", "median", {"value": 4}, "years"),
        ("Over a mean follow-up of 57+/-34 months, fever fell.", "mean", {"value": 57, "spread": 34}, "months"),
        ("They were followed up for a minimum of one year.", "limits", {"lower": 1}, "years"),
        ("They were followed for up to 90 days.", "limits", {"upper": 90}, "days"),
        ("During 18-50 years of follow-up four died.", "range", {"lower": 18, "upper": 50}, "years"),
    ],
)  # fmt: skip
def test_the_length_of_follow_up_is_read(text, kind, numbers, unit):
    (length,) = facts_of(text).follow_up
    assert shown(length) == (kind, numbers, unit)


@pytest.mark.parametrize(
    "text",
    [
        "Tablets for 12 weeks followed by syrup.",
        "Two patients were lost to follow-up.",
        "Scores fell 6 weeks following tablets.",
        "Results were as follows: 12 of 40 had fever.",
    ],
)
def test_what_follows_something_is_no_follow_up(text):
    assert facts_of(text).follow_up == ()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Between May 2009 and September 2011 we enrolled children.", (2009, 5, None), (2011, 9, None)),
        ("Patients treated from Dec 16, 1992, to May 22, 2001 were seen.", (1992, 12, 16), (2001, 5, 22)),
        ("Records from 1 January 2004 until 31 December 2010 were reviewed.", (2004, 1, 1), (2010, 12, 31)),
        ("In 2001–2002 a total of 490 patients were included.", (2001, None, None), (2002, None, None)),
        ("Adults were recruited 04/2010 to 07/2012.", (2010, 4, None), (2012, 7, None)),
    ],
)
def test_dates_between_which_people_took_part_are_read_as_far_as_they_are_printed(text, start, end):
    (period,) = facts_of(text).periods
    assert period.kind is PeriodKind.PARTICIPANTS
    assert (period.start.year, period.start.month, period.start.day) == start
    assert (period.end.year, period.end.month, period.end.day) == end


def test_the_years_of_a_search_are_told_apart():
    (period,) = facts_of("We searched Medline from 1966 to October 1999 for trials in adults.").periods
    assert period.kind is PeriodKind.SEARCH


@pytest.mark.parametrize(
    "text",
    [
        "The incidence of fever decreased from 1975 to 2002.",
        "Fever was seen in 25% in 2000 and in 70% in 2006.",
        "Registered as NCT01234567 on 3 May 2013; 2014-001234-56 is its number.",
        "Enrolled between 2010 and 1999, patients had fever.",
    ],
)
def test_other_years_are_no_period_of_the_participants(text):
    assert facts_of(text).periods == ()


def test_headings_of_an_indexer_say_which_species_took_part():
    mesh = tuple(MeshHeading(descriptor=name) for name in ("Animals", "Mice, Inbred C57BL", "Fever"))
    facts = facts_of("Women were given tablets.", mesh=mesh)
    assert [(one.species, one.span.where, one.span.text) for one in facts.species] == [
        ("mice", "mesh", "Mice, Inbred C57BL")
    ]


@pytest.mark.parametrize(
    ("title", "text", "species"),
    [
        ("Tablets for fever", "Forty patients took tablets.", ["humans"]),
        ("Tablets for fever in rats", "Fever fell.", ["rats"]),
        ("Tablets for fever", "Guinea pigs took tablets. The guinea pigs recovered.", ["guinea pigs"]),
        ("Tablets for fever", "Tablets helped mice before. Now 40 patients took them.", ["humans"]),
        ("Tablets for fever", "A CAT scan and a rabbit anti-mouse antibody were used.", []),
        ("Tablets for fever", "Dog owners were asked about dog bites.", []),
    ],
)
def test_without_headings_the_text_says_who_took_part(title, text, species):
    assert [one.species for one in facts_of(text, title).species] == species


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Fever fell. The study was funded by Imaginex Pharmaceuticals.", FundingKind.INDUSTRY, "Imaginex"),
        (
            "Fever fell. Supported by a grant from the Ministry of Fever.",
            FundingKind.NAMED,
            "Ministry of Fever",
        ),
        ("Fever fell.\nFUNDING: National Fever Council; Fever Trust.", FundingKind.NAMED, "Fever Trust"),
        ("Fever fell.\nFunding: None.", FundingKind.NONE, "None"),
        ("Funded by the Roche Foundation.", FundingKind.NAMED, "Roche Foundation"),
    ],
)
def test_who_paid_is_read_with_the_words(text, kind, words):
    (found,) = facts_of(text).funding
    assert found.kind is kind
    assert words in found.span.text


@pytest.mark.parametrize(
    "text",
    [
        "The findings are supported by our data.",
        "The hypothesis was supported by associations with fever.",
        "Publicly funded clinics were asked about funding.",
        "Wounds were supported by sutures.",
    ],
)
def test_money_that_is_only_spoken_of_pays_for_nothing(text):
    assert facts_of(text).funding == ()


def test_the_grants_and_the_types_of_the_record_name_funders_once_each():
    facts = facts_of(
        grants=(
            Grant(agency="Fever Council", id="1"),
            Grant(agency="Fever Council", id="2"),
            Grant(id="X-3"),
        ),
        types=("Journal Article", "Research Support, Non-U.S. Gov't"),
    )
    assert [(one.span.where, one.span.text) for one in facts.funding] == [
        ("grants", "Fever Council"),
        ("grants", "X-3"),
        ("publication_type", "Research Support, Non-U.S. Gov't"),
    ]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("The authors declare that they have no competing interests.", ConflictKind.NONE),
        ("None declared.", ConflictKind.NONE),
        ("All authors declare no competing funding, employment, or personal interests.", ConflictKind.NONE),
        ("A.B. received fees from Imaginex. C.D. declares no conflict of interest.", ConflictKind.DECLARED),
        ("A.B. is an employee of Imaginex.", ConflictKind.DECLARED),
        ("Disclosures may be found at the end of this article.", ConflictKind.UNCLEAR),
    ],
)
def test_a_statement_on_interests_says_none_only_if_nobody_declares_any(statement, kind):
    (found,) = facts_of(conflict_of_interest=statement).conflicts
    assert (found.kind, found.span.where) == (kind, "conflict_of_interest")


def test_a_statement_of_the_abstract_counts_under_its_heading_and_an_article_about_interests_has_none():
    (found,) = facts_of("Fever fell.\nCOMPETING INTERESTS: A.B. owns stock in Imaginex.").conflicts
    assert found.kind is ConflictKind.DECLARED
    assert found.span.text == "A.B. owns stock in Imaginex."
    assert facts_of("Conflicts of interest of 40 panels were studied.").conflicts == ()


def test_nothing_is_read_of_a_record_that_says_nothing():
    facts = facts_of()
    assert not any(getattr(facts, name) for name in type(facts).model_fields)


def test_the_facts_are_part_of_the_appraisal():
    article = make_article(abstract="Forty women with a mean age of 54 years were followed for 2 years.")
    assert appraise(article).facts == read_facts(article)
    assert read_facts(article).ages


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Women aged ≥ 50 years were asked.", "at least 50 years"),
        ("Children under the age of 5 years were seen.", "at most 5 years"),
        ("The median age was 28 yrs (IQR: 24-32).", "median 28 years (IQR 24 to 32)"),
        ("Patients younger than age 17 were seen.", "at most 17"),
    ],
)
def test_a_fact_is_told_in_words(text, words):
    told = list(fact_words(facts_of(text)))
    assert ("age", words) in [(fact.topic, fact.meaning) for fact in told]


def test_the_years_of_a_search_are_told_as_such():
    (told,) = fact_words(facts_of("We searched Medline from 1966 to October 1999."))
    assert (told.topic, told.meaning) == ("dates", "search of the literature 1966 to Oct 1999")


PIECES = (
    "mean age 54.3 ± 9 years ", "İ", "aged 18–75 y ", "followed for 3 years ", "1999 to 2004 enrolled ", "old ",
    "funded by ", "Funding: ", "(", "≥ 65 years of age ", "rats ", "women ", ".\n", "12-month follow-up ", "age ",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_every_fact_carries_words_that_stand_where_it_says(text):
    article = make_article(title=text or "Fever", abstract=f"Fever. {text}")
    texts = {"title": article.title, "abstract": article.abstract}
    facts = read_facts(article)
    for name in type(facts).model_fields:
        for fact in getattr(facts, name):
            span = fact.span
            assert texts[span.where][span.start : span.end] == span.text
