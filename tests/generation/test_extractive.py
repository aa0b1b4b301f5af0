import pytest
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag import rank
from metarag.generation.extractive import ExtractiveGenerator, ExtractiveOptions
from metarag.records import TextOrigin
from metarag.sentences import sentences_of
from metarag.types import Question

QUESTION = Question(text="Do zinc tablets cure fever?")
ABSTRACT = (
    ("RESULTS", "Zinc tablets and fever were studied. Fever fell by 0.4 degrees."),
    ("CONCLUSIONS", "Zinc tablets did not cure fever. More study of sleep is needed."),
)


def answer(*articles, **options):
    return ExtractiveGenerator(ExtractiveOptions(**options)).generate(QUESTION, rank(QUESTION, articles))


def trial(pmid="1", abstract=ABSTRACT, **fields):
    fields.setdefault("types", ("Randomized Controlled Trial",))
    return make_article(pmid=pmid, title="Zinc tablets for fever", abstract=abstract, **fields)


def test_the_concluding_sentence_on_the_question_is_quoted_word_for_word():
    made = answer(trial())
    quote = made.sentences[0].quote
    assert quote.text == "Zinc tablets did not cure fever."
    assert made.ranking[0].article.abstract[quote.start : quote.end] == quote.text
    assert made.citations == ("1",)
    assert "PMID 1" in made.text


def test_the_label_of_a_section_is_not_part_of_the_quote():
    made = answer(trial(abstract=(("CONCLUSION", "Zinc cures fever."),)))
    assert made.sentences[0].quote.text == "Zinc cures fever."


def test_without_a_concluding_section_the_whole_abstract_is_searched():
    made = answer(trial(abstract="Zinc tablets cured fever in mice. Sleep was normal."))
    assert made.sentences[0].quote.text == "Zinc tablets cured fever in mice."


def test_without_articles_there_is_no_answer():
    made = answer()
    assert made.abstained
    assert made.citations == ()
    assert "no article was found" in made.text


def test_off_topic_articles_are_not_quoted():
    made = answer(make_article(title="Gardening", abstract="Roses bloom."))
    assert made.abstained
    assert "the one article found is not eligible and close enough" in made.text


def test_a_retracted_article_is_never_cited_and_the_answer_says_it_was_left_out():
    made = answer(trial("1"), trial("2", types=("Retracted Publication", "Randomized Controlled Trial")))
    assert made.citations == ("1",)
    assert "1 retracted" in made.text


def test_an_article_without_pmid_is_cited_by_its_doi():
    made = answer(trial(pmid=None, doi="10.1/z"))
    assert made.citations == ("doi:10.1/z",)


def test_a_summary_is_not_called_an_abstract():
    made = answer(trial(text_origin=TextOrigin.SUMMARY))
    assert "summary of the study" in made.text
    assert "abstract" not in made.text


def test_no_more_articles_are_quoted_than_asked_for():
    made = answer(*(trial(str(n)) for n in range(1, 6)), max_articles=2)
    assert len(made.citations) == 2


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two.", 2),
        ("The ratio was 0.76 vs. 0.9 in all. Next.", 2),
        ("Smith et al. Found it. Yes.", 2),
        ("Line one\nLine two", 2),
        ("", 0),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, count):
    assert len(sentences_of(text)) == count


@given(st.text(alphabet=st.sampled_from("ab. \n!?A1("), max_size=80))
def test_sentences_cover_every_word_in_order(text):
    spans = sentences_of(text)
    assert all(a <= b for a, b in spans)
    assert all(spans[i][1] <= spans[i + 1][0] for i in range(len(spans) - 1))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
