"""What is wrong with a condition, in a sentence: what the library says of it, and what its author may have meant."""

from dataclasses import dataclass

from mama_bot.config import nearest_name
from mama_bot.rules import sentences as says
from mama_bot.rules.condition_terms import MESSAGES, VARIABLES, fields_of, known_names
from mama_bot.text.patterns import Match, compiled
from mama_bot.wording import Said, as_written

PLACE = compiled(r"^ERROR: <input>:([0-9]+):([0-9]+): (.*)$", ignore_case=False)  # ERROR: <input>:1:9: undeclared ...
UNDECLARED = compiled(r"undeclared reference to '([^']*)'", ignore_case=False)  # undeclared reference to 'tol'
NO_FIELD = compiled(r"undefined field '([^']*)' not found in struct 'mama\.([^']*)'", ignore_case=False)
# found no matching overload for 'contains' applied to '(mama.Command, string)'
NO_OVERLOAD = compiled(r"found no matching overload for '([^']*)' applied to '\(([^']*)\)'", ignore_case=False)
SYNTAX = compiled(r"^Syntax error: (.*)$", ignore_case=False)
OF_TEXTS = frozenset({"contains", "startsWith", "endsWith", "matches"})
KINDS = {"string": says.A_TEXT, "int": says.A_WHOLE_NUMBER, "bool": says.A_TRUTH, "double": says.A_NUMBER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Misexpressed:
    """What is wrong with an expression, on which of its lines, counted from 1."""

    problem: Said | str
    line: int = 1


def told_mistake(error: str) -> Misexpressed:
    """Return what the library says is wrong, as a sentence with the nearest name: `'tol' is not known. …`."""
    text = first_line(error)
    match = PLACE.search(text)
    line, problem = (int(match.group(1)), match.group(3)) if match else (1, text)
    if unknown := UNDECLARED.search(problem):
        return Misexpressed(problem=_unknown_name(unknown.group(1) or ""), line=line)
    if no_field := NO_FIELD.search(problem):
        name, owner = no_field.group(1) or "", no_field.group(2) or ""
        hint = nearest_name(name, fields_of(owner))
        return Misexpressed(problem=says.UNKNOWN_FIELD.of(name=name[:60], owner=owner, hint=hint), line=line)
    if overload := NO_OVERLOAD.search(problem):
        return Misexpressed(problem=_no_overload(overload), line=line)
    if syntax := SYNTAX.search(problem):
        return Misexpressed(problem=says.NO_EXPRESSION.of(why=(syntax.group(1) or "")[:200]), line=line)
    return Misexpressed(problem=problem[:300], line=line)


def kind_named(kind: str) -> Said:
    """Return what a type of CEL is called: a text for `string`."""
    return KINDS.get(kind, as_written(kind.removeprefix("mama.")))


def first_line(error: str) -> str:
    """Return the first line of what the library says."""
    text = error.removeprefix("INVALID_ARGUMENT: ").strip()
    return (text.splitlines() or ["it cannot be evaluated"])[0].strip()


def _unknown_name(name: str) -> Said:
    owners = [message for message in MESSAGES if name in fields_of(message)]
    listed = {variable.type: variable.name for variable in reversed(VARIABLES)}
    for owner in owners:
        if (variable := listed.get(f"list({owner})")) is not None:
            short = variable[0]
            written = f"{variable}.exists({short}, {short}.{name} …)"
            return says.FIELD_ELSEWHERE.of(name=name, owner=owner, written=written)
        if (variable := listed.get(owner)) is not None:
            return says.FIELD_ELSEWHERE.of(name=name, owner=owner, written=f"{variable}.{name}")
    return says.UNKNOWN_NAME.of(name=name[:60], hint=nearest_name(name, known_names()))


def _no_overload(overload: Match) -> Said:
    name, given = overload.group(1) or "", overload.group(2) or ""
    first, _, rest = given.partition(", ")
    message = first.removeprefix("list(").removesuffix(")").removeprefix("mama.")
    texts = ", ".join(f"`{term.name}`" for term in MESSAGES.get(message, ()) if term.type == "string")
    if name in OF_TEXTS and first.startswith("list("):
        return says.FOR_A_TEXT_NO_LIST.of(name=name)
    if name in OF_TEXTS and texts:
        return says.FOR_A_TEXT.of(name=name, owner=message, texts=texts)
    sign = name.strip("_@") or name
    kinds = says.ONE_KIND.of(first=kind_named(first))
    if rest:
        kinds = says.TWO_KINDS.of(first=kind_named(first), second=kind_named(rest))
    return says.CANNOT_TAKE.of(sign=sign[:60], kinds=kinds)
