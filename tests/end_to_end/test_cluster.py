"""Nodes with a role each, on a real PostgreSQL, with the real CLI: one service over several processes."""

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.demo.model_server import ModelServer
from mama_bot.gateways.chat.command_forms import button_value
from mama_bot.model import CommandName
from tests.end_to_end.evidence import bash
from tests.end_to_end.places import PROGRESS, SlackPlace, slack_place
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_approvals import with_rules
from tests.postgresql_server import PostgresqlServer, postgresql_server
from tests.waiting import SECONDS, until

pytestmark = pytest.mark.cli

SILENCE_SECONDS = 3
KEY = "the key of every page"


@dataclass
class Cluster:
    """Nodes that were started from one configuration, each with a data directory of its own."""

    directory: Path
    environment: Mapping[str, str]
    settings: Mapping[str, Any]
    stack: AsyncExitStack
    database: PostgresqlServer

    async def started(self, **roles: str) -> list[ServiceProcess]:
        """Start nodes by their names and roles; they are ready."""
        files = [write_configuration(with_rules(self.made(name)), **self.settings) for name in roles]
        nodes = [
            service_process(file, self.environment, role=role) for file, role in zip(files, roles.values(), strict=True)
        ]
        return list(await entered(self.stack, nodes))

    def made(self, name: str) -> Path:
        directory = self.directory / name
        directory.mkdir(exist_ok=True)
        return directory


async def entered(
    stack: AsyncExitStack, nodes: Sequence[AbstractAsyncContextManager[ServiceProcess]]
) -> Sequence[ServiceProcess]:
    """Begin nodes at once; each is ended with the stack, in the task that began it."""
    started = [asyncio.get_running_loop().create_future() for _ in nodes]
    over = asyncio.Event()

    async def lived(node: AbstractAsyncContextManager[ServiceProcess], begun: asyncio.Future[ServiceProcess]) -> None:
        async with node as service:
            begun.set_result(service)
            await over.wait()

    group = await stack.enter_async_context(asyncio.TaskGroup())
    stack.callback(over.set)
    for node, begun in zip(nodes, started, strict=True):
        group.create_task(lived(node, begun))
    return [await begun for begun in started]


@asynccontextmanager
async def cluster(
    directory: Path, script: Any, *, environment: Mapping[str, str], **settings: Any
) -> AsyncIterator[Cluster]:
    with postgresql_server() as database:
        async with ModelServer(script=script) as model, AsyncExitStack() as stack:
            yield Cluster(
                directory=directory,
                environment={
                    "ANTHROPIC_BASE_URL": model.url,
                    "ANTHROPIC_API_KEY": "test",
                    "MAMA_STORE__URL": database.url("postgres"),
                    "MAMA_WEB__KEY": KEY,
                    **environment,
                },
                settings={
                    "claude": {"source": "real"},
                    "router": {"default_persona": "developer"},
                    "nodes": {"silence_seconds": SILENCE_SECONDS},
                    **settings,
                },
                stack=stack,
                database=database,
            )


async def seen_on(page: ServiceProcess, received: list[tuple[str, dict[str, Any]]]) -> None:
    """Keep what an open page is told."""
    kind = ""
    async with page.client() as client, client.stream("GET", "/api/events", timeout=None) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                received.append((kind, json.loads(line.removeprefix("data: "))))


def shown(received: Sequence[tuple[str, dict[str, Any]]], kind: str, words: str) -> bool:
    """Whether a page was told of something of a kind that holds these words."""
    return any(name == kind and words in json.dumps(facts) for name, facts in received)


async def test_what_comes_in_on_one_node_is_worked_on_another_and_shown_on_a_third(tmp_path: Path) -> None:
    waits: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        asked = re.findall(r"(count|pay|wait) ?(\w+)?", " ".join(request.user_texts))[-1]
        if asked[0] == "pay" and not request.tool_results:
            return bash("echo paid >> paid.txt; cat paid.txt")
        if asked[0] == "wait":
            waits.append(asked[0])
            return ModelReply(hang=True)
        text = f"I was asked for {asked[0]} {asked[1]}, and looked at 1 file."
        return ModelReply(text=text, delay_seconds=1.5 if asked[0] == "count" else 0)

    async with slack_place() as slack:
        assert isinstance(slack, SlackPlace)
        channel, person = slack.server.channel.id, slack.server.person
        access = {"access": {"people": [person], "owners": [person]}}
        async with (
            cluster(tmp_path, script, environment=slack.environment, slack={**slack.settings, **access}) as nodes,
            asyncio.TaskGroup() as group,
        ):
            gateway, worker, *pages = await nodes.started(gateway="gateway", worker="worker", page="page", other="page")
            received: list[list[tuple[str, dict[str, Any]]]] = [[], []]
            open_pages = [group.create_task(seen_on(page, kept)) for page, kept in zip(pages, received, strict=True)]
            await gateway.logged("platform_taken")
            # Said in Slack: worked by the worker, whose progress the gateway shows.
            await slack.say("count one")
            await until(lambda: any(post.text.startswith(PROGRESS) for post in slack.everything()))
            # Said on a page: each open page of each node shows it.
            await pages[0].say("count two")
            await until(lambda: all(shown(kept, "progress", "turn_started") for kept in received))
            await until(lambda: any("asked for count one" in post.text for post in slack.posts()))
            await until(lambda: all(shown(kept, "post", "asked for count two") for kept in received))
            assert "asked for count two" in (await pages[1].replies(1))[0]["text"]
            # A command about files or sessions is carried out where they are.
            async with pages[1].client() as client:
                answer = await client.post("/api/conversations/general/commands", json={"name": "reset"})
            assert answer.json()["done"]
            assert [line["event"] for line in worker.events].count("conversation_reset") == 1
            # A call that waits on the worker is let go by a button on the gateway.
            await slack.say("pay now")

            def message(words: str) -> tuple[str, Any]:
                known = slack.server.workspace.messages.items()
                return next(((ts, each) for (_, ts), each in known if words in each.get("text", "")), ("", None))

            await until(lambda: message("#1 ·")[1])
            slack.server.press(channel, message("#1 ·")[0], button_value(CommandName.APPROVE, "tool-1"))
            await until(lambda: any("asked for pay now" in post.text for post in slack.posts()))
            assert [file.read_text() for file in nodes.directory.rglob("paid.txt")] == ["paid\n"]
            # A stop that is asked for on the page ends what runs on the worker.
            await pages[0].say("wait", message="third")
            await until(lambda: waits)
            # What is said meanwhile is told to the agent at work.
            await pages[1].say("and quickly", message="fourth")
            await until(lambda: "added_to_running" in {line["event"] for line in worker.events})
            async with pages[1].client() as client:
                assert (await client.post("/api/conversations/general/stop", json={})).json() == {"stopped": True}
                # What is about files the worker answers, for whom it is an owner who has the key of a page.
                asked = {"name": "repo", "argument": "nowhere"}
                chosen = (await client.post("/api/conversations/general/commands", json=asked)).json()
                assert "no repository nowhere" in chosen["text"].lower()
            await until(lambda: shown(received[0], "post", "stopped"))
            started = {
                name: {line["event"] for line in node.events} for name, node in (("g", gateway), ("p", pages[0]))
            }
            assert "turn_started" not in started["g"] | started["p"]
            for open_page in open_pages:
                open_page.cancel()
            for node in (worker, gateway, *pages):
                assert await node.terminate() == 0


async def test_a_node_that_stood_still_neither_posts_nor_keeps_what_another_has_taken_over(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        number = re.findall(r"count (\d)", " ".join(request.user_texts))[-1]
        asked.append(number)
        return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.", delay_seconds=1.0)

    def answered() -> list[str]:
        return [number for post in slack.posts() for number in re.findall(r"Item (\d) has", post.text)]

    async with (
        slack_place() as slack,
        cluster(tmp_path, script, environment=slack.environment, slack=slack.settings) as nodes,
    ):
        gateways = await nodes.started(first="gateway", second="gateway")
        (worker,) = await nodes.started(third="worker")
        here = await until(lambda: next((each for each in gateways if taken(each)), None))
        there = next(each for each in gateways if each is not here)
        await slack.say("count 1")
        await until(lambda: asked)
        # The worker stands still while its agent is at work: another one answers, once.
        worker.process.send_signal(signal.SIGSTOP)
        (other,) = await nodes.started(fourth="worker")
        await until(lambda: answered() == ["1"])
        worker.process.send_signal(signal.SIGCONT)
        assert await ended(worker) == 1
        # The node that has the connection stands still while there is something to post: the other one posts it.
        here.process.send_signal(signal.SIGSTOP)
        await slack.say("count 2")
        await until(lambda: taken(there))
        await until(lambda: answered() == ["1", "2"])
        here.process.send_signal(signal.SIGCONT)
        assert await ended(here) == 1
        await slack.say("count 3")
        await until(lambda: answered()[2:])
        assert answered() == ["1", "2", "3"]
        assert sorted(asked) == ["1", "1", "2", "3"]
        for node in (other, there):
            assert await node.terminate() == 0


def taken(node: ServiceProcess) -> bool:
    """Whether a node has the connection of its platform."""
    return any(line["event"] == "platform_taken" for line in node.events)


async def ended(node: ServiceProcess) -> int:
    """How a node ends by itself, where it finds that it was taken over."""
    async with asyncio.timeout(SECONDS):
        return await node.process.wait()


async def test_where_nodes_share_their_files_another_worker_goes_on_with_the_same_session(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        number = re.findall(r"count (\d)", request.last_user_text)[-1]
        return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.")

    shared = tmp_path / "shared"
    nodes_settings = {"silence_seconds": SILENCE_SECONDS, "shared_directory": str(shared)}
    async with cluster(tmp_path, script, environment={}, nodes=nodes_settings) as nodes:
        page, worker = await nodes.started(page="page", worker="worker")
        await page.say("count 1")
        await page.replies(1)
        await worker.kill()
        (other,) = await nodes.started(other="worker")
        await page.say("count 2", message="second")
        assert [reply["text"][:6] for reply in await page.replies(2)] == ["Item 1", "Item 2"]
        assert not [line for line in other.events if line["event"] == "session_lost"]
        assert len([*shared.rglob("projects/*/*.jsonl")]) == 1
        for node in (page, other):
            assert await node.terminate() == 0
