import sys

import pytest
from builders import make_article

from metarag.errors import ConfigurationError, UnknownStageError
from metarag.presets import rank
from metarag.stages.base import Stage
from metarag.stages.registry import load_stage, stage_names


def test_our_own_stages_are_registered_like_anybodys():
    assert {"eligibility", "relevance", "reliability"} <= set(stage_names())
    assert all(isinstance(load_stage(name)(), Stage) for name in stage_names())
    assert all(load_stage(name)().name == name for name in stage_names())


def test_a_misspelt_name_gets_the_closest_one():
    with pytest.raises(UnknownStageError, match=r"did you mean 'reliability'\? Available: .*eligibility"):
        load_stage("reliabilty")


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Install a distribution of the given entry points, as pip would lay it out."""

    def install(name, entry, module=""):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(f"[metarag.stages]\n{entry}\n", encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(module, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    for name in [n for n, m in sys.modules.items() if str(tmp_path) in str(getattr(m, "__file__", ""))]:
        del sys.modules[name]


PLUGIN = """
from metarag.audit import Decision, StageReport, Verdict
class Shout:
    name = "shout"
    def __init__(self, word="HEY"):
        self.word = word
    def assess(self, question, evidence):
        same = {"stage": "shout", "verdict": Verdict.INCLUDED, "criterion": "shout.word", "reason": self.word}
        decisions = tuple(Decision(key=e.key, **same) for e in evidence)
        return StageReport(evidence=tuple(evidence), decisions=decisions)
"""


def test_a_stage_of_another_package_runs_by_name_with_its_options(plugin):
    plugin("shouting", "shout = shouting:Shout", PLUGIN)
    ranking = rank(
        "Does it work?", [make_article()], stages=("eligibility", "shout"), options={"shout": {"word": "HO"}}
    )
    assert [d.reason for d in ranking.audit.decisions if d.stage == "shout"] == ["HO"]


def test_a_broken_plugin_is_named_and_breaks_nothing_else(plugin):
    plugin("broken", "cracked = broken:Missing", "")
    assert "cracked" in stage_names()
    with pytest.raises(ConfigurationError, match=r"'cracked' \(broken:Missing\) cannot be imported"):
        load_stage("cracked")
    assert load_stage("eligibility")


def test_a_name_that_two_packages_claim_is_refused(plugin):
    plugin("usurper", "eligibility = usurper:Mine", "class Mine: ...")
    with pytest.raises(ConfigurationError, match="registered more than once"):
        load_stage("eligibility")
