"""The commands that a line of another language runs: `python -c "shutil.rmtree('/srv')"` removes what `rm -r` does."""

import ast
import shlex
from collections.abc import Iterator, Sequence

from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

LONGEST = 20_000
REMOVES = word_set("rmtree remove unlink rmdir removedirs rm_rf rm_r rmSync rm unlinkSync")
READS = word_set("open read_text read_bytes readFileSync readFile readlines file_get_contents")
RUNS = word_set("system popen run call check_call check_output Popen exec execSync spawn getoutput")
# system("rm -rf /srv"), FileUtils.rm_rf '/srv', fs.rmSync("/srv", ...), `rm -rf /srv`
CALLED = compiled(r"""\b([A-Za-z_]+)[ (]+(?:"([^"\n]*)"|'([^'\n]*)')""", ignore_case=False)
BACKQUOTED = compiled(r"(?:`([^`\n]+)`|\bqx\{([^}\n]+)\})", ignore_case=False)


def commands_in(program: str, code: str) -> Iterator[Sequence[str]]:
    """Yield the commands that a text runs, and those that would do what it does, as words."""
    if len(code) > LONGEST:
        return
    if program == "python":
        yield from _in_python(code)
        return
    for match in CALLED.finditer(code):
        yield from _called(match.group(1), [match.group(2) or match.group(3) or ""])
    for match in BACKQUOTED.finditer(code):
        yield ("sh", "-c", match.group(1) or match.group(2) or "")


def _in_python(code: str) -> Iterator[Sequence[str]]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        subject = node.func.value if isinstance(node.func, ast.Attribute) else None
        given = [text for argument in node.args if (text := _text(argument)) is not None]
        if not given and isinstance(subject, ast.Call):  # Path("/srv/x").unlink()
            given = [text for argument in subject.args if (text := _text(argument)) is not None]
        yield from _called(name, given)


def _called(name: str, given: Sequence[str]) -> Iterator[Sequence[str]]:
    if name in READS and given and given[0]:
        yield ("cat", given[0])
    if name in REMOVES and given and given[0]:
        yield ("rm", "-r", "-f", given[0])
    elif name in RUNS and given and given[0]:
        yield ("sh", "-c", given[0])


def _text(node: ast.expr) -> str | None:
    """Return a text as it stands in the code, or a list of texts as the command line that it is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        words = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        return shlex.join(words) if len(words) == len(node.elts) and words else None
    return None
