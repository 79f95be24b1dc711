"""What a command prints itself beside its runs: it must never be taken for what a tool said."""

from collections.abc import Iterator, Sequence

from mama_bot.enforcement.runs.flow import READERS, joined
from mama_bot.enforcement.runs.solving import Step
from mama_bot.enforcement.runs.wrappers import program

# They print whatever a file or their own code holds.
SPEAKERS = READERS | {"python", "node", "ruby", "perl", "php", "awk", "gawk", "sed", "jq", "xxd", "base64", "strings"}
TELLING = ("pass", "fail", "ok", "success", "error", "test", "found", "clean", "build", "finished", "checked", "main ")
MAX_SAID = 200


def said(steps: Sequence[Step]) -> frozenset[str]:
    """The lines that `echo`, `printf` and here-documents of a command print, each without space at its ends."""
    return frozenset(line for _, line in zip(range(MAX_SAID), _lines(steps), strict=False))


def _lines(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        for text in _texts(step):
            for line in text.replace("\\n", "\n").split("\n"):
                if line.strip():
                    yield line.strip()


def _texts(step: Step) -> Iterator[str]:
    name = program(step.argv[0]) if step.argv else ""
    if name in {"echo", "printf"}:
        yield " ".join(word for word in step.argv[1:] if word not in {"-e", "-n", "-en", "-ne"})
        if name == "printf":
            yield from step.argv[1:]
    elif name == "cat":
        yield from (redirect.target for redirect in step.redirects if redirect.operator == "<<")


def composes(steps: Sequence[Step]) -> bool:
    """Whether a command prints a line of its own making that could read like a tool's: `echo "$n passed in 1s"`."""
    for step in steps:
        if step.seen and step.argv and program(step.argv[0]) in {"echo", "printf"}:
            text = " ".join(step.argv[1:]).lower()
            if ("$" in text or "%" in text) and _captures(text) and any(word in text for word in TELLING):
                return True
    return False


def _captures(text: str) -> bool:
    """Whether more than an exit status is put into a text."""
    for mark in ("$?", "${pipestatus[0]}"):
        text = text.replace(mark, "")
    return "$" in text or "%" in text


def spoken_after(step: Step, steps: Sequence[Step]) -> bool:
    """Whether anything after a run prints a file or its own words, so that a last line may not be the run's."""
    later = False
    for other in steps:
        if other is step:
            later = True
        elif later and _speaks(other) and other.pipeline != step.pipeline and not _shows(other, step):
            return True
    return False


def _speaks(step: Step) -> bool:
    return step.seen and bool(step.argv) and program(step.argv[0]) in SPEAKERS


def _shows(reader: Step, step: Step) -> bool:
    """Whether a reader shows what the run itself left in a file."""
    logs = {redirect.target for redirect in step.redirects if redirect.writes} | {step.log}
    places = {joined(step.directory, log) for log in logs if log}
    return any(joined(reader.directory, word) in places for word in reader.argv[1:])
