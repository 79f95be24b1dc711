"""Scripts and targets of a project, which their names tell apart: `npm run lint`, `make test`, `tox -e py312`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from mama_bot.model import RunKind
from mama_bot.runs.recognisers import PYTEST_FILTERS, PYTEST_VALUES
from mama_bot.runs.tools import Recognise, Tool, paths_of, split_words
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

KIND_WORDS: Mapping[str, RunKind] = {
    **dict.fromkeys(
        word_set("test tests unit e2e spec specs it integration unittest unittests pytest jest vitest"), RunKind.TESTS
    ),
    **dict.fromkeys(word_set("build compile bundle dist package"), RunKind.BUILD),
    **dict.fromkeys(word_set("types typecheck typing tsc mypy pyright typechecks"), RunKind.TYPES),
    **dict.fromkeys(word_set("lint linter eslint ruff flake8 clippy stylelint vet"), RunKind.LINT),
    **dict.fromkeys(word_set("format fmt prettier black reformat"), RunKind.FORMAT),
    **dict.fromkeys(word_set("bench benchmark benchmarks perf"), RunKind.BENCHMARK),
    **dict.fromkeys(word_set("publish"), RunKind.PUBLISH),
    **dict.fromkeys(word_set("deploy"), RunKind.DEPLOY),
}


# What stands for all checks of a project.
OWN_NAMES = frozenset({"check", "ci", "verify", "t", "tst"})


def kind_of_name(name: str) -> RunKind | None:
    """Return what the name of a target or script tells: `test:unit`, `run_tests`, `typecheck`."""
    lowered = name.lower()
    if lowered in {"type-check", "check-types", "check:types", "type_check", "types:check"}:
        return RunKind.TYPES
    words = lowered.replace(":", "-").replace("_", "-").replace(".", "-").replace("/", "-").split("-")
    for word in words:
        if (kind := KIND_WORDS.get(word)) is not None:
            return kind
    return RunKind.TESTS if lowered in OWN_NAMES else None


def script(kind: RunKind | None, name: str, further: Sequence[str], word: str = "") -> Tool | None:
    """Return the tool for a script that is known by its name, or by the `word` of it, alone."""
    if kind is None:
        return None
    dry = kind is RunKind.FORMAT and ("check" in (word or name) or "--check" in further)
    dry = dry or (kind in SENT and not REHEARSALS.isdisjoint(further))
    further = [word for word in further if word != "--"]
    plain, narrowing = split_words(
        further, PYTEST_VALUES, frozenset({"-k", "-m", "-t", "--testNamePattern", "--grep", "-g", "--tests"})
    )
    return Tool(kind=kind, name=name, selected=(*paths_of(plain), *narrowing), dry=dry, script=True)


SENT = frozenset((RunKind.PUBLISH, RunKind.DEPLOY))
REHEARSALS = word_set("--dry-run --dryrun -n --check --plan --preview --what-if --simulate --help")


def python_script(argv: Sequence[str]) -> Tool | None:
    """Recognise `python manage.py test`, `python setup.py build`; `python tests/test_x.py` is a guess."""
    plain, narrowing = split_words(
        argv[1:], frozenset({"-W", "-X", "--settings", "-v", "--verbosity"}), frozenset({"-k", "--tag"})
    )
    if not plain:
        return None
    script = program(plain[0])
    if script == "manage.py" and plain[1:2] == ["test"]:
        return Tool(kind=RunKind.TESTS, name="unittest", selected=(*plain[2:], *narrowing), chatty=True)
    if script == "setup.py":
        if plain[1:2] == ["test"]:
            return Tool(kind=RunKind.TESTS, name="unittest", chatty=True)
        return Tool(kind=RunKind.BUILD, name="setup.py") if plain[1:2] and plain[1] in {"build", "sdist"} else None
    kind = kind_of_name(script.removesuffix(".py"))
    if kind in {RunKind.TESTS, RunKind.BENCHMARK}:
        return Tool(kind=kind, name=script, selected=(plain[0],), script=True)
    return None


PACKAGE_VALUES = word_set("--prefix -C --dir --cwd --filter -F -w --workspace")
RUN_WORDS = word_set("run run-script workspaces -r recursive")
PACKAGE_RUNNERS = ("npm", "pnpm", "yarn", "bun")
AMBIGUOUS = word_set("node npm task build make publish")


def package_script(argv: Sequence[str], recognise: Recognise) -> Tool | None:
    """Recognise `npm test`, `npm run lint`, `pnpm -r test`; `yarn jest` is what `recognise` knows."""
    name = program(argv[0])
    words = _without_options(argv[1:])
    if words[:1] == ["workspace"]:
        words = words[2:]
    runs = bool(words) and words[0] in RUN_WORDS
    if runs:
        words = _without_options(words[1:])
    if not words:
        return None
    word, further = words[0], words[1:]
    if not runs:
        if word == "publish":
            return Tool(kind=RunKind.PUBLISH, name=f"{name} publish", dry="--dry-run" in argv)
        if word in {"t", "tst", "test"}:
            word = "test"
            if name == "bun":
                plain, narrowing = split_words(further, BUN_VALUES, BUN_FILTERS)
                return Tool(kind=RunKind.TESTS, name="bun test", selected=(*paths_of(plain), *narrowing), chatty=True)
        elif name == "npm":
            return None
        elif word not in AMBIGUOUS and (known := recognise(words)) is not None and not known.script:
            return known
    further = further[1:] if further[:1] == ["--"] else further
    return script(kind_of_name(word), f"{name} test" if word == "test" else f"{name} run {word}", further, word)


BUN_VALUES, BUN_FILTERS = word_set("--timeout --preload"), word_set("-t --test-name-pattern")


def _without_options(words: Sequence[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-r":
        at += 2 if words[at] in PACKAGE_VALUES else 1
    return list(words[at:])


# Each runs what the project calls by a name. With the first ones every word is such a name.
MANY_TASKS = word_set("make gmake ninja turbo")
TASK_RUNNERS = MANY_TASKS | word_set(
    "just task mise invoke inv rake composer nx poe lerna moon sbt lein dune ant grunt gulp nps"
)
TASK_WORDS = word_set("run r run-script run-many affected tasks task")
MAKES = word_set("make gmake ninja")
BARE_RUNNERS = MAKES | {"just"}  # they show commands without a mark in front
TASK_VALUES = word_set(
    "-C -f -j --directory --file -I -o -W --jobs -p --parallel --justfile --cd --projects --exclude --concurrency"
)
TASK_TARGETS = word_set("-t --target --targets")
# With these nothing is made: it is only shown, asked, or touched.
TELLING = word_set(
    "-n --dry-run --just-print --recon -q --question --touch -p --print-data-base --help --version --list -l --summary"
)


def task(argv: Sequence[str]) -> Tool | None:
    """Recognise `make test`, `just lint`, `mise run test:ci`, `nx run-many -t lint test`."""
    name = program(argv[0])
    if not TELLING.isdisjoint(argv) or (name in MAKES and "-t" in argv):
        return None
    plain, listed = split_words(argv[1:], TASK_VALUES, frozenset() if name in MAKES else TASK_TARGETS)
    own = [word for option in listed for word in option.split()[1:] if option.split()[0] in TASK_TARGETS]
    names = [word for word in plain if "=" not in word and not word.isdigit()]
    while names and names[0] in TASK_WORDS and name not in MAKES:
        names = names[1:]
    names = own or names
    if not names:
        return Tool(kind=RunKind.BUILD, name="make", script=True) if name in MAKES else None
    targets = names if name in MANY_TASKS or own else names[:1]
    kinds = [kind for word in targets if (kind := kind_of_name(word)) is not None]
    if not kinds and name in MAKES and (targets[0] in {"all", "install"} or "." in targets[0] or name == "ninja"):
        kinds = [RunKind.BUILD]
    further = [] if name in MANY_TASKS or own else argv[list(argv).index(names[0]) + 1 :]
    known = script(kinds[0] if kinds else None, f"{name} {' '.join(targets)}", further, " ".join(targets))
    narrowed = tuple(option for option in listed if option.split()[0] not in TASK_TARGETS)
    narrowed += tuple(word for word in plain if "=" in word and word.partition("=")[0] not in {"V", "VERBOSE", "CI"})
    return known and replace(known, selected=(*known.selected, *narrowed), also=tuple(dict.fromkeys(kinds[1:])))


def gradle(argv: Sequence[str]) -> Tool | None:
    """Recognise `gradle test --tests Name`, `gradle build`, `gradle publish`."""
    plain, narrowing = split_words(argv[1:], frozenset({"-p", "-b", "-x", "-I"}), frozenset({"--tests"}))
    names = [word.rpartition(":")[2] for word in plain]
    left = {value for word, value in pairwise(argv) if word in {"-x", "--exclude-task"}}
    if not {"--dry-run", "-m"}.isdisjoint(argv) or "test" in left & set(names):
        return None
    if any(word in {"test", "check"} or word.endswith("Test") for word in names):
        scoped = [word for word in plain if word.count(":") > 1 or (":" in word and not word.startswith(":"))]
        return Tool(kind=RunKind.TESTS, name="gradle", selected=(*scoped, *narrowing), dry="--dry-run" in argv)
    if any(word in {"build", "classes", "jar"} or word.startswith(("assemble", "bundle", "compile")) for word in names):
        return Tool(kind=RunKind.BUILD, name="gradle")
    if any(word.startswith("publish") for word in names):
        return Tool(kind=RunKind.PUBLISH, name="gradle publish")
    return None


def maven(argv: Sequence[str]) -> Tool | None:
    """Recognise `mvn -Dtest=Name test`, `mvn package`, `mvn deploy`."""
    plain, _ = split_words(argv[1:], frozenset({"-f", "-pl", "-P", "-s", "--file"}))
    selected = tuple(word for word in argv[1:] if word.startswith(("-Dtest=", "-Dit.test=")))
    selected += tuple(argv[at + 1] for at, word in enumerate(argv[:-1]) if word == "-pl")
    skips = any(word.startswith(("-DskipTests", "-Dmaven.test.skip")) and not word.endswith("false") for word in argv)
    if not skips and any(
        word in {"test", "verify", "integration-test"} or word.startswith("surefire:") for word in plain
    ):
        return Tool(kind=RunKind.TESTS, name="maven", selected=selected)
    if "deploy" in plain:
        return Tool(kind=RunKind.PUBLISH, name="maven deploy")
    if any(word in {"compile", "package", "install", "verify", "test-compile"} for word in plain):
        return Tool(kind=RunKind.BUILD, name="maven")
    return None


SESSION_RUNNERS = frozenset({"nox", "tox"})


def session_runner(argv: Sequence[str]) -> Tool | None:
    """Recognise `tox -e lint`, `nox -s tests`."""
    values = frozenset({"-c", "--workdir", "-p", "-f", "--result-json", "-t", "--tag"})
    own = argv[1 : list(argv).index("--")] if "--" in argv else argv[1:]
    _, environments = split_words(own, values, frozenset({"-e", "-s", "--session", "--sessions"}))
    paths, narrowing = split_words(argv[1 + len(own) + 1 :], PYTEST_VALUES, PYTEST_FILTERS)
    names = [word.partition(" ")[2] for word in environments]
    if any(word in argv for word in ("--list", "-l", "--notest", "-a", "--listenvs", "--showconfig", "list", "config")):
        return None
    kind = next((kind for name in names if (kind := kind_of_name(name)) is not None), RunKind.TESTS)
    return Tool(kind=kind, name=program(argv[0]), selected=(*paths_of(paths), *narrowing), script=True)
