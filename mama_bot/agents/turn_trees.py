"""How the work trees stand that an agent works in: before and after each call, and when it stops."""

from pathlib import Path

from mama_bot.agents.asked_turns import Asked
from mama_bot.agents.record import clean
from mama_bot.model import FileFate, LeftTree, ToolKind, TreeChange, WorkTreeState, changed_rules
from mama_bot.protocols import WorkTrees

MOST_TREES = 3
SOMETHING = (TreeChange(path="", fate=FileFate.CHANGED),)
# What leaves the work tree as it is; the calls of a subagent are looked at one by one.
UNCHANGING = frozenset(
    {
        ToolKind.READ,
        ToolKind.LIST,
        ToolKind.SEARCH,
        ToolKind.FETCH,
        ToolKind.PLAN,
        ToolKind.TASK,
        ToolKind.REPORT,
        ToolKind.TEAM,
    }
)


class TurnTrees:
    """Looks at the work trees of one session as its calls begin and end; without `trees` nothing is known of them."""

    def __init__(self, trees: WorkTrees | None) -> None:
        self._trees = trees

    async def before(self, asked: Asked, kind: ToolKind, directory: str) -> WorkTreeState | None:
        """Return the work tree as a call finds it: as the last call left it, where that was seen in its directory.

        None for a call that leaves it as it is.
        """
        if kind in UNCHANGING:
            return None
        if asked.tree is not None and asked.tree[0] == directory:
            return asked.tree[1]
        return await self._now(asked, directory)

    async def after(
        self, asked: Asked, kind: ToolKind, run_id: str, directory: str
    ) -> tuple[WorkTreeState | None, tuple[TreeChange, ...] | None]:
        """Return the work tree as a call leaves it, and what differs from before it; None where nobody can tell."""
        if kind in UNCHANGING:
            if kind is ToolKind.TEAM:
                await self._others_worked(asked, clean(run_id))
            return None, None
        after = await self._now(asked, directory)
        before = asked.recorder.tree_before(run_id)
        if after is not None:
            asked.trees[after.root] = LeftTree(state=after, after=clean(run_id))
        if self._trees is None or before is None or after is None:
            return after, None
        return after, await self._trees.changes(before, after)

    async def leave(self, asked: Asked) -> None:
        """Record how the work trees that were worked in stand when the agent stops."""
        if self._trees is None:
            return
        left = [await self._left(asked, self._trees, tree) for tree in [*asked.trees.values()][-MOST_TREES:]]
        asked.recorder.leave([tree for tree in left if tree is not None])

    async def _others_worked(self, asked: Asked, run_id: str) -> None:
        """Look anew at the work trees: what others changed while the agent waited for them is not its own doing."""
        asked.tree = None
        for root, known in tuple(asked.trees.items()) if self._trees is not None else ():
            state = await self._trees.state(Path(known.state.root)) if self._trees is not None else None
            if state is not None:
                asked.trees[root] = LeftTree(state=state, after=run_id)

    async def _left(self, asked: Asked, trees: WorkTrees, known: LeftTree) -> LeftTree | None:
        place = Path(known.state.root)
        state = await trees.state(place)
        if state is None:
            return None
        rules, before = await trees.rules(place), asked.rules.get(known.state.root)
        changed = await trees.changes(known.state, state)
        return LeftTree(
            state=state,
            after=known.after,
            changed=SOMETHING if changed is None else changed,
            rules=() if rules is None or before is None else changed_rules(before, rules),
        )

    async def _now(self, asked: Asked, directory: str) -> WorkTreeState | None:
        if self._trees is None or not directory:
            return None
        state = await self._trees.state(Path(directory))
        asked.tree = (directory, state)
        if state is not None and state.root not in asked.rules and len(asked.rules) < MOST_TREES:
            rules = await self._trees.rules(Path(directory))
            asked.rules |= {} if rules is None else {state.root: rules}
        return state
