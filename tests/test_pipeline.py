import gc

import pytest
from builders import make_article, make_evidence
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.ablation import ablate
from metarag.appraisal import appraise
from metarag.audit import Decision, StageReport, Verdict
from metarag.errors import (
    ConfigurationError,
    InputError,
    QuestionError,
    StageContractError,
    StageFailedError,
)
from metarag.pipeline import Pipeline, rank_order
from metarag.presets import build_pipeline
from metarag.types import Retrieved


class Stage:
    """Passes everything on, then lets a test spoil the report."""

    name = "spoilt"

    def __init__(self, spoil=lambda report, evidence: report):
        self.spoil = spoil

    def assess(self, question, evidence):
        report = StageReport(evidence=tuple(evidence), decisions=tuple(decide(e.key) for e in evidence))
        return self.spoil(report, evidence)


def decide(key, verdict=Verdict.INCLUDED, stage="spoilt"):
    return Decision(stage=stage, key=key, verdict=verdict, criterion="spoilt.test", reason="Test.")


ARTICLES = [make_article(pmid=str(n), title=f"Study {n}") for n in (11, 22, 33)]


def replace(**fields):
    return lambda report, evidence: report.model_copy(update={k: f(report) for k, f in fields.items()})


@pytest.mark.parametrize(
    ("spoil", "problem", "key"),
    [
        (replace(decisions=lambda r: r.decisions[1:]), "left undecided", "pmid:11"),
        (
            replace(decisions=lambda r: (*r.decisions, decide("pmid:99"))),
            "decided on evidence it was not given",
            "pmid:99",
        ),
        (replace(decisions=lambda r: (*r.decisions, r.decisions[1])), "decided more than once", "pmid:22"),
        (
            replace(evidence=lambda r: (*r.evidence, make_evidence(make_article(pmid="44")))),
            "passed on evidence it was not given",
            "pmid:44",
        ),
        (replace(evidence=lambda r: (*r.evidence, r.evidence[2])), "passed on twice", "pmid:33"),
        (replace(evidence=lambda r: r.evidence[:2]), "dropped without excluding", "pmid:33"),
        (
            replace(decisions=lambda r: (decide("pmid:11", Verdict.EXCLUDED), *r.decisions[1:])),
            "passed on what it excluded",
            "pmid:11",
        ),
        (
            replace(decisions=lambda r: (decide("pmid:11", stage="other"), *r.decisions[1:])),
            "signed as another stage",
            "pmid:11",
        ),
        (
            replace(
                evidence=lambda r: (r.evidence[0].assessed(article=make_article(pmid="11")), *r.evidence[1:])
            ),
            "changed the article of",
            "pmid:11",
        ),
    ],
)
def test_a_stage_that_breaks_the_contract_is_refused_by_name(spoil, problem, key):
    with pytest.raises(StageContractError, match=problem) as caught:
        Pipeline([Stage(spoil)]).rank("Does it work?", ARTICLES)
    assert caught.value.stage == "spoilt"
    assert caught.value.keys == {key}
    assert key in str(caught.value)


def test_a_stage_may_decide_and_pass_on_in_any_order():
    backwards = replace(decisions=lambda r: r.decisions[::-1], evidence=lambda r: r.evidence[::-1])
    ranking = Pipeline([Stage(backwards)]).rank("Does it work?", ARTICLES)
    assert {item.key for item in ranking} == {"pmid:11", "pmid:22", "pmid:33"}


def test_every_article_has_one_decision_of_each_stage_and_a_score():
    ranking = Pipeline([Stage()]).rank("Does it work?", ARTICLES)
    for key in ranking.audit.identified:
        assert [d.stage for d in ranking.audit.of(key)] == ["spoilt", "score"]


def test_excluded_evidence_stays_in_the_ranking_object_as_it_was():
    def exclude_first(report, evidence):
        decisions = (decide(evidence[0].key, Verdict.EXCLUDED), *report.decisions[1:])
        return StageReport(evidence=report.evidence[1:], decisions=decisions)

    ranking = Pipeline([Stage(exclude_first)]).rank("Does it work?", ARTICLES)
    assert [e.key for e in ranking.excluded] == ["pmid:11"]
    assert ranking.rank_of("pmid:11") is None
    assert len(ranking) + len(ranking.excluded) == len(ARTICLES)


def test_repeats_get_keys_of_their_own():
    ranking = Pipeline([Stage()]).rank("Does it work?", [ARTICLES[0], ARTICLES[0], ARTICLES[1]])
    assert ranking.audit.identified == ("pmid:11", "pmid:11#2", "pmid:22")


def test_no_articles_give_an_empty_ranking():
    ranking = build_pipeline().rank("Does it work?", [])
    assert len(ranking) == 0
    assert ranking.top(3) == ()
    assert list(ranking) == []


@pytest.mark.parametrize("question", ["", "   ", "?!", "x" * 20_001])
def test_a_question_that_cannot_be_worked_with_is_refused(question):
    with pytest.raises(QuestionError, match="question"):
        build_pipeline().rank(question, ARTICLES)


def test_two_stages_of_one_name_are_refused():
    with pytest.raises(ConfigurationError, match="'spoilt' is used twice"):
        Pipeline([Stage(), Stage()])


def test_what_is_not_a_stage_is_refused_before_anything_runs():
    with pytest.raises(ConfigurationError, match="is not a stage"):
        Pipeline([object()])


def test_ties_break_by_retrieval_rank_then_pmid():
    first = make_evidence(make_article(pmid="9"), retrieval_rank=1, score=0.5)
    second = make_evidence(make_article(pmid="10"), retrieval_rank=2, score=0.5)
    same_rank = make_evidence(make_article(pmid="7"), retrieval_rank=1, score=0.5)
    unscored = make_evidence(make_article(pmid="1"), retrieval_rank=1)
    best = make_evidence(make_article(pmid="8"), retrieval_rank=3, score=0.9)
    ordered = sorted([unscored, second, first, same_rank, best], key=rank_order)
    assert [e.article.pmid for e in ordered] == ["8", "7", "9", "10", "1"]


POOL = [
    Retrieved(
        article=make_article(
            pmid=str(100 + n),
            title=f"Tablets for fever, study {n}",
            types=(
                ("Randomized Controlled Trial", "Case Reports", "Journal Article", "Meta-Analysis")[n % 4],
            ),
        ),
        relevance=(n % 7 + 1) / 10,
    )
    for n in range(12)
]


@settings(max_examples=25, deadline=None)
@given(st.permutations(POOL))
def test_the_order_of_the_input_changes_no_score(shuffled):
    expected = {e.key: e.score for e in build_pipeline().rank("Do tablets cure fever?", POOL)}
    assert {e.key: e.score for e in build_pipeline().rank("Do tablets cure fever?", shuffled)} == expected


@settings(max_examples=25, deadline=None)
@given(st.sets(st.sampled_from(range(12)), min_size=1))
def test_a_score_does_not_depend_on_the_other_candidates(chosen):
    whole = {e.key: e.score for e in build_pipeline().rank("Do tablets cure fever?", POOL)}
    part = build_pipeline().rank("Do tablets cure fever?", [POOL[n] for n in sorted(chosen)])
    assert all(whole[e.key] == e.score for e in part)


def test_top_takes_what_there_is_and_refuses_a_negative_number():
    ranking = Pipeline([Stage()]).rank("Does it work?", ARTICLES)
    assert len(ranking.top(2)) == 2
    assert len(ranking.top(99)) == 3
    with pytest.raises(ValueError, match="0 or more"):
        ranking.top(-1)


def test_a_stored_appraisal_is_used_only_if_it_is_of_this_article_and_version():
    article = make_article(pmid="1")
    stored = appraise(article).model_copy(update={"registry_ids": ("NCT1",)})

    def registry_ids(appraisal):
        (item,) = Pipeline([]).rank("Does it work?", [Retrieved(article=article, appraisal=appraisal)])
        return item.appraisal.registry_ids

    assert registry_ids(stored) == ("NCT1",)
    assert registry_ids(stored.model_copy(update={"version": "0"})) == ()
    assert registry_ids(stored.model_copy(update={"article_id": "pmid:2"})) == ()


def fail(report, evidence):
    raise KeyError("outcome")


@pytest.mark.parametrize(
    ("spoil", "message", "cause"),
    [
        (fail, "stage 'spoilt' failed with KeyError: 'outcome'", KeyError),
        (lambda report, evidence: None, "stage 'spoilt' returned a NoneType instead of a StageReport", None),
        (lambda report, evidence: list(evidence), "returned a list", None),
    ],
)
def test_a_stage_that_fails_or_gives_no_report_is_named(spoil, message, cause):
    with pytest.raises(StageFailedError, match=message) as caught:
        Pipeline([Stage(spoil)]).rank("Does it work?", ARTICLES)
    assert caught.value.stage == "spoilt"
    assert type(caught.value.__cause__) is (cause or type(None))


def test_a_stages_own_deliberate_error_passes_unchanged():
    def refuse(report, evidence):
        raise QuestionError("no outcome is named")

    with pytest.raises(QuestionError, match="no outcome is named"):
        Pipeline([Stage(refuse)]).rank("Does it work?", ARTICLES)


@pytest.mark.parametrize(
    ("articles", "message"),
    [
        (None, "articles is a NoneType; expected an iterable of Article or Retrieved"),
        ("aspirin", "articles is a str"),
        (b"aspirin", "articles is a bytes"),
        ({"pmid": "1"}, "articles is a dict"),
        (ARTICLES[0], "articles is a Article"),
        (["x"], r"articles\[0\] is a str"),
        ([ARTICLES[0], None], r"articles\[1\] is a NoneType"),
    ],
)
def test_what_is_no_list_of_articles_is_refused_with_what_is_expected(articles, message):
    for call in (build_pipeline().rank, ablate):
        with pytest.raises(InputError, match=message):
            call("Does it work?", articles)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (None, "must be a str or a Question, not NoneType"),
        (b"Does it work?", "not bytes"),
        ("Does \ud800 work?", "not valid Unicode at character 6"),
        ("\ud800", "not valid Unicode at character 1"),
        ("?!", "holds no word"),
        (" ", "is empty"),
    ],
)
def test_what_is_no_question_is_refused_with_what_is_expected(question, message):
    with pytest.raises(QuestionError, match=message):
        build_pipeline().rank(question, ARTICLES)


def test_cycles_are_searched_again_after_a_ranking_and_after_one_that_failed():
    seen = []

    def watch(report, evidence):
        seen.append(gc.isenabled())
        return report if len(seen) < 2 else None

    pipeline = Pipeline([Stage(watch)])
    pipeline.rank("q", ARTICLES)
    assert gc.isenabled()
    with pytest.raises(StageFailedError):
        pipeline.rank("q", ARTICLES)
    assert gc.isenabled()
    assert seen == [False, False]


def test_who_has_the_search_for_cycles_off_has_it_off_still():
    gc.disable()
    try:
        Pipeline([Stage()]).rank("q", ARTICLES)
        assert not gc.isenabled()
    finally:
        gc.enable()
