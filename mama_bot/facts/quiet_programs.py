"""Programs beside a run that only look, or file what they name: which words they may be given so that this holds.

A file that git ignores shows in no look at the work tree: of what writes by an option, words alone tell.
"""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.facts.command_lines import LOOKERS
from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

# What lies here is nobody's source: it is installed, built, or settings of a tool.
FOREIGN = word_set("node_modules vendor venv env site-packages third_party target build dist out bin")
MADE_BY_SHELL = frozenset("*?[]{}~$`")  # the shell makes other names of such words
SAFE_LOOKERS = LOOKERS - {"file"}
HARMLESS = word_set("pgrep ps free uptime base64 bc lsof")
FILING_FLAGS = frozenset("rRafpvniuL")
CURL_FLAGS = frozenset("sSfLIikvgGN046")
CURL_VALUES = frozenset("XHdmuAow")
CURL_WORDS = word_set(
    "--silent --show-error --fail --location --head --include --insecure --verbose --compressed --get --max-time "
    "--connect-timeout --header --data --request --url --json --retry --user --user-agent --noproxy"
)
# One command of sed that prints, deletes or replaces: no `w` and no `e`, which write and run.
_ADDRESS = r"(?:\d+|\$|/[^/;]*/)"
SED_COMMAND = compiled(
    rf"\s*(?:{_ADDRESS}(?:,\s*(?:{_ADDRESS}|\+\d+))?)?\s*!?(?:[pdq=]|s(?:/[^/;\n]*/[^/;\n]*/|\|[^|;\n]*\|[^|;\n]*\||#[^#;\n]*#[^#;\n]*#"
    r"|,[^,;\n]*,[^,;\n]*,)[gGpIi0-9]*)\s*",
    ignore_case=False,
)
SED_FLAGS = frozenset("nErsiz")
SED_WORDS = word_set("--quiet --silent --regexp-extended --separate --null-data --posix")
SCRATCH = ("/tmp/", "/var/tmp/")  # noqa: S108 - nothing is written here


def only_looks_by(name: str, words: Sequence[str]) -> bool:
    """Return whether a program writes and runs nothing, with these words behind its name."""
    if name in SAFE_LOOKERS or name in HARMLESS:
        return True
    decide = CAREFUL.get(name)
    return decide is not None and not any(map(is_made_by_shell, words)) and decide(words)


def only_files(name: str, words: Sequence[str]) -> bool:
    """Return whether a program changes no contents but of what it names among one's own sources."""
    if name not in {"mkdir", "rmdir", "touch", "cp", "mv", "rm"}:
        return False
    for word in words:
        if word.startswith("-") and word not in {"--", "--parents"} and not FILING_FLAGS.issuperset(word[1:]):
            return False
        if name not in {"mkdir", "rmdir"} and not word.startswith("-") and not is_own_place(word):
            return False
    return True


def is_own_place(word: str) -> bool:
    """Return whether a path is told as it is, and not among what is installed, built, or a tool's settings.

    Of paths from the root of the file system, those of scratch files alone.
    """
    if MADE_BY_SHELL.intersection(word) or (word.startswith("/") and not word.startswith(SCRATCH)):
        return False
    parts = [part for part in word.lower().split("/") if part != "."]
    return not any(part in FOREIGN or part.startswith(".") for part in parts)


def is_made_by_shell(word: str) -> bool:
    """Return whether braces make several words of one, so that an option may be among them."""
    return "{" in word and ("," in word or ".." in word)


def _sort(words: Sequence[str]) -> bool:
    return not any(word.startswith(("--o", "--c")) or (_is_cluster(word) and "o" in word) for word in words)


def _uniq(words: Sequence[str]) -> bool:
    return sum(not word.startswith("-") for word in words) < 2  # the second is written


def _sed(words: Sequence[str]) -> bool:
    scripts: list[str] = []
    files: list[str] = []
    at, expected, in_place = 0, True, False
    while at < len(words):
        word = words[at]
        if word in {"-e", "--expression"} or (_is_cluster(word) and word.endswith("e") and word[1:-1] in {"n", "i"}):
            scripts += words[at + 1 : at + 2]
            at, expected, in_place = at + 2, False, in_place or "i" in word[1:-1]
            continue
        if _is_cluster(word):
            if not SED_FLAGS.issuperset(word[1:]):
                return False
            in_place = in_place or "i" in word
        elif word.startswith("--"):  # wherever it stands, it may be `--in-place`
            if word not in SED_WORDS:
                return False
        elif expected:
            scripts.append(word)
            expected = False
        else:
            files.append(word)
        at += 1
    if in_place and not all(map(is_own_place, files)):
        return False
    return all(SED_COMMAND.fullmatch(part) is not None for script in scripts for part in script.split(";"))


def _curl(words: Sequence[str]) -> bool:
    at = 0
    while at < len(words):
        word, value = words[at], "".join(words[at + 1 : at + 2])
        if word.startswith("--"):
            if word.partition("=")[0] not in CURL_WORDS:
                return False
        elif _is_cluster(word):
            flags, last = word[1:-1], word[-1]
            if not CURL_FLAGS.issuperset(flags) or last not in CURL_FLAGS | CURL_VALUES:
                return False
            if (last == "o" and value != "/dev/null") or (last == "w" and ("output" in value or value.startswith("@"))):
                return False
            at += last in CURL_VALUES
        at += 1
    return True


def _no_words_like(*beginnings: str, letters: str = "") -> Callable[[Sequence[str]], bool]:
    """Return what refuses words that begin so, and clusters of letters with one of `letters`."""

    def holds(words: Sequence[str]) -> bool:
        return not any(
            word.startswith(beginnings) or (_is_cluster(word) and not frozenset(letters).isdisjoint(word[1:]))
            for word in words
        )

    return holds


def _is_cluster(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and word != "-"


CAREFUL: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "sort": _sort,
    "uniq": _uniq,
    "sed": _sed,
    "curl": _curl,
    "find": _no_words_like("-exec", "-ok", "-delete", "-fprint", "-fls"),
    "fd": _no_words_like("--exec", letters="xX"),
    "rg": _no_words_like("--pre", "--hostname-bin"),
    "ag": _no_words_like("--pager"),
    "tree": _no_words_like("--o", letters="o"),
    "ss": _no_words_like("--diag", letters="D"),
    "file": _no_words_like("--comp", letters="C"),
    "less": _no_words_like("-"),
    "more": _no_words_like("-"),
}
