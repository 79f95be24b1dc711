"""Round trips of a work tree: put aside and taken back, switched away and back, changed and restored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.facts.places import same_file
from mama_bot.text.patterns import compiled

Moment = tuple[int, int]  # the place of the call in the record, and of the run in the call
WORDS = ("stash", "checkout", "switch", "restore")
PARTS = compiled(r"&&|\|\||[;|\n]", groups=False)
SWITCHES = frozenset(("checkout", "switch"))
MAKES = frozenset(("-b", "-B", "-c", "-C", "--orphan"))
BACK = frozenset(("-", "@{-1}"))
HOME = compiled(
    r"(?m:^On branch (\S+)|^## ([\w./-]+?)(?:\.\.\.|$)|^\* (\S+)$|^\[([\w./-]+) (?:\(root-commit\) )?[0-9a-f]{7})"
)
PUSHES = compiled(r"\bgit push (?:-\S+ )*\S+ (?:HEAD:)?([\w./-]+)")
HOME_CHARACTERS = 2_000
MOST_PARTS = 60


@dataclass(frozen=True, slots=True)
class Trip:
    """What happened to `path` ("": to all files) from `begun` to `ended` left it as it was."""

    begun: Moment
    ended: Moment
    path: str = ""

    def spares(self, moment: Moment, path: str, run: Moment) -> bool:
        """Whether an edit at a moment changes nothing for a run: it was taken back, and the run came before."""
        if self.path:
            return self.begun <= moment <= self.ended and run < self.begun and same_file(self.path, path)
        if moment == self.begun and moment != self.ended:
            return True
        return not path and moment == self.ended and run < self.begun


@dataclass(frozen=True, slots=True)
class Step:
    """A shell call as its git commands and what it wrote: `edits` are moments with paths."""

    command: str
    output: str
    edits: Sequence[tuple[Moment, str]]


def trips(steps: Sequence[Step]) -> tuple[Trip, ...]:
    """The round trips that the calls of an agent made, in order; `steps` are all of its calls that wrote or ran."""
    journey = Journey()
    for step in steps:
        journey.take(step)
    return tuple(journey.trips)


class Journey:
    """What is put aside, switched away from, and changed so far."""

    def __init__(self) -> None:
        self.trips: list[Trip] = []
        self._aside: list[Moment] = []
        self._away: Moment | None = None
        self._homes: set[str] = set()
        self._dirty: dict[str, Moment] = {}

    def take(self, step: Step) -> None:
        """Go one call on."""
        command = step.command
        if "git " in command and any(word in command for word in WORDS):
            some = sorted(moment for moment, path in step.edits if not path)
            for words in gits(command):
                self._git(words, some, step)
        else:
            self._change(step)
        if "git commit" in command:
            self._dirty.clear()
        if "git" in command:
            self._homes.update(branches_of(command, step.output))

    def _git(self, words: Sequence[str], some: Sequence[Moment], step: Step) -> None:
        match words[0]:
            case "stash":
                self._stash(words, some)
            case "checkout" | "switch" if _goes(words) and some:
                self._switch(words[-1], some)
            case "checkout" | "restore":
                self._restore(words, step)
            case _:
                pass

    def _stash(self, words: Sequence[str], some: Sequence[Moment]) -> None:
        if not some:
            return
        if _takes(words):
            if self._aside:
                self.trips.append(Trip(self._aside.pop(), some[-1]))
        elif _puts(words):
            self._aside.append(some[0])

    def _switch(self, target: str, some: Sequence[Moment]) -> None:
        if self._away is None:
            self._away = some[0]
        elif target in BACK or target in self._homes or self._away[0] == some[0][0]:
            self.trips.append(Trip(self._away, some[-1]))
            self._away = None

    def _restore(self, words: Sequence[str], step: Step) -> None:
        moments: dict[str, list[Moment]] = {}
        for moment, path in step.edits:
            if path and any(same_file(word.removeprefix("./"), path) or word == "." for word in words[1:]):
                moments.setdefault(path, []).append(moment)
        for path, at in moments.items():
            name = next((name for name in self._dirty if same_file(name, path)), None)
            if name is not None and _is_restored(words):
                self.trips.append(Trip(self._dirty.pop(name), max(at), path))
            elif name is None and _is_restored(words) and min(at) < max(at):
                self.trips.append(Trip(min(at), max(at), path))
            elif name is None:
                self._dirty[path] = min(at)

    def _change(self, step: Step) -> None:
        for moment, path in step.edits:
            if path:
                self._dirty.setdefault(path, moment)


@lru_cache(maxsize=2048)
def gits(command: str) -> tuple[tuple[str, ...], ...]:
    """The git commands of a command line, without their options."""
    return tuple(_gits(command))


def _gits(command: str) -> Iterator[tuple[str, ...]]:
    at = 0
    parts: list[str] = []
    for match in PARTS.finditer(command):
        parts.append(command[at : match.start()])
        at = match.end()
        if len(parts) == MOST_PARTS:
            break
    parts.append(command[at:])
    for part in parts:
        words = part.strip(" ()").split()
        if words[:1] == ["git"] and len(words) > 1:
            rest = [word for word in words[1:] if word in BACK or word == "--" or not word.startswith("-")]
            if rest and MAKES.isdisjoint(words):
                yield tuple(rest)


def branches_of(command: str, output: str) -> Iterator[str]:
    """The branches that a call shows the agent to be on, or to have pushed."""
    for match in HOME.finditer(output[:HOME_CHARACTERS]):
        yield next((name for place in (1, 2, 3, 4) if (name := match.group(place))), "")
    if "git push" in command:
        yield from (match.group(1) for match in PUSHES.finditer(command))


def _puts(words: Sequence[str]) -> bool:
    return len(words) == 1 or words[1] in ("push", "save", "&&")


def _takes(words: Sequence[str]) -> bool:
    return len(words) > 1 and words[1] in ("pop", "apply")


def _goes(words: Sequence[str]) -> bool:
    """Whether a command goes to another branch or commit, not to files of it."""
    return len(words) == 2 and "--" not in words


def _is_restored(words: Sequence[str]) -> bool:
    """Whether a file is taken back from the commit that is checked out."""
    before = words[1 : words.index("--")] if "--" in words else words[1:2]
    return not before or tuple(before) == ("HEAD",) or "--" not in words or words[0] == "restore"
