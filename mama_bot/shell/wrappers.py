"""Remove what stands in front of a program: `env A=1 timeout 60 uv run pytest` runs `pytest`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mama_bot.shell.tokens import word_set

MAX_WRAPPERS = 12
MAX_NAME = 300

# Options that take the next word as their value; the others stand alone.
VALUES: dict[str, frozenset[str]] = {
    "env": frozenset({"-u", "--unset", "-C", "--chdir"}),
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t", "-T", "--user", "--group"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "xvfb-run": frozenset({"-s", "-n", "-e", "-f", "-p", "-w", "--server-args", "--server-num", "--error-file"}),
    "taskset": frozenset({"-c"}),
    "xargs": frozenset({"-n", "-P", "-I", "-L", "-s", "-d", "-a", "-E", "--max-args", "--max-procs"}),
    "uv": word_set(
        "--with --with-editable --with-requirements --python -p --extra --group --only-group --no-group --package "
        "--project --directory --env-file --index --index-url --cache-dir --color --config-file"
    ),
    "poetry": frozenset({"-C", "--directory", "-P", "--project"}),
    "hatch": frozenset({"-e", "--env", "-p", "--project"}),
    "pdm": frozenset({"-p", "--project"}),
    "conda": frozenset({"-n", "--name", "-p", "--prefix", "--cwd"}),
    "npx": frozenset({"-p", "--package", "-c", "--call"}),
    "pnpm": frozenset({"-C", "--dir", "--filter", "-F", "--prefix"}),
    "yarn": frozenset({"--cwd"}),
    "bun": frozenset({"--cwd", "--filter"}),
    "npm": frozenset({"--prefix", "-C", "-w", "--workspace"}),
    "docker": word_set(
        "-e --env -u --user -w --workdir -v --volume --name -p --publish -f --file --project-directory --profile "
        "--env-file --entrypoint --network --mount --platform --index -l --label --cpus -m --memory --rm-after"
    ),
    "python": frozenset({"-W", "-X", "--check-hash-based-pycs"}),
    "coverage": word_set("--source --omit --include --rcfile --data-file --context --concurrency"),
    "direnv": frozenset(),
    "shell": frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}),
}
DIRECTORY_OPTIONS = frozenset({"-C", "--chdir", "--directory", "--dir", "--cwd", "--prefix", "--project-directory"})
PLAIN = word_set(
    "command builtin exec nohup time setsid doas chronic unbuffer caffeinate gtime catchsegv corepack cross-env"
)
OPTIONED = frozenset({"env", "sudo", "nice", "ionice", "stdbuf", "xvfb-run", "taskset", "xargs"})
RUNNERS = frozenset({"uv", "poetry", "pipenv", "hatch", "pdm", "rye", "conda", "mamba", "micromamba", "pixi"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash"})
SCRIPTED = frozenset({"npm", "pnpm", "yarn", "bun"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwrapped:
    """A program without the wrappers in front of it.

    `nested` is the text that a shell is given to run instead; `directories` are changes of directory, in order;
    `limited`: a `timeout` is among the wrappers; `pipefail` and `errexit` are the options of that shell.
    """

    argv: tuple[str, ...]
    nested: str | None = None
    directories: tuple[str, ...] = ()
    limited: bool = False
    pipefail: bool = False
    errexit: bool = False


def program(word: str) -> str:
    """Return the name of a program without its directory: `python` for `/usr/bin/python3.11`."""
    return _program(word[-MAX_NAME:])


@lru_cache(maxsize=1024)
def _program(word: str) -> str:
    name = word.rpartition("/")[2].rpartition("\\")[2]
    for ending in (".exe", ".cmd", ".bat"):
        name = name.removesuffix(ending)
    return "python" if name.startswith("python") and name[6:].replace(".", "").isdigit() else name


def unwrap(argv: Sequence[str], further: Callable[[Sequence[str]], tuple[str, ...] | None] | None = None) -> Unwrapped:
    """Remove the wrappers in front of a program, at most twelve; `further` knows of others."""
    unwrapped = Unwrapped(argv=tuple(argv))
    for _ in range(MAX_WRAPPERS):
        if not unwrapped.argv or unwrapped.nested is not None:
            break
        step = peeled(unwrapped)
        if step is None and further is not None and (inner := further(unwrapped.argv)) is not None:
            step = replace(unwrapped, argv=inner)
        if step is None:
            break
        unwrapped = step
    return unwrapped


def peeled(now: Unwrapped) -> Unwrapped | None:
    """Remove one wrapper; None where none is known."""
    name = program(now.argv[0])
    if "=" in now.argv[0] and name == now.argv[0]:
        return replace(now, argv=now.argv[1:])
    if name == "command" and now.argv[1:2] in (("-v",), ("-V",)):
        return None  # it only tells where the program is
    if name in PLAIN:
        return _after(now, name, 1)
    if name in OPTIONED:
        return _after(now, name, 1)
    special = SPECIAL.get(name)
    if special is not None:
        return special(now)
    if name in RUNNERS:
        return _runner(now, name)
    if name in SHELLS:
        return _shell(now)
    return None


def _after(now: Unwrapped, name: str, start: int) -> Unwrapped:
    """Return what follows the options of a wrapper."""
    at, directories = _options(now.argv, start, VALUES.get(name, frozenset()))
    return replace(now, argv=now.argv[at:], directories=now.directories + directories)


def _options(argv: Sequence[str], at: int, values: frozenset[str]) -> tuple[int, tuple[str, ...]]:
    """Return where the options end, and the directories that they name."""
    directories: list[str] = []
    while at < len(argv) and argv[at].startswith(("-", "+")) and len(argv[at]) > 1:
        word = argv[at]
        at += 1
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if not equals and word in values and at < len(argv):
            value = argv[at]
            at += 1
        if name in DIRECTORY_OPTIONS and value:
            directories.append(value)
    return at, tuple(directories)


def _timeout(now: Unwrapped) -> Unwrapped:
    at, _ = _options(now.argv, 1, VALUES["timeout"])
    return replace(now, argv=now.argv[at + 1 :], limited=True)


def _shell(now: Unwrapped) -> Unwrapped | None:
    pipefail = errexit = False
    at = 1
    while at < len(now.argv) and now.argv[at][:1] in {"-", "+"} and len(now.argv[at]) > 1:
        word = now.argv[at]
        at += 1
        if word.startswith("--"):
            at += word in VALUES["shell"]
            continue
        if {"n", "s"} & set(word[1:]):
            # With `n` it only reads the commands; with `s` they come through its input, and what follows is for them.
            return replace(now, argv=()) if "n" in word else None
        errexit |= "e" in word[1:]
        if "o" in word[1:] or "O" in word[1:]:
            pipefail |= now.argv[at : at + 1] == ("pipefail",)
            at += 1
        if "c" in word[1:]:
            # `-c` may stand before further options: the text is the first word that is none.
            while at < len(now.argv) and now.argv[at].startswith("-"):
                errexit |= "e" in now.argv[at][1:] and not now.argv[at].startswith("--")
                if "o" in now.argv[at][1:]:
                    pipefail |= now.argv[at + 1 : at + 2] == ("pipefail",)
                    at += 1
                at += 1
            if at >= len(now.argv):
                return None
            return replace(now, argv=(), nested=now.argv[at], pipefail=pipefail, errexit=errexit)
    if at >= len(now.argv) or now.argv[at] in {"-", "/dev/stdin"}:
        return None
    return replace(now, argv=now.argv[at:])


def _eval(now: Unwrapped) -> Unwrapped:
    return replace(now, argv=(), nested=" ".join(now.argv[1:]))


def _runner(now: Unwrapped, name: str) -> Unwrapped | None:
    values = VALUES.get(name, VALUES["conda"])
    at, directories = _options(now.argv, 1, values)
    if now.argv[at : at + 2] == ("tool", "run") and name == "uv":
        at += 1
    if now.argv[at : at + 1] != ("run",):
        return None
    at, further = _options(now.argv, at + 1, values)
    argv = now.argv[at:]
    if name == "hatch" and argv:
        argv = (argv[0].rpartition(":")[2], *argv[1:])
    return replace(now, argv=argv, directories=now.directories + directories + further)


def _npx(now: Unwrapped) -> Unwrapped:
    return _after(now, "npx", 1)


def _pipx(now: Unwrapped) -> Unwrapped | None:
    return _after(now, "uv", 2) if now.argv[1:2] == ("run",) else None


def _uvx(now: Unwrapped) -> Unwrapped:
    return _after(now, "uv", 1)


def _script_runner(now: Unwrapped) -> Unwrapped | None:
    """Unwrap `pnpm exec X`, `npm exec X`, `yarn dlx X`; scripts (`npm run test`) are read elsewhere."""
    name = program(now.argv[0])
    at, directories = _options(now.argv, 1, VALUES[name])
    if now.argv[at : at + 1] and now.argv[at] in {"exec", "dlx", "x"}:
        start, further = _options(now.argv, at + 1, VALUES[name])
        return replace(now, argv=now.argv[start:], directories=now.directories + directories + further)
    return None


def _python(now: Unwrapped) -> Unwrapped | None:
    argv, at = now.argv, 1
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-m":
        if argv[at] in {"-c", "-"}:
            return None
        at += 2 if argv[at] in VALUES["python"] else 1
    if at < len(argv) and argv[at] == "-m":
        return replace(now, argv=argv[at + 1 :]) if at + 1 < len(argv) else None
    return None


def _coverage(now: Unwrapped) -> Unwrapped | None:
    argv = now.argv
    if argv[1:2] != ("run",):
        return None
    at, _ = _options(argv, 2, VALUES["coverage"])
    if "-m" in argv[2:at]:
        return replace(now, argv=argv[at:])
    return replace(now, argv=("python", *argv[at:]))


def _docker(now: Unwrapped) -> Unwrapped | None:
    """Unwrap `docker compose exec SERVICE cmd` and `docker run IMAGE cmd`."""
    argv = now.argv
    at, _ = _options(argv, 1, VALUES["docker"])
    if program(argv[0]) != "docker-compose" and argv[at : at + 1] == ("compose",):
        at, _ = _options(argv, at + 1, VALUES["docker"])
    if argv[at : at + 1] and argv[at] in {"exec", "run"}:
        start, _ = _options(argv, at + 1, VALUES["docker"])
        if start + 1 < len(argv):
            return replace(now, argv=argv[start + 1 :])
    return None


def _second(word: str) -> Callable[[Unwrapped], Unwrapped | None]:
    """Return an unwrapper for two-word wrappers: `bundle exec X`, `dotenvx run X`."""

    def peel(now: Unwrapped) -> Unwrapped | None:
        if now.argv[1:2] != (word,):
            return None
        return _after(now, "", 2)

    return peel


def _direnv(now: Unwrapped) -> Unwrapped | None:
    if now.argv[1:2] != ("exec",) or len(now.argv) < 4:
        return None
    return replace(now, argv=now.argv[3:])


SPECIAL: dict[str, Callable[[Unwrapped], Unwrapped | None]] = {
    "timeout": _timeout,
    "gtimeout": _timeout,
    "eval": _eval,
    "npx": _npx,
    "bunx": _npx,
    "pnpx": _npx,
    "pipx": _pipx,
    "uvx": _uvx,
    "npm": _script_runner,
    "pnpm": _script_runner,
    "yarn": _script_runner,
    "bun": _script_runner,
    "python": _python,
    "coverage": _coverage,
    "docker": _docker,
    "docker-compose": _docker,
    "podman": _docker,
    "bundle": _second("exec"),
    "doppler": _second("run"),
    "dotenvx": _second("run"),
    "direnv": _direnv,
}
