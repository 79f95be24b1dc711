"""What all else of the service stands on: the store, the agents with their pool, and the work trees."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mama_bot.agents.pool import AgentPool
from mama_bot.app.agent_backends import rule_breakers_of
from mama_bot.app.agent_parts import AnsweringParts, agents_and_approvals
from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.host_checks import checks_swept
from mama_bot.app.node_parts import alarms_told
from mama_bot.app.pull_request_parts import ForgeOf, open_forges
from mama_bot.app.roles import node_of
from mama_bot.app.service_parts import (
    checkouts_of,
    demo_repository,
    snapshots_of,
    tell_missing_contents,
    tell_wait_for_tree,
)
from mama_bot.app.system_clock import SystemClock
from mama_bot.checkouts import Checkouts
from mama_bot.config import Steer
from mama_bot.intake.owner_lines import OwnerAlarms
from mama_bot.metrics import Metrics
from mama_bot.model import SessionId
from mama_bot.protocols import AgentBackend, Clock
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.rules.breakers import RuleBreakers
from mama_bot.store import Store, open_store, sqlite_url

if TYPE_CHECKING:  # who has an account needs no demo
    from mama_bot.demo.model_script import ModelScript


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """The settings, and what was opened for them; `answering` has the agents by name and what they may ask.

    `steer` says when an agent at work is told of a message: the story of the demonstration answers one question, and
    would lose another.
    """

    configuration: Configuration
    clock: Clock
    metrics: Metrics
    alarms: OwnerAlarms
    store: Store
    answering: AnsweringParts
    breakers: RuleBreakers
    pool: AgentPool
    forge_of: ForgeOf
    snapshots: Snapshots
    checkouts: Checkouts
    steer: Steer


@asynccontextmanager
async def foundation_of(
    configuration: Configuration,
    *,
    stop: asyncio.Event,
    script: "ModelScript | None",
    backends: Mapping[str, AgentBackend] | None,
) -> AsyncIterator[Foundation]:
    """Open the store and begin the agents while the block runs; ended in the opposite order."""
    clock, metrics = SystemClock(), Metrics()
    alarms, snapshots = OwnerAlarms(metrics=metrics), snapshots_of(configuration)
    async with (
        _opened(configuration, clock, stop) as store,
        checks_swept(configuration),
        agents_and_approvals(
            configuration,
            script,
            backends,
            store,
            snapshots,
            clock,
            metrics,
            breakers := rule_breakers_of(configuration, store.rule_records, metrics, alarms.put),
        ) as answering,
        AgentPool(
            backends=answering.agents,
            settings=configuration.settings.pool,
            clock=clock,
            new_session_id=lambda: SessionId(str(uuid.uuid4())),
        ) as pool,
        open_forges(configuration, clock) as forge_of,
    ):
        seed = demo_repository if configuration.scripted else None
        story_plays = configuration.scripted and script is None and backends is None
        alarms_told(alarms, configuration.role, store, clock)
        yield Foundation(
            configuration=configuration,
            clock=clock,
            metrics=metrics,
            alarms=alarms,
            store=store,
            answering=answering,
            breakers=breakers,
            pool=pool,
            forge_of=forge_of,
            snapshots=snapshots,
            checkouts=checkouts_of(
                configuration,
                store.checkouts,
                clock,
                seed,
                partial(tell_missing_contents, store),
                partial(tell_wait_for_tree, store, lambda: uuid.uuid4().hex[:12]),
            ),
            steer=Steer.ON_REQUEST if story_plays else configuration.settings.turns.steer,
        )


def _opened(configuration: Configuration, clock: Clock, stop: asyncio.Event) -> AbstractAsyncContextManager[Store]:
    """Return the store of these settings; one that another service holds is waited for until `stop`."""
    settings = configuration.settings
    url = settings.store.url
    return open_store(
        url.get_secret_value() if url else sqlite_url(configuration.directory / DATABASE_NAME),
        clock=clock,
        queue=settings.queue,
        crash_retries=settings.turns.crash_retries,
        standby=stop,
        node=node_of(configuration),
    )
