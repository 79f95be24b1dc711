"""/budget: what was spent and what is left, and caps that owners set anew for the rest of the day."""

from collections.abc import Callable, Sequence

import structlog

from mama_bot.budgets.budgets import Budgets
from mama_bot.budgets.sentences import amount, scope_words
from mama_bot.config.document import nearest
from mama_bot.intake import budget_sentences as says
from mama_bot.model import (
    Account,
    Answer,
    Author,
    Balance,
    BudgetScope,
    BudgetUnit,
    Command,
    MessageId,
    Platform,
    RaisedCap,
    StoredTurn,
    TurnId,
    TurnState,
)
from mama_bot.protocols import Clock, ConversationHistory, SpendingRecords
from mama_bot.wording import Language, Said, plain_name

log = structlog.get_logger(__name__)

LATEST_MESSAGES = 20
SECONDS = {"s": 1, "m": 60, "h": 3_600}
FEWEST_TOKENS = 1_000
THOUSAND = 1_000
MOST = 1e12


class BudgetCommand:
    """Shows how caps stand for whoever asks, and sets them anew for owners; `zone` is where a day begins."""

    def __init__(
        self,
        *,
        budgets: Budgets,
        records: SpendingRecords,
        history: ConversationHistory,
        personas: Sequence[str],
        is_owner: Callable[[Platform, Author], bool],
        zone: Callable[[], str],
        clock: Clock,
    ) -> None:
        self._budgets = budgets
        self._records = records
        self._history = history
        self._personas = personas
        self._is_owner = is_owner
        self._zone = zone
        self._clock = clock

    async def answer(self, command: Command, language: Language) -> Answer:
        """Show how the caps stand, or set the one that is named."""
        if not command.argument.strip():
            return Answer(text=await self.lines(command, language))
        if not self._is_owner(command.key.platform, command.author):
            return Answer(text=says.OWNERS_BUDGET.to(language), done=False)
        words = command.argument.split()
        scope, given = says.SCOPE_WORDS.get(words[0].casefold()), read_amount(words[-1])
        named = words[1:-1]
        fits = scope in (BudgetScope.AGENT, BudgetScope.PERSON) or not named
        if scope is None or given is None or len(words) < 2 or len(named) > 1 or not fits:
            return Answer(text=says.BUDGET_USAGE.to(language), done=False)
        unit, most = given
        if unit is BudgetUnit.SECONDS and scope is not BudgetScope.TASK:
            return Answer(text=says.BUDGET_USAGE.to(language), done=False)
        return await self._set(command, scope, named[0] if named else "", unit, most, language)

    async def _set(
        self, command: Command, scope: BudgetScope, name: str, unit: BudgetUnit, most: float, language: Language
    ) -> Answer:
        account = await self._account(command)
        subject = str(command.key)
        if scope is BudgetScope.AGENT:
            subject = name or account.agent
            if subject not in self._personas:
                meant = nearest(subject, self._personas)
                return Answer(text=says.NO_SUCH_AGENT.to(language, name=plain_name(subject), meant=meant), done=False)
        elif scope is BudgetScope.PERSON:
            subject = _person(name, command) if name else account.person
        elif scope is BudgetScope.DAY:
            subject = ""
        raised = RaisedCap(
            scope=scope, subject=subject, unit=unit, most=most, by=command.author.id, at=self._clock.now()
        )
        await self._records.raise_cap(raised)
        log.info("cap_set", scope=scope.value, subject=subject, unit=unit.value, most=most, by=command.author.id)
        shown = _scope_set(raised).to(language)
        return Answer(
            text=says.CAP_SET.to(language, zone=self._zone(), scope=shown, most=amount(unit, most).to(language))
        )

    async def lines(self, command: Command, language: Language) -> str:
        """Return how the caps stand, a line each; what was spent today where the whole service has none."""
        account = await self._account(command)
        agents = [name for name in self._personas if name != account.agent]
        standing = [*await self._budgets.balances(account)]
        if any(balance.scope is BudgetScope.AGENT for balance in standing):
            for name in agents:
                other = Account(
                    turn_id=TurnId(""), message_id=MessageId(""), key=account.key, agent=name, person=account.person
                )
                standing += [
                    balance for balance in await self._budgets.balances(other) if balance.scope is BudgetScope.AGENT
                ]
        lines = [says.BUDGETS_TITLE.to(language, zone=self._zone())]
        lines += [_line(balance, language) for balance in standing]
        if not any(balance.scope is BudgetScope.DAY for balance in standing):
            lines.append(await self._today(account, language))
        return "\n".join(lines)

    async def _today(self, account: Account, language: Language) -> str:
        day = await self._records.day(account, since=self._budgets.day_began, scopes=[BudgetScope.DAY])
        spent = day.spent(BudgetScope.DAY)
        words = amount(BudgetUnit.TOKENS, spent.tokens).to(language)
        if spent.usd:
            words = f"{words}, {amount(BudgetUnit.USD, spent.usd).to(language)}"
        whole = Balance(scope=BudgetScope.DAY, unit=BudgetUnit.TOKENS, most=0, spent=spent.tokens)
        return says.WITHOUT_CAP.to(language, scope=scope_words(whole).to(language), spent=words)

    async def _account(self, command: Command) -> Account:
        """Return on whose account the latest turn here is, the one that runs before any other."""
        view = await self._history.view(command.key, LATEST_MESSAGES)
        turns: list[StoredTurn] = sorted(view.turns, key=lambda stored: stored.state is TurnState.RUNNING)
        turn = turns[-1].turn if turns else None
        asker = next(
            (message.author for message in view.messages if turn is not None and message.id == turn.message_id),
            command.author,
        )
        return Account(
            turn_id=turn.id if turn is not None else TurnId(""),
            message_id=turn.message_id if turn is not None else MessageId(""),
            key=command.key,
            agent=turn.persona if turn is not None else "",
            person=f"{command.key.platform}:{asker.id}",
        )


def read_amount(word: str) -> tuple[BudgetUnit, float] | None:
    """Return the amount that a word says: "$5", "20000" or "200k" (tokens), "90s", "45m" or "2h"; None for another.

    "5m" is five minutes: so many tokens are written "5000k". A bare "20" is none: no agent begins with so few tokens,
    and whoever writes it means dollars.
    """
    plain = word.casefold().replace(",", "").replace("_", "")
    if plain.startswith("$"):
        return _read(BudgetUnit.USD, plain[1:], 1)
    if plain.endswith("usd"):
        return _read(BudgetUnit.USD, plain.removesuffix("usd"), 1)
    if plain[-1:] in SECONDS:
        return _read(BudgetUnit.SECONDS, plain[:-1], SECONDS[plain[-1]])
    if plain.endswith("k"):
        return _read(BudgetUnit.TOKENS, plain[:-1], THOUSAND)
    tokens = _read(BudgetUnit.TOKENS, plain, 1)
    return tokens if tokens is not None and tokens[1] >= FEWEST_TOKENS else None


def _read(unit: BudgetUnit, figure: str, factor: int) -> tuple[BudgetUnit, float] | None:
    whole, _, part = figure.partition(".")
    if not whole.isdecimal() or (part and not part.isdecimal()):
        return None
    value = float(figure) * factor
    return (unit, value) if 0 < value <= MOST else None


def _person(name: str, command: Command) -> str:
    platform = command.key.platform
    return name if ":" in name else f"{platform}:{name}"


def _scope_set(raised: RaisedCap) -> Said:
    if raised.scope is BudgetScope.TASK:
        return says.TASKS_HERE
    if raised.scope is BudgetScope.TURN:
        return says.TURNS_HERE
    if raised.scope is BudgetScope.PERSON:
        return says.PERSON_OF.of(subject=plain_name(raised.subject))
    return scope_words(Balance(scope=raised.scope, unit=raised.unit, most=raised.most, spent=0, subject=raised.subject))


def _line(balance: Balance, language: Language) -> str:
    held = says.HELD_NOW.to(language, amount=amount(balance.unit, balance.held).to(language)) if balance.held else ""
    return says.BALANCE.to(
        language,
        scope=scope_words(balance).to(language),
        spent=amount(balance.unit, balance.spent).to(language),
        most=amount(balance.unit, balance.most).to(language),
        left=amount(balance.unit, max(0.0, balance.left)).to(language),
        held=held,
        raised=says.RAISED_TODAY.to(language) if balance.raised else "",
    )
