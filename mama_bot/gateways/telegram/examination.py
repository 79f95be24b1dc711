"""What `mama-bot doctor` finds out about the bots: asked once, nothing is changed."""

from collections.abc import Sequence

import structlog
from telegram import User
from telegram.error import TelegramError

from mama_bot.config import TelegramSettings
from mama_bot.gateways.telegram.accounts import TelegramAccount, accounts_of
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused
from mama_bot.gateways.telegram.trouble import meaning
from mama_bot.model import Examination
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

_PENDING = 100


async def examine_telegram(settings: TelegramSettings, *, timing: Timing | None = None) -> Sequence[Examination]:
    """Findings about each bot: token, privacy mode, webhook, what waits; raises nothing.

    It never polls: that would cut off whoever polls now, which may be the service.
    """
    timing = timing or Timing()
    findings = list[Examination]()
    for account in accounts_of(settings, timing).all:
        await account.client.connect()
        try:
            findings += await _examined(account, timing)
        finally:
            await account.client.disconnect()
    return findings


async def _examined(account: TelegramAccount, timing: Timing) -> list[Examination]:
    subject = f"telegram bot of {account.persona}" if account.persona else "telegram bot"
    try:
        user = await account.client.get_me()
    except TelegramError as error:
        reason, _ = meaning(error, persona=account.persona, failures=1, timing=timing)
        sentence = reason.to(Language.ENGLISH)
        outcome = str(error) if isinstance(error, TelegramRefused) else sentence
        remedy = sentence if isinstance(error, TelegramRefused) else "Check the network and telegram.api_url."
        return [Examination(subject=subject, ok=False, outcome=outcome, remedy=remedy)]
    findings = [Examination(subject=subject, ok=True, outcome=f"the token is that of @{user.username}")]
    findings.append(_privacy(subject, user))
    try:
        webhook = await account.client.get_webhook_info()
    except TelegramError as error:
        log.info("webhook_not_examined", reason=str(error))
        return findings
    if webhook.url:
        findings.append(
            Examination(
                subject=f"{subject}: webhook",
                ok=False,
                outcome="a webhook is set, so that polls are refused",
                remedy="The service takes it off when it starts; make sure that nothing else needs it.",
            )
        )
    findings.append(_waiting(subject, webhook.pending_update_count))
    return findings


def _privacy(subject: str, user: User) -> Examination:
    if user.can_read_all_group_messages:
        outcome = "off: in groups the bot is told of every message"
        return Examination(subject=f"{subject}: privacy mode", ok=True, outcome=outcome)
    return Examination(
        subject=f"{subject}: privacy mode",
        ok=True,
        outcome="on: in groups the bot is told of commands, mentions and replies to it alone",
        remedy=(
            "To let it follow whole topics: @BotFather, /setprivacy, choose the bot, Disable; "
            "then remove it from each group and add it again (or make it an administrator)."
        ),
    )


def _waiting(subject: str, count: int) -> Examination:
    name = f"{subject}: updates that wait"
    if count < _PENDING:
        return Examination(subject=name, ok=True, outcome=str(count))
    remedy = "Start the service: it takes them in order. Telegram forgets updates after a day."
    return Examination(subject=name, ok=False, outcome=str(count), remedy=remedy)
