"""Plain text of an XML element with inline markup: resolved on the tree, never with a pattern on a string."""

from __future__ import annotations

from xml.etree.ElementTree import Element

_MAX_MARKUP_DEPTH = 50

# Digits and signs only: letters exist as well, but "Tₘₐₓ" is found by nobody who looks for "Tmax".
_SUPERSCRIPT = str.maketrans("0123456789+-−–=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾")
_SUBSCRIPT = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_SCRIPT_CHARACTERS = frozenset(map(chr, _SUPERSCRIPT))

# How the children of a MathML element are written one after the other.
_MATH_SCRIPTS = {
    "msup": ("", "sup"),
    "msub": ("", "sub"),
    "msubsup": ("", "sub", "sup"),
    "mfrac": ("", "over"),
}
_MATH_ALTERNATIVES = frozenset({"annotation", "annotation-xml"})


def plain_text(element: Element | None) -> str | None:
    """Return all text in and below an element with white space collapsed; ``None`` when there is none.

    Superscripts and subscripts of digits and signs become Unicode ones, because plain characters change
    the meaning: ``10<sup>-3</sup>`` is 10⁻³, not 10-3; ``CO<sub>2</sub>`` is CO₂. Where Unicode lacks a
    character, ``10<sup>-3.5</sup>`` is ``10^{-3.5}`` and ``10<sup>n</sup>`` is ``10^n``. A superscript that
    is no exponent (``1<sup>st</sup>``, ``<sup>99m</sup>Tc``) and a subscript after a letter
    (``HbA<sub>1c</sub>``, ``C<sub>max</sub>``) stay plain characters, as everybody writes and searches them.
    """
    if element is None:
        return None
    text = "".join(_pieces(element)) if len(element) else element.text
    if not text:
        return None
    # Most texts need nothing done, and looking is five times as fast as doing. XML 1.0 has no other
    # white space in ASCII than these four characters.
    if text.isascii() and not ("  " in text or "\n" in text or "\t" in text or "\r" in text):
        return text.strip() or None
    return " ".join(text.split()) or None


def collapse(text: str | None) -> str | None:
    """Return the text with every run of white space as one blank; ``None`` when nothing is left."""
    return " ".join(text.split()) or None if text else None


def _pieces(element: Element) -> list[str]:
    pieces: list[str] = []
    _collect(element, pieces, 0)
    return pieces


def _collect(element: Element, pieces: list[str], depth: int) -> None:
    if depth > _MAX_MARKUP_DEPTH:
        pieces.extend(element.itertext())
        return
    if element.text:
        pieces.append(element.text)
    for child in element:
        name = child.tag.rpartition("}")[2]
        if name in ("sup", "sub"):
            _add_script(child, name, pieces, depth)
        elif name in _MATH_SCRIPTS:
            roles = _MATH_SCRIPTS[name]
            for index, part in enumerate(child):
                _add_script(part, roles[index] if index < len(roles) else "", pieces, depth)
        elif name not in _MATH_ALTERNATIVES:
            _collect(child, pieces, depth + 1)
        if child.tail:
            pieces.append(child.tail)


def _add_script(element: Element, role: str, pieces: list[str], depth: int) -> None:
    inner: list[str] = []
    _collect(element, inner, depth + 1)
    content = "".join(inner)
    bare = content.strip()
    before = next((piece[-1] for piece in reversed(pieces) if piece), " ")
    if role == "over":
        pieces.append(f"/{bare}")
    elif role and bare:
        # Blanks at the edge belong between the words, not into the exponent.
        lead = content[: len(content) - len(content.lstrip())]
        trail = content[len(content.rstrip()) :]
        pieces.extend((lead, _script(bare, role, " " if lead else before), trail))
    else:
        pieces.append(content)


def _script(text: str, role: str, before: str) -> str:
    packed = "".join(text.split())
    if _SCRIPT_CHARACTERS.issuperset(packed):
        return packed.translate(_SUPERSCRIPT if role == "sup" else _SUBSCRIPT)
    if role == "sub":
        return f"_{_grouped(text)}" if before.isdigit() else text
    is_ordinal_or_mark = (text.isalpha() and len(text) > 1) or not any(c.isalnum() for c in text)
    has_base = before.isalnum() or before in ")]}"
    return f"^{_grouped(text)}" if has_base and not is_ordinal_or_mark else text


def _grouped(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"
