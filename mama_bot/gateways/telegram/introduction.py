"""What a bot does before its first poll: it asks who it is, takes off an old webhook, and registers its commands."""

import hashlib
import json
from functools import partial

import structlog
from telegram import BotCommand
from telegram.error import TelegramError

from mama_bot.gateways.telegram.accounts import TelegramAccount
from mama_bot.model import DESCRIPTIONS
from mama_bot.protocols import GatewayState
from mama_bot.wording import Language

log = structlog.get_logger(__name__)


async def greet(account: TelegramAccount, state: GatewayState) -> None:
    """Get a bot ready to poll; raises what `getMe` raises, and StoreUnavailable."""
    user = await account.client.get_me()
    account.id, account.username = user.id, user.username or ""
    webhook = partial(account.client.delete_webhook, drop_pending_updates=False)
    for step in (webhook, partial(_register_commands, account, state)):
        try:
            await step()
        except TelegramError as error:
            log.warning("telegram_not_set_up", bot=account.username, reason=str(error))
    log.info("telegram_connected", bot=account.username, persona=account.persona)


async def _register_commands(account: TelegramAccount, state: GatewayState) -> None:
    # English stands for every language that has no menu of its own.
    wanted = {
        "" if language is Language.ENGLISH else language.value: [
            (name.value, about.to(language)) for name, about in DESCRIPTIONS.items()
        ]
        for language in Language
    }
    digest = hashlib.sha256(json.dumps(wanted).encode()).hexdigest()
    name = f"commands/{account.id}"
    if await state.get(name) == digest:
        return
    for language, commands in wanted.items():
        await account.client.set_my_commands(
            [BotCommand(command, text) for command, text in commands], language_code=language or None
        )
    await state.put({name: digest})
