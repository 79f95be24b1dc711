"""The output of a tool call, cleaned and bounded: whatever its size, a search in it costs one linear scan."""

from collections.abc import Callable, Iterator

from mama_bot.text.patterns import compiled

END_CHARACTERS = 48_000
MAX_HITS = 2_000
MAX_LINE = 2_000
# They move the cursor or erase: what stands behind them may hide what stood there.
MOVES = compiled(r"\x1b\[[0-9;?]*[ABCDEFGHJKSTfsu]|\x1b[78DEM]", ignore_case=False, groups=False)
ESCAPES = compiled(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_=>])")


def plain(line: str) -> str:
    """Return a line without colours, and as it stood last where it was drawn over; "" where it draws over others."""
    if len(line) > MAX_LINE:
        line = line[:MAX_LINE]
    if "\x1b" in line:
        line = "" if MOVES.search(line) is not None else ESCAPES.sub("", line)
    if "\r" in line:
        line = line.rstrip("\r").rpartition("\r")[2]
    return line.rstrip()


# `core:test: `, `packages/core test: `, `packages/core test$ `, `[lint:go] `: the task whose line it is.
LABEL = compiled(r"^(?:\[[\w:.@/-]+\] |[\w@/.-]+[#: ][\w:-]+(?:: |\$ ))", ignore_case=False)
OWN_WORDS = ("] $ ", "] ERROR ")


def without_labels(text: str) -> str:
    """Return an output of tasks that ran at once without the names that stand before their lines."""
    lines: list[str] = []
    for line in text.split("\n"):
        match = LABEL.match(line[:200])
        if match is None or any(word in line for word in OWN_WORDS):
            lines.append(line)
        else:
            lines.append(("$ " if match.group().endswith("$ ") else "") + line[match.end() :])
    return "\n".join(lines)


class Output:
    """What a call printed; a line that is the command's `own` (an `echo`) is never found."""

    def __init__(self, text: str, *, own: Callable[[str], bool] | None = None) -> None:
        self.text = text
        self._own = own
        self._tail: str | None = None

    @property
    def tail(self) -> str:
        """The last lines as one text, plain."""
        if self._tail is None:
            tail = self.text[-END_CHARACTERS:]
            if "\x1b" in tail or "\r" in tail:
                tail = "\n".join(plain(line) for line in tail.split("\n"))
            self._tail = tail
        return self._tail

    @property
    def end(self) -> list[str]:
        """The last lines, plain."""
        lines = [line.rstrip()[:MAX_LINE] for line in self.tail.split("\n")]
        return lines if self._own is None else [line for line in lines if not self._own(line)]

    def last_with(self, *needles: str) -> Iterator[str]:
        """Yield the lines among the last ones that hold any of some words, the last one first."""
        tail = self.tail
        hits = {needle: place for needle in needles if (place := tail.rfind(needle)) >= 0}
        while hits:
            place = max(hits.values())
            start = tail.rfind("\n", 0, place) + 1
            stop = tail.find("\n", place)
            line = tail[start : len(tail) if stop < 0 else stop].rstrip()[:MAX_LINE]
            if self._own is None or not self._own(line):
                yield line
            for needle, hit in list(hits.items()):
                if hit >= start:
                    earlier = tail.rfind(needle, 0, start)
                    if earlier < 0:
                        del hits[needle]
                    else:
                        hits[needle] = earlier

    def all_with(self, needle: str) -> Iterator[str]:
        """Yield the lines that hold a word, in order, at most 2,000."""
        text, at = self.text, -1
        for _ in range(MAX_HITS):
            at = text.find(needle, at + 1)
            if at < 0:
                return
            start = text.rfind("\n", max(0, at - MAX_LINE), at) + 1
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            line = plain(text[max(start, at - MAX_LINE) : stop])
            if self._own is None or not self._own(line):
                yield line
            at = stop

    def has(self, needle: str) -> bool:
        """Return whether a text occurs anywhere."""
        return needle in self.text
