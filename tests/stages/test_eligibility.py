import pytest
from builders import make_article, make_evidence
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.audit import Verdict
from metarag.records import PartialDate, RegistryId
from metarag.stages.eligibility import EligibilityOptions, EligibilityStage
from metarag.types import Question

QUESTION = Question(text="Do tablets cure fever?")


def assess(*articles, **options):
    seen = {}
    evidence = []
    for article in articles:
        seen[article.id] = seen.get(article.id, 0) + 1
        key = article.id if seen[article.id] == 1 else f"{article.id}#{seen[article.id]}"
        evidence.append(make_evidence(article, key=key))
    report = EligibilityStage(EligibilityOptions(**options)).assess(QUESTION, evidence)
    return {d.key: d for d in report.decisions}, [e.key for e in report.evidence]


@pytest.mark.parametrize(
    ("fields", "criterion"),
    [
        ({"types": ("Retracted Publication",)}, "eligibility.retracted"),
        ({"corrections": (("RetractionIn", "5"),)}, "eligibility.retracted"),
        ({"types": ("Retraction Notice",)}, "eligibility.retraction_notice"),
        ({"types": ("Journal Article",), "corrections": (("UpdateIn", "5"),)}, "eligibility.superseded"),
        ({"title": " ", "abstract": ""}, "eligibility.no_text"),
    ],
)
def test_what_is_no_evidence_is_left_out_with_its_reason(fields, criterion):
    decisions, kept = assess(make_article(pmid="1", **fields))
    assert decisions["pmid:1"].verdict is Verdict.EXCLUDED
    assert decisions["pmid:1"].criterion == criterion
    assert kept == []


@pytest.mark.parametrize(
    "fields",
    [
        {"types": ("Published Erratum",)},
        {"types": ("Editorial",)},
        {"types": ("Clinical Trial Protocol",)},
        {"types": ("Letter", "Comment")},
        {"title": "Retraction of papers: a survey", "types": ("Journal Article",)},
        {"types": ("Journal Article",), "corrections": (("ErratumIn", "5"),)},
        {"types": ("Journal Article",), "corrections": (("ExpressionOfConcernIn", "5"),)},
        {"title": "Only a title", "abstract": ""},
    ],
)
def test_what_is_weak_or_corrected_stays(fields):
    decisions, kept = assess(make_article(pmid="1", **fields))
    assert kept == ["pmid:1"]
    assert decisions["pmid:1"].verdict is Verdict.INCLUDED


def test_the_reason_says_when_nobody_checked_for_a_retraction():
    decisions, _ = assess(make_article(pmid=None, title="From somewhere"))
    (decision,) = decisions.values()
    assert "not checked" in decision.reason
    assert decision.measurements["retraction_state"] == "not_checked"


def test_the_notice_of_a_retraction_is_named():
    decisions, _ = assess(
        make_article(pmid="1", types=("Retracted Publication",), corrections=(("RetractionIn", "55"),))
    )
    assert "PMID 55" in decisions["pmid:1"].reason


def test_of_two_versions_the_newer_stays():
    old = make_article(pmid="1", version=1, abstract="long " * 50)
    new = make_article(pmid="1", version=2)
    decisions, kept = assess(old, new)
    assert kept == ["pmid:1#2"]
    assert decisions["pmid:1"].criterion == "eligibility.duplicate"


def test_of_two_copies_the_later_revision_stays_then_the_fuller_one():
    early = make_article(pmid="1", date_revised=PartialDate(year=2019), abstract="long " * 50)
    late = make_article(pmid="1", date_revised=PartialDate(year=2020))
    assert assess(early, late)[1] == ["pmid:1#2"]
    bare, full = make_article(pmid="1", abstract=""), make_article(pmid="1", abstract="Tablets work.")
    assert assess(bare, full)[1] == ["pmid:1#2"]


def test_a_record_without_pmid_is_a_duplicate_of_the_one_with_its_doi():
    decisions, kept = assess(
        make_article(pmid=None, doi="10.1/ABC", title="Other words"), make_article(pmid="1", doi="10.1/abc")
    )
    assert kept == ["pmid:1"]
    assert "PMID 1" in decisions["doi:10.1/abc"].reason


def test_a_copy_with_another_title_is_told_by_what_it_is_one():
    decisions, _ = assess(make_article(pmid="1"), make_article(pmid="1", title="Other words", abstract=""))
    assert "by its PMID, although the titles differ" in decisions["pmid:1#2"].reason
    bare = make_article(pmid=None, doi="10.1/ABC", title="Other words")
    decisions, _ = assess(bare, make_article(pmid="1", doi="10.1/abc"))
    assert "by its DOI, although the titles differ" in decisions["doi:10.1/abc"].reason
    decisions, _ = assess(make_article(pmid="1"), make_article(pmid="1"))
    assert "titles" not in decisions["pmid:1#2"].reason


def test_a_retracted_copy_is_left_out_also_where_duplicates_are_kept():
    retracted = make_article(pmid="1", types=("Retracted Publication",), abstract="")
    decisions, kept = assess(make_article(pmid="1"), retracted, exclude_duplicates=False)
    assert kept == ["pmid:1"]
    assert decisions["pmid:1#2"].criterion == "eligibility.retracted"


@pytest.mark.parametrize("year", [20200, 99999, -5, 0, 2500, 1499])
def test_a_year_that_can_be_none_is_told_with_its_record(year):
    article = make_article(pmid="1", print_date=PartialDate(year=year))
    report = EligibilityStage().assess(QUESTION, [make_evidence(article)])
    assert report.warnings == (f"pmid:1: {year} is no year of an article; it counts as unknown.",)
    assert article.year is None


def test_many_such_years_are_counted():
    articles = [make_article(pmid=str(n), print_date=PartialDate(year=99999)) for n in range(1, 10)]
    report = EligibilityStage().assess(QUESTION, [make_evidence(article) for article in articles])
    assert len(report.warnings) == 6
    assert report.warnings[-1].startswith("4 more")


def test_two_pmids_with_one_doi_are_two_articles_unless_they_share_the_title():
    article = make_article(pmid="1", doi="10.1/abc", title="A trial")
    supplement = make_article(pmid="2", doi="10.1/abc", title="Supplement: tables")
    copy = make_article(pmid="3", doi="10.1/ABC", title="A trial.")
    assert assess(article, supplement)[1] == ["pmid:1", "pmid:2"]
    assert len(assess(article, copy)[1]) == 1


def test_articles_without_any_identifier_are_duplicates_only_when_their_text_is_the_same():
    a, b = make_article(pmid=None, title="A"), make_article(pmid=None, title="B")
    assert len(assess(a, b)[1]) == 2
    assert len(assess(a, a)[1]) == 1


def test_reports_of_one_trial_are_linked_and_stay():
    main = make_article(pmid="1", registry_ids=(RegistryId(id="NCT00000001"),))
    later = make_article(pmid="2", registry_ids=(RegistryId(id="nct00000001"), RegistryId(id="ISRCTN1")))
    decisions, kept = assess(main, later, make_article(pmid="3"))
    assert kept == ["pmid:1", "pmid:2", "pmid:3"]
    assert decisions["pmid:1"].measurements["same_trial_as"] == "pmid:2"
    assert "same_trial_as" not in decisions["pmid:3"].measurements


@pytest.mark.parametrize(
    ("option", "article"),
    [
        ("exclude_retracted", make_article(pmid="1", types=("Retracted Publication",))),
        (
            "exclude_superseded",
            make_article(pmid="1", types=("Journal Article",), corrections=(("UpdateIn", None),)),
        ),
        ("exclude_without_text", make_article(pmid="1", title="", abstract="")),
    ],
)
def test_an_exclusion_that_is_switched_off_keeps_the_record_and_says_what_it_is(option, article):
    decisions, kept = assess(article, **{option: False})
    assert kept == ["pmid:1"]
    assert decisions["pmid:1"].verdict is Verdict.INCLUDED
    assert "settings" in decisions["pmid:1"].reason


COPIES = [
    make_article(pmid="1", doi="10.1/a", title="A"),
    make_article(pmid="1", doi="10.1/a", title="A", version=2),
    make_article(pmid=None, doi="10.1/a", title="A"),
    make_article(pmid="2", doi="10.1/a", title="B"),
    make_article(pmid=None, title="C"),
    make_article(pmid=None, title="C"),
]


@settings(deadline=None, max_examples=50)
@given(st.permutations(COPIES))
def test_which_record_stays_does_not_depend_on_the_order(shuffled):
    keys = [f"k{i}" for i in range(len(shuffled))]
    evidence = [make_evidence(a, key=k) for a, k in zip(shuffled, keys, strict=True)]
    report = EligibilityStage().assess(QUESTION, evidence)
    kept = sorted((e.article.id, e.article.version) for e in report.evidence)
    assert kept == sorted([("pmid:1", 2), ("pmid:2", 1), (COPIES[4].id, 1)])
    assert sorted(d.key for d in report.decisions) == sorted(keys)


def test_a_users_retraction_watch_table_adds_to_what_the_record_shows(tmp_path):
    table = tmp_path / "watch.csv"
    table.write_text(
        "OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,RetractionDate\n10.1/A,0,Retraction,1/1/2020\n",
        encoding="utf-8",
    )
    known, clean = make_article(pmid=None, doi="10.1/a"), make_article(pmid=None, doi="10.1/b")
    unidentified = make_article(pmid=None, title="No identifier")
    decisions, kept = assess(known, clean, unidentified, retraction_watch=table)
    assert decisions["doi:10.1/a"].criterion == "eligibility.retracted"
    assert "2020-01-01" in decisions["doi:10.1/a"].reason
    assert decisions["doi:10.1/b"].measurements["retraction_state"] == "none_seen"
    assert decisions["doi:10.1/b"].measurements["retraction_as_of"] == "2020-01-01"
    assert decisions[unidentified.id].measurements["retraction_state"] == "not_checked"
    assert len(kept) == 2
