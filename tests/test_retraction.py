import pytest
from builders import make_article

from metarag.records import PartialDate, PublicationType, TextOrigin
from metarag.retraction import retraction_status
from metarag.types import RetractionState as State


@pytest.mark.parametrize(
    ("types", "links", "state"),
    [
        (("Journal Article", "Retracted Publication"), (), State.RETRACTED),
        (("Journal Article",), (("RetractionIn", "5"),), State.RETRACTED),
        (("Journal Article",), (("RetractedandRepublishedIn", "5"),), State.RETRACTED),
        (("Retraction of Publication",), (), State.RETRACTION_NOTICE),
        (("Retraction Notice",), (), State.RETRACTION_NOTICE),
        (("Letter",), (("RetractionOf", "5"),), State.RETRACTION_NOTICE),
        (("Journal Article",), (("ErratumIn", "5"),), State.CORRECTED),
        (("Published Erratum",), (("ErratumFor", "5"),), State.CORRECTION_NOTICE),
        (("Journal Article",), (("ExpressionOfConcernIn", "5"),), State.EXPRESSION_OF_CONCERN),
        (("Expression of Concern",), (("ExpressionOfConcernFor", "5"),), State.CONCERN_NOTICE),
        (("Journal Article",), (("UpdateIn", "5"),), State.SUPERSEDED),
        (("Journal Article",), (("UpdateOf", "5"),), State.NONE_SEEN),
        (("Journal Article",), (("CommentIn", "5"), ("Cites", "6")), State.NONE_SEEN),
        (("Journal Article",), (("ErratumIn", "5"), ("RetractionIn", "6")), State.RETRACTED),
        (
            ("Journal Article",),
            (("ErratumIn", "5"), ("ExpressionOfConcernIn", "6")),
            State.EXPRESSION_OF_CONCERN,
        ),
    ],
)
def test_the_gravest_state_that_the_record_shows_wins(types, links, state):
    assert retraction_status(make_article(types=types, corrections=links)).state is state


def test_a_title_about_retraction_is_no_retraction():
    article = make_article(title="Retracted: how retraction notices spread", types=("Journal Article",))
    assert retraction_status(article).state is State.NONE_SEEN


def test_types_are_told_by_their_ui_when_the_name_has_changed():
    article = make_article().model_copy(
        update={"publication_types": (PublicationType(name="New name", ui="D016441"),)}
    )
    assert retraction_status(article).state is State.RETRACTED


def test_a_record_nobody_looked_up_is_not_checked_rather_than_clean():
    assert retraction_status(make_article(pmid=None, types=("Journal Article",))).state is State.NOT_CHECKED
    assert retraction_status(make_article(pmid="7", types=())).state is State.NOT_CHECKED


def test_the_state_comes_with_its_source_date_and_notice():
    article = make_article(
        types=("Retracted Publication",),
        corrections=(("RetractionIn", "77"),),
        date_revised=PartialDate(year=2021, month=3),
    )
    status = retraction_status(article)
    assert (status.source, status.as_of.year, status.detail) == ("the record itself", 2021, "PMID 77")
    summary = make_article(types=("Journal Article",), text_origin=TextOrigin.SUMMARY)
    assert "facts" in retraction_status(summary).source
