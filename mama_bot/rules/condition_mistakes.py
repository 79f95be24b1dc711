"""What is wrong with a condition, in a sentence: what the library says of it, and what its author may have meant."""

from dataclasses import dataclass

from mama_bot.config import nearest
from mama_bot.rules.condition_terms import MESSAGES, VARIABLES, fields_of, known_names
from mama_bot.text.patterns import Match, compiled

PLACE = compiled(r"^ERROR: <input>:([0-9]+):([0-9]+): (.*)$", ignore_case=False)  # ERROR: <input>:1:9: undeclared ...
UNDECLARED = compiled(r"undeclared reference to '([^']*)'", ignore_case=False)  # undeclared reference to 'tol'
NO_FIELD = compiled(r"undefined field '([^']*)' not found in struct 'mama\.([^']*)'", ignore_case=False)
# found no matching overload for 'contains' applied to '(mama.Command, string)'
NO_OVERLOAD = compiled(r"found no matching overload for '([^']*)' applied to '\(([^']*)\)'", ignore_case=False)
SYNTAX = compiled(r"^Syntax error: (.*)$", ignore_case=False)
OF_TEXTS = frozenset({"contains", "startsWith", "endsWith", "matches"})
WORDS = {"string": "text", "int": "whole number", "bool": "truth (true or false)", "double": "number"}
WRITTEN = "A text stands in quotes of its own, `==` compares, `&&` and `||` join."


@dataclass(frozen=True, slots=True, kw_only=True)
class Misexpressed:
    """What is wrong with an expression, on which of its lines, counted from 1."""

    problem: str
    line: int = 1


def told_mistake(error: str) -> Misexpressed:
    """Return what the library says is wrong, as a sentence with the nearest name: `'tol' is not known. …`."""
    text = first_line(error)
    match = PLACE.search(text)
    line, problem = (int(match.group(1)), match.group(3)) if match else (1, text)
    if unknown := UNDECLARED.search(problem):
        problem = _unknown_name(unknown.group(1) or "")
    elif no_field := NO_FIELD.search(problem):
        name, message = no_field.group(1) or "", no_field.group(2) or ""
        problem = f"{name!r} is no field of {message}. {nearest(name, fields_of(message))}"
    elif overload := NO_OVERLOAD.search(problem):
        problem = _no_overload(overload)
    elif syntax := SYNTAX.search(problem):
        problem = f"this is no expression ({syntax.group(1)}). {WRITTEN}"
    return Misexpressed(problem=problem[:400], line=line)


def first_line(error: str) -> str:
    """Return the first line of what the library says."""
    text = error.removeprefix("INVALID_ARGUMENT: ").strip()
    return (text.splitlines() or ["it cannot be evaluated"])[0].strip()


def _unknown_name(name: str) -> str:
    told = f"{name!r} is not known. {nearest(name, known_names())}"
    owners = [message for message in MESSAGES if name in fields_of(message)]
    listed = {variable.type: variable.name for variable in reversed(VARIABLES)}
    for owner in owners:
        if (variable := listed.get(f"list({owner})")) is not None:
            short = variable[0]
            return f"{name!r} is a field of {owner}: {variable}.exists({short}, {short}.{name} …)."
        if (variable := listed.get(owner)) is not None:
            return f"{name!r} is a field of {owner}: {variable}.{name}."
    return told


def _no_overload(overload: Match) -> str:
    name, given = overload.group(1) or "", overload.group(2) or ""
    first, _, rest = given.partition(", ")
    message = first.removeprefix("list(").removesuffix(")").removeprefix("mama.")
    texts = ", ".join(f"`{term.name}`" for term in MESSAGES.get(message, ()) if term.type == "string")
    if name in OF_TEXTS and first.startswith("list("):
        return f"`{name}` is for a text, and this is a list: .exists(x, x… .{name}(…)) asks each of its elements."
    if name in OF_TEXTS and texts:
        return f"`{name}` is for a text, and {message} is none; texts of it are {texts}."
    sign = name.strip("_@") or name
    kinds = " and ".join(
        f"a {WORDS.get(kind, kind.removeprefix('mama.'))}" for kind in (first, *([rest] if rest else []))
    )
    return f"`{sign}` cannot take {kinds}."
