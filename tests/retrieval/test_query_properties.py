"""What holds of every query: it goes out and comes back the same, and no text does worse than an error."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from query_strategies import messy_text, trees

from metarag.errors import QueryError, UnsupportedQueryError
from metarag.retrieval.query import Query, parse_query
from metarag.retrieval.query_parser import MAX_DEPTH
from metarag.retrieval.query_tree import And, Not, Or, children


def shape_is_flat(node):
    parts = children(node)
    same = isinstance(node, And | Or) and any(type(part) is type(node) for part in parts)
    left = isinstance(node, Not) and isinstance(node.kept, Not)
    return not same and not left and all(map(shape_is_flat, parts))


def problem_of(call, kind=QueryError):
    """Return the error of this kind that a call ends in, or None; any other goes on."""
    try:
        call()
    except kind as error:
        return error
    return None


@given(root=trees())
@settings(max_examples=120, deadline=None)
def test_a_tree_written_for_pubmed_is_read_as_the_same_tree(root):
    written = Query("", root).for_pubmed()
    again = parse_query(written)
    assert again.root == root
    assert again.for_pubmed() == written
    assert again.warnings == () or all("read as a word" in w for w in again.warnings)


@given(text=messy_text)
@settings(max_examples=250, deadline=None)
@example(text="\ufeff")
@example(text="(" * 200)
@example(text='"' * 99)
@example(text="[" * 99)
@example(text="a" + " NOT a" * 3_000)
@example(text="a" + " OR a AND a" * 3_000)
@example(text="a:" * 3_000)
@example(text="[x" * 3_000)
def test_any_text_is_a_query_or_an_error_with_a_place_in_it(text):
    error = problem_of(lambda: parse_query(text))
    if error is None:
        query = parse_query(text)
        assert shape_is_flat(query.root)
        assert parse_query(query.for_pubmed()).root == query.root
        error = problem_of(query.for_corpus, UnsupportedQueryError)
    if error:
        assert 0 <= error.position <= len(text)
        assert error.problem
        assert len(str(error).splitlines()) == 3


@given(root=trees(), case=st.sampled_from([str.upper, str.title, str.lower]))
@settings(max_examples=40, deadline=None)
def test_the_case_of_a_tag_changes_nothing(root, case):
    written = Query("", root).for_pubmed()
    pieces = written.split('"')
    # Outside of quotation marks brackets hold tags only.
    shouted = '"'.join(
        piece
        if n % 2
        else "[".join(part if not i else _cased(part, case) for i, part in enumerate(piece.split("[")))
        for n, piece in enumerate(pieces)
    )
    assert parse_query(shouted).root == root


def _cased(part, case):
    tag, bracket, rest = part.partition("]")
    return case(tag) + bracket + rest


@pytest.mark.parametrize("opening", ["(", "((", "(a OR (", "a AND (", '("', "[", "a[", "(a)(", "NOT ("])
def test_depth_of_any_kind_ends_in_an_error_and_not_in_recursion(opening):
    with pytest.raises(QueryError):
        parse_query(opening * 5_000)


def test_the_deepest_tree_that_is_read_can_be_written_and_run():
    text = "a"
    for level in range(MAX_DEPTH - 1):
        text = f"({text} {'OR' if level % 2 else 'AND'} b)"
    query = parse_query(text)
    assert parse_query(query.for_pubmed()).root == query.root
    assert query.for_corpus().match
