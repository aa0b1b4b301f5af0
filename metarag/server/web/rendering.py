"""Pages from templates: everything escaped, nothing undefined, one style sheet, no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from metarag.report.html import shown, style_sheet
from metarag.report.words import sentence_case
from metarag.server.web.security import page_headers


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("metarag.server.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["sentence_case"] = sentence_case
    return made


@lru_cache(maxsize=1)
def _style() -> str:
    own = resources.files("metarag.server.web") / "templates" / "pages.css"
    return style_sheet() + own.read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'self';"
        " frame-ancestors 'none'"
    )


def page(
    template: str, values: Mapping[str, Any], *, status: int = 200, refresh: int | None = None
) -> HTMLResponse:
    """Return a page.

    Parameters
    ----------
    refresh : int or None
        Seconds after which a browser loads it again.
    """
    content = (
        _environment().get_template(template).render(**values, refresh=refresh, css=Markup(_style()))  # noqa: S704 - files of this package
    )
    return HTMLResponse(content, status_code=status, headers=dict(page_headers(_policy())))
