"""The CLIs whose sessions are held by rules: how each tells of a moment, and how it is answered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mama_bot.model import Decision, Moment, ToolCall
from mama_bot.session_hooks import claude_translation, codex_translation, gemini_translation


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCli:
    """A CLI with hooks; `reminds_before`: it hears words that are told with the permission of a call."""

    name: str
    moment_told: Callable[[Mapping[str, Any]], Moment | None]
    answer_of: Callable[[str, Decision, ToolCall | None], dict[str, Any]]
    reminds_before: bool = True


CLIS: Mapping[str, SessionCli] = MappingProxyType(
    {
        cli.name: cli
        for cli in (
            SessionCli(
                name="claude",
                moment_told=claude_translation.claude_moment,
                answer_of=claude_translation.claude_answer,
            ),
            SessionCli(
                name="gemini",
                moment_told=gemini_translation.gemini_moment,
                answer_of=gemini_translation.gemini_answer,
                reminds_before=False,
            ),
            SessionCli(
                name="codex",
                moment_told=codex_translation.codex_moment,
                answer_of=codex_translation.codex_answer,
            ),
        )
    }
)
