"""The `MAMA_` variables: those of the secrets file under those of the environment."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from types import UnionType
from typing import get_args

from dotenv.parser import parse_stream
from pydantic import BaseModel

from mama_bot.config.document import KeyPath, nearest, read_text
from mama_bot.config.secret_files import with_secret_files
from mama_bot.config.section import renamed
from mama_bot.config.settings import FORMER, NESTING, PREFIX, Settings
from mama_bot.errors import ConfigurationError
from mama_bot.similar_names import most_similar

PLAIN = (("source",), ("mode",), ("branch",))  # what a variable says of a repository
_CONFIG = "MAMA_CONFIG"  # where the file is; read by the command line


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A setting given by name: its value, and the secrets file and line where it stands (None: the environment)."""

    name: str
    value: str
    file: Path | None = None
    line: int | None = None

    @property
    def path(self) -> KeyPath:
        """The key that it sets."""
        return tuple(self.name[len(PREFIX) :].lower().split(NESTING))

    def sets(self, path: KeyPath) -> bool:
        """Return whether the value at a key comes from here: the key itself, or one inside a section given as JSON."""
        own = self.path
        if path[: len(own)] != own:
            return own[: len(path)] == path and not is_hook_secret(own)  # the rest of a hook stands in the file
        if len(path) == len(own):
            return True
        value: object = json.loads(self.value)
        for part in path[len(own) :]:
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            else:
                return False
        return True

    def error(self, problem: str) -> ConfigurationError:
        """Return the error that points at this variable."""
        what = "The environment variable" if self.file is None else "The secret"
        return ConfigurationError(problem=f"{what} {self.name} {problem}", file=self.file, line=self.line)


def variable_name(path: KeyPath) -> str:
    """Return the variable that sets a key."""
    return PREFIX + NESTING.join(path).upper()


def read_variables(environment: Mapping[str, str], secrets_file: Path | None) -> Mapping[str, Variable]:
    """Return the variables by upper-case name; raises ConfigurationError for unknown names and broken JSON."""
    known = {variable.name.upper(): variable for variable in _secrets(secrets_file)}
    given = with_secret_files(environment)
    known |= {name.upper(): Variable(name=name, value=value) for name, value in given.items()}
    variables = {
        name: _with_list(variable) for name, variable in known.items() if name.startswith(PREFIX) and name != _CONFIG
    }
    for variable in variables.values():
        _check(variable)
    return variables


def read_secrets(secrets_file: Path) -> Mapping[str, str]:
    """Return every variable of the secrets file, those for agents (ANTHROPIC_API_KEY) included; none without a file."""
    return {variable.name: variable.value for variable in _secrets(secrets_file)}


def section_class(annotation: object) -> type[BaseModel] | None:
    """Return the section that a field is, or holds several of; None for a plain value."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def is_section(annotation: object) -> bool:
    """Return whether a field is one section, or none (and not a list or a mapping of sections)."""
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    return any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds)


def _secrets(file: Path | None) -> Iterator[Variable]:
    if file is None or not file.exists():
        return
    for binding in parse_stream(StringIO(read_text(file))):
        blank = not binding.original.string.strip() or binding.original.string.lstrip().startswith("#")
        if binding.error or (binding.key is not None and binding.value is None):
            line = binding.original.line + _blank_lines_before(binding.original.string)
            raise ConfigurationError(problem="Expected a line NAME=value.", file=file, line=line)
        if not blank and binding.key is not None and binding.value is not None:
            line = binding.original.line + _blank_lines_before(binding.original.string)
            yield Variable(name=binding.key, value=binding.value, file=file, line=line)


def _blank_lines_before(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")


def _with_list(variable: Variable) -> Variable:
    """Ids of `access` may stand between commas, as people write lists in files of variables."""
    path, value = variable.path, variable.value.strip()
    if len(path) != 3 or path[1] != "access" or path[2] == "pairing" or value.startswith(("[", "{")):
        return variable
    return replace(
        variable, value=json.dumps([identifier.strip() for identifier in value.split(",") if identifier.strip()])
    )


def _meant(variable: Variable) -> str:
    """Return a sentence that names the most similar variable: of its section alone, where there is such a section."""
    name, names = variable.name.upper(), sorted(_names(Settings, ()))
    section, _, rest = name.removeprefix(PREFIX).partition(NESTING)
    above = f"{PREFIX}{section}{NESTING}"
    own = {known.removeprefix(above): known for known in names if known.startswith(above)}
    if not own:
        return nearest(name, names)
    meant = most_similar(rest, own)
    if meant is not None:
        return f"Did you mean {own[meant]!r}?"
    tokens = [known for part, known in own.items() if part.endswith("TOKEN")]
    if rest == "ENABLED" and tokens:
        return f"A platform is on once its token is set: {', '.join(tokens)}."
    return f"Of this section there are: {', '.join(own.values())}."


def _check(variable: Variable) -> None:
    model: type[BaseModel] | None = Settings
    annotation: object = None
    if variable.path[0] in FORMER:
        raise variable.error(f"names no setting: {FORMER[variable.path[0]]}")
    if variable.path[0] == "repositories" and len(variable.path) > 2 and variable.path[2:] not in PLAIN:
        problem = (
            "names no setting. Write MAMA_REPOSITORIES__NAME__SOURCE (or __MODE, __BRANCH), or list them in the file."
        )
        raise variable.error(problem)
    if variable.path[0] in ("schedules", "webhooks") and not is_hook_secret(variable.path):
        problem = "names no setting. Of schedules and hooks only MAMA_WEBHOOKS__NAME__SECRET is a variable: "
        raise variable.error(f"{problem}write the rest in the file.")
    for part in variable.path:
        field = None if model is None else model.model_fields.get(part)
        if field is None and (name := renamed(model, part)) is not None:
            raise variable.error(f"is called {variable_name((*variable.path[:-1], name))} now: rename it.")
        if field is None:
            raise variable.error(f"names no setting. {_meant(variable)}")
        annotation = field.annotation
        model = section_class(annotation) if is_section(annotation) else None
        if part == "repositories" or getattr(annotation, "__origin__", None) is Mapping:
            break  # below it stand names of the person's own
    if not _is_json(annotation, variable.path):
        return
    try:
        json.loads(variable.value)
    except (ValueError, RecursionError):
        raise variable.error(
            'is not JSON, which this setting takes, such as ["one", "two"] or {"key": "value"}.'
        ) from None


def _is_json(annotation: object, path: KeyPath) -> bool:
    if path[0] == "repositories":
        return len(path) < 3
    if path[1:2] in (("persona_tokens",), ("persona_roles",)):
        return len(path) < 3
    if is_hook_secret(path):
        return False
    return section_class(annotation) is not None or getattr(annotation, "__origin__", None) in (tuple, Mapping)


def is_hook_secret(path: KeyPath) -> bool:
    """Return whether a key is that of the secret of a hook."""
    return len(path) == 3 and path[0] == "webhooks" and path[2] == "secret"


def _names(model: type[BaseModel], above: KeyPath) -> Iterator[str]:
    for name, field in model.model_fields.items():
        section = field.annotation
        if is_section(section) and isinstance(section, type) and issubclass(section, BaseModel):
            yield from _names(section, (*above, name))
        else:
            yield variable_name((*above, name))
