"""What commands and buttons do: each is answered at once, outside the conversation's queue."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import timedelta

import structlog

from mama_bot.errors import AccessRefused, PairingRefused, ReportRefused, ReviewRefused
from mama_bot.intake import sentences as says
from mama_bot.intake.answer_lines import person_of, step_at_hand, usage_row, words_of
from mama_bot.intake.exchanges import Exchanges
from mama_bot.intake.help_text import help_answer
from mama_bot.intake.menu_sentences import HAS_COMMANDS
from mama_bot.intake.own_conversations import OwnConversations
from mama_bot.intake.question_lines import QuestionLines
from mama_bot.intake.reply_commands import ReplyCommands
from mama_bot.intake.resumption import Resumption
from mama_bot.intake.team_tree import branch_named, exchange_at_work, no_such_branch, open_branches, tree_lines
from mama_bot.metrics import Metrics
from mama_bot.model import (
    CHANGE_NAMED,
    WRITTEN_ALONE,
    AgentPersona,
    Answer,
    Author,
    Command,
    CommandName,
    ConversationKey,
    ConversationView,
    Exchange,
    Hearing,
    MessageId,
    Platform,
    PostId,
    RefusedOffer,
    SentBack,
    StopScope,
    StoredTurn,
    TurnState,
    WorkflowStanding,
    read_question_reference,
    written_command,
)
from mama_bot.model.reviews import APPROVAL_PREFIX
from mama_bot.protocols import (
    Clock,
    ContextStore,
    ConversationHistory,
    Measurements,
    Pairings,
    Posted,
    Receipts,
    ReviewDecisions,
    RuleReports,
    VerdictReports,
)
from mama_bot.turns.sentences import STOPPING_BRANCH
from mama_bot.wording import Language, language_of

log = structlog.get_logger(__name__)

DEFAULT_DAYS = 7
MOST_DAYS = 3_650
LATEST_MESSAGES = 20
MOST_MESSAGES = 500
RESET_SECONDS = 10.0
ALL_WORDS = frozenset({"all", "everything", "전체", "전부", "모두", "다"})
NAMED_MESSAGES = 5
MOST_REFUSED = 12
_DAYS = re.compile(r"(\d{1,5})\s*(?:d|days?|일)?", re.IGNORECASE)


# Answers a command that is about a post, or about the latest that there is.
PostCommand = Callable[[Command, PostId | None, Language], Awaitable[Answer]]


class ChatCommands:
    """Answers commands; no error leaves it but AccessRefused."""

    def __init__(
        self,
        *,
        personas: Sequence[AgentPersona],
        exchanges: Exchanges,
        forget_sessions: Callable[[ConversationKey], int],
        context: ContextStore,
        history: ConversationHistory,
        receipts: Receipts,
        reports: VerdictReports,
        rule_reports: RuleReports,
        measurements: Measurements,
        posted: Posted,
        exchange_of: Callable[[MessageId], Awaitable[Exchange]],
        resumption: Resumption,
        is_owner: Callable[[Platform, Author], bool],
        pairings: Pairings,
        reviews: ReviewDecisions,
        repository: Callable[[Command, Language], Awaitable[Answer]],
        conversations: OwnConversations,
        budget: Callable[[Command, Language], Awaitable[Answer]],
        budget_lines: Callable[[Command, Language], Awaitable[str]],
        schedules: Callable[[Command, Language], Awaitable[Answer]],
        workflow: Callable[[Command, Language], Awaitable[Answer]],
        standing_of: Callable[[ConversationKey, str], Awaitable[WorkflowStanding | None]],
        items: Callable[[Command, Language], Awaitable[Answer]],
        topics: Callable[[Command, Language], Awaitable[Answer]],
        tool_approvals: Callable[[Command, Language], Awaitable[Answer]],
        questions: QuestionLines,
        refused: Callable[[Command], Awaitable[RefusedOffer]],
        about_posts: Mapping[CommandName, PostCommand],
        hearing: Callable[[], Mapping[Platform, Hearing]],
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._personas = personas
        self._exchanges = exchanges
        self._forget_sessions = forget_sessions
        self._context = context
        self._history = history
        self._measurements = measurements
        self._about_replies = ReplyCommands(
            history=history,
            receipts=receipts,
            reports=reports,
            posted=posted,
            questions=questions,
            rule_reports=rule_reports,
            name_of=self._name,
        )
        self._exchange_of = exchange_of
        self._resumption = resumption
        self._budget_lines = budget_lines
        self._is_owner = is_owner
        self._pairings = pairings
        self._reviews = reviews
        self._tool_approvals = tool_approvals
        self._questions = questions
        self._standing_of = standing_of
        self._refused = refused
        self._about_posts = about_posts
        self._hearing = hearing
        self._clock = clock
        self._metrics = metrics
        self._carried_out_by: Mapping[CommandName, Callable[[Command, Language], Awaitable[Answer]]] = {
            CommandName.AGENTS: self._agents,
            CommandName.STATUS: self._status,
            CommandName.QUEUE: self._queue,
            CommandName.STOP: self._stop,
            CommandName.CANCEL: self._cancel,
            CommandName.TELL: self._tell,
            CommandName.RETRY: self._retry,
            CommandName.CONTINUE: self._continue,
            CommandName.REVIEW: self._review,
            CommandName.RESET: self._reset,
            CommandName.USAGE: self._usage,
            CommandName.BUDGET: budget,
            CommandName.RECEIPT: self._about_replies.receipt,
            CommandName.REPORT: self._about_replies.report,
            CommandName.REPO: repository,
            CommandName.SCHEDULES: schedules,
            CommandName.WORKFLOW: workflow,
            CommandName.ITEMS: items,
            CommandName.TOPICS: topics,
            CommandName.HELP: self._help,
            CommandName.APPROVE: self._settle,
            CommandName.DENY: self._settle,
            CommandName.ALWAYS: tool_approvals,
            CommandName.ANSWER: tool_approvals,
            CommandName.RENAME: conversations.rename,
            CommandName.DELETE: conversations.delete,
            **dict.fromkeys(about_posts, self._about_post),
        }

    async def answer(self, command: Command) -> Answer:
        """Carry out a command; what cannot be done is a sentence."""
        language = command.language
        if language == Language.ENGLISH:
            language = language_of(command.argument)
        self._metrics.count("commands", command=command.name.value, platform=command.key.platform)
        log.info("command", name=command.name.value, conversation=str(command.key), by=command.author.id)
        if command.name in WRITTEN_ALONE and command.argument.strip().partition(CHANGE_NAMED)[0]:
            written = written_command(command.name, command.key.platform)
            return Answer(text=says.WRITTEN_ALONE.to(language, command=written), done=False)
        try:
            return await self._carried_out_by[command.name](command, language)
        except AccessRefused:
            raise
        except (PairingRefused, ReportRefused, ReviewRefused) as error:
            return Answer(text=error.to(language), done=False)
        except Exception as error:
            self._metrics.count("commands_failed", command=command.name.value)
            log.exception("command_failed", name=command.name.value, conversation=str(command.key), error=str(error))
            return Answer(text=says.FAILED_COMMAND.to(language), done=False)

    # --- who works on what ----------------------------------------------------------------------------

    async def _agents(self, command: Command, language: Language) -> Answer:
        view = await self._current(command.key)
        busy = {stored.turn.persona for stored in _in_state(view, TurnState.RUNNING)}
        lines = [says.TEAM.to(language)]
        for persona in self._personas:
            model = says.MODEL.of(model=f"`{persona.model}`") if persona.model else says.DEFAULT_MODEL
            facts = [f"`@{persona.name}`", persona.tier.value, model.to(language)]
            if persona.delegates_to:
                names = ", ".join(self._name(name) for name in persona.delegates_to)
                facts.append(says.MAY_ASK.to(language, names=names))
            for sentence, offered in ((says.SERVERS, persona.mcp_servers), (says.SKILLS, persona.skills)):
                if offered:
                    facts.append(sentence.to(language, names=_listed(offered)))
            if persona.menu:
                commands = _listed([f"/{persona.name} {command.name}" for command in persona.menu])
                facts.append(HAS_COMMANDS.to(language, names=commands))
            facts.append(says.BUSY.to(language) if persona.name in busy else says.IDLE.to(language))
            lines.append(f"- **{persona.display_name}** · {' · '.join(facts)}")
        refused = await self._refused(command)
        if refused.servers:
            lines.append(says.REFUSED_SERVERS.to(language, name=refused.repository))
            lines += [f"- `{server.name}`: {server.why.to(language)}" for server in refused.servers[:MOST_REFUSED]]
        if refused.skills:
            lines.append(says.REFUSED_SKILLS.to(language, name=refused.repository, names=_listed(refused.skills)))
        return Answer(text="\n".join(lines))

    async def _current(self, key: ConversationKey) -> ConversationView:
        """The latest of a conversation with the exchange that runs: many messages may have come after its own."""
        view = await self._history.view(key, LATEST_MESSAGES)
        if (
            await self._exchanges.runs(key)
            and not _in_state(view, TurnState.RUNNING)
            and len(view.queued) >= LATEST_MESSAGES
        ):
            return await self._history.view(key, MOST_MESSAGES)
        return view

    async def _status(self, command: Command, language: Language) -> Answer:
        view = await self._current(command.key)
        running = _in_state(view, TurnState.RUNNING)
        at_work = {stored.turn.id: await self._work(stored, language) for stored in running}
        lines, turns = list(at_work.values()), exchange_at_work(view.turns)
        if len(turns) > 1:
            lines = list(tree_lines(turns, at_work, self._name, language))
        elif not running:
            state = says.STARTING if await self._exchanges.runs(command.key) else says.NOTHING_RUNS
            lines.append(state.to(language))
        lines += await self._questions.waiting(command.key, language)
        if view.queued:
            lines.append(says.WAITS.to(language, n=len(view.queued)))
        lines += self._connections(language)
        return Answer(text="\n".join(lines))

    async def _work(self, stored: StoredTurn, language: Language) -> str:
        seconds = (self._clock.now() - (stored.started_at or stored.created_at)).total_seconds()
        facts = [says.WORKS.to(language, name=self._name(stored.turn.persona), time=says.elapsed(seconds))]
        drafted = len(stored.attempts[-1].draft.record.runs) if stored.attempts else 0
        if tools := drafted + len(stored.turn.undrafted.runs):
            facts.append(says.TOOLS.to(language, n=tools))
        if back := sum(isinstance(attempt.judgement.outcome, SentBack) for attempt in stored.attempts):
            facts.append(says.SENT_BACK.to(language, n=back))
        standing = await self._standing_of(stored.turn.key, stored.turn.persona)
        facts += [step_at_hand(standing, language)] if standing is not None else []
        return " · ".join(facts)

    def _connections(self, language: Language) -> Iterator[str]:
        hearings = self._hearing()
        if hearing := [platform for platform, state in hearings.items() if state.ok]:
            yield says.HEARS.to(language, names=", ".join(hearing))
        for platform, state in hearings.items():
            if not state.ok:
                phrase = says.DEAF_REASON if state.reasons else says.DEAF
                yield phrase.to(language, name=platform, reason=state.why(language))

    async def _queue(self, command: Command, language: Language) -> Answer:
        view = await self._history.view(command.key, 1)
        everything = await self._history.queue()
        here = says.QUEUE_HERE.to(
            language, running=int(await self._exchanges.runs(command.key)), waiting=len(view.queued)
        )
        there = says.QUEUE_ALL.to(
            language, running=everything.running, waiting=everything.waiting, limit=f"{everything.limit:,}"
        )
        return Answer(text=f"{here}\n{there}")

    # --- stopping and beginning anew ------------------------------------------------------------------

    async def _stop(self, command: Command, language: Language) -> Answer:
        word = command.argument.strip()
        turns = exchange_at_work((await self._current(command.key)).turns) if word else ()
        if (branch := branch_named(word, turns)) is not None:
            number, turn = branch
            if await self._exchanges.stop_branch(command.key, turn.id, command.author.name):
                stopping = STOPPING_BRANCH.to(language, number=number, name=self._name(turn.persona))
                return Answer(text=stopping)
        if word and word.casefold() not in ALL_WORDS:
            named = [f"#{n} ({self._name(each.persona)})" for n, each in open_branches(turns)]
            return Answer(text=no_such_branch(word, named, language), done=False)
        scope = StopScope.ALL if word else StopScope.USUAL
        return await self._stopped(command, scope, language)

    async def _cancel(self, command: Command, language: Language) -> Answer:
        return await self._stopped(command, StopScope.WAITING, language)

    async def _stopped(self, command: Command, scope: StopScope, language: Language) -> Answer:
        stop = await self._exchanges.stop(command.key, command.author.name, scope, language)
        lines = []
        if stop.running is not None:
            running = await self._exchange_of(stop.running)
            lines.append(says.STOPPING.to(language, words=words_of(running)))
        if stop.ended:
            words = ", ".join(words_of(exchange) for exchange in stop.ended[:NAMED_MESSAGES])
            lines.append(says.CANCELLED.to(language, n=len(stop.ended), words=words))
        if stop.running is not None and scope is StopScope.USUAL:
            view = await self._history.view(command.key, 1)
            if view.queued:
                lines.append(says.STILL_WAITS.to(language, n=len(view.queued)))
        if lines:
            return Answer(text="\n".join(lines))
        if stop.already:
            return Answer(text=says.STOPPING_ALREADY.to(language), done=False)
        none = says.NOTHING_WAITS if scope is StopScope.WAITING else says.NOTHING_TO_STOP
        return Answer(text=none.to(language), done=False)

    async def _tell(self, command: Command, language: Language) -> Answer:
        view = await self._history.view(command.key, 1)
        if not view.queued:
            return Answer(text=says.NOTHING_WAITS.to(language), done=False)
        owner = self._is_owner(command.key.platform, command.author)
        told = await self._exchanges.tell(command.key, by=None if owner else command.author.id)
        if not told:
            return Answer(text=says.NOBODY_TO_TELL.to(language), done=False)
        return Answer(text=says.TOLD.to(language, n=len(told)))

    async def _retry(self, command: Command, language: Language) -> Answer:
        return await self._resumption.retry(command, await self._about_replies.meant_post(command), language)

    async def _continue(self, command: Command, language: Language) -> Answer:
        return await self._resumption.go_on(command, await self._about_replies.meant_post(command), language)

    async def _review(self, command: Command, language: Language) -> Answer:
        return await self._resumption.review(command, await self._about_replies.meant_post(command), language)

    async def _about_post(self, command: Command, language: Language) -> Answer:
        return await self._about_posts[command.name](command, await self._about_replies.meant_post(command), language)

    async def _reset(self, command: Command, language: Language) -> Answer:
        async with self._exchanges.held(command.key) as held:
            if not held:
                return Answer(text=says.RESET_REFUSED.to(language), done=False)
            async with asyncio.timeout(RESET_SECONDS):
                await self._context.begin_anew(command.key, by=command.author, at=self._clock.now())
            ended = self._forget_sessions(command.key)
        log.info("conversation_reset", conversation=str(command.key), by=command.author.id, sessions=ended)
        return Answer(text=says.RESET.to(language))

    # --- figures --------------------------------------------------------------------------------------

    async def _usage(self, command: Command, language: Language) -> Answer:
        match = _DAYS.fullmatch(command.argument.strip()) if command.argument.strip() else None
        days = DEFAULT_DAYS if not command.argument.strip() else int(match[1]) if match else 0
        if not 1 <= days <= MOST_DAYS:
            return Answer(text=says.BAD_DAYS.to(language, most=MOST_DAYS), done=False)
        until = self._clock.now()
        measures = await self._measurements.measure(since=until - timedelta(days=days), until=until)
        if not measures.total.drafts:
            none = says.USAGE_NONE.to(language, days=days)
            return Answer(text=f"{none}\n\n{await self._budget_lines(command, language)}")
        head = [f"| {' | '.join(head.to(language) for head in says.USAGE_HEAD)} |", "|---|---:|---:|---:|---:|"]
        rows = [usage_row(self._name(agent.persona), agent, language) for agent in measures.agents]
        table = "\n".join([*head, *rows, usage_row(says.EVERYONE.to(language), measures.total, language)])
        parts = (says.USAGE_TITLE.to(language, days=days), table, says.USAGE_COUNTS.to(language))
        return Answer(text="\n\n".join((*parts, await self._budget_lines(command, language))))

    # --- the rest -------------------------------------------------------------------------------------

    async def _help(self, command: Command, language: Language) -> Answer:
        return help_answer(command, self._personas, language)

    async def _settle(self, command: Command, language: Language) -> Answer:
        approve = command.name is CommandName.APPROVE
        if not command.argument.strip() or read_question_reference(command.argument) is not None:
            return await self._tool_approvals(command, language)
        if command.argument.startswith(APPROVAL_PREFIX):
            review = await self._reviews.settle(command.key, command.argument, approve=approve, by=person_of(command))
            log.info("review_settled", work=review.session_id, status=review.status.value, by=command.author.id)
            phrase = says.WORK_APPROVED if approve else says.WORK_REJECTED
            return Answer(text=phrase.to(language, name=self._name(review.worker_agent)))
        pairing = await self._pairings.settle(command.argument, approve=approve, by=person_of(command))
        phrase = says.PAIRED if approve else says.DENIED
        return Answer(text=phrase.to(language, name=pairing.name or pairing.person))

    def _name(self, persona: str) -> str:
        return next((each.display_name for each in self._personas if each.name == persona), persona)


def _in_state(view: ConversationView, state: TurnState) -> list[StoredTurn]:
    return [stored for stored in view.turns if stored.state is state]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
