"""One `ask` of a session over the Agent Client Protocol: what was said and called in it so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mama_bot.agents.acp_calls import ToldCall
from mama_bot.agents.asked_turns import AskedTurn
from mama_bot.model import TeamCall, ToolCall


@dataclass(slots=True, kw_only=True, eq=False)
class AcpTurn(AskedTurn):
    """`words` is the last text of the agent, by pieces, `message` the id of the message that they are of.

    `refusals` are the reasons that the agent was not told, because the protocol has no place for them, `reminders` what
    rules tell beside a result, `answered` the calls of our tools that the service took and that no told call is known
    to be, `hooked` the calls that a hook let run, by their ids. `failed`: the words are why the model's service failed,
    and nothing that the agent says.
    """

    calls: dict[str, ToldCall] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    message: str = ""
    failed: bool = False
    answered: list[TeamCall] = field(default_factory=list)
    hooked: dict[str, ToolCall] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    reminders: list[str] = field(default_factory=list)

    def told(self, call_id: str) -> ToldCall:
        """Return the call of this id, a new one where it was not told of before."""
        if call_id not in self.calls:
            self.calls[call_id] = ToldCall(id=call_id)
        return self.calls[call_id]

    def say(self, text: str, message: str) -> None:
        """Take in a piece of text; that of another message takes the place of what was said before."""
        if message != self.message:
            self.words.clear()
        self.message = message
        self.words.append(text)

    def take_answered(self, told: TeamCall) -> bool:
        """Return whether the service took this call, which is then no other's; who tells no arguments is believed."""
        for taken in self.answered:
            if taken.tool == told.tool and (not told.arguments or _same(taken.arguments, told.arguments)):
                self.answered.remove(taken)
                return True
        return False

    def taken_reminders(self) -> str:
        """Return what is to be told beside the next prompt, once."""
        words = "\n\n".join(dict.fromkeys(self.reminders))
        self.reminders.clear()
        return words


def _same(taken: Mapping[str, object], told: Mapping[str, object]) -> bool:
    return dict(taken) == dict(told)
