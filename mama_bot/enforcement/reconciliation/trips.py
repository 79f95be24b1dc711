"""Round trips of a work tree: put aside and taken back, switched away and back, changed and restored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.reconciliation.places import same_file

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
    return tuple(_trips(steps))


def _trips(steps: Sequence[Step]) -> Iterator[Trip]:
    aside: list[Moment] = []
    away: Moment | None = None
    homes: set[str] = set()
    dirty: dict[str, Moment] = {}
    for step in steps:
        command = step.command
        if "git " in command and any(word in command for word in WORDS):
            some = sorted(moment for moment, path in step.edits if not path)
            for words in gits(command):
                match words[0]:
                    case "stash" if _takes(words) and some:
                        if aside:
                            yield Trip(aside.pop(), some[-1])
                    case "stash" if _puts(words) and some:
                        aside.append(some[0])
                    case "checkout" | "switch" if _goes(words) and some:
                        target = words[-1]
                        if away is None:
                            away = some[0]
                        elif target in BACK or target in homes or away[0] == some[0][0]:
                            yield Trip(away, some[-1])
                            away = None
                    case "checkout" | "restore":
                        for moment, path in step.edits:
                            begun = next((at for name, at in dirty.items() if same_file(name, path)), None)
                            if path and begun is not None and _is_restored(words, path) and begun <= moment:
                                yield Trip(begun, moment, path)
                                dirty.pop(path, None)
                            elif path:
                                dirty.setdefault(path, moment)
                    case _:
                        pass
        else:
            for moment, path in step.edits:
                if path:
                    dirty.setdefault(path, moment)
        if "git commit" in command:
            dirty.clear()
        homes.update(branches_of(command, step.output))


def gits(command: str) -> Iterator[list[str]]:
    """The git commands of a command line, without their options."""
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
                yield rest


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


def _is_restored(words: Sequence[str], path: str) -> bool:
    """Whether a file is taken back from the commit that is checked out."""
    del path
    before = words[1 : words.index("--")] if "--" in words else words[1:2]
    return not before or before == ["HEAD"] or "--" not in words or words[0] == "restore"
