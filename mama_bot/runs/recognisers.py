"""Programs that have options and words of their own: pytest, go, cargo, node, tsc, ruff."""

from collections.abc import Sequence
from itertools import pairwise

from mama_bot.model import RunKind
from mama_bot.runs.tools import Tool, paths_of, split_words
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

PYTEST_VALUES = word_set(
    "-n --numprocesses -c -p -o --rootdir --tb --maxfail --durations --junitxml --junit-xml --cov --cov-report --dist "
    "--timeout --log-level --log-cli-level --confcutdir --basetemp --import-mode --color --durations-min -W "
    "--cov-config --override-ini --capture -r --random-order-seed --reruns --html --report-log --verbosity "
    "--show-capture"
)


DECIDING_SETTINGS = word_set(
    "addopts python_files python_classes python_functions testpaths norecursedirs collect_ignore"
)
PYTEST_FILTERS = frozenset({"-k", "-m", "--ignore", "--deselect", "--ignore-glob"})


def pytest(argv: Sequence[str]) -> Tool | None:
    """Recognise `pytest tests -k name`; `--benchmark-only` makes it a benchmark."""
    plain, narrowing = split_words(argv[1:], PYTEST_VALUES, PYTEST_FILTERS)
    narrowing += overridden(argv)
    nothing = any(word in {"--collect-only", "--co", "--setup-plan"} for word in argv)
    kind = RunKind.BENCHMARK if "--benchmark-only" in argv else RunKind.TESTS
    return Tool(kind=kind, name="pytest", selected=(*paths_of(plain), *narrowing), nothing=nothing, chatty=True)


def overridden(argv: Sequence[str]) -> Sequence[str]:
    """Return the settings of pytest that words put in the place of the project's own: `-o python_files=a.py`."""
    given = [word for before, word in pairwise(argv) if before in {"-o", "--override-ini"}]
    given += [word.partition("=")[2] for word in argv if word.startswith("--override-ini=")]
    return [word for word in given if word.partition("=")[0].strip() in DECIDING_SETTINGS]


def go_test(argv: Sequence[str]) -> Tool | None:
    """Recognise `go test ./pkg -run Name`; with `-bench` it is a benchmark."""
    plain, narrowing = split_words(
        argv[1:],
        word_set("-timeout -count -p -parallel -cpu -tags -coverprofile -covermode -benchtime -o -coverpkg"),
        frozenset({"-run", "--run", "-skip"}),
    )
    bench = any(word.startswith("-bench") and not word.startswith("-benchtime") for word in argv)
    # To go `.` is one package, and `./...` all of them.
    selected = (*(word for word in plain if word not in {"./...", "..."}), *narrowing)
    if bench:
        return Tool(kind=RunKind.BENCHMARK, name="go test -bench", selected=selected)
    # What -exec and -toolexec name runs in the place of the tests.
    nothing = "-list" in argv or any(word.lstrip("-").partition("=")[0] in {"exec", "toolexec"} for word in argv)
    return Tool(kind=RunKind.TESTS, name="go test", selected=selected, nothing=nothing, chatty=True)


CARGO_VALUES = (
    "-j --jobs --target --target-dir --manifest-path --features -F --profile --color --message-format --package-x"
)


CARGO_FILTERS = "-p --package --test --bin --example --bench --lib --doc --exclude -E --skip"


def cargo_test(argv: Sequence[str]) -> Tool | None:
    """Recognise `cargo test -p crate name -- --skip other`."""
    before, _, after = split(argv, "--")
    filters = frozenset(CARGO_FILTERS.split()) - {"--lib", "--doc"}
    plain, narrowing = split_words(before[1:], frozenset(CARGO_VALUES.split()), filters)
    inner, more = split_words(after, frozenset({"--test-threads", "--format", "-Z"}), frozenset({"--skip"}))
    narrowing += [word for word in before if word in {"--lib", "--doc", "--bins"}]
    return Tool(
        kind=RunKind.TESTS,
        name="cargo test",
        selected=(*plain, *narrowing, *inner, *more),
        nothing="--no-run" in argv or "--list" in argv,
        chatty=True,
    )


def split(argv: Sequence[str], word: str) -> tuple[Sequence[str], str, Sequence[str]]:
    """Return the words before the first `word`, the word, and those after it."""
    if word in argv:
        at = list(argv).index(word)
        return argv[:at], word, argv[at + 1 :]
    return argv, "", ()


def node(argv: Sequence[str]) -> Tool | None:
    """Recognise `node --test`; any other program of node is None."""
    if "--test" not in argv:
        return None
    plain, narrowing = split_words(
        argv[1:],
        frozenset({"--import", "-r", "--require", "--test-reporter", "--loader"}),
        frozenset({"--test-name-pattern"}),
    )
    return Tool(kind=RunKind.TESTS, name="node --test", selected=(*paths_of(plain), *narrowing), chatty=True)


JAVA_VALUES = word_set("-cp -classpath --class-path -p --module-path --add-opens --add-modules --add-exports -jar -m")
JAVA_TESTS = ("Test", "Tests", "TestSuite", "TestRunner", "TestMain", "IT", "JUnitCore", "ConsoleLauncher")


def java(argv: Sequence[str]) -> Tool | None:
    """Recognise `java -cp out GlazeTest` and JUnit's own launcher; any other class is None."""
    for at, word in enumerate(argv[1:], 1):
        if word in {"-jar", "-m"} and at + 1 < len(argv) and "junit-platform-console" in argv[at + 1]:
            return Tool(kind=RunKind.TESTS, name="junit", chatty=True)
    plain, _ = split_words(argv[1:], frozenset(JAVA_VALUES))
    named = plain[0].rpartition(".")[2] if plain else ""
    if plain and plain[0].endswith(".java"):
        named = program(plain[0]).removesuffix(".java")
    if not named.endswith(JAVA_TESTS):
        return None
    own = named not in {"JUnitCore", "ConsoleLauncher"}
    return Tool(kind=RunKind.TESTS, name="junit", selected=() if own else tuple(plain[1:]), script=own)


def tsc(argv: Sequence[str]) -> Tool | None:
    """Recognise `tsc --noEmit`, which checks types, and `tsc -b`, which builds."""
    if not word_set("--showConfig --init --listFilesOnly --all").isdisjoint(argv):
        return None
    plain, _ = split_words(argv[1:], frozenset({"-p", "--project", "--outDir", "--target", "--module"}))
    if "-b" in argv or "--build" in argv:
        return Tool(kind=RunKind.BUILD, name="tsc", selected=tuple(plain))
    return Tool(kind=RunKind.TYPES, name="tsc", selected=tuple(plain))


def ruff(argv: Sequence[str]) -> Tool | None:
    """Recognise `ruff check`, `ruff format`."""
    words, narrowing = split_words(argv[1:], frozenset({"--config", "--output-format"}))
    if not {"--show-files", "--show-settings"}.isdisjoint(argv):
        return None
    if words[:1] == ["format"]:
        dry = "--check" in argv or "--diff" in argv
        selected = (*paths_of(words[1:]), *narrowing)
        return Tool(kind=RunKind.FORMAT, name="ruff format", selected=selected, dry=dry)
    if words[:1] == ["check"] or (words and words[0] not in {"clean", "rule", "config", "linter", "version", "server"}):
        paths = words[1:] if words[0] == "check" else words
        return Tool(kind=RunKind.LINT, name="ruff", selected=(*paths_of(paths), *narrowing), chatty=True)
    return None


def cmake(argv: Sequence[str]) -> Tool | None:
    """Recognise `cmake --build`; configuring is no build."""
    if "--build" not in argv:
        return None
    _, targets = split_words(
        argv[1:], frozenset({"--build", "-j", "--parallel", "--config"}), frozenset({"--target", "-t"})
    )
    chosen = [target for target in targets if not target.endswith((" all", " ALL_BUILD"))]
    return Tool(kind=RunKind.BUILD, name="cmake --build", selected=tuple(chosen))


GH_VALUES = word_set("-t --subject -b --body -R --repo -s --source -d --description -r --remote --match-head-commit")


def gh(argv: Sequence[str]) -> Tool | None:
    """Recognise `gh pr merge 7`, and `gh repo create NAME --push`, which pushes."""
    plain, _ = split_words(argv[1:], GH_VALUES)
    if plain[:2] == ["pr", "merge"]:
        return Tool(kind=RunKind.MERGE, name="gh pr merge", target=" ".join(plain[2:]))
    if plain[:2] == ["repo", "create"] and "--push" in argv:
        return Tool(kind=RunKind.PUSH, name="gh repo create", target=" ".join(plain[2:]))
    return None


def vercel(argv: Sequence[str]) -> Tool | None:
    """Recognise `vercel --prod`; without it a preview is deployed."""
    return Tool(kind=RunKind.DEPLOY, name="vercel", target="production" if "--prod" in argv else "preview")
