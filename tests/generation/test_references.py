import pytest
from answer_builders import FEWER, trial
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag.generation.citations import url_of
from metarag.generation.references import author_year_keys, reference_text, references_of
from metarag.records import Author, Journal


def by(name, year, pmid=1, **fields):
    return trial(pmid, FEWER, author=name, year=year, **fields)


def test_the_same_author_and_year_get_letters_in_order():
    articles = [by("Smith", 2020), by("Smith", 2020), by("Smith", 2020), by("Jones", 2020)]
    assert author_year_keys(articles) == ("Smith2020", "Smith2020a", "Smith2020b", "Jones2020")


def test_letters_do_not_end_with_the_alphabet():
    keys = author_year_keys([by("Smith", 2020)] * 30)
    assert keys[26:29] == ("Smith2020z", "Smith2020aa", "Smith2020ab")
    assert len(set(keys)) == 30


@pytest.mark.parametrize(
    ("article", "key"),
    [
        (by("van den Berghe", 2001), "vandenBerghe2001"),
        (by("Müller", None), "Müllernd"),
        (make_article(title="Of tablets", authors=()), "tabletsnd"),
        (make_article(title="A 12", authors=()), "Anonnd"),
        (make_article(authors=(Author(collective="FEBRIS Study Group"),)), "FEBRISnd"),
    ],
)
def test_without_author_or_year_there_is_still_a_key(article, key):
    assert author_year_keys([article]) == (key,)


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.integers(2000, 2002)), max_size=40))
def test_keys_are_unique(names):
    keys = author_year_keys([by(name, year) for name, year in names])
    assert len(set(keys)) == len(keys)


def test_references_are_numbered_in_order_of_citation_and_hold_what_is_cited_and_nothing_else():
    articles = [by("Smith", 2020, pmid=n) for n in (1, 2, 3)]
    listed = references_of(["3", "1", "3"], articles)
    assert [(r.number, r.citation, r.key) for r in listed] == [(1, "3", "Smith2020"), (2, "1", "Smith2020a")]


def test_a_supplement_and_its_article_with_one_doi_are_two_references():
    pair = [by("Smith", 2020, pmid=1, doi="10.1/x"), by("Smith", 2020, pmid=2, doi="10.1/x")]
    assert [r.citation for r in references_of(["1", "2"], pair)] == ["1", "2"]


def test_a_reference_names_authors_title_journal_year_and_identifier():
    article = by("Smith", 2020, title="Aspirin.", journal=Journal(abbreviation="J Fever"))
    assert reference_text(article) == "Smith AB. Aspirin. J Fever, 2020. PMID 1."
    many = article.model_copy(update={"authors": tuple(Author(last=n) for n in "ABCD"), "pmid": None})
    assert reference_text(many.model_copy(update={"doi": "10.1/x"})).startswith("A, B, C, et al. ")


@pytest.mark.parametrize(
    ("article", "url"),
    [
        (trial(123, FEWER), "https://pubmed.ncbi.nlm.nih.gov/123/"),
        (trial(None, FEWER, doi="10.1/a(b)<c>"), "https://doi.org/10.1/a%28b%29%3Cc%3E"),
        (trial(None, FEWER), None),
    ],
)
def test_the_address_is_that_of_the_record_and_safe_in_a_link(article, url):
    assert url_of(article) == url
