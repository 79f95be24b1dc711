"""What a persona offers in a chat by name, what it has to have before it speaks, and what it is told by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

# Names that the service itself gives a value: no setting, no person and no message can say otherwise.
SYSTEM_VARIABLES = ("persona", "person", "repository", "workspace", "today")
# What builds the prompt of a command in code, by name, each with the arguments that it takes.
MENU_HANDLERS: Mapping[str, tuple[str, ...]] = MappingProxyType({"changed_files": ("note",)})


class ArgumentKind(StrEnum):
    """What an argument is: any words, or a file that lies in the workspace."""

    TEXT = "text"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuArgument:
    """What is written behind a command, by name; the last one takes the rest of the line."""

    name: str
    kind: ArgumentKind = ArgumentKind.TEXT
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuCommand:
    """A command of a persona: `/developer refactor FILE`.

    Its request is `prompt` with the values of arguments and variables in it, or what the file `prompt_file` holds, or
    what the `handler` builds; one of the three is given.
    """

    name: str
    en: str
    ko: str
    arguments: tuple[MenuArgument, ...] = ()
    prompt: str = ""
    prompt_file: str = ""
    handler: str = ""

    @property
    def usage(self) -> str:
        """How its arguments are written: `FILE [GOAL]`."""
        return " ".join(
            argument.name.upper() if argument.required else f"[{argument.name.upper()}]" for argument in self.arguments
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaVariable:
    """A value that a persona's commands speak of; where nothing gives it, nor `default`, the person is asked."""

    name: str
    en: str
    ko: str
    default: str = ""


class Requirement(StrEnum):
    """What code verifies before a persona may speak."""

    FILE_EXISTS = "file_exists"
    FILE_LOADED = "file_loaded"
    RULE_ENABLED = "rule_enabled"
    CHECKS_PRESENT = "checks_present"
    WORKFLOW = "workflow"


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalAction:
    """One requirement with what it names: a file of the workspace, a rule, a workflow."""

    requirement: Requirement
    value: str = ""
