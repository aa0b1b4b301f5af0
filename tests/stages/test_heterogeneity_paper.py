"""The policy `paper`: Algorithm 1 decides, by examples worked out by hand, and the effects are shown beside it."""

import json
import math

import pytest
from builders import appraisal_with_design, make_article, make_evidence
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from metarag.adapters.documents import HostDocument
from metarag.adapters.reranking import Reranker
from metarag.audit import Basis, Verdict
from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.heterogeneity_paper import PaperFilterOptions
from metarag.presets import build_pipeline, rank
from metarag.report.agreement_view import standing_out
from metarag.stages.heterogeneity import HeterogeneityOptions, HeterogeneityStage
from metarag.stages.paper_heterogeneity import PaperHeterogeneityStage
from metarag.stances import JudgedStances, StanceFinding
from metarag.types import EffectEstimate, Question, Span, StudyDesign

QUESTION = Question(text="Do tablets lower mortality in adults with fever?")
LETTERED = Question(text="What cures fever?", options={"A": "Tablets", "B": "Rest"})


class Judge:
    """Answers from a table of claim to stances in the order of the evidence; ``None`` is no answer."""

    def __init__(self, *, basis=Basis.MODEL, **table):
        self.model_asked = "small-1"
        self.prompts = {"stance@1": "digest"}
        self.table = table
        self.basis = basis if isinstance(basis, dict) else dict.fromkeys(table, basis)
        self.asked = 0

    def judge(self, question, claims, evidence):
        self.asked += 1
        return JudgedStances(
            {
                (claim.id, item.key): StanceFinding(
                    stance=stance, basis=self.basis[claim.id], reason=f"Scripted for {claim.id}."
                )
                for claim in claims
                for item, stance in zip(evidence, self.table.get(claim.id, ()), strict=False)
                if stance
            },
            warnings=("The judge was tired.",),
        )


def evidence(*reliabilities, effects=None):
    found = []
    for number, reliability in enumerate(reliabilities, 1):
        article = make_article(pmid=str(number))
        appraisal = appraisal_with_design(article, StudyDesign.RANDOMIZED_TRIAL)
        shown = (effect(effects[number - 1]),) if effects else ()
        appraisal = appraisal.model_copy(update={"effects": shown})
        found.append(
            make_evidence(article, appraisal=appraisal, reliability=reliability, retrieval_rank=number)
        )
    return found


def effect(log_or):
    return EffectEstimate(
        measure="OR",
        estimate=math.exp(log_or),
        scale="log",
        effect=log_or,
        standard_error=0.2,
        se_source="ci",
        poolable=True,
        outcome_key="all_cause_death",
        comparison_key="tablets|placebo",
        orientation="harm",
        span=Span(where="abstract", start=0, end=2, text="OR"),
    )


def assess(items, judge=None, question=QUESTION, **paper):
    options = HeterogeneityOptions(policy="paper", paper=PaperFilterOptions(**paper))
    report = HeterogeneityStage(options, judge=judge).assess(question, items)
    return {d.key: d for d in report.decisions}, report


def left_out(report):
    return {d.key for d in report.decisions if d.verdict is Verdict.EXCLUDED}


def test_four_against_one_by_hand():
    # With equal variances sigma, mean p and k votes: Q = k p (1 - p) / sigma, tau2 = k p (1 - p) / (k - 1) - sigma.
    # All five: p = 0.8, Q = 0.8 / 0.05 = 16, tau2 = 0.2 - 0.05 = 0.15. Without the dissenter p = 1, tau2 = 0: it
    # accounts for all. Without a supporter k = 4, p = 0.75, tau2 = 0.25 - 0.05 = 0.2: it accounts for -1/3.
    found, report = assess(evidence(*[0.5] * 5), Judge(yes=["support"] * 4 + ["oppose"]))
    lone, other = found["pmid:5"], found["pmid:1"]
    assert (lone.verdict, lone.criterion) == (Verdict.EXCLUDED, "heterogeneity.algorithm_1")
    assert (other.verdict, other.criterion) == (Verdict.INCLUDED, "heterogeneity.contribution")
    assert lone.measurements["q_yes"] == pytest.approx(16)
    assert lone.measurements["tau_squared_yes"] == pytest.approx(0.15)
    assert lone.measurements["support_yes"] == pytest.approx(0.8)
    assert lone.measurements["votes_yes"] == 5
    assert lone.measurements["contribution_yes"] == pytest.approx(1)
    assert other.measurements["contribution_yes"] == pytest.approx(-1 / 3)
    assert lone.measurements["stance_yes"] == "oppose"
    assert lone.measurements["stance_reason_yes"] == "Scripted for yes."
    assert lone.measurements["r"] == pytest.approx(3.5)
    assert [lone.measurements[name] for name in ("sigma", "max_contribution", "min_reliability")] == [
        0.05,
        0.5,
        4.0,
    ]
    assert [item.key for item in report.evidence] == ["pmid:1", "pmid:2", "pmid:3", "pmid:4"]
    assert report.warnings == ("The judge was tired.",)


def test_three_against_two_by_hand():
    # p = 0.6: tau2 = 0.3 - 0.05 = 0.25. Without one of the two: k = 4, p = 0.75, tau2 = 0.2, contribution 0.2.
    # Without one of the three: k = 4, p = 0.5, tau2 = 1/3 - 0.05 = 0.2833, contribution -0.1333.
    judge = Judge(yes=["support"] * 3 + ["oppose"] * 2)
    found, report = assess(evidence(*[0.5] * 5), judge)
    assert left_out(report) == set()
    assert found["pmid:5"].measurements["contribution_yes"] == pytest.approx(0.2)
    assert found["pmid:1"].measurements["contribution_yes"] == pytest.approx(-0.1333, abs=1e-4)
    # With M = 0.1 both dissenters have to be reliable: R = 7 * 0.6 = 4.2 is above 4, R = 7 * 0.5 is not.
    found, report = assess(evidence(0.5, 0.5, 0.5, 0.6, 0.5), judge, max_contribution=0.1)
    assert left_out(report) == {"pmid:5"}
    assert found["pmid:4"].criterion == "heterogeneity.reliability"


def test_two_that_oppose_each_other_account_for_all_of_it_both():
    # p = 0.5, tau2 = 0.5 - 0.05; without either nothing is left to differ.
    found, report = assess(evidence(0.5, 0.9), Judge(yes=["support", "oppose"]))
    assert left_out(report) == {"pmid:1"}
    assert [found[f"pmid:{n}"].measurements["contribution_yes"] for n in (1, 2)] == [1.0, 1.0]


def test_reliability_that_was_not_assessed_never_drops_an_article():
    _, report = assess(evidence(*[0.5] * 4, None), Judge(yes=["support"] * 4 + ["oppose"]))
    assert left_out(report) == set()


def test_one_claim_is_enough_to_stay():
    judge = Judge(A=["support"] * 4 + ["oppose"], B=["support"] * 5)
    found, report = assess(evidence(*[0.5] * 5), judge, LETTERED)
    assert left_out(report) == set()
    assert found["pmid:5"].reason == "It adds little to the disagreement on claim B."


def test_an_article_that_speaks_of_no_claim_is_left_out_only_on_request_and_is_told_so():
    judge = Judge(yes=["support", "support", "irrelevant"])
    assert left_out(assess(evidence(*[0.5] * 3), judge)[1]) == set()
    found, report = assess(evidence(*[0.5] * 3), judge, keep_irrelevant=False)
    assert left_out(report) == {"pmid:3"}
    assert "says nothing of any claim" in found["pmid:3"].reason


@pytest.mark.parametrize(
    ("basis", "expected"),
    [
        ({"A": Basis.RULE, "B": Basis.MODEL}, Basis.MODEL),
        ({"A": Basis.MODEL, "B": Basis.RULE}, Basis.MODEL),
        ({"A": Basis.RULE, "B": Basis.RULE}, Basis.RULE),
    ],
    ids=str,
)
def test_a_decision_is_the_models_if_any_stance_is(basis, expected):
    judge = Judge(basis=basis, A=["support"] * 2, B=["support"] * 2)
    found, _ = assess(evidence(0.5, 0.5), judge, LETTERED)
    assert {d.basis for d in found.values()} == {expected}
    as_stage = PaperHeterogeneityStage(judge=judge).assess(LETTERED, evidence(0.5, 0.5))
    assert {d.basis for d in as_stage.decisions} == {expected}


def test_where_nothing_was_judged_nothing_is_assessed_and_rules_are_the_basis():
    found, report = assess(evidence(0.5, 0.5), Judge(A=[None, None]), LETTERED)
    assert {(d.verdict, d.basis) for d in found.values()} == {(Verdict.NOT_ASSESSED, Basis.RULE)}
    assert len(report.evidence) == 2


stances = st.sampled_from(["support", "oppose", "irrelevant", None])
articles = st.tuples(stances, stances, st.none() | st.floats(0, 1))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(articles, max_size=8),
    st.floats(0.01, 0.4),
    st.floats(-0.5, 1),
    st.floats(0, 7),
    st.booleans(),
)
def test_the_policy_and_the_stage_of_the_preset_keep_the_same_articles(rows, sigma, most, least, keep):
    options = PaperFilterOptions(
        sigma=sigma, max_contribution=most, min_reliability=least, keep_irrelevant=keep
    )
    items = evidence(*[row[2] for row in rows])
    judge = Judge(A=[row[0] for row in rows], B=[row[1] for row in rows])
    policy = HeterogeneityStage(HeterogeneityOptions(policy="paper", paper=options), judge=judge)
    by_policy = policy.assess(LETTERED, items)
    by_stage = PaperHeterogeneityStage(options, judge=judge).assess(LETTERED, items)
    assert by_policy.evidence == by_stage.evidence
    for one, other in zip(by_policy.decisions, by_stage.decisions, strict=True):
        assert (one.verdict, one.reason, one.basis) == (other.verdict, other.reason, other.basis)
        assert one.criterion == f"heterogeneity.{other.criterion.removeprefix('paper_heterogeneity.')}"
        assert other.measurements.items() <= one.measurements.items()


EFFECTS = [-0.30, -0.25, -0.35, -0.28, -0.31, -0.27, 2.5]


def test_effects_are_pooled_and_shown_but_do_not_decide():
    judge = Judge(yes=["support"] * 7)
    found, report = assess(evidence(*[0.5] * 7, effects=EFFECTS), judge)
    assert left_out(report) == set()
    said = found["pmid:7"]
    assert said.criterion == "heterogeneity.contribution"
    assert said.measurements["on_effects"] == "heterogeneity.outlier"
    assert said.measurements["on_effects_reason"].endswith("stands out of 7 studies.")
    assert said.measurements["consistency"] == report.evidence[-1].consistency == 0.25
    (pool,) = report.syntheses
    assert all(study.included for study in pool.studies)
    assert len(pool.studies) == 7


def test_a_pool_marks_the_studies_that_algorithm_1_left_out_and_claims_nothing_else():
    judge = Judge(yes=["oppose"] + ["support"] * 4)
    # Under the guard a note would say that nothing was left out, because only four studies would stay.
    _, report = assess(evidence(*[0.5] * 5, effects=[*EFFECTS[:4], 3.0]), judge)
    (pool,) = report.syntheses
    assert [study.included for study in pool.studies] == [False] + [True] * 4
    assert any("outlier" in study.flags for study in pool.studies)
    assert any("Algorithm 1, not of this pool: PMID 1" in note for note in pool.notes)
    assert not any("Nothing was left out" in note for note in pool.notes)


def test_a_conflict_of_effects_is_told_whatever_the_stances_decide():
    judge = Judge(yes=["support"] * 3 + ["oppose"])
    found, report = assess(evidence(*[0.5] * 4, effects=[-0.9, -0.8, -0.85, 1.2]), judge)
    assert left_out(report) == {"pmid:4"}
    assert report.syntheses[0].status == "direction_conflict"
    assert "point to opposite sides" in report.warnings[0]
    assert "All stay" not in found["pmid:1"].measurements["on_effects_reason"]


def test_other_policies_never_ask_the_judge():
    judge = Judge(yes=["support"] * 4 + ["oppose"])
    for policy in ("flag", "guarded"):
        stage = HeterogeneityStage(HeterogeneityOptions(policy=policy), judge=judge)
        assert len(stage.assess(QUESTION, evidence(*[0.5] * 5)).evidence) == 5
        assert (stage.model_asked, stage.prompts) == (None, {})
    assert judge.asked == 0
    stage = HeterogeneityStage(HeterogeneityOptions(policy="paper"), judge=judge)
    assert (stage.model_asked, stage.prompts) == ("small-1", {"stance@1": "digest"})


def test_a_judge_is_refused_where_the_policy_would_not_ask_it():
    judge = Judge(yes=["support"])
    with pytest.raises(ConfigurationError, match="heterogeneity with policy='paper'"):
        rank(QUESTION, [make_article()], judge=judge)
    ranking = rank(QUESTION, [make_article()], judge=judge, options={"heterogeneity": {"policy": "paper"}})
    assert judge.asked == 1
    assert ranking.audit.signature.model_asked == "small-1"


def test_settings_out_of_range_are_refused():
    for wrong in ({"sigma": 0}, {"sigma": math.inf}, {"max_contribution": math.nan}, {"min_reliability": 8}):
        with pytest.raises(ValidationError):
            HeterogeneityOptions(paper=wrong)


RATIOS = ["0.60, 95% CI 0.45 to 0.80"] * 4 + ["1.60, 95% CI 1.20 to 2.10"]
TRIALS = [
    {
        "pmid": str(n),
        "title": "Aspirin for adults with fever",
        "abstract": f"Death from any cause with aspirin and placebo was compared (odds ratio {ratio}).",
        "publication_types": ["Letter"],
    }
    for n, ratio in enumerate(RATIOS, 1)
]
ASKED = "Does aspirin reduce mortality in adults with fever?"


def test_a_settings_file_with_the_policy_ranks_from_the_command_line_as_the_preset_does(metarag, tmp_path):
    lines = "".join(json.dumps(trial) + "\n" for trial in TRIALS)
    (tmp_path / "trials.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "paper.yaml").write_text(
        "preset: paper\n"
        "stages: [eligibility, paper_reliability, heterogeneity, paper_extrapolation]\n"
        "options: {heterogeneity: {policy: paper, paper: {max_contribution: 0.4}}}\n",
        encoding="utf-8",
    )
    done = metarag("rank", ASKED, "--input", "trials.jsonl", "--settings", "paper.yaml", "--out", "r.json")
    assert done.returncode == 0, done.stderr
    audit = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["ranking"]["audit"]
    signature = audit["signature"]
    assert signature["settings"]["heterogeneity.policy"] == "paper"
    assert signature["settings"]["heterogeneity.paper.max_contribution"] == 0.4
    assert signature["configuration"]["options"]["heterogeneity"]["policy"] == "paper"
    told = {d["key"]: d for d in audit["decisions"] if d["stage"] == "heterogeneity"}
    assert {key for key, d in told.items() if d["verdict"] == "excluded"} == {"pmid:5"}
    terms = told["pmid:5"]["measurements"]
    assert (terms["stance_yes"], terms["max_contribution"]) == ("oppose", 0.4)


def test_the_same_articles_stay_as_in_the_paper_preset():
    records = [make_article(t["pmid"], t["title"], t["abstract"], types=("Letter",)) for t in TRIALS]
    stages = ("eligibility", "paper_reliability", "heterogeneity", "paper_extrapolation")
    options = {"heterogeneity": {"policy": "paper"}}
    by_policy = build_pipeline(Settings(preset="paper", stages=stages, options=options)).rank(ASKED, records)
    by_preset = build_pipeline(Settings(preset="paper")).rank(ASKED, records)
    assert [i.key for i in by_policy] == [i.key for i in by_preset] == [f"pmid:{n}" for n in range(1, 5)]
    assert [i.score for i in by_policy] == [i.score for i in by_preset]


def test_without_a_question_a_host_is_served_by_effects_alone():
    reranker = Reranker({"options": {"heterogeneity": {"policy": "paper"}}})
    documents = [HostDocument(trial["abstract"]) for trial in TRIALS]
    found, ranking = reranker.rank_with_audit(None, documents)
    assert len(found) == 5
    assert ranking.audit.signature.configuration["options"]["heterogeneity"]["policy"] == "flag"


def test_the_report_lists_what_stands_out_by_its_effect_also_where_stances_decide():
    class References:
        def to(self, key):
            return key

    _, report = assess(evidence(*[0.5] * 7, effects=EFFECTS), Judge(yes=["support"] * 7))
    ((key, _, reason),) = standing_out(report, References())
    assert key == "pmid:7"
    assert "stands out of 7 studies" in reason
