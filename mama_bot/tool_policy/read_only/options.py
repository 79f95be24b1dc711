"""The options with which a program only looks; an option that is not listed here is refused."""

from collections.abc import Mapping

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import Pattern, compiled
from mama_bot.tool_policy.read_only.known import Known, known


def _only(expression: str) -> Pattern:
    return compiled(expression, ignore_case=False)


_PYTEST = known(
    "--tb --lf --last-failed --ff --failed-first --nf --sw --stepwise --maxfail --co --collect-only --durations "
    "--durations-min --no-header --no-summary --strict-markers --strict-config --disable-warnings --capture --color "
    "--showlocals --timeout --asyncio-mode --import-mode --doctest-modules --ignore --ignore-glob --deselect --cov "
    "--no-cov --cov-branch --cov-fail-under --cov-report --quiet --verbose --exitfirst --version --markers --fixtures "
    "--numprocesses --dist --reruns --runxfail --setup-show --hypothesis-seed --hypothesis-profile "
    "--hypothesis-show-statistics --full-trace --verbosity",
    "qvxsl",
    "kmnrWp",
    values={"-p": _only(r"no:[\w.-]+"), "--cov-report": _only("term(?:-missing)?(?::skip-covered)?")},
)
_RUFF = known(
    "--select --ignore --extend-select --extend-ignore --output-format --statistics --show-files --show-settings "
    "--no-cache --diff --preview --no-preview --exclude --extend-exclude --force-exclude --target-version "
    "--line-length --quiet --verbose --silent --no-fix --exit-zero --isolated --check --version --range "
    "--respect-gitignore --exit-non-zero-on-fix --all",
    "qvnes",
    subcommands="check format rule version",
)
_MYPY = known(
    "--strict --ignore-missing-imports --no-error-summary --pretty --no-color-output --no-incremental --config-file "
    "--python-version --platform --follow-imports --exclude --namespace-packages --version --explicit-package-bases "
    "--check-untyped-defs --no-implicit-optional --strict-equality --enable-error-code --disable-error-code --package "
    "--module --verbose --implicit-reexport --no-implicit-reexport --no-namespace-packages --local-partial-types "
    "--skip-version-check --no-site-packages --error-summary",
    "v",
    "pm",
    pattern=_only(r"--(?:disallow|allow|warn|no-warn|show|hide)-[a-z-]+"),
)
_UNITTEST = known("--verbose --quiet --failfast --buffer --locals --catch --durations", "vqfbc", "kstp")
_ESLINT = known(
    "-c --config --no-config-lookup --no-eslintrc --ext --max-warnings --quiet -f --format --ignore-pattern "
    "--no-ignore --rule --no-inline-config --report-unused-disable-directives --color --no-color --version "
    "--no-error-on-unmatched-pattern --print-config --no-warn-ignored --no-cache"
)
_JEST = known(
    "-t -i -b --ci --runInBand --coverage --silent --verbose --bail --testNamePattern --testPathPattern "
    "--testPathPatterns --watchAll --watch --no-cache --passWithNoTests --maxWorkers -w --selectProjects --listTests "
    "--forceExit --detectOpenHandles --colors --no-colors --no-coverage --json --findRelatedTests --onlyChanged -o "
    "--version --runTestsByPath --showConfig --testTimeout --expand",
    values={name: _only("false") for name in ("--coverage", "--watch", "--watchAll")},
)
_VITEST = known(
    "--run -t --testNamePattern --coverage --coverage.enabled --reporter --bail --no-coverage --silent "
    "--passWithNoTests --project --watch --typecheck --no-color --version --maxWorkers --testTimeout --retry",
    values={
        **{name: _only("false") for name in ("--coverage", "--coverage.enabled", "--watch")},
        "--reporter": _only("default|verbose|dot|basic|tap|tap-flat|json|junit|tree"),
    },
    subcommands="run list related",
)
_CARGO = known(
    "--workspace --all --all-targets --all-features --no-default-features --features --lib --bins --bin --tests --test "
    "--benches --examples --example --doc --no-run --no-fail-fast --release --profile --locked --offline --frozen "
    "--quiet --verbose --message-format --check --exclude --package --no-deps --nocapture --exact --ignored "
    "--include-ignored --test-threads --list --depth --color --manifest-path --show-output --skip --format-version "
    "--version --edges --invert --duplicates --target",
    "qv",
    "pFjDWA",
    subcommands="test check build clippy nextest tree metadata fmt",
)
_GO = known(
    "-run -race -count -v -short -timeout -cover -covermode -coverpkg -bench -benchmem -benchtime -failfast -json "
    "-list -tags -parallel -p -cpu -shuffle -skip -m -f -deps -test -e -x -a -all",
    subcommands="test vet list version",
)
_SCRIPT = known(
    "--silent --if-present --workspaces --workspace --include-workspace-root --recursive --filter --max-warnings "
    "--coverage --run --ci --watch --watchAll --verbose --quiet --reporter --bail --runInBand -t --grep "
    "--testNamePattern --testPathPattern --passWithNoTests --noEmit --check --no-fix --no-coverage --color --no-color "
    "--test-name-pattern -q -v -s -r -k -m -l -c",
    values={
        **{name: _only("false") for name in ("--coverage", "--watch", "--watchAll")},
        "--reporter": _only(r"[\w-]+"),
    },
)
_MAKE = known(
    "--silent --quiet --keep-going --no-print-directory --always-make --dry-run --question --jobs",
    "sknBiwq",
    "jO",
)
_GRADLE = known(
    "--tests --info --debug --stacktrace --quiet -q --no-daemon --daemon --console --continue --offline --parallel "
    "--max-workers --rerun-tasks --build-cache --no-build-cache --warning-mode -i -s -S --full-stacktrace --dry-run "
    "--rerun --no-parallel"
)
_MAVEN = known(
    "-q --quiet -B --batch-mode -o --offline -e --errors -X --debug -ntp --no-transfer-progress -fae -ff -T -pl "
    "--projects -am --also-make -V --show-version --version -nsu",
    pattern=_only(r"-D(?:test|it\.test|groups|skipITs|skipTests|failIfNoTests|surefire\.failIfNoSpecifiedTests)"),
)
_PIP = known(
    "--format --outdated --not-required --user --local --editable --all --files --verbose --quiet --version --path "
    "--exclude --exclude-editable --disable-pip-version-check --no-color",
    "qvloief",
    subcommands="list show freeze check",
)
_DOTNET = known(
    "--no-build --no-restore --configuration -c --filter --verbosity -v --framework -f --nologo --list-tests -t "
    "--verify-no-changes --version",
    subcommands="test build format",
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
    "doctest": known("", "vf"),
    "manage.py": known(
        "--verbosity --failfast --parallel --keepdb --deploy --tag --exclude-tag --settings --fail-level",
        "",
        "vk",
        subcommands="test check",
    ),
    "jest": _JEST,
    "vitest": _VITEST,
    "cargo": _CARGO,
    "go": _GO,
    "make": _MAKE,
    "just": known("--list --quiet --verbose -q -v -l --summary --dry-run -n"),
    "rake": known("--quiet --silent --trace -q -s -t --dry-run -n"),
    "pip": _PIP,
    "dotnet": _DOTNET,
    "tox": known("--parallel --quiet --verbose", "qvpr", "e"),
    "nox": known("--sessions --session --no-venv --stop-on-first-error --verbose --list", "vxRrl", "s"),
    "pyright": (
        _pyright := known(
            "--outputjson --level --project -p --pythonversion --pythonplatform --warnings --stats --verbose "
            "--skipunannotated --version --dependencies"
        )
    ),
    "basedpyright": _pyright,
    "flake8": known(
        "--select --ignore --extend-ignore --extend-select --max-line-length --max-complexity --count --statistics "
        "--show-source --exclude --format --per-file-ignores --exit-zero --quiet --verbose --version --isolated",
        "qv",
        "j",
    ),
    "pylint": known(
        "--disable --enable --rcfile --errors-only --output-format --score --reports --jobs --recursive --ignore "
        "--max-line-length --version --fail-under --ignore-patterns --ignore-paths",
        "Ev",
        "rsjde",
        values={"--output-format": _only(r"[\w-]+")},
    ),
    **dict.fromkeys(("pycodestyle", "pydocstyle"), known("--max-line-length --ignore --select --count --statistics")),
    "bandit": known("-r -q -l -ll -lll -i -ii -iii -s -t -x -f -n -v --quiet --severity-level --confidence-level"),
    "vulture": known("--min-confidence --exclude --ignore-names --sort-by-size"),
    "yamllint": known("-s -d -f --strict --format --no-warnings"),
    "shellcheck": known("-x -s -e -f -S -i -o -a --severity --shell --exclude --format --external-sources --color"),
    "lint-imports": known("--config --contract --verbose --no-cache --show-timings --debug"),
    "stylelint": known("--formatter -f --quiet --max-warnings --allow-empty-input --no-color"),
    "tsc": known(
        "--noEmit -p --project --pretty --skipLibCheck --strict --noUnusedLocals --noUnusedParameters --target "
        "--module --moduleResolution --jsx --lib --esModuleInterop --allowJs --checkJs --listFiles --version "
        "--noImplicitAny --strictNullChecks --resolveJsonModule --showConfig --noErrorTruncation",
        needed="--noEmit --version",
        values={"--noEmit": _only("true|[^=]*[/.].*|-.*|")},
    ),
    "black": known(
        "--check --diff -q --quiet -v --verbose --line-length -l -t --target-version --exclude --extend-exclude "
        "--include --force-exclude --skip-string-normalization -S --preview --fast --safe --color --no-color --version",
        needed="--check --diff --version",
    ),
    "isort": known(
        "--check --check-only -c --diff --profile --quiet -q --line-length -l --skip --skip-glob --version --color",
        needed="--check --check-only --diff -c --version",
    ),
    "prettier": known(
        "--check -c --list-different -l --ignore-path --config --no-config --log-level --ignore-unknown -u --version",
        needed="--check -c --list-different -l --version",
    ),
    "gofmt": known("-l -d -s -e", needed="-l -d"),
    "rustfmt": known("--check --edition --color -v -q --verbose --quiet", needed="--check"),
    "mocha": known("-g --grep -b --bail -t --timeout --exit --recursive --no-color --color --forbid-only -f --fgrep"),
    "rspec": known(
        "--format --example --tag --fail-fast --no-color --color --seed --order --profile --no-profile --dry-run -e -t",
        "",
        "f",
        values={"--format": _only("[a-z]+"), "-f": _only("[a-z]+")},
    ),
    "playwright": known(
        "--grep -g --project --reporter --workers -j --retries --max-failures -x --list --timeout --version",
        values={"--reporter": _only("list|line|dot|json|github|null")},
        subcommands="test",
    ),
    "phpunit": known(
        "--filter --testsuite --group --exclude-group --no-coverage --stop-on-failure --testdox --verbose --colors"
    ),
    "phpstan": known(
        "--level -l --no-progress --memory-limit --error-format -v --no-ansi --debug",
        subcommands="analyse analyze",
    ),
    "rubocop": known(
        "--only --except --format --display-cop-names --parallel --no-parallel --fail-level --no-color --lint -l -P",
        "",
        "f",
        values={"--format": _only("[a-z]+"), "-f": _only("[a-z]+")},
    ),
    "ctest": known(
        "--output-on-failure --test-dir --rerun-failed --parallel --stop-on-failure --verbose --progress --timeout "
        "--no-tests --repeat --quiet --schedule-random --version -VV",
        "VNQ",
        "RELjC",
    ),
    "golangci-lint": known(
        "--timeout --new-from-rev --enable --disable --verbose -v --no-config --fast --tests --build-tags",
        subcommands="run",
    ),
    "staticcheck": known("-checks -tests -tags -f"),
    "biome": known("--max-diagnostics --diagnostic-level --colors --verbose", subcommands="check lint ci"),
    "json.tool": known("--sort-keys --indent --compact --no-ensure-ascii --json-lines --tab --no-indent", named=1),
    "rg": known(
        "--glob --iglob --type --type-not --type-list --files --files-with-matches --files-without-match --hidden "
        "--no-ignore --no-ignore-vcs --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp "
        "--line-regexp --line-number --no-line-number --no-filename --with-filename --no-heading --heading --color "
        "--colors --count --count-matches --max-count --max-depth --context --after-context --before-context "
        "--multiline --multiline-dotall --only-matching --invert-match --regexp --json --pcre2 --sort --sortr --stats "
        "--column --vimgrep --trim --null --passthru --quiet --text --follow --debug --version --replace --max-columns "
        "--no-messages --max-filesize --unrestricted",
        "iSsFwxnNcloqvHIUPpauLh0.",
        "gtTmdCABerMjf",
    ),
    "sort": known(
        "--reverse --numeric-sort --unique --key --field-separator --human-numeric-sort --version-sort --stable "
        "--general-numeric-sort --ignore-case --zero-terminated --check --month-sort --random-sort --dictionary-order "
        "--ignore-leading-blanks --merge",
        "rnufbdgiMhRVszcCm",
        "kt",
    ),
    "tree": known(
        "--dirsfirst --noreport --gitignore --prune --filelimit --du --si --sort --matchdirs --charset --version",
        "adflxshpugDFirtcvACnXJNS",
        "LIP",
    ),
    "date": known("--utc --date --iso-8601 --rfc-3339 --rfc-email --universal --reference", "uR", "drI"),
    "yq": known("-r -e -P -o -p -j -y -c -M -C -n -N --raw-output --exit-status --prettyPrint --output-format"),
    "uniq": known(
        "--count --repeated --unique --ignore-case --all-repeated --skip-fields --skip-chars --check-chars",
        "cdiuDz",
        "fsw",
    ),
    "xxd": known(flags="bpEeuidC", valued="lscgo"),
    "report": known(
        "--show-missing --skip-covered --skip-empty --fail-under --include --omit --precision --sort --format",
        "mi",
    ),
    "run": known("--branch --append --parallel-mode --source --include --omit --timid --concurrency", "ap"),
}
READERS = word_set("rg sort tree date yq uniq xxd json.tool")
