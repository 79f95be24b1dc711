"""Parse shell commands into a small tree: best effort, linear, bounded, and never raising."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.shell.tokens import CommandNotUnderstood, CommandTooLong, Token, TokenKind, tokens_of

MAX_CHARACTERS = 300_000
MAX_COMMANDS = 400
MAX_DEPTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """A redirection such as `2>&1`: its descriptor, operator, and target file or descriptor.

    The descriptor is "" for the operator's own and "&" for both outputs. The target of a here-document (`<<`) is its
    text, cut at 8,000 characters.
    """

    descriptor: str
    operator: str
    target: str

    @property
    def writes(self) -> bool:
        """Whether it writes a file."""
        return self.operator in {">", ">>", ">|", "<>"} or (self.operator == ">&" and not self.target.isdigit())


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleCommand:
    """A program with its words, quotes removed; `$(...)` and variables stay as they are written.

    `operator` is what stands between it and the command before it: "", ";", "&&", "||", "|", "|&" or "&".
    `uncertain` says that it stands in a condition, a loop, a function or a `case`, so that it may not have run.
    `substitutes` says that a word holds `$(...)`, backquotes or `<(...)`: further commands that nobody looked into.
    """

    argv: tuple[str, ...]
    assignments: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    operator: str = ""
    background: bool = False
    uncertain: bool = False
    substitutes: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A list in `( )` or `{ }`, or a compound command; `sure` is false where its parts may not run (`if`, `for`).

    `head` are the words between `for` and its `do`: a name, "in", values. `function` is the name of the function whose
    body this is.
    """

    parts: "tuple[Pipeline, ...]"
    subshell: bool = False
    sure: bool = True
    redirects: tuple[Redirect, ...] = ()
    head: tuple[str, ...] = ()
    function: str = ""


Node = SimpleCommand | Group


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline of a list: the operator that joins it to the one before, its commands, whether `&` follows it."""

    operator: str
    stages: tuple[Node, ...]
    negated: bool = False
    background: bool = False


OPENING = {
    "if": "fi",
    "while": "done",
    "until": "done",
    "for": "done",
    "select": "done",
    "case": "esac",
}
INNER = frozenset({"then", "elif", "else", "do", "in"})
CLOSING = frozenset({"fi", "done", "esac", "}"})


@dataclass(slots=True)
class Parser:
    """Parses a list of tokens in one pass; raises CommandNotUnderstood."""

    tokens: list[Token]
    position: int = 0
    count: int = 0
    depth: int = 0

    def peek(self) -> Token | None:
        """Return the next token; None at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def list_until(self, closing: frozenset[str]) -> tuple[Pipeline, ...]:
        """Parse pipelines up to a closing word or operator, which is not consumed."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise CommandTooLong
        parts: list[Pipeline] = []
        operator = ""
        while (token := self.peek()) is not None:
            if token.bare and token.text in closing:
                break
            if token.kind is TokenKind.OPERATOR and token.text in {";", "\n", ";;", "&"}:
                self.position += 1
                operator = operator if operator in {"&&", "||"} else ";"
                continue
            if token.kind is TokenKind.OPERATOR and token.text in {"&&", "||"}:
                self.position += 1
                operator = token.text
                continue
            part = self.pipeline(operator)
            following = self.peek()
            if following is not None and following.kind is TokenKind.OPERATOR and following.text == "&":
                part = Pipeline(part.operator, part.stages, part.negated, background=True)
            parts.append(part)
            operator = ";"
        self.depth -= 1
        return tuple(parts)

    def pipeline(self, operator: str) -> Pipeline:
        """Parse commands joined by `|`, after `!` and `time`."""
        negated = False
        while (token := self.peek()) is not None and token.bare and token.text in {"!", "time"}:
            negated ^= token.text == "!"
            self.position += 1
            if token.text == "time" and (option := self.peek()) is not None and option.text == "-p":
                self.position += 1
        stages = [self.command(operator)]
        while (token := self.peek()) is not None and token.kind is TokenKind.OPERATOR and token.text in {"|", "|&"}:
            self.position += 1
            while (after := self.peek()) is not None and after.kind is TokenKind.OPERATOR and after.text == "\n":
                self.position += 1
            stages.append(self.command(token.text))
        return Pipeline(operator, tuple(stages), negated)

    def command(self, operator: str) -> Node:
        """Parse one stage of a pipeline."""
        self.count += 1
        if self.count > MAX_COMMANDS:
            raise CommandTooLong
        token = self.peek()
        if token is None:
            raise CommandNotUnderstood
        if token.kind is TokenKind.OPERATOR and token.text == "(":
            return self.group(frozenset({")"}), subshell=True)
        if token.bare and token.text == "{":
            return self.group(frozenset({"}"}), subshell=False)
        if token.bare and token.text in OPENING:
            return self.compound(OPENING[token.text])
        if token.bare and token.text == "[[":
            return self.condition(operator)
        if token.bare and token.text == "function":
            return self.named_function()
        if token.kind is TokenKind.WORD:
            return self.simple(operator)
        raise CommandNotUnderstood

    def group(self, closing: frozenset[str], *, subshell: bool) -> Group:
        """Parse `( ... )` or `{ ...; }`."""
        self.position += 1
        parts = self.list_until(closing)
        if self.peek() is None:
            raise CommandNotUnderstood
        self.position += 1
        return Group(parts, subshell=subshell, redirects=self.redirects())

    def compound(self, closing: str) -> Group:
        """Parse `if`, `while`, `for` or `case`: every command in it, none of them sure to run."""
        opening = self.tokens[self.position].text
        self.position += 1
        if opening == "case":
            return self.case()
        head = self.head() if opening in {"for", "select"} else ()
        parts: list[Pipeline] = []
        ends = INNER | {closing}
        while True:
            parts.extend(self.list_until(ends))
            token = self.peek()
            if token is None:
                raise CommandNotUnderstood
            self.position += 1
            if token.text == closing:
                return Group(tuple(parts), sure=False, redirects=self.redirects(), head=head)

    def case(self) -> Group:
        """Parse `$x in a|b) ...;; esac`: every command in it, none of them sure to run."""
        self.skip_to("in")
        parts: list[Pipeline] = []
        while True:
            while (token := self.peek()) is not None and token.text in {"\n", ";;", ";"}:
                self.position += 1
            if token is None:
                raise CommandNotUnderstood
            if token.bare and token.text == "esac":
                self.position += 1
                return Group(tuple(parts), sure=False, redirects=self.redirects())
            self.skip_to(")")
            parts.extend(self.list_until(frozenset({";;", "esac"})))

    def skip_to(self, text: str) -> None:
        """Skip words up to and with one that stands without quotes."""
        while (token := self.peek()) is not None:
            self.position += 1
            if token.bare and token.text == text:
                return
        raise CommandNotUnderstood

    def head(self) -> tuple[str, ...]:
        """Return `x in a b c` of a `for`: words that are no commands."""
        words: list[str] = []
        while (token := self.peek()) is not None:
            if token.kind is TokenKind.OPERATOR and token.text in {";", "\n"}:
                break
            if token.bare and token.text == "do":
                break
            words.append(token.text)
            self.position += 1
        return tuple(words)

    def condition(self, operator: str) -> SimpleCommand:
        """Parse `[[ ... ]]`, in which `&&`, `<` and `(` mean something else."""
        words: list[str] = []
        while (token := self.peek()) is not None:
            self.position += 1
            words.append(token.text)
            if token.bare and token.text == "]]":
                return SimpleCommand(argv=("[[", *words[1:]), operator=operator)
        raise CommandNotUnderstood

    def simple(self, operator: str) -> Node:
        """Parse assignments, words and redirections."""
        words: list[str] = []
        assignments: list[str] = []
        redirects: list[Redirect] = []
        substitutes = False
        while (token := self.peek()) is not None:
            if token.kind is TokenKind.REDIRECT:
                redirects.append(self.redirect())
                continue
            if token.kind is TokenKind.OPERATOR:
                if token.text == "(" and len(words) == 1 and not redirects:
                    return self.function(words[0])
                break
            self.position += 1
            substitutes |= token.substitutes
            if not words and token.assigns:
                assignments.append(token.text)
            else:
                words.append(token.text)
        return SimpleCommand(
            argv=tuple(words),
            assignments=tuple(assignments),
            redirects=tuple(redirects),
            operator=operator,
            substitutes=substitutes,
        )

    def named_function(self) -> Group:
        """Parse `function name { ...; }`."""
        self.position += 1
        named = self.peek()
        if named is None:
            raise CommandNotUnderstood
        self.position += 1
        token = self.peek()
        if token is not None and token.text == "(":
            return self.function(named.text)
        return self.body(named.text)

    def function(self, name: str) -> Group:
        """Parse `name() { ...; }`: its commands run when it is called, if ever."""
        self.position += 1
        token = self.peek()
        if token is None or token.text != ")":
            raise CommandNotUnderstood
        self.position += 1
        return self.body(name)

    def body(self, name: str) -> Group:
        """Parse what a function runs."""
        while (token := self.peek()) is not None and token.kind is TokenKind.OPERATOR and token.text == "\n":
            self.position += 1
        body = self.command("")
        return Group((Pipeline("", (body,)),), sure=False, function=name)

    def redirect(self) -> Redirect:
        """Parse one redirection with its target."""
        token = self.tokens[self.position]
        self.position += 1
        operator = token.text
        if operator.startswith("<<"):
            return Redirect(descriptor=token.descriptor, operator="<<", target=token.body)
        target = self.peek()
        if target is None or target.kind is not TokenKind.WORD:
            raise CommandNotUnderstood
        self.position += 1
        if operator in {"&>", "&>>"}:
            return Redirect(descriptor="&", operator=operator[1:], target=target.text)
        if operator == ">&" and not token.descriptor and not target.text.isdigit() and target.text != "-":
            return Redirect(descriptor="&", operator=">", target=target.text)
        return Redirect(descriptor=token.descriptor, operator=operator, target=target.text)

    def redirects(self) -> tuple[Redirect, ...]:
        """Parse the redirections behind a group."""
        listed: list[Redirect] = []
        while (token := self.peek()) is not None and token.kind is TokenKind.REDIRECT:
            listed.append(self.redirect())
        return tuple(listed)


@lru_cache(maxsize=256)
def parse_pipelines(command: str) -> tuple[Pipeline, ...] | None:
    """Parse a command into pipelines; None when it is not understood: too long, too deep, or cut off."""
    if len(command) > MAX_CHARACTERS:
        return None
    try:
        parser = Parser(tokens_of(command))
        parts = parser.list_until(frozenset())
    except CommandNotUnderstood:
        return None
    return parts


def is_too_long(command: str) -> bool:
    """Return whether a command is more than is read, so that what follows may be anything."""
    if len(command) > MAX_CHARACTERS:
        return True
    try:
        Parser(tokens_of(command)).list_until(frozenset())
    except CommandTooLong:
        return True
    except CommandNotUnderstood:
        return False
    return False


def commands_of(command: str) -> tuple[SimpleCommand, ...] | None:
    """Return every simple command in the order it is written; None when the command is not understood.

    The insides of `$(...)`, of here-documents and of the argument of `bash -c` are not parsed.
    """
    parts = parse_pipelines(command)
    return None if parts is None else tuple(_flat(parts, uncertain=False, background=False))


def _flat(parts: tuple[Pipeline, ...], *, uncertain: bool, background: bool) -> Iterator[SimpleCommand]:
    for part in parts:
        for index, stage in enumerate(part.stages):
            if isinstance(stage, Group):
                inner = uncertain or not stage.sure
                yield from _flat(stage.parts, uncertain=inner, background=background or part.background)
                for redirect in stage.redirects:
                    yield SimpleCommand(argv=(), redirects=(redirect,), operator=part.operator)
                continue
            yield SimpleCommand(
                argv=stage.argv,
                assignments=stage.assignments,
                redirects=stage.redirects,
                operator=part.operator if index == 0 else stage.operator,
                background=background or part.background,
                uncertain=uncertain,
                substitutes=stage.substitutes,
            )
