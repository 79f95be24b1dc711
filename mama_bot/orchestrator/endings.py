"""How a turn ends: what of it is posted, which turns follow, what the person is told; all of it in one transaction."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import structlog

from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.errors import AgentError
from mama_bot.facts import facts_of_turn, for_next_turn
from mama_bot.headway.loops import AtHand, is_idle_pair
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Attempt,
    Cleared,
    Delegation,
    Exchange,
    Facts,
    Notice,
    Post,
    PostId,
    Reply,
    SentBack,
    StoredTurn,
    ToolRecord,
    Turn,
    TurnKind,
    TurnState,
    Verdict,
    Withheld,
    WorkChange,
)
from mama_bot.orchestrator.files.reply_files import OutgoingFiles
from mama_bot.orchestrator.record_lines import RecordLines, with_waiting
from mama_bot.orchestrator.team import Team
from mama_bot.protocols import TurnStore
from mama_bot.review.review_notices import review_delegates
from mama_bot.turns import notices
from mama_bot.turns.ledger import record_of
from mama_bot.turns.new_turns import delegated_turn
from mama_bot.turns.schedule import OPEN, delegations_of, unreported
from mama_bot.turns.turn_runner import FinalAttempt
from mama_bot.turns.workspaces import Workspaces

log = structlog.get_logger(__name__)

LONG_RECORD = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """The final state of a turn, and whether further turns follow from it; `alone` says that its branch was stopped,
    and nothing else.
    """

    state: TurnState
    further: bool = False
    alone: bool = False


class TurnEndings:
    """Ends turns, in the store and with what follows from them."""

    def __init__(
        self,
        *,
        turns: TurnStore,
        outgoing: OutgoingFiles,
        record_lines: RecordLines,
        workspaces: Workspaces,
        changes: TurnChanges,
        metrics: Metrics,
    ) -> None:
        self._turns = turns
        self._outgoing = outgoing
        self._record_lines = record_lines
        self._workspaces = workspaces
        self._changes = changes
        self._metrics = metrics

    def workspace(self, turn: Turn, team: Team) -> Path | None:
        """Return where a turn works; None where nobody knows."""
        persona = team.personas.get(turn.persona)
        try:
            return None if persona is None else self._workspaces.path(persona, turn.key, turn.work_tree)
        except AgentError:  # it never got a work tree
            return None

    async def found_by(self, turn: Turn) -> str:
        """Return the git tree that a turn found in its work tree; "" where nobody knows."""
        return turn.baseline or await self._changes.before(turn)

    async def left_by(self, work: Turn, turns: Sequence[StoredTurn]) -> str:
        """Return the git tree that others found after the exchange of `turns`; "" where nobody changed files since."""
        return await self._changes.found_after(work, {stored.turn.id for stored in turns})

    async def not_asked(self, turn: Turn, persona: AgentPersona, last: Attempt) -> TurnEnd:
        """End a delegation to a persona that was rejected too often in a row on the same task."""
        judgement = last.judgement
        log.warning("breaker_refused", stage=judgement.rejected_by, rejections=judgement.rejections)
        self._metrics.count("breaker_refusals", persona=turn.persona, stage=judgement.rejected_by)
        await self._turns.finish(turn, TurnState.WITHHELD, posts=[notices.breaker(turn, persona, judgement)])
        return TurnEnd(state=TurnState.WITHHELD)

    async def without_reply(
        self,
        turn: Turn,
        state: TurnState,
        lines: Sequence[Notice],
        exchange: Exchange,
        team: Team,
        *,
        attempt: Attempt | None = None,
    ) -> TurnEnd:
        """End a turn that posts nothing but lines of the service."""
        follow = await team.reviews.after_none(turn, state, exchange)
        change = await self._changed(turn, team.personas.get(turn.persona))
        first = [replace(lines[0], change=change.id)] if change is not None and lines else [*lines[:1]]
        posts = [*first, *lines[1:], *follow.posts]
        record = await self._record(turn) if attempt is None else attempt.draft.record
        facts = for_next_turn(await _facts(turn, record))
        await self._turns.finish(
            turn, state, attempt=attempt, posts=posts, turns=follow.turns, reviews=follow.moves, facts=facts
        )
        return TurnEnd(state=state, further=bool(follow.turns))

    async def _changed(self, turn: Turn, persona: AgentPersona | None) -> WorkChange | None:
        """Return what a turn changed in the work tree that it worked in, None for nothing."""
        if persona is None:
            return None
        try:
            workspace = self._workspaces.path(persona, turn.key, turn.work_tree)
        except AgentError:  # it never got a work tree
            return None
        return await self._changes.end(turn, workspace)

    async def _record(self, turn: Turn) -> ToolRecord:
        """Return what the agent did in a turn that has no last draft, as far as it is stored."""
        exchange = await self._turns.load(turn.message_id)
        return next(record_of(stored) for stored in exchange.turns if stored.turn.id == turn.id)

    async def judged(
        self, turn: Turn, persona: AgentPersona, final: FinalAttempt, exchange: Exchange, team: Team
    ) -> TurnEnd:
        """End a turn with its last attempt: its reply goes out, or a line that it was withheld."""
        if isinstance(final.outcome, Withheld):
            lines = [notices.withheld(turn, persona, final.attempt, final.outcome)]
            if final.attempt.judgement.breaker:
                lines.append(notices.breaker(turn, persona, final.attempt.judgement))
            return await self.without_reply(turn, TurnState.WITHHELD, lines, exchange, team, attempt=final.attempt)
        return await self._answered(turn, persona, final.attempt, final.outcome, exchange, team)

    async def _answered(
        self, turn: Turn, persona: AgentPersona, attempt: Attempt, outcome: Cleared, exchange: Exchange, team: Team
    ) -> TurnEnd:
        workspace = self._workspaces.path(persona, turn.key, turn.work_tree)
        record = attempt.draft.record
        facts = await _facts(turn, record)
        line = ""
        if team.record_lines:
            sent_back_by = await self._sent_back_by(turn, attempt)
            line = await self._record_lines.line(turn, facts, record, outcome, workspace, sent_back_by)
        reply = _reply(turn, persona, attempt, outcome, line)
        if (change := await self._changed(turn, persona)) is not None:
            can_merge = self._changes.can_merge(change.repository)
            publishes = self._changes.publishes(change.repository)
            reply = replace(reply, change=change.id, can_merge=can_merge, publishes=publishes)
        posts = await self._outgoing.posts(reply, turn, workspace)
        delegated = self._delegated(turn, attempt, outcome, exchange, team, posts)
        still_open = [
            stored.turn for stored in exchange.turns if stored.state in OPEN and _is_asked_by(stored.turn, turn)
        ]
        waited_for = [*still_open, *delegated]
        if waited_for and team.record_lines:
            names = [
                team.personas[child.persona].display_name for child in waited_for if child.persona in team.personas
            ]
            line = with_waiting(line, names, turn.language)
            posts = [replace(post, record_line=line) if isinstance(post, Reply) else post for post in posts]
        follow = await team.reviews.after(
            turn, attempt, outcome, exchange, delegates=bool(delegated) or unreported(exchange.turns, turn)
        )
        if follow.banner:  # nobody takes it for work that passed
            posts = [_not_approved(post, follow.banner) for post in posts]
        children = [*follow.turns, *delegated]
        self._count_checklist(turn, outcome)
        await self._turns.finish(
            turn,
            TurnState.ANSWERED,
            attempt=attempt,
            posts=[*posts, *follow.posts],
            turns=children,
            reminders=outcome.reminders,
            checklist=outcome.checklist,
            reviews=follow.moves,
            facts=for_next_turn(facts),
        )
        return TurnEnd(state=TurnState.ANSWERED, further=bool(children))

    async def _sent_back_by(self, turn: Turn, attempt: Attempt) -> Sequence[str]:
        """Return the stages that sent earlier attempts at a reply back, in their order."""
        if not attempt.draft.attempt:
            return ()
        exchange = await self._turns.load(turn.message_id)
        stored = (stored for stored in exchange.turns if stored.turn.id == turn.id)
        outcomes = (earlier.judgement.outcome for turns in stored for earlier in turns.attempts)
        return [outcome.stage for outcome in outcomes if isinstance(outcome, SentBack)]

    def _delegated(
        self, turn: Turn, attempt: Attempt, outcome: Cleared, exchange: Exchange, team: Team, posts: list[Post]
    ) -> list[Turn]:
        """Return the turns of a reply's delegations; those that are not carried out become a line among the posts."""
        delegations = outcome.delegations
        if turn.kind is TurnKind.REVIEW:
            if delegations:
                posts.append(review_delegates(turn, delegations))
            return []
        room = max(0, team.turns.hop_budget - delegations_of(exchange.turns))
        if len(delegations) > room:
            self._metrics.count("hop_budget_spent", persona=turn.persona)
            log.warning("hop_budget_spent", dropped=len(delegations) - room)
            posts.append(notices.hops_spent(turn, delegations[room:], team.turns.hop_budget))
        carried_out = self._getting_somewhere(turn, attempt, delegations[:room], exchange, team, posts)
        children = [
            delegated_turn(
                turn,
                delegation,
                team.personas,
                index,
                apart=self._workspaces.works_apart(team.personas[delegation.recipient], turn.key),
            )
            for index, delegation in enumerate(carried_out)
        ]
        for child in children:
            log.info("delegated", to=child.persona, form=child.delegation.form.value if child.delegation else "")
        return children

    def _getting_somewhere(
        self,
        turn: Turn,
        attempt: Attempt,
        delegations: Sequence[Delegation],
        exchange: Exchange,
        team: Team,
        posts: list[Post],
    ) -> Sequence[Delegation]:
        """Return the delegations but those of a pair that got nowhere, which become a line each."""
        rounds, kept = team.loops.idle_rounds, []
        at_hand = AtHand(turn=turn.id, runs=attempt.draft.record.runs, text=attempt.draft.text)
        for delegation in delegations:
            pair = (delegation.sender, delegation.recipient)
            if not is_idle_pair(exchange.turns, *pair, at_hand, rounds=rounds):
                kept.append(delegation)
                continue
            self._metrics.count("loops_stopped", persona=turn.persona)
            log.warning("loop_stopped", sender=delegation.sender, recipient=delegation.recipient)
            posts.append(notices.pair_stopped(turn, delegation, rounds))
        return kept

    def _count_checklist(self, turn: Turn, outcome: Cleared) -> None:
        self._metrics.count("reminders_left", len(outcome.reminders), persona=turn.persona)
        now, before = outcome.checklist, turn.checklist
        if now is not None and now.given_up and not (before and before.given_up):
            log.warning("reminders_given_up", open_items=now.open_items, idle_turns=now.idle_turns)
            self._metrics.count("reminders_given_up", persona=turn.persona)


def _is_asked_by(child: Turn, turn: Turn) -> bool:
    return child.parent == turn.id and child.kind is TurnKind.DELEGATION


async def _facts(turn: Turn, record: ToolRecord) -> Facts:
    """Return what the conversation shows of the persona's work at the end of a turn."""
    work = partial(facts_of_turn, record, turn)
    # A thousand calls take several milliseconds, which the event loop has for nobody.
    return await asyncio.to_thread(work) if len(record.runs) > LONG_RECORD else work()


def _reply(turn: Turn, persona: AgentPersona, attempt: Attempt, outcome: Cleared, record_line: str) -> Reply:
    return Reply(
        id=PostId(f"{turn.id}.reply"),
        turn_id=turn.id,
        key=turn.key,
        persona=persona.name,
        display_name=persona.display_name,
        avatar=persona.avatar,
        text=attempt.draft.text,
        judgement=attempt.judgement,
        verdict=outcome.verdict,
        banners=outcome.banners,
        answers=turn.message_id,
        record_line=record_line,
        language=turn.language,
    )


def _not_approved(post: Post, banner: str) -> Post:
    """Return a reply about work whose review has not spoken, marked as that; any other post as it is."""
    if not isinstance(post, Reply):
        return post
    return replace(post, verdict=Verdict.NEEDS_REVIEW, banners=(*post.banners, banner))
