"""How long it is borne that the model's service fails, while the CLI asks it again."""

from dataclasses import dataclass

from mama_bot.agents.asked_turns import AskedTurn
from mama_bot.errors import AgentError
from mama_bot.model import ModelRetried


class ModelPatience:
    """The trouble of one `ask` with the model's service: at most so many `retries` of a request, for so many `seconds`.

    What the service asks to wait counts before it is waited for.
    """

    def __init__(self, *, retries: int, seconds: float) -> None:
        self.seconds = seconds
        self._retries = retries
        self._began: float | None = None

    def ends(self, retried: ModelRetried, now: float) -> bool:
        """Return whether a request is not to be made again, `now` on a clock of its own."""
        if self._began is None:
            self._began = now
        return retried.attempt > self._retries or now - self._began + retried.wait_seconds > self.seconds

    def answered(self) -> None:
        """Note that the model answers: what fails later is trouble of its own."""
        self._began = None


@dataclass(slots=True, kw_only=True, eq=False)
class BorneTurn(AskedTurn):
    """One `ask` of a CLI that tells of its trouble with the model.

    `error` is what the CLI called the last trouble, `given_up` why the model is not asked any more; `heard` says that
    the CLI gave any sign of life.
    """

    model_patience: ModelPatience
    error: str = ""
    given_up: AgentError | None = None
    heard: bool = False
