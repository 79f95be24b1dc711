"""A team that plays its turns by script, for the tests of gateways."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from mama_bot.model import (
    Allow,
    Attempt,
    AttemptJudged,
    Audience,
    Author,
    AuthorKind,
    Block,
    CheckSeen,
    Cleared,
    ConversationKey,
    Delegation,
    DelegationForm,
    Draft,
    Evidence,
    Finding,
    InboundMessage,
    Judgement,
    Notice,
    NoticeKind,
    OutboxEntry,
    Post,
    PostId,
    Reply,
    SentBack,
    StageVerdict,
    StoredTurn,
    ToolFinished,
    ToolRecord,
    ToolRun,
    ToolStarted,
    Turn,
    TurnFinished,
    TurnId,
    TurnKind,
    TurnStarted,
    TurnState,
    TurnWorking,
    Usage,
    Verdict,
    WorkflowStanding,
    receipt_of,
    text_hash,
)
from mama_bot.protocols import Clock, Gateway
from mama_bot.testing.memory_core import MemoryHistory
from mama_bot.tool_names import with_kind

STAGES = ("response_validator", "review_gate", "scope_guard", "todo_tracker")


class ScriptedTeam:
    """Plays turns step by step: each step changes the history first and then tells the gateway, as the core does."""

    def __init__(self, *, gateway: Gateway, history: MemoryHistory, clock: Clock, new_id: Callable[[], str]) -> None:
        self._gateway = gateway
        self._history = history
        self._clock = clock
        self._new_id = new_id
        self._runs: dict[TurnId, list[ToolRun]] = {}

    async def start(self, message: InboundMessage, persona: str, *, parent: Turn | None = None, task: str = "") -> Turn:
        """Let a persona begin to work; with `parent`, on that turn's behalf."""
        turn = Turn(
            id=TurnId(self._new_id()),
            message_id=message.id,
            key=message.key,
            persona=persona,
            kind=TurnKind.DELEGATION if parent else TurnKind.REQUEST,
            audience=Audience.AGENT if parent else Audience.PERSON,
            asker=_asker(parent) if parent else message.author,
            prompt=task or message.text,
            delegation=_delegation(parent, persona, task) if parent else None,
            parent=parent.id if parent else None,
            depth=parent.depth + 1 if parent else 0,
        )
        now = self._clock.now()
        stored = StoredTurn(turn=turn, state=TurnState.RUNNING, created_at=now, started_at=now, asked=0)
        self._history.turns[turn.id] = stored
        await self._gateway.show(TurnStarted(turn=turn, at=now))
        return turn

    async def begin_tool(self, turn: Turn, tool: str, arguments: str, *, run_id: str = "") -> ToolRun:
        """Begin a tool call and return it."""
        run = with_kind(
            ToolRun(id=run_id or self._new_id(), tool=tool, arguments=arguments, started_at=self._clock.now())
        )
        await self._show(turn, ToolStarted(run=run))
        return run

    async def begin_check(self, turn: Turn, name: str, command: str) -> CheckSeen:
        """Begin a check of the service's own and return it."""
        seen = CheckSeen(id=self._new_id(), name=name, command=command, started_at=self._clock.now())
        await self._show(turn, seen)
        return seen

    async def end_check(self, turn: Turn, seen: CheckSeen, *, exit_status: int) -> None:
        """End a check; any exit status but 0 is a failure."""
        ended = replace(seen, ended_at=self._clock.now(), ok=exit_status == 0, exit_status=exit_status)
        await self._show(turn, ended)

    async def end_tool(self, turn: Turn, run: ToolRun, *, output: str = "", exit_status: int | None = None) -> None:
        """End a tool call; any exit status but 0 or None is a failure."""
        ended = replace(
            run,
            ended_at=self._clock.now(),
            ok=exit_status in (0, None),
            exit_status=exit_status,
            output_tail=output,
            output_size=len(output),
        )
        self._runs.setdefault(turn.id, []).append(ended)
        await self._show(turn, ToolFinished(run=ended))

    async def send_back(self, turn: Turn, *, stage: str, rule: str, reason: str, quotes: Sequence[str] = ()) -> None:
        """Reject an attempt; its text is kept only among the attempts of the history."""
        text = " ".join(quotes)
        findings = tuple(Finding(kind=rule, text=q, start=text.find(q), end=text.find(q) + len(q)) for q in quotes)
        block = Block(rule=rule, reason=reason, feedback=reason, evidence=Evidence(findings=findings))
        before = STAGES[: STAGES.index(stage)] if stage in STAGES else ()
        verdicts = (
            *(StageVerdict(stage=s, decision=Allow()) for s in before),
            StageVerdict(stage=stage, decision=block),
        )
        outcome = SentBack(stage=stage, rule=rule, reason=reason, feedback=reason)
        await self._judge(
            turn,
            text,
            Judgement(
                turn_id=turn.id,
                attempt=self._attempt(turn),
                text_sha256=text_hash(text),
                outcome=outcome,
                stages=verdicts,
            ),
        )

    async def reply(
        self,
        turn: Turn,
        text: str,
        *,
        display_name: str = "",
        avatar: str = "",
        verdict: Verdict = Verdict.PASSED,
        banners: Sequence[str] = (),
        stages: Sequence[StageVerdict] = (),
        record_line: str = "",
        unworked: bool = False,
        workflow: WorkflowStanding | None = None,
    ) -> Reply:
        """Clear an attempt, end the turn and post the reply, which is returned."""
        judgement = Judgement(
            turn_id=turn.id,
            attempt=self._attempt(turn),
            text_sha256=text_hash(text),
            outcome=Cleared(verdict=verdict, banners=tuple(banners), unworked=unworked),
            stages=tuple(stages) or tuple(StageVerdict(stage=s, decision=Allow(), elapsed_ms=0.4) for s in STAGES),
        )
        await self._judge(turn, text, judgement, workflow)
        receipt = receipt_of(turn, self._history.turns[turn.id].attempts[-1], record_line=record_line)
        if receipt is not None:
            self._history.receipts.append(replace(receipt, number=len(self._history.receipts) + 1))
        post = Reply(
            id=PostId(self._new_id()),
            turn_id=turn.id,
            key=turn.key,
            persona=turn.persona,
            display_name=display_name or turn.persona.title(),
            text=text,
            judgement=judgement,
            avatar=avatar,
            verdict=verdict,
            banners=tuple(banners),
            record_line=record_line,
        )
        await self._finish(turn, TurnState.ANSWERED, post)
        return post

    async def give_up(self, turn: Turn, state: TurnState, notice: NoticeKind, text: str) -> None:
        """End the turn without a reply; the person sees a line."""
        post = Notice(id=PostId(self._new_id()), key=turn.key, notice=notice, text=text, turn_id=turn.id)
        await self._finish(turn, state, post)

    async def note(self, key: ConversationKey, notice: NoticeKind, text: str, turn: Turn | None = None) -> None:
        """Post a line of the service."""
        turn_id = turn.id if turn else None
        await self._post(Notice(id=PostId(self._new_id()), key=key, notice=notice, text=text, turn_id=turn_id))

    async def _show(self, turn: Turn, event: ToolStarted | ToolFinished | CheckSeen) -> None:
        await self._gateway.show(TurnWorking(turn=turn, attempt=self._attempt(turn), event=event, at=self._clock.now()))

    def _attempt(self, turn: Turn) -> int:
        return len(self._history.turns[turn.id].attempts)

    async def _judge(
        self, turn: Turn, text: str, judgement: Judgement, workflow: WorkflowStanding | None = None
    ) -> None:
        record = ToolRecord(runs=tuple(self._runs.get(turn.id, ())), workflow=workflow)
        usage = Usage(input_tokens=1800, output_tokens=420, cost_usd=0.0042)
        draft = Draft(turn_id=turn.id, attempt=judgement.attempt, text=text, record=record, usage=usage)
        stored = self._history.turns[turn.id]
        attempts = (*stored.attempts, Attempt(draft=draft, judgement=judgement, at=self._clock.now()))
        self._history.turns[turn.id] = replace(stored, attempts=attempts, asked=len(attempts) - 1)
        await self._gateway.show(AttemptJudged(turn=turn, judgement=judgement, at=self._clock.now()))

    async def _finish(self, turn: Turn, state: TurnState, post: Post) -> None:
        now = self._clock.now()
        self._history.turns[turn.id] = replace(self._history.turns[turn.id], state=state, ended_at=now)
        if turn.parent is None:
            self._history.answered.add(turn.message_id)
        await self._post(post)
        await self._gateway.show(TurnFinished(turn=turn, state=state, at=now))

    async def _post(self, post: Post) -> None:
        now = self._clock.now()
        self._history.posts.append(OutboxEntry(post=post, created_at=now, posted_at=now))
        for part in self._gateway.parts(post):
            await self._gateway.post(post, part)


def _asker(parent: Turn) -> Author:
    return Author(id=parent.persona, name=parent.persona.title(), kind=AuthorKind.AGENT)


def _delegation(parent: Turn, persona: str, task: str) -> Delegation:
    return Delegation(sender=parent.persona, recipient=persona, task=task, form=DelegationForm.DIRECTIVE)
