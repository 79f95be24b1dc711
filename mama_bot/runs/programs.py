"""The programs that are known, by name."""

from collections.abc import Sequence

from mama_bot.model import RunKind
from mama_bot.runs.recognisers import (
    CARGO_FILTERS,
    CARGO_VALUES,
    benchmark,
    cargo_test,
    cmake,
    dart,
    go_test,
    java,
    node,
    pytest,
    ruff,
    tsc,
    vercel,
)
from mama_bot.runs.scripts import (
    gradle,
    kind_of_name,
    maven,
    package_script,
    python_script,
    script,
    session_runner,
    target,
)
from mama_bot.runs.tools import Recognise, Tool, by_word, checker, deploy, publish, split_words, suite
from mama_bot.shell.wrappers import program

HELP = frozenset({"--help", "-h", "--version", "-V", "help", "--fixtures", "--markers"})


BUILD, LINT, TYPES, FORMAT = RunKind.BUILD, RunKind.LINT, RunKind.TYPES, RunKind.FORMAT


def _pull_request(argv: Sequence[str]) -> Tool | None:
    plain, _ = split_words(argv[1:], frozenset({"-t", "--subject", "-b", "--body", "-R", "--repo"}))
    return Tool(kind=RunKind.MERGE, name="gh pr merge", target=" ".join(plain))


def _package(argv: Sequence[str]) -> Tool | None:
    return package_script(argv, PROGRAMS)


def _zig_build(argv: Sequence[str]) -> Tool | None:
    """Recognise `zig build`; `zig build test` runs tests."""
    return Tool(kind=RunKind.TESTS if "test" in argv else BUILD, name="zig build", chatty=False)


DOCKER_BUILD = checker(BUILD, "docker build", "-t --tag -f --file --build-arg --target --platform --progress")


PROGRAMS: dict[str, Recognise] = {
    "pytest": pytest,
    "py.test": pytest,
    "unittest": suite("unittest", "-s -p -t --start-directory", "-k", drop="discover"),
    "tox": session_runner,
    "nox": session_runner,
    "jest": suite(
        "jest",
        "-c --config --maxWorkers -w --reporters --coverageDirectory",
        "-t --testNamePattern --testPathPattern --testPathPatterns --selectProjects",
        nothing="--listTests --showConfig",
    ),
    "vitest": suite(
        "vitest",
        "-c --config --reporter --pool --outputFile --root",
        "-t --testNamePattern --project --exclude",
        drop="run watch",
        nothing="list",
    ),
    "mocha": suite(
        "mocha",
        "-r --require -R --reporter --timeout -t --config --extension",
        "-g --grep -f --fgrep",
        nothing="--dry-run",
    ),
    "ava": suite("ava", "--timeout -T --concurrency -c", "-m --match"),
    "playwright": by_word(
        {
            "test": suite(
                "playwright",
                "-c --config --workers -j --reporter --retries --timeout",
                "-g --grep --grep-invert --project",
                nothing="--list",
            )
        }
    ),
    "cypress": by_word({"run": suite("cypress", "--browser -b --config -c", "--spec -s")}),
    "node": node,
    "go": by_word(
        {
            "test": go_test,
            "build": checker(BUILD, "go build", "-o -tags -ldflags -gcflags"),
            "install": checker(BUILD, "go build", "-tags -ldflags"),
            "vet": checker(LINT, "go vet"),
            "fmt": checker(FORMAT, "gofmt"),
        }
    ),
    "gotestsum": suite("go test"),
    "cargo": by_word(
        {
            "test": cargo_test,
            "t": cargo_test,
            "nextest": by_word({"run": suite("cargo nextest", CARGO_VALUES, CARGO_FILTERS, nothing="--no-run")}),
            "build": checker(BUILD, "cargo build", CARGO_VALUES),
            "b": checker(BUILD, "cargo build", CARGO_VALUES),
            "check": checker(TYPES, "cargo build", CARGO_VALUES),
            "c": checker(TYPES, "cargo build", CARGO_VALUES),
            "clippy": checker(LINT, "clippy", CARGO_VALUES, ends=True),
            "fmt": checker(FORMAT, "cargo fmt", dry="--check"),
            "bench": checker(RunKind.BENCHMARK, "cargo bench", CARGO_VALUES),
            "publish": publish("cargo publish"),
        }
    ),
    "gradle": gradle,
    "gradlew": gradle,
    "mvn": maven,
    "mvnw": maven,
    "dotnet": by_word(
        {
            "test": suite(
                "dotnet test",
                "-c --configuration -f --framework --logger -l -v --verbosity --settings",
                "--filter",
                nothing="--list-tests -t",
            ),
            "build": checker(BUILD, "dotnet build", "-c --configuration -f -v -o"),
            "publish": checker(BUILD, "dotnet build"),
            "format": checker(FORMAT, "dotnet format", dry="--verify-no-changes"),
            "nuget": by_word({"push": publish("dotnet nuget push")}),
        }
    ),
    "rspec": suite("rspec", "-f --format -r --require -o --seed", "-e --example -t --tag", nothing="--dry-run"),
    "rake": target,
    "phpunit": suite("phpunit", "-c --configuration --bootstrap --log-junit", "--filter --testsuite --group"),
    "pest": suite("phpunit", "", "--filter --group"),
    "ctest": suite(
        "ctest",
        "-j --parallel --test-dir -C --timeout --repeat --output-junit",
        "-R -E -L -LE -I",
        nothing="-N --show-only",
    ),
    "bats": suite(
        "bats", "-j --jobs -F --formatter -o", "-f --filter --filter-tags", nothing="-c --count", drop="test tests"
    ),
    "deno": by_word(
        {
            "test": suite("deno test", "-c --config", "--filter", nothing="--no-run"),
            "lint": checker(LINT, "deno lint"),
            "check": checker(TYPES, "deno check"),
            "fmt": checker(FORMAT, "deno fmt", dry="--check"),
            "bench": checker(RunKind.BENCHMARK, "deno bench"),
        }
    ),
    "npm": _package,
    "pnpm": _package,
    "yarn": _package,
    "bun": _package,
    "make": target,
    "gmake": target,
    "just": target,
    "task": target,
    "ninja": target,
    "invoke": target,
    "inv": target,
    "composer": target,
    "cmake": cmake,
    "python": python_script,
    "pypy3": python_script,
    "mypy": checker(TYPES, "mypy", "--config-file -p --package -m --module --python-version --cache-dir", chatty=True),
    "dmypy": checker(TYPES, "mypy", drop="run check"),
    "pyright": checker(TYPES, "pyright", "-p --project --pythonversion", chatty=True),
    "basedpyright": checker(TYPES, "pyright"),
    "pytype": checker(TYPES, "pytype"),
    "pyre": checker(TYPES, "pyre"),
    "ty": by_word({"check": checker(TYPES, "ty")}),
    "tsc": tsc,
    "vue-tsc": tsc,
    "flow": checker(TYPES, "flow", drop="check"),
    "svelte-check": checker(TYPES, "svelte-check"),
    "ruff": ruff,
    "flake8": checker(LINT, "flake8", "--config --max-line-length --select --ignore --extend-ignore"),
    "pylint": checker(LINT, "pylint", "--rcfile -j --disable --enable"),
    "eslint": checker(LINT, "eslint", "-c --config --ext --max-warnings --format -f --rule"),
    "golangci-lint": by_word({"run": checker(LINT, "golangci-lint", "-c --config --timeout")}),
    "staticcheck": checker(LINT, "staticcheck"),
    "shellcheck": checker(LINT, "shellcheck", "-s -e -f"),
    "rubocop": checker(LINT, "rubocop"),
    "stylelint": checker(LINT, "stylelint"),
    "pre-commit": by_word({"run": checker(LINT, "pre-commit")}),
    "lint-imports": checker(LINT, "lint-imports"),
    "bandit": checker(LINT, "bandit"),
    "biome": by_word(
        {
            "check": checker(LINT, "biome"),
            "lint": checker(LINT, "biome"),
            "ci": checker(LINT, "biome"),
            "format": checker(FORMAT, "biome"),
        }
    ),
    "black": checker(FORMAT, "black", "-l --line-length -t --config --exclude", dry="--check --diff"),
    "isort": checker(FORMAT, "isort", "--profile", dry="--check --check-only -c --diff"),
    "prettier": checker(FORMAT, "prettier", "--config --parser", dry="--check -c --list-different -l"),
    "gofmt": checker(FORMAT, "gofmt", dry="-l -d"),
    "rustfmt": checker(FORMAT, "cargo fmt", dry="--check"),
    "clang-format": checker(FORMAT, "clang-format", dry="--dry-run -n"),
    "vite": by_word({"build": checker(BUILD, "vite build", "--mode -m --outDir")}),
    "webpack": checker(BUILD, "webpack", "--mode --config -c", drop="build"),
    "rollup": checker(BUILD, "rollup"),
    "esbuild": checker(BUILD, "esbuild"),
    "next": by_word({"build": checker(BUILD, "next build"), "lint": checker(LINT, "next lint")}),
    "turbo": by_word({"run": target, "build": checker(BUILD, "turbo"), "test": suite("turbo")}),
    "build": checker(BUILD, "python -m build", "-o --outdir"),
    "docker": by_word(
        {
            "build": DOCKER_BUILD,
            "buildx": by_word({"build": DOCKER_BUILD}),
            "push": publish("docker push"),
            "compose": by_word({"build": DOCKER_BUILD}),
            "stack": by_word({"deploy": deploy("docker stack")}),
        }
    ),
    "gcc": checker(BUILD, "gcc", "-o -I -L -include"),
    "g++": checker(BUILD, "gcc", "-o -I -L -include"),
    "clang": checker(BUILD, "gcc", "-o -I -L -include"),
    "javac": checker(BUILD, "javac", "-d -cp"),
    "rustc": checker(BUILD, "rustc"),
    "uv": by_word({"build": checker(BUILD, "python -m build"), "publish": publish("uv publish")}),
    "poetry": by_word({"build": checker(BUILD, "python -m build"), "publish": publish("poetry publish")}),
    "hatch": by_word(
        {"build": checker(BUILD, "python -m build"), "publish": publish("hatch publish"), "test": suite("pytest")}
    ),
    "twine": by_word({"upload": publish("twine upload")}),
    "gem": by_word({"push": publish("gem push")}),
    "semantic-release": publish("semantic-release"),
    "gh": by_word(
        {
            "release": by_word({"create": publish("gh release create")}),
            "pr": by_word({"merge": _pull_request}),
        }
    ),
    "kubectl": by_word({"apply": deploy("kubectl apply"), "rollout": deploy("kubectl rollout")}),
    "helm": by_word(
        {"lint": checker(LINT, "helm lint"), "upgrade": deploy("helm upgrade"), "install": deploy("helm install")}
    ),
    "terraform": by_word(
        {
            "apply": deploy("terraform apply"),
            "validate": checker(LINT, "terraform validate"),
            "fmt": checker(FORMAT, "terraform fmt", dry="-check"),
        }
    ),
    "tofu": by_word({"apply": deploy("terraform apply")}),
    "pulumi": by_word({"up": deploy("pulumi up")}),
    "fly": by_word({"deploy": deploy("fly deploy")}),
    "flyctl": by_word({"deploy": deploy("fly deploy")}),
    "vercel": by_word({"deploy": vercel}, vercel),
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
    "hyperfine": benchmark,
    "ab": benchmark,
    "wrk": benchmark,
    "k6": benchmark,
    "asv": benchmark,
    "mix": by_word(
        {
            "test": suite("mix test"),
            "compile": checker(BUILD, "mix compile"),
            "format": checker(FORMAT, "mix format", dry="--check-formatted"),
        }
    ),
    "rails": by_word({"test": suite("rails test")}),
    "artisan": by_word({"test": suite("phpunit")}),
    "java": java,
    "dart": dart,
    "flutter": dart,
    "zig": by_word({"test": suite("zig test"), "build": _zig_build, "fmt": checker(FORMAT, "zig fmt", dry="--check")}),
    "sbt": target,
    "lein": target,
    "dune": target,
    "meson": by_word({"test": suite("meson test", "-C --suite"), "compile": checker(BUILD, "meson compile", "-C")}),
    "bazel": by_word({"test": suite("bazel test", "-c --config"), "build": checker(BUILD, "bazel build", "-c")}),
    "stack": by_word({"test": suite("stack test"), "build": checker(BUILD, "stack build")}),
    "cabal": by_word({"test": suite("cabal test"), "build": checker(BUILD, "cabal build")}),
    "crystal": by_word({"spec": suite("crystal spec"), "build": checker(BUILD, "crystal build", "-o")}),
    "gleam": by_word({"test": suite("gleam test"), "build": checker(BUILD, "gleam build")}),
    "buf": by_word({"lint": checker(LINT, "buf"), "build": checker(BUILD, "buf build")}),
    "sqlfluff": by_word({"lint": checker(LINT, "sqlfluff")}),
    "forge": by_word(
        {"test": suite("forge test", "", "--match-test --match-contract"), "build": checker(BUILD, "forge")}
    ),
    "hardhat": by_word({"test": suite("hardhat test"), "compile": checker(BUILD, "hardhat")}),
    "ng": by_word({"test": suite("ng test"), "build": checker(BUILD, "ng build"), "lint": checker(LINT, "ng lint")}),
    "react-scripts": by_word({"test": suite("jest"), "build": checker(BUILD, "react-scripts")}),
    "wasm-pack": by_word({"test": suite("wasm-pack"), "build": checker(BUILD, "wasm-pack")}),
    "mkdocs": by_word({"build": checker(BUILD, "mkdocs")}),
    "sphinx-build": checker(BUILD, "sphinx-build", "-b -d -D -j"),
    "hugo": checker(BUILD, "hugo", drop="build"),
    "astro": by_word({"build": checker(BUILD, "astro"), "check": checker(TYPES, "astro")}),
    "nuxt": by_word({"build": checker(BUILD, "nuxt")}),
    "prove": suite("prove", "-j -I"),
    "busted": suite("busted"),
    "jasmine": suite("jasmine", "--config", "--filter"),
    "karma": by_word({"start": suite("karma")}),
    "nosetests": suite("nosetests"),
    "xcodebuild": by_word({"test": suite("xcodebuild test"), "build": checker(BUILD, "xcodebuild build")}),
    "phpstan": checker(TYPES, "phpstan", "-c --configuration -l --level --memory-limit", drop="analyse analyze"),
    "psalm": checker(TYPES, "psalm"),
    "phpcs": checker(LINT, "phpcs"),
    "oxlint": checker(LINT, "oxlint"),
    "xo": checker(LINT, "xo"),
    "markdownlint": checker(LINT, "markdownlint", "-c --config"),
    "yamllint": checker(LINT, "yamllint", "-c -d -f"),
    "ansible-lint": checker(LINT, "ansible-lint"),
    "hadolint": checker(LINT, "hadolint"),
    "actionlint": checker(LINT, "actionlint"),
    "tflint": checker(LINT, "tflint"),
    "swiftlint": checker(LINT, "swiftlint"),
    "ktlint": checker(LINT, "ktlint"),
    "detekt": checker(LINT, "detekt"),
    "cppcheck": checker(LINT, "cppcheck", "--std --suppress"),
    "clang-tidy": checker(LINT, "clang-tidy", "-p"),
    "luacheck": checker(LINT, "luacheck"),
    "stylua": checker(FORMAT, "stylua", dry="--check"),
    "shfmt": checker(FORMAT, "shfmt", "-i", dry="-d -l"),
    "standardrb": checker(LINT, "standardrb"),
    "swift": by_word({"test": suite("swift test", "", "--filter"), "build": checker(BUILD, "swift build")}),
}


NONE: frozenset[str] = frozenset()
# Options with which a program only tells something.
TELLING = {
    "ruff": frozenset({"--show-files", "--show-settings", "--help"}),
    "eslint": frozenset({"--print-config", "--inspect-config", "--env-info", "--init", "--help"}),
    "tsc": frozenset({"--showConfig", "--init", "--listFilesOnly", "--help", "--all"}),
    "npm": frozenset({"--help"}),
    "pnpm": frozenset({"--help"}),
    "yarn": frozenset({"--help"}),
    "phpunit": frozenset({"--list-tests", "--list-suites", "--list-groups", "--list-tests-xml"}),
    "pest": frozenset({"--list-tests"}),
    "tox": frozenset({"--notest", "-a", "--listenvs", "--listenvs-all", "--showconfig", "list", "devenv", "config"}),
}


def recognise(argv: Sequence[str]) -> Tool | None:
    """Return the tool that a program is, without its wrappers; None for what no claim could be about."""
    if not argv or (any(word in HELP for word in argv[1:3]) and "-h" not in argv[0]):
        return None
    name = program(argv[0])
    if any(word in TELLING.get(name, NONE) for word in argv[1 : argv.index("--") if "--" in argv else None]):
        return None
    recogniser = PROGRAMS.get(name)
    if recogniser is not None:
        return recogniser(argv)
    if "/" in argv[0] or name.endswith((".sh", ".py")):
        return script(kind_of_name(name.rpartition(".")[0] or name), name, argv[1:])
    return None
