"""The tool with which an agent hands a task on while its turn runs: the same event as the line in a reply."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from mama_bot.enforcement.delegations.requests import Request
from mama_bot.model import DelegationForm, Turn, TurnKind
from mama_bot.orchestrator.live_exchanges import RunningExchanges
from mama_bot.team_tools import Caller, RegisteredTool, ToolRefused
from mama_bot.tool_names import DELEGATE

MOST_CHARACTERS = 20_000
TOLD = (
    "Hand a task on to another member of the team, and get what comes of it as the result. In one message you may call "
    "it several times: the tasks are worked on side by side where they can be. With `background` you do not wait: you "
    "are told when it is done. Do not do the delegated work yourself in the same turn."
)
NOT_IN_REVIEWS = "A reviewer delegates nothing: look for yourself, and submit your verdict."

Text = Annotated[str, Field(max_length=MOST_CHARACTERS)]


class DelegateArguments(BaseModel):
    """What `delegate` takes."""

    model_config = ConfigDict(extra="forbid")

    agent: Annotated[str, Field(max_length=100, description="whom you ask, by name")]
    task: Annotated[Text, Field(description="the task in one sentence")]
    expected_outcome: Annotated[
        Text, Field(description="the files and results that must exist afterwards, one to a line")
    ] = ""
    must_do: Text = ""
    must_not_do: Annotated[Text, Field(description="what is out of bounds")] = ""
    required_tools: Text = ""
    context: Annotated[Text, Field(description="what they need to know")] = ""
    background: Annotated[bool, Field(description="go on without waiting for it")] = False

    @property
    def request(self) -> Request:
        """The same as it would be read from a reply."""
        parts = self.model_dump(exclude={"agent", "background"})
        return Request(
            recipient=self.agent.strip().removeprefix("@"),
            parts={name: text.strip() for name, text in parts.items()},
            form=DelegationForm.TOOL,
            background=self.background,
        )


def delegate_tool(running: RunningExchanges) -> RegisteredTool[DelegateArguments]:
    """Return the tool, for whoever may delegate; `running` knows the turns that it is called in."""

    async def delegate(arguments: DelegateArguments, caller: Caller) -> str:
        at_work = running.running_turn(caller.turn)
        carry_out = at_work[0].delegate if at_work is not None else None
        if carry_out is None:
            raise ToolRefused("Your turn is over: nothing was delegated.")
        return await carry_out(arguments.request, caller)

    return RegisteredTool(
        name=DELEGATE,
        description=TOLD,
        arguments=DelegateArguments,
        run=delegate,
        offered_to=lambda persona: bool(persona.delegates_to),
        refusal_in=_refusal,
        side_by_side=True,
    )


def _refusal(turn: Turn) -> str:
    return NOT_IN_REVIEWS if turn.kind is TurnKind.REVIEW else ""
