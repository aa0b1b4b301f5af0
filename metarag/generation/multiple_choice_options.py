"""Settings and result of choosing an option."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Literal

from pydantic import Field

from metarag.generation.answer_parts import TokenUse
from metarag.llm.budget import Prices
from metarag.option_models import Options
from metarag.records import Frozen

# Ours, by the wording of LitQA's extra option and its like; "unknown cause" is an answer.
_UNSURE = re.compile(
    r"\b(?:insufficient|inadequate|not enough|too little) (?:information|evidence|data)\b"
    r"|\bcan(?:not|'t| not) be (?:answered|determined|decided|known)\b|^\W*(?:i )?(?:do not|don't) know\b",
    re.IGNORECASE,
)


def is_unsure(option: str) -> bool:
    """True for an option that says that the question cannot be answered."""
    return _UNSURE.search(option) is not None


class MultipleChoiceOptions(Options):
    """How an option is chosen.

    Parameters
    ----------
    closed_book : bool
        Show no article: what the model knows without evidence.
    top_n : int
        Articles shown, best first, from 1 to 50. The paper reports 1 to 4 and takes the best of them on the
        test set; ours is 4, fixed beforehand.
    style : {'reasoned', 'direct'}
        A short argument and then the letter, or the letter alone.
    by : {'text', 'logprobs'}
        Read the letter from the text, or from the probabilities of the first token. These need ``direct`` and
        a server that gives them; where it does not, the text is read and a warning says so.
    min_letter_mass : float
        Probability that has to fall on letters at all for their shares to count, in [0, 1]. Ours: with less
        than a tenth the model was about to say something else.
    without_evidence : {'abstain', 'closed_book'}
        What to do when the ranking has nothing to show.
    max_characters : int
        Of one article's title and abstract; what is longer is cut at a word. Ours: 6,000 are a very long
        abstract.
    max_tokens : int or None
        Of the reply; ``None`` takes the prompt's limit. Reasoning models need several thousand.
    temperature : float
        In [0, 2].
    seed : int
        Sent to the server; another one is another run.
    prices : Prices or None
        For the cost; ``None`` leaves it unknown.

    References
    ----------
    Sun M, et al. META-RAG. arXiv 2510.24003, sections on experiments: D1 to D4.
    """

    closed_book: bool = False
    top_n: int = Field(default=4, ge=1, le=50)
    style: Literal["reasoned", "direct"] = "reasoned"
    by: Literal["text", "logprobs"] = "text"
    min_letter_mass: float = Field(default=0.1, ge=0, le=1)
    without_evidence: Literal["abstain", "closed_book"] = "abstain"
    max_characters: int = Field(default=6_000, ge=200, le=100_000)
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    seed: int = 0
    prices: Prices | None = None

    def prompt_id(self, *, closed_book: bool) -> str:
        """Return the id of the prompt that these settings take."""
        direct = self.style == "direct" or self.by == "logprobs"
        return f"choice_{'direct' if direct else 'reasoned'}{'_closed' if closed_book else ''}"


class ChoiceOutcome(StrEnum):
    """What came of asking for an option."""

    ANSWERED = "answered"
    """One of the options was chosen."""
    UNREADABLE = "unreadable"
    """The model replied, and its reply chooses no option, or more than one."""
    REFUSED = "refused"
    """The model or its provider declined."""
    ERROR = "error"
    """No reply came."""
    NO_EVIDENCE = "no_evidence"
    """There was nothing to answer from, and nothing was asked."""


class Choice(Frozen):
    """An option that a model chose, or why it chose none.

    Attributes
    ----------
    letter : str or None
        One of the question's labels. There is no default.
    method : str or None
        How the letter was read (:attr:`metarag.choices.result.ParsedAnswer.method`, or ``logprobs``).
    reason : str
        One sentence for a person.
    conflict : bool
        True when the reply gives a letter with another option's text.
    probabilities : dict of str to float, or None
        Label to its share of the first token's probability; ``None`` without log-probabilities.
    unsure : bool
        True when the chosen option says that the question cannot be answered: no wrong answer, and none.
    letter_mass : float or None
        Probability that fell on labels at all.
    shown : tuple of str
        Keys of the evidence that the model was shown, in order. Empty: closed book.
    citations : tuple of str
        Of what the model cites, those that it was shown.
    failure : str or None
        The class of a failed call (:class:`metarag.llm.base.Failure`).
    seconds : float
        From request to reply; of a cached reply, those of the first time.
    """

    letter: str | None = None
    outcome: ChoiceOutcome
    method: str | None = None
    reason: str
    conflict: bool = False
    unsure: bool = False
    probabilities: dict[str, float] | None = None
    letter_mass: float | None = Field(default=None, ge=0, le=1)
    shown: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    text: str | None = None
    failure: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict)
    usage: TokenUse | None = None
    attempts: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    warnings: tuple[str, ...] = ()

    @property
    def confidence(self) -> float | None:
        """The probability of the chosen letter among the letters; ``None`` where none is known."""
        return self.probabilities[self.letter] if self.probabilities and self.letter else None
