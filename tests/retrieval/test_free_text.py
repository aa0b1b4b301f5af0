"""Free text becomes terms, and never syntax."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.records import Article
from metarag.retrieval.corpus import Corpus
from metarag.retrieval.free_text import MAX_TERMS, FreeTextQuery, fold, free_text_query


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Does IL-6 blockade help?", ("il 6", "blockade", "help")),
        ("TNF-α and TNF-alpha", ("tnf alpha",)),
        ("TNFα", ("tnf alpha",)),
        ("β-blocker", ("beta blocker", "blocker")),
        ("aspirin-treated patients", ("aspirin treated", "aspirin", "treated", "patients")),
        ("CO₂ and 10⁹", ("co2", "109")),
        ("0.5 mg vs. 1.5 mg", ("0 5", "mg", "vs", "1 5")),
        ("Crohn's disease, Crohn’s colitis", ("crohn", "disease", "colitis")),
        ("Sjo\u0308gren", ("sjogren",)),
        ("(p53", ("p53",)),
        ('"heart attack" NEAR(x', ("heart", "attack", "near", "x")),
        ("asthma[tiab] AND zinc[MeSH Terms]", ("asthma", "zinc")),
        ("zinc zinc ZINC", ("zinc",)),
        ("ze\u00adro\0inc", ("zero", "inc")),
    ],
)
def test_text_becomes_terms(text, terms):
    assert free_text_query(text).terms == terms


@pytest.mark.parametrize(
    "text", ["What is it of the?", "", "?! ... ()", "\0", "😀", "*", "AND OR NOT", "\ud800"]
)
def test_text_without_a_subject_leaves_nothing_and_says_so(text):
    query = free_text_query(text)
    assert query.terms == ()
    assert query.match == ""
    assert any("No word" in warning for warning in query.warnings)


def test_an_abbreviation_that_looks_like_a_function_word_is_kept():
    assert free_text_query("WHO criteria for ALL").terms == ("who", "criteria", "all")
    assert free_text_query("WHO SHOULD TAKE ALL OF THESE").terms == ("take",)


@pytest.mark.parametrize(
    "text", ["zinc AND fever", "zinc NOT iron", "zinc*", "NEAR(zinc iron)", "zinc[tiab]"]
)
def test_operators_are_not_obeyed_and_that_is_said(text):
    assert any("do nothing" in warning for warning in free_text_query(text).warnings)


@pytest.mark.parametrize("text", ["adjusted OR 0.8", "zinc or iron", "ZINC AND FEVER", "zinc and fever"])
def test_what_only_looks_like_an_operator_brings_no_warning(text):
    assert free_text_query(text).warnings == ()


def test_of_too_many_terms_the_first_and_the_last_are_kept():
    words = [f"word{n}" for n in range(MAX_TERMS + 50)]
    query = free_text_query(" ".join(words))
    assert query.terms == (*words[: MAX_TERMS // 2], *words[-MAX_TERMS // 2 :])
    assert any(f"{MAX_TERMS + 50}" in warning for warning in query.warnings)


def test_a_term_too_long_for_a_word_is_left_out_and_counted():
    query = free_text_query("zinc", "A" * 101)
    assert query.terms == ("zinc",)
    assert any("1 of the terms" in warning for warning in query.warnings)


def test_the_first_text_comes_first():
    assert free_text_query("zinc", "iron zinc").terms == ("zinc", "iron")


def test_fewer_than_two_terms_is_a_wrong_argument():
    with pytest.raises(ValueError, match="2 or more"):
        free_text_query("zinc", max_terms=1)


def test_folding_leaves_plain_text_alone():
    assert fold("Plain text, 5 mg/kg - it's") == "Plain text, 5 mg/kg - it's"


HOSTILE = st.text(
    alphabet=st.sampled_from(list("ab AND\"'*()[]{}:^+-~.,;\\/\0\n\ud800😀αΣ₂ñ\u0301ß٣中ﬁ")), max_size=60
)


@given(text=st.one_of(st.text(max_size=80), HOSTILE))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_searched(text):
    with Corpus.in_memory([Article(pmid="1", title="ab")]) as corpus:
        hits = corpus.search(text)
        assert len(hits) == hits.total <= 1


LATIN_AND_GREEK = st.characters(max_codepoint=0x17F) | st.characters(min_codepoint=0x391, max_codepoint=0x3C9)


@given(words=st.lists(st.text(LATIN_AND_GREEK, min_size=1, max_size=8), min_size=1, max_size=6))
@settings(max_examples=300, deadline=None)
def test_every_term_of_a_title_finds_the_title(words):
    """What is asked and what is indexed are cut into the same tokens."""
    text = " ".join(words)
    with Corpus.in_memory([Article(pmid="1", title=text)]) as corpus:
        for term in free_text_query(text).terms:
            assert corpus.search(FreeTextQuery((term,))).total == 1


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "ab " * 10**5,
        "a-" * 10**5,
        "\u0301\u0315" * 10**5,
        "1." * 10**5,
        '"' * 10**5,
        "OR " * 10**5,
    ],
)
def test_very_long_text_can_be_searched(text):
    with Corpus.in_memory([Article(pmid="1", title="ab")]) as corpus:
        assert corpus.search(text).total == int(text.startswith("ab "))
