"""What another node tells is followed, and what goes wrong with it is that node's answer, or a line of the log."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count

import pytest

from mama_bot.cluster import EventListener, RelayedCommands, ShownTurns
from mama_bot.cluster.sentences import BUSY, REFUSED
from mama_bot.errors import AccessRefused
from mama_bot.model import (
    Answer,
    Author,
    Command,
    CommandAnswered,
    CommandAsked,
    CommandName,
    ConversationKey,
    MessageStanding,
    NodeEvent,
    Origin,
    Platform,
    Progress,
    QuestionSettled,
    SessionsForgotten,
    Turn,
    TurnState,
)
from mama_bot.wording import Language, Said
from tests.store.making import TickingClock

KEY = ConversationKey(Platform("chat"), "C1")


class Wire:
    """Brings what any node tells to each."""

    def __init__(self) -> None:
        self.queues: list[asyncio.Queue[NodeEvent]] = []


class Node:
    """The `NodeEvents` of one node on a wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._heard: asyncio.Queue[NodeEvent] = asyncio.Queue()
        wire.queues.append(self._heard)

    def publish(self, event: NodeEvent) -> None:
        for queue in self._wire.queues:
            queue.put_nowait(event)

    async def heard(self) -> NodeEvent:
        return await self._heard.get()

    def empty(self) -> bool:
        return self._heard.empty()

    async def run(self) -> None:
        await asyncio.Event().wait()


async def nothing(_: object) -> None:
    return None


def listener(
    node: Node,
    commands: RelayedCommands,
    forget: Callable[[ConversationKey], object] = id,
    *,
    most_at_once: int = 50,
    seconds_each: float = 60,
) -> tuple[EventListener, list[int]]:
    settled: list[int] = []
    show: Callable[[Progress], Awaitable[None]] = nothing
    mark: Callable[[MessageStanding], Awaitable[None]] = nothing

    async def not_ended(_: Turn) -> TurnState | None:
        return None

    def alarm(_occasion: str, _sentence: Said) -> None:
        return None

    heard = EventListener(
        events=node,
        own="worker",
        shown=ShownTurns(show=show, ended=not_ended, clock=TickingClock()),
        mark=mark,
        post=nothing,
        steer=nothing,
        settled=settled.append,
        forget=forget,
        alarm=alarm,
        commands=commands,
        most_at_once=most_at_once,
        seconds_each=seconds_each,
    )
    return heard, settled


def given(name: CommandName, language: Language = Language.ENGLISH) -> Command:
    return Command(name=name, key=KEY, author=Author(id="u1", name="Kim"), origin=Origin(), language=language)


def commands_of(
    name: str, node: Node, answer: Callable[[Command], Awaitable[Answer]], *, home: str | None, seconds: float = 60
) -> RelayedCommands:
    numbers = count(1)

    async def found(_: ConversationKey) -> str | None:
        return home

    return RelayedCommands(
        answer=answer,
        home=found,
        own=name,
        events=node,
        new_id=lambda: f"{name}-{next(numbers)}",
        answer_seconds=seconds,
    )


def answering(name: str) -> Callable[[Command], Awaitable[Answer]]:
    async def answer(command: Command) -> Answer:
        return Answer(text=f"{command.name} by {name}")

    return answer


async def answered(answers: Mapping[str, Callable[[Command], Awaitable[Answer]]], command: Command) -> Answer:
    """Give a command at the first of two nodes, where the files are with the second one."""
    wire = Wire()
    async with AsyncExitStack() as stack:
        group = await stack.enter_async_context(asyncio.TaskGroup())
        nodes = {name: Node(wire) for name in answers}
        commands = {name: commands_of(name, nodes[name], answers[name], home=[*answers][-1]) for name in answers}
        tasks = [group.create_task(listener(nodes[name], commands[name])[0].run()) for name in answers]
        answer = await commands[next(iter(answers))].answer(command)
        for task in tasks:
            task.cancel()
        return answer


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.KOREAN])
async def test_a_refusal_of_another_node_is_told_at_once(language: Language) -> None:
    async def refuse(_: Command) -> Answer:
        raise AccessRefused(reason="They are not served.")

    nodes = {"gateway": answering("gateway"), "worker": refuse}
    async with asyncio.timeout(20):
        answer = await answered(nodes, given(CommandName.UNDO, language))
    assert answer == Answer(text=REFUSED.to(language), done=False)


async def test_what_goes_wrong_with_one_event_keeps_none_of_the_next_from_being_heard() -> None:
    def broken(_: ConversationKey) -> object:
        raise RuntimeError("forgetting failed")

    node = Node(Wire())
    heard, settled = listener(node, commands_of("worker", node, answering("worker"), home=None), broken)
    node.publish(SessionsForgotten(key=KEY))
    node.publish(QuestionSettled(number=7))
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        task = group.create_task(heard.run())
        while not settled:
            await asyncio.sleep(0)
        task.cancel()
    assert settled == [7]


async def test_however_long_commands_take_all_else_is_heard_and_one_command_more_is_refused_at_once() -> None:
    begun: list[str] = []

    async def endless(command: Command) -> Answer:
        begun.append(command.argument)
        await asyncio.Event().wait()
        raise AssertionError

    wire = Wire()
    worker, gateway = Node(wire), Node(wire)
    commands = commands_of("worker", worker, endless, home=None)
    heard, settled = listener(worker, commands, most_at_once=2)
    for number in range(3):
        command = replace(given(CommandName.DIFF), argument=str(number))
        gateway.publish(CommandAsked(id=f"q{number}", node="worker", command=command))
    gateway.publish(QuestionSettled(number=7))
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        task = group.create_task(heard.run())
        while len(begun) < 2 or not settled:
            await asyncio.sleep(0)
        task.cancel()
    assert begun == ["0", "1"]
    told = [event async for event in of(gateway, CommandAnswered)]
    assert told == [CommandAnswered(id="q2", answer=Answer(text=BUSY.to(Language.ENGLISH), done=False))]


async def test_what_takes_longer_than_anybody_waits_for_makes_room_for_the_next() -> None:
    begun: list[str] = []

    async def slow_at_first(command: Command) -> Answer:
        begun.append(command.argument)
        if len(begun) == 1:
            await asyncio.Event().wait()
        return Answer(text="done")

    wire = Wire()
    worker, gateway = Node(wire), Node(wire)
    commands = commands_of("worker", worker, slow_at_first, home=None)
    heard, _ = listener(worker, commands, most_at_once=1, seconds_each=0.05)
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        task = group.create_task(heard.run())
        for number in range(2):
            while len(begun) < 2:
                command = replace(given(CommandName.DIFF), argument=str(number))
                gateway.publish(CommandAsked(id=f"q{number}", node="worker", command=command))
                await asyncio.sleep(0.02)
        task.cancel()
    assert begun[0] == "0"


async def test_a_node_does_not_forget_once_more_what_it_told_the_others_to_forget() -> None:
    forgotten: list[ConversationKey] = []
    node = Node(Wire())
    heard, settled = listener(node, commands_of("worker", node, answering("worker"), home=None), forgotten.append)
    other = ConversationKey(Platform("chat"), "C2")
    node.publish(SessionsForgotten(key=KEY, by="worker"))
    node.publish(SessionsForgotten(key=other, by="another"))
    node.publish(QuestionSettled(number=7))
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        task = group.create_task(heard.run())
        while not settled:
            await asyncio.sleep(0)
        task.cancel()
    assert forgotten == [other]


async def of(node: Node, kind: type[CommandAnswered]) -> AsyncIterator[CommandAnswered]:
    """What of a kind came to a node so far."""
    while not node.empty():
        event = await node.heard()
        if isinstance(event, kind):
            yield event
