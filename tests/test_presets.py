import pytest
from builders import make_article
from model_builders import kind_of, obedient_model

from metarag import rank
from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.evidence_levels import load_hierarchies
from metarag.presets import build_pipeline
from metarag.rule_stances import RuleStanceJudge
from metarag.stances import StanceFinding


def test_the_signature_lists_the_settings_that_were_used():
    ranking = rank(
        "Does it work?",
        [make_article()],
        hierarchy="nhmrc",
        options={"eligibility": {"exclude_superseded": False}},
    )
    shown = ranking.audit.signature.settings
    assert shown["hierarchy"] == "nhmrc"
    assert shown["weights.relevance"] == 1.0
    assert shown["eligibility.exclude_superseded"] is False
    assert ranking.audit.signature.preset == "recommended"
    assert ranking.audit.signature.evidence_levels == load_hierarchies().digest


def test_leaving_out_a_stage_is_one_setting():
    ranking = rank("Does it work?", [make_article()], without=("reliability",))
    assert ranking.audit.signature.stages == ("eligibility", "relevance", "heterogeneity", "extrapolation")
    assert ranking[0].reliability is None


def test_a_wrong_option_of_a_stage_is_named():
    with pytest.raises(ConfigurationError, match="options of stage 'relevance': min_relevance"):
        rank("Does it work?", [], options={"relevance": {"min_relevance": 7}})


def test_options_for_a_stage_that_would_not_run_are_refused():
    with pytest.raises(ConfigurationError, match="'reliabilty', which would not run"):
        build_pipeline(Settings(options={"reliabilty": {}}))


def test_an_unknown_setting_is_refused():
    with pytest.raises(ConfigurationError, match="did you mean 'hierarchy'"):
        rank("Does it work?", [], hierarch="nhmrc")


def test_rank_takes_a_model():
    model = obedient_model()
    article = make_article(types=("Randomized Controlled Trial",))
    ranking = rank("Do tablets reduce fever?", [article], model=model)
    assert model.requests
    assert ranking.audit.signature.model_asked == "scripted"
    assert rank("Do tablets reduce fever?", [article]).audit.signature.model_asked is None


def test_rank_takes_a_judge_for_the_paper_preset_and_asks_it_instead_of_the_model():
    class Judge:
        def judge(self, question, claims, evidence):
            return {
                ("yes", item.key): StanceFinding(stance="oppose", basis="rule", reason="Mine.")
                for item in evidence
            }

    model = obedient_model()
    ranking = rank("Do tablets reduce fever?", [make_article()], model=model, judge=Judge(), preset="paper")
    said = next(d for d in ranking.audit.decisions if d.stage == "paper_heterogeneity")
    assert said.measurements["stance_yes"] == "oppose"
    assert "stance" not in {kind_of(request) for request in model.requests}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "gpt"}, "model must be a model, not a str"),
        ({"judge": "me", "preset": "paper"}, "a str has none"),
        ({"judge": RuleStanceJudge()}, "no stage that would run takes a judge"),
    ],
)
def test_a_model_or_judge_that_cannot_be_asked_is_refused(given, message):
    with pytest.raises(ConfigurationError, match=message):
        rank("Do tablets reduce fever?", [make_article()], **given)
