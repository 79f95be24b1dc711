"""The registry: what each tool takes, who may call it, and what a call does."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from mama_bot.config import sentence_of
from mama_bot.errors import ErrorDecision, MamaBotError
from mama_bot.model import AgentPersona, Outcome, TeamAnswer, TeamCall, TeamTool, ToolRecord, ToolRun, Turn, Withheld
from mama_bot.similar_names import most_similar

A = TypeVar("A", bound=BaseModel)

log = structlog.get_logger(__name__)


class ToolRefused(MamaBotError):
    """A call that is not carried out: the sentence is for the agent that made it."""

    decision: ClassVar = ErrorDecision.REFUSED


async def _nobody_judges(words: str) -> Outcome:
    del words
    return Withheld(stage="", rule="", reason="Your turn is over.")


async def _nothing_added() -> None:
    pass


async def _tells_nobody(calls: Sequence[ToolRun]) -> None:
    del calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The turn that a call comes from.

    A tool that lets its agent wait does so in `waits`, and hands what others did for the turn to `told`, so that what
    the agent then says of it can be confirmed. Words that other agents will read it has `judged` by the chain, as one
    agent's words to another with the record so far, and `redacted`. `done` is what its agent did so far. What a person
    added to the request, and the tool hands to its agent, it takes in with `take_added`.
    """

    turn: Turn
    persona: AgentPersona
    call_id: str = ""
    waits: Callable[[], AbstractContextManager[None]] = nullcontext
    told: Callable[[Sequence[ToolRun]], Awaitable[None]] = _tells_nobody
    judged: Callable[[str], Awaitable[Outcome]] = _nobody_judges
    redacted: Callable[[str], str] = str
    take_added: Callable[[], Awaitable[None]] = _nothing_added
    done: Callable[[], ToolRecord] = ToolRecord


def _everybody(persona: AgentPersona) -> bool:
    del persona
    return True


def _in_every_turn(turn: Turn) -> str:
    del turn
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredTool(Generic[A]):
    """A tool: its arguments, what a call does, and who may call it.

    What `run` returns is what the agent hears, once the effects are stored; it raises ToolRefused. `offered_to` says
    which personas have the tool at all, `refusal_in` why it cannot be called in a turn ("": it can).
    """

    name: str
    description: str
    arguments: type[A]
    run: Callable[[A, Caller], Awaitable[str]]
    offered_to: Callable[[AgentPersona], bool] = _everybody
    refusal_in: Callable[[Turn], str] = _in_every_turn
    side_by_side: bool = False


class ToolRegistry:
    """All tools of the service for its agents, by name."""

    def __init__(self, tools: Sequence[RegisteredTool[Any]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def offered(self, persona: AgentPersona) -> Sequence[TeamTool]:
        """Return what a persona is offered."""
        return [
            TeamTool(
                name=tool.name,
                description=tool.description,
                arguments=tool.arguments.model_json_schema(),
                side_by_side=tool.side_by_side,
            )
            for tool in self._tools.values()
            if tool.offered_to(persona)
        ]

    async def call(self, call: TeamCall, caller: Caller) -> TeamAnswer:
        """Carry a call out and return what its agent is told; a tool that fails never ends the turn."""
        tool = self._tools.get(call.tool)
        if tool is None or not tool.offered_to(caller.persona):
            return TeamAnswer(text=f"{caller.persona.name} has no tool {call.tool!r}.", refused=True)
        if reason := tool.refusal_in(caller.turn):
            return TeamAnswer(text=reason, refused=True)
        try:
            arguments = tool.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            return TeamAnswer(text=_problem(error, tool.arguments), refused=True)
        try:
            return TeamAnswer(text=await tool.run(arguments, caller))
        except ToolRefused as refused:
            log.info("team_call_refused", tool=tool.name, reason=str(refused))
            return TeamAnswer(text=str(refused), refused=True)
        except Exception as error:  # the agent goes on, and hears that this call did nothing that it could build on
            log.exception("team_call_failed", tool=tool.name)
            return TeamAnswer(text=f"{tool.name} failed: {type(error).__name__}. Try it again.", refused=True)


def _problem(error: ValidationError, arguments: type[BaseModel]) -> str:
    """Return what is wrong with arguments in one sentence, with the nearest known name."""
    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f"{path} is missing."
    if first["type"] == "extra_forbidden":
        similar = most_similar(path, arguments.model_fields)
        known = ", ".join(arguments.model_fields)
        return f"{path} is not known. " + (f'Did you mean "{similar}"?' if similar else f"Known: {known}.")
    return f"{path}: {sentence_of(first)}." if path else f"{sentence_of(first)}."
