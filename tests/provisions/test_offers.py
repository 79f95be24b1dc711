"""MCP servers and skills as settings and repositories name them: what is taken, and what of it others may see."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mama_bot.agents.claude_servers import server_options
from mama_bot.config import McpServerSettings
from mama_bot.confinement.shell import GIVEN_PREFIX, variables
from mama_bot.provisions import GrantMissing, McpServer, Skill, write_skills
from mama_bot.provisions import sentences as says
from mama_bot.provisions.brought_servers import BroughtServer, brought_servers, refusal_of
from mama_bot.provisions.mcp_servers import allowed_servers, configured_servers
from mama_bot.provisions.skills import brought_skills, configured_skills, skill_names
from mama_bot.wording import Language
from tests.test_config import load, refusal

BROUGHT = {
    "tickets": {"command": "node", "args": ["${ROOT:-.}/x.js", "${TOKEN}"], "env": {"KEY": "${TOKEN}"}},
    "docs": {"type": "http", "url": "https://example.org/mcp", "headers": {"X": "a ${TOKEN}"}},
    "../up": {"command": "node"},
    "mama": {"command": "node"},
    "mama_submit": {"command": "node"},
    "shell": {"command": "node", "env": {"A=1; touch x; B": "b"}},
    "own": {"command": "node", "env": {"ANTHROPIC_API_KEY": "b"}},
    "broken": {"command": 1},
    "nothing": [],
}


def test_a_repository_brings_what_can_be_read_and_no_secret_stands_on_a_command_line() -> None:
    brought = brought_servers(json.dumps({"mcpServers": BROUGHT}))
    assert sorted(brought) == ["broken", "docs", "own", "shell", "tickets"]
    settings = {name: server.settings for name, server in brought.items() if server.settings is not None}
    assert sorted(settings) == ["docs", "tickets"]
    tickets, docs = allowed_servers(["tickets", "docs", "absent"], settings, {"TOKEN": "secret"}, shown={})
    assert tickets.command == ("node", "./x.js", "")
    assert tickets.variables["KEY"] == "secret"
    assert docs.headers == {"X": "a secret"}
    assert "secret" not in repr((tickets, docs))


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ({"command": "node", "env": {"LD_PRELOAD": "x.so"}}, "sets LD_PRELOAD"),
        ({"command": "node", "env": {"node_options": "--require ./x"}}, "sets node_options"),
        ({"command": "../../bin/sh"}, "`../../bin/sh` leads out of the repository"),
        ({"command": "tools/../../x"}, "`tools/../../x` leads out"),
        ({"command": "${A:-..}/bin/sh"}, "leads out"),
        ({"command": "node", "args": ["--config=../../etc/x"]}, "leads out"),
        ({"command": "node", "args": ["file:///etc/passwd"]}, "leads out"),
        ({"command": "node", "cwd": "../elsewhere"}, "leads out"),
        ({"url": "file:///etc/passwd"}, "neither https: nor http:"),
        ({"url": "https://me:secret@example.org"}, "holds a password"),
        ({"args": ["x"]}, "cannot be read"),
    ],
)
def test_what_is_never_allowed_is_refused_with_its_digest_too(declared: Mapping[str, object], why: str) -> None:
    server = brought_servers(json.dumps({"mcpServers": {"s": declared}}))["s"]
    refusal = refusal_of(server, server.digest, ())
    assert server.settings is None
    assert refusal is not None
    assert why in refusal.to(Language.ENGLISH)


def test_only_what_was_declared_when_it_was_allowed_is_offered_and_what_changed_is_named() -> None:
    def declared(**parts: object) -> BroughtServer:
        return brought_servers(json.dumps({"mcpServers": {"s": {"command": "node", "args": ["x.js"], **parts}}}))["s"]

    allowed = declared()
    assert declared(args=["x.js"]).digest == allowed.digest
    assert refusal_of(allowed, allowed.digest, ()) is None
    assert refusal_of(allowed, None, ()) == says.NOT_ALLOWED
    changed = declared(command="sh", env={"A": "b"})
    refusal = refusal_of(changed, allowed.digest, [changed, allowed])
    assert refusal is not None
    assert "`command`, `env` changed" in refusal.to(Language.ENGLISH)
    assert "`command`, `env`: 바뀌었습니다" in refusal.to(Language.KOREAN)
    assert refusal_of(changed, allowed.digest, [changed]) == says.CHANGED_UNKNOWN


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"mcpServers": 3}', "[" * 100_000])
def test_what_is_no_list_of_servers_brings_none(text: str) -> None:
    assert brought_servers(text) == {}


def test_a_configured_server_has_its_own_secrets_and_says_which_is_missing() -> None:
    servers = {"tickets": McpServerSettings(command=("node", "${TOKEN}"), secrets=("TOKEN",))}
    (server,) = configured_servers(["tickets", "elsewhere"], servers, {"TOKEN": "secret", "OTHER": "x"})
    assert (server.command, server.variables) == (("node", ""), {"TOKEN": "secret"})
    with pytest.raises(GrantMissing, match="TOKEN is neither"):
        next(configured_servers(["tickets"], servers, {}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mcp_servers:\n  a: {}", "mcp_servers.a: expected either `command`, to start it, or `url`"),
        ("mcp_servers:\n  a: {command: [x], url: 'https://x'}", "expected either `command`"),
        ("mcp_servers:\n  a: {command: [tools/x]}", "expected a program that is looked up in PATH, or its whole path."),
        ("mcp_servers:\n  a: {url: 'ftp://x'}", "mcp_servers.a.url: expected a URL that begins with https://"),
        ("mcp_servers:\n  a__b: {command: [x]}", "mcp_servers.a__b: this is no name for a server."),
        ("mcp_servers:\n  mama: {command: [x]}", "this is no name for a server."),
        ("mcp_servers:\n  a: {command: [x], headers: {A: b}}", "only a server with a `url` is sent headers."),
        ("mcp_servers:\n  a: {command: [x], secrets: [MAMA_WEB__KEY]}", "MAMA_WEB__KEY is the service's own"),
        (
            "repositories:\n  a: {source: ., mcp_servers: [b]}",
            "expected each server with the digest of its declaration",
        ),
        ("repositories:\n  a: {source: ., mcp_servers: {b: abc}}", "repositories.a.mcp_servers.b: expected the digest"),
        ("repositories:\n  a: {source: ., skills: ['../x']}", "'../x' is no name of a skill."),
        ("mcp_servers:\n  a: {comand: [x]}", "Did you mean 'command'?"),
    ],
)
def test_a_mistake_is_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    assert words in str(refusal(tmp_path, text))


def test_skills_are_found_described_and_written_with_all_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "release"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: release\ndescription: >\n  Write release\n  notes.\n---\n# Steps\n")
    (folder / "scripts" / "notes.sh").write_text("#!/bin/sh\necho notes\n")
    (tmp_path / "skills" / "empty").mkdir()
    assert skill_names(tmp_path / "skills") == ("release",)
    assert skill_names(tmp_path / "none") == ()
    (skill,) = configured_skills(["release", "absent"], tmp_path / "skills")
    assert skill.description == "Write release notes."
    told = write_skills([skill], tmp_path / "agent")
    assert f"- release: Write release notes. ({tmp_path}/agent/release/SKILL.md)\n" in told
    assert (tmp_path / "agent" / "release" / "scripts" / "notes.sh").stat().st_mode & 0o100
    assert write_skills([], tmp_path / "agent") == ""
    assert not (tmp_path / "agent").exists()


def test_a_repository_brings_skills_by_their_folders() -> None:
    files = {
        ".claude/skills/a/SKILL.md": "# For a\n",
        ".claude/skills/a/b/c.md": "c",
        ".claude/skills/no-file/x.md": "x",
        ".claude/skills/$(x)/SKILL.md": "x",
        ".claude/skills/SKILL.md": "x",
        ".mcp.json": "{}",
    }
    assert brought_skills(files) == {"a": Skill(name="a", files={"SKILL.md": b"# For a\n", "b/c.md": b"c"})}


def test_the_place_of_skills_is_read_from_where_the_settings_are(tmp_path: Path) -> None:
    assert load(tmp_path, "skills_directory: ours").skills_directory == tmp_path / "ours"


def test_what_a_server_is_given_has_its_name_behind_the_walls_alone(tmp_path: Path) -> None:
    servers = [McpServer(name="a", command=("sh", "-c", "x"), variables={"LD_PRELOAD": "/planted.so"})]
    options = server_options(
        servers, tmp_path / "own", workspace=tmp_path, reach=tmp_path / "reach", path="/usr/bin:/bin"
    )
    (script,) = (tmp_path / "own").iterdir()
    assert options["a"]["args"] == [str(script)]
    assert f"export {GIVEN_PREFIX}LD_PRELOAD=/planted.so\nexec " in script.read_text()
    given = variables({f"{GIVEN_PREFIX}LD_PRELOAD": "x", "ANTHROPIC_API_KEY": "y", "PATH": "/bin"}, "/bin/sh")
    assert given == {"LD_PRELOAD": "x", "PATH": "/bin", "SHELL": "/bin/sh"}


@pytest.mark.parametrize(
    "matter", ["created: 2001-02-30", "[" * 5_000, "description: [a, b]", "description: 7", "? [a]", "a: *b"]
)
def test_a_skill_whose_matter_is_odd_is_told_by_its_first_line(matter: str) -> None:
    skill = Skill(name="s", files={"SKILL.md": f"---\n{matter}\n---\n# Deploy it\n".encode()})
    assert len(skill.description) <= 500
    assert skill.description
