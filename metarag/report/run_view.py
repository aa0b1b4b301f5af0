"""What has to be known to make the same run again, and who disagreed with it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Final

from metarag.audit import AuditTrail, Override
from metarag.report.comparison import Comparison
from metarag.report.numbers import NOT_ASSESSED, count
from metarag.report.plain import shorten
from metarag.report.references import Piece, References
from metarag.report.words import VERDICTS, stage_words
from metarag.runs import RunRecord

NONE = "none"
_NOT_ARTICLES: Final = {"question": "The question", "settings": "The settings"}
"""Keys of overrides that are no article."""


@dataclass(frozen=True, slots=True)
class RunView:
    """The reproducibility block.

    Attributes
    ----------
    facts, settings, prompts : tuple of (str, str)
        Names and values.
    models : tuple of str
        What each stage asked of a language model; empty without one.
    digest : str
        SHA-256 of the run file.
    """

    facts: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    prompts: tuple[tuple[str, str], ...]
    models: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class OverrideView:
    """A person's disagreement with a run: of what, what they want instead, who, why, when."""

    link: Piece
    change: str
    author: str
    reason: str
    when: str


@dataclass(frozen=True, slots=True)
class OverridesView:
    """Who overrode what, and what it changed.

    Attributes
    ----------
    changes : tuple of (Piece, str)
        Article and how its place changed against the run before.
    shifted : str
        How many more articles only moved up or down; empty for none.
    answers : tuple of (str, tuple of str)
        ``Before`` and ``Now`` with the lines of the answer; empty where it is the same or not known.
    compared_with : str
        Id of the run before; empty where it was not compared.
    not_compared : str
        Id of the run before where that one was not at hand; else empty.
    """

    overrides: tuple[OverrideView, ...]
    changes: tuple[tuple[Piece, str], ...]
    shifted: str
    answers: tuple[tuple[str, tuple[str, ...]], ...]
    compared_with: str
    not_compared: str


def file_digest(run: RunRecord) -> str:
    """Return the SHA-256 of the file that :func:`metarag.runs.save_run` writes of a run."""
    return hashlib.sha256(f"{run.model_dump_json(indent=1)}\n".encode()).hexdigest()


def run_view(run: RunRecord, *, digest: str | None = None) -> RunView:
    """Return the reproducibility block.

    Parameters
    ----------
    digest : str or None
        SHA-256 of the run file where it is known; ``None`` computes that of the file that would be saved.
    """
    audit = run.ranking.audit
    return RunView(
        facts=tuple(_facts(run)),
        settings=tuple(_shown(audit.signature.settings)),
        prompts=tuple(sorted(audit.signature.prompts.items())),
        models=tuple(_models(audit)),
        digest=digest or file_digest(run),
    )


def _facts(run: RunRecord) -> Iterator[tuple[str, str]]:
    signature = run.ranking.audit.signature
    yield "Run", run.id
    if run.parent:
        yield "Changes run", f"{run.parent.id} (SHA-256 of its content {run.parent.sha256})"
    yield "Made at", f"{run.created_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    yield "Format of the run file", run.schema_id
    yield "metarag", signature.metarag
    yield "Preset", signature.preset or NONE
    yield "Stages", ", ".join(signature.stages) or NONE
    yield "Version of the appraisal rules", signature.appraisal or NOT_ASSESSED
    yield "Digest of the evidence levels", signature.evidence_levels or "not used"
    yield "Answer made by", run.answer.generator if run.answer else "no answer was asked for"
    yield "Language model asked for", signature.model_asked or NONE
    yield "Language model that answered", signature.model_answered or NONE


def _shown(settings: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        if isinstance(value, bool):
            yield name, "yes" if value else "no"
        else:
            yield name, "default" if value is None else shorten(str(value), 200) or NONE


def _models(audit: AuditTrail) -> Iterator[str]:
    for stage, use in audit.model_use.items():
        answered = f"; {', '.join(use.answered)} answered" if use.answered else ""
        yield (
            f"{stage_words(stage)}: {count(use.asked, 'call')}, {use.failed:,} failed,"
            f" {use.suspicious:,} texts not sent{answered}"
        )


def overrides_view(
    run: RunRecord, comparison: Comparison | None, references: References
) -> OverridesView | None:
    """Return who overrode what and what it changed; ``None`` where nobody did and nothing is compared."""
    audit = run.ranking.audit
    if not audit.overrides and comparison is None:
        return None
    return OverridesView(
        overrides=tuple(_override(each, references) for each in audit.overrides),
        changes=tuple(
            (references.to(move.key), move.words) for move in (comparison.moves if comparison else ())
        ),
        shifted=comparison.shifted_words if comparison else "",
        answers=tuple(_answers(comparison)),
        compared_with=comparison.parent if comparison else "",
        not_compared=run.parent.id if run.parent and comparison is None else "",
    )


def _override(each: Override, references: References) -> OverrideView:
    wanted = VERDICTS[each.verdict] if each.verdict else shorten(each.change or "", 2_000)
    about = _NOT_ARTICLES.get(each.key)
    return OverrideView(
        link=Piece(about) if about else references.to(each.key),
        change=wanted,
        author=shorten(each.author, 200),
        reason=shorten(each.reason, 2_000),
        when=f"{each.timestamp.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
    )


def _answers(comparison: Comparison | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    if comparison is None or comparison.answer_before == comparison.answer_now:
        return
    for name, text in (("Before", comparison.answer_before), ("Now", comparison.answer_now)):
        yield name, tuple(shorten(line, 2_000) for line in (text or "No answer.").splitlines())
