"""Every article of a run as a reader is shown it: what it is, why it stands where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from metarag.audit import Decision, Verdict
from metarag.design_words import finding_words
from metarag.generation.citations import citation_of
from metarag.person_stages import OVERRIDE_STAGE
from metarag.pipeline import SCORE_STAGE
from metarag.records import Article
from metarag.report.article_details import article_details
from metarag.report.marked_sentences import (
    FEW_SENTENCES,
    MOST_SENTENCES,
    QUOTED,
    SOURCE,
    MarkedSentence,
    Use,
    facts_used,
    marked_sentences,
)
from metarag.report.numbers import score
from metarag.report.plain import shorten
from metarag.report.references import Piece, article_links
from metarag.report.score_terms import Bar, Facet, bars, facets
from metarag.report.words import GRAVE_STANDINGS, STANDINGS, stage_words
from metarag.types import DesignFinding, Evidence, RetractionState, RetractionStatus

MOST_AUTHORS: Final = 3
_SHORT_TITLE, _LONG_TITLE, _REASON = 110, 400, 400
_KEPT_BY_A_PERSON: Final = "override.included"


@dataclass(frozen=True, slots=True)
class ArticleLine:
    """An article in one line, for the many that need no more.

    Attributes
    ----------
    anchor : str
        Id of its row.
    place : str
        Its rank; a dash for what was left out.
    standing_in_run : str
        Its score, or the stage that left it out with the id of the rule.
    reason : str
        Why it was left out; empty for what is ranked.
    """

    anchor: str
    place: str
    links: tuple[Piece, ...]
    title: str
    design: str
    standing: str
    standing_in_run: str
    reason: str


@dataclass(frozen=True, slots=True)
class ArticleView:
    """An article with everything that was judged of it.

    Attributes
    ----------
    title : str
        At length.
    grave : bool
        True for a standing that must not be overlooked.
    in_full : bool
        True for what the answer was made from and for what was left out: shown in full on paper, too.
    why : tuple of str
        The reasons that place it, or the one that left it out.
    lines : tuple of (str, str)
        What else there is to know, each with its name: the sum that reliability is, the reporting checks,
        all other decisions, funding, interests, where the text comes from.
    """

    line: ArticleLine
    title: str
    source: str
    grave: bool
    cited: bool
    in_full: bool
    why: tuple[str, ...]
    bars: tuple[Bar, ...]
    facets: tuple[Facet, ...]
    sentences: tuple[MarkedSentence, ...]
    lines: tuple[tuple[str, str], ...]


def article_line(item: Evidence, place: str, anchor: str, decisions: Sequence[Decision]) -> ArticleLine:
    """Return an article in one line."""
    out = next((d for d in decisions if d.verdict is Verdict.EXCLUDED), None)
    return ArticleLine(
        anchor=anchor,
        place=place,
        links=article_links(item.article) or (Piece("no PMID or DOI"),),
        title=shorten(item.article.title, _SHORT_TITLE) or "No title",
        design=finding_words(item.appraisal.design if item.appraisal else DesignFinding()),
        standing=_standing(_retraction(item)),
        standing_in_run=(
            f"Left out at: {stage_words(out.stage)} ({out.criterion})"
            if out
            else f"Score {score(item.score)}"
        ),
        reason=shorten(out.reason, _REASON) if out else "",
    )


def article_view(
    item: Evidence,
    place: str,
    anchor: str,
    decisions: Sequence[Decision],
    *,
    uses: Iterable[Use] = (),
    citations: Iterable[str] = (),
) -> ArticleView:
    """Return all that is shown of an article.

    Parameters
    ----------
    decisions : sequence of Decision
        Those on this article, in order.
    uses : iterable of Use
        What answer and synthesis took from it; sample size and design are added.
    citations : iterable of str
        What the answer cites.
    """
    by_stage = {decision.stage: decision for decision in decisions}
    fits = facets(by_stage.get("extrapolation"))
    placing = _placing(decisions, has_facets=bool(fits))
    line = article_line(item, place, anchor, decisions)
    told = tuple(shorten(decision.reason, _REASON) for decision in placing)
    has_design = any(decision.criterion == "reliability.level" for decision in placing)
    used = [*uses, *facts_used(item)]
    is_source = any(use.what in (QUOTED, SOURCE) for use in used)
    return ArticleView(
        line=line,
        title=long_title(item.article),
        source=_source(item.article),
        grave=_retraction(item).state in GRAVE_STANDINGS,
        cited=citation_of(item.article) in set(citations),
        in_full=is_source or bool(line.reason),
        why=told if has_design else (f"{line.design}.", *told),
        bars=bars(item, by_stage.get(SCORE_STAGE)),
        facets=fits,
        sentences=marked_sentences(item.article, used, most=MOST_SENTENCES if is_source else FEW_SENTENCES),
        lines=tuple(
            article_details(item, by_stage, [d for d in decisions if d not in placing], full=is_source)
        ),
    )


def long_title(article: Article) -> str:
    """Return the title, which may be anything, at a length that a page can bear."""
    return shorten(article.title, _LONG_TITLE) or "No title"


def _placing(decisions: Sequence[Decision], *, has_facets: bool) -> list[Decision]:
    """Return what left it out, or else what is worth knowing before the rest.

    A person's word always is. Eligibility and relevance say little of an article that stays, the score only
    repeats the number, and where the facets are shown one by one their sum needs no words.
    """
    out = [d for d in decisions if d.verdict is Verdict.EXCLUDED]
    quiet = {"eligibility", "relevance", OVERRIDE_STAGE, SCORE_STAGE}
    quiet |= {"extrapolation"} if has_facets else set()
    return out or [
        d
        for d in decisions
        if d.criterion == _KEPT_BY_A_PERSON or (d.stage not in quiet and d.verdict is Verdict.INCLUDED)
    ]


def _source(article: Article) -> str:
    names = [author.short_name for author in article.authors[:MOST_AUTHORS] if author.short_name]
    authors = ", ".join(names) + (" et al." if len(article.authors) > MOST_AUTHORS else "")
    journal = article.journal.abbreviation or article.journal.title or ""
    year = str(article.year) if article.year else "year not known"
    volume = article.journal.volume or ""
    pages = f":{article.journal.pages}" if article.journal.pages else ""
    where = " ".join(part for part in (journal, year) if part) + (f";{volume}{pages}" if volume else "")
    return shorten(". ".join(part.rstrip(".") for part in (authors, where) if part) + ".", _LONG_TITLE)


def _retraction(item: Evidence) -> RetractionStatus:
    return item.appraisal.retraction if item.appraisal else RetractionStatus()


def _standing(status: RetractionStatus) -> str:
    if status.state in (RetractionState.NONE_SEEN, RetractionState.NOT_CHECKED):
        return STANDINGS[status.state]
    detail = f" ({status.detail})" if status.detail else ""
    return shorten(STANDINGS[status.state] + detail, _REASON)


def decisions_by_key(decisions: Iterable[Decision]) -> Mapping[str, list[Decision]]:
    """Return the decisions on each article, in order; one pass, because a run may hold 100,000."""
    found: dict[str, list[Decision]] = {}
    for decision in decisions:
        found.setdefault(decision.key, []).append(decision)
    return found
