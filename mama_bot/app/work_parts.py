"""What turns change in work trees, and what people do with it, put together from the parts of a service."""

import asyncio
import itertools
import shutil
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mama_bot.agents.claude_events import BACKEND as CLAUDE_BACKEND
from mama_bot.agents.homes import GRANTED, home_name
from mama_bot.agents.pool import AgentPool
from mama_bot.app.agent_backends import AGENTS
from mama_bot.app.configuration import Configuration
from mama_bot.app.foundation import Foundation
from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.delegate_trees import DelegateTrees
from mama_bot.checkouts.tree_history import TreeHistory
from mama_bot.deeds import Deeds
from mama_bot.deeds.diffs import Diffs
from mama_bot.deeds.discard import Discard, Restore
from mama_bot.deeds.merge import Merge
from mama_bot.deeds.prune import Prune
from mama_bot.deeds.publication import Publication
from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.deeds.undo import Undo
from mama_bot.intake.access import Access
from mama_bot.intake.deed_commands import DeedCommands
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, DelegateTree
from mama_bot.protocols import Clock
from mama_bot.store import Store

DEFAULT_UMASK = 0o022


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkParts:
    """What notes the changes of turns, shows them, and does what people ask of them."""

    changes: TurnChanges
    diffs: Diffs
    deeds: Deeds
    pruning: Prune
    delegate_trees: DelegateTrees


def work_parts(base: Foundation, watch: Callable[[], None]) -> WorkParts:
    """Return the parts that know what was changed; `watch` is told of each pull request."""
    configuration, store, clock, metrics = base.configuration, base.store, base.clock, base.metrics
    records, checkouts, git = store.deeds, base.checkouts, base.checkouts.git
    umask = DEFAULT_UMASK if configuration.umask is None else configuration.umask
    history = TreeHistory(directory=configuration.directory, git=git, snapshots=base.snapshots, umask=umask)
    changes = TurnChanges(records=records, checkouts=checkouts, history=history, clock=clock, metrics=metrics)
    forget = _forgetting(configuration, store, base.pool)
    discard = Discard(checkouts=checkouts, records=records, forget_sessions=forget)
    publication = Publication(
        checkouts=checkouts,
        forge_of=base.forge_of,
        records=records,
        pull_requests=store.pull_requests,
        history=store.history,
        clock=clock,
        watch=watch,
    )
    redact = configuration.redactor()
    return WorkParts(
        pruning=Prune(
            records=records,
            holds=store.stops,
            checkouts=checkouts,
            history=history,
            changes=changes,
            keep_days=configuration.settings.work_trees.keep_days,
            clock=clock,
        ),
        delegate_trees=DelegateTrees(
            checkouts=checkouts,
            records=store.delegate_trees,
            history=history,
            work=configuration.settings.delegation.work_trees,
            clock=clock,
            end_sessions=_ending(configuration, store, base.pool),
        ),
        changes=changes,
        diffs=Diffs(checkouts=checkouts, records=records, changes=changes, history=history, redact=redact),
        deeds=Deeds(
            records=records,
            holds=store.stops,
            undo=Undo(checkouts=checkouts, records=records, changes=changes, history=history, git=git),
            merge=Merge(checkouts=checkouts, records=records, git=git),
            discard=discard,
            restore=Restore(checkouts=checkouts, records=records, discard=discard),
            push=publication.push,
            open_request=publication.open,
            metrics=metrics,
            node=store.nodes.id,
        ),
    )


def deed_commands(
    work: WorkParts, *, store: Store, checkouts: Checkouts, access: Access, clock: Clock, metrics: Metrics
) -> DeedCommands:
    """Return what answers the commands about the work of a conversation."""
    return DeedCommands(
        deeds=work.deeds,
        diffs=work.diffs,
        checkouts=checkouts,
        records=store.deeds,
        reviews=store.reviews,
        history=store.history,
        outbox=store.outbox,
        is_owner=access.is_owner,
        clock=clock,
        new_id=lambda: uuid.uuid4().hex[:12],
        metrics=metrics,
    )


def _forgetting(
    configuration: Configuration, store: Store, pool: AgentPool
) -> Callable[[ConversationKey], Awaitable[None]]:
    """Return what ends the sessions of a conversation: they know a work tree that is no more."""

    async def forget(key: ConversationKey) -> None:
        pool.forget(key)
        for persona in configuration.personas:
            await store.turns.forget_session(key, persona)

    return forget


def _ending(configuration: Configuration, store: Store, pool: AgentPool) -> Callable[[DelegateTree], Awaitable[None]]:
    """Return what ends the sessions of agents in the work tree of a delegation, with all that their CLI keeps."""

    async def end(tree: DelegateTree) -> None:
        await pool.end(tree.key, tree.id)
        for persona in configuration.personas.values():
            directory = configuration.directory / AGENTS
            for agents, vault in itertools.product(
                [directory if name == CLAUDE_BACKEND else directory / name for name in persona.backends],
                ("", tree.repository),
            ):
                name = home_name(tree.key, persona.name, vault, tree.id)
                if await asyncio.to_thread((agents / name).is_dir):
                    await store.turns.forget_session(tree.key, f"{persona.name}@{tree.id}")
                    for place in (agents / name, agents / GRANTED / name):
                        await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    return end
