"""Personas: Markdown files with front matter, read and checked together."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from mama_bot.config import Document, is_skill_name, nearest, parse_document, read_text, sentence_of
from mama_bot.errors import ConfigurationError
from mama_bot.model import NO_WORKFLOW, AgentPersona, Tier
from mama_bot.personas.written_menus import (
    MOST,
    WrittenCommand,
    WrittenVariable,
    critical_actions_of,
    instructions_among,
    menu_of,
    problems_of_critical_actions,
    problems_of_keys,
    problems_of_menu,
    variables_of,
)
from mama_bot.tool_names import GRANTABLE

NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
RESERVED = frozenset({"team", "own", "all", "everyone", "here", "channel"})
_FENCE = "---"
MOST_BACKENDS = 5
ANY_AGENT = "acp"  # the backend for whatever agent speaks the Agent Client Protocol
_REMEDIES = {
    "workspace": " Any other name has to stand under `repositories` in config.yaml.",
    "mcp_servers": " It must stand under `mcp_servers` in config.yaml, or under those of a repository that brings it.",
    "workflow": " It has to stand under `workflows` in a file of `rules_directory`; `none` is none.",
    "skills": " It has to be a folder with a SKILL.md in `skills_directory`, or stand under `skills` of a repository.",
}

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Backends = Annotated[tuple[str, ...], Field(min_length=1, max_length=MOST_BACKENDS), BeforeValidator(_listed)]


class FrontMatter(BaseModel):
    """The keys of a persona's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
    display_name: Text
    avatar: Annotated[str, Field(max_length=2000)] = ""
    backend: Backends = ("claude",)
    command: Annotated[str, Field(max_length=2000)] = ""
    model: str | None = None
    tools: tuple[str, ...] = ()
    tier: Tier = Tier.WORKER
    delegates_to: tuple[str, ...] = ()
    keywords: tuple[Text, ...] = ()
    workspace: str = "own"
    mcp_servers: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    workflow: str = ""
    menu: Annotated[tuple[WrittenCommand, ...], Field(max_length=MOST)] = ()
    variables: Annotated[tuple[WrittenVariable, ...], Field(max_length=MOST)] = ()
    critical_actions: Annotated[tuple[str | Mapping[str, str], ...], Field(max_length=MOST)] = ()


def load_personas(
    directory: Path,
    *,
    backends: Sequence[str],
    workspaces: Sequence[str],
    mcp_servers: Sequence[str] = (),
    skills: Sequence[str] = (),
    workflows: Sequence[str] = (),
) -> Mapping[str, AgentPersona]:
    """Read every `*.md` of a directory, by name.

    Raises ConfigurationError (file, line, nearest valid name) for broken front matter, unknown keys, tools, backends,
    workspaces, MCP servers, skills, workflows and delegates, and for two files with one name.
    """
    try:
        files = sorted(path for path in directory.iterdir() if path.suffix == ".md" and path.name != "README.md")
    except OSError as error:
        raise ConfigurationError(
            problem=f"The personas cannot be read: {error.strerror or error}. Set personas_directory.", file=directory
        ) from None
    if not files:
        raise ConfigurationError(problem="There is no persona here; each is a .md file.", file=directory)
    personas: dict[str, AgentPersona] = {}
    documents: dict[str, Document] = {}
    for file in files:
        persona, document = read_persona(
            file, backends=backends, workspaces=workspaces, mcp_servers=mcp_servers, skills=skills, workflows=workflows
        )
        _check_free(persona, document, personas, documents)
        personas[persona.name] = persona
        documents[persona.name] = document
    _check_delegates(personas, documents)
    return personas


def read_persona(
    file: Path,
    *,
    backends: Sequence[str],
    workspaces: Sequence[str],
    mcp_servers: Sequence[str] = (),
    skills: Sequence[str] = (),
    workflows: Sequence[str] = (),
) -> tuple[AgentPersona, Document]:
    """Return one persona, and its front matter with the line of each key; raises ConfigurationError."""
    header, prompt = _split(read_text(file), file)
    document = parse_document(header, file=file, first_line=2)
    matter = _front_matter(document, file)
    if not prompt.strip():
        raise ConfigurationError(problem="There is no prompt below the front matter.", file=file)
    if matter.name in RESERVED:
        raise document.error(("name",), f"name: {matter.name!r} has a meaning of its own. Choose another.")
    for key, values, known in (
        ("tools", matter.tools, GRANTABLE),
        ("backend", matter.backend, backends),
        ("workspace", (matter.workspace,), ("own", "team", *workspaces)),
        ("mcp_servers", matter.mcp_servers, mcp_servers),
        ("skills", matter.skills, skills),
        ("workflow", (matter.workflow,), ("", NO_WORKFLOW, *workflows)),
    ):
        for index, value in enumerate(values):
            if key == "skills" and not is_skill_name(value):
                problem = f"skills: {value!r} is no name of a skill. Write that of its folder alone."
                raise document.error((key, str(index)), problem)
            if value not in known:
                problem = (
                    f"{key}: {value!r} is not known. {nearest(value, filter(None, known))}{_REMEDIES.get(key, '')}"
                )
                raise document.error((key, str(index)), problem)
    if problem := _problem_of_command(matter):
        raise document.error(("command",) if matter.command else ("backend",), problem)
    for path, problem in (
        *problems_of_menu(matter.name, matter.menu, matter.variables, file),
        *problems_of_critical_actions(matter.critical_actions, workflows),
    ):
        raise document.error(path, problem)
    soft = instructions_among(matter.critical_actions)
    read = matter.model_dump(exclude={"menu", "variables", "critical_actions", "backend"})
    persona = AgentPersona(
        **read,
        backend=matter.backend[0],
        fallbacks=matter.backend[1:],
        prompt="\n\n".join(part for part in (prompt.strip(), soft) if part),
        menu=menu_of(matter.menu, file),
        variables=variables_of(matter.variables),
        critical_actions=critical_actions_of(matter.critical_actions),
    )
    return persona, document


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A sign and a name in a text ("@reviewer"): who is meant (None: nobody of the team), and what is written."""

    persona: AgentPersona | None
    name: str
    start: int


def find_mentions(text: str, team: Mapping[str, AgentPersona], *, signs: str = "@") -> Iterator[Mention]:
    """Yield the mentions in a text, in order: a sign before a name or display name, whatever the case.

    Names are whole words: "@devops" is not "@dev", nor are "me@dev.org" and "@dev/package" mentions of it. Korean
    particles may follow ("@developer에게", "@리뷰어는").
    """
    names = sorted(_names(team).items(), key=lambda item: -len(item[0]))
    longest = max((len(name) for name, _ in names), default=0) + 2
    for at, character in enumerate(text):
        if character not in signs or (at > 0 and _joins_before(text[at - 1])):
            continue
        rest = text[at + 1 : at + 1 + longest].casefold()
        named = next((known for known in names if rest.startswith(known[0]) and _ends(rest, len(known[0]))), None)
        if named is not None:
            yield Mention(persona=named[1], name=text[at + 1 : at + 1 + len(named[0])], start=at)
        elif (word := _WORD.match(text, at + 1)) is not None:
            yield Mention(persona=None, name=word.group(), start=at)


def find_persona(name: str, team: Mapping[str, AgentPersona]) -> AgentPersona | None:
    """Return the member with this name or display name, whatever the case."""
    return _names(team).get(name.strip().casefold())


_WORD = re.compile(r"[^\W\d_][\w-]{0,80}")


def _names(team: Mapping[str, AgentPersona]) -> Mapping[str, AgentPersona]:
    names = {persona.display_name.casefold(): persona for persona in team.values()}
    return names | {name.casefold(): persona for name, persona in team.items()}


def _is_latin(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _joins_before(character: str) -> bool:
    return _is_latin(character) or character in "@!./-"


def _ends(text: str, end: int) -> bool:
    """Whether a name that ends here is a whole word."""
    if end == len(text) or not _is_latin(text[end - 1]):
        return True
    after, beyond = text[end], text[end + 1 : end + 2]
    if _is_latin(after):
        return False
    return not (after in "-./@" and beyond and _is_latin(beyond))


def _split(text: str, file: Path) -> tuple[str, str]:
    lines = text.split("\n")
    if lines[0].strip() != _FENCE:
        raise ConfigurationError(
            problem="Expected front matter: a line '---', keys, another line '---'.", file=file, line=1
        )
    for index, line in enumerate(lines[1:], start=1):
        if line.strip() == _FENCE:
            return "\n".join(lines[1:index]), "\n".join(lines[index + 1 :])
    raise ConfigurationError(problem="The front matter has no closing line '---'.", file=file, line=1)


def _front_matter(document: Document, file: Path) -> FrontMatter:
    for key in document.content:
        if key not in FrontMatter.model_fields:
            raise document.error(
                (str(key),), f"Unknown key {str(key)[:80]!r}. {nearest(str(key), FrontMatter.model_fields)}"
            )
    for path, problem in problems_of_keys(document.content):
        raise document.error(path, problem)
    try:
        return FrontMatter.model_validate(document.content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = tuple(str(part) for part in first["loc"])
        problem = f"{'.'.join(path)}: {sentence_of(first)}."
        if document.line(path) is None:
            raise ConfigurationError(problem=problem, file=file, line=1) from None
        raise document.error(path, problem) from None


def _problem_of_command(matter: FrontMatter) -> str:
    """Return what is wrong with how an agent is started; "" for nothing."""
    repeated = next((name for name in matter.backend if matter.backend.count(name) > 1), None)
    if repeated is not None:
        return f"backend: {repeated} stands there twice. Name each once, the first choice first."
    if ANY_AGENT in matter.backend and not matter.command.strip():
        return f"backend: {ANY_AGENT} needs a `command` that starts the agent, such as `command: goose acp`."
    if matter.command and ANY_AGENT not in matter.backend:
        named = " and ".join(matter.backend)
        return f"command: {named} is started by its own command. Remove it, or set `backend: {ANY_AGENT}`."
    try:
        shlex.split(matter.command)
    except ValueError as error:
        return f"command: it cannot be read as a command line ({error})."
    return ""


def _check_free(
    persona: AgentPersona,
    document: Document,
    personas: Mapping[str, AgentPersona],
    documents: Mapping[str, Document],
) -> None:
    for key, name in (("name", persona.name), ("display_name", persona.display_name)):
        other = find_persona(name, personas)
        if other is not None:
            owner = documents[other.name].file
            raise document.error((key,), f"The name {name!r} is taken by {owner.name if owner else other.name}.")


def _check_delegates(personas: Mapping[str, AgentPersona], documents: Mapping[str, Document]) -> None:
    for persona in personas.values():
        for index, delegate in enumerate(persona.delegates_to):
            if delegate == persona.name:
                problem = "delegates_to: a persona cannot delegate to itself."
            elif delegate not in personas:
                problem = f"delegates_to: {delegate!r} is no persona. {nearest(delegate, personas)}"
            else:
                continue
            raise documents[persona.name].error(("delegates_to", str(index)), problem)
