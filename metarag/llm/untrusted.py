"""Article text as data: cleaned of what a reader would not see, delimited, and looked at for attempts.

None of this makes a model immune. The protection is that a model answers closed questions only and
code computes the number; this keeps the text from posing as instructions, and shows that it tried.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass

_KEPT_CONTROLS = "\t\n"
_ZERO_WIDTH = frozenset(
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u2060\ufeff\ufff9\ufffa\ufffb"
)
_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# NFKC would make 109 of 10⁹ and 11⁄2 of 1½: changed numbers. These stay as they are.
_NUMBERS = ("<super>", "<sub>", "<fraction>")

_MARKUP = re.compile(
    r"</?(?:a|b|i|u|p|s|em|br|hr|tt|h[1-6]|li|ol|ul|td|th|tr|div|img|sub|sup|pre|svg|math|code|font|span|link|meta|"
    r"body|head|html|form|base|bold|style|table|tbody|thead|title|embed|input|small|button|center|iframe|italic|"
    r"object|script|strong|textarea|template|underline|blockquote)(?:[\s/][^<>]{0,500})?>|<!--|<!\[CDATA\[",
    re.IGNORECASE,
)
# Tokens of chat templates: several local servers read them as such inside a message too.
_TEMPLATE_TOKEN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>|<(?=/?(?:s|think|thinking|system|user|assistant|instructions?|tool_call|start_of_turn"
    r"|end_of_turn|bos|eos)>)|\[(?=/?INST\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"<(?=/?data-)", re.IGNORECASE)

_TARGETS = r"(?:ai|llms?|(?:large )?language models?|automated|chatbots?)"
_PATTERNS = {
    "overrides_instructions": (
        r"\b(?:ignore|disregard|forget|override|bypass|do not follow)\b[^.\n]{0,60}"
        r"\b(?:instructions?|prompts?|directives?|system message"
        r"|(?:previous|prior|above) (?:text|rules|criteria))\b"
    ),
    "speaks_as_role": r"(?m)^[ \t#*\[]{0,8}(?:system|assistant|developer)[ \t\]*]{0,4}:",
    "chat_template": (
        r"<[|｜][^|｜\s]{1,40}[|｜]>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
        r"|###[ \t]{0,2}(?:instruction|system|response)\b"
    ),
    "asks_for_a_verdict": (
        r"\b(?:rate|score|grade|rank|mark|label|judge|classify)\s{1,3}(?:this|the present|the following)"
        r"\s{1,3}(?:article|study|paper|abstract|record|document|evidence|manuscript)\b[^.\n]{0,60}"
        r"\b(?:high(?:est|ly)?|low(?:est)?|maxim\w{1,4}|top|best|first|excellent|perfect"
        r"|most reliable|yes|10)\b"
    ),
    "addresses_the_model": (
        r"\b(?:you are (?:now )?(?:an? )?(?:ai|assistant|language model|chatbot|expert|reviewer|helpful)"
        r"|as an? (?:ai|language model|llm)[, ]"
        rf"|(?:note|message|instructions?|attention)\s{{0,2}}(?:to|for)\s{{1,2}}(?:the )?{_TARGETS}"
        r"|(?:ai|llm|automated) (?:reviewer|assistant|rater|grader|system)s?\s{0,2}[:,])"
    ),
    "asks_for_the_prompt": (
        r"\b(?:reveal|print|repeat|output|show|leak)\b[^.\n]{0,40}"
        r"\b(?:system prompt|your (?:prompt|instructions|rules)|api key)\b"
    ),
    "writes_the_reply": (
        r"\{\s{0,4}[\"']\w{1,40}[\"']\s{0,4}:"
        r"|\b(?:respond|reply|answer|output)\s{1,3}only\b[^.\n]{0,40}\b(?:json|yes|support)"
    ),
    "encoded_text": r"\b[A-Za-z0-9+/]{160}",
}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without what a reader would not see.

    Attributes
    ----------
    text : str
    flags : tuple of str
        Sorted names of what was removed (``bidi_characters``, ``control_characters``,
        ``tag_characters``, ``zero_width_characters``, ``markup``) and of what the text tries
        (``overrides_instructions``, ``speaks_as_role``, ``chat_template``, ``asks_for_a_verdict``,
        ``addresses_the_model``, ``asks_for_the_prompt``, ``writes_the_reply``, ``encoded_text``,
        ``imitates_delimiter``). A flag changes nothing by itself: it is shown to a person.
    """

    text: str
    flags: tuple[str, ...] = ()

    @property
    def suspicious(self) -> bool:
        """True when the text tries something, or hides text; stray invisible characters do not count."""
        return bool(set(self.flags) - {"control_characters", "zero_width_characters", "markup"})


def clean(text: str) -> Cleaned:
    """Return ``text`` without invisible characters and markup, and flags for what it contained.

    NFKC normalisation, except for superscripts, subscripts and fractions, where it would change numbers.
    Chat template tokens and look-alikes of our delimiters are broken by a space. Comparisons such as
    ``p<0.05 and n>30`` stay. Linear in the length of the text.
    """
    visible, flags = _visible(text)
    normal = _normalised(visible)
    bare = _MARKUP.sub("", normal)
    flags |= {name for name, pattern in _PATTERNS.items() if re.search(pattern, bare, re.IGNORECASE)}
    if bare != normal:
        flags.add("markup")
    if _DELIMITER.search(bare):
        flags.add("imitates_delimiter")
    harmless = _TEMPLATE_TOKEN.sub(_spaced, _DELIMITER.sub(_spaced, bare))
    return Cleaned(harmless.strip(), tuple(sorted(flags)))


def as_data(label: str, text: str) -> Cleaned:
    """Return the cleaned text between delimiters that it cannot contain.

    Parameters
    ----------
    label : str
        What it is, in the tag: lower case letters, digits and ``_``.
    text : str
        Of an article, a question, or anything else that came from outside.

    Notes
    -----
    The delimiter's nonce is a hash of the text itself: unlike a random one it lets the same article
    hit the cache, and a text that contains its own hash cannot be made.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", label):
        raise ValueError(f"a label holds lower case letters, digits and _; got {label!r}")
    cleaned = clean(text)
    nonce = hashlib.sha256(f"{label}\0{cleaned.text}".encode()).hexdigest()[:16]
    block = f"<data-{label}-{nonce}>\n{cleaned.text}\n</data-{label}-{nonce}>"
    return Cleaned(block, cleaned.flags)


def _visible(text: str) -> tuple[str, set[str]]:
    """Return the text without invisible characters, and which kinds there were."""
    removed = {c: kind for c in set(text) if (kind := _invisible_kind(c))}
    if not removed:
        return text, set()
    kept = text.translate(
        {ord(c): " " if kind == "control_characters" else None for c, kind in removed.items()}
    )
    return kept, set(removed.values())


def _invisible_kind(character: str) -> str | None:
    if character in _KEPT_CONTROLS:
        return None
    if character in _BIDI:
        return "bidi_characters"
    code = ord(character)
    if 0xE0000 <= code <= 0xE007F:
        return "tag_characters"
    if character in _ZERO_WIDTH or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
        return "zero_width_characters"
    # Surrogates cannot be sent, private use and unassigned ones show as nothing or as a box.
    return "control_characters" if unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn", "Cf") else None


def _normalised(text: str) -> str:
    if text.isascii():
        return text
    numbers = "".join(c for c in set(text) if unicodedata.decomposition(c).startswith(_NUMBERS))
    if not numbers:
        return unicodedata.normalize("NFKC", text)
    parts = re.split(f"([{re.escape(numbers)}]+)", text)
    return "".join(p if i % 2 else unicodedata.normalize("NFKC", p) for i, p in enumerate(parts))


def _spaced(match: re.Match[str]) -> str:
    """Break a token; quotes are compared without white space, so they still match."""
    return f"{match.group()} " if match.group() != ">" else " >"
