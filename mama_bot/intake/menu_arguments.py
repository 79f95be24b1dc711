"""What is written behind a command of a persona: which persona and command, its arguments, its files."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.errors import MessageRefused
from mama_bot.intake import menu_sentences as says
from mama_bot.intake import sentences as common
from mama_bot.intake.nearest_commands import nearest_command
from mama_bot.model import (
    BUTTONS_ONLY,
    KOREAN_NAMES,
    SYSTEM_VARIABLES,
    AgentPersona,
    ArgumentKind,
    CommandName,
    MenuCommand,
    Platform,
    written_command,
)
from mama_bot.personas import find_persona
from mama_bot.similar_names import most_similar
from mama_bot.wording import Said, quotable

MOST_FILES = 20_000
SHOWN = 120
EXAMPLE_FILE = "src/app.py"
ROOT_DIRECTORIES = frozenset(
    [
        "applications",
        "bin",
        "boot",
        "dev",
        "etc",
        "home",
        "lib",
        "media",
        "mnt",
        "opt",
        "proc",
        "root",
        "run",
        "sbin",
        "srv",
        "sys",
        "tmp",
        "users",
        "usr",
        "var",
    ]
)
# `/developer refactor src/a.py`, `/Developer  refactor`; a path ("/usr/bin x") names no persona.
_CALL = re.compile(r"\s*/(?P<persona>[^\s/]{1,80})\s+(?P<name>\S{1,60})(?P<rest>.*)", re.DOTALL)
_OVERRIDE = re.compile(r"(?P<name>[a-z][a-z0-9_]{0,31})=(?P<value>\S*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuCall:
    """A command of a persona as it was written (`command` is None: the persona has none of that name).

    `words` is what stands behind it without `overrides`, the values that the message itself gives to variables.
    """

    persona: AgentPersona
    name: str
    words: str
    command: MenuCommand | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)

    @property
    def usage(self) -> str:
        """How the command is written."""
        words = (f"/{self.persona.name} {self.name}", self.command.usage if self.command is not None else "")
        return " ".join(word for word in words if word)

    @property
    def example(self) -> str:
        """The command as somebody would write it: `/developer refactor src/app.py`."""
        arguments = self.command.arguments if self.command is not None else ()
        words = (
            EXAMPLE_FILE if argument.kind is ArgumentKind.FILE else "..." for argument in arguments if argument.required
        )
        return " ".join((f"/{self.persona.name} {self.name}", *words))


def read_menu_call(text: str, personas: Mapping[str, AgentPersona]) -> MenuCall | None:
    """Return the command of a persona that a text is; None for any other text."""
    match = _CALL.fullmatch(text)
    persona = find_persona(match["persona"], personas) if match is not None else None
    if match is None or persona is None:
        return None
    name = match["name"].casefold()
    command = next((each for each in persona.menu if each.name == name), None)
    known = {variable.name for variable in persona.variables} | {*SYSTEM_VARIABLES}
    overrides, words = dict[str, str](), []
    for word in match["rest"].split():
        given = _OVERRIDE.fullmatch(word)
        if given is None or given["name"] not in known:
            words.append(word)
        elif given["name"] in SYSTEM_VARIABLES:
            raise MessageRefused(says.BELONGS_TO_SERVICE.of(name=given["name"]))
        else:
            overrides[given["name"]] = given["value"]
    rest = " ".join(words) if overrides else match["rest"].strip()
    return MenuCall(persona=persona, name=name, words=rest, command=command, overrides=overrides)


def mistyped(text: str, platform: Platform, persona: str) -> Said | None:
    """Return what a person is told whose words begin with what is nearly a command; None for any other text.

    A path is none: one with a second slash, a usual directory, a name with a point; nor is what resembles no command
    (`/login is broken`). `persona` is who may be asked.
    """
    match = _CALL.fullmatch(text)
    if match is None:
        return None
    given = match["persona"]
    known = given in KOREAN_NAMES or given in {command.value for command in CommandName} - BUTTONS_ONLY
    if known or given.casefold() in ROOT_DIRECTORIES or not given.replace("-", "").isalpha():
        return None
    meant = nearest_command(given)
    if meant is None:
        return None
    hint = common.DID_YOU_MEAN.of(command=written_command(meant, platform))
    shown = quotable(given, SHOWN)
    return says.NOT_SENT_ON.of(given=shown, hint=hint, persona=persona, words=f"/{shown} …")


def given_values(call: MenuCall) -> dict[str, str]:
    """Return the arguments of a command by name; raises MessageRefused where one is missing."""
    arguments = call.command.arguments if call.command is not None else ()
    if not arguments and call.words:
        raise MessageRefused(says.TAKES_NOTHING.of(usage=call.usage))
    words = call.words.split(None, len(arguments) - 1) if arguments else []
    for argument in arguments[len(words) :]:
        if argument.required:
            missing = {"argument": argument.name.upper(), "example": call.example}
            raise MessageRefused(says.MISSING_ARGUMENT.of(usage=call.usage, **missing))
    values = {argument.name: "" for argument in arguments}
    return values | {argument.name: word.strip() for argument, word in zip(arguments, words, strict=False)}


def workspace_file(workspace: Path, given: str) -> str:
    """Return a file of a workspace as a relative path; raises MessageRefused, with the nearest, where it is none."""
    root = os.path.realpath(workspace)
    if not os.path.isdir(root):  # noqa: PTH112 - not made yet: nobody can tell what will lie there
        return given
    shown = f"`{quotable(given, SHOWN)}`"
    if "\0" in given:
        raise MessageRefused(says.NO_SUCH_FILE.of(file=shown, hint=""))
    place = os.path.realpath(os.path.join(root, given.strip("`'\"")))  # noqa: PTH118 - links are followed, as git would
    if place != root and not place.startswith(f"{root}{os.sep}"):
        raise MessageRefused(says.OUTSIDE.of(file=shown))
    if os.path.exists(place):  # noqa: PTH110
        return os.path.relpath(place, root)
    names = [*_files(root)]
    meant = most_similar(given, names) or _by_last_part(given, names)
    hint = says.NEAREST.of(name=f"`{quotable(meant, SHOWN)}`") if meant is not None else ""
    raise MessageRefused(says.NO_SUCH_FILE.of(file=shown, hint=hint))


def _by_last_part(given: str, names: list[str]) -> str | None:
    return next((name for name in names if name.rpartition("/")[2] == given.rpartition("/")[2]), None)


def _files(root: str) -> Iterator[str]:
    left = MOST_FILES
    for directory, folders, names in os.walk(root):
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        for name in sorted(names):
            if left == 0:
                return
            left -= 1
            yield os.path.relpath(os.path.join(directory, name), root)  # noqa: PTH118 - one name of many
