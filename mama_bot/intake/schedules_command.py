"""The command /schedules: what asks without a person, and when next; owners let it rest and ask again."""

from collections.abc import Awaitable, Callable, Sequence

from mama_bot.config import nearest
from mama_bot.intake import sentences as says
from mama_bot.model import Answer, Author, Command, Platform, ScheduleStanding, TriggerPause
from mama_bot.triggers.pauses import Pauses
from mama_bot.wording import Language, plain_name

PAUSE_WORDS = frozenset({"pause", "중지"})
RESUME_WORDS = frozenset({"resume", "재개"})


class SchedulesCommand:
    """Answers /schedules; `hooks` are the hooks by name, each with the place where it asks."""

    def __init__(
        self,
        *,
        standings: Callable[[], Awaitable[Sequence[ScheduleStanding]]],
        hooks: Sequence[tuple[str, str]],
        pauses: Pauses,
        is_owner: Callable[[Platform, Author], bool],
    ) -> None:
        self._standings = standings
        self._hooks = hooks
        self._pauses = pauses
        self._is_owner = is_owner

    async def answer(self, command: Command, language: Language) -> Answer:
        """List schedules and hooks, or let one of them rest or ask again."""
        words = command.argument.split()
        if not words:
            return Answer(text=await self._list(language))
        deed, name = words[0].casefold(), " ".join(words[1:])
        if deed not in PAUSE_WORDS | RESUME_WORDS or not name:
            return Answer(text=says.SCHEDULES_USAGE.to(language), done=False)
        if not self._is_owner(command.key.platform, command.author):
            return Answer(text=says.OWNERS_PAUSE.to(language), done=False)
        names = [standing.name for standing in await self._standings()] + [hook for hook, _ in self._hooks]
        if name not in names:
            meant = nearest(name, names)
            return Answer(text=says.NO_TRIGGER.to(language, name=name[:60], meant=meant), done=False)
        if deed in PAUSE_WORDS:
            await self._pauses.begin(name, by=command.author.name)
            return Answer(text=says.PAUSED.to(language, name=name))
        await self._pauses.end(name)
        upcoming = {standing.name: standing for standing in await self._standings()}.get(name)
        lines = [says.RESUMED.to(language, name=name), *([_row(upcoming, language)] if upcoming else [])]
        return Answer(text="\n".join(lines))

    async def _list(self, language: Language) -> str:
        standings, paused = await self._standings(), await self._pauses.every()
        if not standings and not self._hooks:
            return says.NO_SCHEDULES.to(language)
        lines = [_row(standing, language) for standing in standings]
        for name, place in self._hooks:
            facts = [says.HOOK.to(language), f"`{place}`", *_rest(paused.get(name), language)]
            lines.append(f"- **{name}** · {' · '.join(facts)}")
        return "\n".join(lines)


def _row(standing: ScheduleStanding, language: Language) -> str:
    facts = [f"`{standing.cron}` {standing.time_zone}", f"`{standing.key}`"]
    if standing.pause is None and standing.next_at is not None:
        facts.append(says.NEXT_RUN.to(language, time=f"{standing.next_at:%Y-%m-%d %H:%M}"))
    if standing.working:
        facts.append(says.RUN_AT_WORK.to(language))
    return f"- **{standing.name}** · {' · '.join((*facts, *_rest(standing.pause, language)))}"


def _rest(pause: TriggerPause | None, language: Language) -> list[str]:
    if pause is None:
        return []
    return [says.RESTS.to(language, by=plain_name(pause.by), time=f"{pause.at:%Y-%m-%d %H:%M}")]
