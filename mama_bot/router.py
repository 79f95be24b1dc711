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
    """The personas that answer, in order, the stage that chose them, and a sentence for the person ("": none)."""

    personas: tuple[AgentPersona, ...]
    stage: Stage
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
        self._names = _names(personas)
        self._keywords = tuple(
            (_keyword_pattern(persona.keywords), persona) for persona in personas.values() if persona.keywords
        )

    def route(self, message: InboundMessage) -> Route:
        """Decide who answers a message of a person."""
        if str(message.key) in self._free_chat:
            return Route(personas=tuple(self._personas.values()), stage=Stage.FREE_CHAT)
        addressed, unknown = self._addressed(message.text)
        if addressed:
            return Route(personas=addressed, stage=Stage.EXPLICIT)
        if unknown and message.text.lstrip().startswith("@"):
            # Somebody who is not there was meant: the default persona answers, and a line says so.
            note = f"There is no persona @{unknown}. {nearest(unknown, self._personas)} @{self._default.name} answers."
            return Route(personas=(self._default,), stage=Stage.DEFAULT, note=note)
        for pattern, persona in self._categories:
            if pattern.search(message.text):
                return Route(personas=(persona,), stage=Stage.CATEGORY)
        for pattern, persona in self._keywords:
            if pattern.search(message.text):
                return Route(personas=(persona,), stage=Stage.KEYWORD)
        return Route(personas=(self._default,), stage=Stage.DEFAULT)

    def _addressed(self, text: str) -> tuple[tuple[AgentPersona, ...], str]:
        """The personas named by @mention or !prefix, in order, and the first @name that is no persona ("": none)."""
        found: dict[str, AgentPersona] = {}
        unknown = ""
        for match in _ADDRESS.finditer(text):
            sign, name = match.group(1), match.group(2)
            persona = self._names.get(name.casefold())
            if persona is not None:
                found.setdefault(persona.name, persona)
            elif sign == "@":
                unknown = unknown or name
        return tuple(found.values()), unknown

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
