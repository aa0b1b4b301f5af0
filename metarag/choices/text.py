"""What of a model's reply can hold its answer: no reasoning, no decoration, no question it made up.

Every step is linear in the length of the text, and no step sees more than :data:`LONGEST` characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_HEAD, _TAIL = 10_000, 50_000
LONGEST = _HEAD + _TAIL
"""Characters that are read: the first 10,000 and the last 50,000. Ours: a long argument has some 20,000
characters, and a reply declares its answer at the beginning or at the end."""

_TAG_NAMES = "think|thinking|thoughts?|reasoning|reflection|scratchpad|rationale|cot|analysis|inner_monologue"
_TAG = re.compile(
    rf"[<\[◁](?P<close>/?)(?:seed:)?(?:{_TAG_NAMES})[>\]▷]"
    r"|<\|(?P<mark>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_TURN_ENDS = re.compile(r"<\|(?:eot_id|im_end|end|endoftext|im_start|start_header_id)\|>|</s>|<end_of_turn>")
_NEXT_QUESTION = re.compile(
    r"\n[ \t]{0,8}[#*>]{0,4}[ \t]{0,2}"
    r"(?:(?:next |new |another )?(?:question|example|problem|q)\b[ \t]?\d{0,4}[*]{0,2}[ \t]{0,2}[:.)]"
    r"|(?:human|user|instruction)[ \t]?[*]{0,2}:|\[INST\])",
    re.IGNORECASE,
)
_SPECIAL = re.compile(r"<\|[a-z_]{1,30}\|>|\[/?INST\]|^\s*<s>", re.IGNORECASE)
_ROLE = re.compile(r"\s*assistant[ \t]*:?[ \t]*\n")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_LATEX_FONT = re.compile(
    r"\\(?:text\w{0,6}|math\w{1,4}|boldsymbol|operatorname|bf|rm)[ \t]{0,2}\{([^{}]{0,200})\}"
)
_LATEX_BRACKET = re.compile(r"\\([()\[\]])")
_HTML = re.compile(
    r"</?(?:b|i|u|em|strong|p|br|div|span|code|mark|h[1-6])(?:\s[^<>]{0,80})?/?>", re.IGNORECASE
)
_BLANK_RUNS = re.compile(r"[ \t]{2,}")


def shortened(text: str) -> str:
    """Return the part of a text that is read; all of it up to :data:`LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def without_thoughts(text: str) -> str | None:
    """Return the text without blocks of reasoning; ``None`` when one is opened and never closed.

    Some chat templates leave out the opening tag, so all before a closing tag without one is reasoning too.
    """
    final = text.rfind(_FINAL_CHANNEL)
    if final >= 0:
        text = text[final + len(_FINAL_CHANNEL) :]
    kept: list[str] = []
    position, inside = 0, False
    for match in _TAG.finditer(text):
        closes = bool(match["close"]) or match["mark"] in ("end", "END")
        if not inside and not closes:
            kept.append(text[position : match.start()])
            inside = True
        elif closes:
            # Without an opening tag before it, what was kept so far was reasoning.
            kept = kept if inside else []
            inside = False
            position = match.end()
    return None if inside else "\n".join([*kept, text[position:]])


def own_turn(text: str) -> str:
    """Return the model's own turn without the tokens of its chat template: some go on to play the next one."""
    for match in _TURN_ENDS.finditer(text):
        if text[: match.start()].strip():
            text = text[: match.start()]
            break
    bare = _SPECIAL.sub("\n", text)
    role = _ROLE.match(bare)
    return bare[role.end() :] if role else bare


def before_next_question(text: str) -> str | None:
    """Return what stands before a question that the model made up after its answer; ``None`` if there is none."""
    for match in _NEXT_QUESTION.finditer(text):
        if text[: match.start()].strip():
            return text[: match.start()]
    return None


def plain(text: str) -> str:
    """Return the text without markup, and with one form for quotes, dashes, spaces and letters in disguise.

    Fullwidth, circled and mathematical letters become plain ones. What is struck out is left out.
    """
    if not text.isascii():
        text = text.translate(_one_form())
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if "\\" in text:
        text = _LATEX_FONT.sub(r"\1", _LATEX_FONT.sub(r"\1", text))
        text = _LATEX_BRACKET.sub(r"\1", text)
    if "</" in text or "<br" in text:
        text = _HTML.sub(" ", text)
    text = text.translate(_decoration())
    return _BLANK_RUNS.sub(" ", text).strip()


@cache
def _decoration() -> dict[int, str | None]:
    return {**dict.fromkeys(map(ord, "*`$"), None), ord("\t"): " ", ord("\v"): "\n", ord("\f"): "\n"}


@cache
def _one_form() -> dict[int, str | None]:
    """A table and not NFKC, which takes quadratic time on a long run of accents."""
    table: dict[int, str | None] = {}
    for first, last in ((0x2460, 0x24FF), (0x1D400, 0x1D7FF), (0x1F100, 0x1F149), (0xFF01, 0xFF5E)):
        for code in range(first, last + 1):
            table[code] = unicodedata.normalize("NFKC", chr(code)).replace("(", "").replace(")", "")
    for first in (0x1F150, 0x1F170, 0x1F1E6):  # negative circled, negative squared, regional indicators
        table |= {first + i: chr(65 + i) for i in range(26)}
    table |= {0xFF08: "(", 0xFF09: ")"}
    table |= dict.fromkeys(map(ord, "“”„«»「」『』"), '"')
    table |= dict.fromkeys(map(ord, "‘’‚ʼ"), "'")
    table |= dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
    table |= dict.fromkeys([0xA0, 0x3000, 0x202F, *range(0x2000, 0x200B)], " ")
    table |= dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F)], None)
    table |= dict.fromkeys([0x2060, 0xFEFF, 0xFE0F, 0x20E3, *range(0x2066, 0x206A)], None)
    table |= {ord("。"): ".", ord("、"): ",", ord("【"): "[", ord("】"): "]", ord("→"): "->", ord("İ"): "I"}
    table |= {0x2028: "\n", 0x2029: "\n", 0x85: "\n"}
    return table


def lowered(text: str) -> str:
    """Return the text in lower case, at the same positions."""
    lower = text.lower()
    return (
        lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    )
