"""How much of a question an article speaks of: an absolute, lexical relevance."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from metarag.records import Article
from metarag.types import Question

# Function words, and the words that every clinical question is made of: they say nothing of its topic.
_FUNCTION_WORDS = frozenset(
    """a about above after all also am among an and any are as at be because been before being between both
    but by can could did do does doing done during each either for from further given had has have having he
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
COMMON_WORD_WEIGHT = 0.1
"""Weight of a word such as "patients" beside 1 for a topic word. Ours: ten of them must not outvote a drug."""
ABSTRACT_CREDIT = 0.8
"""Credit of a term that stands in the abstract only, beside 1 in title, MeSH or keywords. Ours."""

_WORD = re.compile(r"[a-z0-9]+")
# British to American, so that one question finds both; order matters.
_SPELLINGS = (
    ("haem", "hem"), ("aemi", "emi"), ("paed", "ped"), ("anaes", "anes"), ("oesoph", "esoph"),
    ("oestr", "estr"), ("oedem", "edem"), ("aetiol", "etiol"), ("gynae", "gyne"), ("tumour", "tumor"),
    ("isation", "ization"), ("foet", "fet"), ("rrhoea", "rrhea"), ("fibre", "fiber"),
)  # fmt: skip
_MIN_STEM = 3


@dataclass(frozen=True, slots=True)
class LexicalRelevance:
    """A relevance with what it was made of.

    Attributes
    ----------
    score : float
        In [0, 1]: the weighted share of the question's terms that the article speaks of.
    found, missing : tuple of str
        The question's terms, as stems, in order.
    """

    score: float
    found: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The weighted stems of a question, made once and used for each article."""

    weights: dict[str, float]

    @classmethod
    def of(cls, question: Question) -> QuestionTerms:
        """Collect the terms of the question's text and of the PICO that its author gave; never of options."""
        parts = [question.text]
        if question.pico:
            parts += [value for value in question.pico.model_dump().values() if value]
        weights: dict[str, float] = {}
        for word in words(" ".join(parts)):
            if word in _FUNCTION_WORDS or (len(word) == 1 and not word.isdigit()):
                continue
            root = stem(word)
            weights[root] = COMMON_WORD_WEIGHT if root in _COMMON_WORDS or word in _COMMON_WORDS else 1.0
        return cls(weights)

    def relevance(self, article: Article) -> LexicalRelevance | None:
        """Return how much of the question the article speaks of; ``None`` without terms or without text.

        score = sum(w_t c_t) / sum(w_t), with w_t 1 for a topic word and 0.1 for a common one, and c_t 1 for
        a term in title, MeSH or keywords, 0.8 in the abstract only, 0 otherwise. It does not depend on the
        other candidates.
        """
        if not self.weights or not (article.title or article.abstract):
            return None
        headings = " ".join((*(h.descriptor for h in article.mesh), *article.keywords))
        prominent = {stem(word) for word in words(f"{article.title} {headings}")}
        mentioned = {stem(word) for word in words(article.abstract or "")}
        credit = {
            t: 1.0 if t in prominent else ABSTRACT_CREDIT if t in mentioned else 0.0 for t in self.weights
        }
        total = sum(self.weights.values())
        score = sum(weight * credit[term] for term, weight in self.weights.items()) / total
        return LexicalRelevance(
            score=min(1.0, score),
            found=tuple(term for term in self.weights if credit[term] > 0),
            missing=tuple(term for term in self.weights if credit[term] == 0),
        )


def words(text: str) -> list[str]:
    """Return the lower-case words of a text: accents dropped, Greek letters spelt out, hyphens split."""
    spelt = "".join(_greek(c) for c in text)
    folded = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode("ascii")
    return _WORD.findall(folded.lower())


def stem(word: str) -> str:
    """Return a word without plural and with American spelling; drugs' and diseases' names stay apart."""
    for british, american in _SPELLINGS:
        if british in word:
            word = word.replace(british, american)
    if len(word) > _MIN_STEM + 1:
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith(("sses", "xes", "ches", "shes")):
            return word[:-2]
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            return word[:-1]
    return word


def _greek(char: str) -> str:
    if not "Ͱ" <= char <= "Ͽ":
        return char
    name = unicodedata.name(char, "")
    return f" {name.split()[3].lower()} " if name.startswith("GREEK SMALL LETTER") else char
