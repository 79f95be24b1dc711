"""What a command prints itself beside its runs: it must never be taken for what a tool said."""

from collections.abc import Iterator, Sequence

from mama_bot.runs.output import END_CHARACTERS, Output
from mama_bot.shell.exit_states import FAILED, OK, SKIPPED, ShellStep
from mama_bot.shell.flow import READERS, Flow, joined_path
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

# They print whatever a file or their own code holds.
SPEAKERS = READERS | {"python", "node", "ruby", "perl", "php", "awk", "gawk", "sed", "jq", "xxd", "base64", "strings"}
MAX_SAID = 200
MAX_PATTERNS = 20
MAX_TEXT = 300
# `\n`, `\r` and what moves the cursor, as they are written for `echo -e` and `printf`, and as they are.
BREAKING = compiled(r"\\[nr]|(?:\\(?:033|e|x1b|u001b)|\x1b)\[[0-9;?]*[A-Za-z]|\r")
VARIABLE = compiled(r"\$\{[^}]*\}|\$\([^)]*\)?|\$\w+|\$[?#@*!$]|`[^`]*`|%[-+0-9.]*[a-z]", ignore_case=False)


class OwnLines:
    """The lines that `echo`, `printf` and here-documents of a command print, with anything for what they fill in."""

    def __init__(self, steps: Sequence[ShellStep]) -> None:
        lines = {line for _, line in zip(range(MAX_SAID), _lines(steps), strict=False)}
        filled = [shape for line in lines if len(line) <= MAX_TEXT and (shape := _shape(line))]
        self._literal = frozenset(lines)
        self._filled = compiled("|".join(filled[:MAX_PATTERNS]), ignore_case=False, groups=False) if filled else None

    def holds(self, line: str) -> bool:
        """Return whether a line is the command's own."""
        text = line.strip()
        return text in self._literal or (self._filled is not None and self._filled.fullmatch(text) is not None)


def _shape(line: str) -> str:
    """Return an expression for a line with variables; "" where it has none, or nothing else."""
    pieces: list[str] = []
    at = 0
    for match in VARIABLE.finditer(line):
        pieces.append(line[at : match.start()])
        at = match.end()
    pieces.append(line[at:])
    if len(pieces) == 1 or not any(letter.isalnum() for piece in pieces for letter in piece) or "\\E" in line:
        return ""
    return ".*".join(rf"\Q{piece}\E" if piece else "" for piece in pieces)


def _lines(steps: Sequence[ShellStep]) -> Iterator[str]:
    for step in steps:
        for text in _texts(step):
            for line in BREAKING.sub("\n", text).split("\n"):
                if line.strip():
                    yield line.strip()


def _texts(step: ShellStep) -> Iterator[str]:
    name = program(step.argv[0]) if step.argv else ""
    if name in {"echo", "printf"}:
        yield " ".join(word for word in step.argv[1:] if word not in {"-e", "-n", "-en", "-ne"})
        if name == "printf":
            yield from step.argv[1:]
    elif name == "cat":
        yield from (redirect.target for redirect in step.redirects if redirect.operator == "<<")


def spoken_after(step: ShellStep, steps: Sequence[ShellStep]) -> bool:
    """Return whether anything after a run prints a file or its own words, so that a last line may not be the run's."""
    later = False
    for other in steps:
        if other is step:
            later = True
        elif later and _speaks(other) and other.pipeline != step.pipeline and not _shows(other, step):
            return True
    return False


def _speaks(step: ShellStep) -> bool:
    if not step.seen or not step.argv:
        return False
    name = program(step.argv[0])
    if name in READERS:
        files = [word for word in step.argv[1:] if not word.startswith("-") and not word.isdigit()]
        return len(files) > name.endswith(("grep", "rg")) or any(each.operator == "<" for each in step.redirects)
    # An `echo` of nothing but a variable may print anything; one that shows the run's own output is not asked here.
    return name in SPEAKERS or (name in {"echo", "printf"} and step.argv[1:2] != () and _blank(step.argv[-1]))


def _blank(word: str) -> bool:
    return "$" in word and "$?" not in word and "PIPESTATUS" not in word and not _shape(word)


def _shows(reader: ShellStep, step: ShellStep) -> bool:
    """Return whether a reader shows what the run itself left in a file."""
    logs = {redirect.target for redirect in step.redirects if redirect.writes} | {step.log}
    places = {joined_path(step.directory, log) for log in logs if log}
    if step.log.startswith("$") and any(step.log in word.replace("{", "").replace("}", "") for word in reader.argv[1:]):
        return True
    return any(joined_path(reader.directory, word) in places for word in reader.argv[1:])


def told_by_echo(flow: Flow, text: str) -> dict[int, str]:
    """Return how steps ended as the command itself printed: `echo "exit: $?"`, `|| echo failed`, `&& echo done`."""
    known: dict[int, str] = {}
    echoes = list(flow.echoed())
    optional = [place for place, step in enumerate(flow.steps) if _tells(step)]
    if not echoes and not optional:
        return known
    lines = Output(text).end
    places = {id(step): index for index, step in enumerate(flow.steps)}
    for step, echo in echoes:
        status = _printed_status(echo, lines) if echo.seen and id(step) in places else None
        if status is not None:
            known[places[id(step)]] = OK if status == 0 else FAILED
            step.cut = step.limited and status in {124, 137, 143}
    for place in optional if len(text) <= END_CHARACTERS else ():
        line = " ".join(flow.steps[place].argv[1:]).strip()
        known[place] = OK if line in {printed.strip() for printed in lines} else SKIPPED
    return known


def _tells(step: ShellStep) -> bool:
    """Return whether an `echo` may or may not have run, so that its words tell which."""
    if step.argv[:1] != ("echo",) or not step.seen or SKIPPED not in step.ends or step.repeated or step.background:
        return False
    words = step.argv[1:]
    return (
        bool(words)
        and not any(mark in word for word in words for mark in ("$", "`", "\\", "\n"))
        and words[0][:1] != "-"
    )


def _printed_status(echo: ShellStep, lines: Sequence[str]) -> int | None:
    mark = "${PIPESTATUS[0]}" if "PIPESTATUS" in echo.echoes else "$?"
    before, _, after = echo.echoes.partition(mark)
    after = after.replace("\\n", "").rstrip()
    if "$" in before or "$" in after:
        return None
    for line in reversed(lines):
        if line.startswith(before) and line.endswith(after):
            figure = line[len(before) : len(line) - len(after) if after else None].strip()
            if figure.isdecimal() and len(figure) <= 3:
                return int(figure)
    return None
