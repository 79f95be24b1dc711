"""Reads a command line into its programs: wrappers off, quotes off, variables in, nested command lines too."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from mama_bot.rules.commands.expansion import expanded_word, substitutions
from mama_bot.rules.commands.found_files import found_files
from mama_bot.rules.commands.inner_code import CODE_OPTIONS, commands_in, given_code
from mama_bot.rules.commands.inner_commands import Inner, further
from mama_bot.rules.commands.printed_text import printed_text
from mama_bot.rules.commands.read_programs import CommandReading, Program, program_of
from mama_bot.shell.flow import joined_path
from mama_bot.shell.syntax import Group, Pipeline, SimpleCommand, parse_pipelines
from mama_bot.shell.wrappers import SHELLS, Unwrapped, peeled, program

MOST_PROGRAMS = 200
MOST_DEPTH = 8
MOST_WRAPPERS = 16
LONGEST = 100_000
DECODERS = frozenset({"base64", "base32", "xxd", "openssl", "gunzip", "zcat", "rev", "tr", "sed", "awk", "perl"})
FETCHERS = frozenset({"curl", "wget"})
# In a container or on another machine the same words are about other files.
ELSEWHERE = frozenset({"docker", "podman", "docker-compose", "ssh"})
SOURCES = frozenset({"source", "."})
LISTERS = frozenset({"ls", "git", "grep", "rg", "fd", "fdfind"})
FILTERS = LISTERS | {"sort", "head", "tail", "uniq", "xargs"}
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})


@dataclass(slots=True)
class _State:
    """What the programs that follow see: where they run, variables, aliases, what their input is."""

    directory: str
    variables: dict[str, Sequence[str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    branch: str = ""
    settings: list[str] = field(default_factory=list)

    def copy(self) -> "_State":
        return replace(self, variables=dict(self.variables), settings=list(self.settings))


@dataclass(slots=True)
class _Pipe:
    """What comes through a pipe or a here-document: its text where that is plain, and which programs made it."""

    text: str | None = None
    makers: tuple[Program, ...] = ()


@lru_cache(maxsize=512)
def read_command(text: str, directory: str) -> CommandReading:
    """Return what a command line runs in a directory; never raises."""
    reader = _Reader()
    reader.text(text, _State(directory), depth=0, via="")
    return CommandReading(programs=tuple(reader.programs), unreadable=tuple(reader.unreadable))


class _Reader:
    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.unreadable: dict[str, None] = {}

    def text(self, text: str, state: _State, *, depth: int, via: str) -> None:
        """Read a command line that runs here."""
        if depth > MOST_DEPTH or len(text) > LONGEST:
            self.unreadable["deep"] = None
            return
        parts = parse_pipelines(text)
        if parts is None:
            self.unreadable["syntax"] = None
            return
        self._list(parts, state, depth, via, None)

    def _list(self, parts: Sequence[Pipeline], state: _State, depth: int, via: str, given: _Pipe | None) -> None:
        for part in parts:
            pipe = given
            for stage in part.stages:
                inner = state if len(part.stages) == 1 else state.copy()
                first = len(self.programs)
                printed = self._node(stage, inner, depth, via, pipe)
                pipe = _Pipe(text=printed, makers=tuple(self.programs[first:]))

    def _node(
        self, node: Group | SimpleCommand, state: _State, depth: int, via: str, given: _Pipe | None
    ) -> str | None:
        if isinstance(node, SimpleCommand):
            return self._simple(node, state, depth, via, given)
        inner = state.copy() if node.subshell else state
        if len(node.head) > 1 and node.head[1] == "in":
            values = [
                value for word in node.head[2:] for value in expanded_word(word, state.variables, state.directory)
            ]
            inner.variables[node.head[0]] = values or ("",)
        if depth < MOST_DEPTH:
            self._list(node.parts, inner, depth + 1, via, given)
        for redirect in node.redirects:
            if redirect.operator != "<<":
                target = (redirect.target,)
                writes, reads = (target, ()) if redirect.writes else ((), target)
                directory = state.directory
                self._add(Program(program="", words=(), directory=directory, writes=writes, reads=reads, via=via))
        return None

    def _simple(self, node: SimpleCommand, state: _State, depth: int, via: str, given: _Pipe | None) -> str | None:
        if node.substitutes:
            self._substituted(node, state, depth)
        for assignment in node.assignments:
            name, _, value = assignment.partition("=")
            values = expanded_word(value, state.variables, state.directory) or [""]
            if name.endswith("+"):
                name = name[:-1]
                values = [before + value for before in state.variables.get(name, ("",)) for value in values]
            state.variables[name] = values
        if not node.argv:
            return None
        words = [word for each in node.argv for word in expanded_word(each, state.variables, state.directory)]
        for redirect in node.redirects:
            if redirect.operator == "<<" or (redirect.operator == "<" and any(c in redirect.target for c in " \n;|")):
                given = _Pipe(text=_body(redirect.target))
        writes = tuple(
            target
            for redirect in node.redirects
            if redirect.writes
            for target in expanded_word(redirect.target, state.variables, state.directory)
        )
        reads = tuple(
            redirect.target for redirect in node.redirects if redirect.operator == "<" and "\n" not in redirect.target
        )
        return self._words(words, state, depth, via, given, writes, reads) if words else None

    def _substituted(self, node: SimpleCommand, state: _State, depth: int) -> None:
        texts = [*node.argv, *node.assignments, *(redirect.target for redirect in node.redirects)]
        for word in texts:
            for inner in substitutions(word):
                self.text(inner, state.copy(), depth=depth + 1, via="")

    def _words(
        self,
        words: Sequence[str],
        state: _State,
        depth: int,
        via: str,
        given: _Pipe | None,
        writes: Sequence[str] = (),
        reads: Sequence[str] = (),
    ) -> str | None:
        """Read one program with its words, below its wrappers; return what it surely prints."""
        if depth > MOST_DEPTH:
            self.unreadable["deep"] = None
            return None
        if words[0] in state.aliases:
            self._again(f"{state.aliases[words[0]]} {shlex.join(words[1:])}", state, depth, via, given)
            return None
        inner = self._below(words, state, given)
        via = inner.via or via
        if inner.nested is not None:
            below = state if inner.shares else state.copy()
            below.variables |= inner.variables
            below.directory = inner.directory or below.directory
            self._again(inner.nested, below, depth, via, given)
            return None
        if not inner.words:
            return None
        name = program(inner.words[0])
        if inner.words[0].startswith(("<(", ">(")):
            self.unreadable["piped"] = None
        elif "$" in name or "`" in name:
            self.unreadable["program"] = None
        directory = inner.directory or state.directory
        made = program_of(name, inner.words, directory=directory, writes=writes, reads=reads, via=via)
        made = replace(made, branch=state.branch)
        by_input = made.operands[:1] in ((), ("-",), ("/dev/stdin",))
        if (name in SHELLS and (by_input or "s" in made.options)) or (name in SOURCES and by_input):
            self._shell_input(given, state, depth)
        elif name in SOURCES and made.operands and made.operands[0].startswith(("$(", "<(", "`")):
            self.unreadable["piped"] = None
        script = made.operands[1:] if made.operands[:1] == ("run",) else made.operands
        if name in CODE_OPTIONS and script[:1] in ((), ("-",)) and given is not None:
            made = self._interpreted(made, given, state, depth)
        self._kept(made, state, depth)
        return printed_text(made)

    def _again(self, text: str, state: _State, depth: int, via: str, given: _Pipe | None) -> None:
        parts = parse_pipelines(text) if len(text) <= LONGEST else None
        if parts is None:
            self.unreadable["syntax"] = None
        elif text.lstrip().startswith(("$(", "`")):
            self._evaluated(text, state, depth)
        else:
            self._list(parts, state, depth + 1, via, given)

    def _evaluated(self, text: str, state: _State, depth: int) -> None:
        """Read the programs that print the command line which is run: what they print nobody knows."""
        first = len(self.programs)
        for inner in substitutions(text):
            self.text(inner, state.copy(), depth=depth + 1, via="")
        makers = {made.program for made in self.programs[first:]}
        why = "decoded" if makers & DECODERS else "piped" if makers & FETCHERS else "evaluated"
        self.unreadable[why] = None

    def _below(self, words: Sequence[str], state: _State, given: _Pipe | None) -> Inner:
        """Return what stands below the wrappers of a program."""
        now = Inner(words=tuple(words))
        for _ in range(MOST_WRAPPERS):
            if not now.words or now.nested is not None or program(now.words[0]) in ELSEWHERE:
                break
            step = self._one_below(now, state, given)
            if step is None:
                break
            now = step
        return now

    def _one_below(self, now: Inner, state: _State, given: _Pipe | None) -> Inner | None:
        name = program(now.words[0])
        if _assigns(now.words[0]):  # `env A=/b rm`
            return replace(now, words=now.words[1:])
        if name == "xargs":
            without = peeled(Unwrapped(argv=now.words))
            rest = without.argv if without is not None else ()
            return replace(now, words=(*(rest or ("echo",)), *_piped_operands(given, state.directory)), via="xargs")
        own = further(name, now)
        if own is not None:
            return own
        without = peeled(Unwrapped(argv=now.words))
        if without is None:
            return None
        directory = now.directory or state.directory
        for change in without.directories:
            directory = joined_path(directory, change)
        nested = without.nested
        variables: dict[str, Sequence[str]] = {}
        if nested is not None and nested in now.words:
            rest = now.words[now.words.index(nested) + 1 :]
            variables = {str(number): (word,) for number, word in enumerate(rest)}
            variables |= {"@": tuple(rest[1:]) or ("",), "*": tuple(rest[1:]) or ("",)}
        return replace(
            now,
            words=without.argv,
            nested=nested,
            directory=directory,
            variables=variables,
            shares=name == "eval",
            via=name if nested is not None or without.argv[:1] != now.words[1:2] else now.via,
        )

    def _shell_input(self, given: _Pipe | None, state: _State, depth: int) -> None:
        """Read what a shell is given to run through a pipe or a here-document."""
        if given is None:
            return
        if given.text is not None:
            self.text(given.text, state.copy(), depth=depth + 1, via="sh")
        elif any(maker.program in DECODERS for maker in given.makers):
            self.unreadable["decoded"] = None
        else:
            self.unreadable["piped"] = None

    def _interpreted(self, made: Program, given: _Pipe, state: _State, depth: int) -> Program:
        """Return an interpreter with the code that a pipe gives it to run."""
        if given.text is None and (not made.options or "-" in made.operands):
            self._shell_input(given, state, depth)
        return made if given.text is None else replace(made, code=given.text)

    def _kept(self, made: Program, state: _State, depth: int) -> None:
        """Keep a program, what it changes for those that follow, and what it runs itself."""
        if code := given_code(made.program, made.words):
            made = replace(made, code=code)
        if made.program in AWKS and made.operands:
            made = replace(made, code=made.operands[0])
        self._add(made)
        effect = EFFECTS.get(made.program)
        if effect is not None:
            effect(self, made, state, depth)
        if made.code:
            for command in commands_in(made.program, made.code):
                self._words(command, state.copy(), depth + 1, made.program, None)

    def _add(self, made: Program) -> None:
        if len(self.programs) < MOST_PROGRAMS:
            self.programs.append(made)
        else:
            self.unreadable["deep"] = None

    def cd(self, made: Program, state: _State, _: int) -> None:
        """Let what follows run elsewhere."""
        target = made.operands[0] if made.operands else "~"
        below = target if target.startswith("~") else joined_path(state.directory, target)
        state.directory = below if target != "-" else "$OLDPWD"

    def alias(self, made: Program, state: _State, _: int) -> None:
        """Remember `alias x='rm -rf'`."""
        for word in made.operands:
            name, equals, value = word.partition("=")
            if equals:
                state.aliases[name] = value

    def assign(self, made: Program, state: _State, _: int) -> None:
        """Remember `export X=...`."""
        for word in made.operands:
            name, equals, value = word.partition("=")
            if equals:
                state.variables[name] = expanded_word(value, state.variables, state.directory) or ("",)

    def parameters(self, made: Program, state: _State, _: int) -> None:
        """Remember the parameters that `set -- a b` sets."""
        if "--" in made.words:
            given = made.words[made.words.index("--") + 1 :]
            state.variables |= {str(number): (word,) for number, word in enumerate(given, 1)}
            state.variables |= {"@": (" ".join(given),), "*": (" ".join(given),)}

    def trap(self, made: Program, state: _State, depth: int) -> None:
        """Read what runs later."""
        if made.operands:
            self.text(made.operands[0], state.copy(), depth=depth + 1, via=made.program)

    def find(self, made: Program, state: _State, depth: int) -> None:
        """Read what `find` removes or runs, on whatever lies below where it begins."""
        below = found_files(made)
        words = made.words
        if "-delete" in words:
            self._words(("rm", "-r", "-f", *below), state.copy(), depth + 1, "find", None)
        for at, word in enumerate(words):
            if word in {"-exec", "-execdir", "-ok", "-okdir"}:
                inner = _until_end(words[at + 1 :])
                filled = [target for part in inner for target in (below if part == "{}" else [part])]
                if filled:
                    self._words(filled, state.copy(), depth + 1, "find", None)

    def git(self, made: Program, state: _State, depth: int) -> None:
        """Read an alias that git is given with `-c`, and what it runs for each commit."""
        settings = [made.words[at + 1] for at, word in enumerate(made.words[:-1]) if word == "-c"] + state.settings
        for setting in settings:
            key, _, value = setting.partition("=")
            if key.lower() == f"alias.{made.subcommand.lower()}":
                shell = value[1:] if value.startswith("!") else f"git {value}"
                self.text(f"{shell} {shlex.join(made.operands)}", state.copy(), depth=depth + 1, via="git")
        if made.subcommand in {"checkout", "switch"} and made.operands and "--" not in made.words:
            state.branch = made.operands[0]
        if made.subcommand == "branch" and {"m", "M", "move"} & set(made.options) and made.operands:
            state.branch = made.operands[-1]
        if made.subcommand == "config" and len(made.operands) == 2 and made.operands[0].startswith("alias."):
            state.settings.append("=".join(made.operands))
        if made.subcommand == "submodule" and "foreach" in made.operands:
            rest = made.operands[made.operands.index("foreach") + 1 :]
            self.text(" ".join(rest), state.copy(), depth=depth + 1, via="git")


EFFECTS: dict[str, Callable[[_Reader, Program, _State, int], None]] = {
    "cd": _Reader.cd,
    "pushd": _Reader.cd,
    "alias": _Reader.alias,
    "export": _Reader.assign,
    "declare": _Reader.assign,
    "local": _Reader.assign,
    "readonly": _Reader.assign,
    "typeset": _Reader.assign,
    "set": _Reader.parameters,
    "trap": _Reader.trap,
    "find": _Reader.find,
    "git": _Reader.git,
}


def _assigns(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _until_end(words: Sequence[str]) -> Sequence[str]:
    ends = [at for at, word in enumerate(words) if word in {";", "+"}]
    return words[: ends[0]] if ends else words


def _piped_operands(given: _Pipe | None, directory: str) -> tuple[str, ...]:
    """Return what `xargs` is given: plain words, what lies below a place, or what nobody can tell."""
    if given is not None and given.text is not None:
        return tuple(given.text.split())
    makers = given.makers if given is not None else ()
    first = makers[0] if makers else None
    if first is not None and first.program == "find":
        return found_files(first)
    if first is not None and first.program in LISTERS and all(made.program in FILTERS for made in makers):
        places = [word for word in first.operands if word.startswith(("/", "~", "$", ".."))]
        every = first.program == "ls" and len(makers) == 1 and not first.operands
        return tuple(f"{place.rstrip('/')}/*" for place in places) or (
            f"{directory}/*" if every else f"{directory}/*/*",
        )
    return ("$input",)


def _body(text: str) -> str:
    """Return a here-document without the line that ends it."""
    lines = text.splitlines()
    return "\n".join(lines[:-1]) if len(lines) > 1 else text
