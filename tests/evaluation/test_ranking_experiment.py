"""Reviews that were screened by people: read with every fault told, ranked, and measured as worked out by hand."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.errors import ConfigurationError, InputError
from metarag.evaluation.rankers import RANKERS, bm25, candidates_of, ranker
from metarag.evaluation.ranking_experiment import RankingExperiment, bootstrap, document_ids, measures
from metarag.evaluation.ranking_measures import average_precision, work_saved
from metarag.evaluation.ranking_report import ranking_csv, ranking_json, ranking_markdown
from metarag.evaluation.screened import read_reviews

QUESTION = {
    "question": "Does imaginol help adults with fever?",
    "population": "adults with fever",
    "intervention": "imaginol",
}
ROWS = (
    ("90000001", "Imaginol for fever in adults: a randomised controlled trial", "Adults were randomised.", 1),
    ("90000002", "Imaginol in mice with fever", "Mice were given imaginol.", 0),
    ("90000003", "Fabulin for cough", "A randomised trial of fabulin in children.", 0),
    ("90000004", "Imaginol and fever: a cohort study of adults", "We followed adults with fever.", 1),
    ("90000005", "A history of thermometers", "", 0),
    ("90000006", "Imaginol, imaginol, imaginol and fever", "A letter.", 0),
)


def write_csv(folder, name="fever", rows=ROWS, columns=("pubmedID", "title", "abstract", "label_included")):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8", newline="") as file:
        file.write(text.getvalue())


def write_questions(folder, questions=None):
    (folder / "questions.json").write_text(json.dumps(questions or {"fever": QUESTION}), encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    write_questions(tmp_path)
    write_csv(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reviews")
    write_questions(folder, {"fever": QUESTION, "again": {"question": QUESTION["question"]}})
    write_csv(folder)
    lines = [
        json.dumps({"pmid": pmid, "title": title, "abstract": abstract, "included": bool(label)})
        for pmid, title, abstract, label in ROWS
    ]
    (folder / "again.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return RankingExperiment(read_reviews(folder), RANKERS)


def test_both_forms_of_file_give_the_same_records(experiment):
    one, other = experiment.reviews
    assert one.articles == other.articles
    assert one.included.tolist() == other.included.tolist() == [True, False, False, True, False, False]
    assert one.question.pico.intervention == "imaginol"
    assert other.question.pico is None
    assert one.query == "Does imaginol help adults with fever? adults with fever imaginol"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rows": [(*ROWS[0][:3], 1)]}, "every record is included"),
        ({"rows": [(*row[:3], 0) for row in ROWS]}, "no record is included"),
        ({"rows": [*ROWS[:1], (*ROWS[1][:3], "perhaps")]}, r"line 3: included is 'perhaps'"),
        ({"rows": [("no number", *ROWS[0][1:])]}, "line 2: "),
        ({"columns": ("pmid", "title", "abstract", "verdict")}, "title and included are needed"),
        ({"columns": ("pmid", "pubmedID", "title", "included")}, "pmid and pubmedID both say the PMID"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_of_a_file_is_told_with_its_place(tmp_path, change, told):
    write_questions(tmp_path)
    write_csv(tmp_path, **change)
    with pytest.raises(InputError, match=told):
        read_reviews(tmp_path)


@pytest.mark.parametrize(
    ("questions", "told"),
    [
        ({"fever": {}}, "an object with a question is needed"),
        ({"fever": {**QUESTION, "drug": "imaginol"}}, "unknown field drug"),
        ({"absent": QUESTION}, r"no absent\.csv or absent\.jsonl"),
        ({"fever": {"question": ""}}, "fever"),
    ],
    ids=str,
)
def test_a_fault_of_a_question_is_told_by_name(folder, questions, told):
    write_questions(folder, questions)
    with pytest.raises(InputError, match=told):
        read_reviews(folder)


def test_a_line_that_is_no_record_is_told(tmp_path):
    write_questions(tmp_path)
    for line, told in (("{", "line 1: it is no JSON"), ('{"title": "x"}', "included is missing")):
        (tmp_path / "fever.jsonl").write_text(line, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            read_reviews(tmp_path)


def test_bm25_by_hand(experiment):
    scores = bm25(experiment.reviews[1])
    # "A history of thermometers" holds no word of "Does imaginol help adults with fever?".
    assert scores[4] == 0
    documents = [f"{title} {abstract}".lower() for _, title, abstract, _ in ROWS]
    lengths = [len("".join(c if c.isalnum() else " " for c in text).split()) for text in documents]
    mean = sum(lengths) / 6
    # "imaginol" (three times) in 4 of 6 records and "fever" in 4 of 6.
    idf = math.log(1 + (6 - 4 + 0.5) / (4 + 0.5))
    norm = 1.2 * (0.25 + 0.75 * lengths[5] / mean)
    assert scores[5] == pytest.approx(idf * (3 * 2.2 / (3 + norm) + 2.2 / (1 + norm)))


def test_every_ranker_orders_every_record_and_trials_can_come_first(experiment):
    for name, scores in experiment.scores.items():
        assert all(len(each) == len(ROWS) for each in scores), name
        assert len(set(scores[0])) == len(ROWS) or name in ("bm25", "trials_first")
    best = {name: int(np.argmax(scores[0])) for name, scores in experiment.scores.items()}
    assert best["recommended"] == 0
    trials = [int(place) for place in np.argsort(-experiment.scores["trials_first"][0])[:2]]
    assert set(trials) == {0, 2}


def test_measures_are_those_of_the_lists(experiment):
    review = experiment.reviews[0]
    # Included are the first and the fourth record; put them at ranks 2 and 3.
    scores = np.array([5.0, 6.0, 1.0, 4.0, 2.0, 3.0])
    found = measures(review, scores)
    assert found["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found["recall@50"] == 1
    # All included are found after 3 of 6 records: 1 - 3/6 - 0.05.
    assert found["WSS@95"] == pytest.approx(0.45)
    ideal = 1 + 1 / math.log2(3)
    assert found["nDCG@20"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(4)) / ideal)


def test_ties_keep_the_order_of_the_file(experiment):
    found = measures(experiment.reviews[0], np.zeros(6))
    assert found["AP"] == pytest.approx((1 + 2 / 4) / 2)


@given(st.permutations(range(20)), st.integers(1, 19))
def test_work_saved_is_what_need_not_be_read(order, relevant):
    ranked = [str(n) for n in order]
    judged = {str(n): int(n < relevant) for n in range(20)}
    needed = math.ceil(0.95 * relevant - 1e-9)
    read = next(n for n in range(1, 21) if sum(judged[d] for d in ranked[:n]) == needed)
    assert work_saved(ranked, judged) == pytest.approx(1 - read / 20 - 0.05)
    assert work_saved(ranked, judged, at_recall=1) <= work_saved(ranked, judged) + 0.05 + 1e-12


def test_work_saved_needs_all_relevant_documents_in_the_ranking():
    assert work_saved(["a"], {"a": 1, "b": 1}) is None
    assert work_saved(["a"], {"a": 0}) is None
    with pytest.raises(ValueError, match="at_recall"):
        work_saved(["a"], {"a": 1}, at_recall=0)


def test_the_bootstrap_is_repeatable_paired_and_knows_no_difference_where_there_is_none(experiment):
    labels = [review.included for review in experiment.reviews]
    scores = experiment.scores

    def interval(name, base, seed=5):
        rng = np.random.default_rng(seed)
        return bootstrap(scores[name], scores[base], labels, rng=rng, resamples=60)

    assert interval("recommended", "bm25") == interval("recommended", "bm25")
    assert interval("recommended", "bm25") != interval("recommended", "bm25", seed=6)
    same = interval("bm25", "bm25")
    assert (same.low, same.high) == (0, 0)
    there, back = interval("relevance", "bm25"), interval("bm25", "relevance")
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_report_has_means_by_review_and_differences_to_the_baseline(experiment):
    report = experiment.report("bm25", source="abc", resamples=20)
    by_name = {each.name: each for each in report.results}
    assert by_name["bm25"].difference is by_name["bm25"].interval is None
    best = by_name["recommended"]
    assert best.means["AP"] == pytest.approx(np.mean([v["AP"] for v in best.by_review.values()]))
    assert best.difference == pytest.approx(best.means["AP"] - by_name["bm25"].means["AP"])
    text = ranking_markdown(report)
    assert "- fever: 6 records, 2 included" in text
    assert f"| recommended | {best.means['AP']:.3f} |" in text
    assert "data:abc|rankers:bm25+trials_first" in text
    assert text == ranking_markdown(experiment.report("bm25", source="abc", resamples=20))
    rows = list(csv.DictReader(io.StringIO(ranking_csv(report))))
    assert len(rows) == len(RANKERS) * 3
    assert json.loads(ranking_json(report))["baseline"] == "bm25"
    without = experiment.report("bm25", resamples=0).results[-1]
    assert (without.interval, without.difference) == (None, best.difference)
    with pytest.raises(InputError, match="none of the rankers"):
        experiment.report("nonsense")


def test_trec_files_hold_the_same_order_and_labels(experiment):
    run = [line.split() for line in experiment.run("recommended").splitlines()]
    judged = {}
    for review, _, document, grade in (line.split() for line in experiment.qrels().splitlines()):
        judged.setdefault(review, {})[document] = int(grade)
    report = experiment.report("bm25", resamples=0)
    by_name = {each.name: each for each in report.results}
    for review in experiment.reviews:
        ranked = [row[2] for row in run if row[0] == review.name]
        expected = by_name["recommended"].by_review[review.name]["AP"]
        assert average_precision(ranked, judged[review.name]) == pytest.approx(expected)


def test_records_without_a_pmid_of_their_own_get_a_place(tmp_path):
    write_questions(tmp_path)
    write_csv(tmp_path, rows=[("", *ROWS[0][1:]), *ROWS[1:]])
    (review,) = read_reviews(tmp_path)
    assert document_ids(review)[:2] == ["fever-1", "fever-2"]


def test_a_ranker_that_there_is_not_is_told_and_ones_own_settings_are_one(tmp_path, folder):
    for name in ("nonsense", "recommended-nonsense"):
        with pytest.raises(ConfigurationError, match="nonsense"):
            ranker(name)
    path = tmp_path / "mine.toml"
    path.write_text('without = ["reliability"]\n', encoding="utf-8")
    (review,) = read_reviews(folder)
    candidates = candidates_of(review)
    mine = ranker(f"mine={path}")(review, candidates)
    assert mine.tolist() == ranker("recommended-reliability")(review, candidates).tolist()
