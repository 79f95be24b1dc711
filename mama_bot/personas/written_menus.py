"""The commands, variables and critical actions of a persona, from its front matter."""

import itertools
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mama_bot.config import nearest
from mama_bot.model import (
    BUTTONS_ONLY,
    MENU_HANDLERS,
    SYSTEM_VARIABLES,
    ArgumentKind,
    CommandName,
    CriticalAction,
    MenuArgument,
    MenuCommand,
    PersonaVariable,
    Requirement,
)

NAME = r"^[a-z][a-z0-9_]{0,31}$"
ARGUMENT = re.compile(r"[a-z][a-z0-9_]{0,31}")
OPTIONAL = "optional"
MOST = 30

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
KeyPath = tuple[str, ...]


class InLanguages(BaseModel):
    """A sentence in English and Korean."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    en: Sentence
    ko: Sentence


class WrittenCommand(BaseModel):
    """An entry of `menu`; an argument that is `name:optional` may be left out, a `name:file` lies in the workspace."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: Annotated[str, Field(pattern=NAME)]
    description: InLanguages
    arguments: Annotated[tuple[str, ...], Field(max_length=5)] = ()
    prompt: Annotated[str, Field(max_length=8_000)] = ""
    prompt_file: Annotated[str, Field(max_length=400)] = ""
    handler: Annotated[str, Field(max_length=64)] = ""


class WrittenVariable(BaseModel):
    """An entry of `variables`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=NAME)]
    question: InLanguages
    default: Annotated[str, Field(max_length=1_000)] = ""


def problems_of_keys(content: Mapping[str, object]) -> Iterator[tuple[KeyPath, str]]:
    """Yield keys of entries that there are not, each with the nearest that there is."""
    for key, model in (("menu", WrittenCommand), ("variables", WrittenVariable)):
        entries = content.get(key)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            for name in entry if isinstance(entry, dict) else ():
                if str(name) not in model.model_fields:
                    problem = f"{key}: {str(name)[:60]!r} is not known. {nearest(str(name), model.model_fields)}"
                    yield (key, str(number), str(name)), problem


def menu_of(entries: Sequence[WrittenCommand], file: Path) -> tuple[MenuCommand, ...]:
    """Return the commands that entries describe; files of prompts stand beside the persona's own."""
    return tuple(
        MenuCommand(
            name=entry.command,
            en=entry.description.en,
            ko=entry.description.ko,
            arguments=tuple(_argument(written) for written in entry.arguments),
            prompt=entry.prompt.strip(),
            prompt_file=str((file.parent / entry.prompt_file).absolute()) if entry.prompt_file else "",
            handler=entry.handler,
        )
        for entry in entries
    )


def variables_of(entries: Sequence[WrittenVariable]) -> tuple[PersonaVariable, ...]:
    """Return the variables that entries describe."""
    return tuple(
        PersonaVariable(name=entry.name, en=entry.question.en, ko=entry.question.ko, default=entry.default.strip())
        for entry in entries
    )


def critical_actions_of(entries: Sequence[str | Mapping[str, str]]) -> tuple[CriticalAction, ...]:
    """Return what code verifies of the entries; plain sentences are instructions."""
    return tuple(
        CriticalAction(requirement=Requirement(name), value=value)
        for entry in entries
        if not isinstance(entry, str)
        for name, value in entry.items()
    )


def instructions_among(entries: Sequence[str | Mapping[str, str]]) -> str:
    """Return the soft ones as an agent is told them; "" where there are none."""
    told = [f"- {entry.strip()}" for entry in entries if isinstance(entry, str)]
    return "\n".join(["When you begin:", "", *told]) if told else ""


def problems_of_menu(
    name: str, menu: Sequence[WrittenCommand], variables: Sequence[WrittenVariable], file: Path
) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong with a persona's commands and variables beyond their keys, each with its key."""
    if menu and name in [command.value for command in CommandName if command not in BUTTONS_ONLY]:
        yield ("menu",), f"menu: `/{name}` is a command of the service. Give the persona another name, or no menu."
    for number, variable in enumerate(variables):
        if variable.name in SYSTEM_VARIABLES:
            problem = f"variables: {variable.name!r} is a variable of the service, which nothing overrides."
            yield ("variables", str(number), "name"), problem
        if variable.name in [earlier.name for earlier in variables[:number]]:
            yield ("variables", str(number), "name"), f"variables: {variable.name!r} stands here twice."
    for number, entry in enumerate(menu):
        place = ("menu", str(number))
        if entry.command in [earlier.command for earlier in menu[:number]]:
            yield (*place, "command"), f"menu: the command {entry.command!r} stands here twice."
        yield from (((*place, *key), problem) for key, problem in _problems(entry, variables, file))


def problems_of_critical_actions(
    entries: Sequence[str | Mapping[str, str]], workflows: Sequence[str]
) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong with critical actions; whether what they name is there is seen when the persona speaks."""
    known = [requirement.value for requirement in Requirement]
    for number, entry in enumerate(entries):
        place = ("critical_actions", str(number))
        if isinstance(entry, str):
            continue
        if len(entry) != 1:
            yield place, "critical_actions: expected one requirement, or a sentence."
        for name, value in entry.items():
            if name not in known:
                yield (*place, name), f"critical_actions: {name!r} is not known. {nearest(name, known)}"
            elif name in (Requirement.FILE_EXISTS, Requirement.FILE_LOADED) and not _is_inside(value):
                yield (
                    (*place, name),
                    f"critical_actions: {value!r} is no file of a workspace: write a path relative to it.",
                )
            elif name == Requirement.CHECKS_PRESENT and value != "true":
                yield (*place, name), 'critical_actions: write `checks_present: "true"`, or leave it out.'
            elif name == Requirement.WORKFLOW and value not in workflows:
                yield (*place, name), f"critical_actions: {value!r} is no workflow. {nearest(value, workflows)}"


def placeholders(prompt: str) -> tuple[str, ...]:
    """Return the names that stand in braces in a prompt; raises ValueError for braces that name nothing."""
    names = []
    for _, name, form, conversion in string.Formatter().parse(prompt):
        if name is None:
            continue
        if not name.isidentifier() or form or conversion:
            raise ValueError(f"{{{name}}} is no name of a value. Write {{{{ and }}}} for braces themselves")
        names.append(name)
    return tuple(dict.fromkeys(names))


def _problems(entry: WrittenCommand, variables: Sequence[WrittenVariable], file: Path) -> Iterator[tuple[KeyPath, str]]:
    name = f"menu: {entry.command}"
    given = [key for key in ("prompt", "prompt_file", "handler") if getattr(entry, key).strip()]
    if len(given) != 1:
        yield (), f"{name}: expected one of prompt, prompt_file and handler."
        return
    arguments = []
    for number, written in enumerate(entry.arguments):
        text, *marks = written.split(":")
        if ARGUMENT.fullmatch(text) is None or not {*marks} <= {OPTIONAL, *ArgumentKind}:
            problem = f"{name}: {written!r} is no argument. Write name, name:file, name:optional or name:file:optional."
            yield ("arguments", str(number)), problem
            return
        arguments.append(_argument(written))
    for before, after in itertools.pairwise(arguments):
        if not before.required and after.required:
            yield ("arguments",), f"{name}: {after.name!r} cannot follow {before.name!r}, which may be left out."
    names = [argument.name for argument in arguments]
    for taken in names:
        if names.count(taken) > 1 or taken in SYSTEM_VARIABLES:
            yield ("arguments",), f"{name}: the name {taken!r} is taken."
            return
    yield from ((key, f"{name}: {problem}") for key, problem in _problems_of_request(entry, names, variables, file))


def _problems_of_request(
    entry: WrittenCommand, arguments: Sequence[str], variables: Sequence[WrittenVariable], file: Path
) -> Iterator[tuple[KeyPath, str]]:
    if entry.handler:
        takes = MENU_HANDLERS.get(entry.handler)
        if takes is None:
            yield ("handler",), f"there is no handler {entry.handler!r}. {nearest(entry.handler, MENU_HANDLERS)}"
        elif not set(arguments) <= set(takes):
            yield ("arguments",), f"the handler {entry.handler!r} takes {', '.join(takes) or 'no arguments'}."
        return
    key = "prompt_file" if entry.prompt_file else "prompt"
    try:
        prompt = (file.parent / entry.prompt_file).read_text(encoding="utf-8") if entry.prompt_file else entry.prompt
        used = placeholders(prompt)
    except OSError as error:
        yield (key,), f"{entry.prompt_file} cannot be read: {error.strerror}."
        return
    except ValueError as error:
        told = "this is not text in UTF-8" if isinstance(error, UnicodeError) else error
        yield (key,), f"{told}."
        return
    known = (*arguments, *(variable.name for variable in variables), *SYSTEM_VARIABLES)
    for name in used:
        if name not in known:
            yield (key,), f"{{{name}}} is no argument and no variable. {nearest(name, known)}"
    for name in arguments:
        if name not in used:
            yield ("arguments",), f"the argument {name!r} stands nowhere in the prompt."


def _argument(written: str) -> MenuArgument:
    name, *marks = written.split(":")
    kind = ArgumentKind.FILE if ArgumentKind.FILE in marks else ArgumentKind.TEXT
    return MenuArgument(name=name, kind=kind, required=OPTIONAL not in marks)


def _is_inside(path: str) -> bool:
    parts = Path(path).parts
    return bool(parts) and not Path(path).is_absolute() and ".." not in parts and path.isprintable()
