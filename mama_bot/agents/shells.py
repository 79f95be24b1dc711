"""The shell that the claude CLI starts for each command: ours, which confines the command below the CLI."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from mama_bot.agents.homes import AgentHome
from mama_bot.confinement import shell
from mama_bot.confinement.sandbox import Reach

SHELL_VARIABLE = "CLAUDE_CODE_SHELL"
REACH_FILE = "reach"
# What the CLI runs: it tells a shell's kind by these words in its path.
KINDS = ("bash", "zsh")


def real_shell(environment: Mapping[str, str]) -> Path | None:
    """Return the shell for an agent's commands: the person's own where the CLI knows its kind, else bash, else zsh."""
    path = environment.get("PATH", os.defpath)
    candidates = (environment.get("SHELL", ""), *(shutil.which(kind, path=path) or "" for kind in KINDS))
    usable = (Path(candidate) for candidate in candidates if Path(candidate).name in KINDS)
    return next((candidate.absolute() for candidate in usable if os.access(candidate, os.X_OK)), None)


def write_shell(home: AgentHome, reach: Reach, kind: Path) -> Path:
    """Write a script that becomes the shell within `reach`, where no agent can change it; return its path.

    A command writes no file of the CLI's but those that the CLI has just named for it: where it ended, and a copy of
    the shell's settings.
    """
    entries = (
        *(shell.READABLE + path for path in reach.readable),
        *(shell.WRITABLE + path for path in reach.writable),
        f"{shell.PLACE}{home.cli_temporary.resolve()}/claude-*-cwd",
        f"{shell.NEW}{home.config.resolve()}/shell-snapshots/snapshot-*.sh",
        *([shell.BUBBLEWRAP + reach.bubblewrap] if reach.bubblewrap else []),
    )
    (home.config / "shell-snapshots").mkdir(exist_ok=True)
    home.shell.mkdir(exist_ok=True, mode=0o700)
    listed, script = home.shell / REACH_FILE, home.shell / kind.name
    command = shlex.join([sys.executable, "-I", "-S", str(Path(shell.__file__)), str(listed), str(kind)])
    _replace(listed, "".join(f"{entry}\0" for entry in entries))
    _replace(script, f'#!/bin/sh\nexec {command} "$@"\n')
    return script


def _replace(file: Path, text: str) -> None:
    """Put a file in its place as a whole: a command may be reading it just now."""
    draft = file.with_name(f"{file.name}.new")
    draft.write_text(text, encoding="utf-8", errors="surrogateescape")
    draft.chmod(0o700)
    draft.replace(file)
