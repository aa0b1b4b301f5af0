"""Systems and experiments by name: what each shows, and what is told when there is no such thing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from evaluation.experiment_builders import FEW, QUESTIONS, an_experiment, knows

from metarag.errors import ConfigurationError
from metarag.evaluation.experiment import Experiment, Plan
from metarag.evaluation.items import Dataset, Item
from metarag.evaluation.systems import Order, evidence_for, named_systems
from metarag.records import AbstractSection, Article
from metarag.types import Question, Retrieved


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["nonsense"], "no system 'nonsense'"),
        (["recomended"], "recommended"),
        (["plain", "plain"], "named twice"),
        (["plain@0"], "from 1 to 50"),
        (["recommended-nonsense"], "nonsense"),
        (["mine=nowhere.toml"], "nowhere.toml"),
    ],
    ids=str,
)
def test_a_system_that_there_is_not_is_told_by_name(names, told):
    with pytest.raises(ConfigurationError, match=told):
        named_systems(names)


def test_ablations_are_the_preset_without_each_stage():
    found = named_systems(["ablations@2"])
    stages = ("eligibility", "relevance", "reliability", "heterogeneity", "extrapolation")
    assert [s.name for s in found] == [f"recommended-{stage}@2" for stage in stages]
    assert [s.settings["without"] for s in found] == [[stage] for stage in stages]
    assert {s.top_n for s in found} == {2}


def test_several_stages_can_be_left_out_and_the_paper_has_its_own():
    both, paper = named_systems(["recommended-heterogeneity-extrapolation", "paper-paper_reliability@3"])
    assert both.settings == {"without": ["heterogeneity", "extrapolation"]}
    assert (paper.settings, paper.top_n) == ({"preset": "paper", "without": ["paper_reliability"]}, 3)


def test_settings_of_ones_own_make_a_system(tmp_path):
    path = tmp_path / "strict.toml"
    path.write_text('without = ["relevance"]\nhierarchy = "ocebm-2011"\n', encoding="utf-8")
    (system,) = named_systems([f"strict@2={path}"])
    assert (system.name, system.order, system.top_n) == ("strict@2", Order.RANKED, 2)
    assert system.settings == {"without": ["relevance"], "hierarchy": "ocebm-2011"}


def candidates():
    return [
        Retrieved(
            article=Article(
                pmid=str(90_000_000 + n),
                title=f"Imaginol for invented fever, report {n}",
                abstract_sections=(AbstractSection(text=f"{design} of imaginol for fever in adults."),),
            )
        )
        for n, design in enumerate(["Case report", "Randomised controlled trial", "Cohort study"] * 2, 1)
    ]


@pytest.mark.parametrize("name", ["plain", "random", "reversed", "recommended", "plain_matched", "paper"])
def test_every_order_is_the_same_again(name):
    (system,) = named_systems([name])
    question = Question(text="Does imaginol help adults with fever?")
    orders = [
        [item.key for item in evidence_for(system, question, candidates(), seed=3, item="q1")]
        for _ in range(2)
    ]
    assert orders[0] == orders[1]


def test_random_orders_differ_by_question_and_seed_and_plain_is_the_retrievers():
    question = Question(text="Does imaginol help adults with fever?")
    plain, shuffled = named_systems(["plain", "random"])

    def keys(system, seed, item):
        return [e.key for e in evidence_for(system, question, candidates(), seed=seed, item=item)]

    assert keys(plain, 0, "q1") == [f"pmid:{90_000_000 + n}" for n in range(1, 7)]
    orders = [keys(shuffled, seed, item) for seed in (0, 1) for item in ("q1", "q2", "q3")]
    assert all(sorted(order) == sorted(keys(plain, 0, "q1")) for order in orders)
    assert any(one != other for one, other in pairwise(orders))


def a_dataset():
    options = {"A": "yes", "B": "no"}
    return Dataset(
        name="d",
        sha256="0" * 64,
        items=tuple(
            Item(
                id=f"{subset}-{n}",
                dataset="d",
                subset=subset,
                question=f"Question {n} on {subset}?",
                options=options,
                gold="A",
            )
            for subset in ("anatomy", "genetics", "surgery")
            for n in range(4)
        ),
    )


def test_a_limit_takes_questions_in_turn_from_each_subset_in_the_order_of_the_file():
    (chosen,) = an_experiment(systems=["closed_book"], data=a_dataset(), limit=7).datasets
    assert [item.id for item in chosen] == [
        "anatomy-0", "anatomy-1", "anatomy-2", "genetics-0", "genetics-1", "surgery-0", "surgery-1",
    ]  # fmt: skip
    (plain,) = an_experiment(systems=["closed_book"], data=QUESTIONS, limit=100).datasets
    assert plain == QUESTIONS


def test_the_parts_of_an_experiment_are_together_the_whole():
    parts = [
        [item.id for dataset in an_experiment(data=QUESTIONS, shard=(part, 3)).datasets for item in dataset]
        for part in (1, 2, 3)
    ]
    assert all(parts)
    assert sorted(id for part in parts for id in part) == sorted(item.id for item in QUESTIONS)
    with pytest.raises(ConfigurationError, match="shard 4/3"):
        an_experiment(shard=(4, 3))


def test_an_experiment_needs_something_of_everything_and_each_once():
    systems = named_systems(["closed_book"])
    for arguments, told in (
        (([], systems, [knows(FEW)]), "at least one data set"),
        (([FEW], systems, []), "at least one model"),
        (([FEW, FEW], systems, [knows(FEW)]), "data sets have one name"),
        (([FEW.model_copy(update={"items": ()})], systems, [knows(FEW)]), "no question is left"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            Experiment(*arguments, Plan())


def test_the_signature_tells_that_options_and_sources_stay_out_of_the_search():
    evidence = an_experiment().signature.evidence
    assert (evidence["options_in_query"], evidence["sources_excluded"]) == (False, True)
    assert an_experiment().signature.code
