"""An effect whose words and sign disagree joins no pool; one whose words are silent or fit does."""

import pytest
from builders import make_article, make_evidence

from metarag.pooling import candidates_from, group_effects

FITS = "0.70, 95% CI 0.55 to 0.89"
TURNED = "1.43, 95% CI 1.12 to 1.82"


def grouped(
    *texts, title="Zinc tablets against placebo for adults with fever", kind="Randomized Controlled Trial"
):
    return group_effects(
        candidates_from(
            make_evidence(make_article(str(n), title, text, types=(kind,))) for n, text in enumerate(texts, 1)
        )
    )


@pytest.mark.parametrize(
    "words",
    [
        "Placebo was associated with a higher risk of death compared with zinc",
        "Placebo increased death compared with zinc",
        "Patients given placebo had more deaths",
        "Controls had a higher mortality",
        "The risk of death was higher with placebo",
        "Mortality was higher in the placebo group",
        "Death was rarer with zinc",
        "Zinc lowered mortality compared with placebo",
    ],
)
def test_a_number_whose_sign_is_not_that_of_its_words_is_not_pooled(words):
    found = grouped(f"{words} (odds ratio {TURNED}).")
    assert found.pools == ()
    assert found.not_pooled[0].criterion == "pooling.sign_unclear"
    # The same words with the number that fits them are pooled.
    assert [pool.k for pool in grouped(f"{words} (odds ratio {FITS}).").pools] == [1]


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("Survival was better with zinc than with placebo", True),
        ("Zinc improved overall survival compared with placebo", True),
        ("Zinc prolonged survival versus placebo", True),
        ("More patients survived longer with zinc than with placebo", True),
        ("Survival was shorter with zinc than with placebo", False),
        ("Zinc reduced survival compared with placebo", False),
        ("Survival was worse in the placebo group", True),
    ],
)
def test_a_hazard_that_says_the_contrary_of_what_is_said_of_survival_is_not_pooled(words, fits):
    right, wrong = (FITS, TURNED) if fits else (TURNED, FITS)
    assert [pool.k for pool in grouped(f"{words} (hazard ratio {right}).").pools] == [1]
    found = grouped(f"{words} (hazard ratio {wrong}).")
    assert found.pools == ()
    assert found.not_pooled[0].criterion == "pooling.sign_unclear"


@pytest.mark.parametrize("ratio", [FITS, TURNED])
def test_what_is_not_said_plainly_of_survival_leaves_the_hazard_alone(ratio):
    for words in (
        "Survival with zinc was compared with placebo",
        "Zinc did not improve survival compared with placebo",
        "Overall survival, zinc against placebo",
    ):
        assert [pool.k for pool in grouped(f"{words} (hazard ratio {ratio}).").pools] == [1]


def test_control_against_treatment_is_not_pooled_and_says_so():
    found = grouped(f"There were more deaths with placebo than with zinc (odds ratio {TURNED}).")
    assert found.pools == ()
    assert found.not_pooled[0].criterion == "pooling.control_first"


@pytest.mark.parametrize(
    "sentence",
    [
        f"Death was rarer with zinc than with placebo (odds ratio {FITS}).",
        f"Death was more frequent with zinc than with placebo (odds ratio {TURNED}).",
        f"Zinc did not reduce mortality compared with placebo (odds ratio {TURNED}).",
        f"Compared with placebo, zinc increased mortality (odds ratio {TURNED}).",
        f"Death was compared between zinc and placebo (odds ratio {TURNED}).",
        f"Doses were reduced in some; death with zinc against placebo: odds ratio {TURNED}.",
        f"Zinc against placebo in lower respiratory infection: odds ratio for death {TURNED}.",
    ],
)
def test_words_that_fit_deny_or_are_silent_keep_an_effect(sentence):
    assert [pool.k for pool in grouped(sentence).pools] == [1]


def test_a_reduction_printed_without_its_sign_makes_no_conflict():
    found = grouped(
        "Systolic blood pressure was lower with zinc than with placebo (mean difference -5.0 mmHg, 95% CI -8.0 to -2.0).",
        "Systolic blood pressure was lower with zinc than with placebo (mean difference 5.0 mmHg, 95% CI 2.0 to 8.0).",
    )
    assert [pool.k for pool in found.pools] == [1]
    assert found.not_pooled[0].candidate.key == "pmid:2"


def test_only_the_clause_of_the_effect_counts():
    text = f"Pain was reduced with zinc, but death was more frequent than with placebo (odds ratio {TURNED})."
    assert all(item.criterion != "pooling.sign_unclear" for item in grouped(text).not_pooled)


def test_longer_survival_may_have_a_smaller_hazard():
    text = f"Survival was higher with zinc than with placebo (hazard ratio for death {FITS})."
    assert all(item.criterion != "pooling.sign_unclear" for item in grouped(text).not_pooled)


def test_in_a_cohort_the_words_may_be_of_the_exposure():
    text = f"Higher zinc intake was associated with death (odds ratio {FITS}) against no treatment."
    found = grouped(text, kind="Cohort Studies", title="Zinc and death: a cohort study")
    assert all(item.criterion != "pooling.sign_unclear" for item in found.not_pooled)
