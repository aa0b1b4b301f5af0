"""How much of a question an article speaks of: an absolute, lexical relevance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from metarag.names import Named, names
from metarag.records import Article
from metarag.stems import ArticleStems
from metarag.stems import stem as stem
from metarag.stems import words as words
from metarag.types import Question

# Function words, and the words that every clinical question is made of: they say nothing of its topic.
_FUNCTION_WORDS = frozenset(
    """a about above after all also am among an and any are as at be because been before being between both
    but by can could did do does doing done during each either first for from further given had has have having he
    her here him his how i if in into is it its itself just may me might more most must my no nor not of off
    on once only or other our out over own per same she should since so some such than that the their them
    then there these they this those through to too under until up upon us versus very vs was we were what
    when where whether which while who whom why will with within without would you your""".split()
)
_COMMON_WORDS = frozenset(
    """adult affect associate benefit best better cause change clinical compare control decrease disease
    effect effective effectiveness efficacy evidence give group harm help high improve incidence increase
    intervention less lead long low lower man management month outcome patient people person placebo
    prevent prevention rate receive recommend reduce reduction result risk safe safety standard study
    superior take term therapy treat treatment trial usual use useful woman work year""".split()
)
COMMON_SHARE = 0.3
"""Share of relevance that the common words of a question ("adults", "placebo", "safe") have together. Ours.

They tell trials of the right kind apart, but however many there are, they must not outvote a drug.
"""
TITLE_MENTIONS = 3.0
"""Mentions in the abstract that one in title, MeSH or keywords is worth. Ours."""
SATURATION = 2.0
"""Mentions at which a term of an abstract of ordinary length has half its credit (k1 of BM25). Ours."""
LENGTH_SHARE = 0.3
"""How far a long text needs more mentions for the same credit, from 0 (not) to 1 (b of BM25). Ours."""
ORDINARY_LENGTH = 220.0
"""Words of title and abstract. A constant, not the candidates' mean, so that scores are absolute."""
FULL_MENTIONS = 10.0
"""Mentions that give full credit at ordinary length. Ours."""


def is_ordinary(word: str) -> bool:
    """Tell whether a word is of the language, or of clinical language, and names no topic: "with", "reduce"."""
    root = stem(word.lower())
    return word.lower() in _FUNCTION_WORDS or root in _COMMON_WORDS or word.lower() in _COMMON_WORDS


class LexicalRelevance(NamedTuple):
    """A relevance with what it was made of; light, because each article has one.

    Attributes
    ----------
    score : float
        In [0, 1]: the weighted share of the question's terms that the article speaks of.
    found, missing : tuple of str
        The question's terms, as stems, in order; last in ``found``, other names of things that the question names.
    """

    score: float
    found: tuple[str, ...]
    missing: tuple[str, ...]


class NamedThing(NamedTuple):
    """A thing that a question names, with its other names: an article may use any of them.

    Attributes
    ----------
    own : tuple of str
        Stems of the question's name for it.
    others : tuple of (str, tuple of str)
        Each other name, and its stems.
    """

    own: tuple[str, ...]
    others: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The weighted stems of a question, made once and used for each article.

    Attributes
    ----------
    weights : dict of str to float
        Of the stems of the question's own words; they sum to 1.
    things : tuple of NamedThing
        What has other names; no stem belongs to two of them.
    """

    weights: dict[str, float]
    things: tuple[NamedThing, ...] = ()

    @classmethod
    def of(cls, question: Question) -> QuestionTerms:
        """Collect the terms of the question's text and of the PICO that its author gave; never of options."""
        parts = [question.text]
        if question.pico:
            parts += [value for value in question.pico.model_dump().values() if value]
        is_common: dict[str, bool] = {}
        for word in words(" ".join(parts)):
            if word in _FUNCTION_WORDS or (len(word) == 1 and not word.isdigit()):
                continue
            root = stem(word)
            is_common[root] = root in _COMMON_WORDS or word in _COMMON_WORDS
        if all(root.isdigit() for root in is_common):
            # "What is 2+2?" names nothing that an article could speak of.
            is_common = {}
        common = sum(is_common.values())
        topic = len(is_common) - common
        share = COMMON_SHARE if common and topic else float(bool(common))
        weights = {
            root: share / common if known else (1 - share) / topic for root, known in is_common.items()
        }
        named = [thing for part in parts for thing in names().in_text(part)]
        return cls(weights, _things(named, weights))

    def relevance(self, article: Article, stems: ArticleStems | None = None) -> LexicalRelevance | None:
        """Return how much of the question the article speaks of; ``None`` without terms or without text.

        score = sum(w_t c_t) over the question's terms. The weights sum to 1: topic words share 0.7 equally,
        common words 0.3. c_t = min(1, (1 + k / 10) f / (f + k (1 - b + b L / 220))), with k = 2, b = 0.3, L
        the words of title and abstract, and f the mentions: 3 for title, MeSH or keywords, 1 for each in the
        abstract. Where the question's words for a thing ("heart attack") earn less than the mean credit of the
        words of another name for it ("myocardial infarction"), that name counts in their place. It does not
        depend on the other candidates.

        Parameters
        ----------
        article : Article
            What is judged.
        stems : ArticleStems or None
            Counted earlier; ``None`` counts them now.

        References
        ----------
        Robertson S, Zaragoza H. The probabilistic relevance framework: BM25 and beyond. Found Trends Inf
        Retr 2009;3:333-89. Here without inverse document frequency, which depends on a collection; the
        choice is measured in ``docs/ranking.md``.
        """
        if not self.weights or not (article.title or article.abstract):
            return None
        counted = ArticleStems.of(article) if stems is None else stems
        half = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * counted.words / ORDINARY_LENGTH)
        found = counted.mentions(self.weights)
        credit = {term: _credit(*mentions, half) for term, mentions in found.items()}
        called = {thing: name for thing in self.things if (name := _better(thing, credit, counted, half))}
        replaced = {root: name[1] for thing, name in called.items() for root in thing.own}
        score = sum([w * replaced.get(term, credit.get(term, 0.0)) for term, w in self.weights.items()], 0.0)
        return LexicalRelevance(
            score=min(1.0, score),
            found=(*[term for term in found if term not in replaced], *[name for name, _ in called.values()]),
            missing=tuple([t for t in self.weights if t not in found and t not in replaced]),
        )


def _things(named: Iterable[Named], weights: Mapping[str, float]) -> tuple[NamedThing, ...]:
    """Return what has other names; a word that two of them use belongs to the first."""
    taken: set[str] = set()
    things = []
    for thing in named:
        own = tuple(dict.fromkeys(root for root in map(stem, words(thing.said)) if root in weights))
        if own and taken.isdisjoint(own):
            taken.update(own)
            others = tuple((name, tuple(map(stem, words(name)))) for name in thing.others)
            things.append(NamedThing(own, others))
    return tuple(things)


def _better(
    thing: NamedThing, credit: Mapping[str, float], counted: ArticleStems, half: float
) -> tuple[str, float] | None:
    """Return the name that the article uses more than the question's own, with its mean credit."""
    best, most = None, sum([credit.get(root, 0.0) for root in thing.own], 0.0) / len(thing.own)
    for name, roots in thing.others:
        if roots[0] not in counted.text:
            continue
        mentions = counted.mentions(roots)
        if len(mentions) < len(set(roots)):
            continue
        mean = sum([_credit(*mentions[root], half) for root in roots], 0.0) / len(roots)
        if mean > most:
            best, most = name, mean
    return (best, most) if best is not None else None


def _credit(mentions: int, prominent: bool, half: float) -> float:
    """Return the credit of one term, in [0, 1]."""
    total = mentions + (TITLE_MENTIONS if prominent else 0.0)
    return min(1.0, (1 + SATURATION / FULL_MENTIONS) * total / (total + half)) if total else 0.0
