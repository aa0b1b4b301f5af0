"""What a person wants otherwise, read from the form of a run; and told again in words."""

from __future__ import annotations

from collections.abc import Mapping

from metarag.audit import Override
from metarag.errors import RequestError
from metarag.report.words import VERDICTS
from metarag.server.web.forms import Form
from metarag.server.web.work import Changed


def changed_by(form: Form, name: str) -> Changed:
    """Return the changes that a form asks for.

    Parameters
    ----------
    name : str
        Of the run's file.

    Raises
    ------
    RequestError
        422: name, reason or change is missing.
    """
    facets = {
        facet: text or None for facet, text in form.facets().items() if text != form.one(f"was_{facet}")
    }
    changed = Changed(
        run=name,
        author=form.one("author"),
        note=form.one("note"),
        include=(*form.all("include"), *_typed(form, "include_more")),
        exclude=(*form.all("exclude"), *_typed(form, "exclude_more")),
        pico=facets,
    )
    if not changed.author or not changed.note:
        raise RequestError(422, "say who you are and why: both stand in the report")
    if not (changed.include or changed.exclude or changed.pico):
        raise RequestError(422, f"nothing would change in {name}; mark an article or edit the question")
    return changed


def override_words(each: Override, names: Mapping[str, str]) -> str:
    """Return who changed what, when and why, in one line.

    Parameters
    ----------
    names : mapping of str to str
        Evidence key to what people call the article.
    """
    what = (
        f"{names.get(each.key, each.key)} {VERDICTS[each.verdict]}"
        if each.verdict
        else f"{each.key}: {each.change}"
    )
    return f"{each.timestamp:%Y-%m-%d %H:%M} UTC, {each.author}: {what} ({each.reason})"


def _typed(form: Form, name: str) -> tuple[str, ...]:
    """Return PMIDs and DOIs as a person types them one after another."""
    return tuple(word for part in form.one(name).split() if (word := part.strip(",;")))
