"""`mama-bot pair`: who asked to be served, confirmed or denied, also while the service runs."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from mama_bot.app.configuration import Configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.commands import sentences as says
from mama_bot.commands.kept_store import existing, opened
from mama_bot.errors import PairingRefused
from mama_bot.model import Pairing, PairingState, Platform
from mama_bot.wording import as_typed

LISTED = 1_000


async def listed_pairings(configuration: Configuration, *, as_json: bool) -> Sequence[str]:
    """Return the open requests and who is paired, as lines; raises StoreUnavailable."""
    async with opened(configuration) as store:
        pairings = [] if store is None else await store.pairings.all(LISTED)
    now = SystemClock().now()
    shown = [pairing for pairing in pairings if pairing.state is PairingState.PAIRED or pairing.is_open(now)]
    if as_json:
        return [json.dumps([_plain(pairing) for pairing in shown], ensure_ascii=False, indent=2)]
    return [*_listing(shown)]


async def settle_pairing(configuration: Configuration, code: str, *, approve: bool) -> str:
    """Confirm or deny a request, and say so; raises PairingRefused."""
    async with existing(configuration) as store:
        settled = await store.pairings.settle(code, approve=approve, by="mama-bot pair")
    who = f"{settled.name or settled.person} ({settled.platform}/{settled.person})"
    if approve:
        return f"{who} is paired: the team answers them, a running service within some seconds."
    return f"{who} is denied, and can ask again in a day."


async def remove_pairing(configuration: Configuration, reference: str) -> str:
    """End what there is between the team and a person (PLATFORM/PERSON), and say so; raises PairingRefused."""
    platform, _, person = reference.partition("/")
    if not platform or not person:
        raise PairingRefused(says.NAMES_NOBODY.of(reference=reference[:80]))
    async with existing(configuration) as store:
        removed = await store.pairings.remove(Platform(platform), person)
    return f"{removed.name or person} ({reference}) is not paired any more."


def _listing(pairings: Sequence[Pairing]) -> Iterator[str]:
    asked = [pairing for pairing in pairings if pairing.state is PairingState.ASKED]
    paired = [pairing for pairing in pairings if pairing.state is PairingState.PAIRED]
    yield "Open requests:" if asked else "There are no open requests."
    for pairing in asked:
        yield f"  {pairing.code}  {pairing.platform}/{pairing.person}  {pairing.name}  asked {_when(pairing.asked_at)}"
    if asked:
        yield as_typed("Confirm one with `mama-bot pair CODE`; turn it down with --deny CODE.")
    yield "Paired:" if paired else "Nobody is paired."
    for pairing in paired:
        since = f"since {_when(pairing.settled_at)}, by {pairing.settled_by}"
        yield f"  {pairing.platform}/{pairing.person}  {pairing.name}  {since}"
    if paired:
        yield as_typed("End a pairing with `mama-bot pair --remove PLATFORM/PERSON`.")


def _when(moment: datetime | None) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment is not None else "?"


def _plain(pairing: Pairing) -> dict[str, str]:
    settled = pairing.settled_at
    return {
        "platform": pairing.platform,
        "person": pairing.person,
        "name": pairing.name,
        "code": pairing.code,
        "state": pairing.state.value,
        "asked_at": pairing.asked_at.isoformat(),
        "settled_at": settled.isoformat() if settled is not None else "",
        "settled_by": pairing.settled_by,
    }
