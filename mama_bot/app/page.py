"""The page, put together from the parts of a service."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence

from mama_bot.app.configuration import Configuration
from mama_bot.app.containment import uncontained
from mama_bot.app.platforms import personas_default_first
from mama_bot.app.readiness import lacking_here
from mama_bot.app.reload import Reloaded
from mama_bot.app.sentences import DEMO_BANNER, SCRIPTED_BANNER
from mama_bot.app.trigger_parts import Triggers
from mama_bot.checkouts import Checkouts
from mama_bot.config import AgentSource
from mama_bot.deeds.diffs import Diffs
from mama_bot.gateways.web.application import PERSON
from mama_bot.gateways.web.gateway import WebGateway
from mama_bot.metrics import Metrics
from mama_bot.model import Hearing, Platform, Trouble
from mama_bot.protocols import Clock, Pairings
from mama_bot.store import Store
from mama_bot.trial.own_texts import OwnTexts
from mama_bot.wording import Said


def web_page(
    configuration: Configuration,
    store: Store,
    clock: Clock,
    metrics: Metrics,
    hearing: Callable[[], Mapping[Platform, Hearing]],
    pairings: Pairings | None,
    checkouts: Checkouts,
    diffs: Diffs,
    triggers: Triggers,
    troubles: Callable[[], Sequence[Trouble] | None],
    reload: Callable[[], Awaitable[Reloaded]],
) -> WebGateway | None:
    """Return the page of a service, None where it is off; `pairings` are None where nobody can ask to be served."""
    if not configuration.settings.web.enabled:
        return None
    banner = None
    if configuration.scripted:
        chosen = configuration.settings.claude.source is AgentSource.SCRIPTED
        banner = DEMO_BANNER if chosen else SCRIPTED_BANNER
    lacking = lacking_here(configuration)
    stopping = next((lack.sentence for lack in lacking() if lack.stops_work), None)

    async def reloaded() -> tuple[bool, Said, Sequence[str]]:
        outcome = await reload()
        return outcome.taken, outcome.sentence, outcome.waiting

    return WebGateway(
        settings=configuration.settings.web,
        personas=personas_default_first(configuration),
        history=store.history,
        reports=store.reports,
        measurements=store.measures,
        judge=OwnTexts(settings=configuration.settings.enforcement, clock=clock),
        metrics=metrics,
        clock=clock,
        new_id=lambda: uuid.uuid4().hex[:12],
        uploads=configuration.directory / "uploads" / "web",
        pairings=pairings,
        hearing=hearing,
        repository=lambda key: checkouts.view(key, PERSON.id, looks=False),
        diff_of=diffs.of_name,
        hooks=triggers.desk,
        banner=banner,
        demo_repository=configuration.scripted and not configuration.settings.default_repository,
        warning=stopping or uncontained(configuration),
        lacking=lacking,
        troubles=troubles,
        reload=reloaded,
    )
