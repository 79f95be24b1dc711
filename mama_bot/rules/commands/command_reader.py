"""Reads a command line into its programs: wrappers off, quotes off, variables in, nested command lines too."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from mama_bot.rules.commands.expansion import expanded_word, substitutions
from mama_bot.rules.commands.inner_code import CODE_OPTIONS, commands_in, given_code, only_checks
from mama_bot.rules.commands.inner_commands import Inner, further
from mama_bot.rules.commands.inner_programs import RUN_VARIABLES, programs_run, reads_make_rules
from mama_bot.rules.commands.piped_words import xargs_words
from mama_bot.rules.commands.printed_text import printed_text
from mama_bot.rules.commands.read_programs import CommandReading, Program, program_of
from mama_bot.rules.commands.shell_state import Piped, ShellState, numbered
from mama_bot.shell.flow import joined_path
from mama_bot.shell.syntax import Group, Pipeline, SimpleCommand, is_too_long, parse_pipelines
from mama_bot.shell.tokens import MAX_BODY
from mama_bot.shell.wrappers import SHELLS, Unwrapped, peeled, program

MOST_PROGRAMS = 200
MOST_DEPTH = 8
MOST_WRAPPERS = 16
MOST_READ = 2_000
LONGEST = 100_000
DECODERS = frozenset({"base64", "base32", "xxd", "openssl", "gunzip", "zcat", "rev", "tr", "sed", "awk", "perl"})
FETCHERS = frozenset({"curl", "wget"})
# In a container or on another machine the same words are about other files.
ELSEWHERE = frozenset({"docker", "podman", "docker-compose", "ssh"})
SOURCES = frozenset({"source", "."})
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
Files = tuple[Sequence[str], Sequence[str]]  # that redirections write, and read
NONE: Files = ((), ())


@lru_cache(maxsize=512)
def read_command(text: str, directory: str) -> CommandReading:
    """Return what a command line runs in a directory; never raises."""
    reader = _Reader()
    reader.whole(text, directory)
    return CommandReading(programs=tuple(reader.programs), unreadable=tuple(reader.unreadable))


class _Reader:
    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.unreadable: dict[str, None] = {}
        self._read = 0
        self._uncalled: dict[str, tuple[Group, ShellState]] = {}

    def whole(self, text: str, directory: str) -> None:
        """Read a command line, and what its functions would do that nothing in it calls."""
        self.text(text, ShellState(directory), depth=0, via="")
        while self._uncalled:
            node, state = self._uncalled.pop(next(iter(self._uncalled)))
            self._list(node.parts, state, 1, "", None)

    def text(self, text: str, state: ShellState, *, depth: int, via: str) -> None:
        """Read a command line that runs here."""
        if depth > MOST_DEPTH or len(text) > LONGEST:
            self.unreadable["deep"] = None
            return
        parts = parse_pipelines(text)
        if parts is None:
            self.unreadable["deep" if is_too_long(text) else "syntax"] = None
            return
        self._list(parts, state, depth, via, None)

    def _list(self, parts: Sequence[Pipeline], state: ShellState, depth: int, via: str, given: Piped | None) -> None:
        for part in parts:
            pipe = given
            for stage in part.stages:
                inner = state if len(part.stages) == 1 else state.copy()
                first = len(self.programs)
                printed = self._node(stage, inner, depth, via, pipe)
                pipe = Piped(text=printed, makers=tuple(self.programs[first:]))

    def _node(
        self, node: Group | SimpleCommand, state: ShellState, depth: int, via: str, given: Piped | None
    ) -> str | None:
        if isinstance(node, SimpleCommand):
            return self._simple(node, state, depth, via, given)
        if node.function:
            state.functions[node.function] = node
            self._uncalled[node.function] = (node, state.copy())
            return None
        inner = state.copy() if node.subshell else state
        if node.head and node.head[1:2] in ((), ("in",)):
            listed = node.head[2:] or ("$@",)
            values = [value for word in listed for value in expanded_word(word, state.variables, state.directory)]
            inner.variables[node.head[0]] = values or ("",)
        if depth < MOST_DEPTH:
            self._list(node.parts, inner, depth + 1, via, given)
        else:
            self.unreadable["deep"] = None
        for redirect in node.redirects:
            if redirect.operator != "<<":
                target = (redirect.target,)
                writes, reads = (target, ()) if redirect.writes else ((), target)
                directory = state.directory
                self._add(Program(program="", words=(), directory=directory, writes=writes, reads=reads, via=via))
        return None

    def _simple(self, node: SimpleCommand, state: ShellState, depth: int, via: str, given: Piped | None) -> str | None:
        self._read += 1
        if self._read > MOST_READ:
            self.unreadable["deep"] = None
            return None
        if node.substitutes:
            self._substituted(node, state, depth)
        for assignment in node.assignments:
            name, _, value = assignment.partition("=")
            values = expanded_word(value, state.variables, state.directory) or [""]
            if name.endswith("+"):
                name = name[:-1]
                values = [before + value for before in state.variables.get(name, ("",)) for value in values]
            self._set(name, values, state, depth)
        if not node.argv:
            return None
        words = [word for each in node.argv for word in expanded_word(each, state.variables, state.directory)]
        for redirect in node.redirects:
            if redirect.operator == "<<" or (redirect.operator == "<" and any(c in redirect.target for c in " \n;|")):
                given = Piped(text=_body(redirect.target), cut=len(redirect.target) >= MAX_BODY)
        writes = tuple(
            target
            for redirect in node.redirects
            if redirect.writes
            for target in expanded_word(redirect.target, state.variables, state.directory)
        )
        reads = tuple(
            redirect.target for redirect in node.redirects if redirect.operator == "<" and "\n" not in redirect.target
        )
        return self._words(words, state, depth, via, given, (writes, reads)) if words else None

    def _substituted(self, node: SimpleCommand, state: ShellState, depth: int) -> None:
        texts = [*node.argv, *node.assignments, *(redirect.target for redirect in node.redirects)]
        for word in texts:
            for inner in substitutions(word):
                self.text(inner, state.copy(), depth=depth + 1, via="")

    def _words(
        self, words: Sequence[str], state: ShellState, depth: int, via: str, given: Piped | None, files: Files = NONE
    ) -> str | None:
        """Read one program with its words, and what an alias or a function of its name runs; return what is printed.

        Whether a shell takes these at all nobody can tell: a script takes no alias, another shell no function, and none
        takes what is not set after all. So the program of that name may run as well.
        """
        if depth > MOST_DEPTH:
            self.unreadable["deep"] = None
            return None
        alias = state.aliases.pop(words[0], None)
        printed = self._program(words, state, depth, via, given, files)
        if alias is not None:
            self._again(f"{alias} {shlex.join(words[1:])}", state, depth, via, given)
            state.aliases[words[0]] = alias
            return None
        if words[0] in state.functions:
            self._call(words, state, depth, via, given)
            return None
        return printed

    def _program(
        self, words: Sequence[str], state: ShellState, depth: int, via: str, given: Piped | None, files: Files
    ) -> str | None:
        """Read one program with its words, below its wrappers; return what it surely prints."""
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
        made = program_of(name, inner.words, directory=directory, writes=files[0], reads=files[1], via=via)
        made = self._fed(replace(made, branch=state.branch), given, state, depth)
        self._kept(made, state, depth)
        return printed_text(made)

    def _fed(self, made: Program, given: Piped | None, state: ShellState, depth: int) -> Program:
        """Read what a shell is given to run, and return an interpreter with the code that it is given."""
        name = made.program
        if only_checks(made):
            return made
        by_input = made.operands[:1] in ((), ("-",), ("/dev/stdin",))
        if (name in SHELLS and (by_input or "s" in made.options)) or (name in SOURCES and by_input):
            self._shell_input(given, state, depth)
        elif name in SOURCES and made.operands and made.operands[0].startswith(("$(", "<(", "`")):
            self.unreadable["piped"] = None
        script = made.operands[1:] if made.operands[:1] == ("run",) else made.operands
        if reads_make_rules(made) or (name in CODE_OPTIONS and script[:1] in ((), ("-",))):
            made = self._interpreted(made, given, state, depth)
        return made

    def _again(self, text: str, state: ShellState, depth: int, via: str, given: Piped | None) -> None:
        parts = parse_pipelines(text) if len(text) <= LONGEST else None
        if parts is None:
            self.unreadable["syntax"] = None
        elif text.lstrip().startswith(("$(", "`")):
            self._evaluated(text, state, depth)
        else:
            self._list(parts, state, depth + 1, via, given)

    def _evaluated(self, text: str, state: ShellState, depth: int) -> None:
        """Read the programs that print the command line which is run: what they print nobody knows."""
        first = len(self.programs)
        for inner in substitutions(text):
            self.text(inner, state.copy(), depth=depth + 1, via="")
        makers = {made.program for made in self.programs[first:]}
        why = "decoded" if makers & DECODERS else "piped" if makers & FETCHERS else "evaluated"
        self.unreadable[why] = None

    def _below(self, words: Sequence[str], state: ShellState, given: Piped | None) -> Inner:
        """Return what stands below the wrappers of a program."""
        now = Inner(words=tuple(words))
        for _ in range(MOST_WRAPPERS):
            if not now.words or now.nested is not None or program(now.words[0]) in ELSEWHERE:
                break
            step = self._one_below(now, state, given)
            if step is None:
                break
            now = step
        else:
            self.unreadable["deep"] = None
        return now

    def _one_below(self, now: Inner, state: ShellState, given: Piped | None) -> Inner | None:
        name = program(now.words[0])
        if _assigns(now.words[0]):  # `env A=/b rm`
            return replace(now, words=now.words[1:])
        if name == "xargs":
            without = peeled(Unwrapped(argv=now.words))
            rest = without.argv if without is not None else ()
            own, pipe = now.words[1 : len(now.words) - len(rest)], given or Piped()
            return replace(now, words=xargs_words(own, rest, pipe.text, pipe.makers, state.directory), via="xargs")
        below = further(name, now)
        if below is not None:
            return below
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

    def _shell_input(self, given: Piped | None, state: ShellState, depth: int) -> None:
        """Read what a shell is given to run through a pipe or a here-document."""
        if given is None:
            return
        if given.text is not None:
            self.text(given.text, state.copy(), depth=depth + 1, via="sh")
            if given.cut:
                self.unreadable["deep"] = None
        elif any(maker.program in DECODERS for maker in given.makers):
            self.unreadable["decoded"] = None
        else:
            self.unreadable["piped"] = None

    def _interpreted(self, made: Program, given: Piped | None, state: ShellState, depth: int) -> Program:
        """Return an interpreter with the code that its input gives it to run."""
        if given is None:
            return made
        if given.text is None and (not made.options or "-" in made.operands or reads_make_rules(made)):
            self._shell_input(given, state, depth)
        return made if given.text is None else replace(made, code=given.text)

    def _kept(self, made: Program, state: ShellState, depth: int) -> None:
        """Keep a program, what it changes for those that follow, and what it runs itself."""
        if code := given_code(made.program, made.words):
            made = replace(made, code=code)
        if made.program in AWKS and made.operands:
            made = replace(made, code=made.operands[0])
        self._add(made)
        effect = EFFECTS.get(made.program)
        if effect is not None:
            effect(self, made, state, depth)
        for run in programs_run(made, state.settings):
            if isinstance(run, str):
                self.text(run, state.copy(), depth=depth + 1, via=made.program)
            else:
                self._words(run, state.copy(), depth + 1, made.program, None)
        if made.code and made.program in CODE_OPTIONS.keys() | AWKS:
            for command in commands_in(made.program, made.code):
                self._words(command, state.copy(), depth + 1, made.program, None)

    def _add(self, made: Program) -> None:
        if len(self.programs) < MOST_PROGRAMS:
            self.programs.append(made)
        else:
            self.unreadable["deep"] = None

    def cd(self, made: Program, state: ShellState, _: int) -> None:
        """Let what follows run elsewhere."""
        target = made.operands[0] if made.operands else "~"
        below = target if target.startswith("~") else joined_path(state.directory, target)
        state.directory = below if target != "-" else "$OLDPWD"

    def alias(self, made: Program, state: ShellState, _: int) -> None:
        """Remember `alias x='rm -rf'`."""
        for word in made.operands:
            name, equals, value = word.partition("=")
            if equals:
                state.aliases[name] = value

    def assign(self, made: Program, state: ShellState, depth: int) -> None:
        """Remember `export X=...`."""
        for word in made.operands:
            name, equals, value = word.partition("=")
            if equals:
                self._set(name, expanded_word(value, state.variables, state.directory) or ("",), state, depth)

    def _set(self, name: str, values: Sequence[str], state: ShellState, depth: int) -> None:
        """Remember a variable, and read what programs run by it: `GIT_PAGER`."""
        state.variables[name] = values
        if name in RUN_VARIABLES:
            for text in values:
                self.text(text, state.copy(), depth=depth + 1, via=name)

    def parameters(self, made: Program, state: ShellState, _: int) -> None:
        """Remember the parameters that `set -- a b` sets."""
        if "--" in made.words:
            state.variables |= numbered(made.words[made.words.index("--") + 1 :])

    def shift(self, made: Program, state: ShellState, _: int) -> None:
        """Let the parameters begin with a later one."""
        count = int(made.operands[0]) if made.operands and made.operands[0].isdigit() else 1
        given = [state.variables[str(at)][0] for at in range(1, 100) if str(at) in state.variables][count:]
        for at in range(1, 100):
            state.variables.pop(str(at), None)
        state.variables |= numbered(given)

    def git(self, made: Program, state: ShellState, _: int) -> None:
        """Remember what is checked out from here on, and an alias that is set."""
        if made.subcommand in {"checkout", "switch"} and made.operands and "--" not in made.words:
            state.branch = made.operands[0]
        if made.subcommand == "branch" and {"m", "M", "move"} & set(made.options) and made.operands:
            state.branch = made.operands[-1]
        if made.subcommand == "config" and len(made.operands) == 2 and made.operands[0].startswith("alias."):
            state.settings.append("=".join(made.operands))

    def _call(self, words: Sequence[str], state: ShellState, depth: int, via: str, given: Piped | None) -> None:
        """Read what a function does with the words that it is called with."""
        node = state.functions[words[0]]
        self._uncalled.pop(words[0], None)
        inner = state.copy()
        for name in [name for name in inner.variables if name.isdigit()]:
            del inner.variables[name]
        inner.variables |= numbered(words[1:])
        del inner.functions[words[0]]  # one that calls itself does the same once more
        self._list(node.parts, inner, depth + 1, via, given)
        state.directory = inner.directory


EFFECTS: dict[str, Callable[[_Reader, Program, ShellState, int], None]] = {
    "cd": _Reader.cd,
    "pushd": _Reader.cd,
    "alias": _Reader.alias,
    "export": _Reader.assign,
    "declare": _Reader.assign,
    "local": _Reader.assign,
    "readonly": _Reader.assign,
    "typeset": _Reader.assign,
    "set": _Reader.parameters,
    "shift": _Reader.shift,
    "git": _Reader.git,
}


def _assigns(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _body(text: str) -> str:
    """Return a here-document without the line that ends it."""
    lines = text.splitlines()
    return "\n".join(lines[:-1]) if len(lines) > 1 else text
