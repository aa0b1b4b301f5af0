"""What records among the candidates say of each other's standing: copies of one article, and notices."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from metarag.record_copies import bare_title, copies
from metarag.records import Article
from metarag.retraction import link_kind
from metarag.retraction_watch import gravest
from metarag.types import Appraisal, Evidence, RetractionState, RetractionStatus

_State = RetractionState
_OF_THE_ARTICLE: Final = frozenset(
    (_State.RETRACTED, _State.SUPERSEDED, _State.EXPRESSION_OF_CONCERN, _State.CORRECTED)
)
"""States that a copy shares; a notice's own state is not its target's."""
_OF_A_NOTICE: Final = frozenset((_State.RETRACTION_NOTICE, _State.CONCERN_NOTICE, _State.CORRECTION_NOTICE))
_LINKS: Final = {
    "retractionof": (_State.RETRACTED, "by the retraction notice"),
    "retractedandrepublishedfrom": (_State.RETRACTED, "by the article that was published instead,"),
    "expressionofconcernfor": (_State.EXPRESSION_OF_CONCERN, "by the notice of concern"),
    "erratumfor": (_State.CORRECTED, "by the correction"),
}
_TITLED: Final = {
    _State.RETRACTION_NOTICE: _LINKS["retractionof"],
    _State.CONCERN_NOTICE: _LINKS["expressionofconcernfor"],
}
_DOI: Final = re.compile(r"\b10\.\d{4,9}/[^\s,;\"'<>]+", re.IGNORECASE)
_FEWEST_WORDS: Final = 4
"""A title with fewer is shared by articles that are not one."""


def with_shared_standings(evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """Return the records, each with the gravest standing that it, its copies or a notice among them tell.

    Copies share an id or a DOI; for standing also a title of four words or more, in the same year as far as
    both are known, where one of them has neither PMID nor DOI. A notice names its target by PMID, by a DOI in
    the link's source or, without a link, by its title. A status from elsewhere says where it is from.
    """
    if not any(_state(item) in _OF_THE_ARTICLE or _tells(item) for item in evidence):
        return evidence
    told = _by_notices(evidence)
    known = [_told(item, told[item.key]) if item.key in told else item for item in evidence]
    shared: dict[str, list[RetractionStatus]] = defaultdict(list)
    for group in (*copies(known), *_namesakes(known)):
        for key, status in _within(group):
            shared[key].append(status)
    return [_told(item, shared[item.key]) if item.key in shared else item for item in known]


def _state(item: Evidence) -> RetractionState:
    return item.appraisal.retraction.state if item.appraisal else _State.NOT_CHECKED


def _tells(item: Evidence) -> bool:
    links = item.article.corrections
    return _state(item) in _OF_A_NOTICE or bool(links and any(link_kind(link) in _LINKS for link in links))


def _told(item: Evidence, statuses: Sequence[RetractionStatus]) -> Evidence:
    """Return the record with the gravest of its own and the given statuses; its own on a tie."""
    if item.appraisal is None:
        return item
    worst = gravest(item.appraisal.retraction, *statuses)
    if worst is item.appraisal.retraction:
        return item
    return item.assessed(appraisal=Appraisal(**{**dict(item.appraisal), "retraction": worst}))


def _by_notices(evidence: Sequence[Evidence]) -> dict[str, list[RetractionStatus]]:
    """Return what the notices among the records say of others, by the key of the other."""
    notices = [item for item in evidence if _tells(item)]
    if not notices:
        return {}
    targets = [(notice, list(_targets(notice))) for notice in notices]
    wanted = {name for _, named in targets for name, _ in named}
    by_title = any(name.startswith("title:") for name in wanted)
    found: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        if _state(item) not in _OF_A_NOTICE:
            for name in _names(item.article, by_title=by_title):
                if name in wanted:
                    found[name].append(item)
    told: dict[str, list[RetractionStatus]] = defaultdict(list)
    for notice, named in targets:
        for name, (state, by) in named:
            for item in found.get(name, ()):
                if item.article.id != notice.article.id:
                    detail = f"{by} {notice.article.label}"
                    told[item.key].append(_status(notice, state, detail))
    return told


def _names(article: Article, *, by_title: bool) -> Iterator[str]:
    if article.pmid:
        yield f"pmid:{article.pmid}"
    if article.doi:
        yield f"doi:{article.doi.lower()}"
    if by_title and (title := _long_title(article)):
        yield f"title:{title}"


def _targets(notice: Evidence) -> Iterator[tuple[str, tuple[RetractionState, str]]]:
    links = [
        (link, _LINKS[kind]) for link in notice.article.corrections if (kind := link_kind(link)) in _LINKS
    ]
    for link, told in links:
        if link.pmid:
            yield f"pmid:{link.pmid}", told
        for doi in _DOI.findall(link.source or ""):
            yield f"doi:{doi.rstrip('.)]').lower()}", told
    titled = _TITLED.get(_state(notice))
    if titled and not links and (title := _long_title(notice.article)):
        yield f"title:{title}", titled


def _long_title(article: Article) -> str | None:
    title = bare_title(article)
    return title if title.count(" ") >= _FEWEST_WORDS - 1 else None


def _status(source: Evidence, state: RetractionState, detail: str) -> RetractionStatus:
    name = f"another record: {source.article.label} ({source.key})"
    return RetractionStatus(state=state, source=name, as_of=source.article.date_revised, detail=detail)


def _within(group: Sequence[Evidence]) -> Iterator[tuple[str, RetractionStatus]]:
    """Yield the key of each copy to which the gravest of a group is news, and what it is told."""
    telling = [i for i in group if i.appraisal and _state(i) in _OF_THE_ARTICLE]
    statuses = [i.appraisal.retraction for i in telling if i.appraisal]
    worst = gravest(*statuses)
    if worst is None:
        return
    teller = telling[next(n for n, status in enumerate(statuses) if status is worst)]
    detail = f"its copy {teller.key} says so" + (f": {worst.detail}" if worst.detail else "")
    for item in group:
        if item is not teller and _state(item) not in _OF_A_NOTICE:
            yield item.key, _status(teller, worst.state, detail)


def _namesakes(evidence: Sequence[Evidence]) -> Iterator[tuple[Evidence, Evidence]]:
    """Yield pairs of a telling record and one of its title and year, where one has neither PMID nor DOI."""
    telling = [item for item in evidence if _state(item) in _OF_THE_ARTICLE]
    nameless = [item for item in evidence if not (item.article.pmid or item.article.doi)]
    if not telling or not nameless:
        return
    titled: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        if title := _long_title(item.article):
            titled[title].append(item)
    without = {item.key for item in nameless}
    for teller in telling:
        for other in titled.get(_long_title(teller.article) or "", ()):
            years = {teller.article.year, other.article.year} - {None}
            if other is not teller and len(years) < 2 and {teller.key, other.key} & without:
                yield teller, other
