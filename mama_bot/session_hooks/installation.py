"""The hook in the settings of Claude's CLI: written, renewed and removed, whatever else stands there."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from mama_bot.errors import ConfigurationError
from mama_bot.session_hooks import relay

EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionStart", "PreCompact", "Stop")
SCRIPT = Path("session_hooks") / "relay.py"
CLI_SECONDS = 30  # more than a relay takes: the CLI lets a call run whose hook it ended


def settings_file(home: Path, project: Path | None) -> Path:
    """Return the settings: a project's own of this machine, for git's eyes not meant, or the user's."""
    return home / ".claude" / "settings.json" if project is None else project / ".claude" / "settings.local.json"


def install_hook(file: Path, directory: Path) -> None:
    """Put our hooks there once, for a service with this data directory; raises ConfigurationError."""
    settings = _without_ours(_read(file), file)
    hooks = settings.setdefault("hooks", {})
    script = str(Path(relay.__file__).absolute())
    for event in EVENTS:
        command = shlex.join([sys.executable, "-I", "-S", script, str(directory.absolute()), event])
        entry: dict[str, Any] = {"hooks": [{"type": "command", "command": command, "timeout": CLI_SECONDS}]}
        hooks.setdefault(event, []).append({"matcher": "*", **entry} if "Tool" in event else entry)
    _write(file, settings)


def remove_hook(file: Path) -> None:
    """Take our hooks away; raises ConfigurationError."""
    if file.exists():
        _write(file, _without_ours(_read(file), file))


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(problem=f"These settings cannot be read, so they stay: {error}.", file=file) from None


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
        raise ConfigurationError(problem="`hooks` has another form than the CLI's, so it stays.", file=file) from None
    return {**rest, "hooks": kept} if kept else rest


def _is_ours(hook: dict[str, Any]) -> bool:
    return str(SCRIPT) in str(hook.get("command") or "")


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
        raise ConfigurationError(problem=f"It cannot be written: {error.strerror}.", file=file) from None
