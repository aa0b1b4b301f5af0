"""No number of any setting is made of true or false, and no setting of an infinite one."""

import math

import pytest
from pydantic import BaseModel, Field, ValidationError

import metarag.presets
from metarag.config import PRESETS, Settings
from metarag.errors import ConfigurationError
from metarag.option_models import Options, truths_for_numbers
from metarag.pico_match import FacetWeights
from metarag.presets import build_pipeline
from metarag.stages.registry import load_stage

# So that their models are there, whatever other tests have loaded.
STAGES = [load_stage(name) for names in PRESETS.values() for name in names]


def models(of=Options):
    return [found for each in of.__subclasses__() for found in (each, *models(each))]


def numbers():
    for model in {each.__qualname__: each for each in models()}.values():
        for name, field in model.model_fields.items():
            if field.annotation in (int, float, int | None, float | None):
                yield pytest.param(model, name, id=f"{model.__name__}.{name}")


def needed(model, name, value):
    others = {each: "x" for each, field in model.model_fields.items() if field.is_required() and each != name}
    return others | {name: value}


def test_the_models_of_the_settings_are_found():
    assert {"Settings", "TermWeights", "FacetWeights", "GuardOptions", "PaperReliabilityOptions"} <= {
        each.__name__ for each in models()
    }


@pytest.mark.parametrize(("model", "name"), list(numbers()))
def test_true_is_taken_for_no_number_of_any_model(model, name):
    for truth in (True, False):
        with pytest.raises(ValidationError) as caught:
            model(**needed(model, name, truth))
        assert (name,) in {error["loc"] for error in caught.value.errors()}


@pytest.mark.parametrize(
    ("stage", "option", "value"),
    [
        ("paper_reliability", "date_tiers", [[True, 5.0], [3, 4.0]]),
        ("paper_reliability", "date_tiers", [[1, 5.0], [3, False]]),
        ("extrapolation", "weights", {"outcome": True}),
        ("heterogeneity", "paper", {"min_reliability": True}),
    ],
)
def test_true_is_no_number_inside_the_options_of_a_stage(stage, option, value):
    preset = "paper" if stage.startswith("paper") else "recommended"
    with pytest.raises(
        ConfigurationError, match=rf"stage '{stage}': {option}.*: expected a number, got true"
    ):
        build_pipeline(Settings(preset=preset, options={stage: {option: value}}))


class Tier(BaseModel):
    years: int = 1


class Foreign(BaseModel):
    """Options as a stage of somebody else may have them."""

    share: float = 0.5
    tiers: list[Tier] = Field(default_factory=list)
    by_name: dict[str, float] = Field(default_factory=dict)
    loud: bool = False
    label: int | str = ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"share": True}, ["share"]),
        ({"tiers": [{"years": 2}, {"years": True}]}, ["tiers.1.years"]),
        ({"by_name": {"a": 1, "b": False}}, ["by_name.b"]),
        ({"loud": True, "share": 1, "tiers": [{"years": 3}], "by_name": {"a": 2.0}}, []),
    ],
)
def test_truths_are_found_however_deep_they_stand_in_a_model_of_somebody_else(given, told):
    assert list(truths_for_numbers(given, Foreign.model_validate(given))) == told


def test_a_stage_of_somebody_else_has_no_truth_for_a_number_either(monkeypatch):
    class Stage:
        name, options_type = "loud", Foreign

        def __init__(self, options):
            self.options = options

    monkeypatch.setattr(metarag.presets, "load_stage", lambda name: Stage)
    with pytest.raises(ConfigurationError, match=r"stage 'loud': by_name\.b: expected a number"):
        build_pipeline(Settings(stages=("loud",), options={"loud": {"by_name": {"b": True}}}))


@pytest.mark.parametrize("weights", [dict.fromkeys(FacetWeights.model_fields, 0), {"outcome": math.inf}])
def test_weights_of_the_facets_are_finite_and_not_all_zero(weights):
    with pytest.raises(ConfigurationError, match=r"stage 'extrapolation': weights"):
        build_pipeline(Settings(options={"extrapolation": {"weights": weights}}))


def test_one_facet_alone_may_count():
    only = dict.fromkeys(FacetWeights.model_fields, 0) | {"outcome": 1}
    build_pipeline(Settings(options={"extrapolation": {"weights": only}}))
