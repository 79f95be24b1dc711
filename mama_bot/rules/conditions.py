"""Conditions in CEL: checked and weighed when they are read, evaluated in groups, none beyond a bound of steps.

The only module that knows the library.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import compress
from operator import itemgetter
from typing import Any, Literal

from cel_expr_python import cel
from google.protobuf import descriptor_pb2, descriptor_pool

from mama_bot.errors import ConfigurationError
from mama_bot.rules.condition_costs import MOST_STEPS, NoPattern, TooCostly, sizes_of, steps_of
from mama_bot.rules.condition_mistakes import Misexpressed, first_line, kind_named, told_mistake
from mama_bot.rules.condition_needs import LOOKED_UP, SEARCHED, Need, NeededMatch, NeededText, need_of
from mama_bot.rules.condition_searches import FOUND, found_in, looked_up, searches_of
from mama_bot.rules.condition_terms import MESSAGES, VARIABLES
from mama_bot.rules.condition_trees import UnreadableTree, tree_of
from mama_bot.rules.polynomials import Polynomial, total
from mama_bot.rules.sentences import HAS_TO_BE_TEXT, HAS_TO_BE_TRUTH, LONGER_EXPRESSION
from mama_bot.text.patterns import CompiledWhenAsked, SearchedText, compiled, compiled_size

PACKAGE = "mama"
LONGEST = 8_000
# The library takes no expression of more than 100,000 code points.
LONGEST_GROUP = 60_000
MOST_TOGETHER = 50
# What all conditions of one moment may take together, in steps as `condition_costs` counts them.
MOST_STEPS_OF_MOMENT = 80 * MOST_STEPS
HAS_TO_BE = {"BOOL": HAS_TO_BE_TRUTH, "STRING": HAS_TO_BE_TEXT}
MATCHED = "mama_matched"
# .matches( , and any text in quotes, so that what stands in one is left alone
CALL_OR_TEXT = compiled(
    r"""\.\s*matches\s*\(|r"[^"]*"|r'[^']*'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", ignore_case=False
)


class ConditionFailed(Exception):
    """A condition could not be evaluated; it never leaves this room."""


def misexpressed(expression: str, wanted: str = "BOOL") -> Misexpressed | None:
    """Return what is wrong with an expression of the type `wanted`; None where it can be used."""
    if len(expression) > LONGEST:
        return Misexpressed(problem=LONGER_EXPRESSION.of(most=LONGEST))
    try:
        checked = _checking().compile(expression)
    except Exception as error:  # noqa: BLE001 - the library raises RuntimeError and others; each is told
        return told_mistake(str(error))
    kind = checked.return_type().name()
    if kind.upper() != wanted and kind.lower() not in {"dyn", wanted.lower()}:
        return Misexpressed(problem=HAS_TO_BE[wanted].of(kind=kind_named(kind.lower())))
    try:
        _weighed(expression)
    except TooCostly as error:
        return Misexpressed(problem=error.problem, line=error.line)
    except UnreadableTree as error:
        return Misexpressed(problem=str(error))
    return None


class Condition:
    """One expression that was checked."""

    def __init__(self, expression: str) -> None:
        self.expression = expression
        self._compiled: Any = None

    @cached_property
    def cost(self) -> Polynomial:
        """What it may take, in steps; raises ConditionFailed where that cannot be told."""
        try:
            return _weighed(self.expression)[0]
        except (TooCostly, UnreadableTree) as error:
            raise ConditionFailed(str(error)) from error

    @property
    def need(self) -> Need | None:
        """What has to be there for it to hold; None where it has to be asked."""
        return _weighed(self.expression)[1]

    @property
    def searches(self) -> tuple[str, ...] | None:
        """The patterns that it searches the command line for; None where that is not known."""
        return _weighed(self.expression)[2]

    def value(self, bound: "Bound") -> Any:
        """Return its value; raises ConditionFailed, without evaluating it where that may take too much."""
        bound.spend(self.cost)
        return self.value_unweighed(bound)

    def value_unweighed(self, bound: "Bound") -> Any:
        """Return its value, whose steps were spent before; raises ConditionFailed."""
        try:
            if self._compiled is None:
                self._compiled = _evaluating().compile(_quicker(self.expression))
            value = self._compiled.eval(bound.activation)
            is_error, plain = value.type() == cel.Type.ERROR, value.plain_value()
        except Exception as error:
            raise ConditionFailed(first_line(str(error))) from error
        if is_error:  # the library returns an error as a value whose plain form is its text
            raise ConditionFailed(first_line(str(plain)))
        return plain

    def holds(self, bound: "Bound") -> bool:
        """Return whether it is true; raises ConditionFailed."""
        return _truth(self.value(bound))


class Bound:
    """The variables of one moment, ready for any number of conditions, and the steps that these may still take.

    `searches` are patterns that many of them search the command line for, so it is done once for all.
    """

    def __init__(self, values: Mapping[str, Any], searches: frozenset[str] = frozenset()) -> None:
        present = found_in(values.get("command", {}).get("text", ""), searches)
        self.searches = searches if present is not None else frozenset()
        self.activation = _evaluating().Activation({**values, FOUND: present or []})
        self._values = values
        self._sizes = sizes_of(values)
        self._left = float(MOST_STEPS_OF_MOMENT)

    @cached_property
    def texts(self) -> Mapping[str, frozenset[str]]:
        """The texts that conditions need, by name: of programs those of all."""
        return {name: frozenset(_texts(self._values, name)) for name in LOOKED_UP}

    @cached_property
    def searched(self) -> SearchedText:
        """The command line, to be searched by many patterns."""
        return SearchedText(next(_texts(self._values, SEARCHED), ""))

    def spend(self, cost: Polynomial) -> None:
        """Take the steps of what is evaluated next; raises ConditionFailed where they are too many."""
        steps = cost.at(self._sizes)
        if steps > MOST_STEPS:
            raise ConditionFailed(f"it may take {steps:,.0f} steps here, more than {MOST_STEPS:,}")
        if steps > self._left:
            raise ConditionFailed(f"all conditions together may take more than {MOST_STEPS_OF_MOMENT:,} steps here")
        self._left -= steps


class ConditionGroup:
    """Conditions that are evaluated in one go, as long as none of them fails and they take no more than one may.

    Those are not asked that need what is not there.
    """

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self.conditions = tuple(conditions)
        self._cost = total(each.cost for each in conditions)
        self._by_text: dict[str, dict[str, list[int]]] = {}
        self._by_pattern: list[int] = []
        self._always: list[int] = []
        patterns = []
        for at, condition in enumerate(self.conditions):
            match condition.need:
                case NeededText(name=name, texts=texts):
                    for text in texts:
                        self._by_text.setdefault(name, {}).setdefault(text, []).append(at)
                case NeededMatch(pattern=pattern):
                    self._by_pattern.append(at)
                    patterns.append(f"(?:{pattern})")
                case _:
                    self._always.append(at)
        self._any_pattern = _pattern("|".join(patterns)) if patterns else None
        always = [self.conditions[at] for at in self._always]
        self._searching = _listed([each.expression for each in always])
        self._looking_up = _listed([looked_up(each.expression, each.searches) for each in always])
        self.searches = frozenset(pattern for each in always for pattern in each.searches or ())

    def outcomes(self, bound: Bound) -> "list[tuple[int, ConditionFailed | None]]":
        """Return the places of the conditions that hold, in their order, and of those that fail with why."""
        compiled = self._looking_up if bound.searches >= self.searches else self._searching
        try:
            bound.spend(self._cost)
            values = compiled().eval(bound.activation).plain_value() if self._always else []
            wanted = self._wanted(bound)
        except Exception:  # noqa: BLE001 - one of them failed, or they are too much at once: each is asked by itself
            return self._each(bound)
        if not isinstance(values, list) or not set(map(type, values)) <= {bool}:
            return self._each(bound)
        holding = list(compress(self._always, values))
        if not wanted:
            return [(at, None) for at in holding]
        looked = [(at, _outcome(self.conditions[at].value_unweighed, bound)) for at in wanted]
        spoken = [(at, outcome) for at, outcome in looked if outcome is not False]
        return sorted([*((at, None) for at in holding), *spoken], key=itemgetter(0))

    def _each(self, bound: Bound) -> "list[tuple[int, ConditionFailed | None]]":
        outcomes = ((at, _outcome(condition.value, bound)) for at, condition in enumerate(self.conditions))
        return [(at, outcome) for at, outcome in outcomes if outcome is not False]

    def _wanted(self, bound: Bound) -> set[int]:
        """Return which conditions have what they need."""
        wanted: set[int] = set()
        for name, by_text in self._by_text.items():
            for text in bound.texts[name]:
                wanted.update(by_text.get(text, ()))
        if self._any_pattern is not None and self._any_pattern.is_in(bound.searched):
            wanted.update(self._by_pattern)
        return wanted


def grouped(conditions: Sequence[Condition]) -> tuple[ConditionGroup, ...]:
    """Return groups of bounded length that hold all conditions, in their order."""
    groups: list[list[Condition]] = []
    length = 0
    for condition in conditions:
        size = len(condition.expression) + 4
        if not groups or length + size > LONGEST_GROUP or len(groups[-1]) == MOST_TOGETHER:
            groups.append([])
            length = 0
        groups[-1].append(condition)
        length += size
    return tuple(ConditionGroup(group) for group in groups)


def _outcome(value_of: Callable[[Bound], Any], bound: Bound) -> "Literal[False] | ConditionFailed | None":
    """Return None for a condition that holds, and why where that cannot be told."""
    try:
        return None if _truth(value_of(bound)) else False
    except ConditionFailed as error:
        return error


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ConditionFailed(f"it is {type(value).__name__}, neither true nor false")


def _texts(values: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the text, or the texts, at a path: `commands.program`."""
    name, _, field = path.partition(".")
    value = values.get(name, "")
    for each in value if isinstance(value, list) else [value]:
        yield each.get(field, "") if field else each


@lru_cache(maxsize=1)
def _checking() -> Any:
    """Return the environment in which a misspelt field is an error: messages have their types."""
    file = descriptor_pb2.FileDescriptorProto(name="rules.proto", package=PACKAGE, syntax="proto3")
    for name, terms in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, term in enumerate(terms, 1):
            _add_field(message, number, term.name, term.type)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return cel.NewEnv(
        descriptor_pool=pool, variables={term.name: _checked_type(term.type) for term in VARIABLES}, container=""
    )


@lru_cache(maxsize=1)
def _evaluating() -> Any:
    """Return the environment in which messages are plain maps: the same expressions, four times as fast.

    The library compiles the expression of `matches` each time; `MATCHED` keeps those that were used last.
    """
    text = cel.Type.STRING
    overload = cel.Overload(
        "text_matched", return_type=cel.Type.BOOL, parameters=[text, text], is_member=True, impl=_is_in
    )
    return cel.NewEnv(
        variables={term.name: _plain_type(term.type) for term in VARIABLES} | {FOUND: _plain_type("list(string)")},
        functions=[cel.FunctionDecl(MATCHED, [overload])],
    )


def _listed(expressions: Sequence[str]) -> Callable[[], Any]:
    """Return what compiles, once it is asked, a list of some expressions."""
    together = ", ".join(f"({_quicker(expression)}\n)" for expression in expressions)
    return lru_cache(maxsize=1)(lambda: _evaluating().compile(f"[{together}]"))


def _quicker(expression: str) -> str:
    """Return an expression with `matches` as the evaluating environment knows it; texts in quotes stay."""
    return CALL_OR_TEXT.sub(lambda match: f".{MATCHED}(" if match.group(0)[0] == "." else match.group(0), expression)


def _is_in(text: str, expression: str) -> bool:
    return _pattern(expression).is_in(_searched(text))


@lru_cache(maxsize=4_000)
def _pattern(expression: str) -> CompiledWhenAsked:
    return CompiledWhenAsked(expression, ignore_case=False, groups=False)


@lru_cache(maxsize=64)
def _searched(text: str) -> SearchedText:
    return SearchedText(text)


def _add_field(message: Any, number: int, name: str, kind: str) -> None:
    inner = kind.removeprefix("list(").removesuffix(")") if kind.startswith("list(") else kind
    types = descriptor_pb2.FieldDescriptorProto
    plain = {"string": types.TYPE_STRING, "bool": types.TYPE_BOOL, "int": types.TYPE_INT64}
    field = message.field.add(name=name, number=number, type=plain.get(inner, types.TYPE_MESSAGE))
    field.label = types.LABEL_REPEATED if kind.startswith("list(") else types.LABEL_OPTIONAL
    if inner not in plain:
        field.type_name = f".{PACKAGE}.{inner}"


def _checked_type(kind: str) -> Any:
    if kind.startswith("list("):
        return cel.Type.List(_checked_type(kind[5:-1]))
    return _simple_type(kind) or cel.Type(f"{PACKAGE}.{kind}")


def _plain_type(kind: str) -> Any:
    if kind.startswith("list("):
        return cel.Type.List(_plain_type(kind[5:-1]))
    return _simple_type(kind) or cel.Type.Map(cel.Type.STRING, cel.Type.DYN)


def _simple_type(kind: str) -> Any:
    types = {
        "string": cel.Type.STRING,
        "int": cel.Type.INT,
        "bool": cel.Type.BOOL,
        "map(string, dyn)": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
        "map(string, int)": cel.Type.Map(cel.Type.STRING, cel.Type.INT),
    }
    return types.get(kind)


@lru_cache(maxsize=4_000)
def _weighed(expression: str) -> tuple[Polynomial, Need | None, tuple[str, ...] | None]:
    """Return what an expression that was checked may take, what it needs, and what it searches the command line for.

    Raises TooCostly and UnreadableTree.
    """
    tree = tree_of(_checking().compile(expression).serialize(), expression)
    return steps_of(tree, _instructions_of), need_of(tree), searches_of(tree)


def _instructions_of(pattern: str) -> int:
    """Return how many instructions a regular expression has; raises NoPattern."""
    try:
        return compiled_size(pattern, ignore_case=False)
    except ConfigurationError as error:
        raise NoPattern(f"{pattern[:60]!r} is no regular expression of RE2: {error}"[:300]) from error
