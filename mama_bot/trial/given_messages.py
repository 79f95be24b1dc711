"""Messages with the record of their tool calls, as people and agents' logs write them down, given to be judged."""

import json
import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from mama_bot.agents.record import clean
from mama_bot.config import sentence_of
from mama_bot.errors import ErrorDecision, MamaBotError
from mama_bot.model import ToolKind
from mama_bot.tool_names import kind_of

WORKER = "worker"
LONGEST_SECONDS = 10_000_000.0


class Role(StrEnum):
    """As what the agent speaks: it did the work, or it reviews what another did."""

    WORKER = "worker"
    REVIEWER = "reviewer"


def _no_truth(value: object) -> object:
    """`true` is no exit status and no moment, which pydantic would take for 1."""
    if isinstance(value, bool):
        raise ValueError("expected a number, not true or false")  # noqa: TRY004 - pydantic wants a ValueError
    return value


def _number(value: object) -> object:
    return 0.0 if value is None else _no_truth(value)


def _without_nul(value: object) -> object:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("expected text without NUL characters")
    return "" if value is None else value


Moment = Annotated[float, BeforeValidator(_number), Field(ge=0, le=LONGEST_SECONDS)]
Status = Annotated[int, BeforeValidator(_no_truth)]
Switch = Annotated[bool, BeforeValidator(lambda value: value is not None and value)]
Name = Annotated[str, BeforeValidator(_without_nul)]


class RunInput(BaseModel):
    """One tool call of the record, as a person or an agent's log writes it down; further keys are the writer's own.

    null stands for a value that is not told.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    tool: str = Field(validation_alias=AliasChoices("tool", "tool_name", "name"))
    arguments: Any = Field(
        default=None, validation_alias=AliasChoices("arguments", "input", "tool_input", "command", "args")
    )
    ok: bool | None = None
    is_error: bool | None = None
    exit_status: Status | None = Field(default=None, validation_alias=AliasChoices("exit_status", "exit", "exit_code"))
    output: Any = Field(
        default=None, validation_alias=AliasChoices("output", "result", "tool_response", "content", "output_tail")
    )
    files: tuple[str, ...] | None = None
    at: Moment = Field(default=0.0, validation_alias=AliasChoices("at", "started"))
    seconds: Moment = 0.0
    background: Switch = False
    cwd: Name = Field(default="", validation_alias=AliasChoices("cwd", "working_directory"))
    agent: Name = ""

    @property
    def finished(self) -> bool:
        """Whether the call came to an end: its exit status says so, or, in the foreground, what it printed."""
        if self.exit_status is not None or kind_of(self.tool) is not ToolKind.SHELL:
            return True
        told = self.ok is not None or self.is_error is not None or self.files is not None
        return not self.background and (told or self.output is not None)

    @property
    def named_arguments(self) -> Mapping[str, Any]:
        """The arguments by name; a bare text is a command, or arguments that were written down as JSON.

        A command as a list of words is the command line that it stands for.
        """
        given = self.arguments
        if isinstance(given, str):
            try:
                read = json.loads(given)
            except ValueError:
                read = None
            given = read if isinstance(read, dict | list) else {"command": given}
        if isinstance(given, list):
            given = {"command": given}
        if not isinstance(given, dict):
            return {}
        command = given.get("command")
        if isinstance(command, list) and all(isinstance(word, str) for word in command):
            return {**given, "command": shlex.join(command)}
        return given

    @property
    def failed(self) -> bool:
        """Whether the call failed, as far as anything says so."""
        if self.ok is not None:
            return not self.ok
        return bool(self.is_error) or self.exit_status not in (None, 0)


class MessageInput(BaseModel):
    """One message to judge, with the records of the turns before it; further keys are the writer's own."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: StrictStr | StrictInt | StrictFloat
    text: str
    agent_to_agent: bool = True
    record: tuple[RunInput, ...] | None = None
    earlier: tuple[tuple[RunInput, ...], ...] = ()
    delegation: str | None = None
    agent: str = Field(default=WORKER, min_length=1)
    role: Role = Role.WORKER


class MessageUnusable(MamaBotError):
    """What somebody gave to be judged is no message: the sentence says what is wrong with it."""

    decision: ClassVar = ErrorDecision.REFUSED


def read_message(text: str) -> MessageInput:
    """Return the message of a text of JSON; raises MessageUnusable."""
    try:
        # Half an emoji, cut off by whoever wrote it, must not end the run.
        return MessageInput.model_validate_json(clean(json.dumps(json.loads(text), ensure_ascii=False)))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        problem = f"{f'{key}: ' if key else ''}{sentence_of(first)}"
    except (ValueError, RecursionError) as error:
        problem = f"expected JSON: {error}" if isinstance(error, ValueError) else "expected JSON that is less deep"
    raise MessageUnusable(f"{problem}.")
