"""Which tool a program is, what kind of run, and what narrows it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mama_bot.enforcement.runs.words import names
from mama_bot.enforcement.runs.wrappers import program
from mama_bot.model import RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A recognised program; `nothing`: it was told to run nothing (`--collect-only`)."""

    kind: RunKind
    name: str
    selected: tuple[str, ...] = ()
    target: str = ""
    dry: bool = False
    nothing: bool = False
    chatty: bool = False
    script: bool = False


Recognise = Callable[[Sequence[str]], Tool | None]

HELP = frozenset({"--help", "-h", "--version", "-V", "help", "--fixtures", "--markers"})


def words_of(
    argv: Sequence[str], values: frozenset[str] = frozenset(), filters: frozenset[str] = frozenset()
) -> tuple[list[str], list[str]]:
    """The words that are no options, and the options that narrow, each with its value."""
    plain: list[str] = []
    narrowing: list[str] = []
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            plain.extend(argv[at:])
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        takes = name in values or name in filters
        if takes and not equals and at < len(argv):
            value = argv[at]
            at += 1
        if name in filters:
            narrowing.append(f"{name} {value}".strip())
    return plain, narrowing


PYTEST_VALUES = names(
    "-n --numprocesses -c -p -o --rootdir --tb --maxfail --durations --junitxml --junit-xml --cov --cov-report --dist "
    "--timeout --log-level --log-cli-level --confcutdir --basetemp --import-mode --color --durations-min -W --cov-config "
    "--override-ini --capture -r --random-order-seed --reruns --html --report-log --verbosity --show-capture"
)
PYTEST_FILTERS = frozenset({"-k", "-m", "--ignore", "--deselect", "--ignore-glob"})
PYTEST_FLAGS = frozenset({"--lf", "--last-failed", "--sw", "--stepwise", "--pyargs"})


def _pytest(argv: Sequence[str]) -> Tool | None:
    plain, narrowing = words_of(argv[1:], PYTEST_VALUES, PYTEST_FILTERS)
    narrowing += [word for word in argv[1:] if word in PYTEST_FLAGS and word != "--pyargs"]
    nothing = any(word in {"--collect-only", "--co", "--setup-plan"} for word in argv)
    kind = RunKind.BENCHMARK if "--benchmark-only" in argv else RunKind.TESTS
    return Tool(kind=kind, name="pytest", selected=(*_paths(plain), *narrowing), nothing=nothing, chatty=True)


def _paths(words: Sequence[str]) -> list[str]:
    """The whole of a place narrows nothing."""
    return [word for word in words if word not in {".", "./", "./...", "..."}]


def tests(
    name: str, values: str = "", filters: str = "", *, nothing: str = "", drop: str = "", kind: RunKind = RunKind.TESTS
) -> Recognise:
    """A test tool; `drop` are its own sub-commands."""
    valued, filtering = frozenset(values.split()), frozenset(filters.split())
    empties, dropped = frozenset(nothing.split()), frozenset(drop.split())

    def recognise(argv: Sequence[str]) -> Tool | None:
        plain, narrowing = words_of(argv[1:], valued, filtering)
        paths = _paths(plain)
        while paths and paths[0] in dropped:
            paths = paths[1:]
        return Tool(
            kind=kind,
            name=name,
            selected=(*paths, *narrowing),
            nothing=any(word in empties for word in argv),
            chatty=True,
        )

    return recognise


def checks(
    kind: RunKind, name: str, values: str = "", *, drop: str = "", dry: str = "", chatty: bool = False
) -> Recognise:
    """A checker, formatter or build; `dry` are options that only rehearse or report."""
    valued, dropped, rehearsing = frozenset(values.split()), frozenset(drop.split()), frozenset(dry.split())

    def recognise(argv: Sequence[str]) -> Tool | None:
        plain, _ = words_of(argv[1:], valued)
        paths = _paths(plain)
        while paths and paths[0] in dropped:
            paths = paths[1:]
        return Tool(
            kind=kind,
            name=name,
            selected=tuple(paths),
            dry=any(word in rehearsing for word in argv),
            chatty=chatty,
        )

    return recognise


def by_word(table: Mapping[str, Recognise], default: Recognise | None = None) -> Recognise:
    """A program whose first word that is no option says what it does."""

    def recognise(argv: Sequence[str]) -> Tool | None:
        for index, word in enumerate(argv[1:], 1):
            if word.startswith(("-", "+")):
                continue
            found = table.get(word)
            if found is not None:
                return found(argv[index:])
            break
        return None if default is None else default(argv)

    return recognise


def _go_test(argv: Sequence[str]) -> Tool | None:
    plain, narrowing = words_of(
        argv[1:],
        names("-timeout -count -p -parallel -cpu -tags -coverprofile -covermode -benchtime -o -coverpkg"),
        frozenset({"-run", "--run", "-skip"}),
    )
    bench = any(word.startswith("-bench") and not word.startswith("-benchtime") for word in argv)
    selected = (*_paths(plain), *narrowing)
    if bench:
        return Tool(kind=RunKind.BENCHMARK, name="go test -bench", selected=selected)
    return Tool(kind=RunKind.TESTS, name="go test", selected=selected, nothing="-list" in argv, chatty=True)


CARGO_VALUES = (
    "-j --jobs --target --target-dir --manifest-path --features -F --profile --color --message-format --package-x"
)
CARGO_FILTERS = "-p --package --test --bin --example --bench --lib --doc --exclude -E --skip"


def _cargo_test(argv: Sequence[str]) -> Tool | None:
    before, _, after = _split(argv, "--")
    filters = frozenset(CARGO_FILTERS.split()) - {"--lib", "--doc"}
    plain, narrowing = words_of(before[1:], frozenset(CARGO_VALUES.split()), filters)
    inner, more = words_of(after, frozenset({"--test-threads", "--format", "-Z"}), frozenset({"--skip"}))
    narrowing += [word for word in before if word in {"--lib", "--doc", "--bins"}]
    return Tool(
        kind=RunKind.TESTS,
        name="cargo test",
        selected=(*plain, *narrowing, *inner, *more),
        nothing="--no-run" in argv or "--list" in argv,
        chatty=True,
    )


def _split(argv: Sequence[str], word: str) -> tuple[Sequence[str], str, Sequence[str]]:
    if word in argv:
        at = list(argv).index(word)
        return argv[:at], word, argv[at + 1 :]
    return argv, "", ()


def _node(argv: Sequence[str]) -> Tool | None:
    if "--test" not in argv:
        return None
    plain, narrowing = words_of(
        argv[1:],
        frozenset({"--import", "-r", "--require", "--test-reporter", "--loader"}),
        frozenset({"--test-name-pattern"}),
    )
    return Tool(kind=RunKind.TESTS, name="node --test", selected=(*_paths(plain), *narrowing), chatty=True)


def _tsc(argv: Sequence[str]) -> Tool | None:
    plain, _ = words_of(argv[1:], frozenset({"-p", "--project", "--outDir", "--target", "--module"}))
    if "-b" in argv or "--build" in argv:
        return Tool(kind=RunKind.BUILD, name="tsc", selected=tuple(plain))
    if "--noEmit" in argv:
        return Tool(kind=RunKind.TYPES, name="tsc", selected=tuple(plain))
    return Tool(kind=RunKind.TYPES, name="tsc", selected=tuple(plain))


def _ruff(argv: Sequence[str]) -> Tool | None:
    words, _ = words_of(argv[1:], frozenset({"--select", "--ignore", "--config", "--output-format", "--extend-select"}))
    if words[:1] == ["format"]:
        dry = "--check" in argv or "--diff" in argv
        return Tool(kind=RunKind.FORMAT, name="ruff format", selected=tuple(_paths(words[1:])), dry=dry)
    if words[:1] == ["check"] or (words and words[0] not in {"clean", "rule", "config", "linter", "version", "server"}):
        paths = words[1:] if words[0] == "check" else words
        return Tool(kind=RunKind.LINT, name="ruff", selected=tuple(_paths(paths)), chatty=True)
    return None


def _cmake(argv: Sequence[str]) -> Tool | None:
    return Tool(kind=RunKind.BUILD, name="cmake --build") if "--build" in argv else None


def _manage(argv: Sequence[str]) -> Tool | None:
    """`python manage.py test`, `python -m pytest` is unwrapped before; `python tests/test_x.py` is a guess."""
    plain, narrowing = words_of(
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


KIND_WORDS: Mapping[str, RunKind] = {
    **dict.fromkeys(
        names("test tests unit e2e spec specs it integration unittest unittests pytest jest vitest"), RunKind.TESTS
    ),
    **dict.fromkeys(names("build compile bundle dist package"), RunKind.BUILD),
    **dict.fromkeys(names("types typecheck typing tsc mypy pyright typechecks"), RunKind.TYPES),
    **dict.fromkeys(names("lint linter eslint ruff flake8 clippy stylelint vet"), RunKind.LINT),
    **dict.fromkeys(names("format fmt prettier black reformat"), RunKind.FORMAT),
    **dict.fromkeys(names("bench benchmark benchmarks perf"), RunKind.BENCHMARK),
    **dict.fromkeys(names("publish"), RunKind.PUBLISH),
    **dict.fromkeys(names("deploy"), RunKind.DEPLOY),
}


def kind_of_name(name: str) -> RunKind | None:
    """What the name of a target or script tells: "test:unit", "run_tests", "typecheck"."""
    lowered = name.lower()
    if lowered in {"type-check", "check-types", "check:types", "type_check", "types:check"}:
        return RunKind.TYPES
    words = lowered.replace(":", "-").replace("_", "-").replace(".", "-").replace("/", "-").split("-")
    for word in words:
        if (kind := KIND_WORDS.get(word)) is not None:
            return kind
    return RunKind.TESTS if lowered in {"check", "ci", "verify", "t", "tst"} else None


def _script(kind: RunKind | None, name: str, further: Sequence[str], dry: bool = False) -> Tool | None:
    if kind is None:
        return None
    plain, narrowing = words_of(
        further, PYTEST_VALUES, frozenset({"-k", "-m", "-t", "--testNamePattern", "--grep", "-g", "--tests"})
    )
    return Tool(kind=kind, name=name, selected=(*_paths(plain), *narrowing), dry=dry, script=True)


def _npm(argv: Sequence[str]) -> Tool | None:
    """`npm test`, `npm run lint`, `yarn build`, `pnpm -r test`."""
    name = program(argv[0])
    plain: list[str] = []
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in {"--prefix", "-C", "--dir", "--cwd", "--filter", "-F", "-w", "--workspace"} else 1
    plain = list(argv[at:])
    if not plain:
        return None
    word = plain.pop(0)
    if word in {"run", "run-script", "workspaces", "workspace", "-r", "recursive"}:
        while plain and plain[0].startswith("-"):
            plain.pop(0)
        if word == "workspace" and len(plain) > 1:
            plain.pop(0)
            if plain[0] == "run" and len(plain) > 1:
                plain.pop(0)
        if not plain:
            return None
        word = plain.pop(0)
    elif word in {"publish"}:
        return Tool(kind=RunKind.PUBLISH, name=f"{name} publish", dry="--dry-run" in argv)
    elif word in {"t", "tst", "test"}:
        if name == "bun":
            return tests("bun test", "--timeout --preload", "-t --test-name-pattern")(["bun", *plain])
        word = "test"
    elif name in {"yarn", "pnpm", "bun"}:
        direct = PROGRAMS.get(word)
        if direct is not None and word not in {"node", "npm"}:
            return direct([word, *plain])
    else:
        return None
    if plain[:1] == ["--"]:
        plain = plain[1:]
    kind = kind_of_name(word)
    dry = kind is RunKind.FORMAT and ("check" in word or "--check" in plain)
    shown = f"{name} test" if word == "test" else f"{name} run {word}"
    return _script(kind, shown, plain, dry)


def _make(argv: Sequence[str]) -> Tool | None:
    name = program(argv[0])
    if "-n" in argv or "--dry-run" in argv or "--just-print" in argv:
        return None
    plain, _ = words_of(argv[1:], frozenset({"-C", "-f", "-j", "--directory", "--file", "-I", "-o", "-W"}))
    targets = [word for word in plain if "=" not in word and not word.isdigit()]
    if not targets:
        return Tool(kind=RunKind.BUILD, name="make", script=True) if name in {"make", "gmake", "ninja"} else None
    kind = next((kind for word in targets if (kind := kind_of_name(word)) is not None), None)
    if kind is None and name in {"make", "gmake", "ninja"}:
        kind = RunKind.BUILD if targets[0] in {"all", "install"} or "." in targets[0] or name == "ninja" else None
    if kind is None:
        return None
    dry = kind is RunKind.FORMAT and any("check" in word for word in targets)
    return Tool(kind=kind, name=f"{name} {' '.join(targets)}", dry=dry, script=True)


def _gradle(argv: Sequence[str]) -> Tool | None:
    plain, narrowing = words_of(argv[1:], frozenset({"-p", "-b", "-x", "-I"}), frozenset({"--tests"}))
    names = [word.rpartition(":")[2] for word in plain]
    if any(word in {"test", "check"} or word.endswith("Test") for word in names):
        scoped = [word for word in plain if word.count(":") > 1 or (":" in word and not word.startswith(":"))]
        return Tool(kind=RunKind.TESTS, name="gradle", selected=(*scoped, *narrowing), dry="--dry-run" in argv)
    if any(word in {"build", "assemble", "classes", "jar", "compileJava", "compileKotlin"} for word in names):
        return Tool(kind=RunKind.BUILD, name="gradle")
    if any(word.startswith("publish") for word in names):
        return Tool(kind=RunKind.PUBLISH, name="gradle publish")
    return None


def _maven(argv: Sequence[str]) -> Tool | None:
    plain, _ = words_of(argv[1:], frozenset({"-f", "-pl", "-P", "-s", "--file"}))
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


def _tox(argv: Sequence[str]) -> Tool | None:
    values = frozenset({"-c", "--workdir", "-p", "-f", "--result-json", "-t", "--tag"})
    _, environments = words_of(argv[1:], values, frozenset({"-e", "-s", "--session", "--sessions"}))
    names = [word.partition(" ")[2] for word in environments]
    if "--list" in argv or "-l" in argv[1:]:
        return None
    kind = next((kind for name in names if (kind := kind_of_name(name)) is not None), RunKind.TESTS)
    return Tool(kind=kind, name=program(argv[0]), selected=tuple(environments), script=True)


def publish(name: str) -> Recognise:
    """A publication; `--dry-run` rehearses."""

    def recognise(argv: Sequence[str]) -> Tool | None:
        return Tool(kind=RunKind.PUBLISH, name=name, dry=any(word.startswith("--dry-run") for word in argv))

    return recognise


def deploy(name: str) -> Recognise:
    """A deployment; `--dry-run` and `--diff` rehearse."""

    def recognise(argv: Sequence[str]) -> Tool | None:
        dry = any(word.startswith("--dry-run") and not word.endswith("=none") for word in argv)
        return Tool(kind=RunKind.DEPLOY, name=name, dry=dry)

    return recognise


def _pair(first: str, then: Recognise) -> Recognise:
    """`gh release create`: a second word decides."""
    return by_word({first: then})


def _hyperfine(argv: Sequence[str]) -> Tool | None:
    return Tool(kind=RunKind.BENCHMARK, name="hyperfine")


def _vercel(argv: Sequence[str]) -> Tool | None:
    return Tool(kind=RunKind.DEPLOY, name="vercel", target="production" if "--prod" in argv else "preview")


BUILD, LINT, TYPES, FORMAT = RunKind.BUILD, RunKind.LINT, RunKind.TYPES, RunKind.FORMAT

PROGRAMS: dict[str, Recognise] = {
    "pytest": _pytest,
    "py.test": _pytest,
    "unittest": tests("unittest", "-s -p -t --start-directory", "-k", drop="discover"),
    "tox": _tox,
    "nox": _tox,
    "jest": tests(
        "jest",
        "-c --config --maxWorkers -w --reporters --coverageDirectory",
        "-t --testNamePattern --testPathPattern --testPathPatterns --selectProjects",
        nothing="--listTests --showConfig",
    ),
    "vitest": tests(
        "vitest",
        "-c --config --reporter --pool --outputFile --root",
        "-t --testNamePattern --project --exclude",
        drop="run watch",
        nothing="list",
    ),
    "mocha": tests(
        "mocha",
        "-r --require -R --reporter --timeout -t --config --extension",
        "-g --grep -f --fgrep",
        nothing="--dry-run",
    ),
    "ava": tests("ava", "--timeout -T --concurrency -c", "-m --match"),
    "playwright": by_word(
        {
            "test": tests(
                "playwright",
                "-c --config --workers -j --reporter --retries --timeout",
                "-g --grep --grep-invert --project",
                nothing="--list",
            )
        }
    ),
    "cypress": by_word({"run": tests("cypress", "--browser -b --config -c", "--spec -s")}),
    "node": _node,
    "go": by_word(
        {
            "test": _go_test,
            "build": checks(BUILD, "go build", "-o -tags -ldflags -gcflags"),
            "install": checks(BUILD, "go build", "-tags -ldflags"),
            "vet": checks(LINT, "go vet"),
            "fmt": checks(FORMAT, "gofmt"),
        }
    ),
    "gotestsum": tests("go test"),
    "cargo": by_word(
        {
            "test": _cargo_test,
            "t": _cargo_test,
            "nextest": by_word({"run": tests("cargo nextest", CARGO_VALUES, CARGO_FILTERS, nothing="--no-run")}),
            "build": checks(BUILD, "cargo build", CARGO_VALUES),
            "b": checks(BUILD, "cargo build", CARGO_VALUES),
            "check": checks(TYPES, "cargo build", CARGO_VALUES),
            "c": checks(TYPES, "cargo build", CARGO_VALUES),
            "clippy": checks(LINT, "clippy", CARGO_VALUES),
            "fmt": checks(FORMAT, "cargo fmt", dry="--check"),
            "bench": checks(RunKind.BENCHMARK, "cargo bench", CARGO_VALUES),
            "publish": publish("cargo publish"),
        }
    ),
    "gradle": _gradle,
    "gradlew": _gradle,
    "mvn": _maven,
    "mvnw": _maven,
    "dotnet": by_word(
        {
            "test": tests(
                "dotnet test",
                "-c --configuration -f --framework --logger -l -v --verbosity --settings",
                "--filter",
                nothing="--list-tests -t",
            ),
            "build": checks(BUILD, "dotnet build", "-c --configuration -f -v -o"),
            "publish": checks(BUILD, "dotnet build"),
            "format": checks(FORMAT, "dotnet format", dry="--verify-no-changes"),
            "nuget": by_word({"push": publish("dotnet nuget push")}),
        }
    ),
    "rspec": tests("rspec", "-f --format -r --require -o --seed", "-e --example -t --tag", nothing="--dry-run"),
    "rake": _make,
    "phpunit": tests("phpunit", "-c --configuration --bootstrap --log-junit", "--filter --testsuite --group"),
    "pest": tests("phpunit", "", "--filter --group"),
    "ctest": tests(
        "ctest",
        "-j --parallel --test-dir -C --timeout --repeat --output-junit",
        "-R -E -L -LE -I",
        nothing="-N --show-only",
    ),
    "bats": tests(
        "bats", "-j --jobs -F --formatter -o", "-f --filter --filter-tags", nothing="-c --count", drop="test tests"
    ),
    "deno": by_word(
        {
            "test": tests("deno test", "-c --config", "--filter", nothing="--no-run"),
            "lint": checks(LINT, "deno lint"),
            "check": checks(TYPES, "deno check"),
            "fmt": checks(FORMAT, "deno fmt", dry="--check"),
            "bench": checks(RunKind.BENCHMARK, "deno bench"),
        }
    ),
    "npm": _npm,
    "pnpm": _npm,
    "yarn": _npm,
    "bun": _npm,
    "make": _make,
    "gmake": _make,
    "just": _make,
    "task": _make,
    "ninja": _make,
    "invoke": _make,
    "inv": _make,
    "composer": _make,
    "cmake": _cmake,
    "python": _manage,
    "pypy3": _manage,
    "mypy": checks(TYPES, "mypy", "--config-file -p --package -m --module --python-version --cache-dir", chatty=True),
    "dmypy": checks(TYPES, "mypy", drop="run check"),
    "pyright": checks(TYPES, "pyright", "-p --project --pythonversion", chatty=True),
    "basedpyright": checks(TYPES, "pyright"),
    "pytype": checks(TYPES, "pytype"),
    "pyre": checks(TYPES, "pyre"),
    "ty": by_word({"check": checks(TYPES, "ty")}),
    "tsc": _tsc,
    "vue-tsc": _tsc,
    "flow": checks(TYPES, "flow", drop="check"),
    "svelte-check": checks(TYPES, "svelte-check"),
    "ruff": _ruff,
    "flake8": checks(LINT, "flake8", "--config --max-line-length --select --ignore --extend-ignore"),
    "pylint": checks(LINT, "pylint", "--rcfile -j --disable --enable"),
    "eslint": checks(LINT, "eslint", "-c --config --ext --max-warnings --format -f --rule"),
    "golangci-lint": by_word({"run": checks(LINT, "golangci-lint", "-c --config --timeout")}),
    "staticcheck": checks(LINT, "staticcheck"),
    "shellcheck": checks(LINT, "shellcheck", "-s -e -f"),
    "rubocop": checks(LINT, "rubocop"),
    "stylelint": checks(LINT, "stylelint"),
    "pre-commit": by_word({"run": checks(LINT, "pre-commit")}),
    "lint-imports": checks(LINT, "lint-imports"),
    "bandit": checks(LINT, "bandit"),
    "biome": by_word(
        {
            "check": checks(LINT, "biome"),
            "lint": checks(LINT, "biome"),
            "ci": checks(LINT, "biome"),
            "format": checks(FORMAT, "biome"),
        }
    ),
    "black": checks(FORMAT, "black", "-l --line-length -t --config --exclude", dry="--check --diff"),
    "isort": checks(FORMAT, "isort", "--profile", dry="--check --check-only -c --diff"),
    "prettier": checks(FORMAT, "prettier", "--config --parser", dry="--check -c --list-different -l"),
    "gofmt": checks(FORMAT, "gofmt", dry="-l -d"),
    "rustfmt": checks(FORMAT, "cargo fmt", dry="--check"),
    "clang-format": checks(FORMAT, "clang-format", dry="--dry-run -n"),
    "vite": by_word({"build": checks(BUILD, "vite build", "--mode -m --outDir")}),
    "webpack": checks(BUILD, "webpack", "--mode --config -c", drop="build"),
    "rollup": checks(BUILD, "rollup"),
    "esbuild": checks(BUILD, "esbuild"),
    "next": by_word({"build": checks(BUILD, "next build"), "lint": checks(LINT, "next lint")}),
    "turbo": by_word({"run": _make, "build": checks(BUILD, "turbo"), "test": tests("turbo")}),
    "build": checks(BUILD, "python -m build", "-o --outdir"),
    "docker": by_word(
        {
            "build": checks(BUILD, "docker build"),
            "buildx": by_word({"build": checks(BUILD, "docker build")}),
            "push": publish("docker push"),
            "compose": by_word({"build": checks(BUILD, "docker build")}),
            "stack": by_word({"deploy": deploy("docker stack")}),
        }
    ),
    "gcc": checks(BUILD, "gcc"),
    "g++": checks(BUILD, "gcc"),
    "clang": checks(BUILD, "gcc"),
    "javac": checks(BUILD, "javac", "-d -cp"),
    "rustc": checks(BUILD, "rustc"),
    "uv": by_word({"build": checks(BUILD, "python -m build"), "publish": publish("uv publish")}),
    "poetry": by_word({"build": checks(BUILD, "python -m build"), "publish": publish("poetry publish")}),
    "hatch": by_word(
        {"build": checks(BUILD, "python -m build"), "publish": publish("hatch publish"), "test": tests("pytest")}
    ),
    "twine": by_word({"upload": publish("twine upload")}),
    "gem": by_word({"push": publish("gem push")}),
    "semantic-release": publish("semantic-release"),
    "gh": by_word(
        {
            "release": by_word({"create": publish("gh release create")}),
            "pr": by_word({"merge": checks(RunKind.MERGE, "gh pr merge")}),
        }
    ),
    "kubectl": by_word({"apply": deploy("kubectl apply"), "rollout": deploy("kubectl rollout")}),
    "helm": by_word({"upgrade": deploy("helm upgrade"), "install": deploy("helm install")}),
    "terraform": by_word({"apply": deploy("terraform apply")}),
    "tofu": by_word({"apply": deploy("terraform apply")}),
    "pulumi": by_word({"up": deploy("pulumi up")}),
    "fly": by_word({"deploy": deploy("fly deploy")}),
    "flyctl": by_word({"deploy": deploy("fly deploy")}),
    "vercel": by_word({"deploy": _vercel}, _vercel),
    "netlify": by_word({"deploy": deploy("netlify deploy")}),
    "wrangler": by_word({"deploy": deploy("wrangler deploy"), "publish": deploy("wrangler deploy")}),
    "firebase": by_word({"deploy": deploy("firebase deploy")}),
    "serverless": by_word({"deploy": deploy("serverless deploy")}),
    "sls": by_word({"deploy": deploy("serverless deploy")}),
    "cdk": by_word({"deploy": deploy("cdk deploy")}),
    "ansible-playbook": deploy("ansible-playbook"),
    "cap": by_word({"deploy": deploy("cap deploy")}),
    "gcloud": by_word(
        {"app": by_word({"deploy": deploy("gcloud deploy")}), "run": by_word({"deploy": deploy("gcloud deploy")})}
    ),
    "hyperfine": _hyperfine,
    "ab": _hyperfine,
    "wrk": _hyperfine,
    "k6": _hyperfine,
    "asv": _hyperfine,
    "mix": by_word(
        {
            "test": tests("mix test"),
            "compile": checks(BUILD, "mix compile"),
            "format": checks(FORMAT, "mix format", dry="--check-formatted"),
        }
    ),
    "rails": by_word({"test": tests("rails test")}),
    "artisan": by_word({"test": tests("phpunit")}),
    "swift": by_word({"test": tests("swift test", "", "--filter"), "build": checks(BUILD, "swift build")}),
}


def recognise(argv: Sequence[str]) -> Tool | None:
    """The tool that a program is, without its wrappers; None for what no claim could be about."""
    if not argv or (any(word in HELP for word in argv[1:3]) and "-h" not in argv[0]):
        return None
    name = program(argv[0])
    found = PROGRAMS.get(name)
    if found is not None:
        return found(argv)
    if "/" in argv[0] or name.endswith((".sh", ".py")):
        return _script(kind_of_name(name.rpartition(".")[0] or name), name, argv[1:])
    return None
