"""What the service is told before it starts: settings, personas, and which model answers."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from urllib.parse import parse_qs, unquote

from pydantic import SecretStr

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.login import find_login
from mama_bot.app.followers import Followers
from mama_bot.config import (
    OWN_NAME,
    SHARED_NAME,
    AgentSource,
    RepositorySettings,
    ServiceRole,
    Settings,
    accepted_file,
    is_url,
    load_settings,
    mistake,
    nearest,
    problems_of_asked,
    problems_of_missing,
    read_secrets,
    secret_file_paths,
    with_secret_files,
)
from mama_bot.config.platform_problems import problems_of_personas
from mama_bot.config.review_problems import problems_of_reviews
from mama_bot.errors import ConfigurationError
from mama_bot.model import NO_WORKFLOW, SYSTEM_VARIABLES, AgentPersona
from mama_bot.personas import load_personas
from mama_bot.provisions import secret_values
from mama_bot.provisions.grants import SECRET_NAME
from mama_bot.provisions.skills import skill_names
from mama_bot.redaction import redactor
from mama_bot.router import Router
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_set import load_rules, load_workflows, problems_of_checkpoints, problems_of_switches, switched
from mama_bot.rules.workflow import Workflow
from mama_bot.wording import Said

BACKENDS = ("claude", *CLIS)
DATABASE_NAME = "mama-bot.sqlite"
SECRETS_NAME = "secrets.env"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Everything that was read and found in order; `environment` is never shown, it may hold secrets."""

    settings: Settings
    personas: Mapping[str, AgentPersona]
    environment: Mapping[str, str] = field(repr=False)
    home: Path
    rules: tuple[Rule, ...] = ()
    workflows: Mapping[str, Workflow] = field(default_factory=dict)
    secrets_file: Path = Path(SECRETS_NAME)
    secret_files: tuple[Path, ...] = ()
    """Those that single secrets were read from."""
    file: Path | None = None
    reread: "Callable[[], Configuration] | None" = None
    """Reads it all again, as the files are now."""
    followers: Followers = field(default_factory=Followers)
    role: ServiceRole = ServiceRole.ALL
    umask: int | None = None
    """What agents keep from others of the files that they make; None: as the service does."""

    @property
    def works(self) -> bool:
        """Whether agents run in this process."""
        return self.role in (ServiceRole.ALL, ServiceRole.WORKER)

    @property
    def scripted(self) -> bool:
        """Whether the scripted model answers instead of a real one."""
        match self.settings.claude.source:
            case AgentSource.SCRIPTED:
                return True
            case AgentSource.REAL:
                return False
            case AgentSource.AUTO if not self.works:
                return False  # where no agent runs there need be no login
            case AgentSource.AUTO:
                return find_login(self.environment, self.home) is None and not self._another_answers()

    def _another_answers(self) -> bool:
        """Return whether a persona has an agent beside Claude that can answer: then nothing here is a demonstration."""
        named = {name for persona in self.personas.values() for name in persona.backends} & set(CLIS)
        return any(CLIS[name].find_login(self.environment, self.home) is not None for name in named)

    @property
    def own_directory(self) -> Path:
        """Where this process keeps what is its own; scripted conversations stay apart from real ones."""
        return self.settings.data_directory / self._kind

    @property
    def directory(self) -> Path:
        """Where the files of conversations are: where everything is, or what the nodes of a service share."""
        shared = None if self.role is ServiceRole.ALL else self.settings.nodes.shared_directory
        return self.own_directory if shared is None else shared / self._kind

    @property
    def _kind(self) -> str:
        return "scripted" if self.scripted else "real"

    def files(self) -> Iterator[Path]:
        """Yield the files that it is read from, those that may come to be included."""
        settings = self.settings
        if self.file is not None:
            yield from (self.file.parent / name for name in (SHARED_NAME, OWN_NAME, self.file.name, SECRETS_NAME))
        yield accepted_file(settings)
        for directory in (settings.personas_directory, settings.rules_directory):
            yield directory
            yield from sorted(directory.rglob("*"))

    @property
    def terminal_rules(self) -> tuple[Rule, ...]:
        """The rules of sessions in a terminal, for which no chat and no repository chooses another workflow."""
        return tuple(rule for rule in self.rules if rule.workflow in ("", self.settings.rules.workflow))

    def redactor(self) -> Callable[[str], str]:
        """Return the function that takes secrets out of logs and records."""
        secrets = [self.environment.get(name, "") for name in self.environment if SECRET_NAME.fullmatch(name)]
        secrets += [secret.get_secret_value() for secret in _configured_secrets(self.settings)]
        secrets += _database_passwords(self.settings)
        for repository in self.settings.repositories.values():
            for check in repository.checks:
                secrets += [value for name, value in check.environment.items() if SECRET_NAME.fullmatch(name)]
            if repository.forge is not None:
                secrets.append(self.environment.get(repository.forge.token, ""))
            for settings in (repository, *repository.personas.values()):
                secrets += secret_values(settings, self.environment)
        for server in self.settings.mcp_servers.values():
            secrets += [self.environment.get(name, "") for name in server.secrets]
            secrets += [value for name, value in server.environment.items() if SECRET_NAME.fullmatch(name)]
        return redactor(secrets)


def _database_passwords(settings: Settings) -> list[str]:
    """Return the password in the address of the database, as it is written there and as it is."""
    if settings.store.url is None:
        return []
    address = settings.store.url.get_secret_value().partition("://")[2]
    # To the last @ as its author meant it, to the first as it is read.
    logins = (address.rpartition("@")[0], address.partition("@")[0] if "@" in address else "")
    written = [login.partition(":")[2] for login in logins]
    written += parse_qs(address.partition("?")[2]).get("password", [])
    return [form for password in written if password for form in (password, unquote(password))]


def _configured_secrets(settings: Settings) -> list[SecretStr]:
    discord, slack, telegram = settings.discord, settings.slack, settings.telegram
    single = (
        settings.web.key,
        settings.store.url,
        discord.token,
        slack.bot_token,
        slack.app_token,
        telegram.token,
        *(hook.secret for hook in settings.webhooks.values()),
    )
    several = [token for platform in (discord, slack, telegram) for token in platform.persona_tokens.values()]
    return [secret for secret in single if secret is not None] + several


def _rereading(file: Path, read: "Callable[[Path], Configuration]") -> "Callable[[], Configuration]":
    """Return what reads it all again: with a `config.local.yaml` on top that came since, as the next start would."""
    own = file.with_name(OWN_NAME)
    may_come = file.name == SHARED_NAME and not own.exists()
    return lambda: read(own if may_come and own.exists() else file)


def read_configuration(
    file: Path, *, environment: Mapping[str, str], optional: bool = False, serves: bool = True
) -> Configuration:
    """Read settings and personas, and check that they fit; starts nothing.

    Where the file is `optional` and missing, the defaults are taken, in a folder that has a team at least. What
    schedules and hooks need of the secrets is missed only where it `serves`.
    Raises ConfigurationError: one sentence with what is wrong, where, and what to do.
    """
    secrets_file = file.parent / SECRETS_NAME
    there = None if optional and not file.exists() else file
    settings = load_settings(there, environment=environment, secrets_file=secrets_file)
    if there is None and not settings.personas_directory.exists():
        raise ConfigurationError(
            problem="There is neither this file nor a team (personas/) here. Run it where mama-bot was cloned, give a "
            "file with --config, or set a place up here with `mama-bot init`.",
            file=file,
        )
    repositories = settings.repositories.values()
    workflows = load_workflows(settings.rules_directory)
    personas = load_personas(
        settings.personas_directory,
        backends=BACKENDS,
        workspaces=tuple(settings.repositories),
        mcp_servers=(*settings.mcp_servers, *(name for each in repositories for name in each.mcp_servers)),
        skills=(*skill_names(settings.skills_directory), *(name for each in repositories for name in each.skills)),
        workflows=tuple(workflows),
    )
    rules = load_rules(settings.rules_directory)
    missing = problems_of_missing(settings) if serves else iter(())
    problems: Iterator[tuple[tuple[str, ...], Said | str]] = chain(
        _problems(settings, personas),
        problems_of_switches(rules, settings.rules),
        problems_of_checkpoints(rules, settings.repositories),
        _problems_of_names(settings, workflows),
        missing,
    )
    for path, problem in problems:
        raise mistake(path, problem, file=there, environment=environment, secrets_file=secrets_file)
    Router(personas=personas, settings=settings.router, source=file)
    return Configuration(
        rules=switched(rules, settings.rules),
        workflows=workflows,
        settings=settings,
        personas=personas,
        environment={**read_secrets(secrets_file), **with_secret_files(environment)},
        secret_files=secret_file_paths(environment),
        secrets_file=secrets_file.absolute(),
        file=file.absolute(),
        reread=_rereading(
            file.absolute(), partial(read_configuration, environment=environment, optional=optional, serves=serves)
        ),
        home=Path(environment.get("HOME") or os.path.expanduser("~")),  # noqa: PTH111 - Path.home() raises without one
    )


def _problems(settings: Settings, personas: Mapping[str, AgentPersona]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield where settings do not fit the personas and the disk: the key's path, and a sentence."""
    default = settings.router.default_persona
    if default not in personas:
        yield ("router", "default_persona"), f"{default!r} is no persona. {nearest(default, personas)}"
    yield from problems_of_reviews(settings.reviews, personas)
    yield from problems_of_personas(settings, personas)
    yield from problems_of_asked(settings, personas)
    for name, repository in settings.repositories.items():
        yield from _problems_of_directory(("repositories", name), repository)
        for persona in repository.personas:
            if persona not in personas:
                yield (
                    ("repositories", name, "personas", persona),
                    f"{persona!r} is no persona. {nearest(persona, personas)}",
                )


def _problems_of_names(settings: Settings, workflows: Mapping[str, Workflow]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield names of workflows that there are not, and of variables that nothing may set."""
    for name in settings.variables:
        if name in SYSTEM_VARIABLES:
            yield ("variables", name), f"{name!r} is a variable of the service, which nothing overrides."
    known = (*workflows, NO_WORKFLOW)
    named: list[tuple[tuple[str, ...], str]] = [(("rules", "workflow"), settings.rules.workflow)]
    named += [(("repositories", name, "workflow"), each.workflow) for name, each in settings.repositories.items()]
    for path, name in named:
        if name and name not in known:
            yield path, f"{name[:60]!r} is no workflow. {nearest(name, known)}"


def _problems_of_directory(
    key: tuple[str, ...], repository: RepositorySettings
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is wrong with the directory that a repository is on this machine."""
    if is_url(repository.source):
        return
    path = Path(repository.source)
    try:
        yield from _problems_of_path(key, path, repository)
    except OSError as error:  # what may not be looked at, or is no path
        yield (*key, "source"), f"it cannot be read: {error.strerror or error}."


def _problems_of_path(
    key: tuple[str, ...], path: Path, repository: RepositorySettings
) -> Iterator[tuple[tuple[str, ...], str]]:
    if not path.is_dir():
        yield (*key, "source"), f"there is no directory {path}."
    elif repository.in_place and repository.checks and not _in_repository(path):
        problem = (
            f"{path} belongs to no git repository, and a check is run on a git tree. "
            "Run `git init` there, or remove the checks."
        )
        yield (*key, "checks"), problem
    elif not repository.in_place and not ((path / ".git").exists() or (path / "HEAD").is_file()):
        problem = f"{path} is no git repository. Run `git init` there, or set `mode: in_place`."
        yield (*key, "source"), problem


def _in_repository(path: Path) -> bool:
    real = path.resolve()
    return any((directory / ".git").exists() for directory in (real, *real.parents))


def scripted(configuration: Configuration) -> Configuration:
    """Return the same with the scripted model."""
    return _of(configuration, AgentSource.SCRIPTED)


def stored_places(configuration: Configuration) -> tuple[Configuration, ...]:
    """Return the same for each place where the service may keep its database, whatever login this process has.

    With `claude.source: auto` the service's own environment decides, and a command has another: the real one first.
    """
    return (configuration,) if configuration.settings.store.url is not None else data_places(configuration)


def data_places(configuration: Configuration) -> tuple[Configuration, ...]:
    """Return the same for each directory that may be the service's, also where its database is elsewhere by now."""
    if configuration.settings.claude.source is not AgentSource.AUTO:
        return (configuration,)
    return (_of(configuration, AgentSource.REAL), _of(configuration, AgentSource.SCRIPTED))


def _of(configuration: Configuration, source: AgentSource) -> Configuration:
    settings = configuration.settings
    claude = settings.claude.model_copy(update={"source": source})
    read = configuration.reread
    return replace(
        configuration,
        settings=settings.model_copy(update={"claude": claude}),
        reread=None if read is None else lambda: _of(read(), source),
    )
