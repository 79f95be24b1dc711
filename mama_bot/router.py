"""Who answers a person: five stages in order (free chat, explicit, category, keyword, default persona)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import re2

from mama_bot.config import RouterSettings, nearest
from mama_bot.errors import ConfigurationError
from mama_bot.model import AgentPersona, InboundMessage

# A name ends where no further letter, digit, hyphen or underscore follows; Korean particles may follow a mention
# ("@reviewer에게"), so only ASCII letters count.
_ADDRESS = re2.compile(r"(?:^|[^A-Za-z0-9_@!./-])([@!])([A-Za-z][A-Za-z0-9_-]*)")


class Stage(StrEnum):
    """The stage of the router that decided."""

    FREE_CHAT = "free_chat"
    EXPLICIT = "explicit"
    CATEGORY = "category"
    KEYWORD = "keyword"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The personas that answer, in order, and the stage that chose them."""

    personas: tuple[AgentPersona, ...]
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoute:
    """Nobody can answer; `reason` is a sentence for the person."""

    reason: str


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
        self._names = _names(personas)
        self._keywords = tuple(
            (_keyword_pattern(persona.keywords), persona) for persona in personas.values() if persona.keywords
        )

    def route(self, message: InboundMessage) -> Route | NoRoute:
        """Decide who answers a message of a person."""
        if str(message.key) in self._free_chat:
            return Route(personas=tuple(self._personas.values()), stage=Stage.FREE_CHAT)
        explicit = self._explicit(message.text)
        if explicit is not None:
            return explicit
        for pattern, persona in self._categories:
            if pattern.search(message.text):
                return Route(personas=(persona,), stage=Stage.CATEGORY)
        for pattern, persona in self._keywords:
            if pattern.search(message.text):
                return Route(personas=(persona,), stage=Stage.KEYWORD)
        return Route(personas=(self._default,), stage=Stage.DEFAULT)

    def _explicit(self, text: str) -> Route | NoRoute | None:
        found: dict[str, AgentPersona] = {}
        unknown: list[str] = []
        for match in _ADDRESS.finditer(text):
            sign, name = match.group(1), match.group(2)
            persona = self._names.get(name.casefold())
            if persona is not None:
                found.setdefault(persona.name, persona)
            elif sign == "@":
                unknown.append(name)
        if found:
            return Route(personas=tuple(found.values()), stage=Stage.EXPLICIT)
        if unknown and text.lstrip().startswith("@"):
            # Addressed to somebody who is not there: answering as somebody else would surprise.
            return NoRoute(reason=f"There is no persona @{unknown[0]}. {nearest(unknown[0], self._personas)}")
        return None

    def _category_persona(self, name: str, index: int, source: Path | None) -> AgentPersona:
        if name not in self._personas:
            raise ConfigurationError(
                problem=f"router.categories.{index}.persona: {name!r} is no persona. {nearest(name, self._personas)}",
                file=source,
            )
        return self._personas[name]


def _names(personas: Mapping[str, AgentPersona]) -> Mapping[str, AgentPersona]:
    names = {persona.display_name.casefold(): persona for persona in personas.values()}
    return names | {name.casefold(): persona for name, persona in personas.items()}


def _compile(pattern: str, index: int, source: Path | None) -> _Pattern:
    try:
        compiled: _Pattern = re2.compile(pattern)
    except re2.error as error:
        raise ConfigurationError(
            problem=f"router.categories.{index}.pattern is not an RE2 pattern: {error}. "
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
