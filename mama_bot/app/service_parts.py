"""Small parts of the service that `assembly` puts together."""

import math
import random
import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.provisions import own_ways
from mama_bot.app.set_up import SetUpCommands
from mama_bot.budgets.budgets import Budgets
from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.absent_contents import missing_told
from mama_bot.checkouts.sentences import TREE_IS_MADE, TREE_TAKES_LONG
from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import AccessSettings, BudgetSettings
from mama_bot.errors import ConfigurationError, MamaBotError
from mama_bot.headway.drift import Drift, TextLikeness, outputs_of
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.metrics import Metrics
from mama_bot.model import (
    ConversationKey,
    Exchange,
    InboundMessage,
    MissingContents,
    Notice,
    NoticeKind,
    Platform,
    PostId,
    Progress,
    Turn,
)
from mama_bot.orchestrator import Current, Team
from mama_bot.orchestrator.written_boards import WrittenBoards
from mama_bot.protocols import CheckoutRecords, Clock, Gateway, Outbox, Pairings
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.store import Store
from mama_bot.turns.turn_drift import TurnDrift
from mama_bot.wording import Language


def pairing_requests(
    access: Callable[[], Mapping[Platform, AccessSettings]],
    pairings: Pairings,
    gateways: Mapping[Platform, Gateway],
    outbox: Outbox,
    clock: Clock,
    metrics: Metrics,
) -> PairingRequests:
    """Return what answers unknown people, with codes that nobody can guess."""
    return PairingRequests(
        pairings=pairings,
        settings=access,
        gateways=gateways,
        outbox=outbox,
        clock=clock,
        metrics=metrics,
        chance=random.SystemRandom(),
    )


def snapshots_of(configuration: Configuration) -> Snapshots:
    """Return what takes the git trees of work trees, by indexes of the service's own."""
    directory = configuration.directory
    borrowed = partial(borrowed_objects, directory.absolute())
    return Snapshots(indexes=directory / "indexes", own=directory, borrowed=borrowed)


def checkouts_of(
    configuration: Configuration,
    records: CheckoutRecords,
    clock: Clock,
    seed: Callable[[Path], Awaitable[None]] | None = None,
    tell_missing: Callable[[ConversationKey, str, MissingContents], Awaitable[None]] | None = None,
    tell_wait: Callable[[ConversationKey, str, float], Awaitable[None]] | None = None,
) -> Checkouts:
    """Return what gives conversations their repositories and work trees."""
    settings = configuration.settings
    return Checkouts(
        directory=configuration.directory,
        repositories=settings.repositories,
        settings=settings.work_trees,
        default=settings.default_repository,
        records=records,
        clock=clock,
        new_id=lambda: uuid.uuid4().hex[:8],
        seed=seed,
        set_up=SetUpCommands(configuration).run,
        ways=own_ways(configuration),
        tell_missing=tell_missing,
        tell_wait=tell_wait,
    )


async def tell_missing_contents(store: Store, key: ConversationKey, name: str, missing: MissingContents) -> None:
    """Tell the conversation that is the first to work in a repository what of it is not there."""
    language = await _language_of(store, key)
    kinds = f"{len(missing.submodules)}{'.lfs' if missing.large_files else ''}"
    await store.outbox.add(
        Notice(
            id=PostId(f"missing.{name}.{kinds}"),
            key=key,
            notice=NoticeKind.REPOSITORY,
            text=missing_told(missing, name, language),
        )
    )


async def tell_wait_for_tree(
    store: Store, new_id: Callable[[], str], key: ConversationKey, name: str, seconds: float
) -> None:
    """Tell a conversation that its work tree takes so many seconds; 0: nobody knows how many."""
    line = TREE_IS_MADE.of(name=name, seconds=math.ceil(seconds)) if seconds else TREE_TAKES_LONG.of(name=name)
    text = line.to(await _language_of(store, key))
    notice = Notice(id=PostId(f"tree.{new_id()}"), key=key, notice=NoticeKind.REPOSITORY, text=text)
    await store.outbox.add(notice)


async def _language_of(store: Store, key: ConversationKey) -> Language:
    view = await store.history.view(key, 1)
    return view.messages[-1].language if view.messages else Language.ENGLISH


def upkeep_of(
    configuration: Configuration,
    checkouts: Checkouts,
    store: Store,
    clock: Clock,
    is_here: Callable[[ConversationKey], Awaitable[bool]],
) -> CheckoutUpkeep:
    """Return what looks after work trees while nobody waits; those of other nodes are theirs."""
    return CheckoutUpkeep(
        checkouts=checkouts,
        records=store.checkouts,
        runs=store.stops.runs,
        is_here=is_here,
        sweeps=not store.nodes.place.shared_files,
        keep_days=configuration.settings.work_trees.keep_days,
        clock=clock,
    )


def shown_by(gateways: Mapping[Platform, Gateway]) -> Callable[[Progress], Awaitable[None]]:
    """Return what shows progress on the platform of its turn."""

    async def show(progress: Progress) -> None:
        gateway = gateways.get(progress.turn.key.platform)
        if gateway is not None:
            await gateway.show(progress)

    return show


async def waiting_in_line(_message: InboundMessage) -> bool:
    """Return False: a message waits until somebody tells the agent at work of it."""
    return False


def only_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what to tell the person: the one error of ours in a group, or the group as it is."""
    matching = group.subgroup(MamaBotError)
    while matching is not None:
        first = matching.exceptions[0]
        if not isinstance(first, BaseExceptionGroup):
            return first
        matching = first
    return group


def budgets_of(store: Store, settings: Callable[[], BudgetSettings], clock: Clock, metrics: Metrics) -> Budgets:
    """Return what holds the caps that there are at the moment."""
    return Budgets(
        records=store.spendings,
        settings=settings,
        new_id=lambda: uuid.uuid4().hex,
        clock=clock,
        metrics=metrics,
    )


def drift_of(
    team: Current[Team], configuration: Configuration, metrics: Metrics
) -> Callable[[Turn, Exchange], TurnDrift]:
    """Return what follows each turn for whether its agent is stuck; raises ConfigurationError for embeddings that
    cannot be loaded.
    """
    drift = Drift(settings=lambda: team.value.drift, likeness=loaded_likeness(configuration.settings.drift.embeddings))

    def follow(turn: Turn, exchange: Exchange) -> TurnDrift:
        earlier = outputs_of(exchange.turns, turn)
        return TurnDrift(drift=drift, earlier=earlier, persona=turn.persona, metrics=metrics)

    return follow


def loaded_likeness(name: str) -> TextLikeness | None:
    """Return the function of a plug-in, "package.module:function"; None for ""; raises ConfigurationError."""
    if not name:
        return None
    module, _, function = name.partition(":")
    try:
        likeness: TextLikeness = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        problem = f"drift.embeddings: {name!r} cannot be loaded ({error}). Write it as package.module:function."
        raise ConfigurationError(problem=problem) from error
    return likeness


async def demo_repository(directory: Path) -> None:
    """Make the repository that the demonstration works in."""
    from mama_bot.demo import repository  # here: who has an account needs no demo

    await repository.seed(directory)


def written_boards(configuration: Configuration, store: Store, checkouts: Checkouts) -> WrittenBoards:
    """Return what keeps the boards of repositories as files of their work trees."""
    repositories = configuration.settings.repositories.items()
    return WrittenBoards(
        topics=store.topics,
        items=store.items,
        places=checkouts,
        repositories=[name for name, settings in repositories if settings.board_files],
    )
