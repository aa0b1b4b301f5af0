"""Sentences that name the treatment, the outcome and a change, and are no result of the treatment."""

from __future__ import annotations

import pytest
from builders import make_article

from metarag import rank
from metarag.agreement import agreements
from metarag.generation.extractive import ExtractiveGenerator
from metarag.records import PartialDate
from metarag.results import Result
from metarag.types import Question

PAIN = "Does ibuprofen reduce pain in adults with migraine?"


def results(sentence, question=PAIN, title="Ibuprofen in adults with migraine: a randomised trial"):
    article = make_article(
        pmid="1",
        title=title,
        abstract=f"We randomly assigned 500 adults with migraine to ibuprofen or placebo. {sentence}",
        types=("Randomized Controlled Trial",),
    )
    asked = Question(text=question)
    return [found.result for each in agreements(asked, rank(asked, [article])) for found in each.results]


@pytest.mark.parametrize(
    "sentence",
    [
        # Methods.
        "Comparisons used the same definition of pain and always compared ibuprofen with placebo.",
        "Patients treated one attack while pain was not more than mild with ibuprofen or matching placebo.",
        "Reduced pain with ibuprofen was defined as one point less on the scale.",
        "Pain was assessed after less than two hours in both groups.",
        # Aims, what was known, who took part.
        "To examine who has less pain with ibuprofen than with placebo.",
        "Ibuprofen has been shown to reduce pain compared with placebo.",
        "At baseline pain was lower in the ibuprofen group than in the placebo group.",
        "There were no significant differences in demographic data or pain between the two groups.",
        # Other things than the treatment.
        "The CC genotype was associated with less pain on ibuprofen.",
        "The fall in inflammation correlated with lower pain in the ibuprofen group.",
        "The interaction of smoking and ibuprofen on pain was not significant.",
        "Migraine is associated with increased pain at night.",
        "More patients chose ibuprofen because of less pain and a lower price.",
        "The incremental cost of each hour with less pain was lower with ibuprofen.",
        # One dose, drug or time against another.
        "Pain was lower with 400 mg of ibuprofen than with lower doses.",
        "Pain with ibuprofen was similar to that reported in earlier trials.",
        "Ibuprofen and aspirin were equally effective for pain.",
        "Pain was lower with ibuprofen than with aspirin.",
        "Patients given aspirin reported more pain than those given ibuprofen or placebo.",
        "Exampril was superior to placebo in reducing pain.",
        # Something else became more or less.
        "Resolution of the pain was more frequent with ibuprofen than with placebo.",
        "Patients with severe baseline pain used less rescue medication with ibuprofen than with placebo.",
        "Patients were more satisfied with pain relief in the ibuprofen group than in the placebo group.",
        "More people got well (no longer had pain) with ibuprofen than with placebo.",
        "Pain was mild, and there were no significant effects on blood pressure with ibuprofen.",
        "Mean pain fell from 7.6 in the first group to 5.2 in the second.",
        "The ratio for pain declined from 2.7 during the trial to 1.4 during the follow-up with ibuprofen.",
        "Pain was lower after subcutaneous ibuprofen than after the oral form.",
        "Percentage of patients with relief of fever and pain.",
        "Both groups experienced a significant decrease in pain.",
        "Receptor expression was not associated with differences in pain on ibuprofen.",
        # Negations and contraries.
        "Inadequate pain relief was less common with ibuprofen than with placebo.",
        "Time to pain was longer with ibuprofen than with placebo.",
        "The need for pain relief was lower with ibuprofen than with placebo.",
        "More patients given ibuprofen than given placebo were without pain.",
        "Ibuprofen reduced fever without increasing pain.",
        "Ibuprofen did not worsen pain.",
        "Ibuprofen no longer increased pain.",
        "Instead of reducing pain, ibuprofen increased it.",
        "Low ibuprofen levels were associated with more pain.",
        "Not taking ibuprofen was associated with more pain.",
        "Pain was less frequent in the no-ibuprofen group.",
        "Pain decreased less with ibuprofen than with placebo.",
        "Worsening of pain was less frequent with ibuprofen than with placebo.",
        "In contrast to earlier trials in which ibuprofen reduced pain, we found more of it.",
        "It is widely believed that ibuprofen reduces pain.",
        "In a subgroup ibuprofen reduced pain.",
        "The pain threshold was higher with ibuprofen than with placebo.",
        # A change and the outcome in one clause, and neither is said of the other.
        "Pain scores reflected no or mild impairment in more patients given ibuprofen than given placebo.",
        "Side effects of pain relief led to fewer courses with ibuprofen than with placebo.",
        "Ibuprofen had a lower price, shorter stay and pain.",
        "A good outcome (no worsening, and no pain) was reported by more patients given ibuprofen than placebo.",
        "Patients with decreased strength, and a high risk of pain, took ibuprofen.",
        "Among those who had pain, there were no differences in fever with ibuprofen.",
        "It may help patients who have longer lasting pain to take ibuprofen rather than placebo.",
        "There was no difference in pain between men and women given ibuprofen.",
        "Ibuprofen led to a greater number of pain diaries than placebo.",
        "Ibuprofen alone reduced pain.".replace("Ibuprofen", "Diet"),
    ],
)
def test_a_sentence_that_is_no_result_of_the_treatment_is_not_counted(sentence):
    assert results(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        ("Pain was lower with ibuprofen than with placebo.", Result.BENEFIT),
        ("Pain was higher with placebo than with ibuprofen.", Result.BENEFIT),
        ("Ibuprofen reduced pain at the cost of more bleeding.", Result.BENEFIT),
        ("Ibuprofen helped to decrease fever and improve pain.", Result.BENEFIT),
        ("Patients given ibuprofen improved more in terms of pain than those given placebo.", Result.BENEFIT),
        ("Ibuprofen was more effective than placebo at relieving pain.", Result.BENEFIT),
        ("Pain was similar in both groups.", Result.NO_DIFFERENCE),
        ("Pain with ibuprofen was comparable with placebo.", Result.NO_DIFFERENCE),
        ("Pain did not differ between the groups.", Result.NO_DIFFERENCE),
        ("Ibuprofen failed to reduce pain.", Result.NO_DIFFERENCE),
        ("Ibuprofen was no better than placebo at preventing pain.", Result.NO_DIFFERENCE),
        ("Pain was no more frequent with ibuprofen than with placebo.", Result.NO_DIFFERENCE),
        ("Ibuprofen increased pain compared with placebo.", Result.HARM),
        ("More fevers and less pain occurred with ibuprofen than with placebo.", Result.BENEFIT),
        (
            "Pain was less frequent with ibuprofen, with or without caffeine, than with placebo.",
            Result.BENEFIT,
        ),
        ("Ibuprofen reduced fever, nausea and pain compared with placebo.", Result.BENEFIT),
        (
            "Significant reductions (P < 0.01) in fever, nausea and pain were seen with ibuprofen.",
            Result.BENEFIT,
        ),
        ("Fewer patients given ibuprofen than given placebo reported pain.", Result.BENEFIT),
        ("More patients (40% vs. 20%; p = 0.01) given ibuprofen than placebo had severe pain.", Result.HARM),
        ("Pain scores in the ibuprofen group decreased compared with placebo.", Result.BENEFIT),
        (
            "Less nausea (2% v 8%; p = 0.01) and pain (2.2% v 3.6%; p = 0.40) occurred on ibuprofen than placebo.",
            Result.NO_DIFFERENCE,
        ),
        (
            "Pain was seen in 82 of 250 and 88 of 250 patients, not a significant difference.",
            Result.NO_DIFFERENCE,
        ),
        ("There were no differences between groups in fever, nausea, sleep and pain.", Result.NO_DIFFERENCE),
        ("We were unable to detect an increase in pain with ibuprofen.", Result.NO_DIFFERENCE),
    ],
)
def test_a_result_against_the_control_is_counted(sentence, result):
    assert results(sentence) == [result]


def test_the_change_beside_a_short_name_is_its_own():
    asked = "Does exercise improve quality of life in frail older people?"
    article = make_article(
        pmid="1",
        title="Exercise in frail older people: a randomised trial",
        abstract="Exercise helped to decrease frailty and improve QOL in frail older people.",
        types=("Randomized Controlled Trial",),
    )
    question = Question(text=asked)
    found = [f.result for each in agreements(question, rank(question, [article])) for f in each.results]
    assert found == [Result.BENEFIT]


def test_a_study_whose_title_and_sentence_name_another_strategy_tells_nothing_of_the_treatment():
    title = "Stratified or stepped care in adults with migraine: a randomised trial"
    assert results("Pain was higher in the stratified group than in the stepped group.", title=title) == []


def test_a_review_read_from_words_does_not_decide_against_most_of_three_trials():
    def record(pmid, kind, sentence, year):
        return make_article(
            pmid=pmid,
            title=f"Ibuprofen in adults with migraine: a {kind}",
            abstract=f"{1000 + int(pmid)} adults with migraine were included. {sentence}",
            types=("Systematic Review",) if kind == "review" else ("Randomized Controlled Trial",),
            print_date=PartialDate(year=year),
        )

    less = "Pain was significantly lower with ibuprofen than with placebo."
    review = record("9", "systematic review of randomised trials", "Ibuprofen did not reduce pain.", 2020)
    question = Question(text=PAIN)
    for trials, better in ((2, True), (3, False)):
        articles = [
            review,
            *(record(str(n), "randomised trial", less, 2000 + n) for n in range(1, trials + 1)),
        ]
        text = ExtractiveGenerator().generate(question, rank(question, articles)).text
        assert ("the better evidence shows no benefit" in text) is better
        assert ("not clear which side" in text) is not better
