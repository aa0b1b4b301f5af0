"""The `paper` preset end to end, by examples worked out by hand."""

import pytest
from builders import make_article
from pydantic import ValidationError

from metarag.audit import Basis, Verdict
from metarag.config import Settings
from metarag.heterogeneity_paper import PaperFilterOptions
from metarag.presets import build_pipeline, rank
from metarag.records import PartialDate
from metarag.stages.paper_reliability import PaperReliabilityOptions
from metarag.stances import StanceFinding, claims_of
from metarag.types import Question

QUESTION = Question(text="Do zinc tablets cure fever in adults?")


def article(pmid, *types, year=2025, abstract="Zinc tablets and placebo were given to adults with fever."):
    return make_article(
        pmid=str(pmid),
        title="Zinc tablets for fever",
        abstract=abstract,
        types=types,
        print_date=PartialDate(year=year),
    )


class Judge:
    """Answers from a table of claim and PMID; what it does not hold was not assessed."""

    def __init__(self, table):
        self.table = table

    def judge(self, question, claims, evidence):
        return {
            (claim.id, item.key): StanceFinding(
                stance=self.table[claim.id][item.article.pmid],
                basis=Basis.MODEL,
                reason="Scripted.",
                prompt="stance@1",
            )
            for claim in claims
            for item in evidence
            if item.article.pmid in self.table.get(claim.id, {})
        }


def decisions(ranking, stage):
    return {d.key: d for d in ranking.audit.decisions if d.stage == stage}


def paper(articles, judge=None, question=QUESTION, **settings):
    settings = Settings.from_mapping({"preset": "paper", **settings})
    return build_pipeline(settings, **({"judge": judge} if judge else {})).rank(question, articles)


def test_r_is_the_weighted_mean_of_date_and_publication_score():
    ranking = paper([article(1, "Randomized Controlled Trial", year=2025), article(2, "Letter", year=2018)])
    found = decisions(ranking, "paper_reliability")
    # Exp is not reported: (0.2 * 5 + 0.6 * 6) / 0.8 and (0.2 * 2 + 0.6 * 3) / 0.8, in 2025.
    assert found["pmid:1"].measurements["r"] == pytest.approx(5.75)
    assert found["pmid:2"].measurements["r"] == pytest.approx(2.75)
    assert ranking[0].reliability == pytest.approx(5.75 / 7)


def test_publication_types_combine_by_their_maximum_and_unlisted_ones_score_one():
    found = decisions(
        paper([article(1, "Journal Article", "Meta-Analysis"), article(2, "Practice Guideline")]),
        "paper_reliability",
    )
    assert found["pmid:1"].measurements["publication"] == 7
    assert found["pmid:2"].measurements["publication"] == 1


def test_a_fixed_reference_year_makes_scores_independent_of_the_other_articles():
    options = {"paper_reliability": {"reference_year": 2020}}
    alone = decisions(paper([article(1, "Letter", year=2010)], options=options), "paper_reliability")
    among = decisions(
        paper([article(1, "Letter", year=2010), article(2, "Letter", year=2025)], options=options),
        "paper_reliability",
    )
    assert alone["pmid:1"].measurements["r"] == among["pmid:1"].measurements["r"]


def test_a_lone_unreliable_dissenter_is_dropped_and_a_reliable_one_stays():
    weak = [article(n, "Letter") for n in range(1, 6)]
    stances = {"yes": {str(n): "support" for n in range(1, 5)} | {"5": "oppose"}}
    ranking = paper(weak, Judge(stances))
    found = decisions(ranking, "paper_heterogeneity")
    assert found["pmid:5"].verdict is Verdict.EXCLUDED
    assert found["pmid:5"].measurements["contribution_yes"] == pytest.approx(1.0)
    assert found["pmid:5"].prompt == "stance@1"
    strong = [*weak[:4], article(5, "Randomized Controlled Trial")]
    kept = decisions(paper(strong, Judge(stances)), "paper_heterogeneity")
    assert kept["pmid:5"].criterion == "paper_heterogeneity.reliability"


def test_with_options_each_is_a_claim_and_one_claim_is_enough_to_stay():
    question = Question(text="What cures fever?", options={"A": "Zinc", "B": "Rest"})
    assert [c.id for c in claims_of(question)] == ["A", "B"]
    weak = [article(n, "Letter") for n in range(1, 6)]
    stances = {
        "A": {str(n): "support" for n in range(1, 5)} | {"5": "oppose"},
        "B": {str(n): "support" for n in range(1, 6)},
    }
    found = decisions(paper(weak, Judge(stances), question), "paper_heterogeneity")
    assert found["pmid:5"].criterion == "paper_heterogeneity.contribution"


def test_options_need_a_model_so_that_everything_stays_and_is_not_assessed():
    question = Question(text="What cures fever?", options={"A": "Zinc", "B": "Rest"})
    ranking = paper([article(1, "Letter"), article(2, "Editorial")], question=question)
    found = decisions(ranking, "paper_heterogeneity")
    assert {d.verdict for d in found.values()} == {Verdict.NOT_ASSESSED}
    assert len(ranking) == 2


def test_without_a_model_results_on_the_outcome_are_the_stances():
    question = Question(text="Does aspirin reduce mortality in adults with fever?")
    ratios = ["0.60, 95% CI 0.45 to 0.80"] * 4 + ["1.60, 95% CI 1.20 to 2.10"]
    articles = [
        make_article(
            pmid=str(n),
            title="Aspirin for adults with fever",
            abstract=f"Death from any cause with aspirin and placebo was compared (odds ratio {ratio}).",
            types=("Letter",),
        )
        for n, ratio in enumerate(ratios, 1)
    ]
    found = decisions(paper(articles, question=question), "paper_heterogeneity")
    assert [found[f"pmid:{n}"].measurements["stance_yes"] for n in (1, 5)] == ["support", "oppose"]
    assert found["pmid:5"].verdict is Verdict.EXCLUDED
    assert found["pmid:1"].basis is Basis.RULE


def test_s_is_r_squared_times_t():
    ranking = paper([article(1, "Randomized Controlled Trial")])
    item = ranking[0]
    assert item.applicability is not None
    assert item.score == pytest.approx(item.reliability**2 * item.applicability)
    assert decisions(ranking, "score")["pmid:1"].criterion == "score.paper"


def test_animals_score_low_but_the_paper_excludes_nothing_for_it():
    animal = article(
        1, "Journal Article", abstract="Rats with fever were given zinc tablets or vehicle. Rats recovered."
    )
    assert len(paper([animal])) == 1


def test_a_retracted_article_is_left_out_here_too():
    assert len(paper([article(1, "Randomized Controlled Trial", "Retracted Publication")])) == 0


def test_stages_can_be_left_out_one_by_one():
    articles = [article(1, "Letter"), article(2, "Meta-Analysis")]
    for stage in ("paper_reliability", "paper_heterogeneity", "paper_extrapolation"):
        assert len(rank(QUESTION, articles, preset="paper", without=(stage,))) == 2


def test_settings_out_of_range_are_refused():
    with pytest.raises(ValidationError, match="sigma"):
        PaperFilterOptions(sigma=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0, "beta": 0, "gamma": 0}, "must not all be 0"),
        ({"date_tiers": ((3, 5), (1, 4))}, "must ascend"),
        ({"date_tiers": ((3, 8),)}, "less than or equal to 7"),
        ({"favourable": ("no", "no", "unclear")}, "favourable"),
        ({"lowest_experiment": 5, "highest_experiment": 2}, "must not be above"),
    ],
)
def test_settings_of_reliability_that_do_not_fit_together_are_refused(options, message):
    with pytest.raises(ValidationError, match=message):
        PaperReliabilityOptions.model_validate(options)
