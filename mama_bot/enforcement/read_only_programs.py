"""What programs do, as far as a reader's policy needs to know: the ones that only look, and the words that end that."""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.enforcement.language.patterns import compiled


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# Where programs lie; a program anywhere else is a file of the workspace.
PLACES = compiled(
    r"/usr/bin|/bin|/usr/local/bin|(?:.*/)?(?:\.?v?env[\w-]*|\.tox/[\w.-]+|\.nox/[\w.-]+)/bin|(?:.*/)?node_modules/\.bin"
    r"|(?:.*/)?vendor/bin",
    ignore_case=False,
)
# Variables that change how a check runs, not what runs.
ASSIGNABLE = compiled(
    r"PYTHON(?:PATH|WARNINGS|UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|IOENCODING|ASYNCIODEBUG)|PYTEST_\w+|CI|TZ|TERM|COLUMNS|"
    r"LANG|LC_\w+|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR\w*|RUST_(?:BACKTRACE|LOG)|CARGO_TERM_COLOR|GOFLAGS|"
    r"DJANGO_SETTINGS_MODULE|DEBUG|TEST_\w+|HYPOTHESIS_\w+",
    ignore_case=False,
)
# They change nothing whatever their arguments are.
ANY_ARGUMENTS = words(
    "ls cat head tail wc grep egrep fgrep zgrep cut tr nl cmp comm diff file stat du df pwd cd pushd popd echo printf "
    "true false test [ [[ : which type basename dirname realpath readlink id whoami uname od hexdump strings md5sum "
    "sha1sum sha256sum sha512sum cksum column paste fold expand seq sleep jq tac rev exit return break continue set "
    "unset shopt ulimit printenv nproc wait"
)
READERS = words("rg ag ack sort tree date yq")
CHECKERS = words(
    "pytest py.test unittest nose2 tox nox jest vitest mocha ava tap karma playwright rspec phpunit pest ctest bats "
    "mypy pyright basedpyright pyre pytype ty flake8 pylint pycodestyle pydocstyle bandit vulture radon yamllint "
    "shellcheck hadolint actionlint lint-imports eslint stylelint tsc markdownlint rubocop phpstan psalm checkstyle "
    "black isort autopep8 yapf prettier gofmt goimports staticcheck rustfmt clang-format clang-tidy ktlint swiftlint "
    "detekt doctest compileall standard xo"
)
MODULES = words(
    "pytest unittest nose2 tox nox mypy pyright flake8 pylint pycodestyle pydocstyle bandit vulture radon yamllint "
    "black isort ruff doctest coverage compileall json.tool"
)
# Words that make a checker change files; those under "*" in any of them.
FORBIDDEN_WORDS: Mapping[str, frozenset[str]] = {
    "*": words(
        "--fix --fix-only --unsafe-fixes --write --update --update-snapshots --updateSnapshot --snapshot-update "
        "--in-place --inplace --apply --apply-unsafe --autofix --auto-correct --auto-correct-all --autocorrect "
        "--autocorrect-all --output --output-file --junitxml --junit-xml --install-types --add-noqa --init "
        "--force-regen --inline-snapshot --outDir --outFile --report-log --generate-baseline --basetemp --html "
        "--json-report-file --pastebin --fix-errors --export-fixes -fix -fix-errors -export-fixes --output-log "
        "--output-junit --init-script --build-file"
    ),
    "jest": words("-u"),
    "vitest": words("-u"),
    "npm": words("-u"),
    "yarn": words("-u"),
    "pnpm": words("-u"),
    "eslint": words("-o"),
    "prettier": words("-w"),
    "gofmt": words("-w"),
    "goimports": words("-w"),
    "rubocop": words("-a -A -x"),
    "autopep8": words("-i"),
    "yapf": words("-i"),
    "clang-format": words("-i"),
    "sort": words("-o --output --compress-program"),
    "tree": words("-o"),
    "date": words("-s --set"),
    "yq": words("-i --inplace -s --split-exp --split-exp-file"),
    "tsc": words("false --build -b --declarationDir"),
    "ctest": words("-O"),
    "gradle": words("-b -c -I -p --project-dir"),
    "gradlew": words("-b -c -I -p --project-dir"),
    "mvn": words("-f --file"),
    "mvnw": words("-f --file"),
    "rg": words("--pre"),
    "ag": words("--pager"),
    "ack": words("--pager"),
    "go": words(
        "-o -w -c -vettool -toolexec -exec -overlay -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile"
    ),
    "make": words("-C -f --file --makefile --eval"),
    "cmake": words("--install"),
}
# Formatters that only look when they are told to.
NEEDED_WORDS: Mapping[str, frozenset[str]] = {
    "black": words("--check --diff"),
    "isort": words("--check --check-only --diff -c"),
    "autopep8": words("--diff"),
    "yapf": words("--diff -d"),
    "prettier": words("--check -c --list-different -l"),
    "gofmt": words("-l -d"),
    "goimports": words("-l -d"),
    "rustfmt": words("--check"),
    "clang-format": words("--dry-run -n"),
    "tsc": words("--noEmit --version"),
}
MOST_COMMON = 2  # characters of an option of one letter
NONE: frozenset[str] = frozenset()
SUBCOMMANDS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "ruff": {"check": NONE, "format": words("--check --diff"), "rule": NONE, "version": NONE},
    "cargo": {
        **dict.fromkeys(("test", "check", "build", "clippy", "nextest", "tree", "metadata", "bench"), NONE),
        "fmt": words("--check"),
    },
    "go": dict.fromkeys(("test", "vet", "build", "list", "version"), NONE),
    "golangci-lint": {"run": NONE},
    "biome": dict.fromkeys(("check", "lint", "ci"), NONE),
    "dotnet": {"test": NONE, "build": NONE, "format": words("--verify-no-changes")},
    "mvn": dict.fromkeys(("test", "verify", "compile", "test-compile"), NONE),
    "pip": dict.fromkeys(("list", "show", "freeze", "check"), NONE),
    "swift": dict.fromkeys(("test", "build"), NONE),
    "mix": {"test": NONE, "compile": NONE, "format": words("--check-formatted")},
}
# Programs that run what a project has named; the words that may stand before the name.
SCRIPT_RUNNERS: Mapping[str, frozenset[str]] = {
    "npm": words("run run-script"),
    "yarn": words("run"),
    "pnpm": words("run"),
    "bun": words("run"),
    "make": NONE,
    "just": NONE,
    "rake": NONE,
    "gradle": NONE,
    "gradlew": NONE,
    "mvnw": NONE,
}
GIT_GLOBAL = words("-C --no-pager -P --git-dir --work-tree --no-optional-locks --literal-pathspecs --version")
GIT_FORBIDDEN = words("--output --ext-diff --textconv --open-files-in-pager --upload-pack --exec")
GIT_READING = words(
    "diff log show status blame annotate ls-files ls-tree grep rev-parse rev-list describe shortlog cat-file "
    "merge-base name-rev diff-tree diff-index diff-files show-ref for-each-ref check-ignore check-attr "
    "count-objects whatchanged version range-diff cherry"
)


def is_one_of(option: str, forbidden: frozenset[str]) -> bool:
    """Whether an option is forbidden: by its name, the beginning of it, or a letter among others (-ni, -o/tmp/x)."""
    if option in forbidden:
        return True
    if option.startswith("--"):
        return len(option) > MOST_COMMON and any(one.startswith(option) for one in forbidden)
    if not option.startswith("-") or len(option) <= MOST_COMMON:
        return False
    return any(len(one) == MOST_COMMON and one[0] == "-" and one[1] in option[1:] for one in forbidden)


def _none_named(given: Sequence[str]) -> bool:
    changing = words(
        "-d -D -m -M -c -C -f -u -a -s --delete --move --copy --force --set-upstream-to --unset-upstream "
        "--edit-description --annotate --sign --create-reflog"
    )
    named = [word for word in given if not word.startswith("-")]
    listing = "--list" in given or "-l" in given or not named or "--contains" in given or "--merged" in given
    return listing and not any(is_one_of(word.partition("=")[0], changing) for word in given)


def _branches(given: Sequence[str]) -> bool:
    return _none_named([word for word in given if word not in ("-a", "-r", "-v", "-vv", "--all", "--show-current")])


GIT_LISTING: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "branch": _branches,
    "tag": _none_named,
    "stash": lambda given: list(given[:1]) in (["list"], ["show"]),
    "reflog": lambda given: not given or given[0] == "show",
    "remote": lambda given: list(given) in ([], ["-v"], ["--verbose"]) or list(given[:1]) == ["get-url"],
    "worktree": lambda given: list(given[:1]) == ["list"],
    "config": lambda given: bool(given) and given[0] in ("--get", "--get-all", "--list", "-l", "get", "list"),
    "submodule": lambda given: list(given[:1]) == ["status"],
}


def _skip(argv: Sequence[str], at: int, values: frozenset[str], alone: frozenset[str]) -> int | None:
    """Where the options of a wrapper end; None for one that is not known."""
    while at < len(argv) and argv[at].startswith("-") and len(argv[at]) > 1:
        option, equals, _ = argv[at].partition("=")
        if option in values:
            at += 1 if equals else 2
        elif option in alone:
            at += 1
        else:
            return None
    return at


def _env(argv: Sequence[str]) -> Sequence[str] | None:
    at = 1
    while at < len(argv) and "=" in argv[at] and not argv[at].startswith("-"):
        if ASSIGNABLE.fullmatch(argv[at].partition("=")[0]) is None:
            return None
        at += 1
    return None if at < len(argv) and argv[at].startswith("-") else argv[at:]


def _timeout(argv: Sequence[str]) -> Sequence[str] | None:
    at = _skip(argv, 1, words("-k -s --kill-after --signal"), words("--foreground --preserve-status -v --verbose"))
    return None if at is None or at + 1 >= len(argv) else argv[at + 1 :]


def _plain(values: str, alone: str) -> Callable[[Sequence[str]], Sequence[str] | None]:
    def peel(argv: Sequence[str]) -> Sequence[str] | None:
        at = _skip(argv, 1, words(values), words(alone))
        return None if at is None else argv[at:]

    return peel


def _run(values: str) -> Callable[[Sequence[str]], Sequence[str] | None]:
    """`uv run pytest`."""

    def peel(argv: Sequence[str]) -> Sequence[str] | None:
        if len(argv) < 3 or argv[1] != "run":
            return None
        at = _skip(argv, 2, words(values), words("--frozen --locked --no-sync --offline --quiet -q --no-project -m"))
        if at is None or at >= len(argv):
            return None
        return ["python", "-m", *argv[at:]] if "-m" in argv[2:at] else argv[at:]

    return peel


def _xargs(argv: Sequence[str]) -> Sequence[str] | None:
    at = _skip(argv, 1, words("-n -P -I -L -d -a --max-args --max-procs"), words("-0 -r -t --null --no-run-if-empty"))
    if at is None:
        return None
    inner = argv[at:]
    # What is read becomes arguments that nobody looked at: only for programs that are safe with any.
    return inner if not inner or inner[0] in ANY_ARGUMENTS else None


WRAPPERS: Mapping[str, Callable[[Sequence[str]], Sequence[str] | None]] = {
    "env": _env,
    "timeout": _timeout,
    "gtimeout": _timeout,
    "nice": _plain("-n", ""),
    "time": _plain("-f", "-p -v"),
    "command": lambda argv: [] if list(argv[1:2]) == ["-v"] else argv[1:],
    "nohup": _plain("", ""),
    "stdbuf": _plain("-i -o -e", ""),
    "npx": _plain("", "--no-install --no --yes -y"),
    "bunx": _plain("", ""),
    "uvx": _plain("", ""),
    "uv": _run("--with --extra --group --python -p --package --project --directory"),
    "poetry": _run(""),
    "pipenv": _run(""),
    "pdm": _run(""),
    "hatch": _run(""),
    "xargs": _xargs,
}
