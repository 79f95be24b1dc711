"""What a condition may take, counted before it runs: a polynomial of the sizes of what it speaks of.

A size is counted in elements: 1 for a value, 1 more for each 100 characters of a text, and of a list or a map also all
that lies in it. A step takes about 100 ns. How many steps an operation takes was measured with texts and lists that
make it slow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from mama_bot.rules.condition_terms import VARIABLES
from mama_bot.rules.condition_trees import Call, Field, Listed, Literal, Loop, Name, Tree
from mama_bot.rules.polynomials import DegreeTooHigh, Polynomial, constant, size_named, total

MOST_STEPS = 250_000
CHARACTERS_OF_ELEMENT = 100
# Sizes that nobody would call large: a condition that may take too much even there is refused where it is read.
ORDINARY_LENGTH, ORDINARY_SIZE = 20, 100
# Steps for each element of what is searched. A text is compared at each place in the worst case.
CONTAINS = 5.0
# RE2 takes 0.55 ns for a character and an instruction where no state of its automaton comes twice.
INSTRUCTION = CHARACTERS_OF_ELEMENT * 0.55 / 100
CALL_INTO_PYTHON = 30.0
# What is compared may be messages, each of as many fields; with what is written out only a text is.
FIELDS, WRITTEN_OUT = 7.0, 0.3
# The library copies the list at each element that `map` and `filter` add.
COPIED = 0.2

BRANCHES = frozenset({"_&&_", "_||_", "!_", "@not_strictly_false", "_?_:_"})
COMPARISONS = frozenset({"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"})
ARITHMETIC = frozenset({"_-_", "_*_", "_/_", "_%_", "-_"})
CONVERSIONS = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "size", "string", "timestamp", "type", "uint"}
)
PARTS_OF_TIME = frozenset(
    {"getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours", "getMilliseconds"}
    | {"getMinutes", "getMonth", "getSeconds"}
)
ONE = constant(1)
NODE = constant(0.3)  # 30 ns for each part of a condition


class TooCostly(Exception):
    """A condition that may take too much, or whose steps cannot be counted; it never leaves this room."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class NoPattern(Exception):
    """A text that is no regular expression; it never leaves this room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extent:
    """How large a value may be: how many elements, and with all that lies in them."""

    length: Polynomial = ONE
    size: Polynomial = ONE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    steps: Polynomial
    extent: _Extent = _Extent()


def steps_of(tree: Tree, weight_of: Callable[[str], int]) -> Polynomial:
    """Return how many steps a condition may take; raises TooCostly where that is too many for an ordinary call.

    `weight_of` tells how many instructions a regular expression has, and raises NoPattern for what is none.
    """
    extents = {
        term.name: _Extent(length=size_named(length_of(term.name)), size=size_named(size_of(term.name)))
        for term in VARIABLES
    }
    return _Reading(weight_of).cost(tree, extents).steps


def length_of(variable: str) -> str:
    """Return the name of the size that counts the elements of a variable."""
    return f"length of {variable}"


def size_of(variable: str) -> str:
    """Return the name of the size that counts a variable with all that lies in it."""
    return f"size of {variable}"


SIZES = tuple((term.name, length_of(term.name), size_of(term.name), term.type.startswith("map(")) for term in VARIABLES)


def sizes_of(values: Mapping[str, Any]) -> Mapping[str, int]:
    """Return every size that a polynomial speaks of, for the variables of one moment."""
    sizes: dict[str, int] = {}
    for name, length, size, looped in SIZES:
        value = values.get(name)
        sizes[length] = len(value) if isinstance(value, (list, dict, Mapping)) else 1
        sizes[size] = measured(value, looped=looped)
    return sizes


def measured(value: object, *, looped: bool = True) -> int:
    """Return the size of a value, with all that lies in it; `looped` says whether conditions can loop over its maps.

    Of a map that is a message only what its fields have beyond one element counts.
    """
    if isinstance(value, str):
        return 1 + len(value) // CHARACTERS_OF_ELEMENT
    if isinstance(value, int):
        return 1
    if isinstance(value, (dict, Mapping)):  # most are dictionaries, and asking for the rest takes ten times as long
        inner = 1 if looped else 1 - len(value)
        for each in value.values():
            inner += 1 if isinstance(each, int) else measured(each, looped=looped)  # most fields are truths
        return inner + sum(map(measured, value)) if looped else inner
    if isinstance(value, list):
        return 1 + sum([measured(each, looped=looped) for each in value])
    return 1


class _Reading:
    """Works out what each part of one condition takes."""

    def __init__(self, weight_of: Callable[[str], int]) -> None:
        self._weight_of = weight_of
        self._loops = 0
        self._ordinary = {
            name: number
            for term in VARIABLES
            for name, number in ((length_of(term.name), ORDINARY_LENGTH), (size_of(term.name), ORDINARY_SIZE))
        }

    def cost(self, tree: Tree, extents: Mapping[str, _Extent]) -> _Cost:
        """Return what a part takes, and how large its value may be."""
        try:
            cost = self._cost(tree, extents)
        except DegreeTooHigh:
            raise TooCostly("it has too many loops in loops to tell what it takes", tree.line) from None
        steps = cost.steps.at(self._ordinary)
        if steps > MOST_STEPS:
            problem = (
                f"it may take {min(steps, 10.0**15):,.0f} steps where lists have {ORDINARY_LENGTH} elements, "
                f"more than {MOST_STEPS:,}. Loop over less, or write a shorter pattern"
            )
            raise TooCostly(problem, tree.line)
        return cost

    def _cost(self, tree: Tree, extents: Mapping[str, _Extent]) -> _Cost:
        match tree:
            case Literal():
                return _Cost(steps=NODE, extent=_Extent(size=constant(1 + tree.length // CHARACTERS_OF_ELEMENT)))
            case Name():
                return _Cost(steps=NODE, extent=extents.get(tree.name, _Extent()))
            case Field():
                return self._part_of(tree.operand, extents, ())
            case Listed():
                listed = [self.cost(item, extents) for item in tree.items]
                length = constant(max(1, len(listed)))
                return _Cost(
                    steps=total([ONE, length, *(item.steps for item in listed)]),
                    extent=_Extent(length=length, size=total([ONE, *(item.extent.size for item in listed)])),
                )
            case Call():
                return self._call(tree, extents)
            case Loop():
                return self._loop(tree, extents)
            case unexpected:
                assert_never(unexpected)

    def _part_of(self, operand: Tree, extents: Mapping[str, _Extent], places: Sequence[Tree]) -> _Cost:
        """Return what it takes to come to a part of a value, which may be nearly all of it."""
        whole, looked = self.cost(operand, extents), [self.cost(place, extents) for place in places]
        size = whole.extent.size
        steps = total([NODE, whole.steps, *(each.steps + each.extent.size for each in looked)])
        return _Cost(steps=steps, extent=_Extent(length=size, size=size))

    def _call(self, call: Call, extents: Mapping[str, _Extent]) -> _Cost:
        if call.function == "_[_]":
            return self._part_of(call.arguments[0], extents, call.arguments[1:])
        costs = [self.cost(argument, extents) for argument in call.arguments]
        sizes = [cost.extent.size for cost in costs]
        before = total([NODE, *(cost.steps for cost in costs)])
        if call.function == "_?_:_":
            either = _Extent(
                length=costs[1].extent.length + costs[2].extent.length, size=costs[1].extent.size + costs[2].extent.size
            )
            return _Cost(steps=before, extent=either)
        if call.function in BRANCHES | ARITHMETIC:
            return _Cost(steps=before)
        if call.function in COMPARISONS:
            fields = WRITTEN_OUT if any(isinstance(each, Literal) for each in call.arguments) else FIELDS
            return _Cost(steps=before + min(sizes, key=self._ordinarily).times(fields))
        if call.function == "_+_":
            lengths = total(cost.extent.length for cost in costs)
            return _Cost(steps=before + total(sizes), extent=_Extent(length=lengths, size=total(sizes)))
        if call.function in CONVERSIONS:
            size = total([ONE, *sizes])
            return _Cost(steps=before + size, extent=_Extent(size=size))
        if call.function in {"@in", "startsWith", "endsWith"} | PARTS_OF_TIME:
            return _Cost(steps=before + sizes[-1])
        if call.function == "contains":
            return _Cost(steps=before + (sizes[0] * sizes[1]).times(CONTAINS))
        if call.function == "matches":
            return _Cost(steps=before + constant(CALL_INTO_PYTHON) + sizes[0].times(self._pattern_weight(call)))
        raise TooCostly(f"nobody counted what the function {call.function!r} takes", call.line)

    def _pattern_weight(self, call: Call) -> float:
        pattern = call.arguments[1]
        if not isinstance(pattern, Literal) or pattern.text is None:
            raise TooCostly("the pattern of `matches` has to be written out, as one text", call.line)
        try:
            return max(1.0, INSTRUCTION * self._weight_of(pattern.text))
        except NoPattern as error:
            raise TooCostly(str(error), pattern.line) from None

    def _loop(self, loop: Loop, extents: Mapping[str, _Extent]) -> _Cost:
        self._loops += 1
        range_ = self.cost(loop.range, extents)
        length, size = range_.extent.length, range_.extent.size
        element = _Extent(
            length=size_named(length_of(f"{loop.variable}#{self._loops}")),
            size=size_named(size_of(f"{loop.variable}#{self._loops}")),
        )
        of_element = frozenset(
            name for part in (element.length, element.size) for names in part.terms for name in names
        )
        # Within a loop the sizes of its element are unknown: as in an ordinary list, until they are added up.
        self._ordinary |= dict.fromkeys(of_element, ORDINARY_SIZE // ORDINARY_LENGTH)
        inner = {**extents, loop.variable: element, loop.accumulator: _Extent()}
        kept = _kept(loop)
        told = [self.cost(part, inner) for part in ([loop.step] if kept is None else kept)]
        step = total([NODE, NODE, *(cost.steps for cost in told)]).over(of_element, length=length, size=size)
        steps = total([NODE, range_.steps, step])
        if kept is None:
            return _Cost(steps=steps)
        collected = told[-1].extent.size.over(of_element, length=length, size=size)
        return _Cost(steps=steps + (length * length).times(COPIED), extent=_Extent(length=length, size=ONE + collected))

    def _ordinarily(self, polynomial: Polynomial) -> float:
        return polynomial.at(self._ordinary)


def _kept(loop: Loop) -> tuple[Tree, ...] | None:
    """Return what a loop tells of each element for its list (`map`, `filter`), last what it adds; None without one."""
    if not isinstance(loop.initial, Listed):
        return None
    step: Tree = loop.step
    condition: tuple[Tree, ...] = ()
    if isinstance(step, Call) and step.function == "_?_:_":
        condition, step = step.arguments[:1], step.arguments[1]
    if isinstance(step, Call) and step.function == "_+_" and isinstance(step.arguments[1], Listed):
        return *condition, step.arguments[1].items[0]
    raise TooCostly("it has a loop of a kind that is not known here", loop.line)
