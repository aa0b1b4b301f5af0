"""Who paid for a study and what its authors declare, from the record's own fields and from the abstract.

A statement of the abstract counts under a heading of its own, or where it says that a study was paid by
somebody. That money or interests are spoken of is no statement: studies are done about both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from metarag.records import Article
from metarag.reported_facts import ConflictKind, FundingKind, ReportedConflict, ReportedFunding
from metarag.reported_text import Text, compiled, places
from metarag.spans import Span

MAX_FUNDERS: Final = 10
LONGEST: Final = 300
"""Characters of a statement that are kept."""
_RESEARCH_SUPPORT: Final = "Research Support"
_MONEY: Final = frozenset(
    "funded funding sponsored sponsor sponsorship sponsors supported financed support grant".split()
)
_INTEREST: Final = frozenset("conflict conflicts competing disclosure disclosures declaration".split())
CUES: Final = _MONEY | _INTEREST
"""Words that say that money or interests may be declared."""

# A foundation that bears the name of a company is none.
_COMPANY: Final = (
    r"\b(?:inc|ltd|limited|llc|gmbh|plc|corp|corporation|company|companies|co|s\.p\.a|pharma\w*|laboratories|biotech"
    r"|therapeutics|biosciences?|biopharma\w*|industry|manufacturers?|abbott|abbvie|allergan|almirall|amgen|astellas"
    r"|astra\s?zeneca|bayer|biogen|boehringer|bristol|celgene|chiesi|daiichi|danone|eisai|lilly|ferring|genentech"
    r"|gilead|glaxo\w*|gsk|janssen|johnson\s(?:&|and)\sjohnson|lundbeck|medtronic|menarini|merck|mylan|nestl[eé]"
    r"|novartis|novo\snordisk|organon|otsuka|pfizer|regeneron|roche|sanofi|schering|servier|shire|takeda|teva|ucb"
    r"|unilever|wyeth|zambon)\b(?!-|\s(?:foundation|stiftung|fond))"
)
# Capitals tell a funder's name from "supported by associations".
_FUNDER: Final = (
    r"\b[Gg]rants?\b|\b(?:Funds?\b|Foundation|Institut|Council|Ministry|Agency|Trust\b|Association\b|Society\b"
    r"|Universit|Program|Department|National\b|European\b|Federal\b|Government|Commission|Fellowship|NIHR?\b)"
)
_NO_MONEY: Final = (
    r"\bno\s(?:\w+\s){0,3}(?:funding|funds|financial\ssupport|sponsor|grants?)\b|\bnone\b|\bunfunded\b|\bnil\b"
    r"|\bnot\s(?:\w+\s){0,2}(?:funded|sponsored|supported)\b|\bwithout\s(?:external\s)?funding\b"
)
_PAID_BY: Final = (
    r"(?P<verb>funded|sponsored|supported|financed)\s(?:in\spart\s|entirely\s|solely\s|partly\s)?"
    r"(?:by|through|with)\s"
)
_PAID: Final = ("funded", "sponsored", "supported", "financed")
_FUNDING_WORDS: Final = (
    "funding", "study funding", "primary funding", "trial funding", "sponsor", "financial support", "source of",
    "sources of", "grant support", "support",
)  # fmt: skip
_FUNDING_HEADING: Final = (
    r"(?:(?:study|primary|trial)\s)?(?:funding|sponsors?(?:hip)?|financial\ssupport|sources?\sof\s(?:funding|support)"
    r"|grant\ssupport|support)\b[^:.\n]{0,45}:{1,2}\s?"
)
_INTEREST_WORDS: Final = (
    "conflict", "competing interest", "declaration", "disclosure", "financial disclosure", "study funding/comp",
)  # fmt: skip
_INTEREST_HEADING: Final = (
    r"(?:study\sfunding/)?(?:conflicts?\sof\sinterests?|competing\sinterests?|declarations?\sof\s(?:\w+\s)?interests?"
    r"|(?:financial\s)?disclosures?)\b[^:.\n]{0,30}:{1,2}\s?"
)
_AUTHORS_SAY: Final = (
    r"authors?\s(?:\w+\s)?(?:declared?|reported?|have|had|disclosed?|stated?)\s(?:that\s)?(?:they\s|there\s)?"
    r"(?:have\s|had\s|is\s|are\s)?(?:no|any|the\sfollowing)\s(?:\w+\s){0,3}(?:conflict|competing"
    r"|financial\s(?:interest|disclos))"
)
_NO_INTEREST: Final = (
    r"\bno\s(?!other)(?:[\w,/]+\s){0,5}?(?:conflict|competing|interest|disclosure|relationship|commercial)"
    r"|nothing\sto\s(?:disclose|declare)|\bnone\b|\bnot\shave\sany\b|\bnil\b"
)
_SOME_INTEREST: Final = (
    r"\b(?:received|receives|receiving|consult|honorari|employ|stock|shareh|fees?\b|speaker|advis|patent|royalt|licens"
    r"|licenc|lectur|owns\b|equity|founder|paid\b|board|holds\b|the\sfollowing|grants?\s(?:from|to)|funded\sby)"
)
_PART_ENDS: Final = r"[.;](?:\s|\Z)|\n"


def read_funding(article: Article, texts: Sequence[Text]) -> list[ReportedFunding]:
    """Return funders and statements on funding: the record's grants, its types, then the abstract's words."""
    fields = [("grants", grant.agency or grant.id or "") for grant in article.grants]
    fields += [
        ("publication_type", kind.name)
        for kind in article.publication_types
        if kind.name.startswith(_RESEARCH_SUPPORT)
    ]
    found = [_funding_of_field(where, words) for where, words in dict.fromkeys(fields) if words]
    for text in texts:
        found.extend(_funding_in(text))
    return found[:MAX_FUNDERS]


@lru_cache(maxsize=1_024)
def _funding_of_field(where: str, words: str) -> ReportedFunding:
    """Return what a field says; the same agencies and types stand in many records."""
    return ReportedFunding(kind=_payer(words.lower()), span=_whole(where, words))


def read_conflicts(article: Article, texts: Sequence[Text]) -> list[ReportedConflict]:
    """Return what is declared: the record's statement, then the abstract's."""
    found = []
    if statement := (article.conflict_of_interest or "").strip():
        kind = _interests(statement.lower())
        found.append(ReportedConflict(kind=kind, span=_whole("conflict_of_interest", statement)))
    for text in texts:
        said = next(_interest_statements(text), None)
        if said:
            start, end = said
            kind = _interests(text.folded[start:end])
            found.append(ReportedConflict(kind=kind, span=text.span(start, end)))
    return found


def _whole(where: str, words: str) -> Span:
    kept = words[:LONGEST]
    return Span(where=where, start=0, end=len(kept), text=kept)


def _payer(words: str) -> FundingKind:
    if compiled(_NO_MONEY).search(words):
        return FundingKind.NONE
    return FundingKind.INDUSTRY if compiled(_COMPANY).search(words) else FundingKind.NAMED


def _funding_in(text: Text) -> Iterator[ReportedFunding]:
    """Yield the statement under a heading; without one, where it is said who paid."""
    if text.words.isdisjoint(_MONEY):
        return
    said = next(_headed(text, _FUNDING_WORDS, _FUNDING_HEADING), None) or next(_paid_by(text), None)
    if said:
        start, end = said
        yield ReportedFunding(kind=_payer(text.folded[start:end]), span=text.span(start, end))


def _paid_by(text: Text) -> Iterator[tuple[int, int]]:
    """Yield where it is said who paid: "supported by our data" names nobody."""
    for literal in _PAID:
        for start in places(literal, text.folded) if literal in text.words else ():
            match = compiled(_PAID_BY).match(text.folded, start)
            if match is None:
                continue
            end = _clause_end(text.folded, match.end())
            named = compiled(_FUNDER).search(text.original, start, end)
            if (
                match["verb"] in ("funded", "sponsored")
                or named
                or compiled(_COMPANY).search(text.folded, start, end)
            ):
                yield start, end


def _interest_statements(text: Text) -> Iterator[tuple[int, int]]:
    if text.words.isdisjoint(_INTEREST):
        return
    yield from _headed(text, _INTEREST_WORDS, _INTEREST_HEADING)
    for start in places("author", text.folded):
        if match := compiled(_AUTHORS_SAY).match(text.folded, start):
            yield start, _clause_end(text.folded, match.end())


def _headed(text: Text, words: Sequence[str], heading: str) -> Iterator[tuple[int, int]]:
    """Yield what stands under a heading at the start of a line or a sentence."""
    folded = text.folded
    for literal in words:
        for start in places(literal, folded):
            if start and folded[start - 1] != "\n" and folded[max(0, start - 2) : start] != ". ":
                continue
            match = compiled(heading).match(folded, start)
            if match and match.end() < len(folded):
                line = folded.find("\n", match.end())
                yield match.end(), min(len(folded) if line < 0 else line, match.end() + LONGEST)


def _clause_end(folded: str, start: int) -> int:
    """Return where a clause ends: a full stop, a semicolon, a closing bracket or a line."""
    limit = min(len(folded), start + LONGEST)
    depth = 0
    for position in range(start, limit):
        sign = folded[position]
        if sign in ";\n" or (sign == "." and not folded[position + 1 : position + 2].strip()):
            return position
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return position
    return limit


def _interests(words: str) -> ConflictKind:
    """Return what a statement comes to: anything declared by anybody stands before "no conflict"."""
    denied = False
    for part in re.split(_PART_ENDS, words):
        if compiled(_NO_INTEREST).search(part):
            denied = True
        elif compiled(_SOME_INTEREST).search(part):
            return ConflictKind.DECLARED
    return ConflictKind.NONE if denied else ConflictKind.UNCLEAR
