"""What a shell makes of a word before it runs anything: variables, braces, the home directory."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

MOST_WORDS = 64
LONGEST_WORD = 20_000
TEMPORARY = "/tmp"  # noqa: S108 - a name for it: nothing is looked up
HERE = frozenset({"pwd", "pwd -P", "git rev-parse --show-toplevel"})
# What people write for a program of a kind; which of them it is decides nothing.
PROGRAMS = {
    "PYTHON": "python",
    "SHELL": "bash",
    "EDITOR": "vi",
    "PAGER": "less",
    "CC": "cc",
    "CXX": "c++",
    "MAKE": "make",
}
KNOWN = {"HOME": "~", "TMPDIR": TEMPORARY, "TMP": TEMPORARY, "IFS": " ", "RANDOM": "1"}
BLANK = " \t\n"
CUTS = {"%%": str.removesuffix, "%": str.removesuffix, "##": str.removeprefix, "#": str.removeprefix}


def expanded_word(word: str, variables: Mapping[str, Sequence[str]], directory: str) -> list[str]:
    """Return the words that one word becomes; what nobody can tell stays as it is written, with its `$`."""
    words: list[str] = []
    for variant in _braced(word):
        for value in _alternatives(variant, variables, directory):
            # Where a variable stands alone, or puts blanks between words, the shell splits it.
            split = value.split() if value != variant and any(blank in value for blank in BLANK) else [value]
            words.extend(split)
    return words[:MOST_WORDS]


def substitutions(word: str) -> Iterator[str]:
    """Yield the commands that a word runs: of `$( )`, backquotes, `<( )` and `>( )`."""
    at = 0
    while at < len(word):
        if word.startswith("$((", at):
            at += 3
        elif word.startswith(("$(", "<(", ">("), at):
            end = _closing(word, at + 2)
            yield word[at + 2 : end]
            at = end + 1
        elif word[at] == "`":
            end = word.find("`", at + 1)
            end = len(word) if end < 0 else end
            yield word[at + 1 : end].replace("\\`", "`")
            at = end + 1
        else:
            at += 1
    if word.endswith(")") and not word.startswith(("$", "<", ">")) and "(" not in word:
        yield word[:-1]  # what the tokens leave of `<( )`


def _alternatives(word: str, variables: Mapping[str, Sequence[str]], directory: str) -> list[str]:
    pieces: list[Sequence[str]] = []
    at = 0
    while at < len(word):
        if word[at] in "$`":
            values, at = _dollar(word, at, variables, directory)
            pieces.append(values)
            continue
        end = at
        while end < len(word) and word[end] not in "$`":
            end += 1
        pieces.append((word[at:end],))
        at = end
    if sum(max(map(len, values), default=0) for values in pieces) > LONGEST_WORD:
        return [word]  # variables of variables, each twice the one before
    choices = itertools.islice(itertools.product(*pieces), MOST_WORDS)
    return ["".join(choice) for choice in choices]


def _dollar(word: str, at: int, variables: Mapping[str, Sequence[str]], directory: str) -> tuple[Sequence[str], int]:
    """Return what stands for a variable or a substitution, and where the word goes on."""
    if word[at] == "`" or word.startswith("$(", at):
        tick = word[at] == "`"
        end = (word.find("`", at + 1) if tick else _closing(word, at + 2)) % (len(word) + 1)
        inner = word[at + (1 if tick else 2) : end].strip()
        return _output(inner, directory, word[at : end + 1]), end + 1
    if word.startswith("${", at):
        end = word.find("}", at)
        end = len(word) if end < 0 else end
        return _braced_variable(word[at + 2 : end], variables, directory), end + 1
    end = at + 1
    while end < len(word) and (word[end].isalnum() or word[end] == "_"):
        end += 1
    if end == at + 1:
        special = word[at : at + 2]
        return variables.get(special[1:], (special,)), at + 2
    return _variable(word[at + 1 : end], variables, directory) or (word[at:end],), end


def _output(command: str, directory: str, written: str) -> Sequence[str]:
    if command in HERE:
        return (directory,)
    first, _, rest = command.partition(" ")
    if first == "mktemp" and "-p" not in rest and "--tmpdir=" not in rest:
        return (f"{TEMPORARY}/made",)
    if (first in {"which", "type"} or command.startswith("command -v ")) and command.rpartition(" ")[2].isalnum():
        return (command.rpartition(" ")[2],)
    if first in {"echo", "printf"} and rest and not any(mark in rest for mark in "$`|;&<>\\%"):
        return (rest.strip().strip("'\""),)
    return (written,)


def _braced_variable(inner: str, variables: Mapping[str, Sequence[str]], directory: str) -> Sequence[str]:
    for mark, cut in CUTS.items():
        name, marked, end = inner.partition(mark)
        values = _variable(name, variables, directory) if marked and not any(sign in end for sign in "*?[$") else None
        if values is not None:
            return [cut(value, end) for value in values]
    for mark in (":-", ":=", "-", "=", ":?", "?"):
        name, marked, default = inner.partition(mark)
        if marked and name.replace("_", "a").isalnum():
            values = _variable(name, variables, directory)
            if values is None and mark.strip(":") in {"-", "="} and "$" not in default:
                return (default,)
            return values or (f"${{{inner}}}",)
    return _variable(inner, variables, directory) or (f"${{{inner}}}",)


def _variable(name: str, variables: Mapping[str, Sequence[str]], directory: str) -> Sequence[str] | None:
    if name in variables:
        return variables[name]
    known = {
        "HOME": "~",
        "PWD": directory,
        "TMPDIR": TEMPORARY,
        "TMP": TEMPORARY,
        "IFS": " ",
        "RANDOM": "1",
        **PROGRAMS,
    }
    return (known[name],) if name in known else None


def _closing(word: str, at: int) -> int:
    depth = 1
    while at < len(word):
        depth += {"(": 1, ")": -1}.get(word[at], 0)
        if depth == 0:
            return at
        at += 1
    return len(word)


def _braced(word: str, depth: int = 0) -> list[str]:
    """Return the words of `a{b,c}`; a word without a comma between braces is one."""
    start = word.find("{")
    while start >= 0 and word[start - 1 : start] == "$":
        start = word.find("{", start + 1)
    end = _end_of_brace(word, start) if start >= 0 else -1
    parts = _parts(word[start + 1 : end]) if end > 0 else []
    if len(parts) < 2 or depth > 3:
        return [word]
    return [whole for part in parts for whole in _braced(f"{word[:start]}{part}{word[end + 1 :]}", depth + 1)][
        :MOST_WORDS
    ]


def _end_of_brace(word: str, start: int) -> int:
    depth = 0
    for at in range(start, len(word)):
        depth += {"{": 1, "}": -1}.get(word[at], 0)
        if depth == 0:
            return at
    return -1


def _parts(inner: str) -> list[str]:
    parts, depth = [""], 0
    for character in inner:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
