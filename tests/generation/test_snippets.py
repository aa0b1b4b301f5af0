import pytest
from answer_builders import FEWER, QUESTION
from builders import make_article, make_evidence
from hypothesis import given
from hypothesis import strategies as st

from metarag.generation.snippet_location import locate_snippet
from metarag.generation.snippets import Topic, is_method, rule_snippets, scored_sentences

TOPIC = Topic.of(QUESTION)
SECTIONS = (
    ("BACKGROUND", "Aspirin for pneumonia is debated, and mortality in adults is high."),
    ("METHODS", "We randomly assigned 200 adults with pneumonia to aspirin or placebo."),
    ("RESULTS", f"{FEWER} Fever fell faster. The weather was fine."),
    ("CONCLUSIONS", "Aspirin reduced mortality in adults with pneumonia. Sleep needs study."),
)


def article(abstract=SECTIONS, **fields):
    return make_article(title="Aspirin in adults with pneumonia: a trial", abstract=abstract, **fields)


def texts(abstract=SECTIONS, **options):
    return [s.span.text for s in rule_snippets(make_evidence(article(abstract)), TOPIC, **options)]


def test_the_result_with_its_numbers_and_the_conclusion_come_first():
    assert texts(most=2) == [FEWER, "Aspirin reduced mortality in adults with pneumonia."]


def test_a_sentence_without_a_word_of_the_question_is_no_snippet():
    assert "The weather was fine." not in texts(most=50)


def test_background_and_methods_count_less_than_findings():
    scored = scored_sentences(make_evidence(article()), TOPIC)
    findings = [s.score for s in scored if s.section == "CONCLUSIONS"]
    assert max(s.score for s in scored if s.section in {"BACKGROUND", "METHODS"}) < max(findings)


def test_a_sentence_on_the_outcome_asked_about_counts_more_than_one_on_another():
    plain = "Aspirin lowered {} in adults with pneumonia."
    item = make_evidence(article(f"{plain.format('mortality')} {plain.format('itching')}"))
    first, second = scored_sentences(item, TOPIC)
    assert first.score > second.score


def test_each_snippet_names_its_section_and_stands_where_it_says():
    item = make_evidence(article())
    for snippet in rule_snippets(item, TOPIC, most=50):
        span = snippet.span
        assert item.article.abstract[span.start : span.end] == span.text
        assert snippet.section in {"BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS"}
        assert not span.text.startswith(f"{snippet.section}:")


def test_without_an_abstract_the_title_stands_in():
    (only,) = rule_snippets(make_evidence(article(abstract="")), TOPIC)
    assert (only.span.where, only.section) == ("title", None)


def test_a_snippet_has_the_fields_of_bioasq_and_an_exclusive_end():
    item = make_evidence(article())
    for snippet in rule_snippets(item, TOPIC):
        fields = snippet.bioasq("https://pubmed.ncbi.nlm.nih.gov/90000001/")
        assert fields["beginSection"] == fields["endSection"] == "abstract"
        begin, end = fields["offsetInBeginSection"], fields["offsetInEndSection"]
        assert item.article.abstract[begin:end] == fields["text"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, "RESULTS", "CONCLUSION"]),
            st.text(alphabet=st.sampled_from("aspirin mortality. A1,\n"), min_size=1, max_size=60),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_offsets_always_index_the_original(sections):
    kept = tuple((label, text) for label, text in sections if text.strip())
    item = make_evidence(article(kept or "Aspirin."))
    for snippet in scored_sentences(item, TOPIC):
        assert item.article.abstract[snippet.span.start : snippet.span.end] == snippet.span.text
        assert 0 <= snippet.score <= 1


@pytest.mark.parametrize(
    "said",
    [
        "FIÈVRE fell by 0.4 degrees",
        "fievre  fell by\n0.4 degrees",
        "“Fièvre fell by 0.4 degrees”",
    ],
)
def test_case_accents_and_spacing_do_not_matter_and_the_original_comes_back(said):
    source = article((("RESULTS", "In all, Fièvre fell by 0.4 degrees. More."),))
    found = locate_snippet(said, source)
    assert found.span.text == "Fièvre fell by 0.4 degrees"
    assert source.abstract[found.span.start : found.span.end] == found.span.text
    assert (found.section, found.basis) == ("RESULTS", "model")


@pytest.mark.parametrize(
    "said", ["Fever fell by 0.5 degrees.", "The temperature of fever dropped.", "by 0.4", ""]
)
def test_a_paraphrase_another_number_or_a_scrap_is_not_in_the_article(said):
    assert locate_snippet(said, article("Fever fell by 0.4 degrees.")) is None


def test_combining_accents_are_compared_too():
    source = article("Fie\u0300vre fell by much in adults.")
    found = locate_snippet("fièvre fell by much", source)
    assert found.span.text == "Fie\u0300vre fell by much"


def test_the_title_is_searched_before_the_abstract():
    source = make_article(title="Aspirin helps adults", abstract="Aspirin helps adults indeed.")
    assert locate_snippet("aspirin helps adults", source).span.where == "title"


def test_a_trial_without_the_treatment_in_a_sentence_scores_lower_than_with_it():
    item = make_evidence(article((("RESULTS", "Aspirin and pneumonia. Placebo and pneumonia."),)))
    named, unnamed = scored_sentences(item, TOPIC)
    assert named.score > unnamed.score


def test_in_an_abstract_without_headings_words_that_conclude_count_and_methods_do_not():
    text = (
        "We compared aspirin with placebo in adults with pneumonia for mortality."
        " These results suggest that aspirin helps adults with pneumonia."
    )
    methods, conclusion = scored_sentences(make_evidence(article(text)), TOPIC)
    assert methods.score < conclusion.score / 2


def test_a_result_on_the_outcome_is_a_snippet_even_without_a_word_of_the_question():
    assert "Fewer died (12% against 18%)." in texts("Roses bloomed. Fewer died (12% against 18%).")


@pytest.mark.parametrize(
    "sentence",
    [
        "Comparisons used the same definition of headache in all trials.",
        "Other endpoints of efficacy were pain intensity and preference.",
        "Outcomes sought were headache relief and freedom from pain.",
    ],
)
def test_what_was_to_be_measured_is_a_method(sentence):
    assert is_method(sentence)
    assert not is_method("Headache was less frequent with zinc than with placebo.")
