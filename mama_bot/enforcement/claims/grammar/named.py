"""What a text names between its words: files, commands, inline code; each replaced by signs of the same length."""

from dataclasses import dataclass

from mama_bot.enforcement.claims.grammar.vocabulary import Term, vocabulary
from mama_bot.text.paths import file_names
from mama_bot.text.patterns import compiled

FILE, COMMAND, CODE, TEST_FILE = "\ue001", "\ue002", "\ue003", "\ue004"
SIGN_OF = {
    Term.TOOL_TESTS: "\ue011",
    Term.TOOL_BUILD: "\ue012",
    Term.TOOL_TYPES: "\ue013",
    Term.TOOL_LINT: "\ue014",
    Term.TOOL_FORMAT: "\ue015",
}
TOOL_OF = {sign: term for term, sign in SIGN_OF.items()}
# A formatter's name may begin with a linter's, so it is looked for first.
TOOL_ORDER = (Term.TOOL_FORMAT, Term.TOOL_TYPES, Term.TOOL_LINT, Term.TOOL_TESTS, Term.TOOL_BUILD)
SPAN = compiled(r"``([^`\n]+)``|`([^`\n]+)`")
PATH = compiled(
    r"(?:[A-Za-z0-9_.@~-]+/)+[A-Za-z0-9_.@*\[\]-]*|\b[A-Za-z0-9_][A-Za-z0-9_@+.-]*\.[A-Za-z][A-Za-z0-9]{0,9}\b|"
    r"\b(?-i:Makefile|Dockerfile|Jenkinsfile|Procfile|README|CHANGELOG|LICENSE)\b"
)
COMMAND_HEAD = compiled(
    r"\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\./\S+|sudo |bash|sh |zsh|python3?|uvx?|poetry|pdm|hatch|pipx?|npm|npx|pnpm|"
    r"yarn|"
    r"bun|node|deno|go |cargo|rustc|make|just|task |cmake|ctest|ninja|pytest|py\.test|tox|nox|mypy|pyright|ruff|"
    r"black|"
    r"isort|flake8|pylint|bandit|eslint|prettier|tsc|jest|vitest|mocha|git |gh |docker|kubectl|helm|terraform|"
    r"ansible|"
    r"curl|wget|grep|rg |cat |ls |head |tail |sed |awk |find |diff |wc |gradle|\./gradlew|mvn|\./mvnw|dotnet|bundle|"
    r"rspec|rails|rake|mix|php|composer|phpunit|java|javac|gcc|g\+\+|clang|psql|sqlite3|mysql|redis-cli|alembic|"
    r"flyway|"
    r"hyperfine|wrk|k6|ab |locust|vegeta|perf |time |timeout |cd |pre-commit|swift|xcodebuild|flutter|dart|sbt|bazel|"
    r"coverage|nextest|shellcheck|hadolint|golangci-lint|staticcheck|rubocop|lint-imports|twine|vercel|fly |flyctl|"
    r"aws |gcloud|az |heroku|serverless|cdk|pulumi|\./)"
)
FIGURES = compiled(
    r"\d+ (?:tests? |of )?(?:passed|failed|passing|failing|skipped|tests?|errors?|files?)\b|\bOK\b|^\d+/\d+$|"
    r"^[0-9a-f]{7,40}(?: |$)|All checks passed|no issues found|(?:^| )\d+(?:\.\d+)? ?(?:ms|s|us|µs|MB|GB|KB|%)$|"
    r"^[a-z]+$"
)
BARE = compiled(r"^(?-i:Makefile|Dockerfile|Jenkinsfile|Procfile|README|CHANGELOG|LICENSE)$")
LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Named:
    """A file or command, where a text names it."""

    start: int
    end: int
    sign: str
    name: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with what it names replaced by signs, character for character."""

    text: str
    named: tuple[Named, ...]

    def within(self, start: int, end: int, signs: str) -> tuple[str, ...]:
        """The names of some kinds that stand in a part of the text, each once."""
        return tuple(
            dict.fromkeys(one.name for one in self.named if start <= one.start < end and one.sign in signs and one.name)
        )

    def name_at(self, start: int) -> str:
        """The name that begins at a place; "" when none does."""
        return next((one.name for one in self.named if one.start == start), "")


def marked(text: str) -> Marked:
    """A text with files, commands and inline code replaced by signs; figures and words in backticks stay."""
    found: list[Named] = []
    if "`" in text:
        for match in SPAN.finditer(text):
            inner = match.group(1) or match.group(2)
            sign, name = sign_of(inner.strip())
            if sign:
                found.append(Named(match.start(), match.end(), sign, name))
        text = replaced(text, found)
    if "/" in text or "." in text or "file" in text or "README" in text or "LOG" in text:
        bare: list[Named] = []
        for match in PATH.finditer(text):
            word = match.group().rstrip(".")
            if word.startswith(("origin/", "upstream/")):
                continue
            if len(word) > LONGEST_NAME or word.replace("/", "").isdigit() or lists_tools(word):
                continue
            names = file_names(word) or ((word,) if BARE.match(word) is not None else ())
            if names:
                sign = TEST_FILE if is_test(names[0]) else FILE
                bare.append(Named(match.start(), match.start() + len(word), sign, names[0]))
        if bare:
            text = replaced(text, bare)
            found = sorted(found + bare, key=lambda one: one.start)
    return Marked(text, tuple(found))


def sign_of(inner: str) -> tuple[str, str]:
    """What stands for a span of inline code, and its name; ("", "") for one that reads as words."""
    if FIGURES.search(inner) is not None and COMMAND_HEAD.match(inner) is None:
        return "", ""
    tool = tool_in(inner)
    if tool is not None and (COMMAND_HEAD.match(inner) is not None or inner.lower() == tool[1]):
        return SIGN_OF[tool[0]], inner
    if COMMAND_HEAD.match(inner) is not None and " " in inner:
        return COMMAND, inner
    names = file_names(f"`{inner}`") if len(inner) <= LONGEST_NAME and "(" not in inner else ()
    if names:
        return (TEST_FILE if is_test(names[0]) else FILE), names[0]
    return CODE, inner


def lists_tools(word: str) -> bool:
    """Whether a word with slashes lists tools and is no path: "pytest/mypy/ruff"."""
    return "/" in word and "." not in word and all(tool_in(one) is not None for one in word.split("/"))


def is_test(name: str) -> bool:
    """Whether a file is one of tests, by its name."""
    low = name.lower()
    return "test" in low or "spec" in low


def tool_in(command: str) -> tuple[Term, str] | None:
    """The kind and name of the tool that a command or a text names."""
    for term in TOOL_ORDER:
        match = vocabulary()[term].search(command)
        if match is not None:
            return term, " ".join(match.group().lower().split()).removeprefix("./")
    return None


def replaced(text: str, named: list[Named]) -> str:
    """A text with what was found in it replaced by its sign."""
    if not named:
        return text
    pieces: list[str] = []
    done = 0
    for one in named:
        pieces += (text[done : one.start], one.sign * (one.end - one.start))
        done = one.end
    pieces.append(text[done:])
    return "".join(pieces)
