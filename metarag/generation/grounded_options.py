"""Settings of an answer that a model writes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metarag.generation.selection import SelectionOptions
from metarag.generation.snippet_models import MOST_RANKED
from metarag.llm.budget import Prices
from metarag.option_models import Options


class GroundedOptions(Options):
    """How an answer is written and checked.

    Parameters
    ----------
    cited_words, short_words : int
        Words of the cited and of the short answer at most; 150 and 200 as BioRAGent's. What is longer is
        cut behind a sentence. What code adds (the verdict on a conflict, limits) is not counted.
    short_answer : bool
        Ask for the short answer too: one more call.
    language : str
        Of the answer, in words (``French``). What code adds is in English.
    selection : SelectionOptions
        Which articles are shown.
    snippets : {'rule', 'model'}
        Who picks their sentences; a model takes one call an article.
    ranking : {'none', 'rule', 'model'}
        Whether the sentences of all articles compete for ``max_snippets`` places, and who ranks them; a
        model takes one call.
    max_snippets : int
        Places, at least 1; 20 as BioRAGent's.
    unsupported : {'mark', 'drop'}
        What becomes of a sentence that cites nothing it was given, or has a number or a quotation that its
        sources do not have.
    check_sentences : bool
        Ask the model of each sentence whether the articles it cites say so: one call a sentence and article.
    background : str or None
        Read before answering, e.g. who asks. No source of facts.
    afterword : str or None
        A task to do once the answer is finished (one more call); the answer stays as it is.
    temperature : float
        In [0, 2].
    max_tokens : int or None
        Of each text; ``None`` takes the prompt's limit.
    prices : Prices or None
        For the cost; ``None`` leaves it unknown.
    """

    cited_words: int = Field(default=150, ge=20, le=2000)
    short_words: int = Field(default=200, ge=20, le=2000)
    short_answer: bool = True
    language: str = Field(default="English", min_length=1, max_length=60)
    selection: SelectionOptions = SelectionOptions()
    snippets: Literal["rule", "model"] = "rule"
    ranking: Literal["none", "rule", "model"] = "none"
    max_snippets: int = Field(default=MOST_RANKED, ge=1, le=200)
    unsupported: Literal["mark", "drop"] = "mark"
    check_sentences: bool = False
    background: str | None = None
    afterword: str | None = None
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    max_tokens: int | None = Field(default=None, ge=1)
    prices: Prices | None = None

    @property
    def is_english(self) -> bool:
        """True where the answer is in the language of what code adds."""
        return self.language.strip().casefold().startswith("english")
