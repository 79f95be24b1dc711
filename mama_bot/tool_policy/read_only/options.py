"""The options with which a program only looks; an option that is not listed here is refused."""

from collections.abc import Mapping

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import Pattern, compiled
from mama_bot.tool_policy.read_only.known import Known


def _only(expression: str) -> Pattern:
    return compiled(expression, ignore_case=False)


_PYTEST = Known(
    word_set(
        "--tb --lf --last-failed --ff --failed-first --nf --sw --stepwise --maxfail --co --collect-only --durations "
        "--durations-min --no-header --no-summary --strict-markers --strict-config --disable-warnings --capture "
        "--color --showlocals --timeout --asyncio-mode --import-mode --doctest-modules --ignore --ignore-glob "
        "--deselect --cov --no-cov --cov-branch --cov-fail-under --cov-report --quiet --verbose --exitfirst --version "
        "--markers --fixtures --numprocesses --dist --reruns --runxfail --setup-show --hypothesis-seed "
        "--hypothesis-profile --hypothesis-show-statistics --full-trace --verbosity"
    ),
    "qvxsl",
    "kmnrWp",
    values={"-p": _only(r"no:[\w.-]+"), "--cov-report": _only("term(?:-missing)?(?::skip-covered)?")},
)
_RUFF = Known(
    word_set(
        "--select --ignore --extend-select --extend-ignore --output-format --statistics --show-files --show-settings "
        "--no-cache --diff --preview --no-preview --exclude --extend-exclude --force-exclude --target-version "
        "--line-length --quiet --verbose --silent --no-fix --exit-zero --isolated --check --version --range "
        "--respect-gitignore --exit-non-zero-on-fix --all"
    ),
    "qvnes",
    subcommands=word_set("check format rule version"),
)
_MYPY = Known(
    word_set(
        "--strict --ignore-missing-imports --no-error-summary --pretty --no-color-output --no-incremental "
        "--config-file --python-version --platform --follow-imports --exclude --namespace-packages --version "
        "--explicit-package-bases --check-untyped-defs --no-implicit-optional --strict-equality --enable-error-code "
        "--disable-error-code --package --module --verbose --implicit-reexport --no-implicit-reexport "
        "--no-namespace-packages --local-partial-types --skip-version-check --no-site-packages --error-summary"
    ),
    "v",
    "pm",
    pattern=_only(r"--(?:disallow|allow|warn|no-warn|show|hide)-[a-z-]+"),
)
_UNITTEST = Known(word_set("--verbose --quiet --failfast --buffer --locals --catch --durations"), "vqfbc", "kstp")
_ESLINT = Known(
    word_set(
        "-c --config --no-config-lookup --no-eslintrc --ext --max-warnings --quiet -f --format --ignore-pattern "
        "--no-ignore --rule --no-inline-config --report-unused-disable-directives --color --no-color --version "
        "--no-error-on-unmatched-pattern --print-config --no-warn-ignored --no-cache"
    )
)
_JEST = Known(
    word_set(
        "-t -i -b --ci --runInBand --coverage --silent --verbose --bail --testNamePattern --testPathPattern "
        "--testPathPatterns --watchAll --watch --no-cache --passWithNoTests --maxWorkers -w --selectProjects "
        "--listTests --forceExit --detectOpenHandles --colors --no-colors --no-coverage --json --findRelatedTests "
        "--onlyChanged -o --version --runTestsByPath --showConfig --testTimeout --expand"
    ),
    values={name: _only("false") for name in ("--coverage", "--watch", "--watchAll")},
)
_VITEST = Known(
    word_set(
        "--run -t --testNamePattern --coverage --coverage.enabled --reporter --bail --no-coverage --silent "
        "--passWithNoTests --project --watch --typecheck --no-color --version --maxWorkers --testTimeout --retry"
    ),
    values={
        **{name: _only("false") for name in ("--coverage", "--coverage.enabled", "--watch")},
        "--reporter": _only("default|verbose|dot|basic|tap|tap-flat|json|junit|tree"),
    },
    subcommands=word_set("run list related"),
)
_CARGO = Known(
    word_set(
        "--workspace --all --all-targets --all-features --no-default-features --features --lib --bins --bin --tests "
        "--test --benches --examples --example --doc --no-run --no-fail-fast --release --profile --locked --offline "
        "--frozen --quiet --verbose --message-format --check --exclude --package --no-deps --nocapture --exact "
        "--ignored --include-ignored --test-threads --list --depth --color --manifest-path --show-output --skip "
        "--format-version --version --edges --invert --duplicates --target"
    ),
    "qv",
    "pFjDWA",
    subcommands=word_set("test check build clippy nextest tree metadata fmt"),
)
_GO = Known(
    word_set(
        "-run -race -count -v -short -timeout -cover -covermode -coverpkg -bench -benchmem -benchtime -failfast -json "
        "-list -tags -parallel -p -cpu -shuffle -skip -m -f -deps -test -e -x -a -all"
    ),
    subcommands=word_set("test vet list version"),
)
_SCRIPT = Known(
    word_set(
        "--silent --if-present --workspaces --workspace --include-workspace-root --recursive --filter --max-warnings "
        "--coverage --run --ci --watch --watchAll --verbose --quiet --reporter --bail --runInBand -t --grep "
        "--testNamePattern --testPathPattern --passWithNoTests --noEmit --check --no-fix --no-coverage --color "
        "--no-color --test-name-pattern -q -v -s -r -k -m -l -c"
    ),
    values={
        **{name: _only("false") for name in ("--coverage", "--watch", "--watchAll")},
        "--reporter": _only(r"[\w-]+"),
    },
)
_MAKE = Known(
    word_set("--silent --quiet --keep-going --no-print-directory --always-make --dry-run --question --jobs"),
    "sknBiwq",
    "jO",
)
_GRADLE = Known(
    word_set(
        "--tests --info --debug --stacktrace --quiet -q --no-daemon --daemon --console --continue --offline --parallel "
        "--max-workers --rerun-tasks --build-cache --no-build-cache --warning-mode -i -s -S --full-stacktrace "
        "--dry-run --rerun --no-parallel"
    )
)
_MAVEN = Known(
    word_set(
        "-q --quiet -B --batch-mode -o --offline -e --errors -X --debug -ntp --no-transfer-progress -fae -ff -T -pl "
        "--projects -am --also-make -V --show-version --version -nsu"
    ),
    pattern=_only(r"-D(?:test|it\.test|groups|skipITs|skipTests|failIfNoTests|surefire\.failIfNoSpecifiedTests)"),
)
_PIP = Known(
    word_set(
        "--format --outdated --not-required --user --local --editable --all --files --verbose --quiet --version --path "
        "--exclude --exclude-editable --disable-pip-version-check --no-color"
    ),
    "qvloief",
    subcommands=word_set("list show freeze check"),
)
_DOTNET = Known(
    word_set(
        "--no-build --no-restore --configuration -c --filter --verbosity -v --framework -f --nologo --list-tests -t "
        "--verify-no-changes --version"
    ),
    subcommands=word_set("test build format"),
)

OPTIONS: Mapping[str, Known] = {
    **dict.fromkeys(("pytest", "py.test"), _PYTEST),
    **dict.fromkeys(("eslint",), _ESLINT),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), _SCRIPT),
    **dict.fromkeys(("gradle", "gradlew"), _GRADLE),
    **dict.fromkeys(("mvn", "mvnw"), _MAVEN),
    "ruff": _RUFF,
    "mypy": _MYPY,
    "unittest": _UNITTEST,
    "doctest": Known(frozenset(), "vf"),
    "manage.py": Known(
        word_set("--verbosity --failfast --parallel --keepdb --deploy --tag --exclude-tag --settings --fail-level"),
        "",
        "vk",
        subcommands=word_set("test check"),
    ),
    "jest": _JEST,
    "vitest": _VITEST,
    "cargo": _CARGO,
    "go": _GO,
    "make": _MAKE,
    "just": Known(word_set("--list --quiet --verbose -q -v -l --summary --dry-run -n")),
    "rake": Known(word_set("--quiet --silent --trace -q -s -t --dry-run -n")),
    "pip": _PIP,
    "dotnet": _DOTNET,
    "tox": Known(word_set("--parallel --quiet --verbose"), "qvpr", "e"),
    "nox": Known(word_set("--sessions --session --no-venv --stop-on-first-error --verbose --list"), "vxRrl", "s"),
    "pyright": (
        _pyright := Known(
            word_set(
                "--outputjson --level --project -p --pythonversion --pythonplatform --warnings --stats --verbose "
                "--skipunannotated --version --dependencies"
            )
        )
    ),
    "basedpyright": _pyright,
    "flake8": Known(
        word_set(
            "--select --ignore --extend-ignore --extend-select --max-line-length --max-complexity --count --statistics "
            "--show-source --exclude --format --per-file-ignores --exit-zero --quiet --verbose --version --isolated"
        ),
        "qv",
        "j",
    ),
    "pylint": Known(
        word_set(
            "--disable --enable --rcfile --errors-only --output-format --score --reports --jobs --recursive --ignore "
            "--max-line-length --version --fail-under --ignore-patterns --ignore-paths"
        ),
        "Ev",
        "rsjde",
        values={"--output-format": _only(r"[\w-]+")},
    ),
    **dict.fromkeys(
        ("pycodestyle", "pydocstyle"), Known(word_set("--max-line-length --ignore --select --count --statistics"))
    ),
    "bandit": Known(
        word_set("-r -q -l -ll -lll -i -ii -iii -s -t -x -f -n -v --quiet --severity-level --confidence-level")
    ),
    "vulture": Known(word_set("--min-confidence --exclude --ignore-names --sort-by-size")),
    "yamllint": Known(word_set("-s -d -f --strict --format --no-warnings")),
    "shellcheck": Known(
        word_set("-x -s -e -f -S -i -o -a --severity --shell --exclude --format --external-sources --color")
    ),
    "lint-imports": Known(word_set("--config --contract --verbose --no-cache --show-timings --debug")),
    "stylelint": Known(word_set("--formatter -f --quiet --max-warnings --allow-empty-input --no-color")),
    "tsc": Known(
        word_set(
            "--noEmit -p --project --pretty --skipLibCheck --strict --noUnusedLocals --noUnusedParameters --target "
            "--module --moduleResolution --jsx --lib --esModuleInterop --allowJs --checkJs --listFiles --version "
            "--noImplicitAny --strictNullChecks --resolveJsonModule --showConfig --noErrorTruncation"
        ),
        needed=word_set("--noEmit --version"),
        values={"--noEmit": _only("true|[^=]*[/.].*|-.*|")},
    ),
    "black": Known(
        word_set(
            "--check --diff -q --quiet -v --verbose --line-length -l -t --target-version --exclude --extend-exclude "
            "--include --force-exclude --skip-string-normalization -S --preview --fast --safe --color --no-color "
            "--version"
        ),
        needed=word_set("--check --diff --version"),
    ),
    "isort": Known(
        word_set(
            "--check --check-only -c --diff --profile --quiet -q --line-length -l --skip --skip-glob --version --color"
        ),
        needed=word_set("--check --check-only --diff -c --version"),
    ),
    "prettier": Known(
        word_set(
            "--check -c --list-different -l --ignore-path --config --no-config --log-level --ignore-unknown -u "
            "--version"
        ),
        needed=word_set("--check -c --list-different -l --version"),
    ),
    "gofmt": Known(word_set("-l -d -s -e"), needed=word_set("-l -d")),
    "rustfmt": Known(word_set("--check --edition --color -v -q --verbose --quiet"), needed=word_set("--check")),
    "mocha": Known(
        word_set("-g --grep -b --bail -t --timeout --exit --recursive --no-color --color --forbid-only -f --fgrep")
    ),
    "rspec": Known(
        word_set(
            "--format --example --tag --fail-fast --no-color --color --seed --order --profile --no-profile --dry-run "
            "-e -t"
        ),
        "",
        "f",
        values={"--format": _only("[a-z]+"), "-f": _only("[a-z]+")},
    ),
    "playwright": Known(
        word_set("--grep -g --project --reporter --workers -j --retries --max-failures -x --list --timeout --version"),
        values={"--reporter": _only("list|line|dot|json|github|null")},
        subcommands=word_set("test"),
    ),
    "phpunit": Known(
        word_set(
            "--filter --testsuite --group --exclude-group --no-coverage --stop-on-failure --testdox --verbose --colors"
        )
    ),
    "phpstan": Known(
        word_set("--level -l --no-progress --memory-limit --error-format -v --no-ansi --debug"),
        subcommands=word_set("analyse analyze"),
    ),
    "rubocop": Known(
        word_set(
            "--only --except --format --display-cop-names --parallel --no-parallel --fail-level --no-color --lint -l -P"
        ),
        "",
        "f",
        values={"--format": _only("[a-z]+"), "-f": _only("[a-z]+")},
    ),
    "ctest": Known(
        word_set(
            "--output-on-failure --test-dir --rerun-failed --parallel --stop-on-failure --verbose --progress --timeout "
            "--no-tests --repeat --quiet --schedule-random --version -VV"
        ),
        "VNQ",
        "RELjC",
    ),
    "golangci-lint": Known(
        word_set("--timeout --new-from-rev --enable --disable --verbose -v --no-config --fast --tests --build-tags"),
        subcommands=word_set("run"),
    ),
    "staticcheck": Known(word_set("-checks -tests -tags -f")),
    "biome": Known(
        word_set("--max-diagnostics --diagnostic-level --colors --verbose"), subcommands=word_set("check lint ci")
    ),
    "json.tool": Known(
        word_set("--sort-keys --indent --compact --no-ensure-ascii --json-lines --tab --no-indent"), named=1
    ),
    "rg": Known(
        word_set(
            "--glob --iglob --type --type-not --type-list --files --files-with-matches --files-without-match --hidden "
            "--no-ignore --no-ignore-vcs --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp "
            "--line-regexp --line-number --no-line-number --no-filename --with-filename --no-heading --heading --color "
            "--colors --count --count-matches --max-count --max-depth --context --after-context --before-context "
            "--multiline --multiline-dotall --only-matching --invert-match --regexp --json --pcre2 --sort --sortr "
            "--stats --column --vimgrep --trim --null --passthru --quiet --text --follow --debug --version --replace "
            "--max-columns --no-messages --max-filesize --unrestricted"
        ),
        "iSsFwxnNcloqvHIUPpauLh0.",
        "gtTmdCABerMjf",
    ),
    "sort": Known(
        word_set(
            "--reverse --numeric-sort --unique --key --field-separator --human-numeric-sort --version-sort --stable "
            "--general-numeric-sort --ignore-case --zero-terminated --check --month-sort --random-sort "
            "--dictionary-order --ignore-leading-blanks --merge"
        ),
        "rnufbdgiMhRVszcCm",
        "kt",
    ),
    "tree": Known(
        word_set(
            "--dirsfirst --noreport --gitignore --prune --filelimit --du --si --sort --matchdirs --charset --version"
        ),
        "adflxshpugDFirtcvACnXJNS",
        "LIP",
    ),
    "date": Known(word_set("--utc --date --iso-8601 --rfc-3339 --rfc-email --universal --reference"), "uR", "drI"),
    "yq": Known(
        word_set("-r -e -P -o -p -j -y -c -M -C -n -N --raw-output --exit-status --prettyPrint --output-format")
    ),
    "uniq": Known(
        word_set("--count --repeated --unique --ignore-case --all-repeated --skip-fields --skip-chars --check-chars"),
        "cdiuDz",
        "fsw",
    ),
    "xxd": Known(flags="bpEeuidC", valued="lscgo"),
    "report": Known(
        word_set(
            "--show-missing --skip-covered --skip-empty --fail-under --include --omit --precision --sort --format"
        ),
        "mi",
    ),
    "run": Known(word_set("--branch --append --parallel-mode --source --include --omit --timid --concurrency"), "ap"),
}
READERS = word_set("rg sort tree date yq uniq xxd json.tool")
