"""The settings of repositories: where each comes from, who works in it, and what the service runs there."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from mama_bot.config.forge_settings import ForgeSettings
from mama_bot.config.provision_settings import ProvisionSettings
from mama_bot.config.section import Number, PortRange, Seconds, Section

# "git@example.org:team/app.git", and no path of Windows.
_SHORT_SSH = re.compile(r"[A-Za-z0-9][\w.-]*@[\w.-]+:(?!//)\S+")
_SKILL = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")
SCHEMES = ("https", "http", "ssh", "git", "file")


class CheckOf(StrEnum):
    """What a check is run on: the files as they are on disk, or the commit that is checked out."""

    WORKING_TREE = "working_tree"
    COMMIT = "commit"


class CheckInstall(Section):
    """`checks[].install`: packages that a check needs and git ignores, installed once for the content of some files.

    `argv` runs in the check's `directory`, in a tree that holds `files` and nothing else. What it makes there (`makes`)
    is kept, and stands in the tree of each later check with these files, for reading. Paths are from the workspace on.
    """

    argv: Annotated[tuple[str, ...], Field(min_length=1)]
    files: Annotated[tuple[str, ...], Field(min_length=1)]
    makes: Annotated[tuple[str, ...], Field(min_length=1)]
    timeout_seconds: Seconds = 240


class WorkspaceCheck(Section):
    """`repositories.NAME.checks`: a command that the service itself runs before it accepts a completion or an approval.

    It runs in a clean work tree, in `directory` there, with `environment` and nothing else that is secret. The files
    that `from_base` names (a path, a directory with a slash at its end, a pattern) are those that were there when the
    turn began, whatever the agent made of them.
    """

    name: str
    argv: Annotated[tuple[str, ...], Field(min_length=1)]
    directory: str = "."
    timeout_seconds: Seconds = 300
    environment: Mapping[str, str] = Field(default_factory=dict)
    of: CheckOf = CheckOf.WORKING_TREE
    from_base: tuple[str, ...] = ()
    install: CheckInstall | None = None


class RepositoryMode(StrEnum):
    """Where a team works in a repository: each conversation in a work tree of its own, or all in one directory."""

    WORK_TREE = "work_tree"
    IN_PLACE = "in_place"


class CheckpointLevel(StrEnum):
    """What a checkpoint does in a repository: hard waits for a person, soft only tells the agent, off says nothing."""

    HARD = "hard"
    SOFT = "soft"
    OFF = "off"


# Who may do something with the work of a conversation, beside people and roles by "platform/id".
OWNERS, ASKER, EVERYBODY = "owners", "asker", "everybody"


class InstructionsFrom(StrEnum):
    """Whose CLAUDE.md and AGENTS.md agents go by: of the branch where work begins, of their own branch, or nobody's."""

    DEFAULT = "default"
    BRANCH = "branch"
    NONE = "none"


def _with_digests(given: object) -> object:
    """Refuse names alone: they do not say which declaration was allowed."""
    if isinstance(given, Mapping) or given is None:
        return given or {}
    raise ValueError(
        "expected each server with the digest of its declaration, as `browser: 0123…`: take this out, and `mama-bot "
        "doctor` shows what is declared and the line to write"
    )


class RepositorySettings(ProvisionSettings):
    """`repositories.NAME`: a repository that the team works in.

    `source` is a path or a URL to clone, `branch` where work begins ("": the branch that the source has checked out).
    `channels` and `people` are whose conversations work here, as "slack/C0123" and "slack/U0123". `set_up` are commands
    for a fresh work tree, `connect` ports that who works there may connect to beside those of `sandbox.connect`,
    `forge` is where its pull requests are opened. `personas` gives more to single ones of the team; of `git` the
    persona's stands for the repository's. The `may_...` name who may do what with the work of a conversation: `owners`,
    `asker` (whoever asked for it), `everybody` who is served, people and roles as "discord/1234". `instructions` says
    which of those that it holds itself count; of `mcp_servers` (with the digest of what each declares) and `skills`
    that it brings these alone are offered. `workflow` is the order of work here ("": what the persona or
    `rules.workflow` says). With `board_files` its board is kept as files of each work tree.
    """

    source: str
    branch: str = ""
    mode: RepositoryMode = RepositoryMode.WORK_TREE
    set_up: tuple[str, ...] = ()
    checks: tuple[WorkspaceCheck, ...] = ()
    personas: Mapping[str, ProvisionSettings] = Field(default_factory=dict)
    instructions: InstructionsFrom = InstructionsFrom.DEFAULT
    mcp_servers: Annotated[Mapping[str, str], BeforeValidator(_with_digests)] = Field(default_factory=dict)
    skills: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    connect: tuple[PortRange, ...] = ()
    checkpoints: Mapping[str, CheckpointLevel] = Field(default_factory=dict)
    board_files: bool = False
    may_undo: tuple[str, ...] = (OWNERS, ASKER)
    may_merge: tuple[str, ...] = (OWNERS,)
    may_discard: tuple[str, ...] = (OWNERS,)
    may_push: tuple[str, ...] = (OWNERS,)
    workflow: str = ""
    forge: ForgeSettings | None = None

    @property
    def in_place(self) -> bool:
        """Whether all conversations work in the one directory that `source` names."""
        return self.mode is RepositoryMode.IN_PLACE


class WorkTreeSettings(Section):
    """`work_trees`: the work trees that conversations have of their own."""

    keep_days: Annotated[Number, Field(gt=0)] = 14
    fetch_seconds: Seconds = 120
    set_up_seconds: Seconds = 600
    spares: Annotated[int, Field(ge=0, le=20)] = 2


def is_skill_name(name: str) -> bool:
    """Return whether a name is that of a folder alone, which a skill is called by."""
    return _SKILL.fullmatch(name) is not None


def is_url(source: str) -> bool:
    """Return whether a source is a URL (or git's short form of ssh), and no path."""
    return "://" in source or _SHORT_SSH.fullmatch(source) is not None
