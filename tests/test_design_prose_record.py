"""Signs of a review in the record beside its words, and what is neutral about a record without them."""

import math

import pytest
from builders import make_article

from metarag.design_prose import load_model, review_probability
from metarag.design_prose_record import SIGNS, record_signs
from metarag.records import Author, Journal, MeshHeading, MeshQualifier


def headings(count, *, qualifiers=0, major=False):
    return tuple(
        MeshHeading(
            descriptor=f"Heading {n}",
            descriptor_major=major,
            qualifiers=tuple(MeshQualifier(name=f"q {q}") for q in range(qualifiers)),
        )
        for n in range(count)
    )


def signs(**fields):
    return dict(zip(SIGNS, record_signs(make_article(**fields)), strict=True))


def test_a_record_that_says_nothing_has_no_signs():
    assert set(signs().values()) == {None}


def test_headings_are_counted_with_their_subheadings_and_major_ones():
    found = signs(mesh=(*headings(3, qualifiers=2), *headings(1, major=True)))
    assert (found["headings"], found["subheadings"], found["major_headings"]) == (4, 1.5, 0.25)


def test_bare_descriptors_and_one_or_two_tags_are_no_indexing():
    bare = signs(mesh=headings(4))
    assert (bare["headings"], bare["subheadings"], bare["major_headings"]) == (4, None, None)
    assert signs(mesh=headings(2, qualifiers=1))["headings"] is None


def test_authors_count_logarithmically():
    assert signs(authors=(Author(last="A"), Author(last="B")))["log_authors"] == pytest.approx(math.log(3))


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Current Opinion in Fever", 1),
        ("Fever Reviews", 1),
        ("Journal of Fever", 0),
        ("Overviewing Fever", 0),
    ],
)
def test_journals_that_print_reviews_are_known_by_whole_words(title, expected):
    assert signs(journal=Journal(title=title))["review_journal"] == expected


def test_signs_that_are_not_there_count_as_the_average_record():
    model = load_model()
    asked = {"rule_scores": {}, "humans": True}
    without, _ = review_probability(model, "fever", "fever is common", signs=[None] * len(SIGNS), **asked)
    average, _ = review_probability(model, "fever", "fever is common", signs=list(model.neutral), **asked)
    assert without == average
