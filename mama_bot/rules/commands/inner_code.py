"""The commands that a line of another language runs: `python -c "shutil.rmtree('/srv')"` removes what `rm -r` does."""

import ast
import shlex
from collections.abc import Iterator, Sequence

from mama_bot.rules.commands.read_programs import Program
from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

LONGEST = 20_000
REMOVES = word_set("rmtree remove unlink rmdir removedirs rm_rf rm_r rmSync rm unlinkSync rmdirSync removeSync")
READS = word_set(
    "open read read_text readTextFile readTextFileSync read_bytes readFileSync readFile readlines file_get_contents"
)
RUNS = word_set(
    "system popen run call check_call check_output Popen exec execSync execFileSync execute spawn spawnSync getoutput "
    "execv execvp execl execlp"
)
# Options whose next word is code; of perl, ruby and python several letters may stand before the last: `-lne`, `-Bc`.
CODE_OPTIONS = {
    "python": word_set("-c"),
    "perl": word_set("-e -E"),
    "ruby": word_set("-e"),
    "node": word_set("-e --eval -p --print -pe"),
    "php": word_set("-r"),
    "lua": word_set("-e"),
    "deno": word_set("eval"),
    "bun": word_set("-e --eval -p --print"),
}
BUNDLED = frozenset({"python", "perl", "ruby"})
# What follows such a letter in its word is a name: `-rtime`.
NAMING = {"python": frozenset("mWX"), "perl": frozenset("mMIxCD"), "ruby": frozenset("rIWCKxE")}
# With these an interpreter looks at code, or tells of itself, and runs nothing.
CHECKS = {
    "bash": word_set("n"),
    "sh": word_set("n"),
    "node": word_set("check c version v help h"),
    "python": word_set("V version help h"),
    "perl": word_set("c v V"),
    "ruby": word_set("c version"),
    "php": word_set("l v i"),
}
# system("rm -rf /srv"), FileUtils.rm_rf '/srv', fs.rmSync("/srv", ...), `rm -rf /srv`
CALLED = compiled(
    r"""\b([A-Za-z_]+)[ (]+\[?((?:"[^"\n]*"|'[^'\n]*')(?:\s*,\s*\[?\s*(?:"[^"\n]*"|'[^'\n]*'))*)""", ignore_case=False
)
TEXTS = compiled(r"""(?:"([^"\n]*)"|'([^'\n]*)')""", ignore_case=False)  # "rm", '-rf'
BACKQUOTED = compiled(r"(?:`([^`\n]+)`|\bqx\{([^}\n]+)\}|%x[({]([^)}\n]+)[)}])", ignore_case=False)


def given_code(program: str, words: Sequence[str]) -> str:
    """Return the code that an interpreter is given as a word; "" where it is given none."""
    options = CODE_OPTIONS.get(program, frozenset())
    for at, word in enumerate(words[1:-1], 1):
        names = NAMING.get(program, frozenset())
        letters = word[1:] if program in BUNDLED and word[:1] == "-" and word[1:2] not in names else ""
        if word in options or (letters.isalpha() and f"-{letters[-1]}" in options):
            return words[at + 1]
    return ""


def only_checks(made: Program) -> bool:
    """Return whether an interpreter or a shell only looks at what it is given: `bash -n`, `node --check`."""
    return bool(CHECKS.get(made.program, frozenset()) & set(made.options))


def commands_in(program: str, code: str) -> Iterator[Sequence[str]]:
    """Yield the commands that a text runs, and those that would do what it does, as words."""
    if len(code) > LONGEST:
        return
    if program == "python":
        yield from _in_python(code)
        return
    for match in CALLED.finditer(code):
        texts = [text.group(1) or text.group(2) or "" for text in TEXTS.finditer(match.group(2))]
        yield from _called(match.group(1), [*texts[:1], *([shlex.join(texts)] if len(texts) > 1 else [])])
    for match in BACKQUOTED.finditer(code):
        yield ("sh", "-c", match.group(1) or match.group(2) or match.group(3) or "")


def _in_python(code: str) -> Iterator[Sequence[str]]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    nodes = tuple(ast.walk(tree))
    imported = {
        alias.asname: alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        name = imported.get(name, name)
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
    elif name in RUNS:
        yield from (("sh", "-c", text) for text in given if text)


def _text(node: ast.expr) -> str | None:
    """Return a text as it stands in the code, or a list of texts as the command line that it is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        words = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        return shlex.join(words) if len(words) == len(node.elts) and words else None
    return None
