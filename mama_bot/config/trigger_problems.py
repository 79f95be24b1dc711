"""What is wrong about schedules and hooks, beyond the types of their values."""

import re
from collections.abc import Callable, Iterator, Mapping

from mama_bot.config.cron_lines import CronLine, zone_of
from mama_bot.config.document import KeyPath, nearest
from mama_bot.config.platform_problems import PLATFORMS, platforms_with_token
from mama_bot.config.repository_problems import NAMED_PLACE
from mama_bot.config.settings import Settings
from mama_bot.config.templates import field_path, parse_template
from mama_bot.config.trigger_settings import HookKind, HookProof, WebhookSettings

LEAST_SECRET = 16
# Small letters: the name stands in an address and, in capitals, in the variable with the secret.
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_MOST_NAME = 40
_HEADER = re.compile(r"[A-Za-z0-9-]{1,80}")
_ON_PAGE = re.compile(r"[A-Za-z0-9_-]{1,64}")
# How a channel is named on each platform, with its thread, and an example: a name that people see is none.
_CHANNELS = {
    "slack": (re.compile(r"[CDG][A-Z0-9]+(?:/[0-9]+\.[0-9]+)?"), "C0123ABC or C0123ABC/1712345678.000100"),
    "discord": (re.compile(r"[0-9]+(?:/[0-9]+)?"), "1234567890 or 1234567890/2345678901"),
    "telegram": (re.compile(r"-?[0-9]+(?:/[0-9]+)?"), "-1001234567890 or -1001234567890/42"),
}
_OF_JSON = {
    "proof": HookProof.BEARER,
    "signature_header": "X-Signature-256",
    "delivery_header": "",
    "event_field": "",
    "branch_field": "",
    "sender_field": "",
}


def problems_of_triggers(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield each mistake with the key that it is about, as a sentence without that key."""
    for name, schedule in settings.schedules.items():
        key = ("schedules", name)
        yield from _problems_of_name(key, settings)
        yield from _problems_of_asking(key, schedule.channel, schedule.prompt, settings)
        yield from _refused(lambda value: CronLine(value, "UTC"), (*key, "cron"), schedule.cron)
        yield from _refused(zone_of, (*key, "time_zone"), schedule.time_zone)
    for name, hook in settings.webhooks.items():
        key = ("webhooks", name)
        yield from _problems_of_name(key, settings)
        yield from _problems_of_asking(key, hook.channel, hook.prompt, settings)
        yield from _problems_of_hook(key, hook)
        if not settings.web.enabled:
            yield (
                key,
                "hooks are served by the page's server, and web.enabled is false. Set it to true, or remove them.",
            )


def problems_of_asked(settings: Settings, personas: Mapping[str, object]) -> Iterator[tuple[KeyPath, str]]:
    """Yield names in schedules and hooks that no persona has."""
    triggers = [(("schedules", name), schedule.persona) for name, schedule in settings.schedules.items()]
    triggers += [(("webhooks", name), hook.persona) for name, hook in settings.webhooks.items()]
    for key, persona in triggers:
        if persona and persona not in personas:
            yield (*key, "persona"), f"{persona!r} is no persona. {nearest(persona, personas)}"


def problems_of_missing(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield what schedules and hooks need of the secrets of a service, and is not there."""
    channels = [(("schedules", name), schedule.channel) for name, schedule in settings.schedules.items()]
    channels += [(("webhooks", name), hook.channel) for name, hook in settings.webhooks.items()]
    for key, channel in channels:
        platform = channel.partition("/")[0]
        if platform in PLATFORMS and platform not in platforms_with_token(settings):
            problem = f"{platform} has no token, so nothing could be posted in {channel[:60]}."
            yield (*key, "channel"), f"{problem} Set it (docs/{platform}.md), or name a channel elsewhere."
    for name, hook in settings.webhooks.items():
        if hook.secret is None:
            problem = f"it has no secret. Set {secret_variable(name)} in the environment or secrets.env."
            yield ("webhooks", name), problem


def secret_variable(name: str) -> str:
    """Return the variable with the secret of a hook."""
    return f"MAMA_WEBHOOKS__{name.upper()}__SECRET"


def _problems_of_name(key: KeyPath, settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    section, name = key
    if not _NAME.fullmatch(name) or len(name) > _MOST_NAME:
        kind = "schedule" if section == "schedules" else "hook"
        yield (
            key,
            f"this is no name for a {kind}. Give it one of small letters, digits and single underscores, as 'nightly'.",
        )
    elif section == "webhooks" and name in settings.schedules:
        yield key, "a schedule has this name too. Give one of them another."


def _problems_of_asking(key: KeyPath, channel: str, prompt: str, settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    if problem := _problem_of_channel(channel, settings):
        yield (*key, "channel"), problem
    if not prompt.strip():
        yield (*key, "prompt"), "expected what the team is asked."
    elif len(prompt) > (most := settings.web.max_message_characters):
        yield (*key, "prompt"), f"{len(prompt):,} characters are more than web.max_message_characters ({most:,})."


def _problem_of_channel(channel: str, settings: Settings) -> str:
    if not NAMED_PLACE.fullmatch(channel):
        return f"{channel[:60]!r} names no place. Write platform/id, such as slack/C0123ABC."
    platform, _, place = channel.partition("/")
    if platform in _CHANNELS and not _CHANNELS[platform][0].fullmatch(place):
        return f"{place[:60]!r} is no id of a channel on {platform}. Write it as {_CHANNELS[platform][1]}."
    if platform == "web" and not settings.web.enabled:
        return "web.enabled is false, so there is no page. Set it to true, or name a channel elsewhere."
    if platform == "web" and not _ON_PAGE.fullmatch(place):
        return f"{place[:60]!r} names no conversation on the page: it has letters, digits, - and _, as web/nightly."
    return ""


def _problems_of_hook(key: KeyPath, hook: WebhookSettings) -> Iterator[tuple[KeyPath, str]]:
    variable = secret_variable(key[-1])
    if hook.secret is not None and len(hook.secret.get_secret_value().strip()) < LEAST_SECRET:
        problem = f"it is too short to protect the hook: give {variable} at least {LEAST_SECRET} characters."
        yield (*key, "secret"), problem
    yield from _refused(parse_template, (*key, "prompt"), hook.prompt)
    if hook.kind is HookKind.JSON:
        yield from _problems_of_json(key, hook)
        return
    for part, plain in _OF_JSON.items():
        if getattr(hook, part) != plain:
            yield (*key, part), f"this is for `kind: json`, and of {hook.kind} it is known. Remove it."


def _problems_of_json(key: KeyPath, hook: WebhookSettings) -> Iterator[tuple[KeyPath, str]]:
    headers = {"signature_header": hook.signature_header, "delivery_header": hook.delivery_header or "none"}
    for part, name in headers.items():
        if not _HEADER.fullmatch(name):
            yield (*key, part), f"{name[:60]!r} is no name of a header."
    if hook.delivery_header and hook.proof is HookProof.HMAC:
        problem = "a signature covers the body alone, so there a body counts once, whatever a header says. Remove it."
        yield (*key, "delivery_header"), problem
    fields = {
        "events": ("event_field", hook.event_field),
        "branches": ("branch_field", hook.branch_field),
        "senders": ("sender_field", hook.sender_field),
    }
    for part, (field, path) in fields.items():
        if path:
            yield from _refused(field_path, (*key, field), path)
        elif getattr(hook, part):
            yield (*key, part), f"where they stand is not known. Name the field: `{field}: path.to.field`."


def _refused(parse: Callable[[str], object], key: KeyPath, value: str) -> Iterator[tuple[KeyPath, str]]:
    try:
        parse(value)
    except ValueError as error:
        yield key, str(error)
