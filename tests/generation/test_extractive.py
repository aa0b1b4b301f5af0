import pytest
from answer_builders import FEWER, SAME, TRIAL, cohort, review
from answer_builders import QUESTION as ASPIRIN
from answer_builders import trial as aspirin_trial
from builders import make_article
from hypothesis import given
from hypothesis import strategies as st

from metarag import rank
from metarag.generation.base import Answer
from metarag.generation.extractive import ExtractiveGenerator, ExtractiveOptions
from metarag.generation.quoting import is_for_some_people
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


def quotes(made):
    return [sentence.quote for sentence in made.sentences if sentence.quote]


def test_the_concluding_sentence_on_the_question_is_quoted_word_for_word():
    made = answer(trial())
    quote = quotes(made)[0]
    assert quote.text == "Zinc tablets did not cure fever."
    assert made.ranking[0].article.abstract[quote.start : quote.end] == quote.text
    assert made.citations == ("1",)
    assert "PMID 1" in made.text


def test_the_label_of_a_section_is_not_part_of_the_quote():
    made = answer(trial(abstract=(("CONCLUSION", "Zinc cures fever."),)))
    assert quotes(made)[0].text == "Zinc cures fever."


def test_without_a_concluding_section_the_whole_abstract_is_searched():
    made = answer(trial(abstract="Zinc tablets cured fever in mice. Sleep was normal."))
    assert quotes(made)[0].text == "Zinc tablets cured fever in mice."


def test_without_articles_there_is_no_answer():
    made = answer()
    assert made.abstained
    assert made.citations == ()
    assert "no article was found" in made.text


def test_off_topic_articles_are_not_quoted():
    made = answer(make_article(title="Gardening", abstract="Roses bloom."))
    assert made.abstained
    assert "No article found studies zinc, so this question cannot be answered" in made.text


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


def about_aspirin(*articles, **options):
    ranking = rank(ASPIRIN, articles)
    return ExtractiveGenerator(ExtractiveOptions(**options)).generate(ASPIRIN, ranking)


def test_the_verdict_comes_first_then_the_most_reliable_article():
    made = about_aspirin(
        aspirin_trial(1, FEWER), aspirin_trial(2, FEWER), review(3, FEWER, n=9000, year=2020)
    )
    assert made.sentences[0].text.startswith("All 3 articles with a clear result on death from any cause")
    assert made.sentences[1].citations == ("3",)
    assert made.sentences[1].text.startswith("Meta-analysis of randomised trials, 2020, 9,000 people: “")


def test_the_result_in_numbers_stands_beside_the_conclusion():
    abstract = (("RESULTS", FEWER), ("CONCLUSIONS", "Aspirin helped adults with pneumonia."))
    made = about_aspirin(
        make_article(pmid="1", title="Aspirin in adults with pneumonia", abstract=abstract, types=TRIAL)
    )
    (numbers,) = [s for s in made.sentences if s.text.startswith("In numbers: ")]
    assert numbers.quote.text == FEWER
    assert numbers.citations == ("1",)


def test_numbers_that_the_conclusion_has_are_not_told_twice():
    assert "In numbers" not in about_aspirin(aspirin_trial(1, FEWER)).text


def test_people_for_whom_a_result_does_not_hold_are_named():
    exception = "Patients without fever did not gain."
    abstract = (("RESULTS", f"{FEWER} {exception}"), ("CONCLUSIONS", "Aspirin helped adults with pneumonia."))
    made = about_aspirin(
        make_article(pmid="1", title="Aspirin in adults with pneumonia", abstract=abstract, types=TRIAL)
    )
    assert f"Not for all: “{exception}” [PMID 1]" in made.text


def test_what_a_subgroup_showed_is_no_conclusion():
    subgroup = "In a subgroup of adults with pneumonia and fever aspirin reduced mortality."
    abstract = (
        ("RESULTS", SAME),
        ("CONCLUSIONS", f"Aspirin did not reduce mortality. However, {subgroup[0].lower()}{subgroup[1:]}"),
    )
    made = about_aspirin(
        make_article(pmid="1", title="Aspirin in adults with pneumonia", abstract=abstract, types=TRIAL)
    )
    told = [s.text for s in made.sentences if s.quote]
    assert "“Aspirin did not reduce mortality.”" in told[0]
    assert told[-1].startswith("Not for all: “However, in a subgroup")


@pytest.mark.parametrize(
    ("sentence", "limited"),
    [
        ("Patients without fever did not gain.", True),
        ("Patients without fever were older.", False),
        ("Deaths were fewer only in men.", True),
        ("The benefit varied with age.", True),
        ("Results were consistent across subgroups.", False),
        ("There was no significant interaction with any of the subgroups.", False),
    ],
)
def test_a_result_for_some_of_the_people_is_told_from_one_for_all(sentence, limited):
    assert is_for_some_people(sentence) is limited


def test_where_no_result_could_be_read_it_is_said_before_anything_is_quoted():
    made = about_aspirin(aspirin_trial(1, "Fever fell by 0.4 degrees with aspirin in adults with pneumonia."))
    assert made.sentences[0].text == (
        "No clear result on death from any cause could be read from any article on this treatment and people,"
        " and no sentence quoted here names it."
    )
    assert made.sentences[1].quote


def test_background_and_design_are_no_conclusion_where_headings_stand_in_the_text():
    text = (
        "Background: Aspirin is given to adults with pneumonia. This is a multicenter, open label, randomized trial"
        " of aspirin in adults with pneumonia and mortality. No deaths were prevented by aspirin."
    )
    made = about_aspirin(
        make_article(pmid="1", title="Aspirin in adults with pneumonia", abstract=text, types=TRIAL)
    )
    (quote,) = [s.quote.text for s in made.sentences if s.quote]
    assert quote == "No deaths were prevented by aspirin."


def test_whom_a_benefit_leaves_out_stands_beside_the_verdict():
    exception = "Patients without fever did not gain."
    abstract = (
        ("METHODS", "We randomly assigned 900 adults with pneumonia to aspirin or placebo."),
        ("RESULTS", f"{FEWER} {exception}"),
        ("CONCLUSIONS", "Aspirin helped adults with pneumonia."),
    )
    limited = make_article(pmid="1", title="Aspirin in adults with pneumonia", abstract=abstract, types=TRIAL)
    made = about_aspirin(limited, aspirin_trial(2, SAME, n=90))
    places = [n for n, s in enumerate(made.sentences) if exception in s.text]
    assert places == [2]
    assert made.sentences[1].text.startswith("On death from any cause the better evidence shows a benefit")


def test_both_sides_of_a_conflict_are_quoted_however_low_one_ranks():
    agreeing = [aspirin_trial(n, FEWER, n=5000 + n) for n in range(1, 8)]
    made = about_aspirin(*agreeing, cohort(9, SAME, n=40))
    assert "9" in {s.citations[0] for s in made.sentences if s.quote}


def test_articles_on_other_people_are_named_as_indirect():
    children = make_article(
        pmid="9",
        title="Aspirin in children with pneumonia: a trial",
        abstract="We randomly assigned 90 children with pneumonia to aspirin or placebo. Mortality fell.",
        types=TRIAL,
    )
    made = about_aspirin(aspirin_trial(1, FEWER), children)
    (indirect,) = [s for s in made.sentences if s.text.startswith("Indirect for this question")]
    assert "PMID 9 (children; the question is about adults)" in indirect.text
    assert indirect.citations == ("9",)
    assert "9" not in {c for s in made.sentences if s is not indirect for c in s.citations}


def test_evidence_without_randomisation_is_told_to_be_so():
    assert "None of these articles is a randomised study" in about_aspirin(cohort(1, FEWER)).text
    assert "None of these" not in about_aspirin(aspirin_trial(1, FEWER)).text


def test_observational_studies_alone_decide_nothing():
    made = about_aspirin(cohort(1, FEWER), cohort(2, SAME))
    assert "no randomised study or review of such studies tells a clear result" in made.text


def test_a_side_that_only_observational_studies_are_on_is_told_to_be_so():
    made = about_aspirin(aspirin_trial(1, SAME, n=900), cohort(2, FEWER))
    assert "only articles without randomisation found a benefit [PMID 2]" in made.text


def test_a_side_without_randomisation_is_told_where_nothing_is_clear_too():
    words = "Mortality did not differ between aspirin and placebo."
    made = about_aspirin(aspirin_trial(1, words, n=900), cohort(2, FEWER))
    assert made.sentences[1].text.startswith("It is not clear which side")
    assert (
        "found no benefit [PMID 1]; only articles without randomisation found a benefit [PMID 2]" in made.text
    )


def test_every_cited_article_is_a_source_with_its_words_and_a_reference():
    made = about_aspirin(*(aspirin_trial(n, FEWER if n % 2 else SAME, n=100 + n) for n in range(1, 9)))
    sources = {source.citation: source for source in made.sources}
    assert set(made.citations) <= set(sources)
    assert [reference.citation for reference in made.references] == list(made.citations)
    assert any(source.reason.startswith("counted on death from any cause") for source in made.sources)


def test_the_order_of_the_articles_changes_nothing():
    articles = [aspirin_trial(n, FEWER if n % 2 else SAME, n=100 + n) for n in range(1, 6)]
    forward, backward = about_aspirin(*articles), about_aspirin(*articles[::-1])
    assert forward.text == backward.text


def test_an_answer_survives_json():
    made = about_aspirin(aspirin_trial(1, FEWER), aspirin_trial(2, SAME))
    assert Answer.model_validate_json(made.model_dump_json()) == made


def test_an_answer_that_cites_what_is_not_included_cannot_be_made():
    made = about_aspirin(aspirin_trial(1, FEWER))
    with pytest.raises(ValueError, match="cites 2, which the ranking does not include"):
        Answer(text="x", citations=("2",), generator="mine", ranking=made.ranking)
