"""Personas: Markdown files with front matter, read and checked together."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mama_bot.config import nearest
from mama_bot.errors import ConfigurationError
from mama_bot.model import AgentPersona, Tier

NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
TOOLS = frozenset(
    {"Bash", "Read", "Edit", "MultiEdit", "Write", "Grep", "Glob", "NotebookEdit", "WebFetch", "WebSearch", "TodoWrite"}
)
_FENCE = "---"


class FrontMatter(BaseModel):
    """The keys of a persona's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
    display_name: Annotated[str, Field(min_length=1, max_length=80)]
    avatar: Annotated[str, Field(max_length=2000)] = ""
    backend: str = "claude"
    model: str | None = None
    tools: tuple[str, ...] = ()
    tier: Tier = Tier.WORKER
    delegates_to: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    workspace: str = "own"


def load_personas(
    directory: Path, *, default: str, backends: Sequence[str], workspaces: Sequence[str]
) -> Mapping[str, AgentPersona]:
    """Read every `*.md` of a directory, by name.

    Raises ConfigurationError (file, line, nearest valid name) for broken front matter, unknown keys, tools, backends,
    workspaces and delegates, for two files with one name, and when the default persona is missing.
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
    sources: dict[str, Path] = {}
    for file in files:
        persona = read_persona(file, backends=backends, workspaces=workspaces)
        if persona.name in sources:
            raise ConfigurationError(
                problem=f"The name {persona.name!r} is taken by {sources[persona.name].name}.", file=file
            )
        personas[persona.name] = persona
        sources[persona.name] = file
    _check_delegates(personas, sources)
    if default not in personas:
        raise ConfigurationError(
            problem=f"router.default_persona is {default!r}, which no file here is named. {nearest(default, personas)}",
            file=directory,
        )
    return personas


def read_persona(file: Path, *, backends: Sequence[str], workspaces: Sequence[str]) -> AgentPersona:
    """Read one persona; raises ConfigurationError."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(problem=f"The file cannot be read: {error}.", file=file) from None
    header, prompt = _split(text.removeprefix("\ufeff"), file)
    matter = _front_matter(header, file)
    if not prompt.strip():
        raise ConfigurationError(problem="There is no prompt below the front matter.", file=file)
    for key, values, known in (
        ("tools", matter.tools, TOOLS),
        ("backend", (matter.backend,), backends),
        ("workspace", (matter.workspace,), ("own", "team", *workspaces)),
    ):
        for value in values:
            if value not in known:
                raise ConfigurationError(
                    problem=f"{key}: {value!r} is not known. {nearest(value, known)}",
                    file=file,
                    line=_line_of(header, key),
                )
    return AgentPersona(**matter.model_dump(), prompt=prompt.strip())


def _split(text: str, file: Path) -> tuple[str, str]:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != _FENCE:
        raise ConfigurationError(
            problem="Expected front matter: a line '---', keys, another line '---'.", file=file, line=1
        )
    for index, line in enumerate(lines[1:], start=1):
        if line.strip() == _FENCE:
            return "".join(lines[1:index]), "".join(lines[index + 1 :])
    raise ConfigurationError(problem="The front matter has no closing line '---'.", file=file, line=1)


def _front_matter(header: str, file: Path) -> FrontMatter:
    try:
        content: Any = yaml.safe_load(header)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ConfigurationError(
            problem=f"The front matter is not YAML: {getattr(error, 'problem', None) or error}.",
            file=file,
            line=None if mark is None else mark.line + 2,
        ) from None
    if not isinstance(content, dict):
        raise ConfigurationError(problem="The front matter has no keys.", file=file, line=2)
    for key in content:
        if key not in FrontMatter.model_fields:
            raise ConfigurationError(
                problem=f"Unknown key {key!r}. {nearest(str(key), FrontMatter.model_fields)}",
                file=file,
                line=_line_of(header, str(key)),
            )
    try:
        return FrontMatter.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = str(first["loc"][0])
        raise ConfigurationError(
            problem=f"{key}: {first['msg'][:1].lower()}{first['msg'][1:]}.", file=file, line=_line_of(header, key)
        ) from None


def _line_of(header: str, key: str) -> int:
    for number, line in enumerate(header.splitlines(), start=2):
        if line.startswith(f"{key}:"):
            return number
    return 2


def _check_delegates(personas: Mapping[str, AgentPersona], sources: Mapping[str, Path]) -> None:
    for persona in personas.values():
        for delegate in persona.delegates_to:
            if delegate == persona.name:
                problem = "delegates_to: a persona cannot delegate to itself."
            elif delegate not in personas:
                problem = f"delegates_to: {delegate!r} is no persona. {nearest(delegate, personas)}"
            else:
                continue
            raise ConfigurationError(problem=problem, file=sources[persona.name])
