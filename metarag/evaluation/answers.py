"""Which option a model's reply chooses, and why; ``None`` where it chooses none that can be read.

:func:`parse_answer` is strict and has no default letter. :func:`mirage_compat` is lenient, as the published
numbers of MIRAGE are, and is here to reproduce them.
"""

from __future__ import annotations

from metarag.choices.mirage import mirage_compat
from metarag.choices.parser import PARSER, parse_answer
from metarag.choices.result import ParsedAnswer

__all__ = ["PARSER", "ParsedAnswer", "mirage_compat", "parse_answer"]
