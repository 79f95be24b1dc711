"""What stands before a program, or runs a text, that the shell's own reader does not take off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mama_bot.shell.tokens import word_set

# How many words of a wrapper's own stand before the program, and which of its options take a value.
POSITIONAL = {
    "busybox": 0,
    "toybox": 0,
    "chroot": 1,
    "flock": 1,
    "setarch": 1,
    "chrt": 1,
    "strace": 0,
    "ltrace": 0,
    "unshare": 0,
    "systemd-run": 0,
    "fakeroot": 0,
    "firejail": 0,
    "pkexec": 0,
    "run0": 0,
    "script": 0,
    "watch": 0,
    "parallel": 0,
    "exec": 0,
    "coproc": 0,
    "su": 0,
    "runuser": 0,
    "prlimit": 0,
}
VALUED = {
    "strace": word_set("-e -o -p -s -u"),
    "ltrace": word_set("-e -o -p -s -u"),
    "watch": word_set("-n --interval"),
    "exec": word_set("-a"),
    "systemd-run": word_set("-p -u --unit --property"),
    "parallel": word_set("-j --jobs -n -N"),
    "flock": word_set("-w -E --timeout"),
    "runuser": word_set("-u -g -G --user --group"),
    "prlimit": word_set("-p --pid"),
}
# With `-c` they run a text; `watch` and `parallel` run the rest of their words as one.
TEXT_OPTION = frozenset({"flock", "script", "su", "runuser"})
JOINS = frozenset({"watch", "parallel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """What a wrapper runs: words, or a text (`nested`); where, with which variables, and `via` what.

    `shares` says that a text runs in the same shell, so that what it sets stays.
    """

    words: tuple[str, ...] = ()
    nested: str | None = None
    directory: str = ""
    variables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    shares: bool = False
    via: str = ""


def further(name: str, now: Inner) -> Inner | None:
    """Return what a wrapper runs; None for any other program."""
    words = now.words
    if name == "env" and (text := _split_string(words)) is not None:
        return replace(now, words=(), nested=text, via="env")
    if name not in POSITIONAL:
        return None
    if name in TEXT_OPTION and (text := _after(words, ("-c", "--command"))) is not None:
        return replace(now, words=(), nested=text, via=name)
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in VALUED.get(name, ()) else 1
    rest = words[at + POSITIONAL[name] :]
    if name == "parallel" and ":::" in rest:
        split = rest.index(":::")
        rest = (*(word for word in rest[:split] if word != "{}"), *rest[split + 1 :])
    if name in JOINS and len(rest) == 1:
        return replace(now, words=(), nested=rest[0], via=name)
    return replace(now, words=rest, via=name) if rest else None


def _after(words: Sequence[str], options: tuple[str, ...]) -> str | None:
    for at, word in enumerate(words[:-1]):
        if word in options or (word[:1] == "-" and word[1:2] != "-" and word.endswith("c")):
            return words[at + 1]
    return None


def _split_string(words: Sequence[str]) -> str | None:
    for at, word in enumerate(words):
        if word in {"-S", "--split-string"}:
            return " ".join(words[at + 1 :])
        if word.startswith(("-S", "--split-string=")):
            return " ".join((word.removeprefix("--split-string=").removeprefix("-S"), *words[at + 1 :]))
    return None
