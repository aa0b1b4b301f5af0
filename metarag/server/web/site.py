"""What every page needs: the session, the jobs, and what is written on it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from metarag.errors import ConfigurationError
from metarag.server.options import ServerOptions
from metarag.server.web.forms import Form, parse_form
from metarag.server.web.jobs import Jobs
from metarag.server.web.rendering import page
from metarag.server.web.security import Pace, Sessions, cookie_of, page_headers, session_name
from metarag.server.web.stored import Stored
from metarag.server.web.work import Where, Worker

PLACE_WORDS: Final[Mapping[Where, str]] = {
    Where.DEMO: "the demo corpus (eight questions, 94 studies)",
    Where.INDEX: "the local index",
    Where.PUBMED: "PubMed",
}


@dataclass(frozen=True, slots=True)
class Site:
    """The parts that pages share."""

    options: ServerOptions
    worker: Worker
    jobs: Jobs
    runs: Stored
    sessions: Sessions
    pace: Pace

    @classmethod
    def of(cls, options: ServerOptions) -> Site:
        """Put the parts together.

        Raises
        ------
        ConfigurationError
            Runs cannot be kept in the folder.
        """
        _check_folder(options.folder)
        token = options.token.get_secret_value() if options.token else None
        worker = Worker(options)
        return cls(
            options=options,
            worker=worker,
            jobs=Jobs(options.folder, worker, size=options.workers, max_waiting=options.max_waiting),
            runs=Stored(options.folder),
            sessions=Sessions(token),
            pace=Pace(options.questions_per_minute),
        )

    @property
    def places(self) -> dict[str, str]:
        """Where can be searched, with words for it."""
        return {where.value: PLACE_WORDS[where] for where in self.worker.places}

    def page(
        self,
        request: Request,
        template: str,
        values: Mapping[str, Any],
        *,
        status: int = 200,
        refresh: int | None = None,
    ) -> Response:
        """Return a page whose forms belong to the visitor's session; a new visitor gets one."""
        cookie = cookie_of(request.scope)
        is_new = not self.sessions.is_ours(cookie)
        session = self.sessions.new() if is_new or cookie is None else cookie
        answer = page(
            template,
            {**values, "form": self.sessions.form_token(session), "places": self.places},
            status=status,
            refresh=refresh,
        )
        if is_new:
            self.keep_session(request, answer, session)
        return answer

    async def form(self, request: Request) -> Form:
        """Return the form of a request, which has to come from a page of the same session.

        Raises
        ------
        RequestError
            It comes from elsewhere, or cannot be read.
        """
        form = parse_form(await request.body())
        self.sessions.check_form(cookie_of(request.scope), form.one("form"))
        return form

    def check_pace(self, request: Request) -> None:
        """Count what costs work or guesses at a token, by address.

        Raises
        ------
        RequestError
            429: it is one too many in a minute.
        """
        self.pace.check(request.client.host if request.client else "")

    def keep_session(self, request: Request, answer: Response, session: str) -> None:
        """Give a visitor a session.

        ``Lax``: with ``Strict`` whoever follows a link from a mail would come without it, and lose what they
        have open. No address changes anything when it is only opened, and every form carries a token.
        """
        answer.set_cookie(
            session_name(request.scope),
            session,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
            path="/",
        )


def go_to(path: str) -> Response:
    """Send the browser on after a form, so that a reload does not send the form again."""
    return RedirectResponse(path, status_code=303, headers=dict(page_headers("default-src 'none'")))


def _check_folder(folder: Path) -> None:
    """Tell now, not to the first who asks, that no run can be kept there."""
    existing = next((path for path in (folder, *folder.absolute().parents) if path.exists()), folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise ConfigurationError(
            f"runs cannot be kept in {folder}: {existing} cannot be written; name another --folder"
        )
