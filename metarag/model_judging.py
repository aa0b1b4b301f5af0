"""Ask a language model about articles, one call each, so that no failure costs more than its own answer.

A model adds to the rules. Where its call failed, where its quote is not in the text, or where the text
tries to instruct it, the rules' judgement stands and the audit says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from metarag.audit import Measurement, ModelUse
from metarag.llm.asking import ask_all
from metarag.llm.base import ChatModel, ChatReply, ChatRequest, Failure, failed_reply
from metarag.llm.prompting import prepare
from metarag.llm.reply_schema import SchemaMismatchError
from metarag.llm.untrusted import clean
from metarag.prompts import Prompt, load_prompt
from metarag.records import Article
from metarag.types import Evidence

MAX_FAILED_SHARE = 0.2
"""Ours: with more than one call in five failed, a ranking is no longer what the user asked for."""
_SHOWN = 200
Key = tuple[str, str]
"""Of evidence, and what was asked about it."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is to be asked about one article.

    Attributes
    ----------
    data : mapping of str to str, or None
        Text by the prompt's placeholders; ``None``: there is nothing to ask.
    about : str
        Tells several questions about one article apart, e.g. a claim's id.
    """

    item: Evidence
    data: Mapping[str, str] | None
    about: str = ""

    @property
    def key(self) -> Key:
        """Under which the reply is found; unique within one round."""
        return self.item.key, self.about


@dataclass(frozen=True, slots=True)
class Round:
    """What came of asking about a number of articles. An empty one is what there is without a model.

    Attributes
    ----------
    prompt : str or None
        ``id@version``.
    replies : mapping of (evidence key, about) to ChatReply
        Of what was asked, failed replies too.
    suspicious : frozenset of str
        Keys of evidence that was not asked about: its text tries to instruct a model or hides something.
    """

    prompt: str | None = None
    replies: Mapping[Key, ChatReply] = field(default_factory=lambda: MappingProxyType({}))
    suspicious: frozenset[str] = frozenset()

    def usable(self, key: str, about: str = "") -> ChatReply | None:
        """Return the reply when there is one and it did not fail."""
        reply = self.replies.get((key, about))
        return None if reply is None or reply.failed else reply

    def shown(self, key: str, *abouts: str) -> dict[str, Measurement]:
        """Return what a decision has to say of its calls: a suspicious text, failures, or nothing."""
        if key in self.suspicious:
            return {"suspicious_text": True}
        failures: dict[str, Measurement] = {}
        for about in abouts or ("",):
            reply = self.replies.get((key, about))
            if reply and reply.failure:
                failures[f"model_failure_{about}" if about else "model_failure"] = reply.failure.value
        return failures

    def use(self, *, max_failed_share: float) -> ModelUse | None:
        """Return the figures for the audit; ``None`` without a model."""
        if self.prompt is None:
            return None
        failed = sum(reply.failed for reply in self.replies.values())
        answered = {r.model_answered for r in self.replies.values() if r.model_answered and not r.failed}
        return ModelUse(
            asked=len(self.replies),
            failed=failed,
            suspicious=len(self.suspicious),
            degraded=failed > max_failed_share * len(self.replies),
            answered=tuple(sorted(answered)),
        )

    def warnings(self, stage: str, *, max_failed_share: float) -> tuple[str, ...]:
        """Return what a person has to know: failures, a degraded run, texts that try something."""
        use = self.use(max_failed_share=max_failed_share)
        if use is None:
            return ()
        said = []
        if use.failed:
            said.append(
                f"{stage}: {use.failed} of {use.asked} calls of the model failed ({self._failures()});"
                " for these the rules' judgement stands"
            )
        if use.degraded:
            said.append(
                f"{stage}: the run is degraded, {use.failed / use.asked:.0%} of the model's calls failed and"
                f" at most {max_failed_share:.0%} may; see to the cause and run again"
            )
        if use.suspicious:
            said.append(
                f"{stage}: {use.suspicious} texts try to instruct a model or hide something"
                " (suspicious_text); they were judged by rules alone"
            )
        return tuple(said)

    def _failures(self) -> str:
        """Return the classes with their counts, and one message, which is the same for most."""
        failed = [reply for reply in self.replies.values() if reply.failed]
        counts = Counter(str(reply.failure) for reply in failed)
        classes = ", ".join(f"{name} {n}" for name, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])))
        message = " ".join((failed[0].message or "").split())[:_SHOWN]
        return f"{classes}: {message}"


NO_MODEL = Round()
"""Nobody was asked."""


class Panel:
    """A model with one prompt.

    Parameters
    ----------
    model : ChatModel
        Answers.
    prompt : str or Prompt
        Or the id of one that comes with metarag.
    """

    def __init__(self, model: ChatModel, prompt: str | Prompt) -> None:
        self.model = model
        self.prompt = load_prompt(prompt) if isinstance(prompt, str) else prompt

    @property
    def name(self) -> str:
        """``id@version`` of the prompt."""
        return f"{self.prompt.id}@{self.prompt.version}"

    @property
    def prompts(self) -> dict[str, str]:
        """The prompt's name and digest, for the audit's signature."""
        return {self.name: self.prompt.digest}

    def ask(self, inquiries: Sequence[Inquiry]) -> Round:
        """Ask about each article whose text can be sent; every call has a reply, or says why not."""
        items = {inquiry.item.key: inquiry.item for inquiry in inquiries}
        suspicious = frozenset(key for key, item in items.items() if is_suspicious(item.article))
        requests: dict[Key, ChatRequest] = {}
        for inquiry in inquiries:
            if inquiry.data is not None and inquiry.item.key not in suspicious:
                prepared = prepare(self.prompt, inquiry.data, article_id=inquiry.item.article.id)
                requests[inquiry.key] = prepared.request
        return Round(self.name, self._replies(requests), suspicious)

    def _replies(self, requests: Mapping[Key, ChatRequest]) -> dict[Key, ChatReply]:
        if not requests:
            return {}
        asked = tuple(requests.values())
        replies = ask_all(self.model, asked)
        return {
            key: _checked(reply, request)
            for (key, request), reply in zip(requests.items(), replies, strict=True)
        }


def is_suspicious(article: Article) -> bool:
    """True when title, abstract or keywords try to instruct a model, or hide text."""
    return any(clean(text).suspicious for text in (article.title, article.abstract or "", *article.keywords))


def texts_of(article: Article) -> dict[str, str]:
    """Return the parts of an article that every prompt shows."""
    return {"title": article.title, "abstract": article.abstract or ""}


def _checked(reply: ChatReply, request: ChatRequest) -> ChatReply:
    """Return the reply, failed if it is not what was asked for: anybody's model can be passed in."""
    if reply.failed or request.reply_schema is None:
        return reply
    try:
        conformed = request.reply_schema.conform(reply.parsed)
    except SchemaMismatchError as error:
        return failed_reply(Failure.SCHEMA, str(error))
    answers = conformed.value if isinstance(conformed.value, dict) else {}
    if any(answers.get(name) != value for name, value in request.must_echo.items()):
        return failed_reply(Failure.MISMATCHED, "the reply is about another article")
    return reply.model_copy(update={"parsed": answers})
