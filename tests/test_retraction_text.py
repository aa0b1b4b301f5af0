import pytest
from builders import make_article

from metarag.record_copies import bare_title
from metarag.retraction import retraction_status
from metarag.retraction_text import standing_said
from metarag.types import RetractionState as State

TITLES = [
    ("RETRACTED: Zinc for colds: a randomised trial", State.RETRACTED),
    ("Retracted: Zinc for colds: a randomised trial", State.RETRACTED),
    ("RETRACTED ARTICLE: Zinc for colds", State.RETRACTED),
    ("Retracted Article: Zinc for colds", State.RETRACTED),
    ("[Retracted] Zinc for colds", State.RETRACTED),
    ("[RETRACTED: Zinc for colds].", State.RETRACTED),
    ("Zinc for colds (Retracted)", State.RETRACTED),
    ("Zinc for colds. [Retracted]", State.RETRACTED),
    ("Zinc for colds (Retracted article. See vol. 3, pg. 2, 2010).", State.RETRACTED),
    ("WITHDRAWN: Zinc for colds", State.RETRACTED),
    ("Temporary removal: Zinc for colds", State.RETRACTED),
    ("Zinc for colds: a trial. RETRACTED ARTICLE. See vol 5", State.RETRACTED),
    ("Zinc for colds. Retracted article. See vol. 3, pg. 2, 2010", State.RETRACTED),
    ("Retraction statement: Zinc for colds", State.RETRACTION_NOTICE),
    ("Statement of Retraction: Zinc for colds", State.RETRACTION_NOTICE),
    ("Retraction to: Zinc for colds", State.RETRACTION_NOTICE),
    ("Retraction and replacement: Zinc for colds", State.RETRACTION_NOTICE),
    ("Retraction of: Zinc for colds", State.RETRACTION_NOTICE),
    ("Retraction of: RETRACTED: Zinc for colds", State.RETRACTION_NOTICE),
    ("RETRACTION: Zinc for colds", State.RETRACTION_NOTICE),
    ("Retraction: Zinc for colds: a randomised trial", State.RETRACTION_NOTICE),
    ('Retraction: "Zinc for colds in children"', State.RETRACTION_NOTICE),
    ("Notice of retraction: Zinc for colds", State.RETRACTION_NOTICE),
    ("Notice of Retraction to: Zinc for colds", State.RETRACTION_NOTICE),
    ('Retraction notice to "Zinc for colds"', State.RETRACTION_NOTICE),
    ("Expression of concern: Zinc for colds", State.CONCERN_NOTICE),
    ("Editorial Expression of Concern: Zinc for colds", State.CONCERN_NOTICE),
]


@pytest.mark.parametrize(("title", "state"), TITLES)
def test_a_title_in_a_publishers_form_tells_the_standing_and_where(title, state):
    article = make_article(title=title, types=("Journal Article",))
    status, said = retraction_status(article), standing_said(article)
    assert (status.state, status.source) == (state, "its title says so")
    assert said.where == "title"
    assert " ".join(title[said.start : said.end].split()) == said.words
    assert said.words in status.detail


@pytest.mark.parametrize(
    "title",
    [
        "Retracted articles in oncology: a survey",
        "Retracted: how retraction notices spread",
        "Withdrawn drugs",
        "Withdrawn: a study of nicotine withdrawal",
        "WITHDRAWN: A STUDY OF NICOTINE WITHDRAWAL",
        "Retraction of papers: a survey",
        "Retraction of the foreskin in boys",
        "Retraction: a technique for exposure of the liver",
        "Retraction: How journals word their retraction notices",
        "Expressions of concern in medical journals",
        "Expression of concern: how journals word it",
        "A retracted nipple (retracted for years)",
        "Why was the paper retracted",
        "How articles come to be RETRACTED",
        "Removal of the spleen: a review",
        "Unretracted: what happened next",
        "Patients (withdrawn from the trial) and their fate",
    ],
)
def test_a_title_about_retraction_or_withdrawal_is_none(title):
    article = make_article(title=title, types=("Journal Article",))
    assert retraction_status(article).state is State.NONE_SEEN


@pytest.mark.parametrize(
    "abstract",
    [
        "This article has been retracted at the request of the authors.",
        "Zinc was given to 90 adults. Colds were shorter. This article has been retracted by the publisher.",
        (("BACKGROUND", "Colds."), ("RETRACTION", "This paper was retracted on request of the editors.")),
        "This review has been withdrawn as it is out of date. The editors decided so.",
        "Zinc helps. (This study has since been retracted.)",
    ],
)
def test_an_abstract_that_says_the_article_is_retracted_counts(abstract):
    article = make_article(abstract=abstract, types=("Journal Article",))
    said = standing_said(article)
    assert retraction_status(article).state is State.RETRACTED
    assert article.abstract[said.start : said.end].lower().startswith("this ")
    assert "abstract, characters" in retraction_status(article).detail


@pytest.mark.parametrize(
    "abstract",
    [
        "We excluded retracted trials. Ten trials were pooled.",
        "In 1998 a paper told of a link. This paper was retracted in 2010. We asked who still cites it.",
        "In 1998 a paper told of a link. This paper was retracted in 2010.",
        "One trial has been retracted. Nine were pooled.",
        "This study was withdrawn from the analysis, and two others were added.",
        "Patients withdrawn from zinc relapsed.",
        "This article has been cited by retracted papers.",
    ],
)
def test_an_abstract_about_other_retracted_articles_does_not(abstract):
    article = make_article(abstract=abstract, types=("Journal Article",))
    assert retraction_status(article).state is State.NONE_SEEN


def test_a_link_to_the_notice_says_more_than_the_title_and_is_kept():
    article = make_article(title="RETRACTED: Zinc", corrections=(("RetractionIn", "5"),))
    assert retraction_status(article).detail == "PMID 5"


def test_a_correction_does_not_hide_what_the_title_says():
    article = make_article(title="RETRACTED: Zinc", corrections=(("ErratumIn", "5"),))
    assert retraction_status(article).state is State.RETRACTED


@pytest.mark.parametrize(
    "name", [" Retracted Publication ", "retracted publication", "RETRACTED PUBLICATION\n"]
)
def test_types_are_compared_without_blanks_and_case(name):
    assert retraction_status(make_article(types=(name,))).state is State.RETRACTED


@pytest.mark.parametrize("kind", ["Retraction in", " retractionin ", "Retraction In:"])
def test_links_are_compared_without_blanks_and_case(kind):
    article = make_article(types=("Journal Article",), corrections=((kind, " 5 "),))
    assert retraction_status(article).state is State.RETRACTED
    assert retraction_status(article).detail == "PMID 5"


def test_marks_are_no_part_of_a_title_that_is_compared():
    plain = make_article(title="Zinc for colds: a trial.")
    for title in ("RETRACTED: Zinc for colds: a trial", "Zinc for colds: a trial (Retracted)"):
        assert bare_title(make_article(title=title)) == bare_title(plain) == "zinc for colds a trial"
