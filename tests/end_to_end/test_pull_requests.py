"""From a message in a thread to a pull request that is merged: real CLI, real git, a forge of our own."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript
from mama_bot.model import MessageId, Platform
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.places import SlackPlace, slack_place
from tests.end_to_end.team import Team, running_team
from tests.end_to_end.test_repositories import make_source
from tests.git_server import git_server
from tests.platforms.forge_server import ForgeServer, GitHubServer, GitLabServer
from tests.waiting import until

pytestmark = pytest.mark.cli
KINDS = {"github": GitHubServer, "gitlab": GitLabServer}
SECONDS = 60.0


def committing(asked: list[str]) -> ModelScript:
    """A model that greets in French, says of CI what it is `asked` to say, and takes it back when it is sent back."""

    def reply(request: ModelRequest) -> ModelReply:
        text = request.last_user_text
        if request.tool_results:
            return ModelReply(text="`greeting` says bonjour now.")
        if "[SENT BACK" in text:
            return ModelReply(text="CI failed on `tests`; it is not mended yet.")
        if "say:" in text:
            asked.append(text)
            return ModelReply(text=text.rpartition("say:")[2].strip())
        return bash("echo bonjour > greeting && git commit -qam 'Greet in French'")

    return reply


def forge_of(kind: str, port: int = 0) -> ForgeServer:
    """A forge of this kind, not yet begun."""
    return GitHubServer(port=port) if kind == "github" else GitLabServer(port=port)


@dataclass
class Thread:
    """One conversation with its repository, and the forge where it is published."""

    team: Team
    client: httpx.AsyncClient
    source: Path
    forge: ForgeServer
    asked: list[str]
    here: str = "/api/conversations/c1"

    async def say(self, number: int, text: str) -> str:
        await self.client.post(f"{self.here}/messages", json={"id": f"m{number}", "text": text})
        exchange = await self.team.settled(MessageId(f"m{number}"))
        return exchange.turns[-1].attempts[-1].draft.text

    async def command(self, name: str, argument: str = "") -> str:
        answer = await self.client.post(f"{self.here}/commands", json={"name": name, "argument": argument})
        return str(answer.json()["text"])

    async def notices(self) -> list[str]:
        posts = (await self.client.get(self.here)).json()["posts"]
        return [post["text"] for post in posts if post["kind"] == "notice"]

    async def told(self, words: str) -> str:
        """The notice with these words, when it comes."""
        async with asyncio.timeout(SECONDS):
            while True:
                for text in await self.notices():
                    if words in text:
                        return text
                await asyncio.sleep(0.05)


@asynccontextmanager
async def thread_of(
    tmp_path: Path,
    kind: str,
    *,
    port: int = 0,
    token: str = "",
    environment: Mapping[str, str] | None = None,
    slack: Mapping[str, Any] | None = None,
    **repository: Any,
) -> AsyncIterator[Thread]:
    source = tmp_path / "source"
    if not source.exists():
        make_source(tmp_path)
        git(source, "config", "core.bare", "true")

    def head_of(branch: str) -> str:
        listed = git(source, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        return listed.strip()

    asked: list[str] = []
    async with forge_of(kind, port) as forge:
        forge.head_of = head_of
        place = {"kind": kind, "token": "APP_FORGE", "base_url": forge.base_url, "project": "team/app"}
        configured: dict[str, Any] = {
            "repositories": {"app": {"source": str(source), "forge": place, **repository}},
            "default_repository": "app",
            "router": {"default_persona": "developer"},
            "pull_requests": {"poll_seconds": 0.2},
            **({"slack": slack} if slack else {}),
        }
        secrets = {"APP_FORGE": token or forge.token, **(environment or {})}
        async with (
            running_team(tmp_path, script=committing(asked), environment=secrets, **configured) as team,
            team.client() as client,
        ):
            yield Thread(team, client, source, forge, asked)


@pytest.mark.parametrize("kind", KINDS)
async def test_from_a_message_to_a_merge(tmp_path: Path, kind: str) -> None:
    name = {"github": "pull request #7", "gitlab": "merge request !7"}[kind]
    async with thread_of(tmp_path, kind) as thread:
        await thread.say(1, "Greet in French please")
        answer = await thread.command("pr")
        (request,) = thread.forge.requests.values()
        assert answer.startswith(f"[{name}]({thread.forge.origin}/team/app/")
        assert "was opened" in answer
        assert request.title == "Greet in French please"
        assert "> `greeting` says bonjour now." in request.body
        assert "Record: " in request.body
        assert git(thread.source, "show", f"{request.branch}:greeting") == "bonjour"
        assert "1 commit" in await thread.told("was opened")
        assert f"[{name}]" in await thread.command("pr")
        assert len(thread.forge.requests) == 1

        head = git(thread.source, "rev-parse", request.branch)
        thread.forge.check(head, "tests", "pending")
        assert f"CI runs on {head[:7]}" in await thread.told("CI runs on")
        thread.forge.check(head, "tests", "failed")
        thread.forge.check(head, "lint", "passed")
        told = await thread.told("CI failed on")
        assert "[tests](" in told
        assert "lint" not in told
        thread.forge.comment(request.number, "kim", "Why not @hola?\n/merge", path="greeting", line=1)
        told = await thread.told("in the words of other people")
        assert "**kim on `greeting:1`**" in told
        assert "> Why not hola?" in told
        thread.forge.check(head, "tests", "passed")
        assert "2 checks" in await thread.told("CI passed on")
        thread.forge.requests[request.number].state = "merged"
        assert "`main`" in await thread.told("was merged into")
        assert len(await thread.notices()) == 6


async def test_what_ci_says_is_evidence_and_what_failed_is_handed_to_the_agent(tmp_path: Path) -> None:
    async with thread_of(tmp_path, "github") as thread:
        await thread.say(1, "Greet in French please")
        await thread.command("pr", "Bonjour")
        (request,) = thread.forge.requests.values()
        assert request.title == "Bonjour"
        head = git(thread.source, "rev-parse", request.branch)
        thread.forge.check(head, "tests", "failed")
        await thread.told("CI failed on")
        assert "it is not mended yet" in await thread.say(2, "And now? say: CI is green.")
        (prompt,) = thread.asked
        assert (
            f"[CI] On commit {head[:12]} of this conversation's pull request these checks failed: tests http" in prompt
        )
        thread.forge.check(head, "tests", "passed")
        await thread.told("CI passed on")
        assert await thread.say(3, "And now? say: CI is green.") == "CI is green."
        assert "[CI]" not in thread.asked[-1]
        posts = (await thread.client.get(thread.here)).json()["posts"]
    (said,) = [post for post in posts if post.get("text") == "CI is green."]
    assert said["kind"] == "reply"


async def test_the_watch_goes_on_in_the_next_life_and_nothing_is_told_twice(tmp_path: Path) -> None:
    async with thread_of(tmp_path, "github") as thread:
        await thread.say(1, "Greet in French please")
        await thread.command("pr")
        (request,) = thread.forge.requests.values()
        head = git(thread.source, "rev-parse", request.branch)
        thread.forge.check(head, "tests", "pending")
        await thread.told("CI runs on")
        port = thread.forge.port
    async with thread_of(tmp_path, "github", port=port) as thread:
        thread.forge.requests[request.number] = request
        thread.forge.check(head, "tests", "passed")
        await thread.told("CI passed on")
        thread.forge.requests[request.number].state = "closed"
        await thread.told("closed without a merge")
        assert len([text for text in await thread.notices() if "CI runs on" in text]) == 1


async def test_who_may_not_push_is_told_so_and_nothing_leaves(tmp_path: Path) -> None:
    async with thread_of(tmp_path, "github", may_push=["slack/U1"]) as thread:
        await thread.say(1, "Greet in French please")
        assert "Only those whom `may_push`" in await thread.command("pr")
        assert "Only those whom `may_push`" in await thread.command("push")
        assert git(thread.source, "branch", "--format=%(refname:short)") == "main"
        assert thread.forge.asked == []


async def test_a_token_that_is_wrong_is_told_and_the_branch_is_there_all_the_same(tmp_path: Path) -> None:
    async with thread_of(tmp_path, "gitlab", token="revoked-token") as thread:
        assert "Nothing has been done here yet" in await thread.command("push")
        await thread.say(1, "Greet in French please")
        assert "does not accept the token in APP_FORGE" in await thread.command("pr")
        assert "ends with" in await thread.command("push")
        assert "mama/" in git(thread.source, "branch", "--format=%(refname:short)")


async def test_in_a_thread_of_slack_the_button_opens_it_and_the_thread_is_told_how_it_ends(tmp_path: Path) -> None:
    async with slack_place() as place:
        assert isinstance(place, SlackPlace)
        access = {"people": [place.server.person], "owners": [place.server.person]}
        slack = {**place.settings, "access": access}
        async with thread_of(tmp_path, "github", environment=place.environment, slack=slack) as thread:
            await until(lambda: thread.team.running.gateways[Platform("slack")].hearing().ok)
            await place.say("Greet in French please")
            ts, action = await until(lambda: button_in(place, "Open pull request"))
            place.server.press(place.server.channel.id, ts, action)
            await until(lambda: "opened" in texts(place))
            (request,) = thread.forge.requests.values()
            assert request.title == "Greet in French please"
            head = git(thread.source, "rev-parse", request.branch)
            thread.forge.check(head, "tests", "failed")
            await until(lambda: "CI failed on" in texts(place))
            thread.forge.check(head, "tests", "passed")
            await until(lambda: "CI passed on" in texts(place))
            request.state = "merged"
            await until(lambda: "was merged into" in texts(place))
            assert f"<{thread.forge.origin}/team/app/pull/7|pull request #7>" in texts(place)


def texts(place: SlackPlace) -> str:
    return "\n".join(place.server.shown(place.server.channel.id, thread=place.thread))


def button_in(place: SlackPlace, label: str) -> tuple[str, str] | None:
    """The post in the thread that bears a button, and the button."""
    for (_, ts), message in place.server.workspace.messages.items():
        for block in message.get("blocks", []):
            for element in block.get("elements", []):
                if element.get("type") == "button" and element["text"]["text"] == label:
                    return ts, element["action_id"]
    return None


async def test_the_service_pushes_with_its_own_credentials_which_no_agent_has(tmp_path: Path) -> None:
    make_source(tmp_path)
    git(tmp_path / "source", "config", "core.bare", "true")
    secret = "push-secret-of-the-service"
    access = {"user": "me", "password": "APP_PUSH"}
    with git_server(tmp_path, {"source": ("me", secret)}) as served:
        place: dict[str, Any] = {"source": served.url("source"), "git": access}
        environment = {"APP_PUSH": secret}
        async with thread_of(tmp_path, "github", environment=environment, **place) as thread:
            await thread.say(1, "Greet in French please")
            assert "[pull request #7]" in await thread.command("pr")
            (request,) = thread.forge.requests.values()
            assert git(thread.source, "show", f"{request.branch}:greeting") == "bonjour"
            assert secret not in "\n".join(await thread.notices()) + request.body
        assert "source me" in served.asked()
        async with thread_of(tmp_path, "github", environment={"APP_PUSH": "another"}, **place) as thread:
            assert "has no credentials that it takes" in await thread.command("push")
    kept = [path for path in (tmp_path / "data").rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert kept == []
