"""A short question in another language is known as one; English medical questions are not taken for it."""

import pytest

from metarag.foreign_words import seems_foreign


@pytest.mark.parametrize(
    "text",
    [
        "Hilft Aspirin bei Migräne?",
        "Senkt Metformin die Sterblichkeit?",
        "L'aspirine prévient-elle l'AVC ?",
        "Le zinc soigne-t-il le rhume ?",
        "¿Previene la aspirina el ictus?",
        "La aspirina previene infartos",
        "L'aspirina previene l'ictus?",
        "A aspirina previne derrames em adultos?",
        "Helpt aspirine tegen migraine?",
    ],
)
def test_a_short_question_in_another_language_is_seen(text):
    assert seems_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "Does aspirin prevent stroke?",
        "aspirin stroke prevention",
        "Is La Crosse virus treated with ribavirin?",
        "Peau d'orange in breast cancer",
        "L'Hermitte sign and multiple sclerosis",
        "Does DES versus BMS shorten LOS?",
        "Treatment of van der Woude syndrome",
    ],
)
def test_english_questions_and_names_are_not(text):
    assert not seems_foreign(text)
