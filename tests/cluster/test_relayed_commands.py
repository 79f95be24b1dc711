"""Commands about files are answered by the node that has them, and by nobody else."""

import asyncio
from collections.abc import Callable

import pytest

from mama_bot.cluster import RelayedCommands
from mama_bot.errors import StoreUnavailable
from mama_bot.model import (
    Answer,
    Author,
    Command,
    CommandAnswered,
    CommandAsked,
    CommandName,
    ConversationKey,
    NodeEvent,
    Origin,
    Platform,
)

KEY = ConversationKey(Platform("memory"), "general")


class HeardByAll:
    """Events that every node hears at once, as far as they reach anybody."""

    def __init__(self) -> None:
        self.told: list[NodeEvent] = []
        self.hear: Callable[[NodeEvent], None] = lambda _: None

    def publish(self, event: NodeEvent) -> None:
        self.told.append(event)
        self.hear(event)

    async def heard(self) -> NodeEvent:
        raise NotImplementedError

    async def run(self) -> None:
        raise NotImplementedError


class SeveralNodes:
    """The commands of two nodes, of which `home` has the files of the conversation."""

    def __init__(self, home: str | None, *, reached: bool = True, fails: Exception | None = None) -> None:
        self.fails = fails
        self.home = home
        self.carried_out: list[str] = []
        self.logged: list[Exception] = []
        self.events = HeardByAll()
        self.nodes = {name: self._node(name) for name in ("here", "there")}
        self._tasks: asyncio.TaskGroup | None = None
        if reached:
            self.events.hear = self._hear

    def _node(self, name: str) -> RelayedCommands:
        async def answer(command: Command) -> Answer:
            if self.fails is not None and name == "there":
                raise self.fails
            self.carried_out.append(f"{command.name.value} {name}")
            return Answer(text=f"by {name}")

        async def home(_key: ConversationKey) -> str | None:
            return self.home

        return RelayedCommands(
            answer=answer, home=home, own=name, events=self.events, new_id=lambda: "q1", answer_seconds=0.2
        )

    def _hear(self, event: NodeEvent) -> None:
        assert self._tasks is not None
        for node in self.nodes.values():
            match event:
                case CommandAsked():
                    self._tasks.create_task(self._asked(node, event))
                case CommandAnswered():
                    node.answered(event)
                case _:
                    raise AssertionError(event)

    async def _asked(self, node: RelayedCommands, event: CommandAsked) -> None:
        try:
            await node.asked(event)
        except Exception as error:  # noqa: BLE001 - whatever it is, the log has it, as of the node itself
            self.logged.append(error)

    async def asked(self, name: CommandName, argument: str = "") -> Answer:
        command = Command(
            name=name,
            key=KEY,
            author=Author(id="kim", name="Kim"),
            origin=Origin(channel="general"),
            argument=argument,
        )
        async with asyncio.TaskGroup() as self._tasks:
            return await self.nodes["here"].answer(command)


@pytest.mark.parametrize(
    ("home", "name", "argument", "by"),
    [
        ("there", CommandName.DIFF, "", "there"),
        ("there", CommandName.STOP, "2", "there"),  # one branch of what runs there
        ("there", CommandName.STOP, "", "here"),  # the store tells whoever runs it
        ("there", CommandName.STATUS, "", "here"),
        ("here", CommandName.DIFF, "", "here"),
        (None, CommandName.DIFF, "", "here"),
    ],
)
async def test_a_command_is_carried_out_once_where_its_files_are(
    home: str | None, name: CommandName, argument: str, by: str
) -> None:
    nodes = SeveralNodes(home)
    assert (await nodes.asked(name, argument)).text == f"by {by}"
    assert nodes.carried_out == [f"{name.value} {by}"]


@pytest.mark.parametrize(("words", "told"), [("", "did not answer in time"), ("전부", "제때 답하지 않았습니다")])
async def test_whoever_asks_a_node_that_does_not_answer_is_told_so_in_their_language(words: str, told: str) -> None:
    nodes = SeveralNodes("there", reached=False)
    answer = await nodes.asked(CommandName.DIFF, words)
    assert (answer.done, told in answer.text) == (False, True)
    assert nodes.carried_out == []


@pytest.mark.parametrize(
    ("error", "words", "told"),
    [
        (StoreUnavailable(url="store", reason="it is away", remedy="Wait."), "", "could not do it: The database store"),
        (KeyError("what"), "", "could not do it: something went wrong there"),
        (KeyError("what"), "전부", "서버에서 문제가 생겼습니다"),
    ],
)
async def test_whoever_asks_a_node_that_fails_is_told_so_at_once(error: Exception, words: str, told: str) -> None:
    nodes = SeveralNodes("there", fails=error)
    answer = await nodes.asked(CommandName.DIFF, words)
    assert (answer.done, told in answer.text) == (False, True)
    assert nodes.logged == [error]
