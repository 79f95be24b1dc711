"""Commands and pressed buttons: asked of the core, answered to the one who asked."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from slack_sdk.webhook.async_client import AsyncWebhookClient

from mama_bot.config import SlackSettings
from mama_bot.config.platform_settings import Threads
from mama_bot.gateways.chat.arrivals import answer_to
from mama_bot.gateways.chat.command_forms import (
    Button,
    loses_buttons,
    offered_buttons,
    parse_button,
    parse_command,
    read_thread,
)
from mama_bot.gateways.chat.markdown.posts import short_message
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.blocks import Block, blocks_of
from mama_bot.gateways.slack.calls import CALL_SECONDS, TROUBLE, quiet, reason_of
from mama_bot.gateways.slack.constants import PLATFORM
from mama_bot.gateways.slack.dialect import DIALECT
from mama_bot.gateways.slack.people import People
from mama_bot.gateways.slack.places import is_direct, origin_of
from mama_bot.gateways.slack.threads import SlackThreads
from mama_bot.gateways.slack.wire import Pressed, Slashed, Written
from mama_bot.metrics import Metrics
from mama_bot.model import Answer, Author, Command, CommandName, ConversationKey, PostId
from mama_bot.protocols import Inlet
from mama_bot.wording import Language, language_of

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What is said, in Slack's markup; `blocks` show the same with its buttons, where it has any."""

    text: str
    blocks: Sequence[Block]

    @property
    def body(self) -> dict[str, object]:
        """The fields of a message."""
        return {"text": self.text} | ({"blocks": self.blocks} if self.blocks else {})


class SlackAnswers:
    """Each method ends when the person has the answer, or no way of telling it is left."""

    def __init__(
        self,
        *,
        settings: SlackSettings,
        accounts: SlackAccounts,
        people: People,
        threads: SlackThreads,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._accounts = accounts
        self._people = people
        self._threads = threads
        self._metrics = metrics

    def spoken_of(self, channel: str) -> ConversationKey:
        """Return the conversation that a command from a channel is about: Slack has no commands within threads.

        Where each task has a thread of its own it is the one in which something was written last.
        """
        keep = is_direct(channel) or self._settings.threads is Threads.KEEP
        return ConversationKey(PLATFORM, channel, "" if keep else self._threads.latest(channel))

    async def slash(self, event: Slashed, inlet: Inlet) -> None:
        """Answer a slash command."""
        name, argument = _asked(event)
        thread = ConversationKey(PLATFORM, event.channel, event.thread)
        command = Command(
            name=name,
            key=thread if event.thread else self.spoken_of(event.channel),
            author=await self._author(event.user, event.name),
            origin=origin_of(event.team, event.channel, direct=is_direct(event.channel)),
            argument=argument,
            language=language_of(event.text),
        )
        answer = await answer_to(inlet, command, self._metrics)
        await self._show(event, command, answer)

    async def press(self, event: Pressed, inlet: Inlet) -> None:
        """Answer a pressed button; one that decided something is taken away."""
        button = parse_button(event.action)
        if button is None:
            log.info("slack_button_not_known", action=event.action[:80])
            return
        name, argument = button
        thread, argument = read_thread(argument)
        command = Command(
            name=name,
            key=ConversationKey(PLATFORM, event.channel, thread or event.thread),
            author=await self._author(event.user, event.name),
            origin=origin_of(event.team, event.channel, direct=is_direct(event.channel), guest_of=event.guest_of),
            argument=argument,
            platform_id=event.ts,
            post_id=PostId(event.post) if event.post else None,
            language=language_of(event.text),
        )
        answer = await answer_to(inlet, command, self._metrics)
        if loses_buttons(name, argument) and answer.done and event.text:
            await self._take_buttons_away(event)
        await self._show(event, command, answer)

    async def tell(self, event: Written, markdown: str, buttons: Sequence[Button] = ()) -> None:
        """Say something to the author of a message alone, or where nobody else reads along."""
        if not markdown:
            return
        told = _told(markdown, buttons, language_of(event.text))
        if event.direct:
            await self._post(event.channel, event.thread, told)
        elif not await self._ephemeral(event.channel, event.thread, event.user, told):
            await self._post(event.channel, event.thread or event.ts, told)

    async def _author(self, user: str, name: str) -> Author:
        known = await self._people.name(user)
        return Author(id=user, name=name or user if known == user else known)

    async def _show(self, event: Slashed | Pressed, command: Command, answer: Answer) -> None:
        if not answer.text:
            return
        elsewhere = command.key.thread if command.key.thread != event.thread else ""
        told = _told(answer.text, offered_buttons(answer, thread=elsewhere), command.language)
        if await self._respond(event.response_url, event.thread, told):
            return
        if not await self._ephemeral(event.channel, event.thread, event.user, told):
            await self._post(event.channel, event.thread, told)

    async def _respond(self, url: str, thread: str, told: _Told) -> bool:
        """Answer by a response URL (good for half an hour and five answers)."""
        if not url.startswith(("https://", "http://")):
            return False
        webhook = AsyncWebhookClient(
            url, timeout=CALL_SECONDS, session=self._accounts.session, logger=quiet, retry_handlers=[]
        )
        body: dict[str, object] = {"response_type": "ephemeral", "replace_original": False, **told.body}
        try:
            answer = await webhook.send_dict(body | ({"thread_ts": thread} if thread else {}))
        except TROUBLE as error:
            log.info("slack_response_url_failed", reason=reason_of(error))
            return False
        if answer.status_code != 200:
            log.info("slack_response_url_failed", reason=f"HTTP status {answer.status_code}: {answer.body[:80]}")
        return answer.status_code == 200

    async def _ephemeral(self, channel: str, thread: str, user: str, told: _Told) -> bool:
        try:
            await self._accounts.client(posting=True).chat_postEphemeral(
                channel=channel, user=user, text=told.text, blocks=told.blocks or None, thread_ts=thread or None
            )
        except TROUBLE as error:
            log.info("slack_ephemeral_failed", channel=channel, reason=reason_of(error))
            return False
        return True

    async def _post(self, channel: str, thread: str, told: _Told) -> None:
        try:
            await self._accounts.client(posting=True).chat_postMessage(
                channel=channel,
                text=told.text,
                blocks=told.blocks or None,
                thread_ts=thread or None,
                unfurl_links=False,
                unfurl_media=False,
            )
        except TROUBLE as error:
            self._metrics.count("chat_lines_not_told", platform=PLATFORM)
            log.warning("line_not_told", channel=channel, reason=reason_of(error))

    async def _take_buttons_away(self, event: Pressed) -> None:
        try:
            await self._accounts.client(posting=True).chat_update(
                channel=event.channel, ts=event.ts, text=event.text, blocks=[]
            )
        except TROUBLE as error:
            log.info("slack_buttons_stay", reason=reason_of(error))


def _told(markdown: str, buttons: Sequence[Button], language: Language) -> _Told:
    marked, _ = short_message(markdown, DIALECT)
    return _Told(text=marked, blocks=blocks_of(marked, buttons, language))


def _asked(event: Slashed) -> tuple[CommandName, str]:
    """`/mama status …`, `/agents …`; help for anything else, with what was asked for."""
    for text in (f"{event.command} {event.text}", f"/{event.text.strip()}"):
        first, space, rest = text.partition(" ")
        if (command := parse_command(f"{first.lower()}{space}{rest}")) is not None:
            return command
    asked = event.text.strip()
    return CommandName.HELP, f"/{asked.removeprefix('/')}" if asked else ""
