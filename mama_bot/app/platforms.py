"""The gateways to the chat platforms whose tokens are set."""

from collections.abc import Callable, Mapping, Sequence

from mama_bot.app.configuration import Configuration
from mama_bot.app.followers import DefaultFirst
from mama_bot.errors import ConfigurationError
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.metrics import Metrics
from mama_bot.model import AgentPersona, Hearing, Platform
from mama_bot.protocols import Clock, Gateway, GatewayState

DISCORD, SLACK, TELEGRAM = Platform("discord"), Platform("slack"), Platform("telegram")


def chat_gateways(
    configuration: Configuration,
    *,
    state: Callable[[Platform], GatewayState],
    clock: Clock,
    metrics: Metrics,
) -> Mapping[Platform, Gateway]:
    """Return a gateway for each platform that has a token; the SDK of a platform that has none is never loaded."""

    def dependencies(platform: Platform) -> ChatDependencies:
        return ChatDependencies(
            personas=personas_default_first(configuration),
            state=state(platform),
            uploads=configuration.directory / "uploads" / platform,
            clock=clock,
            metrics=metrics,
        )

    makers = {DISCORD: _discord, SLACK: _slack, TELEGRAM: _telegram}
    made = {platform: make(configuration, dependencies(platform)) for platform, make in makers.items()}
    return {platform: gateway for platform, gateway in made.items() if gateway is not None}


def hearing_of(gateways: Mapping[Platform, Gateway]) -> Mapping[Platform, Hearing]:
    """Return which gateways hear."""
    return {platform: gateway.hearing() for platform, gateway in gateways.items()}


def personas_default_first(configuration: Configuration) -> Sequence[AgentPersona]:
    """Return the team as it is whenever somebody looks, the persona that answers by default at its head."""
    default = [configuration.settings.router.default_persona]

    def follow(new: Configuration) -> None:
        default[:] = [new.settings.router.default_persona]

    configuration.followers.add(follow)
    return DefaultFirst(configuration.personas, lambda: default[0])


def _discord(configuration: Configuration, dependencies: ChatDependencies) -> Gateway | None:
    settings = configuration.settings.discord
    if settings.token is None:
        return None
    from mama_bot.gateways.discord.gateway import DiscordGateway

    return DiscordGateway(settings, dependencies)


def _slack(configuration: Configuration, dependencies: ChatDependencies) -> Gateway | None:
    settings = configuration.settings.slack
    if settings.bot_token is None and settings.app_token is None:
        return None
    if settings.bot_token is None or settings.app_token is None:
        raise ConfigurationError(
            problem="Slack needs two tokens: slack.bot_token (xoxb-…, under OAuth & Permissions) and slack.app_token "
            "(xapp-…, under Basic Information, App-Level Tokens, with the scope connections:write). One of them is set."
        )
    from mama_bot.gateways.slack.gateway import SlackGateway

    return SlackGateway(settings, dependencies)


def _telegram(configuration: Configuration, dependencies: ChatDependencies) -> Gateway | None:
    settings = configuration.settings.telegram
    if settings.token is None:
        return None
    from mama_bot.gateways.telegram.gateway import TelegramGateway

    return TelegramGateway(settings, dependencies)
