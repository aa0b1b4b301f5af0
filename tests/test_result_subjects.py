"""Whose a result is: another factor's, that of lacking the treatment, or the treatment's own."""

from __future__ import annotations

import pytest
from result_sentences import B, H, counted

MORE, LESS = "(HR 1.60, 95% CI 1.20 to 2.10)", "(HR 0.60, 95% CI 0.45 to 0.80)"


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize(
    "sentence",
    [
        f"Smoking was associated with stroke {MORE}.",
        f"In the multivariable model smoking was associated with stroke {MORE}.",
        f"Independent predictors of stroke were age {MORE} and smoking {MORE}.",
        f"Stroke was associated with atrial fibrillation {MORE} and use of warfarin {LESS}.",
        f"After adjustment for aspirin use, smoking was associated with stroke {MORE}.",
        f"Atrial fibrillation was associated with stroke {MORE}, and aspirin was not.",
        f"Diabetes increased the risk of stroke {MORE}.",
        f"Carotid stenosis raised the risk of stroke {MORE}.",
        f"Female sex was associated with a lower risk of stroke {LESS}.",
        f"The risk of stroke was higher in smokers {MORE}.",
        f"Current smokers had a higher risk of stroke {MORE}.",
        f"Patients with atrial fibrillation had more strokes {MORE}.",
        f"Stroke was more frequent in patients admitted at weekends {MORE}.",
        f"Stroke was less frequent in private hospitals {LESS}.",
        f"Stroke was more frequent in men than in women {MORE}.",
        f"Per 10 years of age, the hazard ratio for stroke was 1.5 {MORE}.",
        f"Each 10 mm Hg rise in blood pressure raised the risk of stroke {MORE}.",
        "Smoking increased the risk of stroke.",
        "Carotid stenosis raised the risk of stroke.",
        "Poor adherence was associated with more strokes.",
        "Stroke was less frequent in women than in men.",
        "Neither smoking nor diabetes increased stroke.",
    ],
)
def test_what_another_factor_does_is_no_result_of_the_treatment(sentence, observed):
    assert counted(sentence, observed=observed) == []


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        (f"Aspirin use was associated with fewer strokes {LESS}.", B),
        (f"Aspirin was associated with a lower risk of stroke after adjustment for smoking {LESS}.", B),
        (f"After adjustment for age and smoking, aspirin use was associated with fewer strokes {LESS}.", B),
        (f"In the multivariable model aspirin use was associated with a higher risk of stroke {MORE}.", H),
        (f"Users had fewer strokes than non-users {LESS}.", B),
    ],
)
def test_the_treatment_in_a_model_with_other_factors_is_counted(sentence, result):
    assert counted(sentence, observed=True) == [result]


@pytest.mark.parametrize(
    "sentence",
    [
        "The hazard ratio for stroke was 0.60 (95% CI 0.45 to 0.80).",
        f"Fewer strokes were seen {LESS}.",
        f"The risk of stroke was lower in the intervention group {LESS}.",
    ],
)
def test_in_a_trial_an_effect_without_any_subject_is_the_treatments(sentence):
    assert counted(sentence) == [B]


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize(
    "sentence",
    [
        f"Vitamin D deficiency increased the risk of fracture {MORE}.",
        f"Low vitamin D was linked to fractures {MORE}.",
        f"Fractures were more frequent in people with vitamin D deficiency {MORE}.",
        f"Vitamin D-deficient people had more fractures {MORE}.",
        f"A vitamin D level under 30 nmol/l was linked to fractures {MORE}.",
        f"Those with vitamin D < 50 nmol/L had more fractures {MORE}.",
        f"Poor vitamin D status was linked to fractures {MORE}.",
        f"The lowest vitamin D quartile had more fractures {MORE}.",
        f"People short of vitamin D had more fractures {MORE}.",
        f"Hypovitaminosis D was associated with fractures {MORE}.",
        f"Serum vitamin D was associated with fewer fractures {LESS}.",
        f"Higher vitamin D levels were associated with fewer fractures {LESS}.",
        f"Poor adherence to vitamin D increased the risk of fracture {MORE}.",
        f"Non-use of vitamin D increased the risk of fracture {MORE}.",
        "Vitamin D deficiency increased the risk of fracture.",
        "Fractures were more frequent with low vitamin D.",
        "High vitamin D was associated with fewer fractures.",
        "Lack of vitamin D led to more fractures.",
        "Participants low in vitamin D had more fractures.",
        "Vitamin D levels were not associated with fractures.",
    ],
)
def test_what_lacking_or_having_much_of_the_treatment_goes_with_is_no_result_of_giving_it(sentence, observed):
    assert counted(sentence, "vitamin D", "fractures", "older people", observed=observed) == []


@pytest.mark.parametrize(
    "sentence",
    [
        f"Vitamin D reduced fractures compared with placebo {LESS}.",
        f"Vitamin D, in a low dose, reduced fractures compared with placebo {LESS}.",
        "Low-dose vitamin D reduced fractures compared with placebo.",
        "Vitamin D raised vitamin D levels and reduced fractures.",
    ],
)
def test_giving_it_is_counted_also_where_levels_and_doses_are_named(sentence):
    assert counted(sentence, "vitamin D", "fractures", "older people") == [B]
