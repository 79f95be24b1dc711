"""The output of a tool call, cleaned and bounded: whatever its size, a search in it costs one linear scan."""

from collections.abc import Iterator

from mama_bot.enforcement.language.patterns import compiled

END_CHARACTERS = 48_000
MAX_HITS = 2_000
MAX_LINE = 2_000
ESCAPES = compiled(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_=>])")
SURROGATES = frozenset(range(0xD800, 0xE000))


def plain(line: str) -> str:
    """A line without colours, and as it stood last where it was drawn over."""
    if len(line) > MAX_LINE:
        line = line[:MAX_LINE]
    if "\x1b" in line:
        line = ESCAPES.sub("", line)
    if "\r" in line:
        line = line.rstrip("\r").rpartition("\r")[2]
    return line.rstrip()


class Output:
    """What a call printed."""

    def __init__(self, text: str) -> None:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")
        self.text = text
        self._end: list[str] | None = None

    @property
    def end(self) -> list[str]:
        """The last lines, plain."""
        if self._end is None:
            tail = self.text[-END_CHARACTERS:]
            lines = tail.split("\n")
            if "\x1b" in tail or "\r" in tail:
                self._end = [plain(line) for line in lines]
            else:
                self._end = [line.rstrip() for line in lines]
        return self._end

    def last_with(self, *needles: str) -> Iterator[str]:
        """The lines among the last ones that hold any of some words, the last one first."""
        # A colour may stand inside of what is looked for.
        if "\x1b" in self.text or any(needle in self.text for needle in needles):
            for line in reversed(self.end):
                if any(needle in line for needle in needles):
                    yield line[:MAX_LINE]

    def all_with(self, needle: str) -> Iterator[str]:
        """All lines that hold a word, in order, at most 2,000."""
        text, at = self.text, -1
        for _ in range(MAX_HITS):
            at = text.find(needle, at + 1)
            if at < 0:
                return
            start = text.rfind("\n", max(0, at - MAX_LINE), at) + 1
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            yield plain(text[max(start, at - MAX_LINE) : stop])
            at = stop

    def has(self, needle: str) -> bool:
        """Whether a text occurs anywhere."""
        return needle in self.text
