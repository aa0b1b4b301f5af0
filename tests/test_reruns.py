import threading
from datetime import UTC, datetime

import pytest
from builders import make_article

from metarag.audit import Basis, QueryRecord, Verdict
from metarag.errors import ConfigurationError, InputError
from metarag.generation.extractive import ExtractiveGenerator
from metarag.ledger import verify
from metarag.pipeline import Pipeline
from metarag.presets import rank
from metarag.report.html import render_html
from metarag.reruns import Changes, rerun, resolve
from metarag.run_folder import keep_run
from metarag.runs import RunRecord
from metarag.stages.eligibility import EligibilityStage
from metarag.types import Question, Retrieved

NOW = datetime(2025, 1, 2, tzinfo=UTC)
QUESTION = Question.ask("Do imaginary tablets prevent death in adults with invented fever?")


def trial(pmid, estimate, *, low, high, n=500, **fields):
    text = (
        f"We randomised {n} adults with invented fever to imaginary tablets or placebo. Death was compared:"
        f" hazard ratio for death with imaginary tablets against placebo {estimate}, 95% CI {low} to {high}."
    )
    return make_article(
        pmid,
        f"Imaginary tablets and death, trial {pmid}",
        text,
        types=("Randomized Controlled Trial",),
        **fields,
    )


ARTICLES = [
    trial("1", 0.80, low=0.70, high=0.91),
    trial("2", 0.82, low=0.70, high=0.96),
    trial("3", 0.78, low=0.66, high=0.92),
    make_article("4", "Imaginary tablets in mice", "We gave imaginary tablets to mice.", doi="10.1/mice"),
    make_article("5", "Retracted: tablets and death", "Death fell.", types=("Retracted Publication",)),
]


def a_run(*, answered=True, articles=ARTICLES, **settings):
    ranking = rank(QUESTION, articles, **settings)
    result = ExtractiveGenerator().generate(QUESTION, ranking) if answered else ranking
    return RunRecord.of(result, now=NOW)


def change(run, **changes):
    return rerun(run, Changes(author="Dr Quill", note="seen in full text", **changes), now=NOW)


def keys(run):
    return [item.key for item in run.ranking]


def decisions(run, key, stage):
    return [d for d in run.ranking.audit.of(key) if d.stage == stage]


def test_what_a_person_excludes_is_out_before_it_can_pull_a_pool():
    parent = a_run()
    child = change(parent, exclude=("1",))
    assert "pmid:1" in keys(parent)
    assert "pmid:1" not in keys(child)
    (decision,) = child.ranking.audit.of("pmid:1")
    assert (decision.verdict, decision.basis) == (Verdict.EXCLUDED, Basis.PERSON)
    assert decision.reason == "Left out by Dr Quill: seen in full text."
    pooled = {study.key for s in child.ranking.audit.syntheses for study in s.studies}
    assert "pmid:1" not in pooled
    assert "pmid:1" in {study.key for s in parent.ranking.audit.syntheses for study in s.studies}


def test_what_a_person_keeps_passes_and_the_rules_reason_stays():
    child = change(a_run(), include=("10.1/mice",))
    assert "pmid:4" in keys(child)
    (decision,) = decisions(child, "pmid:4", "extrapolation")
    assert decision.criterion == "override.included"
    assert decision.measurements["overruled_criterion"] == "extrapolation.total_mismatch"
    assert "By rule it would be left out" in decision.reason
    assert decisions(child, "pmid:4", "score")[0].measurements["score"] is not None


def test_the_parent_is_not_changed_and_is_named_by_its_digest():
    parent = a_run()
    before = parent.model_dump_json()
    child = change(parent, exclude=("2",))
    assert parent.model_dump_json() == before
    assert child.parent.id == parent.id
    assert len(child.parent.sha256) == 64
    assert child.id != parent.id
    assert RunRecord.model_validate_json(child.model_dump_json()) == child


def test_overrides_say_who_when_why_and_what_and_are_only_appended():
    first = change(a_run(), exclude=("2",))
    second = rerun(first, Changes(author="Dr Feather", note="it is sound", include=("2",)), now=NOW)
    assert [(o.key, o.verdict, o.author) for o in second.ranking.audit.overrides] == [
        ("pmid:2", Verdict.EXCLUDED, "Dr Quill"),
        ("pmid:2", Verdict.INCLUDED, "Dr Feather"),
    ]
    assert "pmid:2" in keys(second)
    assert second.ranking.audit.overrides[0].timestamp == NOW


def test_settings_and_facets_change_on_top_of_the_parents():
    parent = a_run(hierarchy="nhmrc")
    child = change(parent, settings={"without": ["heterogeneity"]}, pico={"population": "children"})
    assert child.ranking.audit.signature.configuration == {"hierarchy": "nhmrc", "without": ["heterogeneity"]}
    assert child.ranking.audit.question.pico.population == "children"
    assert [(o.key, o.change) for o in child.ranking.audit.overrides] == [
        ("question", "population: children"),
        ("settings", "without: ['heterogeneity']"),
    ]
    assert all(item.applicability < 1 for item in child.ranking if item.key != "pmid:4")


def test_a_setting_inside_another_leaves_the_rest_as_it_was():
    parent = a_run(weights={"relevance": 3, "reliability": 2})
    child = change(parent, settings={"weights": {"relevance": 5}})
    assert child.ranking.audit.signature.configuration == {"weights": {"relevance": 5.0, "reliability": 2.0}}


def test_the_answer_is_made_again_where_there_was_one():
    with_answer, without = a_run(), a_run(answered=False)
    assert change(without, exclude=("1",)).answer is None
    child = change(with_answer, exclude=("1", "2", "3"))
    assert child.answer is not None
    assert not {"1", "2", "3"} & set(child.answer.citations)


def test_the_articles_their_order_and_the_retrievers_relevance_are_the_parents():
    given = [
        Retrieved(article=a, relevance=0.3 + i / 10, retriever_score=9 - i) for i, a in enumerate(ARTICLES)
    ]
    query = QueryRecord(source="given", query="tablets", warnings=("cut",))
    from metarag.presets import build_pipeline

    parent = RunRecord.of(build_pipeline().rank(QUESTION, given, query=query), now=NOW)
    child = change(parent, exclude=("5",))
    assert child.ranking.audit.identified == parent.ranking.audit.identified
    assert child.ranking.audit.query == query
    assert {i.key: i.relevance for i in child.ranking} == {i.key: i.relevance for i in parent.ranking}


def test_without_a_change_that_counts_the_ranking_is_the_parents():
    parent = a_run()
    child = change(parent, settings={"preset": "recommended"})
    assert [(i.key, i.score) for i in child.ranking] == [(i.key, i.score) for i in parent.ranking]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "nothing would change"),
        ({"include": ("99",)}, "'99' is not among the 5 articles"),
        ({"include": ("1",), "exclude": ("pmid:1",)}, "both included and excluded"),
        ({"exclude": ("",)}, "'' is not among"),
    ],
    ids=str,
)
def test_a_change_that_makes_no_sense_is_refused(changes, told):
    with pytest.raises(InputError, match=told):
        change(a_run(), **changes)


@pytest.mark.parametrize("missing", [{"author": " "}, {"note": ""}])
def test_author_and_note_are_needed(missing):
    given = {"author": "A", "note": "b", "exclude": ("1",)} | missing
    with pytest.raises(InputError, match="who changes the run and why"):
        rerun(a_run(), Changes(**given))


def test_wrong_settings_and_facets_are_told_by_name():
    with pytest.raises(ConfigurationError, match="no facet 'people'"):
        change(a_run(), pico={"people": "adults"})
    with pytest.raises(ConfigurationError, match="hierarchyy"):
        change(a_run(), settings={"hierarchyy": "nhmrc"})


def test_a_pipeline_put_together_by_hand_cannot_be_made_again():
    parent = RunRecord.of(Pipeline([EligibilityStage()]).rank(QUESTION, ARTICLES), now=NOW)
    with pytest.raises(ConfigurationError, match="put together by hand"):
        change(parent, exclude=("1",))


def test_a_name_that_means_two_records_is_refused_with_both_keys():
    twice = rank(QUESTION, [ARTICLES[0], ARTICLES[0]])
    assert resolve(twice, "pmid:1#2") == ("pmid:1#2",)
    assert resolve(twice, "pmid:1") == ("pmid:1",)
    with pytest.raises(InputError, match="pmid:1#2"):
        resolve(twice, "1")


def test_a_facet_that_nobody_wrote_cannot_be_taken_away():
    with pytest.raises(InputError, match="nobody wrote the outcome"):
        change(a_run(), pico={"outcome": None})
    with pytest.raises(InputError, match="nobody wrote the population"):
        change(a_run(), pico={"population": " - "})


def test_a_facet_that_a_person_does_not_want_compared_lets_everyone_in():
    child = change(a_run(), pico={"population": "any"})
    assert child.ranking.audit.overrides[-1].change.startswith("population: any")
    measured = [d.measurements for d in child.ranking.audit.decisions if d.stage == "extrapolation"]
    assert measured
    assert not any("question_population" in each for each in measured)
    # Mice stay mice: a question of medicine is about people unless it says otherwise.
    assert [each["population_words"] for each in measured if "population" in each] == ["mice"]
    assert "not compared" in render_html(child)


def test_a_facet_that_a_person_wrote_is_taken_back():
    first = change(a_run(), pico={"population": "children"})
    second = change(first, pico={"population": ""})
    assert second.ranking.audit.question.pico.population is None
    assert second.ranking.audit.overrides[-1].change == "population: as read from the question"
    assert [item.applicability for item in second.ranking] == [item.applicability for item in a_run().ranking]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"author": "a" * 201}, "the author has 201 characters"),
        ({"note": "n" * 5_001}, "the note has 5,001 characters"),
        ({"pico": {"population": "p" * 2_001}}, "the facet has 2,001 characters"),
        ({"author": "M\udcfcller"}, "the author is not valid Unicode"),
        ({"note": "gr\ud800"}, "the note is not valid Unicode"),
        ({"pico": {"population": "\udfff"}}, "the facet is not valid Unicode"),
        ({"exclude": ("\udcff",)}, "is not among"),
    ],
    ids=lambda value: str(value)[:30].encode("ascii", "replace").decode(),
)
def test_what_cannot_be_kept_or_read_is_refused(changes, told):
    given = {"author": "A", "note": "b", "exclude": ("1",)} | changes
    with pytest.raises(InputError, match=told):
        rerun(a_run(), Changes(**given))


def test_a_setting_of_another_version_is_told_to_be_the_runs_own():
    parent = a_run()
    signature = parent.ranking.audit.signature.model_copy(update={"configuration": {"old_setting": 3}})
    audit = parent.ranking.audit.model_copy(update={"signature": signature})
    old = parent.model_copy(update={"ranking": parent.ranking.model_copy(update={"audit": audit})})
    with pytest.raises(
        ConfigurationError, match=r"this version does not take.*old_setting.*rank the articles anew"
    ):
        change(old, exclude=("1",))


def test_many_names_are_found_in_one_pass_and_each_once():
    articles = [make_article(str(n), f"Tablets {n}", "Tablets.", doi=f"10.1/{n}") for n in range(1, 400)]
    ranking = a_run(articles=articles, answered=False).ranking
    names = [f"pmid:{n}" for n in range(1, 400)] + [f"10.1/{n}" for n in range(1, 400)] + ["1", "PMID:1"]
    assert sorted(resolve(ranking, *names)) == sorted(item.key for item in ranking)


def test_reruns_at_the_same_moment_are_two_runs(tmp_path):
    parent = a_run()
    made = []
    threads = [
        threading.Thread(target=lambda n=n: made.append(change(parent, exclude=(str(n % 3 + 1),))))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in made:
        keep_run(run, tmp_path / f"{run.id}.json")
    assert len({run.id for run in made}) == 3
    assert verify(tmp_path).faults == ()
    assert all(run.parent == made[0].parent for run in made)
