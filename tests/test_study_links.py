import pytest
from builders import make_article, make_evidence
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metarag.pooling import candidates_from, group_effects
from metarag.records import Author, PartialDate, RegistryId
from metarag.study_links import MAX_YEARS_APART, MAX_YEARS_TO_FOLLOW_UP, MOST_STUDIES, in_words, study_ids
from metarag.study_names import study_names
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
    ids = study_ids(evidence)
    first, second = (ids[item.key] for item in evidence[:2])
    return first & second


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Tablets in fever: the FEBRIS trial", "FEBRIS"),
        ("Tablets in fever (the FEBRIS-2 study)", "FEBRIS2"),
        ("FEBRIS 2: a randomised trial of tablets in fever", "FEBRIS2"),
        ("Quality of life in the FebriS-2 randomised controlled trial", "FEBRIS2"),
        ("The fever tablets (FEBRIS) trial: design and rationale", "FEBRIS"),
        ("Second analysis of the FEBRIS-III Trial", "FEBRIS3"),
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


def named(pmid, title, *numbers, **fields):
    registered = tuple(RegistryId(registry=number.rstrip("0123456789"), id=number) for number in numbers)
    return report(pmid, title=f"Tablets: the {title} trial", registry_ids=registered, **fields)


def studies(*evidence):
    """Return k of the one pool that all reports belong to."""
    (pool,) = group_effects(candidates_from(evidence)).pools
    return pool.k


@pytest.mark.parametrize(
    ("one", "other", "k"),
    [
        ("FEBRIS-1", "FEBRIS-2", 2),
        ("FEBRIS-2", "FEBRIS II", 1),
        ("FEBRIS-I", "FEBRIS-II", 2),
        ("FEBRIS", "CALOR", 2),
        ("FEBRIS", "FEBRIS-2", 1),
    ],
)
def test_the_number_in_a_name_tells_trials_of_one_group_apart(one, other, k):
    # Same first author, size and year: only the names differ. Without a number it may be either.
    assert studies(named("1", one), named("2", other)) == k


def test_a_name_alone_does_not_make_the_first_trial_the_second():
    assert studies(named("1", "FEBRIS"), named("2", "FEBRIS-2", author="Feather", n=700)) == 2


def test_a_late_report_is_linked_where_its_title_says_that_it_is_a_follow_up():
    late = 2001 + MAX_YEARS_TO_FOLLOW_UP
    follow_up = report("2", title="Tablets in fever: long-term follow-up of a trial", year=late)
    assert studies(report("1"), follow_up) == 1
    assert studies(report("1"), report("2", title="Tablets in fever again", year=late)) == 2


def test_the_same_author_and_year_with_another_size_is_another_study():
    assert studies(report("1", n=1234), report("2", n=620)) == 2


def test_another_first_author_of_the_same_group_and_size_reports_the_same_study():
    def by(pmid, *authors, **fields):
        item = report(pmid, **fields)
        named = tuple(Author(last=last, initials="AB") for last in authors)
        return make_evidence(item.article.model_copy(update={"authors": named}))

    one, two = by("1", "Quill", "Feather", "Nib"), by("2", "Nib", "Ink", "Quill", title="Fever: a new look")
    assert studies(one, two) == 1
    assert in_words(linked(one, two)) == "authors and participants"
    assert studies(one, by("2", "Ink", "Quill")) == 2
    assert studies(one, by("2", "Nib", "Ink", "Quill", n=1235)) == 2


def test_a_secondary_analysis_counts_for_its_own_outcome_beside_the_main_report():
    stroke = RESULT.replace("Death was rarer", "Stroke was rarer")
    other = report("2", title="Strokes in the FEBRIS trial")
    sections = (other.article.abstract_sections[0].model_copy(update={"text": stroke.format(n=1234)}),)
    other = make_evidence(other.article.model_copy(update={"abstract_sections": sections}))
    found = group_effects(candidates_from([named("1", "FEBRIS"), other]))
    assert [(pool.key.outcome_key, pool.k) for pool in found.pools] == [("all_cause_death", 1), ("stroke", 1)]


def test_numbers_of_two_registries_may_be_of_one_trial():
    one, two = named("1", "FEBRIS", "NCT00000001"), named("2", "FEBRIS", "ISRCTN10000009")
    assert studies(one, two) == 1
    assert studies(one, two, named("3", "FEBRIS", "NCT00000002")) == 2


def test_one_more_trial_of_the_same_name_does_not_cut_the_links_of_the_others():
    one, two = named("1", "FEBRIS", n=500), named("2", "FEBRIS", "NCT00000001", n=500, author="Feather")
    other = named("3", "FEBRIS", "NCT00000002", n=900, author="Nib", year=2020)
    assert studies(one, two) == 1
    assert studies(one, two, other) == 2
    assert linked(one, two, other) == {"name:FEBRIS:pmid:1"}


def test_a_report_that_fits_two_trials_does_not_make_them_one():
    # The first shares authors with the second, the second with the third; first and third are registered apart.
    def by(pmid, number, *authors):
        item = named(pmid, "FEBRIS", *([number] if number else []))
        article = item.article.model_copy(
            update={
                "title": "Tablets in fever",
                "authors": tuple(Author(last=last, initials="AB") for last in authors),
            }
        )
        return make_evidence(article)

    one, two = by("1", "NCT00000001", "Quill", "Feather"), by("2", "", "Quill", "Feather", "Nib", "Ink")
    three = by("3", "NCT00000002", "Nib", "Ink")
    assert studies(one, three) == 2
    assert studies(one, two, three) == 2


def test_a_name_that_very_many_trials_bear_tells_nothing():
    several = [named(str(n), "FEBRIS", f"NCT{n:08}") for n in range(2, MOST_STUDIES + 2)]
    silent = [named("1", "FEBRIS", author=None), named("9999", "FEBRIS", author=None)]
    assert linked(*silent, *several[1:])
    many = [*several, named("9998", "FEBRIS", "NCT00009998")]
    assert not linked(*silent, *many)


def test_a_report_without_number_is_of_the_trial_of_its_size_then_of_its_year():
    early, late = named("5", "FEBRIS", "NCT00000001", n=500), named("6", "FEBRIS", "NCT00000002", n=900)
    assert linked(named("1", "FEBRIS", author="Nib", n=900), late, early)
    assert not linked(named("1", "FEBRIS", author="Nib", n=900), early, late)
    late = named("6", "FEBRIS", "NCT00000002", n=900, year=2010)
    assert linked(named("1", "FEBRIS", author="Nib", n=700, year=2009), late, early)


def test_reports_between_others_join_them_and_never_cut_them():
    assert studies(report("1", year=2001), report("2", year=2006)) == 1
    assert studies(report("1", year=2001), report("2", year=2006), report("3", year=1999)) == 1


groups = st.lists(
    st.tuples(st.integers(40, 2000), st.integers(1990, 2020), st.booleans(), st.booleans()),
    min_size=1,
    max_size=5,
)


@settings(max_examples=40, deadline=None)
@given(groups, st.data())
def test_a_second_report_of_a_study_never_changes_the_number_of_studies(rows, data):
    found = []
    for number, (size, year, has_name, has_number) in enumerate(rows, 1):
        title = f"the FEBRIS-{number} trial" if has_name else "tablets in fever"
        numbers = (RegistryId(registry="NCT", id=f"NCT{number:08}"),) if has_number else ()
        fields = {"title": f"Tablets: {title}", "registry_ids": numbers}
        found.append((fields, {"n": size, "year": year, "author": f"Quill{chr(96 + number)}"}))
    reports = [report(str(n), **fields, **people) for n, (fields, people) in enumerate(found, 1)]
    fields, people = data.draw(st.sampled_from(found))
    kept = data.draw(st.sampled_from(["people", "name", "number"]))
    if kept == "people":
        second = people | {"year": people["year"] + data.draw(st.integers(-5, 5)), "title": "A second look"}
    elif kept == "name":
        second = {"title": fields["title"], "author": "Other", "n": data.draw(st.integers(30, 2000))}
    else:
        second = {"registry_ids": fields["registry_ids"], "author": "Other", "n": 31}
    tells = {"people": True, "name": "FEBRIS" in fields["title"], "number": bool(fields["registry_ids"])}
    assume(tells[kept])
    assert studies(*reports) == len(rows)
    assert studies(*data.draw(st.permutations([*reports, report("99", **second)]))) == len(rows)


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
