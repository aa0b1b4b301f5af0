import pytest
from builders import make_article, make_evidence
from hypothesis import given
from hypothesis import strategies as st

from metarag.records import Author, PartialDate
from metarag.study_links import MAX_YEARS_APART, in_words, study_ids, study_names
from metarag.types import SampleSize, Span, StudyDesign

RESULT = (
    "We randomised {n} adults to tablets or placebo. Death was rarer with tablets than with placebo"
    " (hazard ratio 0.80, 95% CI 0.70 to 0.91)."
)


def report(pmid, *, title="Imaginary tablets for fever", n=1234, author="Quill", year=2001, **fields):
    article = make_article(
        pmid,
        title,
        RESULT.format(n=n),
        types=("Randomized Controlled Trial",),
        authors=(Author(last=author, initials="AB"),) if author else (),
        print_date=PartialDate(year=year) if year else None,
        **fields,
    )
    return make_evidence(article)


def linked(*evidence):
    first, second = (study_ids(evidence)[item.key] for item in evidence)
    return first & second


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Tablets in fever: the FEBRIS trial", "FEBRIS"),
        ("Tablets in fever (the FEBRIS-2 study)", "FEBRIS2"),
        ("FEBRIS 2: a randomised trial of tablets in fever", "FEBRIS2"),
        ("Quality of life in the FebriS-2 randomised controlled trial", "FEBRIS2"),
        ("The fever tablets (FEBRIS) trial: design and rationale", "FEBRIS"),
        ("Second analysis of the FEBRIS-III Trial", "FEBRISIII"),
    ],
)
def test_the_name_that_a_title_gives_its_study_is_read_in_any_spelling(title, name):
    assert study_names(make_article(title=title)) == {name}


@pytest.mark.parametrize(
    "title",
    [
        "Tablets in fever: a randomised trial",
        "Effects of tablets in the HIV study population",
        "COPD: a randomised trial of tablets",
        "The ECOG trial of tablets in fever",
        "Tablets in the FEBRIS trial and in the CALOR trial",
        "A KRAS study of tablets",
        "DNA repair in fever",
    ],
)
def test_conditions_bodies_and_several_names_are_no_name_of_a_study(title):
    assert study_names(make_article(title=title)) == frozenset()


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("FEBRIS-4 (Fourth Fever Tablet Study) Collaborative Group", {"FEBRIS4"}),
        ("FEBRIS Investigators", {"FEBRIS"}),
        ("for the FEBRIS Trial Steering Investigators", {"FEBRIS"}),
        ("EORTC Study Group", set()),
        ("Fever Tablets Working Party", set()),
    ],
)
def test_group_authors_name_their_study(group, names):
    assert study_names(make_article(authors=(Author(collective=group),))) == names


def test_the_abstract_names_its_study_only_where_it_says_what_it_is():
    own = make_article(abstract="The FEBRIS trial was a randomised comparison of tablets and placebo.")
    other = make_article(abstract="As in the FEBRIS trial, tablets were compared with placebo.")
    assert study_names(own) == {"FEBRIS"}
    assert study_names(other) == frozenset()


def test_reports_that_name_the_same_study_are_linked():
    one = report("1", title="Tablets in fever: the FEBRIS-2 trial")
    two = report("2", title="Quality of life in the FEBRIS 2 study", n=700, author="Other", year=2015)
    assert linked(one, two) == {"name:FEBRIS2"}
    assert in_words(linked(one, two)) == "the study's name"


def test_reports_with_the_same_first_author_size_and_years_are_linked():
    shared = linked(report("1"), report("2", title="Kidneys after tablets", year=2001 + MAX_YEARS_APART))
    assert shared == {"report:quill a:1234"}
    assert in_words(shared) == "first author and participants"


@pytest.mark.parametrize(
    "other",
    [
        {"author": "Feather"},
        {"n": 1235},
        {"year": 2001 + MAX_YEARS_APART + 1},
        {"author": None},
        {"year": None},
    ],
    ids=str,
)
def test_one_difference_in_author_size_or_years_keeps_reports_apart(other):
    assert not linked(report("1"), report("2", **other))


def test_small_studies_of_equal_size_are_not_linked_by_it():
    assert not linked(report("1", n=24), report("2", n=24))


def test_different_registry_numbers_outweigh_name_and_size():
    def registered(pmid, number):
        return make_evidence(
            report(pmid, title="Tablets: the FEBRIS trial").article.model_copy(
                update={"registry_ids": (), "title": f"Tablets: the FEBRIS trial (NCT{number:08})"}
            )
        )

    one, two, three = registered("1", 1), registered("2", 2), registered("3", 1)
    assert not linked(one, two)
    assert linked(one, three) >= {"NCT00000001", "name:FEBRIS"}


def test_a_review_is_never_a_report_of_a_trial_that_it_names():
    trial = report("1", title="Tablets: the FEBRIS trial")
    review = report("2", title="The FEBRIS trial: a meta-analysis of tablets in fever")
    finding = review.appraisal.design.model_copy(update={"design": StudyDesign.META_ANALYSIS})
    review = review.assessed(appraisal=review.appraisal.model_copy(update={"design": finding}))
    assert study_ids([trial, review])[review.key] == {review.article.id}


def test_the_number_of_studies_of_a_review_is_no_number_of_people():
    def counted(pmid):
        item = report(pmid)
        size = SampleSize(total=40, kind="studies", span=Span(where="abstract", start=0, end=2, text="We"))
        return item.assessed(appraisal=item.appraisal.model_copy(update={"sample_size": size}))

    assert not linked(counted("1"), counted("2"))


@given(st.permutations(range(5)))
def test_the_order_of_the_evidence_changes_nothing(order):
    evidence = [
        report("1"),
        report("2", year=2004),
        report("3", year=2008),
        report("4", title="Tablets: the FEBRIS trial", author="Other"),
        report("5", title="FEBRIS: a randomised trial", author="Third"),
    ]
    assert study_ids([evidence[i] for i in order]) == study_ids(evidence)
