"""Who answers a person: five stages (free chat, explicit, category, keyword, default). A trigger names whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import re2

from mama_bot.config import RouterSettings, nearest
from mama_bot.errors import ConfigurationError
from mama_bot.model import AgentPersona, InboundMessage
from mama_bot.personas import find_mentions
from mama_bot.sentences import DID_YOU_MEAN, KNOWN, NO_SUCH_PERSONA
from mama_bot.similar_names import most_similar
from mama_bot.wording import Language


class RouterStage(StrEnum):
    """The stage of the router that decided."""

    TRIGGER = "trigger"
    MENU = "menu"
    FREE_CHAT = "free_chat"
    EXPLICIT = "explicit"
    CATEGORY = "category"
    KEYWORD = "keyword"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The personas that answer, in order, the stage that chose them, and a sentence for the person ("": none)."""

    personas: tuple[AgentPersona, ...]
    stage: RouterStage
    note: str = ""


class _Pattern(Protocol):
    def search(self, text: str) -> object | None: ...


class Router:
    """Chooses who answers; a pure function of the message and the settings."""

    def __init__(
        self, *, personas: Mapping[str, AgentPersona], settings: RouterSettings, source: Path | None = None
    ) -> None:
        self._personas = personas
        self._free_chat = frozenset(settings.free_chat)
        self._default = personas[settings.default_persona]
        self._categories = tuple(
            (_compile(rule.pattern, index, source), self._category_persona(rule.persona, index, source))
            for index, rule in enumerate(settings.categories)
        )
        self._keywords = tuple(
            (_keyword_pattern(persona.keywords), persona) for persona in personas.values() if persona.keywords
        )

    def route(self, message: InboundMessage) -> Route:
        """Decide who answers a message of a person; a trigger or a command names its persona itself."""
        if message.addressed_to:
            persona = self._personas.get(message.addressed_to, self._default)
            return Route(personas=(persona,), stage=RouterStage.MENU if message.request else RouterStage.TRIGGER)
        if str(message.key) in self._free_chat:
            return Route(personas=tuple(self._personas.values()), stage=RouterStage.FREE_CHAT)
        text = message.text
        addressed, unknown = self._addressed(text)
        if addressed:
            return Route(personas=addressed, stage=RouterStage.EXPLICIT)
        if unknown:
            # Somebody who is not there was meant: the default persona answers, and a line says so.
            return Route(
                personas=(self._default,), stage=RouterStage.DEFAULT, note=self._unknown(unknown, message.language)
            )
        for pattern, persona in self._categories:
            if pattern.search(text):
                return Route(personas=(persona,), stage=RouterStage.CATEGORY)
        for pattern, persona in self._keywords:
            if pattern.search(text):
                return Route(personas=(persona,), stage=RouterStage.KEYWORD)
        return Route(personas=(self._default,), stage=RouterStage.DEFAULT)

    def addressed(self, text: str) -> tuple[str, ...]:
        """Return the names of the personas that a text is for, and of those that it is for and do not exist."""
        personas, unknown = self._addressed(text)
        return (*(persona.name for persona in personas), *((unknown,) if unknown else ()))

    def _unknown(self, name: str, language: Language) -> str:
        similar = most_similar(name, self._personas)
        meant = (
            DID_YOU_MEAN.to(language, name=repr(similar))
            if similar is not None
            else KNOWN.to(language, names=", ".join(sorted(self._personas)))
        )
        return NO_SUCH_PERSONA.to(language, name=name, meant=meant, default=self._default.name)

    def _addressed(self, text: str) -> tuple[tuple[AgentPersona, ...], str]:
        """The personas named by @mention or !prefix, in order, and an @name that begins the text and is no persona."""
        mentioned: dict[str, AgentPersona] = {}
        unknown = ""
        for mention in find_mentions(text, self._personas, signs="@!"):
            if mention.persona is not None:
                mentioned.setdefault(mention.persona.name, mention.persona)
            elif text[mention.start] == "@" and not text[: mention.start].strip():
                unknown = mention.name
        return tuple(mentioned.values()), unknown

    def _category_persona(self, name: str, index: int, source: Path | None) -> AgentPersona:
        if name not in self._personas:
            raise ConfigurationError(
                problem=f"router.categories.{index}.persona: {name!r} is no persona. {nearest(name, self._personas)}",
                file=source,
            )
        return self._personas[name]


def _compile(pattern: str, index: int, source: Path | None) -> _Pattern:
    options = re2.Options()
    options.log_errors = False
    try:
        compiled: _Pattern = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if isinstance(error, re2.error) else "broken characters"
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ConfigurationError(
            problem=f"router.categories.{index}.pattern is not an RE2 pattern: {shown}. "
            "RE2 has no look-around and no back-references.",
            file=source,
        ) from None
    return compiled


def _keyword_pattern(keywords: tuple[str, ...]) -> _Pattern:
    """Whole words for Latin keywords ("debug" is not "bug"); Korean ones take particles, so only their start counts."""
    parts = []
    for keyword in keywords:
        literal = re2.escape(keyword)
        before = r"(?:^|[^\pL\pN_])"
        after = r"(?:$|[^A-Za-z0-9_])" if keyword.isascii() else ""
        parts.append(f"{before}{literal}{after}")
    compiled: _Pattern = re2.compile("(?i)" + "|".join(parts))
    return compiled
