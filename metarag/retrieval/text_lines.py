"""Lines of text formats, numbered, and the abstract sections that such formats run together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from metarag.retrieval.abstract_headings import HEADINGS, TELLING, headed_parts
from metarag.retrieval.byte_source import MAX_RECORD_BYTES

# A label as NLM prints it: capitals, then a colon, at the beginning or after the end of a sentence.
_LABEL = re.compile(r"(?:^|(?<=[.!?;)\]%\"'] ))([A-Z][A-Z0-9 &/,()'’\-]{2,79}): ")
# As authors write it: one of the usual headings with a capital, also where the space before or behind it is lost.
_WRITTEN_LABEL = re.compile(
    rf"(?:^|(?<=[.!?;)\]%\"'])\s?)((?:{HEADINGS})"
    r"(?:(?: and|,| &|/) ?[A-Za-z]+(?: [a-z]+)?)?) ?:(?: |(?=[A-Z0-9]))"
)
_ONLY_LABELS = frozenset(
    ("BACKGROUND", "OBJECTIVE", "OBJECTIVES", "AIM", "AIMS", "PURPOSE", "INTRODUCTION", "UNLABELLED")
)


def numbered_lines(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    r"""Yield line number, from 1, and line without its end (``\n``, ``\r\n`` or ``\r``).

    A line longer than a record may be is cut; what does not make sense then is reported like any damage.
    """
    number, rest = 0, b""
    for block in blocks:
        lines = (rest + block).splitlines(keepends=True)
        rest = b""
        # A line without its end goes on in the next block; a "\r" there may be half of "\r\n".
        if lines and not lines[-1].endswith(b"\n") and len(lines[-1]) <= MAX_RECORD_BYTES:
            rest = lines.pop()
        for line in lines:
            number += 1
            yield number, line.rstrip(b"\r\n")
    if rest:
        yield number + 1, rest.rstrip(b"\r\n")


def abstract_sections(text: str | None) -> list[dict[str, Any]]:
    """Split ``AIM: ... METHODS: ...`` into sections; text without labels is one section.

    Labels are capitals before a colon where a sentence begins. A single one counts only at the beginning
    and only if it is a usual one: ``DNA: ...`` is no heading. Without any, two or more different of the usual
    headings do, before a colon (``Background: ... Methods: ...``), a dash or a full stop, or alone on their
    lines (:func:`metarag.retrieval.abstract_headings.headed_parts`). Only the sign behind a heading is left out.
    """
    flat = " ".join(text.split()) if text else ""
    if not flat:
        return []
    labels = _labels(flat)
    if not labels:
        parts = headed_parts(text or "")
        return [{"text": t} | ({"label": label} if label else {}) for label, t in parts] or [{"text": flat}]
    starts = [label.start() for label in labels]
    sections = [{"text": flat[: starts[0]].strip()}] if flat[: starts[0]].strip() else []
    for label, end in zip(labels, [*starts[1:], len(flat)], strict=True):
        body = {"text": flat[label.end() : end].strip()}
        sections.append(body if label[1] == "UNLABELLED" else body | {"label": label[1]})
    return sections


def _labels(flat: str) -> list[re.Match[str]]:
    labels = list(_LABEL.finditer(flat))
    if len(labels) > 1 or (labels and labels[0].start() == 0 and labels[0][1] in _ONLY_LABELS):
        return labels
    written = list(_WRITTEN_LABEL.finditer(flat))
    names = {label[1].lower() for label in written}
    return written if len(names) > 1 and any(map(TELLING.search, names)) else []
