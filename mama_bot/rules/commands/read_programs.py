"""What was read of a command line: programs with their options and operands, and what could not be read."""

from collections.abc import Sequence
from dataclasses import dataclass

# Of their operands the first is what they look for; what the others are given is no file.
PATTERN_FIRST = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "yq"})
TALKERS = frozenset({"echo", "printf", "export", "declare", "local", "readonly", "typeset"})
# Their first word that is no option says what they do.
SUBCOMMANDS = frozenset(
    {"git", "docker", "podman", "npm", "pnpm", "yarn", "bun", "pip", "cargo", "go", "gh", "glab", "kubectl", "apt"}
    | {"apt-get", "brew", "gem", "uv", "poetry", "terraform", "aws", "gcloud", "systemctl", "conda", "dnf", "yum"}
)
VALUED = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}),
    "docker": frozenset({"-H", "--host", "-c", "--context", "--config", "-l", "--log-level"}),
}
# What they name is for the program or left out by it, whatever program it is.
ALWAYS_VALUED = frozenset({"--env-file", "--exclude", "--exclude-dir", "--exclude-from", "--secret"})
# Options of a program, or of its subcommand, that take the next word, so that it is no operand. A key that a program
# proves itself with is not shown.
INNER_VALUED = {
    "ssh": frozenset({"-i", "-F", "-p", "-l", "-o", "-L", "-R", "-D", "-J"}),
    "scp": frozenset({"-i", "-F", "-P", "-l", "-o", "-J"}),
    "sftp": frozenset({"-i", "-F", "-P", "-l", "-o", "-J"}),
    "curl": frozenset({"--key", "--cert", "--cacert", "-E"}),
    "git push": frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"}),
    "git commit": frozenset({"-m", "-F", "-C", "-c", "--message", "--file", "--author", "--date", "-t", "--fixup"}),
    "git clean": frozenset({"-e", "--exclude"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program of a command line; see `condition_terms` for its parts. `directory` is where it runs, `branch` what
    was checked out before it in the same line ("": nothing).
    """

    program: str
    words: tuple[str, ...]
    subcommand: str = ""
    options: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    directory: str = ""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    code: str = ""
    branch: str = ""
    via: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReading:
    """All programs of a command line, and why parts of it cannot be read."""

    programs: tuple[Program, ...] = ()
    unreadable: tuple[str, ...] = ()


def program_of(
    name: str,
    words: Sequence[str],
    *,
    directory: str,
    writes: Sequence[str] = (),
    reads: Sequence[str] = (),
    via: str = "",
) -> Program:
    """Return a program with its words sorted into subcommand, options and operands."""
    own = list(words[1:])
    subcommand, front = "", 0
    if name in SUBCOMMANDS:
        front = _past_options(own, VALUED.get(name, frozenset()))
        subcommand = own[front] if front < len(own) else ""
        front += bool(subcommand)
    options, operands = _sorted(
        own[front:], INNER_VALUED.get(f"{name} {subcommand}".rstrip(), frozenset()) | ALWAYS_VALUED
    )
    return Program(
        program=name,
        words=tuple(words),
        subcommand=subcommand,
        options=options,
        operands=operands,
        directory=directory,
        writes=tuple(writes),
        reads=tuple(reads),
        via=via,
    )


def files_named(made: Program) -> tuple[str, ...]:
    """Return the operands that may be files: of a search without its pattern."""
    searches = made.program in PATTERN_FIRST or (made.program, made.subcommand) == ("git", "grep")
    if searches and not {"e", "f", "regexp", "file"} & set(made.options):
        return made.operands[1:]
    return () if made.program in TALKERS else made.operands


def _past_options(words: Sequence[str], valued: frozenset[str]) -> int:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return min(at, len(words))


def _sorted(words: Sequence[str], valued: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    options: dict[str, None] = {}
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands.extend(words[at:])
            break
        if word.startswith("--"):
            options[word[2:].partition("=")[0]] = None
        elif word.startswith("-") and len(word) > 1:
            options |= dict.fromkeys(word[1:].partition("=")[0])
        else:
            operands.append(word)
            continue
        # `-am TEXT`: the last of several letters may take the next word.
        at += word in valued or (word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in valued)
    return tuple(options), tuple(operands)
