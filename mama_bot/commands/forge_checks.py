"""Whether the forges of a configuration answer, take the token, and let it do what pull requests need."""

import asyncio
from collections.abc import Sequence

from mama_bot.app.configuration import Configuration
from mama_bot.app.pull_request_parts import ForgeOf, open_forges
from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import ForgeError
from mama_bot.model import Examination

SECONDS = 20.0
_LOOK = "See repositories.NAME.forge in docs/repositories.md."


async def examined_forges(configuration: Configuration) -> Sequence[Examination]:
    """Return what each forge says of its token; nothing is changed there."""
    redact = configuration.redactor()
    names = [name for name, settings in configuration.settings.repositories.items() if settings.forge is not None]
    async with open_forges(configuration, SystemClock()) as forge_of, asyncio.TaskGroup() as group:
        answers = [group.create_task(_examined(name, forge_of)) for name in names]
    told = [answer.result() for answer in answers]
    return [
        Examination(subject=each.subject, ok=each.ok, outcome=redact(each.outcome), remedy=each.remedy) for each in told
    ]


async def _examined(name: str, forge_of: ForgeOf) -> Examination:
    subject = f"forge of {name}"
    try:
        forge = forge_of(name)
        async with asyncio.timeout(SECONDS):
            access = await forge.access()
    except TimeoutError:
        return Examination(subject=subject, ok=False, outcome=f"no answer within {SECONDS:g} seconds", remedy=_LOOK)
    except ForgeError as error:
        return Examination(subject=subject, ok=False, outcome=str(error), remedy=_LOOK)
    if access.may_push is False or access.may_open is False:
        return Examination(
            subject=subject,
            ok=False,
            outcome=f"{forge.project} answers {access.account}, who may not push there",
            remedy="Give that account the role that writes (GitHub: Write, GitLab: Developer), or another token.",
        )
    sure = "who may push" if access.may_push else "and does not tell what it may do"
    return Examination(subject=subject, ok=True, outcome=f"{forge.project} answers {access.account}, {sure}")
