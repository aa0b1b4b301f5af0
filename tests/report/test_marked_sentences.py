from builders import make_article, make_evidence

from metarag.report.marked_sentences import Use, facts_used, marked_sentences
from metarag.types import Span

TEXT = "Zinc was given to 50 adults. Deaths fell (OR 0.70, p=0.01) in all. Nobody was harmed."
ARTICLE = make_article(title="Zinc for fever", abstract=TEXT)


def use(words, what="effect", where="abstract", text=TEXT):
    start = text.index(words)
    return Use(what, Span(where=where, start=start, end=start + len(words), text=words))


def shown(sentence):
    return "".join(f"[{text}]" if marked else text for text, marked in sentence.pieces)


def test_the_words_are_marked_inside_their_sentence():
    (sentence,) = marked_sentences(ARTICLE, [use("OR 0.70"), use("p=0.01", "p value")])
    assert shown(sentence) == "Deaths fell ([OR 0.70], [p=0.01]) in all."
    assert sentence.uses == "effect, p value"


def test_a_number_inside_a_quoted_sentence_is_what_is_marked():
    (sentence,) = marked_sentences(
        ARTICLE, [use("Deaths fell (OR 0.70, p=0.01) in all.", "quoted"), use("OR 0.70")]
    )
    assert shown(sentence) == "Deaths fell ([OR 0.70], p=0.01) in all."


def test_nothing_is_marked_that_does_not_stand_there():
    moved = Use("effect", Span(where="abstract", start=0, end=7, text="OR 0.70"))
    elsewhere = Use("effect", Span(where="mesh", start=0, end=4, text="Zinc"))
    assert marked_sentences(ARTICLE, [moved, elsewhere]) == ()


def test_a_title_is_one_sentence_and_order_follows_the_uses():
    found = marked_sentences(ARTICLE, [use("fever", where="title", text="Zinc for fever"), use("50 adults")])
    assert [shown(each) for each in found] == ["Zinc for [fever]", "Zinc was given to [50 adults]."]
    assert len(marked_sentences(ARTICLE, [use("Zinc was"), use("Deaths"), use("Nobody")], most=2)) == 2


def test_a_span_over_two_sentences_shows_both():
    (sentence,) = marked_sentences(ARTICLE, [use("50 adults. Deaths fell")])
    assert shown(sentence) == "Zinc was given to [50 adults. Deaths fell] (OR 0.70, p=0.01) in all."


def test_a_long_sentence_is_cut_around_what_is_marked():
    text = f"{'before ' * 60}OR 0.70{' after' * 60}."
    (sentence,) = marked_sentences(make_article(abstract=text), [use("OR 0.70", text=text)])
    assert shown(sentence).startswith("… ")
    assert shown(sentence).endswith(" …")
    assert "[OR 0.70]" in shown(sentence)
    assert len(shown(sentence)) < 260


def test_sample_size_and_design_come_with_the_words_that_say_so():
    article = make_article(abstract="METHODS: In a randomised trial, 120 adults took part.")
    told = {each.what: each.span.text for each in facts_used(make_evidence(article))}
    assert "120" in told["number of participants"]
    assert "randomised" in told["design"].casefold()
