"""Where a run works, as its own options say."""

from collections.abc import Iterator, Mapping, Sequence

from mama_bot.shell.wrappers import program

MAX_WORDS = 400


def directory_options(argv: Sequence[str]) -> Iterator[str]:
    """Yield the directories that options name: `npm --prefix web`, `make -C api`, `pytest --rootdir api`."""
    name = program(argv[0])
    options = DIRECTORIES.get(name)
    if options is None:
        return
    for at, word in enumerate(argv[1:MAX_WORDS], 1):
        option, equals, value = word.partition("=")
        if option in options:
            if not equals and at + 1 < len(argv):
                value = argv[at + 1]
            if value:
                yield value.rpartition("/")[0] if option in {"--manifest-path", "-f"} else value
        elif word == "--":
            return


DIRECTORIES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("npm", "pnpm"), frozenset({"--prefix", "-C", "--dir"})),
    **dict.fromkeys(("yarn", "bun"), frozenset({"--cwd"})),
    **dict.fromkeys(("make", "ninja", "go"), frozenset({"-C", "--directory"})),
    **dict.fromkeys(("pytest", "jest", "vitest"), frozenset({"--rootdir", "--rootDir", "--root"})),
    **dict.fromkeys(("gradle", "gradlew"), frozenset({"-p"})),
    "cargo": frozenset({"--manifest-path"}),
    "ctest": frozenset({"--test-dir"}),
    "mvn": frozenset({"-f"}),
}
