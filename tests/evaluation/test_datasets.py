"""Files of questions: every format, what is reported with its line, and that one bad row loses no other."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.errors import InputError
from metarag.evaluation.datasets import (
    invented_questions,
    read_dataset,
    read_medmcqa,
    read_mirage,
    read_mmlu,
    read_questions,
)
from metarag.evaluation.items import Item
from metarag.retrieval.demo import demo_questions

MEDQA = {
    "question": "Which tablet?",
    "answer": "Imaginol",
    "options": {"A": "Placebol", "B": "Imaginol", "C": "Nihilol", "D": "Vacuol"},
    "answer_idx": "B",
    "meta_info": "step1",
}
MEDMCQA = {
    "question": "Which tablet?",
    "cop": 4,
    "opa": "Placebol",
    "opb": "Nihilol",
    "opc": "Vacuol",
    "opd": "Imaginol",
    "subject_name": "Pharmacology",
    "id": "x-1",
    "choice_type": "single",
    "exp": None,
    "topic_name": None,
}
PUBMEDQA = {
    "123": {"QUESTION": "Do tablets help?", "CONTEXTS": ["a"], "final_decision": "maybe"},
    "456": {"QUESTION": "Do tablets harm?", "CONTEXTS": ["b"], "final_decision": "no"},
}
MIRAGE = {
    "medqa": {
        "0000": {"question": "Which one?", "options": {"A": "Imaginol", "B": "Placebol"}, "answer": "A"}
    },
    "pubmedqa": {
        "789": {
            "question": "Do they help?",
            "options": {"A": "yes", "B": "no"},
            "answer": "B",
            "PMID": [789, "55"],
        }
    },
}


def written(tmp_path, content, name="file.jsonl"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def lines(*rows):
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def own(**fields):
    return {
        "question": "Which tablet?",
        "options": {"A": "Imaginol", "B": "Placebol"},
        "answer": "A",
        **fields,
    }


FILES = {
    "medqa": ("q.jsonl", lines(MEDQA)),
    "medmcqa": ("q.jsonl", lines(MEDMCQA)),
    "pubmedqa": ("q.json", json.dumps(PUBMEDQA, indent=1)),
    "mirage": ("benchmark.json", json.dumps(MIRAGE, indent=1)),
    "mmlu": ("anatomy_test.csv", "Which?,a,b,c,d,B\n"),
    "jsonl": ("q.jsonl", lines(own())),
}


@pytest.mark.parametrize("kind", FILES)
def test_the_format_is_told_by_the_content_zipped_or_not(kind, tmp_path):
    name, content = FILES[kind]
    plain = read_dataset(written(tmp_path, content, name))
    zipped = read_dataset(written(tmp_path, gzip.compress(content.encode()), f"{name}.gz"))
    marked = read_dataset(written(tmp_path, b"\xef\xbb\xbf" + content.encode(), name))
    assert plain.items == zipped.items == marked.items
    assert plain.sha256 == zipped.sha256
    assert plain == read_dataset(written(tmp_path, content, name), kind)


def test_medqa_has_its_letters(tmp_path):
    (item,) = read_dataset(written(tmp_path, lines(MEDQA)))
    assert (item.gold, item.gold_text, item.dataset) == ("B", "Imaginol", "medqa")


def test_medqa_with_five_options_and_with_options_as_a_list(tmp_path):
    five = {**MEDQA, "options": {**MEDQA["options"], "E": "Fictol"}, "question": "Of five?"}
    listed = {**MEDQA, "options": [{"key": k, "value": v} for k, v in MEDQA["options"].items()]}
    items = read_dataset(written(tmp_path, lines(five, listed))).items
    assert [len(item.options) for item in items] == [5, 4]


def test_medqa_whose_answer_is_another_text_than_its_letter_is_reported(tmp_path):
    data = read_dataset(written(tmp_path, lines(MEDQA, {**MEDQA, "question": "Odd?", "answer": "Vacuol"})))
    (problem,) = data.problems
    assert (problem.line, problem.kind, problem.left_out) == (2, "invalid", True)
    assert "another text" in problem.message


@pytest.mark.parametrize(("cop", "gold"), [(1, "A"), (4, "D"), ("2", "B")])
def test_medmcqa_counts_from_one(cop, gold, tmp_path):
    (item,) = read_dataset(written(tmp_path, lines({**MEDMCQA, "cop": cop})))
    assert (item.gold, item.id, item.subset) == (gold, "x-1", "Pharmacology")


def test_medmcqa_that_counts_from_zero_is_found_out_and_can_be_read_so(tmp_path):
    path = written(tmp_path, lines({**MEDMCQA, "cop": 0}, {**MEDMCQA, "cop": 3, "id": "x-2"}))
    (problem,) = read_dataset(path).problems
    assert problem.line == 1
    assert "first=0" in problem.message
    assert [item.gold for item in read_medmcqa(path, first=0)] == ["A", "D"]


def test_mmlu_keeps_none_and_na_as_text_and_cells_with_line_breaks(tmp_path):
    content = 'Which?,None,NA,nan,,A\n"Two\nlines?",null,None of these,"x, y",N/A,D\nThree?,1,2,3,4,C\n'
    data = read_dataset(written(tmp_path, content, "medical_genetics_test.csv"))
    two, three = data.items
    assert two.options == {"A": "null", "B": "None of these", "C": "x, y", "D": "N/A"}
    assert (two.subset, two.id, three.id) == ("medical_genetics", "medical_genetics-2", "medical_genetics-3")
    (problem,) = data.problems
    assert (problem.line, problem.kind) == (1, "invalid")
    assert "option D is empty" in problem.message
    full = read_dataset(written(tmp_path, "Which?,None,NA,nan,N/A,A\n", "x.csv")).items[0]
    assert list(full.options.values()) == ["None", "NA", "nan", "N/A"]


def test_mmlu_row_with_missing_cells_is_reported_with_its_line(tmp_path):
    data = read_dataset(written(tmp_path, 'A?,1,2,3,4,A\n"B\nb?",1,2,3,B\n', "x.csv"))
    (problem,) = data.problems
    assert (problem.line, len(data)) == (3, 1)
    assert "5 cells instead of 6" in problem.message


def test_a_folder_of_mmlu_is_one_data_set_with_its_subjects(tmp_path):
    for subject in ("anatomy", "virology"):
        written(tmp_path, f"Which {subject}?,a,b,c,d,A\n", f"{subject}_test.csv")
    data = read_dataset(tmp_path)
    assert [item.id for item in data] == ["anatomy-1", "virology-1"]
    before = data.sha256
    written(tmp_path, "Which virology?,a,b,c,d,B\n", "virology_test.csv")
    assert read_mmlu(tmp_path).sha256 != before


def test_a_header_of_mmlu_is_no_question(tmp_path):
    data = read_dataset(written(tmp_path, "question,A,B,C,D,answer\nWhich?,a,b,c,d,A\n", "x.csv"))
    assert len(data) == 1
    assert not data.problems


def test_pubmedqa_has_yes_no_maybe_and_names_its_source(tmp_path):
    first, second = read_dataset(written(tmp_path, json.dumps(PUBMEDQA), "q.json"))
    assert first.options == {"A": "yes", "B": "no", "C": "maybe"}
    assert (first.gold, first.source_pmids) == ("C", ("123",))
    assert (second.gold, second.source_pmids) == ("B", ("456",))


def test_pubmedqa_without_a_decision_is_reported_with_its_line_and_pmid(tmp_path):
    content = json.dumps({**PUBMEDQA, "777": {"QUESTION": "Unlabelled?"}}, indent=1)
    (problem,) = read_dataset(written(tmp_path, content, "q.json")).problems
    assert problem.item == "777"
    assert content.split("\n")[problem.line - 1].strip().startswith('"777"')


def test_mirage_keeps_its_sets_apart_and_its_sources(tmp_path):
    path = written(tmp_path, json.dumps(MIRAGE), "benchmark.json")
    medqa, pubmedqa = read_dataset(path)
    assert (medqa.id, medqa.subset, medqa.source_pmids) == ("medqa/0000", "medqa", ())
    assert pubmedqa.source_pmids == ("789", "55")
    assert [item.id for item in read_mirage(path, subsets=["pubmedqa"])] == ["pubmedqa/789"]
    with pytest.raises(InputError, match="no subset bioask; it has medqa, pubmedqa"):
        read_mirage(path, subsets=["bioask"])


def test_mirage_rows_are_found_by_line_where_sets_share_their_ids(tmp_path):
    bad = {"question": "Which?", "options": {"A": "x", "B": "y"}, "answer": "Z"}
    content = json.dumps({"medqa": {"0000": MIRAGE["medqa"]["0000"]}, "mmlu": {"0000": bad}}, indent=1)
    (problem,) = read_dataset(written(tmp_path, content, "b.json")).problems
    assert "Z" in problem.message
    assert problem.line > content[: content.index('"mmlu"')].count("\n")


def test_own_questions_take_lists_answers_by_text_and_sources(tmp_path):
    rows = (
        own(options=["Imaginol", "Placebol"], answer="Placebol", source_pmids=[12, "13"], subset="mine"),
        own(id="named", question="Another?", options={"P": "x", "Q": "y"}, answer="Q"),
    )
    first, second = read_questions(written(tmp_path, lines(*rows), "mine.jsonl"))
    assert (first.id, first.gold, first.source_pmids, first.subset) == ("mine-1", "B", ("12", "13"), "mine")
    assert (second.id, second.gold) == ("named", "Q")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("{broken", "no JSON"),
        ("[1]", "no JSON object"),
        (own(answer="C"), "no label, and the text of 0 options"),
        (own(options={"A": "x", "B": "x"}, answer="x"), "the text of 2 options"),
        (own(options={"A": "x"}), "1 options; at least two"),
        (own(options={"A": "x", "B": " "}), "option B is empty"),
        (own(options={"A": 1, "B": "y"}), "option A is no text"),
        (own(options="A, B"), "mapping"),
        (own(question=None), "question is missing"),
        (own(question="?!"), "no word"),
        (own(question="x" * 20_001), "at most 20000"),
        (own(explanation="x"), "unknown field explanation"),
        (own(source_pmids="1"), "must be a list"),
        (own(options=[str(n) for n in range(27)]), "more than 26"),
    ],
)
def test_a_row_that_is_no_question_is_reported_with_its_line_and_the_others_stand(row, says, tmp_path):
    path = written(tmp_path, lines(own(), row, own(question="Last?")))
    data = read_questions(path)
    assert [item.question for item in data] == ["Which tablet?", "Last?"]
    (problem,) = data.problems
    assert (problem.line, problem.kind, problem.left_out) == (2, "invalid", True)
    assert says in problem.message


def test_what_is_odd_about_a_question_is_reported_and_the_question_stays(tmp_path):
    rows = (
        own(options={"A": "Insulin", "B": "insulin ", "C": "Insulin glargine", "D": "< 5 mg", "E": "> 5 mg"}),
        own(id="other"),
        own(id="copy", question="which TABLET", options={"A": "Placebol", "B": "Imaginol"}, answer="B"),
        own(id="contra", answer="B"),
        own(id="copy", question="New?"),
    )
    data = read_questions(written(tmp_path, lines(*rows)))
    found = [(p.line, p.kind, p.left_out) for p in data.problems]
    assert found == [
        (1, "duplicate_options", False),
        (1, "contained_option", False),
        (1, "contained_option", False),
        (3, "repeated_question", False),
        (4, "contradicting_answers", False),
        (5, "duplicate_id", True),
    ]
    assert "one of them is the answer" in data.problems[0].message
    assert (len(data), data.clusters) == (4, 2)
    assert data.counts["contained_option"] == 2


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    row = json.dumps(own(question="One\u2028two?"), ensure_ascii=False)
    assert len(read_questions(written(tmp_path, f"{row}\n"))) == 1


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"", "q.jsonl", "no JSON"),
        (b'{"a": 1}', "q.json", "none of the formats"),
        (b"[1, 2]", "q.json", "no JSON object"),
        (b'{"question": "x"}\n', "q.jsonl", "no usable question: line 1"),
        ('{"question": "Müller"}'.encode("latin-1"), "q.jsonl", "line 1: it is not UTF-8"),
        (b"\x1f\x8bbroken", "q.jsonl", "cannot be read"),
        (b"[" * 100_000, "q.json", "no JSON"),
    ],
)
def test_a_file_without_questions_is_an_error_that_names_it(content, name, says, tmp_path):
    with pytest.raises(InputError, match=says) as raised:
        read_dataset(written(tmp_path, content, name))
    assert name in str(raised.value)


def test_a_missing_file_and_an_empty_folder_are_errors(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_dataset(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="no CSV file"):
        read_dataset(tmp_path)
    with pytest.raises(InputError, match="unknown format 'csv'"):
        read_dataset(tmp_path, "csv")


LETTERS = st.text(alphabet="abcdefg", min_size=1, max_size=5)


@given(st.lists(LETTERS, min_size=2, max_size=5, unique=True), st.randoms(use_true_random=False), LETTERS)
def test_copies_of_a_question_share_a_cluster_whatever_the_order_and_others_do_not(texts, random, other):
    def item(question, options):
        return Item(
            id="x",
            dataset="d",
            question=question,
            options=dict(zip("ABCDE", options, strict=False)),
            gold="A",
        )

    shuffled = random.sample(texts, len(texts))
    first = item("Which one is it?", texts)
    assert first.cluster == item("  which ONE is it", [text.upper() for text in shuffled]).cluster
    assert first.cluster != item(f"Which one is it {other}?", texts).cluster
    if other not in texts:
        assert first.cluster != item("Which one is it?", [other, *texts[1:]]).cluster


def test_the_invented_questions_are_twenty_without_a_fault():
    data = invented_questions()
    assert (len(data), data.clusters, data.problems) == (20, 20, ())
    subsets = [item.subset for item in data]
    assert (subsets.count("demo"), subsets.count("elsewhere")) == (12, 8)
    golds = [item.gold for item in data]
    assert max(golds.count(letter) for letter in "ABCDE") <= 6, "no letter may be worth guessing"
    assert not {item.question for item in data} & {question.text for question in demo_questions()}


def test_the_invented_questions_about_the_demo_corpus_find_their_articles():
    from metarag.retrieval.corpus import CorpusRetriever
    from metarag.retrieval.demo import open_demo_corpus

    needed = {
        "aspirin-older-adults": "30221597",
        "aspirin-pooled-effect": "19482214",
        "magnesium-mortality": "7661937",
        "hydroxychloroquine-mortality": "33031652",
        "hydroxychloroquine-status": "32706953",
        "dexamethasone-most-benefit": "32678530",
        "dexamethasone-no-benefit": "32678530",
        "beta-carotene-smokers": "8127329",
        "beta-carotene-retinol": "8602180",
        "hormone-therapy-coronary": "12117397",
        "glucose-intensive-care": "19318384",
        "beta-blocker-surgery": "18479744",
    }
    items = {item.id: item for item in invented_questions()}
    assert set(needed) == {item.id for item in items.values() if item.subset == "demo"}
    with open_demo_corpus() as corpus:
        retriever = CorpusRetriever(corpus)
        for id, pmid in needed.items():
            found = retriever.retrieve(items[id].as_question(), limit=15).articles
            assert pmid in [candidate.article.pmid for candidate in found], id
