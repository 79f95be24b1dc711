"""The hooks in the settings of a CLI: written, renewed and removed, whatever else stands there."""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mama_bot.errors import ConfigurationError
from mama_bot.session_hooks.plugin import relay
from mama_bot.session_hooks.sentences import (
    CODEX_TRUST,
    GEMINI_TRUST,
    NO_JSON,
    NO_PROJECT,
    NO_TEXT,
    OF_THIS_MACHINE,
    OTHER_FORM,
    SETTINGS_UNREADABLE,
    SETTINGS_UNWRITABLE,
    SWITCHED_OFF,
    TOO_DEEP,
)
from mama_bot.wording import Said

LOCAL = Path(".claude/settings.local.json")  # of this machine, and not for git
CLI_SECONDS = 30  # more than a relay takes: the CLI lets a call run whose hook it ended


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSettings:
    """Where a CLI, by its `name`, keeps hooks: `all_of_mine` below the home directory, `project` below a project's.

    `events` are those that rules are asked about, `off` the settings that switch hooks off with their value for that,
    `seconds` what a second is in its timeouts, `trust` what a person has still to do, anywhere and in a project.
    """

    name: str
    all_of_mine: Path
    project: Path
    events: tuple[str, ...]
    off: tuple[tuple[tuple[str, ...], bool], ...] = ()
    seconds: int = 1
    home_variable: str = ""
    trust: Said | None = None
    trust_in_project: Said | None = None


SETTINGS: Mapping[str, HookSettings] = MappingProxyType(
    {
        "claude": HookSettings(
            name="Claude",
            all_of_mine=Path(".claude/settings.json"),
            project=LOCAL,
            events=(
                *("PreToolUse", "PostToolUse", "PostToolUseFailure"),
                *("SessionStart", "PreCompact", "Stop", "SubagentStop"),
            ),
            off=((("disableAllHooks",), True),),
            home_variable="CLAUDE_CONFIG_DIR",
        ),
        "gemini": HookSettings(
            name="Gemini",
            all_of_mine=Path(".gemini/settings.json"),
            project=Path(".gemini/settings.json"),
            events=("BeforeTool", "AfterTool", "SessionStart", "AfterAgent"),
            off=((("hooksConfig", "enabled"), False),),
            seconds=1_000,
            trust_in_project=GEMINI_TRUST,
        ),
        "codex": HookSettings(
            name="Codex",
            all_of_mine=Path(".codex/hooks.json"),
            project=Path(".codex/hooks.json"),
            events=("PreToolUse", "PostToolUse", "SessionStart", "PreCompact", "Stop"),
            home_variable="CODEX_HOME",
            trust=CODEX_TRUST,
            trust_in_project=CODEX_TRUST,
        ),
    }
)


def settings_file(cli: str, home: Path, project: Path | None, environment: Mapping[str, str]) -> Path:
    """Return the file with a CLI's hooks: a project's own, or the user's, which a variable of the CLI may move.

    Raises ConfigurationError where the project is no directory.
    """
    settings = SETTINGS[cli]
    if project is not None:
        if not project.is_dir():
            raise ConfigurationError(problem=NO_PROJECT, file=project)
        return project / settings.project
    if settings.home_variable and (moved := environment.get(settings.home_variable)):
        return Path(moved) / settings.all_of_mine.name
    return home / settings.all_of_mine


def install_hook(cli: str, file: Path, directory: Path, *, project: bool = False) -> tuple[Said, ...]:
    """Put our hooks there once, for a service with this data directory; return what a person has still to do.

    Where no relay is left to run, calls do not run either, and nothing else is held: Python itself ends with the
    status that blocks where its script is gone. Raises ConfigurationError.
    """
    form = SETTINGS[cli]
    settings = _without_ours(_read(file), file)
    hooks = settings.setdefault("hooks", {})
    script = str(Path(relay.__file__).absolute())
    for event in form.events:
        command = shlex.join([sys.executable, "-I", "-S", script, str(directory.absolute()), event, cli])
        command += f" || exit {relay.BLOCKING if event in relay.GATES else 0}"
        hook = {"type": "command", "command": command, "timeout": CLI_SECONDS * form.seconds}
        entry: dict[str, Any] = {"hooks": [hook]}
        hooks.setdefault(event, []).append({"matcher": "*", **entry} if "Tool" in event else entry)
    _write(file, settings)
    trust = form.trust_in_project if project else form.trust
    off = [
        SWITCHED_OFF.of(setting=".".join(path), file=file) for path, value in form.off if _at(settings, path) is value
    ]
    shared = project and file.name != LOCAL.name
    return (*off, *((trust,) if trust else ()), *((OF_THIS_MACHINE.of(file=file),) if shared else ()))


def remove_hook(file: Path) -> None:
    """Take our hooks away; raises ConfigurationError."""
    if file.exists():
        _write(file, _without_ours(_read(file), file))


def _at(settings: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        settings = settings.get(name) if isinstance(settings, Mapping) else None
    return settings


def _read(file: Path) -> Any:
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise ConfigurationError(problem=NO_JSON, file=file, line=error.lineno) from None
    except (OSError, ValueError, RecursionError) as error:
        reason = TOO_DEEP if isinstance(error, RecursionError) else getattr(error, "strerror", None) or NO_TEXT
        raise ConfigurationError(problem=SETTINGS_UNREADABLE.of(reason=reason), file=file) from None


def _without_ours(settings: Any, file: Path) -> dict[str, Any]:
    try:
        kept = {}
        for event, groups in settings.get("hooks", {}).items():
            others = [{**group, "hooks": [hook for hook in group["hooks"] if not _is_ours(hook)]} for group in groups]
            same = [new for new, old in zip(others, groups, strict=True) if new["hooks"] or not old["hooks"]]
            if same or not groups:
                kept[event] = same
        rest = {key: value for key, value in settings.items() if key != "hooks"}
    except (AttributeError, KeyError, TypeError):
        raise ConfigurationError(problem=OTHER_FORM, file=file) from None
    return {**rest, "hooks": kept} if kept else rest


def _is_ours(hook: dict[str, Any]) -> bool:
    """Whether a hook is ours, of an earlier release too: by the script that it runs."""
    command = str(hook.get("command") or "")
    return "session_hooks" in command and "relay.py" in command


def _write(file: Path, settings: dict[str, Any]) -> None:
    target = Path(os.path.realpath(file))  # settings are often a link into somebody's dotfiles
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f"{target.name}.mama-bot")
        new.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if target.exists():
            new.chmod(target.stat().st_mode & 0o777)
        new.replace(target)
    except OSError as error:
        raise ConfigurationError(problem=SETTINGS_UNWRITABLE.of(reason=error.strerror), file=file) from None
