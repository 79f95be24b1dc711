"""The check of names: `python -m tests.names`; `--tighten` lowers the ceilings to what the tree has now.

A value is named by its noun, so `one`, `found` and `said` may only become fewer in each room. A class, a public
function and a module have one home, a module is no gerund, and a docstring is read once. What stands in
`tests/data/names.toml` is what is left of before: it may shrink, and nothing may come to it.
"""

import ast
import io
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mama_bot"
CEILINGS = ROOT / "tests" / "data" / "names.toml"

NO_NOUNS = frozenset({"one", "found", "said"})
HARD_TO_READ = ("of which", "that is none")
# What a docstring of a public function begins with where its verb is missing; a property is named by its noun.
NO_VERBS = frozenset(
    (
        *("a", "all", "an", "each", "every", "how", "its", "it", "no", "not", "nothing", "one", "only", "same", "that"),
        *("the", "this", "those", "true", "two", "what", "where", "whether", "which", "who"),
    )
)
PROPERTIES = frozenset({"property", "cached_property", "Once", "setter"})
OWN_CEILING = "enforcement/claims"  # a part of a room that is about to be built anew
EACH_ROOM_HAS = frozenset({"__init__", "__main__", "stage", "sentences"})
# `hearing` and `pairing` are things of the glossary.
NOUNS_IN_ING = frozenset({"wording", "string", "thing", "setting", "addressing", "king", "hearing", "pairing"})
# Rooms built alike: a platform beside a platform, a stage beside a stage. A module may be named alike in all of them.
BUILT_ALIKE = frozenset({"enforcement", "gateways"})

Counts = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Names:
    """How often each thing is there: by room, or by the name that has several homes."""

    values: Counts = field(default_factory=dict)
    docstrings: Counts = field(default_factory=dict)
    verbs: Counts = field(default_factory=dict)
    classes: Counts = field(default_factory=dict)
    functions: Counts = field(default_factory=dict)
    modules: Counts = field(default_factory=dict)
    gerunds: Counts = field(default_factory=dict)


MEANING = {
    "values": "values named `one`, `found` or `said` in the room {name}: name them by their noun",
    "docstrings": 'docstrings with "of which" or "that is none" in the room {name}: write them so that once is enough',
    "verbs": "docstrings of functions without their verb in the room {name}: begin them with it (`Return the ...`)",
    "classes": "homes of the class {name}: a class name has one home",
    "functions": "homes of the public function {name}: a function's name has one home",
    "modules": "homes of the module {name}: a module's name has one home",
    "gerunds": "modules named {name}: name a module by a noun",
}


def names_in(package: Path) -> Names:
    """Count what stands in the Python files of a package."""
    values: Counter[str] = Counter()
    docstrings: Counter[str] = Counter()
    verbs: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    modules: set[tuple[str, str]] = set()
    for path in sorted(package.rglob("*.py")):
        text, room = path.read_text(encoding="utf-8"), room_of(path.relative_to(package))
        tree = ast.parse(text)
        values[room] += sum(token in NO_NOUNS for token in tokens(text))
        docstrings[room] += sum(any(words in docstring for words in HARD_TO_READ) for docstring in docstrings_of(tree))
        verbs[room] += sum(is_without_verb(node) for node in ast.walk(tree))
        classes.update({node.name for node in tree.body if isinstance(node, ast.ClassDef)})
        functions.update({node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)})
        home = path.parent.relative_to(package)
        modules.add((path.stem, home.parts[0] if home.parts[:1] and home.parts[0] in BUILT_ALIKE else str(home)))
    return Names(
        values=+values,
        docstrings=+docstrings,
        verbs=+verbs,
        classes=several(classes),
        functions=several(functions),
        modules=several(Counter(name for name, _ in modules if name not in EACH_ROOM_HAS)),
        gerunds=Counter(name for name, _ in modules if is_gerund(name)),
    )


def room_of(path: Path) -> str:
    """Return the room of a file in the package: `store/turns.py` -> `store`, `delivery.py` -> `delivery`."""
    if path.as_posix().startswith(f"{OWN_CEILING}/"):
        return OWN_CEILING
    return path.parts[0].removesuffix(".py")


def tokens(text: str) -> Iterator[str]:
    """The names in a Python text; strings and comments hold none."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.string


def docstrings_of(tree: ast.Module) -> Iterator[str]:
    """The docstrings of a module, its classes and its functions, each in one line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield " ".join((ast.get_docstring(node) or "").split())


def is_without_verb(node: ast.AST) -> bool:
    """Return whether a node is a public function, no property, whose docstring does not begin with a verb."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
        return False
    if any(ast.unparse(decorator).split(".")[-1] in PROPERTIES for decorator in node.decorator_list):
        return False
    words = (ast.get_docstring(node) or "").split()
    return bool(words) and words[0].lower() in NO_VERBS


def several(homes: Mapping[str, int]) -> Counts:
    """The public names that have more than one home."""
    return {name: count for name, count in homes.items() if count > 1 and not name.startswith("_")}


def is_gerund(module: str) -> bool:
    """Whether a word of a module's name is a verb in its -ing form: `asking`, `standing_in`."""
    return any(word.endswith("ing") and word not in NOUNS_IN_ING for word in module.split("_"))


def problems(now: Names, ceilings: Names) -> list[str]:
    """What is above its ceiling, a sentence for each."""
    return [
        f"{count} {MEANING[kind].format(name=name)} (at most {most.get(name, 0)})."
        for kind, counts, most in pairs(now, ceilings)
        for name, count in sorted(counts.items())
        if count > most.get(name, 0)
    ]


def lowered(now: Names, ceilings: Names) -> Names:
    """The ceilings, each no higher than what is there now."""
    return Names(
        **{
            kind: {name: min(count, counts.get(name, 0)) for name, count in most.items() if counts.get(name, 0)}
            for kind, counts, most in pairs(now, ceilings)
        }
    )


def pairs(now: Names, ceilings: Names) -> Iterable[tuple[str, Counts, Counts]]:
    """Each kind of count with its ceilings."""
    return [(kind.name, getattr(now, kind.name), getattr(ceilings, kind.name)) for kind in fields(Names)]


def read_ceilings(file: Path) -> Names:
    """Read the committed ceilings."""
    return Names(**tomllib.loads(file.read_text(encoding="utf-8")))


def written(ceilings: Names) -> str:
    """Return the ceilings as TOML, sorted, so that two branches that lower them seldom meet in a line."""
    sections = [
        f"[{kind.name}]\n"
        + "".join(f'"{name}" = {count}\n' for name, count in sorted(getattr(ceilings, kind.name).items()))
        for kind in fields(Names)
    ]
    return "# Ceilings of `python -m tests.names`: they may only fall.\n\n" + "\n".join(sections)


def check(package: Path, file: Path, *, tighten: bool) -> int:
    """Say what is above its ceiling, and return the exit status; `tighten` lowers ceilings that are too high.

    Without a file `tighten` begins one with what is there.
    """
    now = names_in(package)
    if tighten and not file.exists():
        file.write_text(written(now), encoding="utf-8")
    ceilings = read_ceilings(file)
    above, lower = problems(now, ceilings), lowered(now, ceilings)
    for problem in above:
        print(problem)
    if lower != ceilings and tighten:
        file.write_text(written(lower), encoding="utf-8")
        print(f"{file.name}: the ceilings are lowered.")
    elif lower != ceilings:
        print("Fewer than the ceilings allow. Keep it so: python -m tests.names --tighten")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(check(PACKAGE, CEILINGS, tighten="--tighten" in sys.argv[1:]))
