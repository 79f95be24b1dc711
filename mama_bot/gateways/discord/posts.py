"""Posts on their way to Discord: each persona by its own bot, a webhook, or the bot with its name above."""

import hashlib
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import structlog

from mama_bot.errors import DeliveryFailed, DeliveryUnknown, StoreUnavailable
from mama_bot.gateways.chat.command_forms import buttons_under
from mama_bot.gateways.chat.markdown.posts import settled_part
from mama_bot.gateways.chat.sentences import DUPLICATE, FILE_LEFT_OUT
from mama_bot.gateways.discord.dialect import DIALECT
from mama_bot.gateways.discord.forms import (
    MAX_CONTENT,
    NOBODY,
    NOTHING_TO_SEE,
    Form,
    button_row,
    header_of,
    nonce_of,
    platform_id_of,
    same_post,
    upload_of,
    username_of,
)
from mama_bot.gateways.discord.places import PLATFORM, DiscordPlaces, snowflake_of
from mama_bot.gateways.discord.rest import Closed, DiscordRefused, Limited, Rest, Unreachable, Upload
from mama_bot.gateways.discord.threads import DiscordThreads, Target
from mama_bot.gateways.discord.webhooks import Webhook, Webhooks
from mama_bot.gateways.discord.wire import DiscordMessage, messages_of, optional_id
from mama_bot.metrics import Metrics
from mama_bot.model import MessageId, Notice, Part, Post, Reply, language_of_post
from mama_bot.recent import Recent
from mama_bot.wording import language_of

R = TypeVar("R")
log = structlog.get_logger(__name__)

ARCHIVED, UNKNOWN_WEBHOOK, BAD_WEBHOOK_TOKEN, INVALID_FORM, TOO_LARGE = 50083, 10015, 50027, 50035, 40005
IN_ROW = 5  # so many buttons Discord shows side by side
EMPTY_MESSAGE, UNKNOWN_CHANNEL, UNNAMED = 50006, 10003, 0
NOT_BY_WEBHOOK = frozenset({401, 403, 404, 405})
NOT_FOR_GOOD = frozenset({401, 408, 425, 429})
FIND_PAGES = 2
PAGE = 100
MAX_REMEMBERED = 2000


class DiscordOutbound:
    """Posts parts, and looks for those that an earlier attempt may have left."""

    def __init__(
        self,
        *,
        rest: Rest,
        personas: Mapping[str, Rest],
        places: DiscordPlaces,
        threads: DiscordThreads,
        webhooks: Webhooks,
        metrics: Metrics,
    ) -> None:
        self._rest = rest
        self._personas = personas
        self._places = places
        self._threads = threads
        self._webhooks = webhooks
        self._metrics = metrics
        self._posted: Recent[str, tuple[str, int]] = Recent(MAX_REMEMBERED)

    async def send(self, post: Post, part: Part, *, repeated: bool) -> str:
        """See Gateway.post."""
        platform_id = await _as_delivery(self._post(post, part, repeated=repeated))
        self._posted[platform_id] = (post.id, part.index)
        return platform_id

    def is_ours(self, platform_id: str) -> bool:
        """Return whether a message was posted by us lately."""
        return platform_id in self._posted

    async def _post(self, post: Post, part: Part, *, repeated: bool) -> str:
        target = await _beforehand(self._threads.target(post.key))
        form = await self._form(post, part, target)
        above = DUPLICATE.to(language_of(part.plain)) if repeated else ""
        try:
            return await self._send(post, target, form, above)
        except DiscordRefused as refused:
            if refused.code == ARCHIVED and target.thread:
                await self._threads.unarchive(target.thread)
                return await self._send(post, target, form, above)
            plainer = await self._plainer(refused, part, form)
            if plainer is None:
                raise
            return await self._send_plainer(post, target, plainer, above)

    async def _send_plainer(self, post: Post, target: Target, form: Form, above: str) -> str:
        try:
            return await self._send(post, target, form, above)
        except DiscordRefused as refused:
            if refused.status != 400 or not form.buttons:
                raise
            log.warning("buttons_refused", reason=str(refused))
            self._metrics.count("discord_buttons_refused")
            return await self._send(post, target, form.without_buttons(), above)

    async def _plainer(self, refused: DiscordRefused, part: Part, form: Form) -> Form | None:
        """Return the form without what Discord did not like; None where that cannot be the reason."""
        if form.files and (refused.code == TOO_LARGE or refused.status == 413):
            return form.without_files(self._file_left_out(part, form.files[0].name, str(refused), form.text))
        if refused.code == EMPTY_MESSAGE:
            return form.plain(NOTHING_TO_SEE)
        if refused.status == 400 and refused.code in {UNNAMED, INVALID_FORM}:
            log.warning("markup_refused", reason=str(refused))
            self._metrics.count("discord_markup_refused")
            return form.plain(part.plain)
        return None

    def _file_left_out(self, part: Part, name: str, reason: str, text: str) -> str:
        """Return the text with a line about a file that does not go out."""
        log.warning("file_not_posted", name=name, reason=reason)
        self._metrics.count("discord_files_refused")
        line = FILE_LEFT_OUT.to(language_of(part.plain), name=name, reason=reason)
        return f"{text}\n{line}".strip()[:MAX_CONTENT]

    async def _form(self, post: Post, part: Part, target: Target) -> Form:
        text = part.text
        files: tuple[Upload, ...] = ()
        if part.file is not None:
            try:
                files = (await upload_of(part.file),)
            except OSError as error:
                text = self._file_left_out(part, part.file.name, error.strerror or str(error), text)
        return Form(
            text=text,
            nonce=nonce_of(post, part),
            buttons=tuple(_buttons(post, part, target)),
            files=files,
            answers=_answered(post, part, target),
            first=part.index == 0,
        )

    async def _send(self, post: Post, target: Target, form: Form, above: str) -> str:
        """By whoever can speak for the author of a post."""
        if not isinstance(post, Reply):
            return await self._by_bot(self._rest, target, form, above)
        if await self._is_direct(target):
            return await self._for_persona(post, target, form, above)
        own = self._personas.get(post.persona)
        if own is not None:
            try:
                # A pressed button is told to the bot under whose message it stands, and only the main one listens.
                return await self._by_bot(own, target, form.without_buttons(), above)
            except DiscordRefused as refused:
                if refused.status not in {401, 403, 404}:
                    raise
                self._metrics.count("discord_persona_bots_refused", persona=post.persona)
                log.warning("persona_bot_refused", persona=post.persona, channel=target.place, reason=str(refused))
        sent = await self._by_webhook(post, target, form, above)
        return sent or await self._for_persona(post, target, form, above)

    async def _is_direct(self, target: Target) -> bool:
        if target.thread:
            return False
        place = await _beforehand(self._places.of(target.channel))
        return place is not None and place.direct

    async def _for_persona(self, post: Reply, target: Target, form: Form, above: str) -> str:
        name = header_of(post) if form.first else ""
        return await self._by_bot(self._rest, target, form, "\n".join(filter(None, (name, above))))

    async def _by_bot(self, rest: Rest, target: Target, form: Form, above: str) -> str:
        text = "\n".join(filter(None, (above, form.text)))
        if above and len(text) > MAX_CONTENT:
            # What stands above has no room beside it: a line of its own, whose nonce keeps it from coming twice.
            await self._create(rest, target, form.line_above(above).body_of_bot(above))
            text = form.text
        return platform_id_of(await self._create(rest, target, form.body_of_bot(text), form.files))

    async def _create(self, rest: Rest, target: Target, body: object, files: tuple[Upload, ...] = ()) -> Any:
        path = "/channels/{channel_id}/messages"
        return await rest.request("POST", path, body=body, files=files, channel_id=target.place)

    async def _by_webhook(self, post: Reply, target: Target, form: Form, above: str) -> str | None:
        """Return the id of the message that a webhook posted; None where the bot may not use webhooks."""
        text = "\n".join(filter(None, (above, form.text)))
        if above and len(text) > MAX_CONTENT:
            await self._create(self._rest, target, form.line_above(above).body_of_bot(above))
            text = form.text
        body = form.body_of_webhook(text, username_of(post.display_name), post.avatar)
        params = {"wait": "true", "with_components": "true"}
        if target.thread:
            params["thread_id"] = target.thread
        for _ in range(2):
            webhook = await _beforehand(self._webhooks.of(target.channel))
            if webhook is None:
                return None
            try:
                raw = await self._rest.request(
                    "POST",
                    "/webhooks/{webhook_id}/{webhook_token}",
                    body=body,
                    files=form.files,
                    params=params,
                    webhook_id=webhook.id,
                    webhook_token=webhook.token,
                )
                if not _is_elsewhere(raw, target):
                    return platform_id_of(raw)
                await self._take_back(webhook, platform_id_of(raw), target)
            except DiscordRefused as refused:
                if refused.code not in {UNKNOWN_WEBHOOK, BAD_WEBHOOK_TOKEN}:
                    if refused.status not in NOT_BY_WEBHOOK:
                        raise
                    log.warning("webhook_not_allowed", channel=target.channel, reason=str(refused))
                    self._metrics.count("discord_webhook_posts_refused")
                    return None
                log.warning("webhook_gone", channel=target.channel)
                self._metrics.count("discord_webhooks_gone")
                await self._webhooks.forget(target.channel)
        return None

    async def _take_back(self, webhook: Webhook, platform_id: str, target: Target) -> None:
        """A webhook was moved to another channel: what it posted there was not meant for who reads there."""
        log.error("webhook_moved", channel=target.channel, message=platform_id)
        self._metrics.count("discord_webhooks_moved")
        await self._webhooks.forget(target.channel)
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"
        try:
            await self._rest.request(
                "DELETE", path, webhook_id=webhook.id, webhook_token=webhook.token, message_id=platform_id
            )
        except (DiscordRefused, Limited, Unreachable) as error:
            log.warning("misplaced_post_stays", channel=target.channel, message=platform_id, reason=str(error))

    async def find(self, post: Post, part: Part) -> str | None:
        """See Gateway.find."""
        if await _as_delivery(self._threads.pending(post.key)):
            return None
        target = await _as_delivery(self._threads.target(post.key))
        since = int(_number(post))
        before = ""
        for _ in range(FIND_PAGES):
            page = await self._page(target, before)
            for message in page:
                if int(message.id) > since and self._is_part(message, post, part):
                    self._posted[message.id] = (post.id, part.index)
                    return message.id
            if not page or int(page[-1].id) <= since:
                return None
            before = page[-1].id
        return None

    def _is_part(self, message: DiscordMessage, post: Post, part: Part) -> bool:
        mine = self._posted.get(message.id)
        if mine is not None:
            return mine == (post.id, part.index)
        bots = {self._rest.user, *(rest.user for rest in self._personas.values())} - {""}
        return same_post(message, post, part, bots=bots, webhooks=self._webhooks.ids)

    async def _page(self, target: Target, before: str) -> list[DiscordMessage]:
        """Return messages, the newest first; nothing of a channel that is gone."""
        params = {"limit": str(PAGE)} | ({"before": before} if before else {})
        path = "/channels/{channel_id}/messages"
        await self._webhooks.load()
        try:
            for rest in (self._rest, *self._personas.values()):
                await _known(rest)
            listed = await self._rest.request("GET", path, params=params, channel_id=target.place)
        except DiscordRefused as refused:
            if refused.code == UNKNOWN_CHANNEL:
                return []
            reason = f"channel {target.place} cannot be read: {refused}"
            raise DeliveryUnknown(platform=PLATFORM, reason=reason) from refused
        except (Limited, Unreachable, Closed) as error:
            reason = f"its history could not be read ({error})"
            raise DeliveryFailed(platform=PLATFORM, reason=reason) from error
        return list(reversed(messages_of(listed)))

    async def settle(self, question: Notice, answer: Notice, platform_id: str) -> bool:
        """See Gateway.settle."""
        target = await _as_delivery(self._threads.target(question.key))
        text = settled_part(question, answer, DIALECT).text
        body = {"content": text[:MAX_CONTENT], "components": [], "allowed_mentions": NOBODY}
        path = "/channels/{channel_id}/messages/{message_id}"
        await _as_delivery(
            self._rest.request("PATCH", path, body=body, channel_id=target.place, message_id=platform_id)
        )
        return True

    async def offer(self, post: Post, ids: Mapping[int, str], *, undone: bool) -> None:
        """See Gateway.offer; what a persona's own bot posted has no buttons."""
        target = await _as_delivery(self._threads.target(post.key))
        is_direct = await _as_delivery(self._is_direct(target))
        if isinstance(post, Reply) and not is_direct and post.persona in self._personas:
            return
        body = {"components": _rows(post, target, undone=undone), "allowed_mentions": NOBODY}
        await _as_delivery(self._put(post, target, ids[max(ids)], body, is_direct=is_direct))

    async def _put(
        self, post: Post, target: Target, platform_id: str, body: Mapping[str, object], *, is_direct: bool
    ) -> None:
        """Edit a message by whoever posted it: the webhook, or the bot itself."""
        webhook = await self._webhooks.of(target.channel) if isinstance(post, Reply) and not is_direct else None
        if webhook is not None:
            path = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"
            params = {"with_components": "true"} | ({"thread_id": target.thread} if target.thread else {})
            try:
                await self._rest.request(
                    "PATCH",
                    path,
                    body=body,
                    params=params,
                    webhook_id=webhook.id,
                    webhook_token=webhook.token,
                    message_id=platform_id,
                )
            except DiscordRefused as refused:
                if refused.status not in NOT_BY_WEBHOOK:
                    raise
            else:
                return
        path = "/channels/{channel_id}/messages/{message_id}"
        await self._rest.request("PATCH", path, body=body, channel_id=target.place, message_id=platform_id)

    async def say(self, channel: str, text: str, *, answers: str, buttons: tuple[dict[str, object], ...] = ()) -> None:
        """Post a line by the bot itself; raises as `Rest.request`."""
        digest = hashlib.sha256(f"{channel}/{answers}/{text}".encode()).hexdigest()
        form = Form(text=text, nonce=digest[:24], answers=answers, buttons=buttons)
        raw = await self._create(self._rest, Target(channel=channel), form.body_of_bot(text[:MAX_CONTENT]))
        self._posted[platform_id_of(raw)] = ("", 0)


def _answered(post: Post, part: Part, target: Target) -> str:
    """Return the message that a part refers to: it must stand in the same channel."""
    answers = _number(post)
    return "" if part.index or answers == "0" or answers == target.thread else answers


def _is_elsewhere(raw: object, target: Target) -> bool:
    """Whether a message that Discord has taken stands in another channel; where it does not say, it does not."""
    where = optional_id(raw.get("channel_id")) if isinstance(raw, dict) else ""
    return where not in {"", target.channel, target.thread}


def _number(post: Post) -> str:
    return snowflake_of(post.answers or MessageId(""))


def _buttons(post: Post, part: Part, target: Target) -> list[dict[str, object]]:
    return _rows(post, target) if part.last else []


def _rows(post: Post, target: Target, *, undone: bool = False) -> list[dict[str, object]]:
    buttons = buttons_under(post, undone=undone)
    if target.instead:
        # The thread could not be opened: what is asked in the channel is about its conversation.
        where = f"thread-{post.key.thread}"
        buttons = tuple(button if button.argument else replace(button, argument=where) for button in buttons)
    language = language_of_post(post)
    return [button_row(buttons[first : first + IN_ROW], language) for first in range(0, len(buttons), IN_ROW)]


async def _known(rest: Rest) -> None:
    """Learn whose token it is; one that is not valid has posted nothing lately."""
    try:
        await rest.whoami()
    except DiscordRefused as refused:
        if refused.status != 401:
            raise


async def _beforehand(call: Awaitable[R]) -> R:
    """Return what a call before the post itself returns: whatever becomes of it, nothing was posted."""
    try:
        return await call
    except Unreachable as error:
        raise Unreachable(str(error), sent=False) from error


async def _as_delivery(call: Awaitable[R]) -> R:
    """Return what a call returns, its errors raised as errors of delivery."""
    try:
        return await call
    except Limited as limited:
        raise DeliveryFailed(platform=PLATFORM, reason=str(limited), retry_after_seconds=limited.seconds) from limited
    except DiscordRefused as refused:
        permanent = 400 <= refused.status < 500 and refused.status not in NOT_FOR_GOOD
        raise DeliveryFailed(platform=PLATFORM, reason=str(refused), permanent=permanent) from refused
    except Unreachable as error:
        if error.sent:
            raise DeliveryUnknown(platform=PLATFORM, reason=str(error)) from error
        raise DeliveryFailed(platform=PLATFORM, reason=str(error)) from error
    except (Closed, StoreUnavailable) as error:
        raise DeliveryFailed(platform=PLATFORM, reason=str(error)) from error
