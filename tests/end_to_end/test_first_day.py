"""A newcomer's first day: an empty server, a clone URL, a bug, a pull request that is merged; wherever they talk.

The commands and the service are processes, as people start them; git, platforms and forge are servers of our own.
"""

import asyncio
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.places import PLACES, DiscordPlace, Place, SlackPlace, TelegramPlace
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.git_server import Served, git_server
from tests.platforms.forge_server import ForgeServer, GitHubServer
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

PUSH_TOKEN = "push-token-of-the-first-day"
BROKEN, MENDED = "return number // 3", "return number // 2"
FILES = {
    "calc.py": f"def half(number):\n    {BROKEN}\n",
    "test_calc.py": "from calc import half\n\n\ndef test_half():\n    assert half(8) == 4\n",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}
TESTS = "python3 -m pytest -q"
# Who reads that something was done asks for the next thing after it has ended.
READING_SECONDS = 1.0
WORK = (TESTS, f"sed -i 's#{BROKEN}#{MENDED}#' calc.py", TESTS, "git commit -qam 'Halve exactly'")


def script(request: ModelRequest) -> ModelReply:
    """A developer who runs the tests, mends, runs them again and commits; later, one who writes what CI misses."""
    done = len(request.tool_results)
    lines: tuple[str, ...]
    if done > 1 and request.tool_results[-1].is_error:
        return ModelReply(text=f"It failed: {request.tool_results[-1].text}")
    if "what CI found" in request.last_user_text:
        lines = ("echo 'Halves numbers.' > README && git add README && git commit -qm 'Say what it is'",)
        text = "`README` says what it is."
    elif "Fix the failing test" in request.last_user_text:
        lines, text = WORK, f"`calc.py:2` halves exactly. I ran `{TESTS}`: 1 test passed."
    else:
        lines, text = (TESTS,), f"I ran `{TESTS}`: 1 test passed."
    return bash(lines[done]) if done < len(lines) else ModelReply(text=text)


class Door(ABC):
    """Where the newcomer talks: what they write, and all that they see."""

    @abstractmethod
    async def say(self, text: str) -> None: ...

    @abstractmethod
    async def command(self, text: str) -> None: ...

    @abstractmethod
    async def seen(self) -> str: ...

    async def sees(self, words: str, times: int = 1) -> None:
        """Wait until the words are there so many times."""
        try:
            async with asyncio.timeout(SECONDS):
                while (await self.seen()).count(words) < times:
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{words!r} does not come; what is there: {await self.seen()}") from None


class PageDoor(Door):
    """A conversation on the page."""

    def __init__(self, service: ServiceProcess, name: str) -> None:
        self.service = service
        self.name = name
        self.count = 0

    async def say(self, text: str) -> None:
        self.count += 1
        answer = await self.service.say(text, conversation=self.name, message=f"{self.name}-{self.count}")
        assert answer.status_code == 202

    async def command(self, text: str) -> None:
        async with self.service.client() as client:
            place = f"/api/conversations/{self.name}/commands"
            answer = await client.post(place, json={"name": text.removeprefix("/")}, timeout=SECONDS)
        assert answer.json()["done"], answer.text

    async def seen(self) -> str:
        return "\n".join(post.get("text", "") for post in (await self.service.conversation(self.name))["posts"])


class PlatformDoor(Door):
    """A thread, a channel or a group of a platform."""

    def __init__(self, place: Place) -> None:
        self.place = place

    async def say(self, text: str) -> None:
        await self.place.say(text)

    async def command(self, text: str) -> None:
        await self.place.say(text)

    async def seen(self) -> str:
        return "\n".join(post.text for post in self.place.posts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The newcomer's server: where they type, and what their session holds."""

    directory: Path
    environment: Mapping[str, str]

    @property
    def file(self) -> Path:
        return self.directory / "config.yaml"

    async def run(self, *arguments: str, answers: str = "") -> str:
        """What a command says that ends well."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "mama_bot", *arguments, "--config", str(self.file)),
            env=dict(self.environment),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate(answers.encode())
        assert process.returncode == 0, output.decode()
        return output.decode()

    def entrust(self, forge: ForgeServer) -> None:
        """What the how-to says for pushes and pull requests, written behind what `init` wrote."""
        content: dict[str, Any] = yaml.safe_load(self.file.read_text())
        at_forge = {"kind": "github", "token": "APP_FORGE", "base_url": forge.base_url, "project": "team/app"}
        access = {"user": "me", "password": "APP_PUSH", "service_only": True}
        content["repositories"]["app"] |= {"git": access, "forge": at_forge}
        content |= {"pull_requests": {"poll_seconds": 0.2}}
        self.file.write_text(yaml.safe_dump(content))
        with (self.directory / "secrets.env").open("a") as secrets:
            secrets.write(f"APP_PUSH={PUSH_TOKEN}\nAPP_FORGE={forge.token}\n")


def flags_of(place: Place) -> list[str]:
    """What a newcomer tells `init` of a platform beside the tokens."""
    match place:
        case DiscordPlace():
            owner, channel = place.server.person, place.server.channel
        case SlackPlace():
            owner, channel = place.server.person, place.server.channel.id
        case TelegramPlace():
            owner, channel = str(place.person.id), str(place.chat.id)
        case _:
            raise AssertionError(place)
    return ["--platform", place.platform, "--owner", owner, "--channel", channel]


def addresses_of(place: Place) -> dict[str, str]:
    """The servers of our own in place of the platform's, as variables."""
    prefix = f"MAMA_{place.platform.upper()}__"
    return {f"{prefix}{key.upper()}": str(value) for key, value in place.settings.items() if key.endswith("_url")}


@asynccontextmanager
async def git_and_forge(directory: Path) -> AsyncIterator[tuple[Served, Path, ForgeServer]]:
    """A repository with a bug at a clone URL, and the forge that shows its branches."""
    source = directory / "served" / "app-source"
    source.mkdir(parents=True)
    for name, text in FILES.items():
        (source / name).write_text(text)
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Begin")
    bare = directory / "served" / "app.git"
    git(directory, "clone", "-q", "--bare", str(source), str(bare))
    git(bare, "config", "http.receivepack", "true")

    def head_of(branch: str) -> str:
        return git(bare, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")

    with git_server(directory / "served", {"app.git": ("me", PUSH_TOKEN)}, public=["app.git"]) as served:
        async with GitHubServer() as forge:
            forge.head_of = head_of
            yield served, bare, forge


async def bug_to_merge(door: Door, tree: Path, bare: Path, forge: ForgeServer) -> None:
    """From "fix the failing test" to a merged pull request, all of it said and seen in one place."""
    await door.say("@developer Fix the failing test")
    await door.sees("1 test passed")
    (branches,) = tree.glob("*/app/.git/refs/heads/mama")  # the spare has none
    mended = branches.parents[3] / "calc.py"
    await door.command("/diff")
    await door.sees(f"+    {MENDED}")
    await door.command("/undo")
    await door.sees("Changes were undone")
    assert BROKEN in mended.read_text()
    await asyncio.sleep(READING_SECONDS)
    await door.command("/redo")
    await door.sees("were brought back")
    assert MENDED in mended.read_text()
    await asyncio.sleep(READING_SECONDS)
    assert MENDED not in git(bare, "show", "main:calc.py")

    await door.command("/pr")
    await door.sees("pull request #7")
    (request,) = forge.requests.values()
    assert MENDED in git(bare, "show", f"{request.branch}:calc.py")
    first = git(bare, "rev-parse", request.branch)
    forge.check(first, "readme", "failed")
    await door.sees("CI failed on")
    await door.say("@developer Mend what CI found")
    await door.sees("says what it is")
    assert (mended.parent / "README").is_file()
    await door.command("/push")
    await door.sees("4 commits were pushed")
    second = git(bare, "rev-parse", request.branch)
    assert second != first
    forge.check(second, "readme", "passed")
    await door.sees("CI passed on")
    git(bare, "update-ref", "refs/heads/main", second)
    request.state = "merged"
    await door.sees("was merged into")


def server_of(directory: Path, model: ModelServer, place: Place | None) -> Server:
    """An empty server: no configuration, no data, and a session with what a login and the platform need."""
    (directory / "server").mkdir()
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(directory / "server"),
        "LANG": "C.UTF-8",
        "MAMA_WEB__PORT": "0",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "test",
        **(place.environment if place else {}),
        **(addresses_of(place) if place else {}),
    }
    return Server(directory=directory / "server", environment=environment)


async def test_a_first_day_on_the_page(tmp_path: Path) -> None:
    async with git_and_forge(tmp_path) as (served, bare, forge), ModelServer(script=script) as model:
        server = server_of(tmp_path, model, None)
        told = await server.run("init", "--repository", served.url("app.git"), answers="\ny\ny\n")
        assert "pytest: it failed" in told or "1 failed" in told
        assert server.file.is_file()
        server.entrust(forge)
        async with service_process(server.file, server.environment) as service:
            tree = server.directory / "data" / "real" / "work_trees"
            await bug_to_merge(PageDoor(service, "first"), tree, bare, forge)
            later = PageDoor(service, "second")
            await later.say("@developer Run the tests")
            await later.sees("1 test passed")


@pytest.mark.parametrize("platform", PLACES)
async def test_a_first_day_on_a_platform(tmp_path: Path, platform: str) -> None:
    async with (
        git_and_forge(tmp_path) as (served, bare, forge),
        ModelServer(script=script) as model,
        PLACES[platform]() as place,
    ):
        server = server_of(tmp_path, model, place)
        await server.run("init", "--yes", *flags_of(place), "--repository", served.url("app.git"))
        server.entrust(forge)
        async with service_process(server.file, server.environment) as service:
            await service.hears(platform)
            tree = server.directory / "data" / "real" / "work_trees"
            await bug_to_merge(PlatformDoor(place), tree, bare, forge)
