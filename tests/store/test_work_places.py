"""Where a conversation works is read in one go."""

from dataclasses import replace
from pathlib import Path

from mama_bot.model import BroughtHow, Checkout, ConversationKey, DelegateTree, TreeMark, TurnId, WorkBrought, WorkPlace
from mama_bot.store import Store
from tests.store.making import ELSEWHERE, HERE, START, message


def checkout(key: ConversationKey, repository: str) -> Checkout:
    path = Path("trees") / repository
    return Checkout(key=key, repository=repository, branch="b", base="", path=path, made_at=START, used_at=START)


def tree(name: str, key: ConversationKey) -> DelegateTree:
    return DelegateTree(
        id=TurnId(name),
        message_id=message().id,
        key=key,
        repository="app",
        persona="developer",
        path=Path("trees") / name,
        branch=name,
        began=TreeMark(files="f"),
        made_at=START,
    )


async def test_a_conversation_of_which_nothing_is_known_has_no_place(store: Store) -> None:
    assert await store.checkouts.place(HERE) == WorkPlace(repository=None)


async def test_a_place_is_the_repository_the_work_trees_and_those_of_delegations_that_are_open(store: Store) -> None:
    away = replace(checkout(HERE, "docs"), put_away_at=START)
    for kept in (checkout(HERE, "app"), away, checkout(ELSEWHERE, "app")):
        await store.checkouts.keep(kept)
    await store.checkouts.assign(HERE, "app")
    for made in (tree("d2", HERE), tree("d1", HERE), tree("d0", ELSEWHERE)):
        await store.delegate_trees.make(made)
    trees = (tree("d2", HERE), tree("d1", HERE))
    place = WorkPlace(repository="app", checkouts=(checkout(HERE, "app"), away), delegate_trees=trees)
    assert await store.checkouts.place(HERE) == place
    await store.delegate_trees.settle(TurnId("d2"), WorkBrought(how=BroughtHow.UNCHANGED))
    assert (await store.checkouts.place(HERE)).delegate_trees == (tree("d1", HERE),)
