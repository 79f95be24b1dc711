"""The socket for hooks, with rules behind it and nothing else of the service."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from mama_bot.config import RunCommands
from mama_bot.metrics import Metrics
from mama_bot.model import RuleState
from mama_bot.rules.rule import Rule
from mama_bot.rules.rule_engine import RuleEngine
from mama_bot.rules.rule_guard import RuleGuard
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.runs import RunReader
from mama_bot.session_hooks.hook_socket import HookSocket
from mama_bot.session_hooks.plugin import relay
from tests.rules.making import breakers_of
from tests.waiting import SECONDS


class States:
    """What sessions did, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, RuleState] = {}

    async def load(self, session: str) -> RuleState | None:
        return self.kept.get(session)

    async def save(self, session: str, state: RuleState) -> None:
        self.kept[session] = state


@asynccontextmanager
async def served(directory: Path, rules: Sequence[Rule] = ()) -> AsyncIterator[Path]:
    """The socket of a service with these rules (default: the shipped ones)."""
    guard = RuleGuard(
        engine=RuleEngine(rules or shipped_rules()),
        states=States(),
        reader=lambda workspace: RunReader(commands=RunCommands(), workspace=workspace),
        protected_branches=("main",),
        now=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        metrics=Metrics(),
        breakers=breakers_of(rules or shipped_rules()),
    )
    path = directory / relay.SOCKET
    running = asyncio.create_task(HookSocket(path=path, guard=guard, watch=guard).run())  # noqa: TID251 - ended below
    try:
        async with asyncio.timeout(SECONDS):
            while not path.exists():
                await asyncio.sleep(0.01)
        yield path
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
