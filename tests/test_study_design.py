"""What the design of an article is, for whole articles."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.records import AbstractSection, Article, Correction, MeshHeading, PublicationType
from metarag.study_design import classify
from metarag.types import SignalSource, StudyDesign

D = StudyDesign


def article(title="", abstract="", *, types=(), mesh=(), links=(), sections=(), **fields):
    parts = sections or (((None, abstract),) if abstract else ())
    return Article(
        pmid="1",
        title=title,
        abstract_sections=tuple(AbstractSection(label=label, text=text) for label, text in parts),
        publication_types=tuple(PublicationType(name=name) for name in types),
        mesh=tuple(MeshHeading(descriptor=name) for name in mesh),
        corrections=tuple(Correction(type=name, pmid="2") for name in links),
        **fields,
    )


TRIAL_TEXT = (
    "Eighty adults with invented fever were randomly assigned to imaginary tablets or placebo for six weeks."
)


@pytest.mark.parametrize(
    ("types", "design"),
    [
        (["Randomized Controlled Trial"], D.RANDOMIZED_TRIAL),
        (["RANDOMIZED  CONTROLLED trial", "JOURNAL ARTICLE"], D.RANDOMIZED_TRIAL),
        (["Meta-Analysis", "Randomized Controlled Trial"], D.META_ANALYSIS),
        (["Review", "Systematic Review"], D.SYSTEMATIC_REVIEW),
        (["Review", "Case Reports"], D.CASE_REPORT),
        (["Systematic Review", "Network Meta-Analysis"], D.NETWORK_META_ANALYSIS),
        (["Scoping Review", "Systematic Review"], D.SCOPING_REVIEW),
        (["Practice Guideline", "Review"], D.GUIDELINE),
        (["Clinical Trial Protocol", "Randomized Controlled Trial"], D.PROTOCOL),
        (["Clinical Trial, Phase II"], D.CLINICAL_TRIAL),
        (["Clinical Trial, Phase III", "Randomized Controlled Trial"], D.RANDOMIZED_TRIAL),
        (["Observational Study"], D.OBSERVATIONAL),
        (["Randomized Controlled Trial, Veterinary"], D.ANIMAL),
        (["Letter", "Randomized Controlled Trial"], D.RANDOMIZED_TRIAL),
        (["Letter"], D.LETTER),
        (["Editorial", "Comment"], D.EDITORIAL),
        (["Comment", "Randomized Controlled Trial"], D.COMMENT),
        (["News"], D.NEWS),
        (["Published Erratum"], D.ERRATUM),
        (["Retraction Notice"], D.NOTICE),
        (["Retraction of Publication", "Randomized Controlled Trial"], D.NOTICE),
        (["Expression of Concern"], D.NOTICE),
    ],
)
def test_publication_types_give_the_design(types, design):
    finding = classify(article("Imaginary tablets", types=["Journal Article", *types]))
    assert finding.design is design
    assert finding.confidence > 0.4


@pytest.mark.parametrize(
    "types",
    [
        [],
        ["Journal Article"],
        ["Journal Article", "Multicenter Study", "Comparative Study", "Research Support, N.I.H., Extramural"],
        ["Validation Study", "Evaluation Study"],
        ["A Type Of The Year 2031"],
        ["Retracted Publication"],
    ],
)
def test_types_that_are_no_designs_leave_it_unknown(types):
    finding = classify(article("Imaginary tablets", types=types))
    assert (finding.design, finding.confidence, finding.signals) == (D.UNKNOWN, 0.0, ())


def test_an_identifier_wins_over_a_name_that_changed():
    renamed = Article(pmid="1", publication_types=(PublicationType(name="Novel Name", ui="D016449"),))
    assert classify(renamed).design is D.RANDOMIZED_TRIAL


@pytest.mark.parametrize(
    ("mesh", "design"),
    [
        (["Humans", "Cohort Studies"], D.COHORT),
        (["Humans", "Case-Control Studies"], D.CASE_CONTROL),
        (["Humans", "Cross-Sectional Studies"], D.CROSS_SECTIONAL),
        (["Humans", "Double-Blind Method", "Cross-Over Studies"], D.RANDOMIZED_TRIAL),
        (["Animals", "Rats"], D.ANIMAL),
        (["Animals", "Humans", "Disease Models, Animal"], D.UNKNOWN),
        (["Humans", "In Vitro Techniques"], D.IN_VITRO),
        (["Humans", "Follow-Up Studies", "Prospective Studies"], D.UNKNOWN),
    ],
)
def test_mesh_headings_give_the_design(mesh, design):
    assert classify(article("Imaginary tablets", mesh=mesh)).design is design


def test_a_topic_heading_says_what_the_article_is_about():
    finding = classify(article("How trials end", mesh=["Humans", "Randomized Controlled Trials as Topic"]))
    assert finding.design is D.UNKNOWN
    assert finding.labels == ("about_trials",)


def test_blinding_on_an_article_about_trials_is_not_its_own():
    headings = ["Humans", "Double-Blind Method", "Randomized Controlled Trials as Topic"]
    assert classify(article("Do tablets help?", mesh=headings)).design is D.UNKNOWN


@pytest.mark.parametrize(
    ("link", "design"),
    [
        ("RetractionOf", D.NOTICE),
        ("ExpressionOfConcernFor", D.NOTICE),
        ("ErratumFor", D.ERRATUM),
        ("CommentOn", D.COMMENT),
        ("RetractionIn", D.UNKNOWN),
        ("ErratumIn", D.UNKNOWN),
    ],
)
def test_a_link_speaks_for_the_notice_not_for_the_article_it_is_about(link, design):
    assert classify(article("Imaginary tablets", links=[link])).design is design


@pytest.mark.parametrize(
    ("status", "method", "state"),
    [
        ("MEDLINE", None, "curated"),
        ("MEDLINE", "Manual", "curated"),
        ("MEDLINE", "Automated", "automated"),
        ("PubMed-not-MEDLINE", None, "not_indexed"),
        ("Publisher", None, "not_indexed"),
        ("In-Data-Review", None, "not_indexed"),
        (None, None, "unknown"),
    ],
)
def test_the_indexing_state_follows_from_the_record(status, method, state):
    record = article("x", types=["Randomized Controlled Trial"], status=status, indexing_method=method)
    assert classify(record).indexing_state == state


def test_a_tag_that_nobody_checked_counts_less():
    by_person = classify(article("x", types=["Meta-Analysis"], status="MEDLINE"))
    by_machine = classify(
        article("x", types=["Meta-Analysis"], status="MEDLINE", indexing_method="Automated")
    )
    by_publisher = classify(article("x", types=["Meta-Analysis"], status="Publisher"))
    assert by_person.confidence > by_machine.confidence > by_publisher.confidence


def test_sources_that_agree_are_surer_than_one():
    tag_only = classify(article("Imaginary tablets", types=["Randomized Controlled Trial"]))
    both = classify(article("Imaginary tablets", TRIAL_TEXT, types=["Randomized Controlled Trial"]))
    assert both.confidence > 0.95 > tag_only.confidence


def test_text_decides_where_a_record_is_not_indexed():
    finding = classify(
        article("Imaginary tablets", TRIAL_TEXT, types=["Journal Article"], status="Publisher")
    )
    assert finding.design is D.RANDOMIZED_TRIAL
    assert {signal.source for signal in finding.signals} == {SignalSource.ABSTRACT}


def test_a_secondary_analysis_is_a_part_of_its_trial_in_spite_of_the_tag():
    text = "We conducted a secondary analysis of a randomised trial of imaginary tablets in adults."
    finding = classify(article("Who answers", text, types=["Randomized Controlled Trial"]))
    assert finding.design is D.SECONDARY_ANALYSIS
    assert "of_randomized_trial" in finding.labels


def test_a_record_tagged_meta_analysis_that_tells_of_one_trial_is_that_trial():
    tags = ["Meta-Analysis", "Randomized Controlled Trial"]
    tagged = classify(article("Imaginary tablets", TRIAL_TEXT, types=tags))
    untagged = classify(article("Imaginary tablets", TRIAL_TEXT, types=tags[1:]))
    assert tagged.design is D.RANDOMIZED_TRIAL
    assert tagged.confidence < untagged.confidence


@pytest.mark.parametrize("words", ["We pooled the results.", "Two other trials agree.", "A review follows."])
def test_a_tagged_meta_analysis_that_speaks_of_more_than_one_trial_stays_one(words):
    finding = classify(article("Imaginary tablets", f"{TRIAL_TEXT} {words}", types=["Meta-Analysis"]))
    assert finding.design is D.META_ANALYSIS


def test_a_digest_that_reprints_an_abstract_is_a_comment():
    text = f"Question: do tablets help? Design: randomised trial. {TRIAL_TEXT} Commentary: welcome."
    finding = classify(article("Tablets helped", text, types=["Comment", "Journal Article"]))
    assert finding.design is D.COMMENT
    assert {"about_trials", "digest"} <= set(finding.labels)


def test_a_letter_with_own_data_is_what_its_data_are():
    finding = classify(article("Imaginary tablets", TRIAL_TEXT, types=["Letter"]))
    assert finding.design is D.RANDOMIZED_TRIAL
    assert "letter" in finding.labels


def test_each_signal_quotes_the_words_it_stands_on():
    record = article(
        "Tablets for fever: a randomised, double-blind trial",
        sections=(("METHODS", TRIAL_TEXT), ("RESULTS", "The tablets did nothing (P = 0.8).")),
    )
    texts = {"title": record.title, "abstract": record.abstract}
    spans = [signal.span for signal in classify(record).signals if signal.span]
    assert {span.where for span in spans} == {"title", "abstract"}
    for span in spans:
        assert texts[span.where][span.start : span.end] == span.text


def test_capitals_that_grow_in_small_letters_do_not_move_the_spans():
    record = article("İİİİ tablets: a randomised trial")
    span = next(signal.span for signal in classify(record).signals if signal.design is D.RANDOMIZED_TRIAL)
    assert record.title[span.start : span.end] == span.text == "randomised trial"


@settings(deadline=None, max_examples=60)
@given(
    st.permutations(["Meta-Analysis", "Randomized Controlled Trial", "Review", "Comparative Study", "Letter"])
)
def test_the_order_of_tags_does_not_matter(types):
    finding = classify(article("x", types=types))
    assert (finding.design, finding.confidence) == (D.META_ANALYSIS, 0.6922)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300), st.text(max_size=600))
def test_any_text_gives_a_finding_with_true_quotes(title, abstract):
    record = Article(
        pmid="1", title=title, abstract_sections=(AbstractSection(text=abstract),) if abstract else ()
    )
    finding = classify(record)
    assert 0 <= finding.confidence <= 1
    assert (finding.confidence == 0) == (finding.design is D.UNKNOWN)
    for signal in finding.signals:
        text = record.title if signal.span.where == "title" else record.abstract
        assert text[signal.span.start : signal.span.end] == signal.span.text
