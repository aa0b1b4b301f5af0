"""Which articles report the same study, where no registry number says so: its name, or its authors and size.

A pool counts each study once. Registry numbers tell most secondary reports; older trials and many
sub-studies have none, and are known by their name ("the ISIS-4 trial") or by first author and number of
participants. A link never removes an article from a ranking: it only keeps a second result of the same
people out of a pool.

References
----------
Senn (2009), BMC Med Res Methodol 9:10 (double counting); Cochrane Handbook 4.6.2 (criteria for linking
reports: trial names, registry numbers, authors, numbers of participants, dates). The windows are ours.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from metarag.pico_vocabulary import vocabulary
from metarag.records import Article
from metarag.types import SYNTHESES, Evidence

MAX_YEARS_APART = 5
"""Between reports of one study that are linked by author and size; ours."""
MIN_PARTICIPANTS = 30
"""Below it, equal numbers are too likely by chance; ours."""

# Bounded: a title of nothing but capitals would otherwise be read in the square of its length.
_NAME: Final = r"(?P<name>[A-Z][A-Za-z]{0,20}[A-Z][A-Za-z]{0,20}(?:[- ]?\d{1,2}|[- ](?:I{1,3}|IV|V|VI))?)"
_TRIAL: Final = (
    r"(?:[ -](?:randomi[sz]ed|clinical|controlled|cluster))*[ -](?:[Tt]rial|[Ss]tudy|STUDY|TRIAL)\b"
)
_IN_TITLE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Tt]he {_NAME}{_TRIAL}",
        rf"\((?:[Tt]he )?{_NAME}{_TRIAL}\)",
        rf"\({_NAME}\){_TRIAL}",
        rf"^{_NAME}(?: \([^()]*\))?:.*\b(?:[Tt]rial|[Ss]tudy|randomi[sz]ed)\b",
    )
)
_IN_ABSTRACT: Final = re.compile(rf"\b[Tt]he {_NAME}{_TRIAL} (?:was|is) (?:a|an)\b")
_IN_GROUP: Final = re.compile(
    rf"^(?:[Ff]or )?(?:[Tt]he )?{_NAME} (?:\([^()]*\) )?"
    r"(?:(?:[Tt]rial|[Ss]tudy|[Cc]ollaborative|[Ss]teering) )*"
    r"(?:[Ii]nvestigators|[Tt]rialists|(?<=[Tt]rial )[Gg]roup|(?<=[Ss]tudy )[Gg]roup|(?<=ative )[Gg]roup)\b"
)
# Groups and bodies that run many trials: their name says nothing of which.
_BODIES: Final = frozenset(
    "ACOSOG ACRIN ACTG ANZCTR CALGB CDC COG ECOG EORTC ESPAC FDA GELA GOG HOVON MRC NCCTG NCI NCIC NHLBI NHS"
    " NIH NINDS NRG NSABP RCT RTOG SWOG UKCCCR VA WHO".split()
)


def study_names(article: Article) -> frozenset[str]:
    """Return the name of the study that the article reports, folded (``ISIS4``); empty where it names none.

    Names are read where a report names its own study: title, group authors, and a sentence "the X trial was
    a ...". Two different names in these places are no name: the article speaks of several studies.
    Conditions, drugs and bodies that run many trials are not names of a study.
    """
    found = {folded for name in _spelled(article) if (folded := _folded(name)) is not None}
    return frozenset(found) if len(found) == 1 else frozenset()


def study_ids(evidence: Iterable[Evidence]) -> dict[str, frozenset[str]]:
    """Return, for each piece of appraised evidence, ids that it shares with other reports of its study.

    Parameters
    ----------
    evidence : iterable of Evidence
        In any order: the result does not depend on it.

    Returns
    -------
    dict of str to frozenset of str
        Evidence key to the article's id, its registry numbers, and what links it with others:
        ``name:ISIS4`` or ``report:smith j:1234:...``. Reports whose registry numbers differ are never linked
        by name or size. Reviews and comments have only their own ids.
    """
    items = sorted((item for item in evidence if item.appraisal is not None), key=lambda item: item.key)
    ids = {item.key: {item.article.id, *_registered(item)} for item in items}
    groups: dict[str, list[Evidence]] = defaultdict(list)
    for item in items:
        for link in _links(item):
            groups[link].append(item)
    for link, members in groups.items():
        for part, name in _parts(link, members):
            for item in part:
                ids[item.key].add(name)
    return {key: frozenset(found) for key, found in ids.items()}


def in_words(shared: Iterable[str]) -> str:
    """Return what links two reports in words for a reader; empty where an id speaks for itself."""
    kinds: Mapping[str, str] = {"name": "the study's name", "report": "first author and participants"}
    return " and ".join(sorted({kinds[k] for i in shared if (k := i.split(":", 1)[0]) in kinds}))


def _spelled(article: Article) -> Iterable[str]:
    title = article.title or ""
    for pattern in _IN_TITLE:
        yield from (match["name"] for match in pattern.finditer(title))
    for author in article.authors:
        if author.collective and (match := _IN_GROUP.search(author.collective)):
            yield match["name"]
    for section in article.abstract_sections:
        yield from (match["name"] for match in _IN_ABSTRACT.finditer(section.text))


def _folded(name: str) -> str | None:
    folded = re.sub(r"[- ]", "", name).upper()
    letters = folded.rstrip("0123456789")
    if len(letters) < 3 or letters in _BODIES or vocabulary().concepts_in(re.sub(r"[- ]?\d+$", "", name)):
        return None
    return folded


def _registered(item: Evidence) -> tuple[str, ...]:
    return item.appraisal.registry_ids if item.appraisal else ()


def _links(item: Evidence) -> Iterable[str]:
    appraisal, article = item.appraisal, item.article
    if appraisal is None or not appraisal.effects or appraisal.design.design in SYNTHESES:
        return
    yield from (f"name:{name}" for name in study_names(article))
    size = appraisal.sample_size
    author = next((a for a in article.authors if a.last), None)
    if size is None or size.kind == "studies" or size.total < MIN_PARTICIPANTS or author is None:
        return
    if article.year is not None:
        initial = (author.initials or author.fore or "")[:1]
        yield f"report:{author.last} {initial}:{size.total}".casefold()


def _parts(link: str, members: list[Evidence]) -> Iterable[tuple[list[Evidence], str]]:
    """Split a group where registry numbers or years speak against one study; single reports need no link."""
    spans = [members] if link.startswith("name:") else _by_years(members)
    for number, span in enumerate(spans):
        if len(span) > 1 and not _contradicted(span):
            yield span, f"{link}:{number}" if len(spans) > 1 else link


def _by_years(members: list[Evidence]) -> list[list[Evidence]]:
    spans: list[list[Evidence]] = []
    for item in sorted(members, key=lambda item: (item.article.year or 0, item.key)):
        if spans and (item.article.year or 0) - (spans[-1][0].article.year or 0) <= MAX_YEARS_APART:
            spans[-1].append(item)
        else:
            spans.append([item])
    return spans


def _contradicted(members: list[Evidence]) -> bool:
    registered = [set(_registered(item)) for item in members if _registered(item)]
    return any(one.isdisjoint(other) for i, one in enumerate(registered) for other in registered[i + 1 :])
