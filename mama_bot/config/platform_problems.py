"""What is wrong about the settings of the chat platforms, beyond the types of their values."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from mama_bot.config.document import KeyPath, nearest
from mama_bot.config.platform_settings import PlatformSettings
from mama_bot.config.settings import Settings

PLATFORMS = ("discord", "slack", "telegram")
_SLACK_PREFIXES = {"bot_token": "xoxb-", "app_token": "xapp-"}
# What the platforms give out; other servers than theirs give out what they like.
_SHAPES: Mapping[str, tuple[re.Pattern[str], str, str]] = {
    "discord.token": (
        re.compile(r"[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}"),  # MTIzNDU2Nzg5MDEyMzQ1Njc4.abcdef.zyxwvutsrqponmlkjihgfedcba1
        "three parts with dots between",
        "discord.com",
    ),
    "slack.bot_token": (re.compile(r"xoxb-[\w-]{8,}"), "xoxb-... of some length", "slack.com"),  # xoxb-1234-5678-abcdef
    "slack.app_token": (re.compile(r"xapp-[\w-]{8,}"), "xapp-... of some length", "slack.com"),  # xapp-1-A012-3456-abc
    "telegram.token": (
        re.compile(r"[0-9]{6,}:[\w-]{30,}"),  # 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0
        "digits, a colon, and 35 letters",
        "telegram.org",
    ),
}


def main_tokens(settings: Settings) -> Mapping[str, str]:
    """Return the token of each platform that has one, by its key (`discord.token`); Slack has two."""
    tokens = {
        "discord.token": settings.discord.token,
        "slack.bot_token": settings.slack.bot_token,
        "slack.app_token": settings.slack.app_token,
        "telegram.token": settings.telegram.token,
    }
    return {key: token.get_secret_value() for key, token in tokens.items() if token is not None}


def platforms_with_token(settings: Settings) -> tuple[str, ...]:
    """Return the names of the platforms that the service will connect to."""
    keys = main_tokens(settings)
    return tuple(name for name in PLATFORMS if any(key.startswith(f"{name}.") for key in keys))


def platform_settings(settings: Settings, name: str) -> PlatformSettings:
    """Return the section of a platform by its name."""
    section = getattr(settings, name)
    assert isinstance(section, PlatformSettings)
    return section


def problems_of_platforms(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield each mistake with the key that it is about, as a sentence without that key and without any secret."""
    yield from _problems_of_slack(settings)
    for name in PLATFORMS:
        owners = {token: key for key, token in main_tokens(settings).items() if key.startswith(f"{name}.")}
        for persona, secret in platform_settings(settings, name).persona_tokens.items():
            token, key = secret.get_secret_value(), f"{name}.persona_tokens.{persona}"
            if token in owners:
                problem = f"this is the token of {owners[token]} too, and two bots need two. Give it another."
                yield (name, "persona_tokens", persona), problem
            owners.setdefault(token, key)


def problems_of_personas(settings: Settings, personas: Mapping[str, object]) -> Iterator[tuple[KeyPath, str]]:
    """Names in the settings of the platforms that no persona has."""
    for name in PLATFORMS:
        for key in ("persona_tokens", "persona_roles"):
            for persona in getattr(settings, name).model_dump().get(key, {}):
                if persona not in personas:
                    yield (name, key, persona), f"{persona!r} is no persona. {nearest(persona, personas)}"


def unlikely_tokens(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each token that a platform would hardly have given out."""
    for key, token in main_tokens(settings).items():
        shape, look, host = _SHAPES[key]
        server = urlsplit(getattr(platform_settings(settings, key.partition(".")[0]), "api_url", "")).hostname or ""
        if (server == host or server.endswith(f".{host}")) and not shape.fullmatch(token):
            yield f"{key} does not look like a token: expected {look}. `mama-bot doctor` asks the platform."


def unserved(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each platform that will connect and, as it stands, answer nobody."""
    for name in platforms_with_token(settings):
        access = platform_settings(settings, name).access
        if any((access.owners, access.people, access.roles, access.channels, access.servers)):
            continue
        then = (
            "Whoever writes to the bot directly gets a code, which you confirm with `mama-bot pair CODE`"
            if access.pairing
            else f"Pairing is off as well ({name}.access.pairing), so nobody ever will be"
        )
        yield (
            f"{name} has a token, and {name}.access lists nobody: no one is served yet. {then}. "
            f"Or list yourself: {name}.access.owners."
        )


def _problems_of_slack(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    slack = settings.slack
    tokens = {"bot_token": slack.bot_token, "app_token": slack.app_token}
    for key, token in tokens.items():
        if token is None:
            continue
        own, other = _SLACK_PREFIXES[key], "app_token" if key == "bot_token" else "bot_token"
        foreign = _SLACK_PREFIXES[other]
        if token.get_secret_value().startswith(foreign):
            problem = f"this is a token for slack.{other} ({foreign}...). The one for here begins with {own}."
            yield ("slack", key), problem
        if tokens[other] is None:
            problem = f"it works only together with slack.{other}, which is missing. "
            remedy = f"Set MAMA_SLACK__{other.upper()} ({foreign}...) too, in the environment or secrets.env."
            yield ("slack", key), problem + remedy
