"""What a command really ran and how it ended, read from its words and its output, never from an agent's report."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.model.repository_rules import GitRule


class RunKind(StrEnum):
    """What a command does, as far as a claim could be about it."""

    TESTS = "tests"
    BUILD = "build"
    TYPES = "types"
    LINT = "lint"
    FORMAT = "format"
    BENCHMARK = "benchmark"
    DIFF = "diff"
    COMMIT = "commit"
    PUSH = "push"
    MERGE = "merge"
    PUBLISH = "publish"
    DEPLOY = "deploy"


class RunEnd(StrEnum):
    """How a run ended.

    MASKED: its exit status is lost (`|| true`, a pipe) and its output does not tell. NOTHING: it ended well and ran
    nothing (`--collect-only`, "no tests ran"). OPEN: it is still running in the background, or was cut off.
    """

    PASSED = "passed"
    FAILED = "failed"
    MASKED = "masked"
    NOTHING = "nothing"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The figures of a run; None where its output does not say."""

    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    skipped: int | None = None
    deselected: int | None = None
    collected: int | None = None


NO_COUNTS = Counts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One thing that a command ran: `pytest` in `cd api && pytest -q tests | tail -3`.

    `tool` is what it is known as ("pytest", "cargo test", "git push"), `command` its own words without wrappers,
    `directory` where it ran, relative to the workspace where inside it ("" is the workspace), else absolute; `selected`
    are the paths and filters that narrowed it (empty: all there is), `target` what it acted on (a commit's id, a remote
    and branch, an environment). `dry` says that it only rehearsed, `hook` that git ran it inside a commit or a push.
    """

    kind: RunKind
    tool: str
    command: str
    end: RunEnd
    directory: str = ""
    selected: tuple[str, ...] = ()
    target: str = ""
    dry: bool = False
    hook: bool = False
    counts: Counts = NO_COUNTS


class FileFate(StrEnum):
    """What became of a file."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTouch:
    """A file that a tool call wrote or removed, as far as the call itself tells.

    A path is relative to the workspace where it lies inside it, else absolute; "" is some files, which the call does
    not name (`ruff check --fix`, `git stash pop`). `after` is how many of the runs of the same call came before.
    """

    path: str
    fate: FileFate
    after: int = 0


class LookKind(StrEnum):
    """What of the world a call showed: a file's content, a repository, what is elsewhere, a service that runs."""

    FILE = "file"
    COMMIT = "commit"
    REMOTE = "remote"
    SERVICE = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A state of the world that the output of a call showed, as its last look at that subject.

    FILE: `subject` is a path as in FileTouch, `state` "shown" where lines of its content were printed, "present" or
    "absent" where only that was. COMMIT: a hash, a branch, or "" for the work tree; "clean", "dirty", "ahead 2",
    "behind 1", "up to date", or "" for a commit that is there. REMOTE: a number of a pull request, a branch or a run;
    "merged", "open", "closed", "success", "failure", "running", or a hash. SERVICE: a host or a unit; "200", "active".
    """

    kind: LookKind
    subject: str
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTreeState:
    """The commit of a work tree ("" before the first), and whether more than that is in it (None: not known).

    `tree` is the git tree of all that lies in it, untracked files too, by an index of the service's own ("" where none
    was taken), `root` the directory where the work tree begins. Two states of one `root` with one `tree` are the same.
    """

    commit: str = ""
    dirty: bool | None = None
    tree: str = ""
    root: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeChange:
    """A file that differs between two states of a work tree, whoever wrote it ("": more than are told).

    A path is as in FileTouch; `parts` are those of it that decide what a check does, by name ("scripts.test", "" for
    all of it): none for a file that decides nothing.
    """

    path: str
    fate: FileFate
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftTree:
    """A work tree as an agent left it when it stopped.

    `changed` is what differs from how the last call in it (`after`, its id) left it, `rules` what of the repository's
    own rules is not as it was when the agent was asked.
    """

    state: WorkTreeState
    after: str = ""
    changed: tuple[TreeChange, ...] = ()
    rules: tuple[GitRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReading:
    """What a finished tool call ran, in order, which files it wrote or removed, and what of the world it showed."""

    ran: tuple[Run, ...] = ()
    touched: tuple[FileTouch, ...] = ()
    looked: tuple[Look, ...] = ()
