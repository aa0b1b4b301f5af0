"""How the stand-in for PubMed answers when nothing is wrong, with PubMed's silent habits."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape

from entrez_records import Entry
from pubmed_builders import article_set

CAP = 9_999
Parameters = dict[str, list[str]]
BEYOND = (
    "Search Backend failed: Exception:\n'retstart' cannot be larger than 9998. For PubMed, ESearch can only"
    " retrieve the first 9,999 records matching the query."
)
_TOKEN = re.compile(r'"[^"]*"(?:\[[^\]]*\])?|\(|\)|[^\s()"]+(?:\[[^\]]*\])?')


@dataclass
class Answer:
    body: bytes
    status: int = 200
    type: str = "text/xml; charset=UTF-8"


@dataclass
class Model:
    """A small PubMed over some records."""

    entries: Sequence[Entry]
    sessions: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_pmid = {entry.pmid: entry for entry in self.entries}

    def answer(self, utility: str, parameters: Parameters) -> Answer:
        known = {
            "esearch.fcgi": self.esearch,
            "efetch.fcgi": self.efetch,
            "esummary.fcgi": self.esummary,
            "epost.fcgi": self.epost,
            "elink.fcgi": self.elink,
            "espell.fcgi": self.espell,
            "einfo.fcgi": self.einfo,
        }
        if utility not in known:
            return Answer(b"<html><body>Not here</body></html>", 404, "text/html")
        return known[utility](parameters)

    def esearch(self, parameters: Parameters) -> Answer:
        as_json = one(parameters, "retmode") == "json"
        start, asked = int(one(parameters, "retstart", "0")), int(one(parameters, "retmax", "20"))
        if start > CAP - 1:
            return (
                json_answer({"esearchresult": {"ERROR": BEYOND}})
                if as_json
                else error("eSearchResult", BEYOND)
            )
        search = Search(self.entries, one(parameters, "term"))
        hits = within(search.hits, parameters)
        if one(parameters, "sort") != "relevance":
            hits.sort(key=lambda e: e.entered, reverse=True)
        shown = [e.pmid for e in hits[start : min(start + asked, CAP)]]
        extra = ""
        if one(parameters, "usehistory") == "y":
            name = f"MCID_{len(self.sessions)}"
            self.sessions[name] = [e.pmid for e in hits]
            extra = f"<QueryKey>1</QueryKey><WebEnv>{name}</WebEnv>"
        notices = "".join(f"<OutputMessage>{m}</OutputMessage>" for m in notices_of(hits, asked))
        lost = "".join(f"<PhraseNotFound>{escape(p)}</PhraseNotFound>" for p in search.unknown)
        body = (
            f"<eSearchResult><Count>{len(hits)}</Count><RetMax>{len(shown)}</RetMax><RetStart>{start}</RetStart>"
            f"{extra}<IdList>{''.join(f'<Id>{p}</Id>' for p in shown)}</IdList><TranslationSet/>"
            f"<QueryTranslation>{escape(search.translation)}</QueryTranslation>"
            + (f"<ErrorList>{lost}</ErrorList>" if lost else "")
            + (f"<WarningList>{notices}</WarningList>" if notices else "")
            + "</eSearchResult>"
        )
        return Answer(f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'.encode())

    def efetch(self, parameters: Parameters) -> Answer:
        if one(parameters, "retmode") != "xml":
            return Answer(b"1. Text as PubMed shows it.", 200, "text/plain")
        if session := one(parameters, "WebEnv"):
            start, count = int(one(parameters, "retstart", "0")), int(one(parameters, "retmax", "20"))
            if session not in self.sessions:
                return error("eFetchResult", "Unable to obtain query #1", 400)
            if start > CAP - 1:
                said = f"Search backend cannot retrieve history data. Reason: {BEYOND}"
                return error("eFetchResult", said, 400)
            wanted = self.sessions[session][start : min(start + count, CAP)]
        else:
            wanted = one(parameters, "id").split(",")
        if not any(wanted):
            return error("eFetchResult", "Error: empty id list - nothing todo", 400)
        return Answer(article_set(*(self.by_pmid[p].whole for p in wanted if p in self.by_pmid)))

    def esummary(self, parameters: Parameters) -> Answer:
        ids = one(parameters, "id").split(",")
        if len(ids) > 500:
            return json_answer(
                {"header": {}, "error": "Too many UIDs in request. Maximum number of UIDs is 500"}
            )
        found: dict[str, object] = {"uids": ids}
        for pmid in ids:
            entry = self.by_pmid.get(pmid)
            found[pmid] = (
                {"uid": pmid, "title": entry.title, "pubdate": str(entry.year), "source": "Ann Invent"}
                | {"authors": [{"name": "Varga I"}], "articleids": [{"idtype": "pubmed", "value": pmid}]}
                if entry
                else {"uid": pmid, "error": "cannot get document summary"}
            )
        return json_answer({"header": {"type": "esummary"}, "result": found})

    def epost(self, parameters: Parameters) -> Answer:
        name = f"MCID_{len(self.sessions)}"
        self.sessions[name] = one(parameters, "id").split(",")
        return Answer(f"<ePostResult><QueryKey>1</QueryKey><WebEnv>{name}</WebEnv></ePostResult>".encode())

    def elink(self, parameters: Parameters) -> Answer:
        name = one(parameters, "linkname")
        sets = []
        for pmid in parameters.get("id", []):
            others = [p for p in self.by_pmid if p != pmid][:3]
            links: list[object] = [pmid, *others]
            if one(parameters, "cmd") == "neighbor_score":
                links = [{"id": p, "score": 900 - i} for i, p in enumerate([pmid, *others])]
            if pmid in self.by_pmid:
                databases = [{"dbto": "pubmed", "linkname": name, "links": links}]
                sets.append({"dbfrom": "pubmed", "ids": [pmid], "linksetdbs": databases})
        return json_answer({"header": {}, "linksets": sets})

    def espell(self, parameters: Parameters) -> Answer:
        term = one(parameters, "term")
        better = escape(term.replace("feever", "fever"))
        return Answer(
            f"<eSpellResult><Database>pubmed</Database><Query>{escape(term)}</Query>"
            f"<CorrectedQuery>{better}</CorrectedQuery></eSpellResult>".encode()
        )

    def einfo(self, parameters: Parameters) -> Answer:
        title = {"name": "TITL", "fullname": "Title", "description": "Words of the title", "termcount": "12"}
        entered = {"name": "EDAT", "fullname": "Date - Entrez", "isdate": "Y", "ishidden": "N"}
        return json_answer({"einforesult": {"dbinfo": [{"dbname": "pubmed", "fieldlist": [title, entered]}]}})


class Search:
    """A query over records: AND, OR, NOT from left to right, phrases, and words that no record has dropped."""

    def __init__(self, entries: Sequence[Entry], term: str) -> None:
        self.unknown: list[str] = []
        self._entries = entries
        self._tokens = _TOKEN.findall(term)
        self.hits = sorted(self._expression(), key=lambda e: int(e.pmid))
        self.translation = " ".join(t for t in _TOKEN.findall(term) if t not in self.unknown)

    def _expression(self) -> list[Entry]:
        found: list[Entry] | None = None
        operator = "AND"
        while self._tokens:
            token = self._tokens.pop(0)
            if token == ")":
                break
            if token in ("AND", "OR", "NOT"):
                operator = token
                continue
            part = self._expression() if token == "(" else self._word(token)
            if part is None:
                continue
            if found is None:
                found = part
            elif operator == "OR":
                known = {e.pmid for e in found}
                found = [*found, *(e for e in part if e.pmid not in known)]
            else:
                inside = {e.pmid for e in part}
                found = [e for e in found if (e.pmid in inside) is (operator == "AND")]
            operator = "AND"
        return found or []

    def _word(self, token: str) -> list[Entry] | None:
        word, _, tag = token.partition("[")
        word = word.strip('"').lower()
        if tag.rstrip("]").lower() in ("filter", "sb", "pdat", "dp", "edat"):
            return None
        words = " ".join(re.findall(r"[^\W_]+", word))
        pattern = re.compile(rf"\b{re.escape(words)}" + ("" if word.endswith("*") else r"\b"))
        fits = {text: bool(pattern.search(text)) for text in {e.text for e in self._entries}}
        found = [e for e in self._entries if fits[e.text]]
        if not found:
            self.unknown.append(token)
            return None
        return found


def within(entries: Sequence[Entry], parameters: Parameters) -> list[Entry]:
    first, last = one(parameters, "mindate"), one(parameters, "maxdate")
    if not first and not last:
        return list(entries)
    if one(parameters, "datetype") == "edat":
        start = date(*map(int, f"{first}/1/1".split("/")[:3]))
        end = date(*map(int, f"{last}/12/31".split("/")[:3]))
        return [e for e in entries if start <= e.entered <= end]
    return [e for e in entries if int(first[:4]) <= e.year <= int(last[:4])]


def notices_of(hits: Sequence[Entry], asked: int) -> list[str]:
    if not hits:
        return ["No items found."]
    return [f"Restrictions achieved. start and count adjusted to 0, {CAP}"] if asked > CAP else []


def one(parameters: Parameters, name: str, default: str = "") -> str:
    return parameters.get(name, [default])[0]


def json_answer(value: object, status: int = 200) -> Answer:
    """Return JSON as PubMed makes it: a line break inside a string stays one."""
    return Answer(json.dumps(value).replace("\\n", "\n").encode(), status, "application/json")


def error(root: str, said: str, status: int = 200) -> Answer:
    return Answer(f"<{root}><ERROR>{escape(said, quote=False)}</ERROR></{root}>".encode(), status)
