"""The query language: what it reads, and what it refuses with the place."""

import pytest

from metarag.errors import MetaragError, QueryError
from metarag.retrieval.query import parse_query
from metarag.retrieval.query_fields import FIELDS, FieldKind
from metarag.retrieval.query_parser import FROM_LEFT, MAX_DEPTH, MAX_LENGTH
from metarag.retrieval.query_tree import And, Not, Or, Range, Term, leaves


def term(text, tag=None, **options):
    return Term(text, tag=tag, **options)


def phrase(text, tag=None, **options):
    return Term(text, True, tag, **options)


def tree(text):
    return parse_query(text).root


A, B, C, D = map(term, "abcd")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a OR b AND c", And((Or((A, B)), C))),
        ("a AND b OR c", Or((And((A, B)), C))),
        ("a OR (b AND c)", Or((A, And((B, C))))),
        ("a NOT b AND c", And((Not(A, (B,)), C))),
        ("a NOT b NOT c", Not(A, (B, C))),
        ("(a NOT b) NOT c", Not(A, (B, C))),
        ("a NOT (b OR c)", Not(A, (Or((B, C)),))),
        ("a AND (b AND c) AND d", And((A, B, C, D))),
        ("a OR b OR c", Or((A, B, C))),
        ("a AND b NOT c OR d", Or((Not(And((A, B)), (C,)), D))),
        ("((((a))))", A),
    ],
)
def test_operators_are_read_from_left_to_right_and_parentheses_first(text, root):
    assert tree(text) == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("(a) (b)", And((A, B))),
        ("(a)b", And((A, B))),
        ('a "b c" d', And((A, phrase("b c"), D))),
        ("a[ti] b[tiab]", And((term("a", "ti"), term("b", "tiab")))),
        ("(a OR b) c", And((Or((A, B)), C))),
        ("a[ti] b OR c", Or((And((term("a", "ti"), B)), C))),
    ],
)
def test_parts_without_an_operator_are_joined_by_and(text, root):
    assert tree(text) == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("heart  attack", term("heart attack")),
        ("heart attack[tiab]", term("heart attack", "tiab")),
        ("heart attack [TiAb ]", term("heart attack", "tiab")),
        ('"heart\n attack" [ti]', phrase("heart attack", "ti")),
        ("IL-6", term("IL-6")),
        ("Crohn’s disease", term("Crohn's disease")),
        ("asthma/drug therapy[mh]", term("asthma/drug therapy", "mh")),
        ("diagnosis, differential[mesh:NoExp]", term("diagnosis, differential", "mh", explode=False)),
        ('"p53: a (short) [review] of AND"', phrase("p53: a (short) [review] of AND")),
        ("β-blocker*[tw]", term("β-blocker*", "tw")),
        ("organi*ation*", term("organi*ation*")),
        ('"vaccin* schedul*"[ti]', phrase("vaccin* schedul*", "ti")),
        ('"hip pain"[Title/Abstract:~2]', phrase("hip pain", "tiab", distance=2)),
        ('"hip pain"[ti: ~ 0]', phrase("hip pain", "ti", distance=0)),
        ("last 5 years[dp]", term("last 5 years", "dp")),
        ("2020/3[dp]", term("2020/3", "dp")),
        ("1 2, 3[pmid]", term("1 2, 3", "pmid")),
        ("systematic[sb]", term("systematic", "sb")),
        ("Therapy/Narrow[filter]", term("Therapy/Narrow", "filter")),
        ("ANDROGEN ORAL NOTCH", term("ANDROGEN ORAL NOTCH")),
        ("Smith J[au]", term("Smith J", "au")),
        ("hasabstract[text]", term("hasabstract")),
        ('"NEAR"[ti]', phrase("NEAR", "ti")),
        ('"25(OH)D"[tiab]', phrase("25(OH)D", "tiab")),
        ("nearly adj3 w/o 1.5 e.g. al.", term("nearly adj3 w/o 1.5 e.g. al.")),
        ("2020/02/29[dp]", term("2020/02/29", "dp")),
    ],
)
def test_a_term_is_its_words_and_its_tag(text, root):
    assert tree(text) == root


@pytest.mark.parametrize(
    "text",
    [
        "2020/01/01:3000[dp]",
        "2020/01/01 : 3000 [pdat]",
        '"2020/01/01"[dp] : "3000"[dp]',
        '"2020/01/01"[Date - Publication]:"3000"[Date - Publication]',
        "(2020/01/01[Publication Date]:3000[dp])",
    ],
)
def test_a_range_is_written_in_each_way_that_pubmed_takes(text):
    assert tree(text) == Range("2020/01/01", "3000", "dp")


def test_a_range_of_pmids_is_one_too():
    assert tree("100:200[uid] a") == And((Range("100", "200", "pmid"), A))


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.tag)
def test_every_field_is_known_by_each_of_its_names_in_any_case(field):
    value = {FieldKind.DATE: "2020", FieldKind.NUMBER: "7"}.get(field.kind, "x")
    for name in (field.tag, field.name, *field.aliases):
        assert tree(f"{value}[{name}]") == tree(f"{value} [ {name.upper()} ]") == term(value, field.tag)


def test_no_spelling_stands_for_two_fields():
    spellings = [s for f in FIELDS for s in {f.tag, f.name.lower(), *f.aliases}]
    assert len(spellings) == len(set(spellings))
    assert all(s == s.lower() for s in spellings)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(aspirin  OR statin*[Title]) stroke [tiab]", "(aspirin OR statin*[ti]) AND stroke[tiab]"),
        ('"hip pain"[Title/Abstract:~2]', '"hip pain"[tiab:~2]'),
        ("asthma[Mesh:NoExp] NOT (a NOT b)", "asthma[mh:noexp] NOT (a NOT b)"),
        ("a OR b AND c", "(a OR b) AND c"),
        ('"2020"[dp] : "2024"[dp]', "2020:2024[dp]"),
    ],
)
def test_what_is_sent_leaves_nothing_to_precedence(text, canonical):
    assert parse_query(text).for_pubmed() == canonical


CASES = [
    # query, place, words of the message
    ("", 0, "empty"),
    (" \n", 0, "empty"),
    ("asthma[foo]", 6, "no field tag \\[foo\\]"),
    ("asthma[tiabb]", 6, r"did you mean \[tiab\]"),
    ("asthma[]", 6, "tag is empty"),
    ("asthma[abstract]", 6, "use \\[tiab\\]"),
    ("x[pmcid]", 1, "without a tag"),
    ("(a OR b)[tiab]", 8, "after a parenthesis"),
    ("[tiab] a", 0, "no word before"),
    ("a AND [ti]", 6, "no word before"),
    ("a[ti][tiab]", 5, "there is a tag already"),
    ("a[ti", 1, "not closed"),
    ("a] b", 1, "closes no field tag"),
    ('say "heart attack', 4, "quotation mark is not closed"),
    ('a ""', 2, "no word between"),
    ('a " - "', 2, "no word between"),
    ("a AND (b OR c", 6, "not closed"),
    ("a) AND b", 1, "closes none"),
    ("a AND ()", 6, "nothing between"),
    ("a AND (b OR)", 9, "OR has nothing after it"),
    ("AND a", 0, "AND has nothing before it"),
    ("(NOT a)", 1, "NOT has nothing before it"),
    ("a OR", 2, "OR has nothing after it"),
    ("a AND OR b", 6, "two operators"),
    ("a AND NOT b", 6, "written a NOT b"),
    ("“heart attack”", 0, "typographic quotation mark"),
    ("‘heart attack’", 0, "typographic quotation mark"),
    ("statin∗", 6, "typographic asterisk"),
    ("（a OR b）", 0, "full-width"),
    ("a\u200bb", 1, r"invisible character \(U\+200B\)"),
    ("a\x00", 1, r"U\+0000"),
    ("a\ud800", 1, r"U\+D800"),
    ("ast*", 0, "4 characters"),
    ("asthma OR *itis", 10, "4 characters"),
    ('"the ca*"[ti]', 0, "4 characters"),
    ('"heart attack"*', 14, "ends no word"),
    ("asthma *", 7, "ends no word"),
    ("hip pain[tiab:~2]", 0, "between quotation marks"),
    ('"pain"[tiab:~2]', 0, "two words"),
    ('"hip pain*"[tiab:~2]', 0, r"takes no \*"),
    ('"hip pain"[mh:~2]', 10, "only in"),
    ('"hip pain"[tiab:~9999]', 10, "at most 1000"),
    ('"hip pain"[tiab:2]', 10, "known are"),
    ("asthma[ti:noexp]", 6, "known are"),
    ("asthma[mh:]", 6, "known are"),
    ("2024:2020[dp]", 0, "backwards"),
    ("2020:soon[dp]", 5, "no date"),
    ("2020/13:2021[dp]", 0, "no date"),
    ("1:x[pmid]", 2, "no number"),
    ("2020:2024", 0, "needs a date tag"),
    ("2020:2024 a[dp]", 0, "needs a date tag"),
    ("2020[dp]:2024[edat]", 0, "same field tag"),
    ("2020[dp]:2024", 0, "needs a date tag"),
    ("a:b[au]", 0, "needs a date tag"),
    ("title:asthma", 0, "a field stands after its word"),
    (":a", 0, "colon"),
    ("1:2:3[dp]", 3, "colon"),
    ("soon[dp]", 0, "takes a date"),
    ("2020*[dp]", 0, r"takes no \*"),
    ("x[pmid]", 0, "takes numbers"),
    ("asthma~2", 6, "similar spellings"),
    ("asthma^2", 6, "more weight"),
    ("help?", 4, "stand for a letter"),
    ("a || b", 2, "write OR"),
    ("a && b", 2, "no word"),
    ("a -b", 2, "write AND or NOT"),
    ("+a", 0, "write AND or NOT"),
    ("#1 AND a", 0, "earlier search"),
    ("{a}", 0, "no bracket"),
    ("`asthma`", 0, "typographic quotation mark"),
    ("25(OH)D", 2, "cuts a word"),
    ("10.1000/S0140-6736(21)01744-X[doi]", 18, "cuts a word"),
    ("a AND TITLE-ABS-KEY(b)", 19, "cuts a word"),
    ("hip ADJ3 pain", 4, "no operator of PubMed"),
    ("hip NEAR/3 pain", 4, "no operator of PubMed"),
    ("hip NEAR pain", 4, "no operator of PubMed"),
    ("hip W/5 pain", 4, "no operator of PubMed"),
    ("exp asthma/", 4, r"as in Ovid; a heading is written asthma\[mh\]"),
    ("asthma.ti,ab.", 0, r"as in Ovid; write asthma\[tiab\]"),
    ("a OR asthma.mp.", 5, "as in Ovid"),
    ("2021/02/29[dp]", 0, "takes a date"),
    ("2020/01:2021/04/31[dp]", 8, "no date"),
    ("0000[dp]", 0, "takes a date"),
    ("\\(a\\)", 0, "escapes nothing"),
    ("(" * (MAX_DEPTH + 1) + "a", MAX_DEPTH, "parentheses inside"),
    ("a" * (MAX_LENGTH + 1), MAX_LENGTH, "50,000"),
]


@pytest.mark.parametrize(("text", "position", "says"), CASES, ids=lambda value: str(value)[:24])
def test_what_pubmed_would_ignore_or_rewrite_is_refused_with_its_place(text, position, says):
    with pytest.raises(QueryError, match=says) as raised:
        parse_query(text)
    assert raised.value.position == position
    assert raised.value.text == text
    assert isinstance(raised.value, MetaragError)


def test_the_message_points_at_the_place_and_stays_readable_when_white_space_is_made_single():
    with pytest.raises(QueryError) as raised:
        parse_query("(zinc   OR\n iron[mesh]) AND fever[tiabb] AND cough")
    problem, shown, caret = str(raised.value).splitlines()
    assert problem.startswith("character 34 of the query: ")
    assert shown == "(zinc OR iron[mesh]) AND fever[tiabb] AND cough"
    assert shown[caret.index("^") :].startswith("[tiabb]")
    assert caret == "-" * caret.index("^") + "^"


def test_of_a_long_query_the_message_shows_the_part_around_the_place():
    with pytest.raises(QueryError) as raised:
        parse_query(" OR ".join(f"word{n}" for n in range(500)) + " OR x[foo] OR " + "y" * 500)
    _, shown, caret = str(raised.value).splitlines()
    assert len(shown) < 80
    assert shown[caret.index("^") :].startswith("[foo]")


def test_an_or_before_an_and_is_read_as_pubmed_does_and_that_is_said():
    assert parse_query("a OR b AND c").warnings == (FROM_LEFT,)
    assert parse_query("a OR b (c)").warnings == (FROM_LEFT,)
    assert parse_query("(a OR b) AND c").warnings == ()
    assert parse_query("a AND b OR c").warnings == ()


def test_a_small_operator_is_a_word_and_that_is_said():
    query = parse_query("zinc or iron")
    assert query.root == term("zinc or iron")
    assert query.warnings == ("“or” is read as a word; the operator is written OR.",)
    assert parse_query('"salt and water"').warnings == ()


def test_depth_is_limited_and_length_is_not():
    deep = "(" * (MAX_DEPTH - 1) + "a" + " OR b) AND c" * (MAX_DEPTH - 1)
    with pytest.raises(QueryError, match="operators inside"):
        parse_query(deep)
    wide = parse_query(" OR ".join(f"w{n}" for n in range(5_000)))
    assert len(leaves(wide.root)) == 5_000


def test_a_chain_of_changing_operators_is_deep_too():
    with pytest.raises(QueryError, match="operators inside"):
        parse_query("a" + " OR b AND c" * MAX_DEPTH)


@pytest.mark.parametrize("form", ["({0}) {1} d", "d {1} ({0})"])
def test_a_chain_inside_parentheses_is_as_deep_as_both_together(form):
    chain = "a" + " OR b AND c" * (MAX_DEPTH // 3)
    assert parse_query(chain)
    nested = chain
    for level in range(MAX_DEPTH * 2 // 3):
        nested = form.format(nested, "OR" if level % 2 else "AND")
    with pytest.raises(QueryError, match="operators inside"):
        parse_query(nested)


def test_leaves_stand_in_the_order_of_the_query_with_their_places():
    found = leaves(tree('a AND ("b c"[ti] OR 2020:2021[dp]) NOT d'))
    assert [leaf.start for leaf in found] == [0, 7, 20, 39]
