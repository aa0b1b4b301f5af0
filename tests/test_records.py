import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from metarag.records import AbstractSection, Article, MeshHeading, MeshQualifier, PartialDate

BROKEN = "a\ud800b"


def test_identity_is_the_pmid_then_the_doi_then_the_text():
    assert make_article(pmid="12", doi="10.1/X").id == "pmid:12"
    assert make_article(pmid=None, doi="10.1/X").id == "doi:10.1/x"
    text_only = make_article(pmid=None, title="A", abstract="B")
    assert text_only.id.startswith("text:")
    assert text_only.id == make_article(pmid=None, title="A", abstract="B").id
    assert text_only.id != make_article(pmid=None, title="A", abstract="C").id


def test_title_and_abstract_cannot_trade_places_in_the_identity():
    assert (
        make_article(pmid=None, title="AB", abstract="").id
        != make_article(pmid=None, title="", abstract="AB").id
    )


def test_an_article_of_nothing_is_refused():
    with pytest.raises(ValidationError, match="needs a pmid, a doi, a title or an abstract"):
        Article(title="   ")


@pytest.mark.parametrize("pmid", ["0", "012", "12a", "", " 12", "12345678901", "-1"])
def test_what_is_not_a_pmid_is_refused(pmid):
    with pytest.raises(ValidationError, match="pmid"):
        Article(pmid=pmid, title="x")


@pytest.mark.parametrize(
    "written", ["10.1/AbC", "https://doi.org/10.1/AbC", "doi:10.1/AbC", " DOI: 10.1/AbC "]
)
def test_a_doi_is_kept_bare_however_it_was_written(written):
    assert make_article(doi=written).doi == "10.1/AbC"


def test_the_abstract_shows_labels_and_keeps_unlabelled_paragraphs():
    article = make_article(abstract=(("METHODS", "We looked."), (None, "More."), ("METHODS", "Again.")))
    assert article.abstract == "METHODS: We looked.\nMore.\nMETHODS: Again."
    assert make_article(abstract="").abstract is None


def test_a_heading_is_major_when_only_a_qualifier_is():
    minor = MeshQualifier(name="mortality")
    assert not MeshHeading(descriptor="Fever", qualifiers=(minor,)).major
    assert MeshHeading(
        descriptor="Fever", qualifiers=(minor, MeshQualifier(name="therapy", major=True))
    ).major
    assert MeshHeading(descriptor="Fever", descriptor_major=True).major


def test_the_year_is_that_of_the_earlier_date_and_unknown_stays_unknown():
    dates = {"print_date": PartialDate(year=2006, month=1), "electronic_date": PartialDate(year=2005)}
    assert make_article(**dates).year == 2005
    assert make_article(print_date=PartialDate(raw="Winter")).year is None
    assert make_article().year is None


def test_publication_types_are_compared_whole_and_in_any_case():
    article = make_article(types=("Retraction of Publication",))
    assert article.has_type("retraction of publication")
    assert not article.has_type("Retracted Publication", "Retraction")


def test_an_unknown_field_is_an_error():
    with pytest.raises(ValidationError, match="Extra inputs"):
        Article(title="x", journal_name="y")


def test_an_article_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        make_article().title = "other"


@given(st.lists(st.tuples(st.none() | st.text(max_size=8), st.text(min_size=1, max_size=30)), max_size=4))
def test_an_article_survives_json(sections):
    article = Article(
        title="t", abstract_sections=tuple(AbstractSection(label=a, text=b) for a, b in sections)
    )
    assert Article.model_validate_json(article.model_dump_json()) == article


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ("title", {"title": BROKEN}),
        ("text", {"abstract": BROKEN}),
        ("doi", {"doi": f"10.1000/{BROKEN}"}),
        ("keywords", {"keywords": (BROKEN,)}),
        ("journal", {"journal": {"title": BROKEN}}),
        ("authors", {"authors": ({"last": BROKEN},)}),
        ("mesh", {"mesh": ({"descriptor": BROKEN},)}),
        ("raw", {"print_date": {"year": 2001, "raw": BROKEN}}),
        ("conflict_of_interest", {"conflict_of_interest": BROKEN}),
    ],
)
def test_text_that_cannot_be_written_anywhere_is_refused_where_it_stands(where, field):
    with pytest.raises(ValidationError, match=rf"(?s){where}.*unicode"):
        make_article(**field)


def test_a_copy_with_another_text_has_another_abstract_and_identity():
    article = make_article(pmid=None, abstract="Old words.")
    before = (article.id, article.abstract)
    changed = article.model_copy(update={"abstract_sections": (AbstractSection(text="New words."),)})
    assert changed.abstract == "New words."
    assert changed.id != before[0]
    assert (article.id, article.abstract) == before


def test_the_fields_of_an_article_make_it_again():
    article = make_article()
    assert article.abstract
    assert Article(**dict(article)) == article
