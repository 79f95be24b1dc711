"""What has to be there for a condition to hold at all: most rules of a large set are left unasked by it.

`commands.exists(c, c.program == "rm" && …)` holds of no call that runs no `rm`, whatever its other parts come to: in
CEL `false && error` is false.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mama_bot.rules.condition_trees import Call, Field, Listed, Literal, Loop, Name, Tree

# The values that are looked up: texts of a moment, and of each of its programs.
LOOKED_UP = frozenset({"tool", "kind", "event", "persona.name", "commands.program", "commands.subcommand"})
SEARCHED = "command.text"
# What is quoted by it and not ended by `\E` would reach into the patterns that are searched together with it.
QUOTED = r"\Q"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededText:
    """One of these texts has to be what `name` is, of one of the programs where it is theirs."""

    name: str
    texts: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededMatch:
    """The command line has to match a pattern."""

    pattern: str


Need = NeededText | NeededMatch


def need_of(tree: Tree) -> Need | None:
    """Return one thing that has to be there for a condition to hold: `commands.program` is `git` or `hub`; None for
    none that is known.
    """
    needs = (_need_of_part(part, {}) for part in _conjuncts(tree))
    return next((need for need in needs if need is not None), None)


def _need_of_part(tree: Tree, variables: dict[str, str]) -> Need | None:
    match tree:
        case Call(function="_==_", arguments=(left, Literal(text=str(text)))):
            return _text(_path(left, variables), {text})
        case Call(function="_==_", arguments=(Literal(text=str(text)), right)):
            return _text(_path(right, variables), {text})
        case Call(function="@in", arguments=(left, Listed(items=items))):
            texts = {item.text for item in items if isinstance(item, Literal) and item.text is not None}
            return _text(_path(left, variables), texts) if len(texts) == len(set(items)) else None
        case Call(function="matches", arguments=(left, Literal(text=str(text)))) if _path(left, variables) == SEARCHED:
            return NeededMatch(pattern=text) if QUOTED not in text else None
        case Call(function="_||_", arguments=(left, right)):
            return _either(_first(left, variables), _first(right, variables))
        case Loop(range=Name(name="commands"), step=Call(function="_||_", arguments=(Name() as told, each))) if (
            told.name == tree.accumulator and isinstance(tree.result, Name)
        ):
            return _first(each, {tree.variable: "commands"})
        case _:
            return None


def _first(tree: Tree, variables: dict[str, str]) -> Need | None:
    needs = (_need_of_part(part, variables) for part in _conjuncts(tree))
    return next((need for need in needs if need is not None), None)


def _either(left: Need | None, right: Need | None) -> Need | None:
    if isinstance(left, NeededText) and isinstance(right, NeededText) and left.name == right.name:
        return NeededText(name=left.name, texts=left.texts | right.texts)
    return None


def _text(path: str, texts: set[str]) -> Need | None:
    return NeededText(name=path, texts=frozenset(texts)) if path in LOOKED_UP else None


def _path(tree: Tree, variables: dict[str, str]) -> str:
    """Return `persona.name` for what is written so; of a program in a loop `commands.program`."""
    match tree:
        case Name(name=name) if name not in variables:
            return name
        case Field(operand=Name(name=name), field=field):
            return f"{variables.get(name, name)}.{field}"
        case _:
            return ""


def _conjuncts(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, Call) and tree.function == "_&&_":
        for part in tree.arguments:
            yield from _conjuncts(part)
    else:
        yield tree
