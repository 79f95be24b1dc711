"""Reading the settings: `config.yaml`, `config.local.yaml` on top of it, the environment above both."""

import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource

from mama_bot.config.accepted import with_accepted
from mama_bot.config.budget_settings import problems_of_budgets
from mama_bot.config.check_problems import problems_of_checks
from mama_bot.config.document import Document, KeyPath, nearest, parse_document, read_text
from mama_bot.config.expressions import problems_of_enforcement
from mama_bot.config.mcp_settings import problems_of_servers
from mama_bot.config.page_problems import problems_of_page
from mama_bot.config.platform_problems import problems_of_platforms
from mama_bot.config.provision_settings import ProvisionSettings
from mama_bot.config.repository_problems import problems_of_repositories
from mama_bot.config.repository_settings import RepositorySettings, is_url
from mama_bot.config.section import renamed
from mama_bot.config.sentences import AT_KEY
from mama_bot.config.settings import FORMER, Settings
from mama_bot.config.trigger_problems import problems_of_triggers, secret_variable
from mama_bot.config.variables import Variable, is_section, read_variables, section_class, variable_name
from mama_bot.errors import ConfigurationError
from mama_bot.model import words
from mama_bot.wording import Language, Said

SECRET_KEYS = frozenset(
    words(
        "web.key store.url discord.token discord.persona_tokens slack.bot_token slack.app_token slack.persona_tokens "
        "telegram.token telegram.persona_tokens"
    )
)
SHARED_NAME, OWN_NAME = "config.yaml", "config.local.yaml"
_SHOWN_CHARACTERS = 80
Given = TypeVar("Given", bound=ProvisionSettings)
_EXPECTED = {
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "text (put it in quotes)",
    "string_unicode": "text without broken characters",
    "path_type": "a path",
    "tuple_type": "a list",
    "too_short": "at least one entry",
    "dict_type": "keys and values",
    "mapping_type": "keys and values",
    "model_type": "keys and values",
    "missing": "a value, there is none",
}


def load_settings(file: Path | None, *, environment: Mapping[str, str], secrets_file: Path | None = None) -> Settings:
    """Read the settings from `file` (None: defaults) under `environment`, with what was accepted (`accepted.yaml`).

    A `config.local.yaml` stands on top of the `config.yaml` beside it.
    Relative paths are relative to the file. Secrets come from the environment or from `secrets_file` (lines of
    NAME=value). Raises ConfigurationError, one sentence with the key, the file and line, what was expected and the
    nearest valid name.
    """
    document = _read(file)
    _refuse_unknown_keys(Settings, document.content, document, ())
    _refuse_secrets(document)
    variables = read_variables(environment, secrets_file)
    settings = _validate(document, variables)
    for path, problem in chain(
        problems_of_repositories(settings),
        problems_of_servers(settings.mcp_servers),
        problems_of_checks(settings),
        problems_of_enforcement(settings.enforcement),
        problems_of_platforms(settings),
        problems_of_triggers(settings),
        problems_of_budgets(settings.budgets),
        problems_of_page(settings),
    ):
        raise _wrong(path, f"{'.'.join(path)}: {problem}", document, variables)
    return with_accepted(_with_absolute_paths(settings, document, variables))


def mistake(
    path: KeyPath, problem: Said | str, *, file: Path | None, environment: Mapping[str, str], secrets_file: Path
) -> ConfigurationError:
    """Return the error about a setting that does not fit the personas or the disk, at its line or its variable."""
    told = AT_KEY.of(key=".".join(path), problem=problem)
    return _wrong(path, told, _read(file), read_variables(environment, secrets_file))


def sentence_of(error: ErrorDetails, *, secret: bool = False) -> str:
    """Return what pydantic found wrong about one value, as a sentence without its full stop."""
    expected = _EXPECTED.get(error["type"])
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    text = f"expected {expected}" if expected else _expected(message)
    given = error["input"]
    if secret or not isinstance(given, str | int | float | bool):
        return text
    shown = repr(given)
    return f"{text}, got {shown if len(shown) <= _SHOWN_CHARACTERS else shown[:_SHOWN_CHARACTERS] + '...'}"


def _expected(message: str) -> str:
    if message[:1].islower() or message[:1] == "'":
        return message if message.startswith("expected ") else f"expected {message}"
    return message[:1].lower() + message[1:]


def _read(file: Path | None) -> Document:
    if file is None:
        return Document(content={}, lines={})
    if not file.exists():
        raise ConfigurationError(
            problem="There is no such file. Give another with --config, or make it with `mama-bot init`.",
            file=file,
        )
    document = parse_document(read_text(file), file=file)
    shared = file.with_name(SHARED_NAME)
    if file.name == OWN_NAME and shared.exists():
        return document.on_top_of(parse_document(read_text(shared), file=shared))
    return document


def _refuse_unknown_keys(model: type[BaseModel], content: object, document: Document, path: KeyPath) -> None:
    if not isinstance(content, dict):
        return  # a wrong type, which validation names
    for raw, value in content.items():
        key = str(raw)
        here = (*path, key)
        field = model.model_fields.get(key)
        if field is None:
            raise document.error(here, _unknown(here, model))
        section = section_class(field.annotation)
        if section is None:
            continue
        if isinstance(value, list):
            for index, item in enumerate(value):
                _refuse_unknown_keys(section, item, document, (*here, str(index)))
        elif isinstance(value, dict) and not is_section(field.annotation):
            for name, item in value.items():
                _refuse_unknown_keys(section, item, document, (*here, str(name)))
        else:
            _refuse_unknown_keys(section, value, document, here)


def _refuse_secrets(document: Document) -> None:
    for key in sorted(SECRET_KEYS):
        path = tuple(key.split("."))
        value: object = document.content
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            raise document.error(
                path,
                f"{key} is a secret and does not belong here. "
                f"Set {variable_name(path)} in the environment or secrets.env.",
            )
    hooks = document.content.get("webhooks")
    for name, hook in hooks.items() if isinstance(hooks, dict) else ():
        if isinstance(hook, dict) and hook.get("secret") is not None:
            path = ("webhooks", str(name), "secret")
            problem = f"{'.'.join(path)} is a secret and does not belong here. "
            raise document.error(path, f"{problem}Set {secret_variable(str(name))} in the environment or secrets.env.")


def _validate(document: Document, variables: Mapping[str, Variable]) -> Settings:
    class FromMapping(EnvSettingsSource):
        def _load_env_vars(self) -> Mapping[str, str | None]:
            return {name.lower(): variable.value for name, variable in variables.items()}

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
    return Settings.model_construct(**{name: getattr(sourced, name) for name in Settings.model_fields})


def _sentence(error: ValidationError, document: Document, variables: Mapping[str, Variable]) -> ConfigurationError:
    first = error.errors(include_url=False)[0]
    path = tuple(str(part) for part in first["loc"])
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        problem = _unknown(path, _section_above(path))
    else:
        secret = path[0] == "webhooks" or any(
            f"{known}.".startswith(f"{key}.") or f"{key}.".startswith(f"{known}.") for known in SECRET_KEYS
        )
        problem = f"{key}: {sentence_of(first, secret=secret)}."
    return _wrong(path[:-1] if first["type"] == "missing" else path, problem, document, variables)


def _wrong(
    given: KeyPath, problem: Said | str, document: Document, variables: Mapping[str, Variable]
) -> ConfigurationError:
    """The error about a value, which points at the file or at the variable that it comes from."""
    for variable in variables.values():
        if variable.sets(given):
            told = problem if isinstance(problem, str) else problem.to(Language.ENGLISH)
            return variable.error(f"is wrong: {told}")
    return document.error(given, problem)


def _unknown(path: KeyPath, section: type[BaseModel]) -> str:
    if len(path) == 1 and path[0] in FORMER:
        return FORMER[path[0]]
    shown = ".".join(path)[:_SHOWN_CHARACTERS]
    name = renamed(section, path[-1])
    if name is not None:
        return f"{shown} is called {name!r} now: rename the key."
    return f"Unknown key {shown!r}. {nearest(path[-1], section.model_fields)}"


def _section_above(path: KeyPath) -> type[BaseModel]:
    """Return the section that a key stands in."""
    model: type[BaseModel] = Settings
    for part in path[:-1]:
        field = model.model_fields.get(part)
        model = (section_class(field.annotation) if field is not None else None) or model
    return model


def _absolute(path: Path, base: Path) -> Path:
    if b"\0" in os.fsencode(path):
        raise ValueError("it holds a NUL character")
    return Path(os.path.normpath(base / path.expanduser()))


def _with_absolute_paths(settings: Settings, document: Document, variables: Mapping[str, Variable]) -> Settings:
    base = Path.cwd() if document.file is None else document.file.resolve().parent

    def absolute(path: Path, *key: str) -> Path:
        try:
            return _absolute(path, base)
        except (RuntimeError, ValueError) as error:
            problem = f"{'.'.join(key)}: this path cannot be used: {str(error).rstrip('.')}."
            variable = variables.get(variable_name(key))
            raise (variable.error(f"is wrong: {problem}") if variable else document.error(key, problem)) from None

    def given(provisions: Given, *key: str) -> Given:
        files = {name: absolute(file, *key, "secret_files", name) for name, file in provisions.secret_files.items()}
        git = {name: absolute(file, *key, "git", name) for name, file in provisions.git.files.items()}
        return provisions.model_copy(update={"secret_files": files, "git": provisions.git.model_copy(update=git)})

    def placed(name: str, repository: RepositorySettings) -> RepositorySettings:
        key = ("repositories", name)
        personas = {who: given(each, *key, "personas", who) for who, each in repository.personas.items()}
        repository = given(repository, *key).model_copy(update={"personas": personas})
        if is_url(repository.source):
            return repository
        source = absolute(Path(repository.source), *key, "source")
        return repository.model_copy(update={"source": str(source)})

    claude = settings.claude
    if claude.cli_path is not None:
        claude = claude.model_copy(update={"cli_path": absolute(claude.cli_path, "claude", "cli_path")})
    nodes = settings.nodes
    if nodes.shared_directory is not None:
        shared = absolute(nodes.shared_directory, "nodes", "shared_directory")
        nodes = nodes.model_copy(update={"shared_directory": shared})
    backups = settings.backups
    if backups.directory is not None:
        backups = backups.model_copy(update={"directory": absolute(backups.directory, "backups", "directory")})
    return settings.model_copy(
        update={
            "backups": backups,
            "data_directory": absolute(settings.data_directory, "data_directory"),
            "personas_directory": absolute(settings.personas_directory, "personas_directory"),
            "skills_directory": absolute(settings.skills_directory, "skills_directory"),
            "claude": claude,
            "rules_directory": absolute(settings.rules_directory, "rules_directory"),
            "repositories": {name: placed(name, repository) for name, repository in settings.repositories.items()},
        }
    )
