"""Owners are told by the service, once for each occasion, also where one of them cannot be."""

import asyncio
from collections.abc import Callable

from mama_bot.config import AccessSettings
from mama_bot.errors import StoreInUse
from mama_bot.intake.kept_owner_lines import KEPT_FOR, KeptOwnerLines
from mama_bot.intake.owner_lines import WAITING_LINES, OwnerAlarms, OwnerLines
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, Notice, NoticeKind, Platform
from mama_bot.rules.sentences import RULE_CLOSED
from mama_bot.store import Store
from tests.intake.admitting import Door, SetClock
from tests.waiting import until


async def unneeded(notice: Notice) -> None:
    raise AssertionError(notice)


async def test_each_owner_is_told_once_of_an_occasion(store: Store, clock: SetClock) -> None:
    door = Door(store, clock)
    alarms = OwnerAlarms(metrics=door.metrics)
    owners = AccessSettings(owners=("boss", "chief"))
    lines = OwnerLines(
        alarms=alarms,
        settings=lambda: {Platform("away"): owners, door.gateway.platform: owners},
        gateways={door.gateway.platform: door.gateway},
        queue=store.outbox.add_while,
        post_unstored=unneeded,
        metrics=door.metrics,
    )
    for occasion, rule in (("1", "one"), ("1", "one"), ("2", "two")):
        alarms.put(occasion, RULE_CLOSED.of(rule=rule))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(lines.run()), group.create_task(door.run())]
        await until(lambda: len(door.gateway.posts) >= 4)
        for task in tasks:
            task.cancel()
    notices = [post for post in door.gateway.posts if isinstance(post, Notice)]
    assert sorted((notice.key.channel, notice.text.splitlines()[0]) for notice in notices) == [
        ("direct-boss", "The rule one works again."),
        ("direct-boss", "The rule two works again."),
        ("direct-chief", "The rule one works again."),
        ("direct-chief", "The rule two works again."),
    ]
    assert {notice.notice for notice in notices} == {NoticeKind.OWNER_ALARM}
    assert "규칙 one가 다시 작동합니다." in {notice.text.splitlines()[1] for notice in notices}
    assert door.counted("owners_not_told") == 4


async def test_a_store_that_never_answers_keeps_no_line_from_the_owners(store: Store, clock: SetClock) -> None:
    door, posted = Door(store, clock), list[Notice]()
    alarms = OwnerAlarms(metrics=door.metrics)

    async def unanswered(_: Notice, _wanted: Callable[[], bool]) -> None:
        await asyncio.Event().wait()

    async def post(notice: Notice) -> None:
        posted.append(notice)

    lines = OwnerLines(
        alarms=alarms,
        settings=lambda: {door.gateway.platform: AccessSettings(owners=("boss",))},
        gateways={door.gateway.platform: door.gateway},
        queue=unanswered,
        post_unstored=post,
        metrics=door.metrics,
        stored_seconds=0.05,
    )
    alarms.put("1", RULE_CLOSED.of(rule="one"))
    alarms.put("2", RULE_CLOSED.of(rule="two"))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(lines.run())
        await until(lambda: len(posted) == 2)
        task.cancel()
    assert [notice.key.channel for notice in posted] == ["direct-boss"] * 2


async def test_a_line_that_went_out_without_the_store_is_not_posted_again_once_the_store_answers(
    store: Store, clock: SetClock
) -> None:
    door, posted, late = Door(store, clock), list[Notice](), asyncio.Event()
    alarms = OwnerAlarms(metrics=door.metrics)
    adding: list[asyncio.Task[None]] = []

    async def slow(notice: Notice, wanted: Callable[[], bool]) -> None:
        async def answers_at_last() -> None:
            await late.wait()
            await store.outbox.add_while(notice, wanted)

        adding.append(group.create_task(answers_at_last()))
        await asyncio.shield(adding[-1])

    async def post(notice: Notice) -> None:
        posted.append(notice)

    lines = OwnerLines(
        alarms=alarms,
        settings=lambda: {door.gateway.platform: AccessSettings(owners=("boss",))},
        gateways={door.gateway.platform: door.gateway},
        queue=slow,
        post_unstored=post,
        metrics=door.metrics,
        stored_seconds=0.05,
    )
    alarms.put("1", RULE_CLOSED.of(rule="one"))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(lines.run())
        await until(lambda: posted)
        late.set()
        await until(adding[0].done)
        task.cancel()
    assert len(posted) == 1
    assert await store.outbox.pending(posted[0].key) == []


async def test_what_waits_for_owners_is_bounded() -> None:
    metrics = Metrics()
    alarms = OwnerAlarms(metrics=metrics)
    for number in range(WAITING_LINES + 2):
        alarms.put(str(number), RULE_CLOSED.of(rule="one"))
    assert metrics.snapshot()["owners_not_told", ()] == 2


def kept_lines(store: Store, clock: SetClock, told: list[str]) -> KeptOwnerLines:
    return KeptOwnerLines(
        state=store.gateway_state(Platform("owner_lines")), clock=clock, tell=lambda occasion, _: told.append(occasion)
    )


async def test_owners_are_told_here_what_no_other_node_can_be_told_of_and_once(store: Store, clock: SetClock) -> None:
    alarms, told = OwnerAlarms(metrics=Metrics()), list[str]()
    alarms.kept = kept_lines(store, clock, told)
    alarms.put("1", RULE_CLOSED.of(rule="one"))  # the database may be what is away
    alarms.take("1", RULE_CLOSED.of(rule="one"))  # what this node itself told all of them
    alarms.take("2", RULE_CLOSED.of(rule="two"))
    await run_until(alarms.kept, lambda: told == ["1"])
    assert [(await alarms.next())[0] for _ in range(2)] == ["1", "2"]


async def test_a_node_without_platforms_of_owners_leaves_the_telling_to_others(store: Store, clock: SetClock) -> None:
    metrics, told = Metrics(), list[str]()
    alarms = OwnerAlarms(metrics=metrics)
    alarms.tells_owners, alarms.kept = False, kept_lines(store, clock, told)
    numbers = [f"{number:03}" for number in range(WAITING_LINES + 2)]
    for number in numbers:
        alarms.put(number, RULE_CLOSED.of(rule="one"))
        alarms.take(number, RULE_CLOSED.of(rule="one"))
    await run_until(alarms.kept, lambda: sorted(told) == numbers)
    assert ("owners_not_told", ()) not in metrics.snapshot()


async def run_until(kept: KeptOwnerLines, look: Callable[[], bool]) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(kept.run())
        await until(look)
        task.cancel()


async def test_whoever_comes_to_have_a_platform_tells_its_owners_what_was_kept_lately_and_nobody_a_second_time(
    store: Store, clock: SetClock
) -> None:
    door, told = Door(store, clock), list[str]()
    of_the_dead = kept_lines(store, clock, told)
    of_the_dead.put("old", RULE_CLOSED.of(rule="none"))
    await run_until(of_the_dead, lambda: told == ["old"])
    clock.seconds += KEPT_FOR.total_seconds()
    of_the_dead.put("1", RULE_CLOSED.of(rule="{one}"))
    await run_until(of_the_dead, lambda: told == ["old", "1"])
    alarms = OwnerAlarms(metrics=door.metrics)
    alarms.kept = kept_lines(store, clock, told)
    lines = OwnerLines(
        alarms=alarms,
        settings=lambda: {door.gateway.platform: AccessSettings(owners=("boss",))},
        gateways={door.gateway.platform: door.gateway},
        queue=store.outbox.add_while,
        post_unstored=unneeded,
        metrics=door.metrics,
    )
    for _ in range(2):
        await lines.tell_again(door.gateway.platform)
    pending = [entry.post.text for entry in await store.outbox.pending(await boss(door))]
    assert pending == ["The rule {one} works again.\n규칙 {one}가 다시 작동합니다."]


async def boss(door: Door) -> ConversationKey:
    key = await door.gateway.direct("boss")
    assert key is not None
    return key


async def test_a_line_of_a_node_that_was_taken_over_is_posted_by_whoever_goes_on(store: Store, clock: SetClock) -> None:
    door = Door(store, clock)
    alarms = OwnerAlarms(metrics=door.metrics)

    async def taken_over(_: Notice, _wanted: Callable[[], bool]) -> None:
        raise StoreInUse(url="store", reason="another mama-bot has taken it over", remedy="Stop this one.")

    lines = OwnerLines(
        alarms=alarms,
        settings=lambda: {door.gateway.platform: AccessSettings(owners=("boss",))},
        gateways={door.gateway.platform: door.gateway},
        queue=taken_over,
        post_unstored=unneeded,
        metrics=door.metrics,
    )
    alarms.put("1", RULE_CLOSED.of(rule="one"))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(lines.run())
        await until(lambda: door.counted("owners_not_told"))
        task.cancel()
    assert door.gateway.posts == []
