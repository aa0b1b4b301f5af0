import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metarag.pico_words import Words

WORD = re.compile(r"[^\W_]+")
# Characters whose lower case is longer, looks at its neighbours or leaves Latin-1, and separators.
TEXTS = st.text(
    alphabet=st.sampled_from("aB1_ .-;\n\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}ΣσςÀßªµ²½αΩé–≥٢")
    | st.characters(exclude_categories=["Cs"]),
    max_size=60,
)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_each_word_is_in_lower_case_and_knows_its_place(text):
    words = Words.of(text)
    matches = list(WORD.finditer(text))
    assert words.lower == [match.group().lower() for match in matches]
    for position, match in enumerate(matches):
        assert (words.start(position), words.end(position)) == match.span()
        assert words.written(position) == match.group()


@pytest.mark.parametrize(
    ("text", "ends"), [("no stroke", False), ("no. stroke", True), ("no, stroke", False)]
)
def test_a_clause_ends_at_a_full_stop_and_not_at_a_comma(text, ends):
    assert Words.of(text).breaks(0, 1) is ends
