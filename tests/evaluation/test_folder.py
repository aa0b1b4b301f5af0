"""Folders of experiments, and several of them as one."""

from __future__ import annotations

import pytest
from evaluation.experiment_builders import QUESTIONS, an_experiment, knows

from metarag.errors import ConfigurationError, InputError
from metarag.evaluation.folder import EvaluationFolder, read_folders, read_signature
from metarag.evaluation.reports import build_report
from metarag.evaluation.runner import Runner
from metarag.llm.recorded import ScriptedModel


def run(folder, model=None, systems=("closed_book",), **plan):
    return Runner(an_experiment(model, list(systems), data=QUESTIONS, **plan), folder).run()


def test_the_parts_of_a_run_are_reported_as_the_whole(tmp_path):
    model = knows(QUESTIONS.items[:9])
    whole = run(tmp_path / "all", model)
    folders = [tmp_path / str(part) for part in (1, 2, 3)]
    for part, folder in enumerate(folders, 1):
        run(folder, model, shard=(part, 3))
    signature, results = read_folders(folders)
    report = build_report(results, signature=signature)
    (cell,) = report.cells
    assert (cell.items, cell.accuracy) == (20, 9 / 20)
    assert report.warnings == ()
    assert sorted(r.item for r in results) == sorted(r.item for r in whole)
    signature, results = read_folders(folders[:2])
    assert build_report(results, signature=signature).warnings == ()


def test_other_models_and_systems_join_one_report(tmp_path):
    run(tmp_path / "a", knows(QUESTIONS))
    run(tmp_path / "b", ScriptedModel(lambda request: "Answer: A", model="always-a"))
    signature, results = read_folders([tmp_path / "a", tmp_path / "b"])
    cells = build_report(results, signature=signature, baseline="closed_book").cells
    one, other = an_experiment(systems=["random@1"]).signature, an_experiment(systems=["random@2"]).signature
    assert list(one.joined(other).systems) == ["random@1", "random@2"]
    assert [cell.model for cell in cells] == ["scripted", "always-a"]
    assert [model.name for model in signature.models] == ["scripted", "always-a"]


def test_what_is_no_part_of_one_experiment_is_refused(tmp_path):
    run(tmp_path / "a")
    run(tmp_path / "same")
    run(tmp_path / "seeds", seeds=(1,))
    run(tmp_path / "settings", without_evidence="abstain")
    with pytest.raises(InputError, match="answers again what another folder answers"):
        read_folders([tmp_path / "a", tmp_path / "same"])
    with pytest.raises(ConfigurationError, match=r"no parts of one experiment: seeds"):
        read_folders([tmp_path / "a", tmp_path / "seeds"])
    signatures = [read_signature(tmp_path / name / "signature.json") for name in ("a", "settings")]
    with pytest.raises(ConfigurationError, match=r"systems\.closed_book\.choice\.without_evidence"):
        signatures[0].joined(signatures[1])


def test_answers_without_their_signature_are_no_other_experiments(tmp_path):
    run(tmp_path / "a")
    (tmp_path / "a" / "signature.json").unlink()
    with pytest.raises(ConfigurationError, match=r"answers without their signature\.json.*put it back"):
        run(tmp_path / "a", seeds=(1,))
    assert not (tmp_path / "a" / "signature.json").exists()


def test_a_folder_that_holds_no_experiment_is_told(tmp_path):
    with pytest.raises(InputError, match="is no folder of an evaluation"):
        read_folders([tmp_path])
    (tmp_path / "signature.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is no signature"):
        read_folders([tmp_path])


def test_answers_by_another_state_of_the_code_are_told_in_the_signature(tmp_path):
    mine = an_experiment().signature
    with EvaluationFolder(tmp_path, mine.model_copy(update={"code": "before"})).claimed():
        pass
    for _ in range(2):
        folder = EvaluationFolder(tmp_path, mine)
        with folder.claimed():
            assert read_signature(tmp_path / "signature.json").code == f"before+{mine.code}"
