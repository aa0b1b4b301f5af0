"""SciPy's special functions, loaded when the first of them is used.

They take half a second to load, which `metarag search` or the start of the pages need not wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scipy import special
else:

    class _Special:
        """Gives SciPy's functions by their names."""

        def __getattr__(self, name):
            from scipy import special

            function = getattr(special, name)
            setattr(self, name, function)
            return function

    special = _Special()

__all__ = ["special"]
