"""What conditions search the command line for, all of it in one pass: each search by itself costs a call into Python.

`command.text.matches("^git +push")` becomes `("^git +push" in mama_found)`, where `mama_found` lists the patterns that
are in the command line.
"""

from collections.abc import Iterator
from functools import lru_cache

from mama_bot.errors import ConfigurationError
from mama_bot.rules.condition_trees import Call, Field, Listed, Literal, Loop, Name, Tree
from mama_bot.text.patterns import PatternSet, SearchGaveUp, compiled

FOUND = "mama_found"
OWN_NAMES = ("command", FOUND)
# Fewer are searched for one by one; so is a longer line, since a pass for all is not what a condition was weighed for.
FEWEST, LONGEST = 4, 2_000
MOST_SETS = 64
TEXT = r"""r"[^"]*"|r'[^']*'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
SEARCH_OR_TEXT = compiled(
    rf"({TEXT})|(^|[^.\s])(\s*)\bcommand\s*\.\s*text\s*\.\s*matches\s*\(\s*({TEXT})\s*\)", ignore_case=False
)


def searches_of(tree: Tree) -> tuple[str, ...] | None:
    """Return the patterns that a condition searches the command line for; None where a loop names one of these."""
    nodes = list(_nodes(tree))
    if any(isinstance(node, Loop) and not {node.variable, node.accumulator}.isdisjoint(OWN_NAMES) for node in nodes):
        return None
    return tuple(pattern for node in nodes if (pattern := _search(node)) is not None)


def looked_up(expression: str, searches: tuple[str, ...] | None) -> str:
    """Return an expression that looks up what it searches for; as it is where its words do not show each search."""
    replaced = 0
    pieces: list[str] = []
    place = 0
    for match in SEARCH_OR_TEXT.finditer(expression):
        if match.start(4) < 0:
            continue
        pieces += (
            expression[place : match.start()],
            f"{match.group(2)}{match.group(3)}({match.group(4)} in {FOUND})",
        )
        place = match.end()
        replaced += 1
    return "".join((*pieces, expression[place:])) if replaced and replaced == len(searches or ()) else expression


def found_in(command: str, patterns: frozenset[str]) -> list[str] | None:
    """Return which patterns are in a command line; None where each has to be searched for by itself."""
    if not command or len(command) > LONGEST or len(patterns) < FEWEST:
        return None
    try:
        return list(_together(patterns).keys_in(command))
    except (ConfigurationError, SearchGaveUp, ValueError):  # too large together, or half a sign
        return None


@lru_cache(maxsize=MOST_SETS)
def _together(patterns: frozenset[str]) -> PatternSet[str]:
    return PatternSet({pattern: (pattern,) for pattern in sorted(patterns)}, as_written=True)


def _search(node: Tree) -> str | None:
    match node:
        case Call(
            function="matches", arguments=(Field(operand=Name(name="command"), field="text"), Literal(text=str(text)))
        ):
            return text
        case _:
            return None


def _nodes(tree: Tree) -> Iterator[Tree]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case Field():
                waiting.append(node.operand)
            case Call():
                waiting += node.arguments
            case Listed():
                waiting += node.items
            case Loop():
                waiting += (node.range, node.initial, node.going, node.step, node.result)
            case Literal() | Name():
                pass
