"""What a program runs by its own words: `find -exec`, an alias or a pager of git, the recipes of `make -f -`."""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from mama_bot.rules.commands.found_files import found_files
from mama_bot.rules.commands.read_programs import Program
from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

Run = str | Sequence[str]

FINDERS = frozenset({"fd", "fdfind"})
FINDER_RUNS = word_set("-x --exec -X --exec-batch")
FINDER_VALUED = [(word,) for word in word_set("-e --extension -t --type -E --exclude -d --max-depth -S --size")]
MAKERS = frozenset({"make", "gmake"})
# Settings of git, and variables, whose value is a command line that a program runs.
RUN_SETTINGS = word_set(
    "pager editor sshcommand askpass external textconv driver clean smudge process fsmonitor program cmd command"
)
RUN_VARIABLES = word_set(
    "PAGER EDITOR VISUAL GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS "
    "MANPAGER PROMPT_COMMAND"
)
FALSE = frozenset({"false", "no", "off", "0"})
MADE_VARIABLE = compiled(r"^([A-Za-z_][A-Za-z0-9_.]*)[ \t]*(?::|::|\?|\+)?=[ \t]*(.*)$", ignore_case=False)
USED_VARIABLE = compiled(r"\$[({]([A-Za-z_][A-Za-z0-9_.]*)[)}]", ignore_case=False)
MADE_SHELL = compiled(r"\$\(shell ([^\n]+)\)", ignore_case=False)
MAKE_KNOWS = {"RM": "rm -f"}
MOST_ROUNDS = 4
LONGEST_VALUE = 1_000


def programs_run(made: Program, settings: Iterable[str]) -> Iterator[Run]:
    """Yield what a program runs, as texts for a shell and as words; `settings` are what git was told before."""
    if made.program == "find":
        yield from _of_find(made)
    elif made.program in FINDERS:
        yield from _of_finder(made)
    elif made.program == "git":
        yield from _of_git(made, [*_given(made.words, ("-c",)), *settings])
    elif made.program in MAKERS:
        for text in (made.code, *_given(made.words, ("--eval", "-E"))):
            yield from recipes(text)
    elif made.program == "trap":
        yield from made.operands[:1]


def reads_make_rules(made: Program) -> bool:
    """Return whether a `make` takes its rules from its input."""
    named = _given(made.words, ("-f", "--file", "--makefile"))
    return made.program in MAKERS and bool({"-", "/dev/stdin"} & set(named))


def recipes(text: str) -> Iterator[str]:
    """Yield the command lines of the rules of a makefile, with the variables that it sets itself."""
    known = dict(MAKE_KNOWS)
    lines = text.replace("\\\n", " ").splitlines()
    for line in lines:
        if (variable := MADE_VARIABLE.match(line)) is not None:
            known[variable.group(1)] = variable.group(2).strip()[:LONGEST_VALUE]
    for line in lines:
        for shell in MADE_SHELL.finditer(line):
            yield _filled(shell.group(1), known)
        if line.startswith("\t"):
            yield _filled(line.lstrip("\t @-+"), known)
        elif ":" in line and ";" in line and MADE_VARIABLE.match(line) is None:
            yield _filled(line.partition(";")[2].lstrip(" @-+"), known)


def _filled(recipe: str, known: dict[str, str]) -> str:
    for _ in range(MOST_ROUNDS):
        filled = recipe
        for used in USED_VARIABLE.finditer(recipe):
            if used.group(1) in known:
                filled = filled.replace(used.group(0), known[used.group(1)])
        if filled == recipe:
            break
        recipe = filled[:10_000]
    return recipe.replace("$$", "$")


def _of_find(made: Program) -> Iterator[Run]:
    """Yield what `find` removes or runs, on whatever lies below where it begins."""
    below, words = found_files(made), made.words
    if "-delete" in words:
        yield ("rm", "-r", "-f", *below)
    for at, word in enumerate(words):
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            inner = _until_end(words[at + 1 :])
            filled = [target for part in inner for target in (below if part == "{}" else [part])]
            if filled:
                yield filled


def _of_finder(made: Program) -> Iterator[Run]:
    """Yield what `fd` runs on what it finds: `fd PATTERN [PLACE ...] -x PROGRAM`."""
    at = next((at for at, word in enumerate(made.words) if word in FINDER_RUNS), 0)
    if not at:
        return
    own, run = made.words[1:at], _until_end(made.words[at + 1 :])
    plain = [word for at, word in enumerate(own) if not word.startswith("-") and own[at - 1 : at] not in FINDER_VALUED]
    every = "/*" if plain[:1] in ([], ["."], [""]) and len(plain) == len(own) else "/*/*"
    below = [f"{place.rstrip('/')}{every}" for place in plain[1:] or ["."]]
    filled = [target for part in run for target in (below if part == "{}" else [part])]
    if filled:
        yield filled if "{}" in run else [*filled, *below]


def _of_git(made: Program, settings: Sequence[str]) -> Iterator[Run]:
    """Yield an alias, a pager or an editor that git is given, what it runs in each module, a clean that is forced."""
    for setting in settings:
        key, _, value = setting.partition("=")
        key = key.lower()
        if key == f"alias.{made.subcommand.lower()}":
            shell = value[1:] if value.startswith("!") else f"git {value}"
            yield f"{shell} {shlex.join(made.operands)}"
        elif key.rpartition(".")[2] in RUN_SETTINGS or (key.endswith("helper") and value.startswith("!")):
            yield value.removeprefix("!")
        elif key == "clean.requireforce" and value.lower() in FALSE and made.subcommand == "clean":
            yield ("git", "clean", "--force", *made.words[made.words.index("clean") + 1 :])
    if made.subcommand == "submodule" and "foreach" in made.operands:
        yield " ".join(made.operands[made.operands.index("foreach") + 1 :])


def _given(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the values of an option: `-c x`, `--eval x`, `--eval=x`, `-fx`."""
    values = []
    for at, word in enumerate(words[1:], 1):
        for name in names:
            if word == name and at + 1 < len(words):
                values.append(words[at + 1])
            elif word.startswith(f"{name}=") or (len(name) == 2 and word.startswith(name) and len(word) > 2):
                values.append(word[len(name) :].removeprefix("="))
    return values


def _until_end(words: Sequence[str]) -> Sequence[str]:
    ends = [at for at, word in enumerate(words) if word in {";", "+"}]
    return words[: ends[0]] if ends else words
