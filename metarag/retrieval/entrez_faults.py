"""Tells an answer of the E-utilities from an error that came instead of one, whatever its status says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from metarag.errors import (
    PubMedHistoryError,
    PubMedIdError,
    PubMedOverloadError,
    PubMedRateLimitError,
    PubMedRecordError,
    PubMedRejectedError,
    PubMedTimeoutError,
    PubMedUnavailableError,
)
from metarag.llm.retry import retry_after
from metarag.retrieval.entrez_bodies import (
    HISTORY,
    IDS,
    NO_IDS,
    OVERLOAD,
    RATE,
    ROOT,
    beginning,
    error_text,
    holds_records,
    load_json,
)
from metarag.retrieval.entrez_http import HttpAnswer
from metarag.retrieval.foreign_content import kind_of, safe_detail

PAUSE_AFTER_LIMIT: Final = 2.0
"""Seconds after a 429 that names none; NCBI's own ``Retry-After`` is about as long."""


class Utility(NamedTuple):
    """One of the E-utilities, and what a whole answer of it begins with."""

    path: str
    root: str | None
    """Root element of an XML answer; ``None`` where only JSON is asked for."""
    takes_json: bool = False


class Trouble(StrEnum):
    """What sort of failure an exchange was."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    CONNECTION = "connection"
    BROKEN = "broken"
    RATE_LIMITED = "rate_limited"
    SERVICE = "service"
    OVERLOADED = "overloaded"
    """PubMed's own back end took too long; a smaller request may pass."""
    TOO_LARGE = "too_large"
    FOREIGN = "foreign"
    HISTORY = "history"
    IDS = "ids"
    """One of the ids is none; the request may pass without it."""
    NO_IDS = "no_ids"
    """None of the ids is one."""
    REJECTED = "rejected"


_PERMANENT: Final = frozenset(
    {Trouble.TOO_LARGE, Trouble.HISTORY, Trouble.IDS, Trouble.NO_IDS, Trouble.REJECTED}
)

_KEY = re.compile(r"api.?key", re.IGNORECASE)
_NEVER = re.compile(
    r"cannot be larger than|too many uids|empty (?:id|term)|nothing to ?do"
    r"|invalid (?:db|database) name|invalid characters|must be (?:specified|provided)|missing (?:id|term|db)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(r"backend failed|backend error|temporar|try again|unavailable|internal", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fault:
    """An exchange that brought no answer.

    Attributes
    ----------
    message : str
        Without address, key and anything of the body but a cleaned error text.
    wait : float or None
        Seconds that PubMed asked to wait.
    """

    trouble: Trouble
    message: str
    wait: float | None = None

    @property
    def is_transient(self) -> bool:
        """True when the same request may succeed later."""
        return self.trouble not in _PERMANENT

    def error(self, tries: int) -> PubMedUnavailableError | PubMedRejectedError | PubMedRecordError:
        """Return what to raise after so many tries."""
        text = f"{self.message} ({tries} tries)" if tries > 1 else self.message
        match self.trouble:
            case Trouble.RATE_LIMITED:
                return PubMedRateLimitError(text, retry_after=self.wait)
            case Trouble.TIMEOUT:
                return PubMedTimeoutError(text)
            case Trouble.HISTORY:
                return PubMedHistoryError(text)
            case Trouble.IDS | Trouble.NO_IDS:
                return PubMedIdError(text, of_all=self.trouble is Trouble.NO_IDS)
            case Trouble.REJECTED:
                return PubMedRejectedError(text)
            case Trouble.OVERLOADED | Trouble.TOO_LARGE:
                return PubMedOverloadError(text)
            case Trouble.FOREIGN:
                return PubMedRecordError(text)
        return PubMedUnavailableError(text)


def fault_of(answer: HttpAnswer, utility: Utility, *, host: str, max_bytes: int) -> Fault | None:
    """Return what is wrong with an answer; ``None`` when it is whole and what was asked for."""
    if answer.status is None:
        if answer.unreachable:
            return Fault(Trouble.UNREACHABLE, f"PubMed ({host}) cannot be reached: {answer.problem}")
        trouble = Trouble.TIMEOUT if answer.timed_out else Trouble.CONNECTION
        return Fault(trouble, f"PubMed ({host}) did not answer: {answer.problem}")
    if answer.too_large:
        limit = f"{max_bytes / 1e6:,.0f} MB"
        return Fault(Trouble.TOO_LARGE, f"an answer of PubMed is larger than {limit}; ask for fewer records")
    said = error_text(answer.body)
    if answer.status == 429 or (said is not None and RATE.search(said)):
        # Its body repeats the caller's key or address, so nothing of it is shown.
        asked = retry_after(answer.headers)
        wait = PAUSE_AFTER_LIMIT if asked is None else asked
        return Fault(
            Trouble.RATE_LIMITED,
            f"PubMed ({host}) takes no more requests for {wait:,.0f} s; other programs at this address or with"
            " this key count too",
            wait,
        )
    if said is not None:
        return _spoken(said, answer)
    return _status_fault(answer, host) or _shape_fault(answer.body, utility)


def _spoken(said: str, answer: HttpAnswer) -> Fault:
    """Sort an error by its words: PubMed sends lasting and passing ones with the same status."""
    status = answer.status or 200
    if _KEY.search(said):
        return Fault(Trouble.REJECTED, "PubMed refuses the API key; check it, or leave it out")
    text = f"PubMed answered with an error: {safe_detail(said)}"
    if NO_IDS.search(said):
        return Fault(Trouble.NO_IDS, text)
    if IDS.search(said):
        return Fault(Trouble.IDS, text)
    if _NEVER.search(said):
        return Fault(Trouble.REJECTED, text)
    if HISTORY.search(said):
        return Fault(Trouble.HISTORY, f"{text}. The search on its history server has expired; search again")
    if OVERLOAD.search(said):
        return Fault(Trouble.OVERLOADED, text, retry_after(answer.headers))
    if 400 <= status < 500 and not _PASSING.search(said):
        return Fault(Trouble.REJECTED, text)
    # An error beside records is about some of them: fewer at a time may pass.
    trouble = Trouble.OVERLOADED if holds_records(answer.body) else Trouble.SERVICE
    return Fault(trouble, text, retry_after(answer.headers))


def _status_fault(answer: HttpAnswer, host: str) -> Fault | None:
    status = answer.status or 0
    if status == 200:
        return None
    if 200 < status < 300:
        return Fault(Trouble.BROKEN, f"PubMed ({host}) sent less than a whole answer (status {status})")
    if 300 <= status < 400:
        return Fault(
            Trouble.REJECTED,
            f"{host} answered with a redirect ({status}), which is not followed; check the address",
        )
    if status >= 500 or status in (408, 425):
        return Fault(
            Trouble.SERVICE, f"PubMed ({host}) failed with status {status}", retry_after(answer.headers)
        )
    hints = {401: "check the API key", 403: "this address may be blocked", 404: "check the address"}
    hint = hints.get(status, "check what was asked for")
    return Fault(Trouble.REJECTED, f"PubMed ({host}) refused the request with status {status}; {hint}")


def _shape_fault(body: bytes, utility: Utility) -> Fault | None:
    """Find an answer that broke off, a notice of maintenance, and all else that was not asked for."""
    begin = beginning(body)
    if not begin:
        return Fault(Trouble.BROKEN, "PubMed sent an empty answer")
    if begin[:1] == b"{" and utility.takes_json:
        return (
            None
            if load_json(body) is not None
            else Fault(Trouble.BROKEN, "an answer of PubMed broke off, or is no JSON")
        )
    lower = begin[:512].lower()
    if lower.startswith((b"<!doctype html", b"<html")):
        return Fault(Trouble.SERVICE, f"PubMed sent no answer: it is {kind_of(begin)}")
    root = ROOT.search(begin)
    if utility.root is not None and begin[:1] == b"<":
        name = utility.root.encode()
        if root is not None and root[1] == name:
            is_empty = re.search(rb"<" + name + rb"\b[^<>]{0,999}/>", begin)
            whole = b"</" + name + b">" in body[-200:] or is_empty
            return None if whole else Fault(Trouble.BROKEN, "an answer of PubMed broke off before its end")
        if root is None:
            return Fault(Trouble.BROKEN, "an answer of PubMed broke off at its beginning")
    return Fault(Trouble.FOREIGN, f"PubMed sent something else than was asked for: it is {kind_of(begin)}")
