"""From a prompt and data to a request: the one place where outside text enters a message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from metarag.llm.base import ChatRequest
from metarag.llm.schemas import REFERENCE, reply_schema
from metarag.llm.untrusted import as_data
from metarag.prompts import Prompt

_PLAIN_REFERENCE = re.compile(r"pmid:[1-9]\d{0,9}")


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request, and what was noticed in the text it carries.

    Attributes
    ----------
    flags : tuple of str
        ``label: flag`` for each finding of :func:`metarag.llm.untrusted.clean`, sorted.
    suspicious : bool
        True when a text tries something or hides text; to be shown to a person.
    """

    request: ChatRequest
    flags: tuple[str, ...] = ()
    suspicious: bool = False


def article_reference(article_id: str) -> str:
    """Return a short name for an article that a model can copy and no article can choose.

    The PMID where there is one; otherwise a hash, because DOIs and host ids are outside text.
    """
    if _PLAIN_REFERENCE.fullmatch(article_id):
        return article_id
    return f"ref:{hashlib.sha256(article_id.encode()).hexdigest()[:8]}"


def prepare_prose(
    prompt: Prompt,
    data: Mapping[str, str],
    *,
    composed: Mapping[str, str],
    max_tokens: int | None = None,
    temperature: float = 0.0,
) -> ChatRequest:
    """Fill a prompt that asks for prose and shows several articles.

    Parameters
    ----------
    prompt : Prompt
        Its ``reply`` is :data:`~metarag.llm.schemas.PLAIN`.
    data : mapping of str to str
        Outside text by placeholder; treated as untrusted, also what a user typed.
    composed : mapping of str to str
        Text by placeholder that metarag wrote; outside text in it went through
        :func:`~metarag.llm.untrusted.as_data`.
    max_tokens : int or None
        ``None`` takes the prompt's limit.

    Raises
    ------
    PromptError
        The values do not fit the prompt's placeholders.
    """
    system, user = prompt.render(
        **composed, **{name: as_data(name, text).text for name, text in data.items()}
    )
    return ChatRequest(
        system=system,
        user=user,
        max_tokens=max_tokens or prompt.max_tokens,
        temperature=temperature,
        prompt=prompt.signature,
    )


def prepare(prompt: Prompt, data: Mapping[str, str], *, article_id: str, sample: int = 0) -> PreparedRequest:
    """Fill a prompt with the data of one article.

    Parameters
    ----------
    prompt : Prompt
        Its placeholders are ``article_ref`` and the keys of ``data``.
    data : mapping of str to str
        Outside text by placeholder: question, title, abstract, claim ... All of it is treated as
        untrusted, also what a user typed.
    article_id : str
        :attr:`metarag.records.Article.id`; the reply has to name it.
    sample : int
        From 0; another sample is another call.

    Raises
    ------
    PromptError
        ``data`` does not fit the prompt's placeholders.
    """
    blocks = {name: as_data(name, text) for name, text in data.items()}
    reference = article_reference(article_id)
    system, user = prompt.render(
        **{REFERENCE: reference, **{name: block.text for name, block in blocks.items()}}
    )
    request = ChatRequest(
        system=system,
        user=user,
        reply_schema=reply_schema(prompt.reply),
        must_echo={REFERENCE: reference},
        max_tokens=prompt.max_tokens,
        sample=sample,
        prompt=prompt.signature,
    )
    return PreparedRequest(
        request,
        flags=tuple(sorted(f"{name}: {flag}" for name, block in blocks.items() for flag in block.flags)),
        suspicious=any(block.suspicious for block in blocks.values()),
    )
