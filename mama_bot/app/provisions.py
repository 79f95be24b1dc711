"""What agents are given in the repository in which they work, by the configuration."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.repository_store import RepositoryStore
from mama_bot.checkouts.work_places import STORES, borrowed_objects, store_directory
from mama_bot.config import InstructionsFrom, RepositorySettings
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import AgentPersona, RefusedOffer, RefusedServer
from mama_bot.provisions import GitWay, Grant, Provision, Skill, grant_of, own_way
from mama_bot.provisions.brought_servers import BROUGHT as SERVERS_FILE
from mama_bot.provisions.brought_servers import BroughtServer, brought_servers, refusal_of
from mama_bot.provisions.instructions import INSTRUCTION_FILES, instructions_of, not_offered
from mama_bot.provisions.mcp_servers import allowed_servers, configured_servers
from mama_bot.provisions.skills import BROUGHT as SKILLS_PLACE
from mama_bot.provisions.skills import brought_skills, configured_skills
from mama_bot.repositories.committed_files import MOST_BYTES, committed_files, oversized_files
from mama_bot.repositories.git import Git, GitFailed
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """The MCP servers and the skills that a repository brings, by name."""

    servers: Mapping[str, BroughtServer] = field(default_factory=dict)
    skills: Mapping[str, Skill] = field(default_factory=dict)


class RepositoryProvisions:
    """Says what a persona is given in a workspace: what its repository grants it there, and nothing elsewhere."""

    def __init__(self, configuration: Configuration) -> None:
        directory = configuration.directory.absolute()
        self._configuration = configuration
        self._redact = configuration.redactor()
        self._looking = Git(SECONDS, directory, partial(borrowed_objects, directory))
        self._stores = own_stores(configuration)

    async def of(self, persona: AgentPersona, workspace: Path, only_looks: bool) -> Provision:
        """Return it; raises GrantMissing where something of it is not there any more, OSError."""
        provision = await asyncio.to_thread(self._everywhere, persona, only_looks=only_looks)
        work_place = work_repository(self._configuration, workspace)
        if work_place is None:
            return provision
        name, settings = work_place
        granted = partial(granted_in, self._configuration, name, settings, persona.name, only_looks=only_looks)
        grant = await asyncio.to_thread(granted)
        shown = granted_in(self._configuration, name, settings, persona.name, only_looks=True).variables
        wanted = [f"{SKILLS_PLACE}/{skill}" for skill in _both(persona.skills, settings.skills)]
        here = {server.name for server in provision.servers}
        named = [] if only_looks else [each for each in persona.mcp_servers if each not in here]
        wanted += [SERVERS_FILE] if any(each in settings.mcp_servers for each in named) else []
        brought = await self.brought(name, *wanted) if wanted else Brought()
        asked = {each: brought.servers[each] for each in named if each in {*settings.mcp_servers} & {*brought.servers}}
        refused = await self._refused(name, settings, asked)
        offered = {each: server.settings for each, server in asked.items() if server.settings is not None}
        for server in refused:
            offered.pop(server.name, None)
        skills = [each for each in _both(persona.skills, settings.skills) if each in brought.skills]
        return Provision(
            grant=grant,
            instructions=await self._instructions(name, settings, workspace) + not_offered(refused),
            servers=(*provision.servers, *allowed_servers(named, offered, grant.variables, shown=shown)),
            skills=(*provision.skills, *(brought.skills[each] for each in skills)),
        )

    def _everywhere(self, persona: AgentPersona, *, only_looks: bool) -> Provision:
        """Return what a persona is offered wherever it works; who only looks calls nothing that may change things."""
        settings, secrets = self._configuration.settings, self._configuration.environment
        servers = () if only_looks else configured_servers(persona.mcp_servers, settings.mcp_servers, secrets)
        return Provision(
            servers=tuple(servers), skills=tuple(configured_skills(persona.skills, settings.skills_directory))
        )

    async def brought(self, name: str, *paths: str) -> Brought:
        """Return what a repository brings at these paths, on the branch where work begins, allowed or not."""
        if name not in self._stores or not self._stores[name].directory.is_dir():
            return Brought()
        try:
            files = await self._stores[name].files(*paths)
        except (GitFailed, RepositoryUnavailable, OSError) as error:
            log.warning("brought_not_read", repository=name, reason=str(error))
            return Brought()
        return Brought(servers=brought_servers(files.get(SERVERS_FILE, "")), skills=brought_skills(files))

    async def refused(self, name: str) -> RefusedOffer:
        """Return what a repository brings that nobody has allowed."""
        settings = self._configuration.settings.repositories.get(name)
        if settings is None:
            return RefusedOffer()
        brought = await self.brought(name, SERVERS_FILE, SKILLS_PLACE)
        return RefusedOffer(
            repository=name,
            servers=await self._refused(name, settings, brought.servers),
            skills=tuple(sorted(brought.skills.keys() - {*settings.skills})),
        )

    async def _refused(
        self, name: str, settings: RepositorySettings, servers: Mapping[str, BroughtServer]
    ) -> tuple[RefusedServer, ...]:
        """Return which of these servers are refused, each with why; what was declared before is asked of git."""
        allowed = settings.mcp_servers
        changed = [each for each, server in servers.items() if allowed.get(each, server.digest) != server.digest]
        earlier = await self._earlier(name) if changed else ()
        refused = []
        for each, server in sorted(servers.items()):
            why = refusal_of(server, allowed.get(each), (then[each] for then in earlier if each in then))
            if why is None:
                continue
            refused.append(
                RefusedServer(
                    name=each,
                    why=why,
                    declaration=server.text,
                    digest=server.digest,
                    can_be_allowed=server.settings is not None,
                )
            )
            if each in allowed:
                log.warning("brought_server_refused", repository=name, server=each, reason=why.to(Language.ENGLISH))
        return tuple(refused)

    async def _earlier(self, name: str) -> Sequence[Mapping[str, BroughtServer]]:
        """Return what a repository brought before, as far as git tells."""
        try:
            return [brought_servers(text) for text in await self._stores[name].earlier(SERVERS_FILE)]
        except (GitFailed, RepositoryUnavailable, OSError) as error:
            log.warning("brought_not_read", repository=name, reason=str(error))
            return ()

    async def _instructions(self, name: str, settings: RepositorySettings, workspace: Path) -> str:
        files: Mapping[str, str] = {}
        oversized: Sequence[str] = ()
        branch = "the branch of this conversation"
        try:
            match settings.instructions:
                case InstructionsFrom.NONE:
                    pass
                case InstructionsFrom.DEFAULT:
                    # Whoever works in place writes its branches too: of none of them can one say whose word it is.
                    if name in self._stores:
                        files = await self._stores[name].files(*INSTRUCTION_FILES)
                        oversized = await self._stores[name].oversized(*INSTRUCTION_FILES)
                        branch = f"its branch {(await self._stores[name].last_base()).branch}"
                case InstructionsFrom.BRANCH:
                    files, oversized = await self._on_branch(workspace, *INSTRUCTION_FILES)
        except (GitFailed, RepositoryUnavailable, OSError) as error:
            log.warning("instructions_not_read", repository=name, reason=str(error))
        if oversized:
            log.warning("instructions_too_large", repository=name, files=list(oversized), most_bytes=MOST_BYTES)
        return self._redact(instructions_of(files, repository=name, branch=branch, oversized=oversized))

    async def _on_branch(self, workspace: Path, *paths: str) -> tuple[Mapping[str, str], Sequence[str]]:
        repository = await self._looking.find(workspace)
        if repository is None or not repository.commit:
            return {}, ()
        output = partial(self._looking.output, repository.root, variables=repository.variables)
        files = await committed_files(output, repository.commit, paths)
        return files, await oversized_files(output, repository.commit, paths)


def _both(named: Sequence[str], allowed: Sequence[str]) -> list[str]:
    return [name for name in named if name in allowed]


def own_stores(configuration: Configuration) -> Mapping[str, RepositoryStore]:
    """Return what reads the copies of the repositories that the service has, by name."""
    git = OwnGit(configuration.directory.absolute() / STORES / "gitconfig")
    return {
        name: RepositoryStore(
            name=name,
            settings=settings,
            directory=store_directory(configuration.directory.absolute(), name),
            git=git,
            seconds=SECONDS,
            now=time.monotonic,
        )
        for name, settings in configuration.settings.repositories.items()
        if not settings.in_place
    }


def granted_in(
    configuration: Configuration,
    name: str,
    settings: RepositorySettings,
    persona: str = "",
    *,
    only_looks: bool = False,
) -> Grant:
    """Return what a persona ("": nobody in particular) is granted in a repository; raises GrantMissing."""
    return grant_of(
        name,
        settings,
        persona=persona,
        secrets=configuration.environment,
        home=configuration.home,
        only_looks=only_looks,
    )


def own_ways(configuration: Configuration) -> dict[str, GitWay]:
    """Return how the service itself reaches the source of each repository, by name."""
    repositories = configuration.settings.repositories.items()
    return {name: own_way(each.git, each.source, configuration.environment) for name, each in repositories}


def work_repository(configuration: Configuration, workspace: Path) -> tuple[str, RepositorySettings] | None:
    """Return the repository that a workspace is of, with its name; None where it is of none that is configured."""
    repositories, real = configuration.settings.repositories, workspace.resolve()
    if borrowed_objects(configuration.directory.absolute(), real):
        settings = repositories.get(real.name)
        return (real.name, settings) if settings is not None else None
    in_place = ((name, each) for name, each in repositories.items() if each.in_place)
    return next(((name, each) for name, each in in_place if Path(each.source).resolve() == real), None)
