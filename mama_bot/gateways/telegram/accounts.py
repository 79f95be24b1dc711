"""The bots of the gateway: one for the team, and one for each persona that has a token of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.config import TelegramSettings
from mama_bot.gateways.telegram.addressing import KnownBot
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import BotClient
from mama_bot.model import ConversationKey, MessageId, Platform, written_id

TELEGRAM = Platform("telegram")


@dataclass(slots=True, eq=False)
class TelegramAccount:
    """A bot; `persona` is "" for that of the team. Its id and name are known once it was asked who it is."""

    persona: str
    client: BotClient
    id: int = 0
    username: str = ""

    @property
    def known(self) -> KnownBot:
        """As messages name it."""
        return KnownBot(self.id, self.username, self.persona)


class TelegramAccounts:
    """All of them; the main one first."""

    def __init__(self, accounts: Sequence[TelegramAccount]) -> None:
        self.all = tuple(accounts)
        self.main = self.all[0]
        self._of_persona = {account.persona: account for account in self.all if account.persona}

    def known(self) -> list[KnownBot]:
        """Return those whose names are known."""
        return [account.known for account in self.all if account.id]

    def ours(self, user_id: int) -> bool:
        """Return whether a user is one of our bots."""
        return any(account.id == user_id for account in self.all)

    def of_chat(self, key: ConversationKey) -> TelegramAccount:
        """Return the bot that a conversation is with: in private each bot has a chat of its own with a person."""
        return self._of_persona.get(key.thread, self.main)

    def speaking(self, key: ConversationKey, persona: str) -> TelegramAccount:
        """Return the bot that speaks for a persona: its own in groups, where all of them can be."""
        if not key.channel.startswith("-"):
            return self.of_chat(key)
        return self._of_persona.get(persona, self.main)


def accounts_of(settings: TelegramSettings, timing: Timing) -> TelegramAccounts:
    """Return the bots whose tokens are set; raises ValueError when that of the team is not."""
    if settings.token is None:
        raise ValueError("telegram.token is not set")
    tokens = {"": settings.token, **settings.persona_tokens}
    return TelegramAccounts(
        [
            TelegramAccount(
                persona=persona,
                client=BotClient(
                    token.get_secret_value(),
                    api_url=settings.api_url,
                    files_url=settings.files_url,
                    call_seconds=timing.call,
                ),
            )
            for persona, token in tokens.items()
        ]
    )


def counted_number(message_id: MessageId, account: TelegramAccount) -> int:
    """Return the number of a message as a bot counts it; 0 where another bot counted, and for any other message."""
    pieces = written_id(message_id).split(":")
    if len(pieces) not in {3, 4} or pieces[0] != TELEGRAM or not pieces[-1].isdecimal():
        return 0
    return int(pieces[-1]) if len(pieces) == 3 or pieces[1] == str(account.id) else 0


def thread_of(key: ConversationKey) -> int:
    """Return the forum topic of a conversation; 0 where it has none."""
    return int(key.thread) if key.thread.isdecimal() and key.thread.isascii() else 0
