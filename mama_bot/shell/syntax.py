"""Shell commands as a small tree, best effort: linear, bounded, and never raising."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from mama_bot.shell.tokens import Kind, NotUnderstood, Token, tokens_of

MAX_CHARACTERS = 300_000
MAX_COMMANDS = 400
MAX_DEPTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """`2>&1`: the descriptor ("" is the operator's own, "&" both outputs), the operator, the file or descriptor.

    The target of a here-document (`<<`) is its text, cut at 8,000 characters.
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
    """A list in `( )` or `{ }`; `sure` is false for the parts of a condition, a loop, a `case` or a function."""

    parts: "tuple[Part, ...]"
    subshell: bool = False
    sure: bool = True
    redirects: tuple[Redirect, ...] = ()


Node = SimpleCommand | Group


@dataclass(frozen=True, slots=True)
class Part:
    """A pipeline in a list: what joins it to the one before, its commands, and whether `&` follows it."""

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
    """One pass over the tokens; raises NotUnderstood."""

    tokens: list[Token]
    position: int = 0
    count: int = 0
    depth: int = 0
    reserved: frozenset[str] = field(default_factory=frozenset)

    def peek(self) -> Token | None:
        """The next token."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def list_until(self, closing: frozenset[str]) -> tuple[Part, ...]:
        """Pipelines up to a closing word or operator, which is left where it is."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotUnderstood
        parts: list[Part] = []
        operator = ""
        while (token := self.peek()) is not None:
            if token.kind is Kind.OPERATOR and token.text in {";", "\n", ";;", "&"}:
                self.position += 1
                operator = operator if operator in {"&&", "||"} else ";"
                continue
            if token.bare and token.text in closing:
                break
            if token.kind is Kind.OPERATOR and token.text in {"&&", "||"}:
                self.position += 1
                operator = token.text
                continue
            part = self.pipeline(operator)
            following = self.peek()
            if following is not None and following.kind is Kind.OPERATOR and following.text == "&":
                part = Part(part.operator, part.stages, part.negated, background=True)
            parts.append(part)
            operator = ";"
        self.depth -= 1
        return tuple(parts)

    def pipeline(self, operator: str) -> Part:
        """Commands joined by `|`, after `!` and `time`."""
        negated = False
        while (token := self.peek()) is not None and token.bare and token.text in {"!", "time"}:
            negated ^= token.text == "!"
            self.position += 1
            if token.text == "time" and (option := self.peek()) is not None and option.text == "-p":
                self.position += 1
        stages = [self.command(operator)]
        while (token := self.peek()) is not None and token.kind is Kind.OPERATOR and token.text in {"|", "|&"}:
            self.position += 1
            while (after := self.peek()) is not None and after.kind is Kind.OPERATOR and after.text == "\n":
                self.position += 1
            stages.append(self.command(token.text))
        return Part(operator, tuple(stages), negated)

    def command(self, operator: str) -> Node:
        """One stage of a pipeline."""
        self.count += 1
        if self.count > MAX_COMMANDS:
            raise NotUnderstood
        token = self.peek()
        if token is None:
            raise NotUnderstood
        if token.kind is Kind.OPERATOR and token.text == "(":
            return self.group(frozenset({")"}), subshell=True)
        if token.bare and token.text == "{":
            return self.group(frozenset({"}"}), subshell=False)
        if token.bare and token.text in OPENING:
            return self.compound(OPENING[token.text])
        if token.bare and token.text == "[[":
            return self.condition(operator)
        if token.kind is Kind.WORD:
            return self.simple(operator)
        raise NotUnderstood

    def group(self, closing: frozenset[str], *, subshell: bool) -> Group:
        """`( ... )` or `{ ...; }`."""
        self.position += 1
        parts = self.list_until(closing)
        if self.peek() is None:
            raise NotUnderstood
        self.position += 1
        return Group(parts, subshell=subshell, redirects=self.redirects())

    def compound(self, closing: str) -> Group:
        """`if`, `while`, `for`, `case`: every command in it, none of them sure."""
        opening = self.tokens[self.position].text
        self.position += 1
        if opening in {"for", "select", "case"}:
            self.skip_head()
        parts: list[Part] = []
        ends = INNER | {closing}
        while True:
            parts.extend(self.list_until(ends))
            token = self.peek()
            if token is None:
                raise NotUnderstood
            self.position += 1
            if token.text == closing:
                return Group(tuple(parts), sure=False, redirects=self.redirects())

    def skip_head(self) -> None:
        """`for x in a b c;` and `case $x in`: words that are no commands."""
        while (token := self.peek()) is not None:
            if token.kind is Kind.OPERATOR and token.text in {";", "\n"}:
                return
            if token.bare and token.text == "do":
                return
            self.position += 1

    def condition(self, operator: str) -> SimpleCommand:
        """`[[ ... ]]`, in which `&&`, `<` and `(` mean something else."""
        words: list[str] = []
        while (token := self.peek()) is not None:
            self.position += 1
            words.append(token.text)
            if token.bare and token.text == "]]":
                return SimpleCommand(argv=("[[", *words[1:]), operator=operator)
        raise NotUnderstood

    def simple(self, operator: str) -> Node:
        """Assignments, words and redirections."""
        words: list[str] = []
        assignments: list[str] = []
        redirects: list[Redirect] = []
        substitutes = False
        while (token := self.peek()) is not None:
            if token.kind is Kind.REDIRECT:
                redirects.append(self.redirect())
                continue
            if token.kind is Kind.OPERATOR:
                if token.text == "(" and len(words) == 1 and not redirects:
                    return self.function()
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

    def function(self) -> Group:
        """`name() { ...; }`: its commands run when it is called, if ever."""
        self.position += 1
        token = self.peek()
        if token is None or token.text != ")":
            raise NotUnderstood
        self.position += 1
        while (token := self.peek()) is not None and token.kind is Kind.OPERATOR and token.text == "\n":
            self.position += 1
        body = self.command("")
        return Group((Part("", (body,)),), sure=False)

    def redirect(self) -> Redirect:
        """One redirection with its file."""
        token = self.tokens[self.position]
        self.position += 1
        operator = token.text
        if operator.startswith("<<"):
            return Redirect(descriptor=token.descriptor, operator="<<", target=token.body)
        target = self.peek()
        if target is None or target.kind is not Kind.WORD:
            raise NotUnderstood
        self.position += 1
        if operator in {"&>", "&>>"}:
            return Redirect(descriptor="&", operator=operator[1:], target=target.text)
        if operator == ">&" and not token.descriptor and not target.text.isdigit() and target.text != "-":
            return Redirect(descriptor="&", operator=">", target=target.text)
        return Redirect(descriptor=token.descriptor, operator=operator, target=target.text)

    def redirects(self) -> tuple[Redirect, ...]:
        """What follows a group."""
        found: list[Redirect] = []
        while (token := self.peek()) is not None and token.kind is Kind.REDIRECT:
            found.append(self.redirect())
        return tuple(found)


@lru_cache(maxsize=256)
def parse(command: str) -> tuple[Part, ...] | None:
    """The lists and pipelines of a command; None where it is not understood: too long, too deep, or cut off."""
    if len(command) > MAX_CHARACTERS:
        return None
    try:
        parser = Parser(tokens_of(command))
        parts = parser.list_until(frozenset())
    except NotUnderstood:
        return None
    return parts


def commands_of(command: str) -> tuple[SimpleCommand, ...] | None:
    """Every simple command in a shell command, in the order they are written; None where it is not understood.

    What stands in `$(...)`, in a here-document and in the words of `bash -c` is not taken apart.
    """
    parts = parse(command)
    return None if parts is None else tuple(_flat(parts, uncertain=False, background=False))


def _flat(parts: tuple[Part, ...], *, uncertain: bool, background: bool) -> Iterator[SimpleCommand]:
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
