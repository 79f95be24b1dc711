"""The tree of a checked condition, as the library tells it: what is named, called and looped over, on which line."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

# The messages of cel.expr (CheckedExpr) in which the library tells a tree, with the fields that are read here; one that
# begins with `*` is repeated, `map` is a map from the id of a node to a place.
WIRE = {
    "Checked": "5 source Source, 4 root Node",
    "Source": "*4 places Place",
    "Place": "1 key int64, 2 value int32",
    "Node": (
        "2 id int64, 3 literal Literal, 4 name Name, 5 field Field, 6 call Call, 7 items Listed, 8 entries Entries, "
        "9 loop Loop"
    ),
    "Literal": "6 text string, 7 raw bytes",
    "Name": "1 name string",
    "Field": "1 operand Node, 2 field string, 3 tested bool",
    "Call": "1 target Node, 2 function string, *3 arguments Node",
    "Listed": "*1 elements Node",
    "Entries": "*2 entries Entry",
    "Entry": "3 key Node, 4 value Node",
    "Loop": (
        "1 variable string, 2 range Node, 3 accumulator string, 4 initial Node, 5 going Node, 6 step Node, "
        "7 result Node, 8 second string"
    ),
}


class UnreadableTree(Exception):
    """A tree that is not told in a form that is known here; it never leaves this room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A value as it is written: its text where it is one, else None; `length` is in characters or bytes."""

    line: int
    text: str | None
    length: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A variable."""

    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a value."""

    line: int
    operand: "Tree"
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function or an operator (`_==_`) with its arguments; of `text.contains(other)` the text is the first."""

    line: int
    function: str
    arguments: tuple["Tree", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list as it is written, or the keys and values of a map."""

    line: int
    items: tuple["Tree", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`all`, `exists`, `exists_one`, `filter` or `map`: `step` is told once for each `variable` of `range`.

    What it comes to is kept in `accumulator`, which is `initial` before the first step.
    """

    line: int
    variable: str
    range: "Tree"
    accumulator: str
    initial: "Tree"
    going: "Tree"
    step: "Tree"
    result: "Tree"


Tree = Literal | Name | Field | Call | Listed | Loop


def tree_of(serialized: bytes, expression: str) -> Tree:
    """Return the tree of an expression that the library checked; raises UnreadableTree."""
    checked = _checked()()
    try:
        checked.ParseFromString(_inner(serialized))
    except DecodeError:
        raise UnreadableTree("it is nested too deep to be read; make two rules of it") from None
    return _Reader(expression, {place.key: place.value for place in checked.source.places}).tree(checked.root)


class _Reader:
    def __init__(self, expression: str, places: dict[int, int]) -> None:
        self._expression = expression
        self._places = places

    def tree(self, node: Any) -> Tree:
        line = self._expression.count("\n", 0, self._places.get(node.id, 0)) + 1
        if node.HasField("literal"):
            literal = node.literal
            text = literal.text if literal.HasField("text") else None
            return Literal(line=line, text=text, length=len(text or literal.raw))
        if node.HasField("name"):
            return Name(line=line, name=node.name.name)
        if node.HasField("field"):
            return Field(line=line, operand=self.tree(node.field.operand), field=node.field.field)
        if node.HasField("call"):
            call = node.call
            written = [call.target, *call.arguments] if call.HasField("target") else call.arguments
            return Call(line=line, function=call.function, arguments=self._trees(written))
        if node.HasField("items"):
            return Listed(line=line, items=self._trees(node.items.elements))
        if node.HasField("entries"):
            return Listed(line=line, items=tuple(self._pairs(node.entries.entries)))
        if node.HasField("loop"):
            return self._loop(node.loop, line)
        raise UnreadableTree("it has a part that is not known here")

    def _trees(self, nodes: Sequence[Any]) -> tuple[Tree, ...]:
        return tuple(self.tree(node) for node in nodes)

    def _pairs(self, entries: Sequence[Any]) -> list[Tree]:
        """Return the keys and the values; a field of a message has no key of its own."""
        nodes = [node for entry in entries for node in ([entry.key] if entry.HasField("key") else []) + [entry.value]]
        return list(self._trees(nodes))

    def _loop(self, loop: Any, line: int) -> Loop:
        if loop.second:
            raise UnreadableTree("it has a loop with two variables, which is not known here")
        return Loop(
            line=line,
            variable=loop.variable,
            range=self.tree(loop.range),
            accumulator=loop.accumulator,
            initial=self.tree(loop.initial),
            going=self.tree(loop.going),
            step=self.tree(loop.step),
            result=self.tree(loop.result),
        )


def _inner(serialized: bytes) -> bytes:
    """Return the expression within the `Any` that the library wraps it in."""
    return bytes(_messages()["Wrapped"].FromString(serialized).value)


def _checked() -> Any:
    return _messages()["Checked"]


@cache
def _messages() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="tree.proto", package="tree", syntax="proto2")
    for name, text in {**WIRE, "Wrapped": "2 value bytes"}.items():
        message = file.message_type.add(name=name)
        for entry in text.split(", "):
            number, field, kind = entry.split()
            _add_field(message, number, field, kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    names = [message.name for message in file.message_type]
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tree.{name}")) for name in names}


def _add_field(message: Any, number: str, name: str, kind: str) -> None:
    types = descriptor_pb2.FieldDescriptorProto
    plain = getattr(types, f"TYPE_{kind.upper()}", types.TYPE_MESSAGE)
    field = message.field.add(name=name, number=int(number.removeprefix("*")), type=plain)
    field.label = types.LABEL_REPEATED if number.startswith("*") else types.LABEL_OPTIONAL
    if plain == types.TYPE_MESSAGE:
        field.type_name = f".tree.{kind}"
