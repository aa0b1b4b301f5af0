"""Hypothesis strategies of queries, as trees and as text."""

from __future__ import annotations

from hypothesis import strategies as st

from metarag.retrieval.query_fields import FIELDS, NOT_EXPLODED_TAGS, PROXIMITY_TAGS, FieldKind
from metarag.retrieval.query_terms import LEADING_CHARACTERS
from metarag.retrieval.query_tree import Node, Range, Term, all_of, any_of, but_not

PLAIN = [f.tag for f in FIELDS if f.kind not in (FieldKind.DATE, FieldKind.NUMBER)]
DATES = [f.tag for f in FIELDS if f.kind is FieldKind.DATE]
LETTERS = "abzAND019éβ中"

words = st.text(LETTERS, min_size=1, max_size=6).filter(lambda w: w not in ("AND", "OR", "NOT"))
cut_words = st.builds(
    lambda head, tail: f"{head}*{tail}",
    st.text("abc", min_size=LEADING_CHARACTERS, max_size=6),
    st.text("xy", max_size=2),
)
bare = st.lists(words | cut_words, min_size=1, max_size=3).map(" ".join)
inside = st.lists(
    words | cut_words | st.sampled_from(["a:b", "(c)", "[d]", "AND"]), min_size=1, max_size=4
).map(" ".join)
days = st.sampled_from(["1999", "2020", "2020/3", "2020/03/31", "3000"])


def _near(text: str, tag: str, distance: int) -> Term:
    return Term(text, True, tag, distance=distance)


def _range(ends: tuple[str, str], tag: str) -> Range:
    low, high = sorted(ends, key=lambda day: [int(part) for part in day.split("/")])
    return Range(low, high, tag)


def terms(tags: list[str] = PLAIN) -> st.SearchStrategy[Term]:
    """Return single terms of every form, over some of the tags."""
    tag = st.none() | st.sampled_from(tags)
    exact = [t for t in tags if t in NOT_EXPLODED_TAGS] or ["mh"]
    return st.one_of(
        st.builds(Term, bare, st.just(False), tag),
        st.builds(Term, inside, st.just(True), tag),
        st.builds(Term, inside, st.just(True), st.sampled_from(exact), st.just(False)),
    )


near_terms = st.builds(
    _near,
    st.lists(words, min_size=2, max_size=3).map(" ".join),
    st.sampled_from(sorted(PROXIMITY_TAGS)),
    st.integers(0, 20),
)
date_terms = st.builds(Term, days, st.booleans(), st.sampled_from(DATES))
ranges = st.builds(_range, st.tuples(days, days), st.sampled_from(DATES))
numbers = st.builds(Range, st.just("7"), st.sampled_from(["7", "12"]), st.just("pmid"))


def trees(leaves: st.SearchStrategy[Node] | None = None) -> st.SearchStrategy[Node]:
    """Return trees of any shape, as deep as hypothesis likes."""
    base = leaves if leaves is not None else st.one_of(terms(), near_terms, date_terms, ranges, numbers)
    return st.recursive(
        base,
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=4).map(lambda parts: all_of(*parts)),
            st.lists(inner, min_size=2, max_size=4).map(lambda parts: any_of(*parts)),
            st.builds(lambda kept, out: but_not(kept, *out), inner, st.lists(inner, min_size=1, max_size=2)),
        ),
        max_leaves=12,
    )


PIECES = st.sampled_from(
    [
        *'()[]":*~-+#{}\\/ \n,',
        "AND",
        "OR",
        "NOT",
        "[tiab]",
        "[dp]",
        "[mh:noexp]",
        "[ti:~3]",
        "2020",
        "aspirin",
        "stat*",
        "“",
        "β",
    ]
)
messy_text = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join) | st.text(max_size=60)
