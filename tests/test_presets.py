import pytest
from builders import make_article

from metarag import rank
from metarag.config import Settings
from metarag.errors import ConfigurationError
from metarag.evidence_levels import load_hierarchies
from metarag.presets import build_pipeline


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
