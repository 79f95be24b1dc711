"""What the conditions of rules may speak of: each variable and field with its type and its meaning."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedName:
    """A variable, or a field of one: `type` is a type of CEL, the name of a message below, or a list of one."""

    name: str
    type: str
    meaning: str


def _terms(text: str) -> tuple[TypedName, ...]:
    """Return the terms of a table: name, type and meaning in each line, with `|` between them."""
    rows = (line.split("|", 2) for line in text.strip().splitlines())
    return tuple(
        TypedName(name=name.strip(), type=kind.strip(), meaning=meaning.strip()) for name, kind, meaning in rows
    )


VARIABLES = _terms(
    """
    event | string | when the rule is asked: tool, after_tool, session_start, compaction, stop
    tool | string | the tool as the CLI names it ("" where no tool is called)
    kind | string | what it does, whatever its name: shell, write, edit, read, list, search, fetch, task, plan, other
    arguments | map(string, dyn) | what the tool is called with, by name
    paths | list(Path) | the files that the call names itself; those of a command stand with its programs
    command | Command | the command line of a shell
    commands | list(Program) | the programs that the command line runs, without wrappers, quotes and spacing
    result | Result | how the call ended (event after_tool)
    persona | Persona | whose session it is
    session | Session | what the session did so far
    counters | map(string, int) | what rules counted, by the name of the counter; 0 for any that nobody counted
    workspace | Workspace | where the agent works
    task | Task | what the session did for its task: since the message that it began with
    workflow | Workflow | the workflow that the session is held to
    step | string | the step of the active workflow that is at hand ("" without one, and when all are shown)
    protected_branches | list(string) | `rules.protected_branches` of the settings
    decided | string | what the rules before the audit decided: allow, modify, ask, block (bands P80 and P90)
    """
)
MESSAGES: Mapping[str, tuple[TypedName, ...]] = MappingProxyType(
    {
        "Path": _terms(
            """
            text | string | as it was written
            absolute | string | without `.`, `..` and `~`; relative names from where the program runs
            name | string | its last part
            inside | bool | it lies in the workspace, and is not the workspace itself
            is_workspace | bool | it is the workspace itself, all that lies in it (`*`), or a directory above it
            temporary | bool | it lies in a directory for temporary files
            unknown | bool | a variable or the output of a program decides it, so nobody can tell
            secret | bool | its name is one of files that hold secrets (`words/secret_files.txt`)
            repository | bool | it is git's own directory (`.git`), or lies in it
            test | bool | its name is one of tests
            exists | bool | there is such a file (of `paths`, not of programs)
            shown | bool | its content was shown to the agent in this session
            written | bool | the agent wrote it in this session
            """
        ),
        "Command": _terms(
            """
            text | string | as it was written
            opaque | bool | some part of it cannot be read: what would run is not known
            unreadable | list(string) | why: syntax, program, evaluated, piped, decoded, deep
            """
        ),
        "Program": _terms(
            """
            program | string | its name without its directory; `python` for python3.11
            subcommand | string | of git, docker, npm and the like: the word behind their own options
            options | list(string) | options without their dashes and values: `-rf --force=x` is r, f, force
            operands | list(string) | the words that are no options, without the subcommand
            words | list(string) | all words, the program first
            paths | list(Path) | the operands that may be files, as paths: without what `grep` looks for
            writes | list(Path) | the files that its output is redirected to
            changes | list(Path) | the files that it writes, moves or removes; `*` where it names none
            reads | list(Path) | the files that its input is redirected from
            pushes | list(string) | the branches that a `git push` would move; `*` for all there are
            code | string | the text of `python -c` and the like
            via | string | what it is run by: xargs, find, python, bash, git; "" for itself
            """
        ),
        "Result": _terms(
            """
            ok | bool | it did what it was to do
            error | string | what it said where it did not, at most 2,000 characters
            """
        ),
        "Persona": _terms(
            """
            name | string | its name in `personas/`
            tier | string | lead, worker or reader
            read_only | bool | nothing may be changed in this turn
            subagent | string | which of its subagents asks ("": itself)
            """
        ),
        "Session": _terms(
            """
            looks | int | calls that showed something: a file, a search, a listing, a page
            edits | int | calls that changed a file
            checks | string | the checks that ran: none, passed, failed, stale (code changed since)
            strikes | int | how often the same call failed with the same error in a row
            """
        ),
        "Task": _terms(
            """
            messages | int | messages of people that it was about so far
            looks | int | calls that showed something: a file, a search, a listing, a page
            plans | int | lists of steps that were written down by a tool
            edits | int | calls that changed a file
            commits | int | commits that were made
            checks | string | the checks that ran: none, passed, failed, stale (code changed since)
            """
        ),
        "Workflow": _terms(
            """
            name | string | its name ("": the session is held to none)
            open | list(string) | its steps that nothing shows yet, in their order
            warned | list(string) | the rules of it that warned the agent already
            progress | string | its steps in words, each with whether it is shown
            """
        ),
        "Workspace": _terms(
            """
            path | string | its directory
            branch | string | the branch that is checked out ("": none, or no repository)
            empty | bool | nothing lies in it
            """
        ),
    }
)
MACROS = frozenset(
    {"all", "exists", "exists_one", "filter", "map", "has", "size", "matches", "startsWith", "endsWith", "contains"}
)


def known_names() -> frozenset[str]:
    """Return every name that a condition may begin with."""
    return frozenset(variable.name for variable in VARIABLES) | MACROS


def fields_of(message: str) -> frozenset[str]:
    """Return the fields of a message; none for what is none."""
    return frozenset(term.name for term in MESSAGES.get(message, ()))
