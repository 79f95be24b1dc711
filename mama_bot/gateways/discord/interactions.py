"""Commands of the platform's menu and pressed buttons: answered within Discord's three seconds, seen by one person."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence

import structlog

from mama_bot.gateways.chat.arrivals import answer_to
from mama_bot.gateways.chat.command_forms import Button, offered_buttons, parse_button, parse_command, read_thread
from mama_bot.gateways.discord.forms import HIDDEN, NOBODY, NOTHING_TO_SEE, button_row, service_messages
from mama_bot.gateways.discord.places import PLATFORM, DiscordPlaces, key_in_place
from mama_bot.gateways.discord.rest import Closed, DiscordRefused, Limited, Rest, Unreachable
from mama_bot.gateways.discord.wire import BUTTON, COMMAND, DiscordPlace, Interaction
from mama_bot.metrics import Metrics
from mama_bot.model import (
    ARGUMENTS,
    DESCRIPTIONS,
    Author,
    AuthorKind,
    Command,
    CommandName,
    ConversationKey,
    Origin,
)
from mama_bot.protocols import GatewayState, Inlet
from mama_bot.wording import Language, Said

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 60.0
DEFER_SECONDS = 1.5
_MESSAGE, _DEFERRED, _DEFERRED_UPDATE = 4, 5, 6
_STRING = 3
_OPTIONS: Mapping[CommandName, str] = {
    CommandName.USAGE: "days",
    CommandName.BUDGET: "cap",
    CommandName.RECEIPT: "number",
    CommandName.REPORT: "note",
    CommandName.HELP: "command",
    CommandName.REPO: "name",
    CommandName.WORKFLOW: "name",
    CommandName.PR: "title",
}
_REGISTERED = "commands"


class Interactions:
    """Answers outside any queue; a button carries all that it needs, so it outlives the service."""

    def __init__(
        self,
        *,
        rest: Rest,
        places: DiscordPlaces,
        state: GatewayState,
        metrics: Metrics,
        defer_seconds: float = DEFER_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._rest = rest
        self._places = places
        self._state = state
        self._metrics = metrics
        self._defer_seconds = defer_seconds
        self._answer_seconds = answer_seconds

    async def answer(self, inlet: Inlet, interaction: Interaction) -> None:
        """Carry out what was asked, and say what it led to; trouble is logged."""
        command = await self._command(interaction)
        if command is None:
            log.info("interaction_not_ours", name=interaction.name[:100])
            return
        try:
            async with asyncio.timeout(self._answer_seconds):
                await self._carry_out(inlet, interaction, command)
        except* (DiscordRefused, Limited, Unreachable, Closed, TimeoutError) as errors:
            self._metrics.count("chat_answers_lost", platform=PLATFORM)
            reason = "; ".join(str(error) or type(error).__name__ for error in errors.exceptions)
            log.warning("answer_not_shown", command=command.name.value, reason=reason)

    async def _carry_out(self, inlet: Inlet, interaction: Interaction, command: Command) -> None:
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(answer_to(inlet, command, self._metrics))
            await asyncio.wait([asked], timeout=self._defer_seconds)
            deferred = not asked.done()
            if deferred:
                await self._call_back(interaction, {"type": _DEFERRED, "data": {"flags": HIDDEN}})
            answer = await asked
        text = answer.text
        if not text and not deferred:
            if interaction.kind == BUTTON:
                await self._call_back(interaction, {"type": _DEFERRED_UPDATE})
            return
        lines = service_messages(text) if text else [NOTHING_TO_SEE]
        elsewhere = command.key.thread if command.key != key_in_place(interaction.place) else ""
        rows = _rows(offered_buttons(answer, thread=elsewhere), command.language)
        bodies = [_body(line, rows if number == len(lines) else []) for number, line in enumerate(lines, start=1)]
        first, *more = bodies
        if deferred:
            path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
            await self._follow("PATCH", path, interaction, first)
        else:
            await self._call_back(interaction, {"type": _MESSAGE, "data": first})
        for body in more:
            await self._follow("POST", "/webhooks/{webhook_id}/{webhook_token}", interaction, body)

    async def _call_back(self, interaction: Interaction, body: Mapping[str, object]) -> None:
        path = "/interactions/{webhook_id}/{webhook_token}/callback"
        params = {"with_response": "1"}
        await self._rest.request(
            "POST", path, body=body, params=params, webhook_id=interaction.id, webhook_token=interaction.token
        )

    async def _follow(self, method: str, path: str, interaction: Interaction, body: Mapping[str, object]) -> None:
        application, token = interaction.application, interaction.token
        await self._rest.request(method, path, body=body, webhook_id=application, webhook_token=token)

    async def _command(self, interaction: Interaction) -> Command | None:
        place = await self._whole(interaction.place)
        key = key_in_place(place)
        argument = interaction.argument
        if interaction.kind == COMMAND:
            given = parse_command(f"/{interaction.name}")
            if given is None:
                return None
            name, _ = given
        else:
            pressed = parse_button(interaction.name)
            if pressed is None:
                return None
            name, argument = pressed
            thread, argument = read_thread(argument)
            if thread:
                key = ConversationKey(PLATFORM, key.channel, thread)
        kind = AuthorKind.BOT if interaction.author.bot else AuthorKind.PERSON
        return Command(
            name=name,
            key=key,
            author=Author(id=interaction.author.id, name=interaction.author.name, kind=kind),
            origin=Origin(workspace=place.guild, channel=key.channel, direct=place.direct, roles=interaction.roles),
            argument=argument,
            platform_id=interaction.message,
            language=interaction.language,
        )

    async def _whole(self, place: DiscordPlace) -> DiscordPlace:
        """Return a place with its parent: an interaction may name a thread by its id alone."""
        known = self._places.known(place.id)
        if known is not None or place.direct or place.parent:
            return known or place
        try:
            return await self._places.of(place.id) or place
        except (Limited, Unreachable, Closed):
            return place

    async def register(self, application: str) -> None:
        """Put the commands into the platform's menu when they changed; raises as `Rest.request` or StoreUnavailable."""
        listed = [_registered(name) for name in DESCRIPTIONS]
        digest = hashlib.sha256(json.dumps([application, listed], ensure_ascii=False).encode()).hexdigest()
        if await self._state.get(_REGISTERED) == digest:
            return
        path = "/applications/{application_id}/commands"
        await self._rest.request("PUT", path, body=listed, application_id=application)
        await self._state.put({_REGISTERED: digest})
        log.info("commands_registered", platform=PLATFORM, commands=len(listed))


def _registered(name: CommandName) -> dict[str, object]:
    command: dict[str, object] = {
        "name": name.value,
        "type": 1,
        **_described(DESCRIPTIONS[name]),
    }
    if name in ARGUMENTS:
        option = {"type": _STRING, "name": _OPTIONS.get(name, "text"), **_described(ARGUMENTS[name])}
        command["options"] = [{**option, "required": False}]
    return command


def _described(about: Said) -> dict[str, object]:
    """Return a description as Discord takes it, with those of the other languages beside the English one."""
    others = {language.value: about.to(language) for language in Language if language is not Language.ENGLISH}
    return {"description": about.to(Language.ENGLISH), "description_localizations": others}


def _body(text: str, rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    body: dict[str, object] = {"content": text, "flags": HIDDEN, "allowed_mentions": NOBODY}
    return body | ({"components": [*rows]} if rows else {})


def _rows(buttons: Sequence[Button], language: Language) -> Sequence[Mapping[str, object]]:
    return [button_row(buttons, language)] if buttons else []
