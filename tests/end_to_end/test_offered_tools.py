"""MCP servers and skills: those that are named and allowed reach the agent, with what is theirs alone; no others do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.model import Author, Command, CommandName, Origin
from mama_bot.provisions.brought_servers import brought_servers
from tests.end_to_end.evidence import git
from tests.end_to_end.team import key, running_team
from tests.end_to_end.test_repositories import make_source, settings_for
from tests.walls import refusals

pytestmark = pytest.mark.cli

SERVER = Path(__file__).parents[1] / "mcp_server.py"
TOKEN = "tickets-token-Fn73qS"


def calling(seen: list[ModelRequest]) -> ModelScript:
    """A model that calls the tool named in a message with the JSON behind it, and answers with what that said."""

    def reply(request: ModelRequest) -> ModelReply:
        seen.append(request)
        if request.tool_results:
            return ModelReply(text=f"It said: {request.tool_results[-1].text}")
        tool, _, arguments = request.last_user_text.rpartition("call ")[2].partition(" ")
        return ModelReply(tool_calls=(ToolUse(name=tool, arguments=json.loads(arguments)),))

    return reply


def names(*tools: str) -> dict[str, str]:
    return {"developer": "\n".join(("workspace: team", *tools)), "reviewer": "workspace: team\ntier: reader"}


async def test_a_server_of_the_settings_is_offered_behind_the_walls_of_commands(tmp_path: Path) -> None:
    seen: list[ModelRequest] = []
    command = [sys.executable, str(SERVER), "for ${TICKETS_TOKEN:-nobody}"]
    settings = settings_for(make_source(tmp_path), secrets=["NPM"])
    settings["mcp_servers"] = {"tickets": {"command": command, "secrets": ["TICKETS_TOKEN"]}}
    settings["mcp_servers"]["other"] = {"command": [*command]}
    async with running_team(
        tmp_path,
        script=calling(seen),
        environment={"TICKETS_TOKEN": TOKEN, "NPM": "npm-value"},
        personas=names("mcp_servers: [tickets]"),
        **settings,
    ) as team:
        await team.settled(await team.say("call mcp__tickets__look {}"))
        own = tmp_path / "data" / "scripted" / "mama-bot.sqlite"
        await team.settled(await team.say(f"call mcp__tickets__look {json.dumps({'path': str(own)})}"))
        (script,) = (tmp_path / "data").rglob("*-servers/tickets.sh")
        assert TOKEN in script.read_text()
        lines = "cat /proc/[0-9]*/cmdline 2>/dev/null"  # one may end meanwhile
        look = f"env | grep -c TICKETS; wc -c {script}; {lines} | grep -a -c {TOKEN[:-1]}[{TOKEN[-1]}]"
        await team.settled(await team.say(f"call Bash {json.dumps({'command': look})}"))
        first, second, third = (reply.text for reply in team.replies())
    assert (
        f"TICKETS_TOKEN={len(TOKEN)} ANTHROPIC_API_KEY=0 CLAUDE_CONFIG_DIR=0 NPM=9 in app with ['for nobody']" in first
    )
    assert "Permission denied" in second
    assert "0\nwc: " in third
    assert third.endswith("Permission denied\n0")
    assert "mcp__tickets__look" in seen[0].tools
    assert not any("other" in tool for tool in seen[0].tools)


async def test_a_server_at_a_url_is_asked_with_its_headers(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, str(SERVER), "http"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        headers = {"Authorization": "Bearer ${TICKETS_TOKEN}"}
        settings = settings_for(make_source(tmp_path))
        settings["mcp_servers"] = {"tickets": {"url": url, "headers": headers, "secrets": ["TICKETS_TOKEN"]}}
        try:
            async with running_team(
                tmp_path,
                script=calling([]),
                environment={"TICKETS_TOKEN": TOKEN},
                personas=names("mcp_servers: [tickets]"),
                **settings,
            ) as team:
                await team.settled(await team.say("call mcp__tickets__look {}"))
                (reply,) = team.replies()
        finally:
            process.terminate()
    assert reply.text == "It said: asked with Bearer [redacted]"


def bringing(directory: Path) -> tuple[Path, dict[str, str]]:
    source = make_source(directory)
    environment = {"TICKETS_TOKEN": "four"}
    servers: dict[str, dict[str, Any]] = {
        name: {"command": sys.executable, "args": [str(SERVER), name], "env": environment}
        for name in ("allowed", "refused", "changed")
    }
    digests = {name: server.digest for name, server in brought_servers(json.dumps({"mcpServers": servers})).items()}
    (source / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    for name in ("allowed", "refused"):
        folder = source / ".claude" / "skills" / f"{name}-skill"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: For {name} work.\n---\nDo it well.\n")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Bring")
    servers["changed"]["args"] = [str(SERVER), "something else"]
    (source / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    git(source, "commit", "-qam", "Change one that was allowed")
    return source, digests


async def test_of_what_a_repository_brings_the_allowed_reach_who_names_them(tmp_path: Path) -> None:
    seen: list[ModelRequest] = []
    source, digests = bringing(tmp_path)
    allowed = {name: digests[name] for name in ("allowed", "changed")}
    offered: dict[str, Any] = {"mcp_servers": allowed, "skills": ["allowed-skill"]}
    settings = settings_for(source, **offered)
    (tmp_path / "skills" / "own-skill").mkdir(parents=True)
    (tmp_path / "skills" / "own-skill" / "SKILL.md").write_text("# For our own work\n\nMind the gap.\n")
    named = ("mcp_servers: [allowed, changed]", "skills: [allowed-skill, own-skill]")
    async with running_team(tmp_path, script=calling(seen), personas=names(*named), **settings) as team:
        await team.settled(await team.say("call mcp__allowed__look {}"))
        system = seen[0].system
        place = system.partition("- own-skill: For our own work (")[2].partition(")")[0]
        await team.settled(await team.say(f"call Read {json.dumps({'file_path': place})}"))
        change = json.dumps({"command": f"cat {place}; echo x > {place}"})
        await team.settled(await team.say(f"call Bash {change}"))
        first, second, third = (reply.text for reply in team.replies())
        kim = Author(id="kim", name="Kim")
        told = await team.gateway.command(Command(name=CommandName.AGENTS, key=key(), author=kim, origin=Origin()))
    assert "MCP servers `allowed`, `changed` · skills `allowed-skill`, `own-skill`" in told.text
    assert "The repository **app** brings MCP servers that are refused:" in told.text
    assert "- `changed`: it is declared otherwise than it was when it was allowed: `args` changed." in told.text
    assert "- `refused`: nobody has allowed it." in told.text
    assert "further skills, which are refused: `refused-skill`." in told.text
    assert "TICKETS_TOKEN=4" in first
    assert "with ['allowed']" in first
    assert "- allowed-skill: For allowed work. (" in system
    assert "refused" not in system
    assert "- changed: it is declared otherwise" in system
    assert not any("refused" in tool or "changed" in tool for tool in seen[0].tools)
    assert "Mind the gap." in second
    assert "Mind the gap." in third
    assert refusals(third)


async def test_a_secret_that_is_missing_is_told_to_whoever_asked(tmp_path: Path) -> None:
    settings = settings_for(make_source(tmp_path), secrets=["NPM"])
    async with running_team(tmp_path, script=calling([]), **settings) as team:
        await team.settled(await team.say('call Bash {"command": "true"}'))
        (line,) = team.notices()
    assert "NPM is neither in secrets.env nor in the environment" in line.text
