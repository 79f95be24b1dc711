"""What a node may still do that others took for dead, or that hears nothing: nothing that anybody sees."""

import asyncio
import json
import re
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest

from mama_bot.confinement.processes import alive
from mama_bot.demo.model_script import ModelReply, ModelRequest
from tests.end_to_end.cut_relay import cut_relay
from tests.end_to_end.evidence import bash
from tests.end_to_end.places import TelegramPlace, telegram_place
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import write_configuration
from tests.end_to_end.test_cluster import SILENCE_SECONDS, cluster, ended, taken
from tests.waiting import SECONDS, files_named, until

pytestmark = pytest.mark.cli

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
STEPS = "for step in $(seq 2000); do echo $0 >> steps.txt; sleep 0.02; done"


async def test_the_agent_of_a_node_that_stood_still_changes_nothing_once_another_works_in_the_same_tree(
    tmp_path: Path,
) -> None:
    lives: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text="I wrote steps.txt, and looked at 1 file.")
        lives.append(str(len(lives) + 1))
        if lives == ["1"]:
            return bash(f"echo $$ > agent.pid; exec sh -c '{STEPS}' first")
        return bash("echo second >> steps.txt")

    shared = tmp_path / "shared"
    async with cluster(
        tmp_path, script, environment={}, nodes={"silence_seconds": SILENCE_SECONDS, "shared_directory": str(shared)}
    ) as nodes:
        page, worker = await nodes.started(page="page", worker="worker")
        await page.say("write the steps")
        (steps,) = await until(lambda: files_named(shared, "steps.txt"))
        agent = int((steps.parent / "agent.pid").read_text())
        worker.process.send_signal(signal.SIGSTOP)
        (other,) = await nodes.started(other="worker")
        await page.replies(1)
        after = steps.read_text().partition("second\n")[2]
        assert (after, alive(agent)) == ("", True)  # it stands still, and with it all that it would do
        worker.process.send_signal(signal.SIGCONT)
        assert await ended(worker) == 1
        await until(lambda: not alive(agent))
        assert steps.read_text().partition("second\n")[2] == ""
        for node in (page, other):
            assert await node.terminate() == 0


async def test_an_agent_goes_on_where_its_node_stood_still_for_less_than_anybody_is_taken_over_after(
    tmp_path: Path,
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text="I wrote steps.txt, and looked at 1 file.")
        return bash("for step in $(seq 100); do echo $step >> steps.txt; sleep 0.05; done")

    async with cluster(tmp_path, script, environment={}, nodes={"silence_seconds": 20}) as nodes:
        page, worker = await nodes.started(page="page", worker="worker")
        await page.say("write the steps")
        (steps,) = await until(lambda: files_named(tmp_path, "steps.txt"))
        worker.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(7)
        worker.process.send_signal(signal.SIGCONT)
        await page.replies(1)
        assert steps.read_text().split() == [str(step) for step in range(1, 101)]
        for node in (page, worker):
            assert await node.terminate() == 0


async def test_where_a_worker_is_gone_for_good_its_agent_goes_on_elsewhere_and_remembers_what_it_did(
    tmp_path: Path,
) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        number = re.findall(r"count (\d)", request.last_user_text)[-1]
        if number == "1" and not request.tool_results:
            return bash(f"echo {SECRET} and $((6 * 7)) | tee made.txt")
        if number == "1":
            return ModelReply(text="I created `made.txt`.")
        return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.")

    async with cluster(tmp_path, script, environment={}) as nodes:
        page, worker = await nodes.started(page="page", worker="worker")
        await page.say("count 1")
        await page.replies(1)
        await worker.kill()
        # What was worked on one machine has its receipt on each.
        (receipt,) = (await page.conversation())["receipts"]
        assert [claim["state"] for claim in receipt["claims"]] == ["confirmed"]
        async with page.client() as client:
            answer = await client.post("/api/conversations/general/commands", json={"name": "receipt"})
        assert "made.txt" in answer.json()["text"]
        (other,) = await nodes.started(other="worker")
        for number in (2, 3):
            await page.say(f"count {number}", message=f"m{number}")
            await page.replies(number)
        # The model is sent what the agent did on the first machine: its call, what that put out, and its reply.
        told = json.dumps(requests[-1].messages)
        assert ("and 42" in told, SECRET in told) == (True, False)
        replies = ("I created `made.txt`.", "Item 2 has 3 functions: `f`, `g`, `h`.")
        assert requests[-1].assistant_texts == replies
        assert [text.count("[MOVED]") for text in requests[-1].user_texts] == [0, 1, 0]
        assert not [line for line in other.events if line["event"] == "session_lost"]
        notices = [post["text"] for post in (await page.conversation())["posts"] if post["kind"] != "reply"]
        assert [text.partition(", and")[0] for text in notices] == ["developer goes on on another machine"]
        for node in (page, other):
            assert await node.terminate() == 0


async def test_where_nothing_is_kept_of_a_session_the_conversation_is_told_that_its_agent_begins_anew(
    tmp_path: Path,
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        number = re.findall(r"count (\d)", request.last_user_text)[-1]
        return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.")

    async with cluster(tmp_path, script, environment={}) as nodes:
        page, worker = await nodes.started(page="page", worker="worker")
        await page.say("count 1")
        await page.replies(1)
        await worker.kill()
        with psycopg.connect(nodes.database.url("postgres")) as database:
            assert database.execute("DELETE FROM transcripts").rowcount > 0
        (other,) = await nodes.started(other="worker")
        await page.say("count 2", message="second")
        assert [reply["text"][:6] for reply in await page.replies(2)] == ["Item 1", "Item 2"]
        notices = [post["text"] for post in (await page.conversation())["posts"] if post["kind"] != "reply"]
        assert [text for text in notices if "The session of developer is not here any more" in text] == notices[:1]
        await page.say("count 3", message="third")  # it is told once
        await page.replies(3)
        assert [post["text"] for post in (await page.conversation())["posts"] if post["kind"] != "reply"] == notices
        for node in (page, other):
            assert await node.terminate() == 0


async def test_a_gateway_that_hears_nothing_leaves_its_platform_to_another_and_takes_it_again_after_that_one(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        number = re.findall(r"count (\d)", request.last_user_text)[-1]
        return ModelReply(text=f"Item {number} has 3 functions: `f`, `g`, `h`.")

    def answered() -> list[str]:
        return [number for post in place.posts() for number in re.findall(r"Item (\d) has", post.text)]

    async with telegram_place() as place:
        assert isinstance(place, TelegramPlace)
        async with (
            cut_relay(place.server.api_url) as relay,
            cluster(tmp_path, script, environment=place.environment, telegram=place.settings) as nodes,
        ):
            own = {**nodes.settings, "telegram": {**place.settings, "api_url": relay.url}}
            own["nodes"] = {**own["nodes"], "health_port": unused_tcp_port}
            (here,) = await replace(nodes, settings=own).started(first="gateway")
            await here.logged("platform_taken")
            there, worker = await nodes.started(second="gateway", third="worker")
            await place.say("count 1")
            await until(lambda: answered() == ["1"])
            relay.cut()
            await place.say("count 2")
            await until(lambda: answered() == ["1", "2"])
            assert taken(there)
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{unused_tcp_port}") as client:
                states = {path: (await client.get(path)).json()["status"] for path in ("/healthz", "/readyz", "/livez")}
            assert states == {"/healthz": "ok", "/readyz": "ready", "/livez": "alive"}
            relay.mend()
            assert await there.terminate() == 0
            await place.say("count 3")
            await until(lambda: answered() == ["1", "2", "3"])
            for node in (here, worker):
                assert await node.terminate() == 0


async def test_a_node_says_that_it_lives_while_it_stands_by_and_that_it_works_once_it_does(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    async with cluster(tmp_path, lambda _: ModelReply(text="Nobody asks."), environment={}) as nodes:
        (alone,) = await nodes.started(alone="all")
        of_node = {**nodes.settings, "nodes": {**nodes.settings["nodes"], "health_port": unused_tcp_port}}
        file = write_configuration(nodes.made("worker"), **of_node)
        over = asyncio.Event()

        async def lived() -> None:
            async with service_process(file, nodes.environment, role="worker") as worker:
                await over.wait()
                assert await worker.terminate() == 0

        async def states() -> list[tuple[int, str]]:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{unused_tcp_port}") as client:
                answers = [await client.get(path) for path in ("/livez", "/healthz", "/readyz")]
            return [(answer.status_code, answer.json()["status"]) for answer in answers]

        async def told(expected: list[tuple[int, str]]) -> None:
            async with asyncio.timeout(SECONDS):
                while True:
                    with suppress(httpx.TransportError):  # it has not begun to answer
                        if await states() == expected:
                            return
                    await asyncio.sleep(0.05)

        async with asyncio.TaskGroup() as group:
            group.create_task(lived())
            await told([(200, "alive"), (503, "standing_by"), (503, "standing_by")])
            assert await alone.terminate() == 0
            await told([(200, "alive"), (200, "ok"), (200, "ready")])
            over.set()
