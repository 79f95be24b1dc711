"""Reading the settings: `config.yaml` under the environment, each mistake one sentence."""

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from dotenv import dotenv_values
from pydantic import BaseModel, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource

from mama_bot.config.settings import NESTING, PREFIX, Settings
from mama_bot.errors import ConfigurationError

SECRET_KEYS = frozenset({"web.key", "store.url"})


def load_settings(file: Path | None, *, environment: Mapping[str, str], secrets_file: Path | None = None) -> Settings:
    """Read the settings from `file` (None: defaults) under `environment`; relative paths are relative to the file.

    Secrets come from the environment or from `secrets_file` (lines of NAME=value). Raises ConfigurationError, one
    sentence with the key, the file and line, what was expected and the nearest valid name.
    """
    document = _Document.read(file) if file is not None else _Document(None, {}, {})
    _refuse_unknown_keys(Settings, document.content, document, ())
    _refuse_secrets(document)
    variables = _variables(environment, secrets_file)
    settings = _validate(document, variables)
    return _with_absolute_paths(settings, document.file)


class _Document:
    """A parsed YAML file that knows on which line each key stands."""

    def __init__(self, file: Path | None, content: dict[str, Any], lines: dict[tuple[str, ...], int]) -> None:
        self.file = file
        self.content = content
        self._lines = lines

    @classmethod
    def read(cls, file: Path) -> "_Document":
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ConfigurationError(
                problem="There is no such file. Give another with --config, or copy config.yaml from the repository.",
                file=file,
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(problem=f"The file cannot be read: {error}.", file=file) from None
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            content = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise ConfigurationError(
                problem=f"This is not YAML: {getattr(error, 'problem', None) or error}.",
                file=file,
                line=None if mark is None else mark.line + 1,
            ) from None
        if content is None:
            content = {}
        if not isinstance(content, dict):
            raise ConfigurationError(problem="Expected keys and values at the top level.", file=file, line=1)
        return cls(file, content, dict(_lines_of(node, ())))

    def line(self, path: tuple[str, ...]) -> int | None:
        """The line of a key, or of the nearest key above it that is in the file."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return None

    def error(self, path: tuple[str, ...], problem: str) -> ConfigurationError:
        return ConfigurationError(problem=problem, file=self.file, line=self.line(path))


def _lines_of(node: yaml.Node | None, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*path, str(key.value))
            yield below, key.start_mark.line + 1
            yield from _lines_of(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            below = (*path, str(index))
            yield below, value.start_mark.line + 1
            yield from _lines_of(value, below)


def nearest(name: str, candidates: Iterable[str]) -> str:
    """A sentence that names the most similar candidate, or lists all of them when none is similar."""
    names = sorted(candidates)
    similar = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if similar:
        return f"Did you mean {similar[0]!r}?"
    return f"Known: {', '.join(names)}." if names else "Nothing is known here."


def _section_of(annotation: object) -> type[BaseModel] | None:
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _refuse_unknown_keys(model: type[BaseModel], content: object, document: _Document, path: tuple[str, ...]) -> None:
    if not isinstance(content, dict):
        return  # a wrong type, which validation names
    for raw, value in content.items():
        key = str(raw)
        here = (*path, key)
        field = model.model_fields.get(key)
        if field is None:
            raise document.error(here, f"Unknown key {'.'.join(here)!r}. {nearest(key, model.model_fields)}")
        section = _section_of(field.annotation)
        if section is None:
            continue
        if isinstance(value, list):
            for index, item in enumerate(value):
                _refuse_unknown_keys(section, item, document, (*here, str(index)))
        elif isinstance(value, dict) and not _is_plain_section(field.annotation):
            for name, item in value.items():
                _refuse_unknown_keys(section, item, document, (*here, str(name)))
        else:
            _refuse_unknown_keys(section, value, document, here)


def _is_plain_section(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _refuse_secrets(document: _Document) -> None:
    for key in sorted(SECRET_KEYS):
        path = tuple(key.split("."))
        value: object = document.content
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            variable = PREFIX + NESTING.join(path).upper()
            raise document.error(
                path, f"{key} is a secret and does not belong here. Set {variable} in the environment or secrets.env."
            )


def _variables(environment: Mapping[str, str], secrets_file: Path | None) -> dict[str, str]:
    """The `MAMA_` variables of the secrets file under those of the environment."""
    found: dict[str, str] = {}
    if secrets_file is not None and secrets_file.exists():
        try:
            values = dotenv_values(secrets_file, interpolate=False)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(problem=f"The secrets file cannot be read: {error}.", file=secrets_file) from None
        found |= {name: value for name, value in values.items() if value is not None}
    found |= environment
    settings = {name: value for name, value in found.items() if name.upper().startswith(PREFIX)}
    for name in settings:
        _refuse_unknown_variable(name)
    return settings


def _refuse_unknown_variable(name: str) -> None:
    parts = name[len(PREFIX) :].lower().split(NESTING)
    if parts == ["config"]:
        return  # where the file is; read by the command line
    model: type[BaseModel] = Settings
    for index, part in enumerate(parts):
        field = model.model_fields.get(part)
        if field is None:
            valid = [PREFIX + NESTING.join([*parts[:index], known]).upper() for known in model.model_fields]
            raise ConfigurationError(
                problem=f"The environment variable {name} names no setting. {nearest(name.upper(), valid)}"
            )
        section = _section_of(field.annotation)
        if section is None or not _is_plain_section(field.annotation):
            return
        model = section


def _validate(document: _Document, variables: Mapping[str, str]) -> Settings:
    class FromMapping(EnvSettingsSource):
        def _load_env_vars(self) -> Mapping[str, str | None]:
            return {name.lower(): value for name, value in variables.items()}

    class Sourced(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            *_: PydanticBaseSettingsSource,
            **__: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return FromMapping(settings_cls), init_settings

    try:
        sourced = Sourced(**document.content)
    except ValidationError as error:
        raise _sentence(error, document, variables) from None
    except ValueError as error:  # a variable that should hold JSON does not
        raise ConfigurationError(problem=f"A MAMA_ environment variable cannot be parsed: {error}.") from None
    return Settings.model_construct(**{name: getattr(sourced, name) for name in Settings.model_fields})


def _sentence(error: ValidationError, document: _Document, variables: Mapping[str, str]) -> ConfigurationError:
    first = error.errors(include_url=False)[0]
    path = tuple(str(part) for part in first["loc"])
    key = ".".join(path)
    variable = PREFIX + NESTING.join(path).upper()
    given = first["input"]
    shown = f" (got {given!r})" if isinstance(given, str | int | float | bool) and key not in SECRET_KEYS else ""
    problem = f"{key}: {first['msg'][:1].lower()}{first['msg'][1:]}{shown}."
    if variable in {name.upper() for name in variables}:
        return ConfigurationError(problem=f"The environment variable {variable}: {problem}")
    return document.error(path, problem)


def _with_absolute_paths(settings: Settings, file: Path | None) -> Settings:
    base = Path.cwd() if file is None else file.resolve().parent

    def absolute(path: Path) -> Path:
        return Path(os.path.normpath(base / path.expanduser()))

    return settings.model_copy(
        update={
            "data_directory": absolute(settings.data_directory),
            "personas_directory": absolute(settings.personas_directory),
            "workspaces": {
                name: workspace.model_copy(update={"path": absolute(workspace.path)})
                for name, workspace in settings.workspaces.items()
            },
        }
    )
