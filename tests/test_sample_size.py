"""How many took part, read from text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.number_words import to_number
from metarag.records import AbstractSection, Article
from metarag.sample_size import extract_sample_size


def size_of(abstract, title="Imaginary tablets for fever"):
    sections = (AbstractSection(text=abstract),) if abstract else ()
    return extract_sample_size(Article(pmid="1", title=title, abstract_sections=sections))


@pytest.mark.parametrize(
    ("text", "total", "kind"),
    [
        (
            "We enrolled 150 adults, of whom 120 patients were randomised to tablets or syrup.",
            120,
            "randomised",
        ),
        ("We randomly assigned 1,204 women with fever to tablets or syrup.", 1204, "randomised"),
        ("A total of 20 536 adults with fever were randomly allocated to tablets.", 20536, "randomised"),
        ("One hundred and twenty-four children were recruited from two schools.", 124, "enrolled"),
        ("Forty healthy male volunteers participated in a crossover study.", 40, "enrolled"),
        ("Tablets were studied in 36 patients with fever.", 36, "included"),
        ("Patients with fever (N = 702) took tablets.", 702, "included"),
        ("Fifty-eight adults completed the trial.", 58, "analysed"),
        ("Twelve studies met the inclusion criteria.", 12, "studies"),
        ("Twelve studies with 2345 participants were included.", 2345, "included"),
    ],
)
def test_the_number_of_people_is_read(text, total, kind):
    found = size_of(text)
    assert (found.total, found.kind) == (total, kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Fever fell by 45% after 12 weeks of 20 mg tablets.",
        "People aged 40 to 80 years often have fever.",
        "At month three they were randomised to tablets.",
        "In December 2014 fever was common.",
        "We tested 12 hospitals and 3 clinics.",
        "One in ten children has fever.",
        "For each case of a person who took tablets, 2 referent patients were included.",
    ],
)
def test_other_numbers_are_not_taken(text):
    assert size_of(text) is None


def test_people_who_left_are_not_the_sample():
    assert size_of("Tablets work. Six participants withdrew because of nausea.") is None


def test_arms_are_given_when_they_add_up():
    found = size_of("We randomly assigned 120 adults to tablets (n = 61) or syrup (n = 59).")
    assert (found.total, found.arms) == (120, (61, 59))


def test_arms_that_do_not_add_up_are_left_out():
    assert size_of("We randomly assigned 120 adults to tablets (n = 61) or syrup (n = 50).").arms == ()


def test_arms_alone_give_the_total():
    found = size_of("Adults were randomly assigned to tablets (n=25) or syrup (n=24).")
    assert (found.total, found.arms, found.kind) == (49, (25, 24), "randomised")


def test_a_sample_that_is_divided_twice_is_counted_once():
    found = size_of(
        "Adults with mild (n = 31) or bad fever (n = 31) received tablets (n = 38) or syrup (n = 24)."
    )
    assert found.total == 62


def test_the_span_quotes_the_text():
    text = "METHODS: We randomly assigned one hundred adults to tablets."
    found = size_of(text)
    assert (
        text[found.span.start : found.span.end] == found.span.text == "randomly assigned one hundred adults"
    )


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("seven", 7),
        ("twenty-one", 21),
        ("one hundred and five", 105),
        ("two thousand three hundred forty-five", 2345),
        ("12,345", 12345),
        ("1 200", 1200),
        ("none", 0),
    ],
)
def test_number_words_are_understood(words, number):
    assert to_number(words) == number


@settings(deadline=None, max_examples=80)
@given(st.integers(min_value=2, max_value=999_999))
def test_any_number_of_randomised_patients_is_read(number):
    for written in (f"{number}", f"{number:,}"):
        found = size_of(f"In all, {written} patients were randomised to tablets or syrup.")
        assert (found.total, found.kind) == (number, "randomised")


@pytest.mark.parametrize("unit", ["12 ", "one hundred and ", "n = 5, ", "5 patients ", "("])
def test_a_megabyte_of_hostile_text_is_survived(unit):
    found = size_of(unit * (1_000_000 // len(unit)))
    assert found is None or found.total > 0


@pytest.mark.parametrize(
    ("text", "title", "total"),
    [
        ("Fever ended in 9 of 135 men given tablets and 23 of 134 given syrup.", "Tablets in 280 men", 280),
        ("Fever ended in 7 of 40 women in the tablet group. We studied 82 women.", "Tablets", 82),
        ("Fever ended in 4 of 31 placebo patients. PARTICIPANTS: 61 male doctors.", "Tablets", 61),
        ("Children got tablets (61 children) or plain syrup (64 children); 125 took part.", "Tablets", 125),
        ("Intake was measured in 70 men and 80 women (150 participants).", "Tablets", 150),
        ("Thirty treated and 20 control patients were analysed (50 in all).", "Tablets", 50),
        ("A cohort of 1,200 adults. Of 900 adults with fever, 300 were treated.", "Tablets", 1200),
        ("We randomly assigned 60 women to tablets and 58 women to syrup.", "Tablets in 121 women", 121),
    ],
)
def test_a_stated_total_stands_before_arms(text, title, total):
    assert size_of(text, title).total == total


@pytest.mark.parametrize(
    ("text", "arms"),
    [
        ("In a randomised trial 60 women were assigned to tablets and 58 to syrup.", (60, 58)),
        ("Fever ended in 9 of 135 men given tablets (6.7%) versus 23 of 134 given placebo.", (135, 134)),
        (
            "At random, 30 adults were assigned to tablets, 31 were assigned to syrup and 29 to placebo.",
            (30, 31, 29),
        ),
        ("Children were assigned to tablets (61 children) or plain syrup (64 children).", (61, 64)),
    ],
)
def test_allocated_arms_without_a_stated_total_are_added_up(text, arms):
    found = size_of(text)
    assert (found.total, found.arms, found.kind) == (sum(arms), arms, "arms")
    assert text[found.span.start : found.span.end] == found.span.text


@pytest.mark.parametrize(
    "text",
    [
        "Fever ended early for 40 patients in the placebo group.",
        "Fever ended in 12 of 40 patients given tablets, compared with few in the placebo group.",
        "Fever ended for 40 men on tablets and 38 men on syrup.",
        "Fever ended in 9 of 35 men given tablets and 8 of 34 given placebo. "
        "Cough ended in 2 of 15 men given tablets and 3 of 12 given placebo.",
    ],
)
def test_arms_that_do_not_make_a_sample_give_none(text):
    assert size_of(text) is None


def test_counts_of_arms_that_add_up_to_a_stated_total_are_its_arms():
    found = size_of(
        "We enrolled 269 men. Fever ended in 9 of 135 men given tablets and 23 of 134 given placebo."
    )
    assert (found.total, found.arms) == (269, (135, 134))


@pytest.mark.parametrize("text", ["Tablets helped 3 of 40 men.", "We randomised 40 men to tablets or syrup."])
def test_one_sample_is_not_taken_for_an_arm(text):
    assert size_of(text).total == 40


@pytest.mark.parametrize(
    "text",
    [
        "For every 76 women randomised to zinc, one less infarction occurred.",
        "The rate was 12 per 100,000 children in 2019.",
        "One death was seen for each 10 000 women treated.",
    ],
)
def test_a_rate_is_no_number_of_people_who_took_part(text):
    assert size_of(text) is None


def test_people_who_took_part_are_found_beside_a_rate():
    text = "Of 2321 women enrolled, one less for every 76 women treated had an infarction."
    found = size_of(text)
    assert found is not None
    assert found.total == 2321


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("The reviewers read all trials. Fever was reported in 2 patients (0.06%).", None),
        (
            "We gave syrup. 17 children met all of the strict criteria of the fever society of that region and were"
            " enrolled. Sleep was poor in two patients.",
            17,
        ),
        ("At 2 h, more patients on tablets were free of fever.", None),
        ("Tablets were better than syrup in 1 study, although few patients had fever.", None),
        ("One eye was randomised to drops.", None),
        ("We report two patients with fever after tablets.", 2),
        ("We examined the effect of tablets in 2 boys with fever.", 2),
    ],
)
def test_one_or_two_are_the_sample_only_where_a_study_of_so_few_says_so(text, total):
    found = size_of(text)
    assert (found.total if found else None) == total
