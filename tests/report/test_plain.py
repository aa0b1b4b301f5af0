import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metarag.report.plain import plain, plain_lines, shorten


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("a\r\nb\tc", "a b c"),
        ("safe\u202etxt.exe", "safe txt.exe"),
        ("zero\u200bwidth", "zero width"),
        ("title\x07bell\x9b2J", "title bell 2J"),
    ],
)
def test_text_cannot_move_the_cursor_or_forge_a_line(hostile, shown):
    assert plain(hostile) == shown


@given(st.text())
def test_nothing_unsafe_is_ever_left(text):
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in plain(text))
    assert plain(plain(text)) == plain(text)


def test_shortened_text_fits_and_shows_that_it_was_cut():
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abc", 3) == "abc"


def test_later_lines_of_a_message_are_indented_so_that_none_can_pass_for_another():
    assert plain_lines("one\n\n\x1b[2Jtwo\u2028metarag: three") == "one\n  [2Jtwo\n  metarag: three"


@pytest.mark.parametrize("code", [0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0xFDD0, 0xFDEF])
def test_what_unicode_keeps_for_nothing_is_taken_away_because_xml_cannot_hold_it(code):
    assert plain(f"a{chr(code)}b") == "a b"


def test_a_sign_that_this_python_does_not_know_yet_stays():
    assert unicodedata.category("\u0378") == "Cn"
    assert plain("a\u0378b") == "a\u0378b"


def test_marks_that_are_stacked_to_run_over_other_lines_are_cut_to_what_languages_use():
    assert plain("Z" + "\u0301" * 500 + "x") == "Z" + "\u0301" * 3 + "x"
    assert plain("Việt Nam, Ťüřķ, שָׁלוֹם, नमस्ते, ไทย") == "Việt Nam, Ťüřķ, שָׁלוֹם, नमस्ते, ไทย"
