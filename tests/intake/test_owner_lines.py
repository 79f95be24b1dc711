"""Owners are told by the service, once for each occasion, also where one of them cannot be."""

import asyncio
from collections.abc import Callable

from mama_bot.config import AccessSettings
from mama_bot.intake.owner_lines import WAITING_LINES, OwnerAlarms, OwnerLines
from mama_bot.metrics import Metrics
from mama_bot.model import Notice, NoticeKind, Platform
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


async def test_owners_are_told_here_what_no_other_node_can_be_told_of_and_once() -> None:
    alarms, told = OwnerAlarms(metrics=Metrics()), list[str]()
    alarms.tell_nodes = lambda occasion, _: told.append(occasion)
    alarms.put("1", RULE_CLOSED.of(rule="one"))  # the database may be what is away
    alarms.take("1", RULE_CLOSED.of(rule="one"))  # what this node itself told all of them
    alarms.take("2", RULE_CLOSED.of(rule="two"))
    assert told == ["1"]
    assert [(await alarms.next())[0] for _ in range(2)] == ["1", "2"]


async def test_a_node_without_platforms_of_owners_leaves_the_telling_to_others() -> None:
    metrics, told = Metrics(), list[str]()
    alarms = OwnerAlarms(metrics=metrics)
    alarms.tells_owners, alarms.tell_nodes = False, lambda occasion, _: told.append(occasion)
    numbers = [str(number) for number in range(WAITING_LINES + 2)]
    for number in numbers:
        alarms.put(number, RULE_CLOSED.of(rule="one"))
        alarms.take(number, RULE_CLOSED.of(rule="one"))
    assert told == numbers
    assert ("owners_not_told", ()) not in metrics.snapshot()
