"""The doctor asks each repository as the service and as its personas would, and says what is missing."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.app.provisions import own_stores
from mama_bot.commands.doctor import examine_all
from mama_bot.commands.server_checks import examined_brought
from mama_bot.model import Examination
from mama_bot.provisions.brought_servers import brought_servers
from tests.end_to_end.evidence import git
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_repositories import make_source
from tests.git_server import Served, git_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    directory = tmp_path / "server"
    source = make_source(directory)
    git(directory, "clone", "-q", "--bare", str(source), str(directory / "app.git"))
    with git_server(directory, {"app.git": ("robot", "good-token")}) as served:
        yield served


def examined(
    directory: Path, environment: Mapping[str, str] | None = None, **repository: Any
) -> Mapping[str, Examination]:
    file = write_configuration(directory, repositories={"app": repository})
    configuration = read_configuration(file, environment={"PATH": "/usr/bin:/bin", **(environment or {})})
    return {each.subject: each for each in examine_all(configuration, examiners={})}


def test_a_repository_that_asks_for_a_token_is_told_with_the_key_to_set(tmp_path: Path, server: Served) -> None:
    told = examined(tmp_path, source=server.url("app.git"))["repository app"]
    assert not told.ok
    assert "does not answer" in told.outcome
    assert told.remedy == (
        "A private one needs a token: put it into secrets.env, and its name into repositories.app.git.password."
    )


def test_each_way_is_tried_and_a_token_is_never_shown(tmp_path: Path, server: Served) -> None:
    environment = {"GOOD": "good-token", "BAD": "bad-token-value"}
    told = examined(
        tmp_path,
        environment,
        source=server.url("app.git"),
        git={"user": "robot", "password": "GOOD"},
        personas={"developer": {"git": {"user": "robot", "password": "BAD"}}},
    )
    assert told["repository app"].outcome.endswith("answers, 1 branch")
    persona = told["repository app, as developer"]
    assert not persona.ok
    assert persona.remedy == "Is BAD in secrets.env still good, for the account robot, and may it read here?"
    assert not any(token in repr(told) for token in environment.values())


def test_of_a_source_that_everybody_reads_it_is_said_what_a_push_needs(tmp_path: Path) -> None:
    source = make_source(tmp_path / "server")
    git(tmp_path / "server", "clone", "-q", "--bare", str(source), "app.git")
    with git_server(tmp_path / "server", {}, public=["app.git"]) as server:
        told = examined(tmp_path, source=server.url("app.git"))["repository app"]
    assert told.ok
    assert told.remedy == (
        "To merge and push there put a token into secrets.env, and its name into repositories.app.git.password."
    )


def test_what_is_granted_and_not_there_is_named(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    told = examined(tmp_path, source=str(source), personas={"developer": {"secrets": ["NPM_TOKEN"]}})
    assert told["repository app"].ok
    missing = told["secrets of app for developer"]
    assert not missing.ok
    assert "NPM_TOKEN is neither in secrets.env nor in the environment" in missing.outcome


def test_a_host_that_ssh_does_not_reach_is_told(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("key")
    told = examined(tmp_path, source="ssh://git@127.0.0.1:9/app.git", git={"ssh_key": str(key)})
    assert not told["repository app"].ok
    assert "host and key known?" in told["repository app"].remedy


def test_servers_without_their_program_or_secret_are_told(tmp_path: Path) -> None:
    servers = {
        "tickets": {"command": ["no-such-program"]},
        "shell": {"command": ["sh", "-c", "true"]},
        "docs": {"url": "https://docs.example.org/mcp", "secrets": ["DOCS_TOKEN"]},
    }
    personas = {"developer": "workspace: team\nmcp_servers: [tickets, shell]"}
    file = write_configuration(tmp_path, mcp_servers=servers, personas=personas)
    configuration = read_configuration(file, environment={"PATH": "/usr/bin:/bin"})
    told = {each.subject: (each.ok, each.outcome) for each in examine_all(configuration, examiners={})}
    assert told["MCP server tickets"] == (False, "there is no program no-such-program: developer cannot use it")
    assert told["MCP server shell"] == (True, "sh is there, for developer")
    outcome = "DOCS_TOKEN is neither in secrets.env nor in the environment: nobody names it either"
    assert told["MCP server docs"] == (False, outcome)


def test_what_a_server_of_the_repository_declares_is_shown_with_the_line_that_allows_it(tmp_path: Path) -> None:
    source = make_source(tmp_path)

    def declared(*arguments: str) -> str:
        servers = {"browser": {"command": "npx", "args": list(arguments)}}
        (source / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
        git(source, "add", "-A")
        git(source, "commit", "-qm", "Bring a server")
        return brought_servers(json.dumps({"mcpServers": servers}))["browser"].digest

    def told(**allowed: str) -> Examination | None:
        file = write_configuration(tmp_path, repositories={"app": {"source": str(source), "mcp_servers": allowed}})
        configuration = read_configuration(file, environment={"PATH": "/usr/bin:/bin"})
        asyncio.run(own_stores(configuration)["app"].fetch())
        return {each.subject: each for each in asyncio.run(examined_brought(configuration))}.get(
            "MCP server browser, brought by app"
        )

    digest = declared("browser-mcp")
    shown = told()
    assert shown is not None
    assert shown.ok
    assert 'It declares {"args": ["browser-mcp"], "command": "npx"}' in shown.outcome
    assert f"write `browser: {digest}` under repositories.app.mcp_servers" in shown.outcome
    assert told(browser=digest) is None
    declared("another-mcp")
    changed = told(browser=digest)
    assert changed is not None
    assert not changed.ok
    assert "`args` changed" in changed.outcome


def test_a_repository_without_checks_is_noted_with_what_its_files_suggest(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q", "-b", "main")
    (source / "go.mod").write_text("module shop\n", encoding="utf-8")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "first")
    noted = examined(tmp_path, source=str(source))["checks of app"]
    assert (noted.ok, noted.noted) == (True, True)
    assert "By its files: go test ./...." in noted.remedy
    check = {"name": "tests", "argv": ["go", "test"]}
    assert "checks of app" not in examined(tmp_path, source=str(source), checks=[check])
