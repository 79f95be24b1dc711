"""Where agents live on disk: a lasting home for each (conversation, persona), and one short-lived run directory."""

import os
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mama_bot.agents.login import CREDENTIALS_FILE
from mama_bot.confinement import launcher
from mama_bot.model import ConversationKey

PRIVATE = 0o700
# What is secret lies where no sandbox shows it but to whom it is for, and as long as the service runs.
GRANTED = "granted"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentHome:
    """The directories of one agent; the temporary ones have short paths, because programs make sockets there.

    All others lie in `root`. In `attachments` its file tools may read; `shown` notes which images a session has. What
    the CLI keeps in `config` and `cli_temporary` its commands do not write; `shell` is what they are started with. In
    `build` lies what they make where nothing of the workspace may be written, in `granted` what is secret, in `servers`
    what the CLI alone reads of its MCP servers, in `skills` what the agent may read of those; `plan` is the launcher's.
    """

    root: Path
    config: Path
    home: Path
    temporary: Path
    cli_temporary: Path
    shell: Path
    prompt: Path
    attachments: Path
    shown: Path
    build: Path
    plan: Path
    granted: Path
    servers: Path
    skills: Path

    def own(self, *, read_only: bool) -> tuple[Path, ...]:
        """Return what the agent itself may write; its prompt and attachments, which lie beside, it only reads."""
        return (self.config, self.cli_temporary, *self.commands(read_only=read_only))

    def commands(self, *, read_only: bool) -> tuple[Path, ...]:
        """Return what its commands may write of it; where they only look, their home is in the build directory."""
        return (self.build if read_only else self.home, self.temporary)

    @property
    def told(self) -> tuple[Path, ...]:
        """What its commands may read of what the CLI keeps: long outputs, and the settings of their shell."""
        return (self.config / "projects", self.config / "shell-snapshots")


def home_name(key: ConversationKey, persona: str, vault: str = "", apart: str = "") -> str:
    """Return a short name that no other (conversation, persona) has, nor this one where other secrets are known.

    `vault` is the repository whose secrets it is given: what it keeps of them is not there when it works elsewhere.
    `apart` names the delegation in whose work tree it works, maybe beside another process of the same persona.
    """
    further = (vault, apart) if apart else (vault,) if vault else ()
    whole = repr((key.platform, key.channel, key.thread, persona, *further))
    return sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def make_home(
    state: Path, run: Path, key: ConversationKey, persona: str, vault: str = "", apart: str = ""
) -> AgentHome:
    """Create what is missing, readable by the owner only."""
    name = home_name(key, persona, vault, apart)
    root = state.absolute() / name
    home = AgentHome(
        root=root,
        config=root / "config",
        home=root / "home",
        temporary=run / name,
        cli_temporary=run / f"{name}-cli",
        shell=root / "shell",
        prompt=root / "system-prompt.md",
        attachments=root / "attachments",
        shown=root / "shown",
        build=root / "build",
        plan=state.absolute() / GRANTED / f"{name}.json",
        granted=state.absolute() / GRANTED / name,
        servers=state.absolute() / GRANTED / f"{name}-servers",
        skills=root / "skills",
    )
    for directory in (*home.own(read_only=False), home.build, home.attachments, home.shown, home.plan.parent):
        directory.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    return home


def link_credentials(home: AgentHome, credentials: Path | None) -> None:
    """Let the agent use the person's own login, or take that away."""
    link = home.config / CREDENTIALS_FILE
    if credentials is None:
        if link.is_symlink():
            link.unlink()
        return
    if not (link.is_symlink() and link.readlink() == credentials.absolute()):
        link.unlink(missing_ok=True)
        link.symlink_to(credentials.absolute())


def make_run_directory(mark: str) -> Path:
    """Return the run directory of a service, empty: what an earlier run of the same service left is removed."""
    directory = Path(tempfile.gettempdir()) / f"mama-{os.getuid()}-{sha256(mark.encode()).hexdigest()[:8]}"
    if directory.is_dir() and not directory.is_symlink() and directory.stat().st_uid == os.getuid():
        shutil.rmtree(directory, ignore_errors=True)
    try:
        directory.mkdir(mode=PRIVATE)
    except FileExistsError:
        return Path(tempfile.mkdtemp(prefix="mama-"))
    return directory


def write_starter(run: Path, cli: Path) -> Path:
    """Write a script that starts the CLI through the launcher, and return its path."""
    starter = run / "claude"
    command = shlex.join([sys.executable, "-I", "-S", str(Path(launcher.__file__)), str(cli)])
    text = f'#!/bin/sh\nexec {command} "$@"\n'
    # Never rewritten in place: a shell may be reading it just now.
    if not starter.exists() or starter.read_text() != text:
        draft = run / "claude.new"
        draft.write_text(text)
        draft.chmod(PRIVATE)
        draft.replace(starter)
    return starter
