"""What came of reading a reply: an option, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from metarag.choices.reading import Reading

_READ = {
    "json": "Read from the answer field of its JSON.",
    "bare": "The reply is the option's letter.",
    "declared": "The reply declares it.",
    "tag": "It stands in the reply's answer tag.",
    "boxed": "It stands in a box.",
    "leading": "The reply begins with it.",
    "stated": "The reply says so in a sentence.",
    "last_line": "It is the reply's last line.",
    "text": "The reply gives the option's text.",
}
_UNREADABLE = {
    "empty": "The reply is empty.",
    "reasoning": "The reply ends inside its reasoning.",
    "no_options": "The question has no options.",
    "several": "The reply names more than one option.",
    "outside": "The reply names a letter that is no option's.",
    "no_value": "The reply's answer field holds no option.",
    "withdrawn": "The reply takes its answer back.",
    "refused": "The reply declines to answer.",
    "nothing": "The reply names no option.",
}


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What a reply chooses.

    Attributes
    ----------
    letter : str or None
        One of the options' labels; ``None`` when unreadable. There is no default letter.
    method : str
        How it was read: ``json``, ``bare``, ``declared``, ``tag``, ``boxed``, ``leading``, ``stated``,
        ``last_line``, ``text``, ``lenient``. Why not: ``empty``, ``reasoning``, ``no_options``, ``several``,
        ``outside``, ``no_value``, ``withdrawn``, ``refused``, ``nothing``.
    reason : str
        One sentence for a person.
    candidates : tuple of str
        The options that were named where the answer was read, in order.
    conflict : bool
        True when the letter and the text behind it are not the same option's. The letter counts.
    """

    letter: str | None
    method: str
    reason: str
    candidates: tuple[str, ...] = ()
    conflict: bool = False

    @property
    def refused(self) -> bool:
        """True when the reply declines to answer."""
        return self.method == "refused"


def chosen(letter: str, method: str, candidates: tuple[str, ...], *, conflict: bool = False) -> ParsedAnswer:
    """Return the answer that a letter is, read in this way."""
    return ParsedAnswer(letter, method, _READ[method], candidates, conflict)


def unreadable(method: str, candidates: tuple[str, ...] = ()) -> ParsedAnswer:
    """Return the answer that is none, for this reason."""
    return ParsedAnswer(None, method, _UNREADABLE[method], candidates)


def from_reading(reading: Reading, method: str) -> ParsedAnswer:
    """Return the answer of a place that names one option; two, or a letter outside, are unreadable."""
    if reading.outside:
        return unreadable("outside")
    if len(reading.labels) != 1:
        return unreadable("several", reading.labels)
    return chosen(reading.labels[0], method, reading.labels, conflict=reading.conflict)
