"""Asking the chat platforms whether the tokens, permissions and intents are what the service needs."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, cast

from mama_bot.config import PlatformSettings, Settings
from mama_bot.config.platform_problems import platform_settings, platforms_with_token
from mama_bot.model import Examination
from mama_bot.wording import one_line

EXAMINATION_SECONDS = 10.0


class Examined(Protocol):
    """What the examiner of a gateway found."""

    @property
    def subject(self) -> str:
        """What was looked at."""

    @property
    def ok(self) -> bool:
        """Whether it is in order."""

    @property
    def outcome(self) -> str:
        """What there is."""

    @property
    def remedy(self) -> str:
        """What to do about it; "" when it is in order."""


Examiner = Callable[[PlatformSettings], Awaitable[Sequence[Examined]]]


def examiner_of(platform: str) -> Examiner:
    """Return the examiner of a platform; its SDK is loaded when the examiner is called, never before."""

    async def examine(settings: PlatformSettings) -> Sequence[Examined]:
        module = importlib.import_module(f"mama_bot.gateways.{platform}.examination")
        return await cast("Examiner", getattr(module, f"examine_{platform}"))(settings)

    return examine


async def examined(
    settings: Settings,
    *,
    redact: Callable[[str], str],
    examiners: Mapping[str, Examiner] | None = None,
    seconds: float = EXAMINATION_SECONDS,
) -> Sequence[Examination]:
    """Return what the platforms that have a token say, all asked at once; never raises.

    Each is waited for at most so many seconds for each of its bots: that of the service, and those of personas.
    """
    names = platforms_with_token(settings)
    async with asyncio.TaskGroup() as group:
        asked = [
            group.create_task(
                _examined(
                    name,
                    platform_settings(settings, name),
                    examiner_of(name) if examiners is None else examiners[name],
                    redact=redact,
                    seconds=seconds,
                )
            )
            for name in names
        ]
    return [finding for task in asked for finding in task.result()]


async def _examined(
    name: str, settings: PlatformSettings, examiner: Examiner, *, redact: Callable[[str], str], seconds: float
) -> Sequence[Examination]:
    seconds *= 1 + len(settings.persona_tokens)
    try:
        async with asyncio.timeout(seconds):
            findings = await examiner(settings)
    except TimeoutError:
        return (_unreachable(name, settings, f"no answer within {seconds:g} s"),)
    except OSError as error:
        return (_unreachable(name, settings, f"not reached: {redact(_on_one_line(error))}"),)
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises, the other things are to be looked at all the same
        reason = f"could not be asked: {redact(_on_one_line(error))} ({type(error).__name__})"
        return (_unreachable(name, settings, reason),)
    return tuple(
        Examination(
            subject=finding.subject if name in finding.subject.lower() else f"{name}: {finding.subject}",
            ok=finding.ok,
            outcome=redact(finding.outcome),
            remedy=redact(finding.remedy),
        )
        for finding in findings
    )


def _unreachable(name: str, settings: PlatformSettings, outcome: str) -> Examination:
    remedy = (
        f"Check that this machine reaches {getattr(settings, 'api_url', name)}: network, proxy, firewall, and "
        f"{name}.api_url."
    )
    return Examination(subject=name, ok=False, outcome=outcome, remedy=remedy)


def _on_one_line(error: Exception) -> str:
    return one_line(str(error), 200) or type(error).__name__
