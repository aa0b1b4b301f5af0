"""A retraction that any copy or notice among the records tells counts for all copies."""

import itertools

import pytest
from builders import make_article

from metarag import rank
from metarag.records import Correction, PartialDate
from metarag.types import RetractionState as State

TITLE = "Zinc tablets for the common cold: a randomised trial"
TEXT = "We randomised 100 adults to zinc or placebo. Colds were shorter with zinc (RR 0.70; 95% CI 0.60 to 0.80)."
TYPES = ("Randomized Controlled Trial",)


def record(pmid="1", title=TITLE, abstract=TEXT, types=TYPES, **fields):
    return make_article(pmid, title, abstract, types=types, **fields)


def notice(*links, pmid="2", title="Notice", types=("Retraction of Publication",), **fields):
    return record(pmid, title, "", types).model_copy(update={"corrections": links, **fields})


def ranked(*articles):
    return rank("Does zinc shorten the common cold?", articles)


def decision(ranking, key):
    return next(d for d in ranking.audit.decisions if d.key == key and d.stage == "eligibility")


CLEAN = record()
RETRACTED = [
    record(types=(*TYPES, "Retracted Publication")),
    record(types=(*TYPES, " retracted publication ")),
    record(corrections=(("RetractionIn", "9"),)),
    record(title=f"RETRACTED: {TITLE}"),
    record(abstract="This article has been retracted at the request of the authors."),
    record(types=(*TYPES, "Retracted Publication"), date_revised=PartialDate(year=2001)),
]


@pytest.mark.parametrize("retracted", RETRACTED)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_retracted_copy_takes_all_copies_with_it(retracted, is_first):
    ranking = ranked(*((retracted, CLEAN) if is_first else (CLEAN, retracted)))
    assert len(ranking) == 0
    made = {d.key: d for d in ranking.audit.decisions if d.stage == "eligibility"}
    assert "eligibility.retracted" in {d.criterion for d in made.values()}
    assert all(item.appraisal.retraction.state is State.RETRACTED for item in ranking.excluded)
    told = "pmid:1" if is_first else "pmid:1#2"
    source = next(i for i in ranking.excluded if i.key != told).appraisal.retraction
    assert told in source.source
    assert f"its copy {told} says so" in source.detail


def test_the_reason_names_the_copy_that_says_so():
    ranking = ranked(CLEAN, RETRACTED[0])
    assert "its copy pmid:1#2 says so" in decision(ranking, "pmid:1").reason


def test_copies_by_doi_and_by_title_and_year_share_a_retraction():
    by_doi = record(None, doi="10.1/AB", types=(*TYPES, "Retracted Publication"), title="Zinc, a trial")
    assert len(ranked(record(doi="10.1/ab"), by_doi)) == 0
    year = {"print_date": PartialDate(year=2010)}
    by_title = record(None, f"RETRACTED: {TITLE}.", "Other words of it.", **year)
    assert len(ranked(record(**year), by_title)) == 0
    assert len(ranked(record(None, **year), by_title)) == 0
    assert len(ranked(record(print_date=PartialDate(year=2012)), by_title)) == 1
    assert len(ranked(record(), record("3", f"RETRACTED: {TITLE}", "Other words."))) == 1


@pytest.mark.parametrize("types", [("Retraction of Publication",), ("Letter",), ()])
def test_a_notice_excludes_its_target_by_pmid_and_is_named(types):
    told = notice(Correction(type="RetractionOf", pmid="1"), types=types)
    for order in itertools.permutations([CLEAN, told]):
        ranking = ranked(*order)
        assert len(ranking) == 0
        assert decision(ranking, "pmid:1").criterion == "eligibility.retracted"
        assert "by the retraction notice PMID 2" in decision(ranking, "pmid:1").reason


def test_a_notice_names_its_target_by_doi_in_any_case_or_by_its_title():
    link = Correction(type="Retraction of", source="J Zinc. 2010;1:2. doi: 10.1000/ABC.5.")
    assert len(ranked(record(doi="10.1000/abc.5"), notice(link))) == 0
    assert len(ranked(record(doi="10.1000/abc.55"), notice(link))) == 1
    assert len(ranked(CLEAN, notice(title=f"Retraction of: {TITLE}", types=("Journal Article",)))) == 0
    assert len(ranked(record(title="A trial"), notice(title="Retraction of: A trial"))) == 1


def test_a_notice_reaches_the_copies_of_its_target():
    copy = record(None, "Zinc, a trial", doi="10.1/ab")
    told = notice(Correction(type="RetractionOf", pmid="1"))
    assert len(ranked(record(doi="10.1/ab"), copy, told)) == 0


@pytest.mark.parametrize(
    ("kind", "types", "state"),
    [
        ("ExpressionOfConcernFor", ("Expression of Concern",), State.EXPRESSION_OF_CONCERN),
        ("ErratumFor", ("Published Erratum",), State.CORRECTED),
    ],
)
def test_a_notice_of_concern_or_correction_flags_its_target_and_keeps_it(kind, types, state):
    ranking = ranked(CLEAN, notice(Correction(type=kind, pmid="1"), types=types))
    target = next(item for item in ranking if item.key == "pmid:1")
    assert target.appraisal.retraction.state is state
    assert "PMID 2" in decision(ranking, "pmid:1").reason


def test_a_notice_that_names_itself_or_nobody_changes_nothing():
    assert len(ranked(CLEAN, notice(Correction(type="RetractionOf", pmid="7")))) == 1
    own = notice(Correction(type="RetractionOf", pmid="2"))
    assert decision(ranked(CLEAN, own), "pmid:2").criterion == "eligibility.retraction_notice"


def test_a_supplement_or_another_article_is_not_tarnished():
    retracted = record("3", "Supplement: tables of zinc", doi="10.1/ab", types=("Retracted Publication",))
    assert [item.key for item in ranked(record(doi="10.1/ab"), retracted)] == ["pmid:1"]


def test_the_mark_of_a_retraction_makes_no_other_article_of_one_doi():
    marked = record("3", f"RETRACTED: {TITLE}", doi="10.1/AB", types=("Journal Article",))
    assert len(ranked(record(doi="10.1/ab"), marked)) == 0
