"""Commands of personas in a chat: `/developer refactor FILE` becomes a request to that persona, or a sentence."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from mama_bot.errors import MessageRefused
from mama_bot.intake import menu_sentences as says
from mama_bot.intake.menu_arguments import MenuCall, given_values, mistyped, read_menu_call, workspace_file
from mama_bot.model import (
    AgentPersona,
    ArgumentKind,
    AuthorKind,
    ConversationKey,
    InboundMessage,
    MenuCommand,
    PersonaVariable,
)
from mama_bot.personas import find_mentions
from mama_bot.personas.written_menus import placeholders
from mama_bot.protocols import GatewayState
from mama_bot.similar_names import most_similar
from mama_bot.wording import Said, plain_name

log = structlog.get_logger(__name__)

ANSWERED_WITHIN = timedelta(hours=1)
MOST_CHARACTERS = 1_000
_QUESTION, _VALUE = "question/", "value/"


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuPlace:
    """The repository that a message is about, and the directory in which a persona works there (None: none yet)."""

    repository: str
    workspace: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What a person was asked before their command can begin."""

    variable: str
    text: str
    at: datetime
    given: Mapping[str, str] = field(default_factory=dict)


class PersonaMenus:
    """Reads the commands of personas in messages of people.

    Values come from the service itself (never overridden), then from the message, from what the person answered before,
    from the settings (`configured`), from the persona's default. `state` keeps questions and answers over restarts.
    """

    def __init__(
        self,
        *,
        personas: Mapping[str, AgentPersona],
        configured: Mapping[str, str],
        state: GatewayState,
        place_of: Callable[[AgentPersona, InboundMessage], Awaitable[MenuPlace]],
        changed_files: Callable[[ConversationKey], Awaitable[Sequence[str]]],
        now: Callable[[], datetime],
    ) -> None:
        self._personas = personas
        self._configured = configured
        self._state = state
        self._place_of = place_of
        self._changed_files = changed_files
        self._now = now

    def go_by(self, configured: Mapping[str, str]) -> None:
        """Take these variables from now on."""
        self._configured = configured

    async def read(self, message: InboundMessage) -> InboundMessage:
        """Return a message as the persona is asked that it names by a command; any other as it is.

        Raises MessageRefused with what is missing, or with the question that comes first.
        """
        if message.author.kind is not AuthorKind.PERSON or message.repeat is not None:
            return message
        if (called := await self._called(message)) is not None:
            return called
        question = await self._open_question(message)
        if question is None:
            return message
        call = read_menu_call(question.text, self._personas)
        if call is None or next(find_mentions(message.text, self._personas), None) is not None:
            await self._state.drop(self._question_name(message))  # somebody else is spoken to: it is no answer
            return message
        value = message.text.strip()
        if len(value) > MOST_CHARACTERS:
            raise MessageRefused(says.TOO_LONG_A_VALUE.of(name=question.variable, most=MOST_CHARACTERS))
        await self._state.put({self._value_name(message, question.variable): value})
        asked = replace(message, text=f"{question.text}\n{message.text}")
        return await self._requested(asked, call, {**question.given, question.variable: value}, question.text)

    async def read_again(self, message: InboundMessage, *, before: InboundMessage) -> InboundMessage:
        """Return the new text of a message that waits, read by itself: an edit answers no question.

        Raises MessageRefused like `read`, and where the message began a command that its new text does not write.
        """
        if message.author.kind is not AuthorKind.PERSON:
            return message
        called = await self._called(message)
        if called is None and before.request:
            raise MessageRefused(says.BEGAN_A_COMMAND)
        return called or message

    async def _called(self, message: InboundMessage) -> InboundMessage | None:
        """Return a message whose own words are a command, as its persona is asked; None for any other."""
        call = read_menu_call(message.text, self._personas)
        if call is not None:
            return await self._requested(message, call, {}, message.text)
        if (refusal := mistyped(message.text, message.key.platform, next(iter(self._personas), ""))) is not None:
            raise MessageRefused(refusal)
        return None

    async def taken(self, message: InboundMessage) -> None:
        """Forget what a person was asked, once the message that answers it is stored."""
        if message.request:
            await self._state.drop(self._question_name(message))

    async def _requested(
        self, message: InboundMessage, call: MenuCall, answered: Mapping[str, str], written: str
    ) -> InboundMessage:
        persona, command = call.persona, call.command
        if command is None:
            raise MessageRefused(self._no_command(call))
        place = await self._place_of(persona, message)
        values = {**self._system(message, persona, place), **given_values(call)}
        for argument in command.arguments:
            if argument.kind is ArgumentKind.FILE and values.get(argument.name) and place.workspace is not None:
                given = values[argument.name]
                values[argument.name] = await asyncio.to_thread(workspace_file, place.workspace, given)
        prompt = await self._template(message, call, command)
        used = placeholders(prompt) if not command.handler else ()
        for variable in persona.variables:
            if variable.name in used:
                known = {**answered, **call.overrides}
                values[variable.name] = await self._value(message, call, variable, known, written)
        request = prompt.format_map(values) if not command.handler else prompt
        log.info("menu_command", persona=persona.name, command=command.name, message=message.id)
        return replace(message, request=request, addressed_to=persona.name)

    def _system(self, message: InboundMessage, persona: AgentPersona, place: MenuPlace) -> dict[str, str]:
        return {
            "persona": persona.display_name,
            "person": plain_name(message.author.name),
            "repository": place.repository,
            "workspace": str(place.workspace or ""),
            "today": f"{self._now():%Y-%m-%d}",
        }

    async def _value(
        self, message: InboundMessage, call: MenuCall, variable: PersonaVariable, known: Mapping[str, str], text: str
    ) -> str:
        """Return the value of a variable, from the message down to the default; ask where nothing gives it."""
        name = self._value_name(message, variable.name)
        if known.get(variable.name) == "":  # `name=` forgets what was answered before
            await self._state.drop(name)
        layers = (
            known.get(variable.name),
            await self._state.get(name),
            self._configured.get(variable.name),
            variable.default,
        )
        value = next((layer for layer in layers if layer), None)
        if value is not None:
            return value
        question = {"variable": variable.name, "text": text, "at": self._now().isoformat(), "given": {**known}}
        await self._state.put({self._question_name(message): json.dumps(question, ensure_ascii=False)})
        raise MessageRefused(says.ASKED_FOR.of(question=Said(variable.en, variable.ko), usage=call.usage))

    async def _template(self, message: InboundMessage, call: MenuCall, command: MenuCommand) -> str:
        if command.handler:
            return await self._built(message, call)
        if not command.prompt_file:
            return command.prompt
        try:
            prompt = (await asyncio.to_thread(Path(command.prompt_file).read_text, encoding="utf-8")).strip()
            # Whoever changed the file since it was checked may have named what nothing gives.
            known = {*self._system(message, call.persona, MenuPlace(repository="", workspace=None))}
            known |= {argument.name for argument in command.arguments}
            known |= {variable.name for variable in call.persona.variables}
            if set(placeholders(prompt)) <= known:
                return prompt
        except (OSError, ValueError) as error:
            log.warning("prompt_not_read", persona=call.persona.name, command=command.name, reason=str(error))
        raise MessageRefused(says.PROMPT_GONE.of(usage=call.usage))

    async def _built(self, message: InboundMessage, call: MenuCall) -> str:
        """Return the prompt of the handler `changed_files`, the only one that there is."""
        files = await self._changed_files(message.key)
        if not files:
            raise MessageRefused(says.NOTHING_CHANGED)
        lines = ["Look at what was changed in this conversation since its work began. It is in these files:", ""]
        lines += [f"- {name}" for name in files]
        return "\n".join([*lines, *(["", call.words] if call.words else [])])

    def _no_command(self, call: MenuCall) -> Said:
        persona = call.persona
        if not persona.menu:
            return says.NO_MENU.of(name=persona.display_name, persona=persona.name)
        meant = most_similar(call.name, [command.name for command in persona.menu])
        hint = (
            says.SEE_MENU.of(usage=f"/help {persona.name}")
            if meant is None
            else says.NEAREST.of(name=f"`/{persona.name} {meant}`")
        )
        return says.NO_SUCH_ENTRY.of(name=persona.display_name, given=plain_name(call.name), hint=hint)

    async def _open_question(self, message: InboundMessage) -> _Question | None:
        if not any(persona.variables for persona in self._personas.values()):
            return None  # nobody asks for anything
        stored = await self._state.get(self._question_name(message))
        if stored is None:
            return None
        known = json.loads(stored)
        question = _Question(
            variable=known["variable"],
            text=known["text"],
            at=datetime.fromisoformat(known["at"]),
            given=known["given"],
        )
        return question if self._now() - question.at <= ANSWERED_WITHIN else None

    def _question_name(self, message: InboundMessage) -> str:
        # Of the channel, not of its thread: what was asked before a thread began is answered where the person likes.
        return f"{_QUESTION}{message.key.platform}/{message.key.channel}/{message.author.id}"

    def _value_name(self, message: InboundMessage, variable: str) -> str:
        return f"{_VALUE}{message.key.platform}/{message.author.id}/{variable}"
