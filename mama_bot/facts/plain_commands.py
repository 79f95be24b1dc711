"""Command lines that are what they say: known programs, known options, and nothing that changes what these mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from mama_bot.facts.quiet_programs import is_made_by_shell, is_own_place, only_files, only_looks_by
from mama_bot.shell.syntax import Pipeline, Redirect, SimpleCommand, parse_pipelines
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

SORTS = frozenset({"check", "deed", "look", "bare"})
ANY_OPTION = "*"
MOST_WORDS = 4
FEWEST_LINES = 3  # of the end of an output: a line alone may be the good one of several
TOLD_IN_ONE = frozenset({"pytest"})  # what failed stands in the same line as what passed
# They change how a program tells, and not what.
HARMLESS_VARIABLES = word_set(
    "CI NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LANG LC_ALL TZ PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE "
    "RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR NODE_ENV HUSKY GIT_PAGER PAGER GOMAXPROCS"
)
OWN_SOURCES = word_set("src lib . ./src ./lib")  # directories from which a project itself is imported
PROGRAM_PLACES = word_set(".venv/bin venv/bin node_modules/.bin vendor/bin .")
# Beside a run in its own call: they put nothing into its output that could pass for it.
BESIDE = word_set("cd pwd echo ls mkdir wc date true set sleep")
SETTINGS = word_set("-e -u -x -eu -ex -ux -eux -o -eo -euo -exo -uo -euxo +e +x +u errexit nounset pipefail xtrace")
# With these git looks, and runs what they name or writes where they say.
BUSY_GIT = ("--ou", "--op", "--ext", "--exe", "--up", "--textc", "--filt", "-c", "-O", "-u")


@dataclass(frozen=True, slots=True)
class _Known:
    sort: str
    options: frozenset[str]


def _known() -> Mapping[tuple[str, ...], _Known]:
    known: dict[tuple[str, ...], _Known] = {}
    everywhere: frozenset[str] = frozenset()
    text = files("mama_bot.facts").joinpath("plain_commands.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        head, _, options = line.partition("|")
        sort, *named = head.split()
        if sort == "all":
            everywhere = frozenset(options.split())
        elif not sort.startswith("#"):
            known[(sort if sort == "wrapper" else "", *named)] = _Known(
                sort, frozenset(options.split()) | (everywhere if sort == "check" else frozenset())
            )
    return known


KNOWN = _known()


@lru_cache(maxsize=2048)
def is_plain(command: str, directory: str) -> bool:
    """Return whether a command line of a `directory` holds known checks and deeds alone, with their output whole.

    Then what it ran is what it says, as far as the files of the project are.
    """
    parts = parse_pipelines(command)
    return bool(parts) and all(_is_plain_line(part, directory) for part in parts or ())


@lru_cache(maxsize=2048)
def is_ordinary(command: str, directory: str) -> bool:
    """Return whether a command line does nothing by which a later run could be another one than it says.

    It looks, files what it names, commits, or is plain itself; what it wrote is told by its call.
    """
    parts = parse_pipelines(command)
    return parts is not None and all(
        isinstance(stage, SimpleCommand) and not part.background and _is_ordinary(stage, directory)
        for part in parts
        for stage in part.stages
    )


def _is_plain_line(part: Pipeline, directory: str) -> bool:
    """Return whether a pipeline is one program whose end is seen, with nothing behind it but the end of its output."""
    first, *filters = part.stages
    if part.background or part.negated or not isinstance(first, SimpleCommand):
        return False
    fewest = 1 if TOLD_IN_ONE.intersection(first.argv) else FEWEST_LINES
    if not _is_untouched(first) or not all(_shows_the_end(each, fewest) for each in filters):
        return False
    if not first.argv or _sort_of(first.argv, directory) in SORTS:
        return True
    return _says_nothing_else(first.argv[0], first.argv[1:])


def _says_nothing_else(name: str, words: Sequence[str]) -> bool:
    """Return whether what stands beside a run leaves it as it is, and puts no words of its own into its lines."""
    if name == "cd":
        return not any("$" in word or "`" in word or word == "-" for word in words)
    if name == "set":  # `-n` runs nothing of what follows
        return bool(words) and all(word in SETTINGS for word in words)
    if name in {"echo", "date"}:  # without its end of a line, or with signs of control, it joins the line of another
        return not any(word.startswith(("-", "+")) for word in words[:1])
    return name in BESIDE


def _is_ordinary(stage: SimpleCommand, directory: str) -> bool:
    leads_to_own = all(_leads_to_own(each, directory) for each in stage.redirects)
    if not leads_to_own or not all(map(_is_harmless, stage.assignments)) or _substitutes(stage):
        return False
    if not stage.argv or _sort_of(stage.argv, directory):
        return True
    name, *words = stage.argv
    if name == "cd":
        return all(_is_own(word, directory) for word in words)
    told = [_from(directory, word) for word in words]
    return only_looks_by(name, told) or only_files(name, told)


def _leads_to_own(redirect: Redirect, directory: str) -> bool:
    return not redirect.writes or redirect.target == "/dev/null" or _is_own(redirect.target, directory)


def _is_own(path: str, directory: str) -> bool:
    """Return whether a path is one of the project's own, or leads up from where the command is run."""
    above = path.rstrip("/").split("/")
    return not path or set(above) <= {"..", "."} or is_own_place(_from(directory, path))


def _from(directory: str, path: str) -> str:
    """Return a path as it stands in a directory, where it is told from the root of the file system."""
    inside = f"{path}/".startswith(f"{directory.rstrip('/')}/")
    return (path.removeprefix(directory.rstrip("/")).lstrip("/") or ".") if inside else path


def _is_untouched(stage: SimpleCommand) -> bool:
    """Return whether nothing stands around a program that changes it, or hides what it printed."""
    joined_outputs = all(each.operator == ">&" and each.target == "1" for each in stage.redirects)
    return joined_outputs and all(map(_is_harmless, stage.assignments)) and not _substitutes(stage)


def _substitutes(stage: SimpleCommand) -> bool:
    """Return whether words are made by further programs; the usual way to write a message of several lines is none."""
    made = [word for word in stage.argv if "$(" in word or "`" in word]
    return stage.substitutes and not (
        program(stage.argv[0] if stage.argv else "") in {"git", "gh"}
        and all(word.startswith("$(cat <<") for word in made)
    )


def _is_harmless(assignment: str) -> bool:
    name, _, value = assignment.partition("=")
    return name in HARMLESS_VARIABLES or (name == "PYTHONPATH" and value in OWN_SOURCES)


def _shows_the_end(stage: object, fewest: int) -> bool:
    """Return whether a filter leaves the end of an output, of several lines, as it is."""
    if not isinstance(stage, SimpleCommand) or stage.argv[:1] != ("tail",) or stage.redirects:
        return False
    words = stage.argv[1:]
    if words and not words[0].startswith("-"):  # the name of a file
        return False
    number = "".join(words).removeprefix("-n").removeprefix("-")
    return not number or (number.isdigit() and int(number) >= fewest)


def _sort_of(argv: Sequence[str], directory: str) -> str:
    """Return what a program of the list is, with options of the list alone: a check, a deed, a look; "" for others."""
    words = _without_wrappers(argv)
    if not words:
        return ""
    place, _, name = words[0].rpartition("/")
    if place and place.removeprefix("./") not in PROGRAM_PLACES:
        return ""
    own = [program(name), *words[1:]]
    for length in range(min(MOST_WORDS, len(own)), 0, -1):
        known = KNOWN.get(("", *own[:length]))
        if known is not None:
            return known.sort if _are_known(own[length:], known.options, directory, known.sort) else ""
    return ""


def _without_wrappers(argv: Sequence[str]) -> Sequence[str]:
    words = list(argv)
    for _ in range(MOST_WORDS):
        length = next((n for n in (2, 1) if ("wrapper", *_names(words[:n])) in KNOWN), 0)
        if not length or (("", *_names(words[:1])) in KNOWN and length == 1 and words[1:2] and _is_script(words)):
            return words
        options = KNOWN[("wrapper", *_names(words[:length]))].options
        words = words[length:]
        while words and words[0].startswith("-"):
            taken = _taken(words, options)
            if not taken:
                return ()
            words = words[taken:]
        if argv[0] == "timeout" and words and words[0].rstrip("smh").replace(".", "").isdigit():
            words = words[1:]
    return words


def _is_script(words: Sequence[str]) -> bool:
    """Return whether `yarn test` names a script of the project, and no program of the list."""
    return not any(known[:2] == ("", words[1]) for known in KNOWN)


def _names(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(program(word) if at == 0 and "/" not in word else word for at, word in enumerate(words))


def _taken(words: Sequence[str], options: frozenset[str]) -> int:
    """Return how many words a known option takes; 0 for one that is not known."""
    word = words[0]
    name, equals, _ = word.partition("=")
    if word in options:
        return 1
    if equals:
        return int(f"{name}=" in options)
    if f"{word}=" in options or f"{word}={''.join(words[1:2])}" in options:
        return 2
    short, digits = word[:2], word[2:]
    return int(f"{short}=" in options and bool(digits) and digits.isdigit())


def _are_known(words: Sequence[str], options: frozenset[str], directory: str, sort: str) -> bool:
    if ANY_OPTION in options:
        return not any(word.startswith(BUSY_GIT) for word in words) and not any(map(is_made_by_shell, words))
    at = 0
    while at < len(words):
        if words[at] in {"--", "-"}:
            at += 1
        elif words[at].startswith(("-", "+")):
            taken = _taken(words[at:], options)
            if not taken:
                return False
            at += taken
            if sort == "check" and taken > 1 and not all(_is_inside(word, directory) for word in words[at - 1 : at]):
                return False
        elif sort == "bare" or (sort == "check" and not _is_inside(words[at], directory)):
            return False
        else:
            at += 1
    return True


def _is_inside(word: str, directory: str) -> bool:
    """Return whether a word names nothing outside of the directory, and no setting."""
    if "=" in word or "$" in word or ".." in word.split("/") or is_made_by_shell(word):
        return False
    return not word.startswith(("/", "~", "@")) or f"{word}/".startswith(f"{directory.rstrip('/')}/")
