"""Readers of single fields: a plain value in, what an article's field takes out, ``None`` where it cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final

from metarag.adapters.plain_values import MAX_ITEMS, plain
from metarag.records import can_be_year

Fields = dict[str, Any]

_TYPES: Final = (
    "Case Reports|Clinical Trial|Clinical Trial Protocol|Clinical Trial, Phase I|Clinical Trial, Phase II|"
    "Clinical Trial, Phase III|Clinical Trial, Phase IV|Comment|Comparative Study|Consensus Statement|"
    "Controlled Clinical Trial|Editorial|Equivalence Trial|Evaluation Study|Expression of Concern|Guideline|"
    "Journal Article|Letter|Meta-Analysis|Multicenter Study|Network Meta-Analysis|News|Observational Study|"
    "Practice Guideline|Pragmatic Clinical Trial|Preprint|Published Erratum|Randomized Controlled Trial|"
    "Retracted Publication|Retraction of Publication|Review|Scoping Review|Systematic Review|Twin Study|"
    "Validation Study"
).split("|")
_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "rct": "Randomized Controlled Trial",
        "randomizedtrial": "Randomized Controlled Trial",
        "randomizedclinicaltrial": "Randomized Controlled Trial",
        "casereport": "Case Reports",
        "erratum": "Published Erratum",
    }
)
_COMMA: Final = re.compile(r",(?!\s*(?:Phase\b|Veterinary\b|Non-U|U\.S|N\.I\.H|Extramural))")
_YEAR: Final = re.compile(r"(?<!\d)(1[6-9]\d\d|20\d\d)(?!\d)")
_DAY: Final = re.compile(r"(1[6-9]\d\d|20\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_PMID_IN_URL: Final = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/([1-9]\d{0,9})\b"
)
_PMID: Final = re.compile(r"(?:PMID|PubMed)?[:\s]*([1-9]\d{0,9})(?:\.0)?", re.IGNORECASE)
_SHORT_NAME: Final = re.compile(r"(?P<last>.+?),? (?P<initials>[A-Z]{1,3})\.?")
_TRUE: Final = frozenset(("true", "t", "yes", "y", "1", "retracted"))
_FALSE: Final = frozenset(("false", "f", "no", "n", "0", "not retracted"))
_NAME_KEYS: Final = ("name", "term", "descriptor", "value", "text", "title")
_LAST: Final = ("last", "lastname", "last_name", "family", "surname")
_FIRST: Final = ("initials", "given", "first", "firstname", "first_name", "forename", "fore")


def fold(key: str) -> str:
    """Return a key in lower case, letters and digits only."""
    return "".join(c for c in key.casefold() if c.isalnum())


def publication_type(name: str) -> str:
    """Return PubMed's name of a publication type, however it is spelt (``RCT``, ``MetaAnalysis``)."""
    folded = fold(name).replace("randomised", "randomized")
    known = {fold(each): each for each in _TYPES} | dict(_ALIASES)
    return known.get(folded, name)


def is_known_type(name: str) -> bool:
    """True for a publication type of PubMed's; ``pdf`` is none, whatever key it stands under."""
    return name in _TYPES


def _items(value: object) -> list[object]:
    """Return the members of a list, of a list written as JSON, or of text set apart by semicolons or bars."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, str):
        return []
    if value.lstrip().startswith("["):
        try:
            parsed = plain(json.loads(value))
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, list):
            return parsed
    return list(re.split(r"[;|\n]", value))[:MAX_ITEMS]


def _single(value: object) -> object:
    """Return the one member of a list that holds one: search engines keep every field as a list."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def read_names(value: object) -> tuple[str, ...]:
    """Return names from a list of texts or dicts, or from text."""
    names = []
    for item in _items(value):
        if isinstance(item, dict):
            item = next((item[k] for k in _NAME_KEYS if k in item), None)
        if isinstance(item, str) and (name := " ".join(item.split())):
            names.append(name)
    return tuple(names)


def read_text(value: object) -> str | None:
    """Return text."""
    value = _single(value)
    return value.strip() or None if isinstance(value, str) else None


def read_abstract(value: object) -> str | None:
    """Return text, also of an abstract in parts: a list of texts, or a dict by label."""
    if isinstance(value, dict):
        value = [f"{label.upper()}: {part}" for label, part in value.items() if isinstance(part, str)]
    if isinstance(value, list):
        value = "\n".join(part.strip() for part in value if isinstance(part, str))
    return read_text(value)


def _id(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if 0 < value < 10**10 else None
    match = _PMID.fullmatch(value.strip()) if isinstance(value, str) else None
    return match[1] if match else None


def read_pmid(value: object) -> str | None:
    """Return a PMID from a number, text, or a link to PubMed."""
    value = _single(value)
    return _id(value) or (pmid_of_links([value]) if isinstance(value, str) else None)


def read_pmcid(value: object) -> str | None:
    """Return a PMCID, also from its number alone."""
    value = _single(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"PMC{value}" if 0 < value < 10**10 else None
    return read_text(value)


def read_types(value: object) -> tuple[Fields, ...]:
    """Return publication types under PubMed's names."""
    parts = [part for name in read_names(value) for part in _COMMA.split(name) if part]
    return tuple({"name": publication_type(part.strip())} for part in parts)


def read_mesh(value: object) -> tuple[Fields, ...]:
    """Return MeSH headings with qualifiers (``Aspirin/therapeutic use*``)."""
    headings = []
    for name in read_names(value):
        descriptor, *qualifiers = name.split("/")
        headings.append(
            {
                "descriptor": descriptor.strip("* "),
                "descriptor_major": descriptor.strip().endswith("*") or name.startswith("*"),
                "qualifiers": tuple(
                    {"name": q.strip("* "), "major": "*" in q} for q in qualifiers if q.strip("* ")
                ),
            }
        )
    return tuple(heading for heading in headings if heading["descriptor"])


def read_year(value: object) -> int | None:
    """Return the year of a date, a year, a date as text or as 20150301, or of seconds since 1970 (or smaller units).

    ``None`` for anything else, and for a year in which no article can have appeared.
    """
    year = _year(_single(value))
    return year if year is not None and can_be_year(year) else None


def _year(value: object) -> int | None:
    if isinstance(value, date):
        return value.year
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if not isinstance(value, str):
        if abs(value) >= 10**8:
            return _year_of_stamp(value)
        value = str(value)
    day = _DAY.fullmatch(value.strip()) if len(value) < 20 else None
    match = day or _YEAR.search(value[:100])
    return int(match[1]) if match else None


def _year_of_stamp(value: float) -> int | None:
    for unit in (1, 10**3, 10**6, 10**9):
        # From March 1973 to 2100; the ranges of the units do not meet.
        if 10**8 <= value < 41 * 10**8 * unit and value >= 10**8 * unit:
            return datetime.fromtimestamp(value / unit, UTC).year
    return None


def read_authors(value: object) -> tuple[Fields, ...]:
    """Return authors from names (``Quill AB``), a line of names, or dicts with last and first name."""
    authors = []
    for item in _items(value):
        if isinstance(item, dict) and (last := _first_text(item, _LAST)):
            authors.append({"last": last, "initials": _first_text(item, _FIRST)})
            continue
        for name in _in_line(" ".join(read_names([item]))):
            match = _SHORT_NAME.fullmatch(name)
            last, fore = (match["last"], match["initials"]) if match else (name.split()[-1], None)
            authors.append({"last": last, "initials": fore})
    return tuple(authors[:MAX_ITEMS])


def _first_text(item: Mapping[str, object], keys: Iterable[str]) -> str | None:
    folded = {fold(key): value for key, value in item.items()}
    return next((text for key in keys if (text := read_text(folded.get(fold(key))))), None)


def _in_line(text: str) -> list[str]:
    """Return ``Quill AB, Feather C`` name by name; ``Quill, Ann`` is one."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    each_is_a_name = all(_SHORT_NAME.fullmatch(part) for part in parts)
    return parts if each_is_a_name else [text] if text else []


def read_registry(value: object) -> tuple[Fields, ...]:
    """Return registry numbers."""
    return tuple({"id": name} for name in read_names(value))


def read_journal(value: object) -> Fields | None:
    """Return a journal's title."""
    names = read_names(value if isinstance(value, (dict, list)) else [value])
    return {"title": names[0]} if names else None


def read_truth(value: object) -> bool | None:
    """Return yes or no."""
    value = _single(value)
    if isinstance(value, (bool, int, float)):
        return bool(value) if value in (0, 1) else None
    word = value.strip().casefold() if isinstance(value, str) else None
    return True if word in _TRUE else False if word in _FALSE else None


def pmid_of_links(values: Iterable[object]) -> str | None:
    """Return the PMID that links to PubMed agree on."""
    found = {m[1] for v in values if isinstance(v, str) and len(v) < 2_000 for m in _PMID_IN_URL.finditer(v)}
    return found.pop() if len(found) == 1 else None
