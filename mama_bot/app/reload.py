"""New settings while the service runs: read whole, checked whole, and taken by the next exchange."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from mama_bot.app.configuration import Configuration
from mama_bot.app.page_key import with_page_key
from mama_bot.app.sentences import NEEDS_RESTART, NOT_THERE_YET, RELOADED
from mama_bot.config import Settings
from mama_bot.errors import ConfigurationError, MamaBotError
from mama_bot.metrics import Metrics
from mama_bot.model import Trouble, TroubleKind
from mama_bot.protocols import Clock
from mama_bot.vitality.sentences import SETTINGS_REFUSED
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

# What the running service takes up; all else stays as it was at the start, and is named.
WHOLE_SECTIONS = ("budgets", "enforcement", "loops", "reviews", "router", "variables")
PARTS: Mapping[str, tuple[str, ...]] = {
    "discord": ("access",),
    "slack": ("access",),
    "telegram": ("access",),
    "turns": ("hop_budget",),
    "rules": ("disabled", "enabled", "protected_branches", "workflow", "failures_to_open", "cooldown_seconds"),
}
MOST_NAMED = 12

Signature = Mapping[Path, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """What came of a reload: whether the settings were taken, what to say of it, and the keys that need a restart."""

    taken: bool
    sentence: Said
    waiting: tuple[str, ...] = ()


class Reload:
    """Takes new settings: when it is asked to, and when a file changed and stays as it is for a look.

    `take` puts a configuration in force, or raises ConfigurationError and changes nothing. `tell` tells owners, `show`
    lets whoever shows how the settings stand look again.
    """

    def __init__(
        self,
        *,
        configuration: Configuration,
        take: Callable[[Configuration], Awaitable[None]],
        tell: Callable[[str, Said], None],
        clock: Clock,
        metrics: Metrics,
        look_seconds: float,
        show: Callable[[], None] = lambda: None,
    ) -> None:
        self._show = show
        self._current = configuration
        self._take = take
        self._tell = tell
        self._clock = clock
        self._metrics = metrics
        self._look_seconds = look_seconds
        self._lock = asyncio.Lock()
        self._refusal: Said | None = None
        self._known = self._signature()  # what is changed while the service starts is taken up too

    async def run(self, asked: asyncio.Event) -> None:
        """Reload whenever that is asked for, or a file changed, until cancelled."""
        changed = self._known
        while True:
            try:
                async with asyncio.timeout(self._look_seconds or None):
                    await asked.wait()
            except TimeoutError:
                present = await asyncio.to_thread(self._signature)
                settled, changed = present == changed, present
                if present == self._known or not settled:  # an editor may not have written all of it
                    continue
            asked.clear()
            self._known = changed = await asyncio.to_thread(self._signature)
            await self.now()

    async def now(self) -> Reloaded:
        """Read the settings and take them; what cannot be used is refused whole, and what held goes on to hold."""
        async with self._lock:
            try:
                effective, waiting = effective_configuration(self._current, await self._read_again())
                await self._take(effective)
            except MamaBotError as error:
                log.warning("settings_refused", reason=str(error))
                return self._refused(str(error))
            except Exception as error:  # new settings never end a service that runs well with the old ones
                log.exception("settings_refused")
                return self._refused(repr(error))
            self._current, self._refusal = effective, None
            self._show()
        self._metrics.count("settings_reloaded")
        log.info("settings_reloaded", personas=list(effective.personas), waiting=waiting)
        if not waiting:
            return Reloaded(taken=True, sentence=RELOADED)
        sentence = NEEDS_RESTART.of(keys=", ".join(waiting[:MOST_NAMED]))
        log.warning("settings_need_restart", keys=waiting)
        self._tell(f"settings-{self._clock.now().isoformat()}", sentence)
        return Reloaded(taken=True, sentence=sentence, waiting=waiting)

    async def _read_again(self) -> Configuration:
        if self._current.reread is None:
            raise ConfigurationError(problem="These settings came from no file.")
        return with_page_key(await asyncio.to_thread(self._current.reread))

    def _refused(self, reason: str) -> Reloaded:
        self._metrics.count("settings_refused")
        self._refusal = SETTINGS_REFUSED.of(reason=reason)
        self._show()
        return Reloaded(taken=False, sentence=self._refusal)

    async def sign(self) -> list[Trouble]:
        """Return `troubles`, for whoever looks for signs of them."""
        return self.troubles()

    def troubles(self) -> list[Trouble]:
        """Return the trouble that the last settings were refused, while they are."""
        if self._refusal is None:
            return []
        return [Trouble(kind=TroubleKind.SETTINGS, sentence=self._refusal, stops_work=False)]

    def _signature(self) -> Signature:
        return {path: _stamp(path) for path in self._current.files()}


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def effective_configuration(current: Configuration, new: Configuration) -> tuple[Configuration, tuple[str, ...]]:
    """Return the current configuration with what a running service takes up of the new one, and the keys that wait.

    Raises ConfigurationError for a persona that needs what the service did not start with.
    """
    old, wanted = current.settings, new.settings
    update: dict[str, Any] = {name: getattr(wanted, name) for name in WHOLE_SECTIONS}
    for section, keys in PARTS.items():
        taken = {key: getattr(getattr(wanted, section), key) for key in keys}
        update[section] = getattr(old, section).model_copy(update=taken)
    settings = old.model_copy(update=update)
    waiting = tuple(sorted(set(_differing(settings, wanted))))
    known = {name for each in current.personas.values() for name in each.backends}
    for persona in new.personas.values():
        lacking = {
            f"workspace: {persona.workspace}": persona.workspace in wanted.repositories.keys() - old.repositories,
            **{f"backend: {name}": name not in known for name in persona.backends},
            **{
                f"mcp_servers: {name}": name in wanted.mcp_servers.keys() - old.mcp_servers
                for name in persona.mcp_servers
            },
        }
        for need, is_lacking in lacking.items():
            if is_lacking:
                raise ConfigurationError(problem=NOT_THERE_YET.of(name=persona.name, need=need))
    return replace(
        current, settings=settings, personas=dict(new.personas), rules=new.rules, workflows=new.workflows
    ), waiting


def _differing(before: Settings, after: Settings) -> Iterator[str]:
    for name in type(before).model_fields:
        yield from _differences(name, _plain(getattr(before, name)), _plain(getattr(after, name)))


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value


def _differences(path: str, before: Any, after: Any) -> Iterator[str]:
    """Yield the keys whose values differ, by their path; never a value, which may be a secret."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            yield from _differences(f"{path}.{key}", _plain(before.get(key)), _plain(after.get(key)))
    elif before != after:
        yield path
