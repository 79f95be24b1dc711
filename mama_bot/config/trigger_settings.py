"""The settings of what asks without a person: schedules, and hooks that other services call."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, SecretStr

from mama_bot.config.section import Count, Section, Whole

LARGEST_KILOBYTES = 25_600  # what GitHub sends at most


class ScheduleSettings(Section):
    """`schedules.NAME`: a prompt for the team at the times that a line of cron names.

    `channel` is where it is asked and answered, as "slack/C0123" or "slack/C0123/THREAD"; the repository follows from
    it. `persona` answers ("": the default persona of the router).
    """

    cron: str
    channel: str
    prompt: str
    time_zone: str = "UTC"
    persona: str = ""


class HookKind(StrEnum):
    """Who delivers to a hook, which says how a delivery is proven and where its event and branch stand."""

    GITHUB = "github"
    GITLAB = "gitlab"
    JSON = "json"


class HookProof(StrEnum):
    """How a delivery of `kind: json` shows that its sender knows the secret: it brings it along, or signs with it."""

    BEARER = "bearer"
    HMAC = "hmac"


class WebhookSettings(Section):
    """`webhooks.NAME`: what another service delivers to `/hooks/NAME` asks the team.

    `prompt` may name fields of the delivery, as `{{ pull_request.title }}`. `events`, `branches` and `senders` (who did
    it) say which deliveries are wanted (none named: all of them). The secret stands in secrets.env
    (`MAMA_WEBHOOKS__NAME__SECRET`). Of `kind: json` only: `proof`, the header with the signature or the delivery's id,
    the fields of the filters.
    """

    kind: HookKind
    channel: str
    prompt: str
    persona: str = ""
    secret: SecretStr | None = None
    events: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    senders: tuple[str, ...] = ()
    per_hour: Count = 30
    max_kilobytes: Annotated[Whole, Field(ge=1, le=LARGEST_KILOBYTES)] = 1024
    proof: HookProof = HookProof.BEARER
    signature_header: str = "X-Signature-256"
    delivery_header: str = ""
    event_field: str = ""
    branch_field: str = ""
    sender_field: str = ""
