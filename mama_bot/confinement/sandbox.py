"""What an agent's process can reach: everything of the machine but what is the service's own, decided by the kernel."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mama_bot.confinement.plain_files import small_text
from mama_bot.confinement.ports import Ports, port_of, without

# What a program may write to that is no file of anybody's.
DEVICES = tuple(f"/dev/{name}" for name in ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"])
ALL_DEVICES = Path("/dev")  # disks, terminals of others
TEMPORARY = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - what others put there, not written to
# Where a person's tools lie in a home; the rest of it is nobody's business.
TOOLS = (
    *(
        ".cargo",
        ".rustup",
        ".nvm",
        ".pyenv",
        ".rbenv",
        ".deno",
        ".bun",
        ".volta",
        ".asdf",
        ".sdkman",
        ".jenv",
        ".ghcup",
    ),
    *(".local/bin", ".local/lib", ".local/share/uv", ".local/share/pnpm", ".local/share/mise", ".npm-global", "go"),
    *(
        ".m2/repository",
        ".gradle/caches",
        ".gradle/wrapper",
        ".gradle/jdks",
        ".npm",
        ".cache/pip",
        ".cache/uv",
        ".cache/go-build",
        ".yarn",
        ".dotnet",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """What a process does not see: of each directory in `views` only what is listed, and `sockets` not at all."""

    views: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sockets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The paths that a process may read and execute, those it may write, and the ports that it may connect to.

    `connectable` is None where the network is not confined; what `covers` names it does not see, and
    where all is `frozen` it changes of what it may not write not even modes and times. `bubblewrap` is the program that
    has to hold all this, where Landlock does not.
    """

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    connectable: Ports | None = None
    covers: Covers = Covers()
    frozen: bool = False
    bubblewrap: str = ""

    def as_json(self) -> str:
        """Return it as the launcher reads it."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The ports of TCP that agents connect to: those open to who works in a workspace, but never the service's own."""

    open: Callable[[Path], Ports]
    own: Callable[[], Collection[int]]

    def connectable(self, workspace: Path, servers: Sequence[str]) -> Ports:
        """Return the ports for who works there; those of `servers`, as URLs, are always among them."""
        served = {port for server in servers if (port := port_of(server)) is not None}
        ports = (*self.open(workspace), *((port, port) for port in served))
        return without(ports, set(self.own()) - served)


def _nothing(workspace: Path) -> Sequence[Path]:
    del workspace
    return ()


def _no_covers(needed: Sequence[Path]) -> Covers:
    del needed
    return Covers()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """Says what each agent's process can reach.

    `hidden` are the files and directories of the service that no agent sees: its data, its secrets, the homes and
    workspaces of others. `home` is the home of whoever runs the service: of it only the tools are readable.
    `readable` and `writable` are what the settings add, `borrowed` says what a workspace reads of the service's own.
    Without a `network` nothing is said of that; `covers` says what is not seen by a process that needs these paths.
    Where the machine `freezes`, nobody changes the modes and times of what they may not write; `bubblewrap` is the
    program that takes the place of Landlock, where that has to be.
    """

    hidden: tuple[Path, ...]
    home: Path
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    borrowed: Callable[[Path], Sequence[Path]] = _nothing
    network: Network | None = None
    covers: Callable[[Sequence[Path]], Covers] = _no_covers
    freezes: bool = False
    bubblewrap: Path | None = None

    def reach(
        self,
        *,
        workspace: Path,
        root: Path,
        own: Sequence[Path],
        programs: Sequence[Path] = (),
        private: Sequence[Path] = (),
        login: Path | None = None,
        servers: Sequence[str] = (),
        sockets: Sequence[Path] = (),
        ports_of: Path | None = None,
        read_only: bool = False,
    ) -> Reach:
        """Return what the process of an agent that works in `workspace` can reach.

        `root` is where the service lays out what the process reads, `own` are the directories that it may write,
        `programs` what it is started with, `private` what else is hidden, `login` is the file of the login that it may
        renew, `servers` are URLs that it is to reach, `sockets` those that it may use beside what the settings add; the
        ports open to it are those of the workspace `ports_of`. One that is `read_only` writes nothing but its own
        directories.
        """
        work = tuple(self._allowed((workspace, *repository_of(workspace)), private))
        tools = (self.home / name for name in TOOLS)
        readable = (
            *visible((*self.hidden, *private, self.home, ALL_DEVICES)),
            *tools,
            *programs,
            *self.readable,
            root,
            *work,
        )
        readable = (*readable, *self.writable, *self.borrowed(workspace))
        writable = (*own, *(() if read_only else (*work, *self.writable)), *((login,) if login else ()))
        connectable = self.network.connectable(ports_of or workspace, servers) if self.network else None
        return Reach(
            readable=_real(readable),
            writable=(*_real(writable), *DEVICES),
            connectable=connectable,
            covers=self.covers((workspace, root, *own, *sockets)),
            frozen=self.freezes and self.bubblewrap is None,
            bubblewrap=str(self.bubblewrap or ""),
        )

    def _allowed(self, places: Sequence[Path], private: Sequence[Path]) -> Iterator[Path]:
        """Yield places to work in; what an agent itself made lead to something hidden is left out.

        A workspace that holds something hidden is given in pieces.
        """
        hidden = [Path(os.path.realpath(path)) for path in self.hidden]
        kept = [*hidden, *(Path(os.path.realpath(path)) for path in (*private, self.home))]
        for number, place in enumerate(places):
            real = Path(os.path.realpath(place))
            if number and any(path == real or path in real.parents or real in path.parents for path in kept):
                continue
            yield from beside([path for path in hidden if real in path.parents], real)


def visible(hidden: Sequence[Path]) -> tuple[Path, ...]:
    """Return the fewest directories and files that together are the whole machine without what is hidden.

    What comes to be later beside something hidden is not among them.
    """
    return tuple(beside([Path(os.path.realpath(path)) for path in hidden], Path("/")))


def beside(hidden: Sequence[Path], directory: Path) -> Iterator[Path]:
    """Yield the fewest paths that together are all of a directory but what is hidden, and its links."""
    below = [path for path in hidden if path == directory or directory in path.parents]
    if not below:
        yield directory
    elif directory not in below:
        for entry in _entries(directory):
            yield from beside(below, entry)


def _entries(directory: Path) -> Iterator[Path]:
    try:
        yield from (Path(entry.path) for entry in os.scandir(directory) if not entry.is_symlink())
    except OSError:  # what the service cannot list, it cannot give
        return


def repository_of(workspace: Path) -> tuple[Path, ...]:
    """Return where the repository of a linked work tree lies: its `.git` is a file that names it; else nothing."""
    link = workspace / ".git"
    try:
        named = small_text(link)
        if named is None:
            return ()
        place = Path(os.path.realpath(workspace / named.removeprefix("gitdir:").strip()))
        back = place / (small_text(place / "gitdir") or os.devnull).strip()
    except (OSError, ValueError):
        return ()
    # The repository itself has to know the work tree: an agent can write the link, and not what it leads to.
    known = os.path.realpath(back) == os.path.realpath(link)
    return (place.parents[1],) if known and place.parent.name == "worktrees" else ()


def _real(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths))
