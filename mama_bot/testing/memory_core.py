"""A core in memory for the tests of gateways: it stores the messages of people."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from mama_bot.errors import AccessRefused, MamaBotError, PairingRefused, ReportRefused
from mama_bot.model import (
    AgentMeasures,
    Answer,
    Attempt,
    Author,
    ClaimReceipt,
    Command,
    ConversationKey,
    ConversationSummary,
    ConversationView,
    InboundMessage,
    Measures,
    MessageId,
    OutboxEntry,
    Pairing,
    PairingState,
    Platform,
    Post,
    PostId,
    QueueState,
    Report,
    ReportStanding,
    ReportState,
    StoredTurn,
    TurnId,
    TurnState,
    objections,
)
from mama_bot.protocols import Clock
from mama_bot.wording import Language

QUEUE_LIMIT = 1000


class MemoryHistory:
    """A ConversationHistory in memory; `unavailable` makes every read raise that error."""

    def __init__(self) -> None:
        self.messages: list[InboundMessage] = []
        self.posts: list[OutboxEntry] = []
        self.turns: dict[TurnId, StoredTurn] = {}
        self.answered: set[MessageId] = set()
        self.added: set[MessageId] = set()
        self.reports: list[Report] = []
        self.receipts: list[ClaimReceipt] = []
        self.unavailable: MamaBotError | None = None

    async def conversations(self, platform: Platform, limit: int) -> Sequence[ConversationSummary]:
        """Return the conversations of a platform, the latest first; a title is how the first message begins."""
        self._check()
        keys = list(dict.fromkeys(m.key for m in reversed(self.messages) if m.key.platform == platform))
        return [self._summary(key) for key in keys[:limit]]

    async def search(self, platform: Platform, words: str, limit: int) -> Sequence[ConversationSummary]:
        """Return the conversations in which a message or a post holds the words, in whatever case."""
        self._check()
        texts = [(m.key, m.text) for m in self.messages] + [(p.post.key, p.post.text) for p in self.posts]
        keys = dict.fromkeys(k for k, text in texts if k.platform == platform and words.lower() in text.lower())
        return [self._summary(key) for key in list(keys)[:limit]]

    async def view(self, key: ConversationKey, limit: int) -> ConversationView:
        """Return the last `limit` messages with the posts and turns since the first of them."""
        self._check()
        everything = [m for m in self.messages if m.key == key]
        messages = everything[-limit:]
        since = messages[0].received_at if len(messages) < len(everything) else datetime.min.replace(tzinfo=UTC)
        running = {t.turn.message_id for t in self.turns.values()}
        return ConversationView(
            key=key,
            messages=tuple(messages),
            posts=tuple(p for p in self.posts if p.post.key == key and p.created_at >= since),
            turns=tuple(t for t in self.turns.values() if t.turn.key == key and t.created_at >= since),
            queued=tuple(m.id for m in messages if m.id not in running and m.id not in self.answered),
            added=tuple(m.id for m in messages if m.id in self.added),
            reports=tuple(_standing(report) for report in self.reports if report.turn.key == key),
            receipts=tuple(receipt for receipt in self.receipts if receipt.key == key),
        )

    async def message(self, key: ConversationKey, message_id: MessageId) -> InboundMessage | None:
        """Return a message of a conversation, or None."""
        self._check()
        return next((known for known in self.messages if (known.key, known.id) == (key, message_id)), None)

    async def posted(self, key: ConversationKey, post_id: PostId) -> Post | None:
        """Return a post of a conversation, or None."""
        self._check()
        posts = (entry.post for entry in self.posts)
        return next((post for post in posts if (post.key, post.id) == (key, post_id)), None)

    async def turn(self, key: ConversationKey, turn_id: TurnId) -> StoredTurn | None:
        """Return a turn of a conversation, or None."""
        self._check()
        stored = self.turns.get(turn_id)
        return stored if stored is not None and stored.turn.key == key else None

    async def attempt(self, key: ConversationKey, turn_id: TurnId, number: int) -> Attempt | None:
        """Return an attempt of a turn of a conversation, or None."""
        self._check()
        turn = self.turns.get(turn_id)
        attempts = turn.attempts if turn is not None and turn.turn.key == key else ()
        return next((attempt for attempt in attempts if attempt.draft.attempt == number), None)

    async def queue(self) -> QueueState:
        """Count: messages without an answer wait, turns that are not final run."""
        self._check()
        running = sum(turn.state is TurnState.RUNNING for turn in self.turns.values())
        waiting = sum(message.id not in self.answered for message in self.messages)
        return QueueState(waiting=waiting, running=running, limit=QUEUE_LIMIT)

    def _check(self) -> None:
        if self.unavailable is not None:
            raise self.unavailable

    def _summary(self, key: ConversationKey) -> ConversationSummary:
        messages = [m for m in self.messages if m.key == key]
        times = [m.received_at for m in messages] + [p.created_at for p in self.posts if p.post.key == key]
        waiting = sum(m.id not in self.answered for m in messages)
        return ConversationSummary(key=key, title=messages[0].text[:80], last_at=max(times), waiting=waiting)


class MemoryReports:
    """A VerdictReports over a MemoryHistory; `refusal`, when set, is raised instead of storing."""

    def __init__(self, history: MemoryHistory, *, clock: Clock) -> None:
        self._history = history
        self._clock = clock
        self.refusal: MamaBotError | None = None

    async def report_attempt(
        self,
        key: ConversationKey,
        turn_id: TurnId,
        attempt: int,
        *,
        reporter: Author,
        note: str = "",
        missed: bool = False,
    ) -> Report:
        """Store a report."""
        if self.refusal is not None:
            raise self.refusal
        stored = self._history.turns.get(turn_id)
        if stored is None or stored.turn.key != key or attempt >= len(stored.attempts):
            raise ReportRefused(code="no_such_verdict", sentence="There is no such verdict in this conversation.")
        judged = stored.attempts[attempt]
        report = Report(
            number=len(self._history.reports) + 1,
            turn=stored.turn,
            attempt=attempt,
            text=judged.draft.text,
            outcome=judged.judgement.outcome,
            objections=objections(judged.judgement),
            missed=missed or not objections(judged.judgement),
            reporter=reporter,
            note=note,
            reported_at=self._clock.now(),
        )
        self._history.reports.append(report)
        return report

    async def report_post(
        self, key: ConversationKey, post_id: PostId, *, reporter: Author, note: str = "", missed: bool = False
    ) -> Report:
        """Store a report about the last attempt of the turn that a post belongs to."""
        turn_id = next(entry.post.turn_id for entry in self._history.posts if entry.post.id == post_id)
        assert turn_id is not None
        last = len(self._history.turns[turn_id].attempts) - 1
        return await self.report_attempt(key, turn_id, last, reporter=reporter, note=note, missed=missed)

    def settle(self, number: int, state: ReportState) -> None:
        """Settle a report, as the person who runs the service does."""
        reports = self._history.reports
        reports[number - 1] = replace(reports[number - 1], state=state)


class MemoryState:
    """A GatewayState in memory."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        """Return the value, or None."""
        return self.values.get(name)

    async def put(self, values: Mapping[str, str]) -> None:
        """Keep values."""
        self.values |= values

    async def drop(self, *names: str) -> None:
        """Forget values."""
        for name in names:
            self.values.pop(name, None)

    async def entries(self, prefix: str) -> Mapping[str, str]:
        """Return all values whose name begins with a prefix."""
        return {name: value for name, value in self.values.items() if name.startswith(prefix)}


class MemoryPairings:
    """A Pairings in memory."""

    def __init__(self) -> None:
        self.known: list[Pairing] = []

    async def ask(
        self, platform: Platform, person: str, name: str, *, code: str, language: Language = Language.ENGLISH
    ) -> Pairing:
        """Store a request."""
        asked_at = datetime.now(UTC)
        pairing = Pairing(
            platform=platform,
            person=person,
            name=name,
            code=code,
            state=PairingState.ASKED,
            asked_at=asked_at,
            language=language,
        )
        self.known.insert(0, pairing)
        return pairing

    async def settle(self, code: str, *, approve: bool, by: str) -> Pairing:
        """Decide an open request."""
        for index, pairing in enumerate(self.known):
            if pairing.code == code and pairing.state is PairingState.ASKED:
                state = PairingState.PAIRED if approve else PairingState.DENIED
                self.known[index] = replace(pairing, state=state, settled_by=by, settled_at=datetime.now(UTC))
                return self.known[index]
        raise PairingRefused(f"There is no open request with the code {code}.")

    async def remove(self, platform: Platform, person: str) -> Pairing:
        """Forget a person."""
        for pairing in self.known:
            if (pairing.platform, pairing.person) == (platform, person):
                self.known.remove(pairing)
                return pairing
        raise PairingRefused(f"{person} is not paired.")

    async def is_paired(self, platform: Platform, person: str) -> bool:
        """Return whether the person was confirmed."""
        paired = (pairing for pairing in self.known if pairing.state is PairingState.PAIRED)
        return any((pairing.platform, pairing.person) == (platform, person) for pairing in paired)

    async def paired_since(self, moment: datetime) -> Sequence[Pairing]:
        """Return who was confirmed after a moment."""
        paired = (pairing for pairing in self.known if pairing.state is PairingState.PAIRED)
        return [pairing for pairing in paired if pairing.settled_at is not None and pairing.settled_at > moment]

    async def all(self, limit: int) -> Sequence[Pairing]:
        """Return all requests and pairings, newest first."""
        return self.known[:limit]


class MemoryMeasurements:
    """A Measurements that returns given figures, and keeps for how many days it was asked last."""

    def __init__(self) -> None:
        self.total = AgentMeasures()
        self.agents: tuple[AgentMeasures, ...] = ()
        self.asked_days = 0

    async def measure(self, *, since: datetime, until: datetime) -> Measures:
        """Return the given figures, whatever the period."""
        self.asked_days = (until - since).days
        return Measures(since=since, until=until, total=self.total, agents=self.agents)


class MemoryInlet:
    """An Inlet that stores into a MemoryHistory; `refusal`, when set, is raised instead of storing."""

    def __init__(self, history: MemoryHistory | None = None) -> None:
        self.history = history or MemoryHistory()
        self.stopped: list[tuple[ConversationKey, str]] = []
        self.commands: list[Command] = []
        self.revised: list[InboundMessage] = []
        self.withdrawn: list[MessageId] = []
        self.answer: Answer | None = None
        self.refusal: MamaBotError | None = None

    @property
    def delivered(self) -> list[InboundMessage]:
        """The messages that were stored, in order."""
        return self.history.messages

    async def deliver(self, message: InboundMessage) -> bool:
        """Store a message; returns False when its id is known."""
        if self.refusal is not None:
            raise self.refusal
        if any(known.id == message.id for known in self.history.messages):
            return False
        self.history.messages.append(message)
        return True

    async def admit(self, message: InboundMessage) -> None:
        """Raise `refusal` if it is an AccessRefused."""
        if isinstance(self.refusal, AccessRefused):
            raise self.refusal

    async def revise(self, message: InboundMessage) -> bool:
        """Replace a message that is stored and not answered; returns False when there is none."""
        if self.refusal is not None:
            raise self.refusal
        for index, known in enumerate(self.history.messages):
            if known.id == message.id and known.id not in self.history.answered:
                self.history.messages[index] = message
                self.revised.append(message)
                return True
        return False

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        """Forget a message that is stored and not answered; returns False when there is none."""
        left = [known for known in self.history.messages if known.id != message_id]
        was_waiting = len(left) < len(self.history.messages) and message_id not in self.history.answered
        if was_waiting:
            self.history.messages[:] = left
            self.withdrawn.append(message_id)
        return was_waiting

    async def command(self, command: Command) -> Answer:
        """Keep the command; returns `answer`, or an answer that names the command and its argument."""
        if self.refusal is not None:
            raise self.refusal
        self.commands.append(command)
        return self.answer or Answer(text=f"**{command.name.value}** {command.argument}".strip())

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Keep who wants what stopped; returns True when a turn of that conversation runs."""
        self.stopped.append((key, by))
        turns = self.history.turns.values()
        return any(turn.turn.key == key and turn.state is TurnState.RUNNING for turn in turns)


def _standing(report: Report) -> ReportStanding:
    return ReportStanding(number=report.number, turn_id=report.turn.id, attempt=report.attempt, state=report.state)
