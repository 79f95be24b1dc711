"""Whatever the platform does, the gateway hears, and confirms nothing that is not stored."""

import asyncio
import os
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from telegram.error import TelegramError

from mama_bot.errors import QueueFull, StoreUnavailable
from mama_bot.model import BUTTONS_ONLY, Answer, Command, CommandName, InboundMessage
from mama_bot.testing.memory_core import MemoryInlet, MemoryState
from mama_bot.wording import Language
from tests.gateways.telegram.harness import QUICK, TELEGRAM, TOKEN, made, running, telegram
from tests.platforms.telegram_server import Json, TelegramServer, Upload
from tests.waiting import until

FUZZ_EVENTS = int(os.environ.get("FUZZ_EVENTS", "300"))
LOCKED = StoreUnavailable(url="sqlite://", reason="locked", remedy="Wait.")


class FailingState(MemoryState):
    """A state that cannot be written while `broken`."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = False

    async def put(self, values: Mapping[str, str]) -> None:
        if self.broken and any(name.startswith("offset/") for name in values):
            raise LOCKED
        await super().put(values)


class PoisonedInlet(MemoryInlet):
    """Fails on one text, by a fault of its own."""

    tries = 0

    async def deliver(self, message: InboundMessage) -> bool:
        if message.text == "poison":
            self.tries += 1
            raise ZeroDivisionError("a fault of ours")
        return await super().deliver(message)


async def test_a_message_that_was_stored_before_a_crash_comes_again_and_is_stored_once(tmp_path: Path) -> None:
    inlet, state = MemoryInlet(), FailingState()
    async with TelegramServer() as server:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        gateway, *_ = made(server, tmp_path, state=state)
        state.broken = True
        async with running(gateway, inlet):
            server.say(person, "hello", bot=bot)
            await until(lambda: inlet.delivered)
        assert bot.queue.confirmed <= bot.queue.last
        state.broken = False
        served = bot.queue.served[bot.queue.last]
        gateway, *_ = made(server, tmp_path, state=state)
        async with running(gateway, inlet):
            await until(lambda: bot.queue.confirmed > bot.queue.last)
        assert bot.queue.served[bot.queue.last] > served
    assert [message.text for message in inlet.delivered] == ["hello"]


async def test_lives_that_are_cut_short_at_any_moment_lose_and_repeat_nothing(tmp_path: Path) -> None:
    dice, inlet, state = random.Random(7), MemoryInlet(), MemoryState()
    async with TelegramServer() as server:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        for life in range(25):
            for number in range(4):
                server.say(person, f"{life}.{number}", bot=bot)
            gateway, *_ = made(server, tmp_path, state=state)
            async with running(gateway, inlet):
                await asyncio.sleep(dice.random() * 0.05)
        gateway, *_ = made(server, tmp_path, state=state)
        async with running(gateway, inlet):
            await until(lambda: bot.queue.confirmed > bot.queue.last)
    expected = [f"{life}.{number}" for life in range(25) for number in range(4)]
    assert [message.text for message in inlet.delivered] == expected


async def test_a_new_life_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    inlet, state = MemoryInlet(), MemoryState()
    async with TelegramServer() as server:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        for text in ("one", "two"):
            server.say(person, text, bot=bot)
            gateway, *_ = made(server, tmp_path, state=state)
            async with running(gateway, inlet):
                await until(lambda: bot.queue.confirmed > bot.queue.last)
        assert [message.text for message in inlet.delivered] == ["one", "two"]
        assert state.values[f"offset/{bot.id}"] == str(bot.queue.last + 1)


@pytest.mark.parametrize(("hours", "told"), [(23, False), (25, True)])
async def test_owners_hear_of_messages_that_telegram_keeps_no_more(tmp_path: Path, hours: int, told: bool) -> None:
    inlet, state = MemoryInlet(), MemoryState()
    async with TelegramServer() as server:
        bot = server.add_bot(TOKEN, "mama_bot")
        ago = datetime.now(UTC) - timedelta(hours=hours)
        await state.put({f"heard/{bot.id}": ago.isoformat()})
        gateway, *_ = made(server, tmp_path, state=state)
        async with running(gateway, inlet):
            await until(lambda: state.values[f"heard/{bot.id}"] != ago.isoformat())
            lost = [line.to(Language.ENGLISH) for line in gateway.hearing().lost]
            assert any(f"{ago:%Y-%m-%d %H:%M} UTC" in line for line in lost) == told
            assert gateway.hearing().ok
        again, *_ = made(server, tmp_path, state=state)
        async with running(again, inlet):
            await until(lambda: again.hearing().ok)
            assert not again.hearing().lost


async def test_the_order_of_a_chat_holds_while_the_store_is_away(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.inlet.refusal = LOCKED
        for number in range(20):
            chat.server.say(chat.person, f"@mama_bot {number}", chat=chat.chat)
        await until(lambda: len(chat.bot.queue.served) >= 20)
        chat.inlet.refusal = None
        await chat.confirmed()
        assert [message.text for message in chat.inlet.delivered] == [str(number) for number in range(20)]


async def test_a_slow_file_in_one_chat_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.server.files_open.clear()
        chat.server.send(chat.person, Upload("big.txt", "text/plain", b"words" * 99), bot=chat.bot)
        await until(lambda: chat.server.called("getFile"))
        for number in range(3):
            chat.server.say(chat.person, f"@mama_bot {number}", chat=chat.chat)
        await until(lambda: len(chat.inlet.delivered) == 3)
        assert chat.bot.queue.confirmed <= chat.bot.queue.last - 3
        assert chat.gateway.hearing().ok
        chat.server.files_open.set()
        await chat.confirmed()
        assert len(chat.inlet.delivered) == 4


async def test_a_slow_file_holds_up_nobody_however_much_is_written_and_is_kept_over_a_restart(tmp_path: Path) -> None:
    inlet, state = MemoryInlet(), MemoryState()
    async with TelegramServer() as server:
        bot, person, other = server.add_bot(TOKEN, "mama_bot"), server.add_person(1, "Kim"), server.add_person(2, "Lee")
        server.files_open.clear()
        server.send(person, Upload("big.txt", "text/plain", b"words" * 99), bot=bot)
        for number in range(150):
            server.say(other, str(number), bot=bot)
        gateway, *_ = made(server, tmp_path, state=state)
        async with running(gateway, inlet):
            await until(lambda: len(inlet.delivered) == 150)
            await until(lambda: bot.queue.confirmed > bot.queue.last)
        server.files_open.set()
        gateway, *_ = made(server, tmp_path, state=state)
        async with running(gateway, inlet):
            await until(lambda: len(inlet.delivered) == 151)
            await until(lambda: not any(name.startswith("aside/") for name in state.values))
        assert [message.text for message in inlet.delivered] == [*(str(number) for number in range(150)), ""]
        assert [one.name for one in inlet.delivered[-1].attachments] == ["big.txt"]


async def test_another_poller_is_named_and_outlived(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        fault = chat.server.fail_next("getUpdates", 409, "Conflict: terminated by other getUpdates request")
        fault.count = 10_000
        chat.bot.queue.interrupt()
        await until(lambda: "another program polls" in chat.gateway.hearing().why(Language.ENGLISH).lower())
        assert not chat.gateway.hearing().ok
        fault.count = 0
        assert await chat.say("hello", message_id="m1")
        assert chat.gateway.hearing().ok


async def test_a_real_second_poller_takes_the_poll_over_and_both_live(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        other, *_ = made(chat.server, tmp_path)
        async with running(other, MemoryInlet()):
            await until(lambda: chat.counted("polls_failed"))
        assert await chat.say("hello", message_id="m1")


async def test_a_revoked_token_is_said_and_tried_again(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.bot.revoked = True
        chat.bot.queue.interrupt()
        await until(lambda: "@BotFather" in chat.gateway.hearing().why(Language.ENGLISH))
        assert not chat.gateway.hearing().ok
        assert TOKEN not in chat.gateway.hearing().why(Language.ENGLISH)
        chat.bot.revoked = False
        assert await chat.say("hello", message_id="m1")
        assert chat.gateway.hearing().ok


async def test_a_bot_that_starts_with_a_bad_token_waits_for_a_good_one(tmp_path: Path) -> None:
    async with TelegramServer() as server:
        gateway, *_ = made(server, tmp_path)
        async with running(gateway, MemoryInlet()):
            await until(lambda: "does not accept the token" in gateway.hearing().why(Language.ENGLISH))


async def test_a_poll_that_is_never_answered_is_noticed(tmp_path: Path) -> None:
    async with telegram(tmp_path, timing=replace(QUICK, silence=0.2), poll_seconds=1) as chat:
        assert chat.gateway.hearing().ok
        chat.server.silent = True
        chat.server.drop_connections()
        await until(lambda: not chat.gateway.hearing().ok)
        assert chat.gateway.hearing().why(Language.ENGLISH)
        chat.server.silent = False
        assert await chat.say("hello", message_id="m1")
        await until(lambda: chat.gateway.hearing().ok)


async def test_errors_of_the_platform_are_outlived(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        for status, more in ((500, {}), (502, {}), (429, {"retry_after": 1}), (0, {}), (400, {})):
            chat.server.fail_next("getUpdates", status, "Trouble", **more)
        chat.bot.queue.interrupt()
        assert await chat.say("hello", message_id="m1")


async def test_an_old_webhook_is_taken_off_and_what_waited_is_kept(tmp_path: Path) -> None:
    inlet = MemoryInlet()
    async with TelegramServer() as server:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        bot.webhook = "https://example.org/hook"
        server.say(person, "hello", bot=bot)
        gateway, *_ = made(server, tmp_path)
        async with running(gateway, inlet):
            await until(lambda: inlet.delivered)
            bot.webhook = "https://example.org/hook"
            bot.queue.interrupt()
            await until(lambda: not bot.webhook)
            server.say(person, "again", bot=bot)
            await until(lambda: len(inlet.delivered) == 2)


async def test_a_poison_update_is_tried_three_times_told_and_passed(tmp_path: Path) -> None:
    inlet = PoisonedInlet()
    async with telegram(tmp_path, inlet=inlet) as chat:
        await chat.say("poison", message_id="m1")
        assert await chat.say("hello", message_id="m2")
        assert inlet.tries == 3
        assert chat.counted("updates_given_up") == 1
        assert "could not be read" in chat.shown()[0]


async def test_an_update_that_makes_no_sense_is_counted_and_told_in_private(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        private = chat.server.world.chats[chat.person.id]
        chat.server.say(chat.person, "hello", bot=chat.bot)
        broken = {"message_id": [], "chat": private.shown(), "from": chat.person.user(), "text": "lost"}
        chat.bot.queue.push({"message": broken})
        assert await chat.say("hello", message_id="m1")
        await until(lambda: any("could not be read" in text for text in chat.server.shown(private)))
        assert chat.counted("updates_unreadable") == 1


async def test_a_full_queue_does_not_hold_the_offset(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.inlet.refusal = QueueFull(scope="this conversation", limit=3)
        await chat.say("one", message_id="m1")
        chat.inlet.refusal = None
        assert await chat.say("two", message_id="m2")
        assert [message.text for message in chat.inlet.delivered] == ["two"]


async def test_a_refusal_is_told_although_the_platform_asks_for_a_pause(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        chat.inlet.refusal = QueueFull(scope="this conversation", limit=3)
        chat.server.fail_next("sendMessage", 429, "Too Many Requests: retry after 1", retry_after=1)
        await chat.say("one", message_id="m1")
        assert "full" in chat.shown()[0]


async def test_two_hundred_messages_at_once_are_stored_in_order(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        for number in range(200):
            chat.server.say(chat.person, f"@mama_bot {number}", chat=chat.chat)
        await chat.confirmed()
        assert [message.text for message in chat.inlet.delivered] == [str(number) for number in range(200)]


async def test_commands_are_registered_once_in_both_languages(tmp_path: Path) -> None:
    state = MemoryState()
    async with TelegramServer() as server:
        bot = server.add_bot(TOKEN, "mama_bot")
        for _ in range(2):
            gateway, *_ = made(server, tmp_path, state=state)
            async with running(gateway, MemoryInlet()):
                polls = bot.queue.polls
                await until(lambda: bot.queue.polls > polls)  # noqa: B023
        assert [command["command"] for command in bot.commands[""]] == [
            name.value for name in CommandName if name not in BUTTONS_ONLY
        ]
        assert "팀" in bot.commands["ko"][0]["description"]
        assert len(server.called("setMyCommands")) == 2


async def test_a_bot_that_may_register_no_commands_hears_all_the_same(tmp_path: Path) -> None:
    async with TelegramServer() as server:
        bot, person = server.add_bot(TOKEN, "mama_bot"), server.add_person(2001, "Alice")
        server.fail_next("setMyCommands", 400, "Bad Request: BOT_COMMAND_INVALID")
        server.fail_next("deleteWebhook", 500)
        inlet = MemoryInlet()
        gateway, *_ = made(server, tmp_path)
        async with running(gateway, inlet):
            server.say(person, "hello", bot=bot)
            await until(lambda: inlet.delivered)


async def test_fuzzed_updates_leave_the_gateway_hearing(tmp_path: Path) -> None:
    dice = random.Random(5)
    async with telegram(tmp_path) as chat:
        whole = chat.server.say(chat.person, "@mama_bot /status hello", chat=chat.chat, reply_to=None)
        picture = {"photo": [{"file_id": "none", "width": 1, "height": 1}], "caption": "@mama_bot see"}
        query = {"id": "1", "from": chat.person.user(), "message": whole, "data": "mama:receipt"}
        seeds: list[Json] = [
            {"message": whole},
            {"message": whole | picture},
            {"edited_message": whole},
            {"callback_query": query},
            {"my_chat_member": {"chat": chat.chat.shown(), "new_chat_member": {"status": "kicked"}}},
        ]
        for _ in range(FUZZ_EVENTS):
            chat.bot.queue.push(damaged(dice, dice.choice(seeds)))
        async with asyncio.timeout(60 + FUZZ_EVENTS / 20):
            while chat.bot.queue.confirmed <= chat.bot.queue.last:
                await asyncio.sleep(0.05)
        assert await chat.say("still there?", message_id="m1")
        assert chat.gateway.hearing().ok
        assert chat.counted("updates_failed") == 0


def damaged(dice: random.Random, value: Json) -> Json:
    """The same with some values, at any depth, of another kind or gone; the kind of the update stays."""
    [(kind, content)] = value.items()
    return {kind: _damaged(dice, content)} if dice.random() < 0.95 else {kind: _junk(dice)}


def _damaged(dice: random.Random, value: object) -> object:
    if dice.random() < 0.04:
        return _junk(dice)
    if isinstance(value, dict):
        return {key: _damaged(dice, one) for key, one in value.items() if dice.random() > 0.03}
    if isinstance(value, list):
        return [_damaged(dice, one) for one in value] * dice.choice([0, 1, 1, 1, 3])
    if isinstance(value, str) and dice.random() < 0.1:
        return value + dice.choice(["\ud83d", "\x00", "👩‍💻" * 300, "/stop", "</b><i>", "@dev_bot"])
    return value


def _junk(dice: random.Random) -> object:
    return dice.choice([None, -1, 2**70, 1.5, "", "x", [], {}, [[]], {"id": {}}, True, "9" * 5000])


async def test_a_command_is_answered_below_it_also_in_korean(tmp_path: Path) -> None:
    async with telegram(tmp_path) as chat:
        commands = list[Command]()

        class Asked(MemoryInlet):
            async def command(self, command: Command) -> Answer:
                commands.append(command)
                return Answer(text="네.")

        person = chat.server.add_person(2002, "민수", language="ko")
        gateway, *_ = made(chat.server, tmp_path)
        async with running(gateway, Asked()):
            await until(lambda: chat.counted("polls_failed"))
            asked = chat.server.say(person, "/status@mama_bot", chat=chat.chat)
            await until(lambda: commands or chat.inlet.commands)
        [command] = commands or chat.inlet.commands
        assert command.language == Language.KOREAN
        assert command.origin.channel == str(asked["chat"]["id"])
        assert command.key.platform == TELEGRAM


def test_our_own_errors_are_of_the_client() -> None:
    from mama_bot.gateways.telegram.transport import TelegramRefused, Unreached

    assert issubclass(TelegramRefused, TelegramError)
    assert issubclass(Unreached, TelegramError)
