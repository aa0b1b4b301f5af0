"""The nouns of metarag: what is asked, what is known of an article, what it is worth for the question."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, Self

from pydantic import Field, field_validator

from metarag.errors import QuestionError
from metarag.pico_types import ExtractedPico
from metarag.records import Article, Frozen, PartialDate
from metarag.reported_facts import ReportedFacts
from metarag.spans import Pico as Pico
from metarag.spans import Span as Span
from metarag.stems import ArticleStems
from metarag.unchecked import unchecked

MAX_QUESTION_LENGTH = 20_000
"""Characters. A long vignette has about 3,000; what is longer is a pasted document."""


class QuestionKind(StrEnum):
    """What sort of clinical question it is; hierarchies of evidence differ by it."""

    THERAPY = "therapy"
    PREVENTION = "prevention"
    DIAGNOSIS = "diagnosis"
    PROGNOSIS = "prognosis"
    ETIOLOGY_HARM = "etiology_harm"
    PREVALENCE = "prevalence"
    OTHER = "other"


class Question(Frozen):
    """One clinical question, with its options when it is multiple choice.

    Parameters
    ----------
    text : str
        The question in words, 1 to 20,000 characters.
    options : dict of str to str
        Letter to option text.
    pico : Pico or None
        Given by the user; wins over whatever is parsed from the text.
    kind : QuestionKind or None
        Given by the user; ``None`` lets a rule infer it.

    Raises
    ------
    QuestionError
        From :meth:`ask`, when the text is empty or too long.
    """

    text: str = Field(min_length=1, max_length=MAX_QUESTION_LENGTH)
    options: dict[str, str] = Field(default_factory=dict)
    pico: Pico | None = None
    kind: QuestionKind | None = None

    @field_validator("text")
    @classmethod
    def _has_words(cls, value: str) -> str:
        if not any(c.isalnum() for c in value):
            raise ValueError("holds no word")
        return value.strip()

    @classmethod
    def ask(cls, question: Question | str) -> Question:
        """Take a question, or make one of its text.

        Raises
        ------
        QuestionError
            It is no text, empty, not valid Unicode, holds no word, or is longer than 20,000 characters.
        """
        if isinstance(question, Question):
            return question
        if not isinstance(question, str):
            raise QuestionError(f"the question must be a str or a Question, not {type(question).__name__}")
        try:
            question.encode()
        except UnicodeEncodeError as error:
            raise QuestionError(
                f"the question is not valid Unicode at character {error.start + 1}; give it in UTF-8"
            ) from error
        if not any(c.isalnum() for c in question):
            what = "holds no word" if question.strip() else "is empty"
            raise QuestionError(f"the question {what}; ask it in words, e.g. 'Does aspirin prevent stroke?'")
        if len(question) > MAX_QUESTION_LENGTH:
            raise QuestionError(
                f"the question has {len(question):,} characters; at most {MAX_QUESTION_LENGTH:,} are taken"
            )
        return cls(text=question)


class StudyDesign(StrEnum):
    """What was done. The finest label that the record supports; :attr:`DesignFinding.labels` holds more."""

    SYSTEMATIC_REVIEW = "systematic_review"
    META_ANALYSIS = "meta_analysis"
    NETWORK_META_ANALYSIS = "network_meta_analysis"
    UMBRELLA_REVIEW = "umbrella_review"
    SCOPING_REVIEW = "scoping_review"
    NARRATIVE_REVIEW = "narrative_review"
    GUIDELINE = "guideline"
    CONSENSUS_STATEMENT = "consensus_statement"
    RANDOMIZED_TRIAL = "randomized_trial"
    N_OF_1_TRIAL = "n_of_1_trial"
    QUASI_RANDOMIZED_TRIAL = "quasi_randomized_trial"
    NON_RANDOMIZED_TRIAL = "non_randomized_trial"
    SINGLE_ARM_TRIAL = "single_arm_trial"
    CLINICAL_TRIAL = "clinical_trial"
    SECONDARY_ANALYSIS = "secondary_analysis"
    COHORT = "cohort"
    NESTED_CASE_CONTROL = "nested_case_control"
    CASE_CONTROL = "case_control"
    CROSS_SECTIONAL = "cross_sectional"
    INTERRUPTED_TIME_SERIES = "interrupted_time_series"
    BEFORE_AFTER = "before_after"
    REGISTRY = "registry"
    OBSERVATIONAL = "observational"
    MENDELIAN_RANDOMIZATION = "mendelian_randomization"
    DIAGNOSTIC_ACCURACY = "diagnostic_accuracy"
    PROGNOSTIC = "prognostic"
    MODELLING = "modelling"
    QUALITATIVE = "qualitative"
    CASE_SERIES = "case_series"
    CASE_REPORT = "case_report"
    ANIMAL = "animal"
    IN_VITRO = "in_vitro"
    PROTOCOL = "protocol"
    EDITORIAL = "editorial"
    LETTER = "letter"
    COMMENT = "comment"
    NEWS = "news"
    ERRATUM = "erratum"
    NOTICE = "notice"
    UNKNOWN = "unknown"


SYNTHESES: Final = frozenset(
    {
        StudyDesign.SYSTEMATIC_REVIEW,
        StudyDesign.META_ANALYSIS,
        StudyDesign.NETWORK_META_ANALYSIS,
        StudyDesign.UMBRELLA_REVIEW,
        StudyDesign.SCOPING_REVIEW,
        StudyDesign.NARRATIVE_REVIEW,
        StudyDesign.GUIDELINE,
        StudyDesign.CONSENSUS_STATEMENT,
    }
)
"""Designs that speak of other studies: never pooled with them."""


class SignalSource(StrEnum):
    """Where a design signal comes from."""

    PUBLICATION_TYPE = "publication_type"
    MESH = "mesh"
    TITLE = "title"
    ABSTRACT = "abstract"
    CORRECTION_LINK = "correction_link"
    REGISTRY = "registry"


class DesignSignal(Frozen):
    """One reason to think that an article has a design."""

    design: StudyDesign
    source: SignalSource
    evidence: str = Field(description="The publication type, heading or words that say so")
    weight: float = Field(ge=0, le=1)
    span: Span | None = None


class DesignFinding(Frozen):
    """The design of an article, how sure that is, and what says so.

    Attributes
    ----------
    design : StudyDesign
        ``UNKNOWN`` when nothing says anything.
    confidence : float
        In [0, 1]; 0 for ``UNKNOWN``.
    labels : tuple of str
        Finer facts: ``cluster``, ``cross_over``, ``phase_3``, ``prospective``, ``about_trials`` ...
    indexing_state : str
        ``curated``, ``automated``, ``not_indexed`` or ``unknown``: how far MeSH and types can be trusted.
    """

    design: StudyDesign = StudyDesign.UNKNOWN
    confidence: float = Field(default=0.0, ge=0, le=1)
    labels: tuple[str, ...] = ()
    signals: tuple[DesignSignal, ...] = ()
    indexing_state: str = "unknown"


class RetractionState(StrEnum):
    """What is known of a record's standing. ``NOT_CHECKED`` is not ``NONE_SEEN``."""

    RETRACTED = "retracted"
    EXPRESSION_OF_CONCERN = "expression_of_concern"
    CORRECTED = "corrected"
    SUPERSEDED = "superseded"
    RETRACTION_NOTICE = "retraction_notice"
    CONCERN_NOTICE = "concern_notice"
    CORRECTION_NOTICE = "correction_notice"
    NONE_SEEN = "none_seen"
    NOT_CHECKED = "not_checked"


class RetractionStatus(Frozen):
    """A record's standing, who says so, and as of when."""

    state: RetractionState = RetractionState.NOT_CHECKED
    source: str | None = None
    as_of: PartialDate | None = None
    detail: str | None = Field(default=None, description="E.g. the notice's citation or PMID")


class EffectEstimate(Frozen):
    """A result as printed, and on the scale it is additive on.

    Attributes
    ----------
    measure : str
        ``OR RR HR IRR RD MD SMD`` and others as reported; ``2x2`` and ``means`` for raw arm data.
    estimate, lower, upper : float or None
        As printed, RD as a proportion; ``level`` is the interval's coverage in percent.
    effect, standard_error : float or None
        On the analysis scale: natural log for ratios, as printed otherwise.
    se_source : str
        ``ci``, ``p``, ``p_bound_only``, ``se``, ``one_sided``, ``counts``, ``means`` or ``not_recoverable``.
    role : str
        ``study``, ``secondary``, ``subgroup``, ``unadjusted``, ``per_protocol``, ``pooled``, ``prior``,
        ``design``, ``diagnostic``, ``negative_control``, ``interaction`` ...
    poolable : bool
        Only a study's own effect with a recoverable standard error and no failed consistency check.
    orientation : str or None
        ``harm`` when more of the outcome is worse for the patient, ``benefit`` when better.
    events_1, total_1, events_2, total_2, mean_1, sd_1, mean_2, sd_2
        Raw arm data where printed; arm 1 is the intervention when ``arms_known``.
    """

    measure: str
    estimate: float | None = Field(default=None, allow_inf_nan=False)
    lower: float | None = Field(default=None, allow_inf_nan=False)
    upper: float | None = Field(default=None, allow_inf_nan=False)
    level: float | None = Field(default=None, gt=0, lt=100)
    scale: str = "identity"
    effect: float | None = Field(default=None, allow_inf_nan=False)
    standard_error: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    se_source: str = "not_recoverable"
    p: float | None = Field(default=None, ge=0, le=1)
    p_operator: str | None = None
    role: str = "study"
    poolable: bool = False
    flags: tuple[str, ...] = ()
    adjusted: bool | None = None
    outcome: str | None = None
    outcome_key: str | None = None
    comparison: str | None = None
    comparison_key: str | None = None
    orientation: str | None = None
    arms_known: bool = False
    events_1: int | None = Field(default=None, ge=0)
    total_1: int | None = Field(default=None, gt=0)
    events_2: int | None = Field(default=None, ge=0)
    total_2: int | None = Field(default=None, gt=0)
    mean_1: float | None = None
    sd_1: float | None = None
    mean_2: float | None = None
    sd_2: float | None = None
    span: Span
    outcome_span: Span | None = None


class SampleSize(Frozen):
    """How many took part, as printed. ``kind`` is randomised, analysed, enrolled, included, arms (their sum) or studies."""

    total: int = Field(gt=0)
    kind: str
    arms: tuple[int, ...] = ()
    span: Span


class CheckAnswer(StrEnum):
    """The closed answers of a reporting check."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    NOT_REPORTED = "not_reported"


class ReportingCheck(Frozen):
    """One item of the checklist: what the text reports, never a risk-of-bias judgement."""

    item: str
    answer: CheckAnswer
    basis: str = "rule"
    span: Span | None = None


class Appraisal(Frozen):
    """All that can be said of an article without a question; a pure function of the article.

    ``version`` names the rules that made it, so that a stored one is known to be stale; ``study_names`` are
    the names of the study as :mod:`metarag.study_names` folds them, of an article that has effects.
    """

    version: str
    article_id: str
    design: DesignFinding = DesignFinding()
    retraction: RetractionStatus = RetractionStatus()
    registry_ids: tuple[str, ...] = ()
    study_names: tuple[str, ...] = ()
    sample_size: SampleSize | None = None
    checks: tuple[ReportingCheck, ...] = ()
    effects: tuple[EffectEstimate, ...] = ()
    pico: ExtractedPico | None = None
    facts: ReportedFacts | None = None
    stems: ArticleStems | None = None


class Retrieved(Frozen):
    """An article as a retriever found it.

    Parameters
    ----------
    relevance : float or None
        In [0, 1], absolute. ``None`` lets the relevance stage judge it.
    retriever_score : float or None
        The engine's own number (BM25 ...), on its own scale; shown, never mixed.
    appraisal : Appraisal or None
        Made earlier, e.g. when the article was indexed; used if its version is the present one.
    """

    article: Article
    appraisal: Appraisal | None = None
    relevance: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    retriever_score: float | None = Field(default=None, allow_inf_nan=False)


class Evidence(Frozen):
    """An article considered for one question.

    ``None`` means *not assessed*; it never means *bad*. Scores are in [0, 1], higher is better.

    Attributes
    ----------
    key : str
        Unique within a run: the article's id, with ``#2`` and so on for repeats.
    retrieval_rank : int
        From 1, as the articles came.
    level : str or None
        The evidence level given by the hierarchy, e.g. ``metarag-2025:6``.
    """

    key: str
    article: Article
    appraisal: Appraisal | None = None
    retrieval_rank: int = Field(default=1, ge=1)
    retriever_score: float | None = Field(default=None, allow_inf_nan=False)
    relevance: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    level: str | None = None
    reliability: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    consistency: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    applicability: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    score: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)

    @property
    def stems(self) -> ArticleStems:
        """The stems of the article: those of its appraisal, or counted now."""
        stored = self.appraisal.stems if self.appraisal else None
        return ArticleStems.of(self.article) if stored is None else stored

    def assessed(self, **values: Any) -> Self:
        """Return a copy with the given fields replaced, validated; the others were validated before."""
        if type(self) is Evidence and _are_plain(values):
            return unchecked(type(self), {**self.__dict__, **values}, _EVIDENCE_FIELDS)
        # All else is left to pydantic, whose error names the model and each field that is wrong.
        return type(self)(**{**self.__dict__, **values})


# Pydantic asks for a set that is not frozen; a copy of the evidence has a copy of it.
_EVIDENCE_FIELDS: Final = set(Evidence.model_fields)
_SCORES: Final = frozenset({"relevance", "reliability", "consistency", "applicability", "score"})
_PLAIN_TYPES: Final = {"level": str, "appraisal": Appraisal}


def _are_plain(values: dict[str, Any]) -> bool:
    """True for values that pydantic would take as they are."""
    for name, value in values.items():
        is_score = name in _SCORES and (value is None or (type(value) is float and 0 <= value <= 1))
        if not is_score and type(value) is not _PLAIN_TYPES.get(name):
            return False
    return True
