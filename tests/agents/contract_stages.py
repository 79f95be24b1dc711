"""The backends of which the contract is asked, each with what its agent does next."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mama_bot.demo.model_script import ModelReply
from mama_bot.errors import ModelFailed
from mama_bot.model import AgentPersona
from mama_bot.protocols import AgentBackend
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.agents.acp_making import AgentSteps
from tests.agents.model_apis import ModelStep
from tests.agents.played_model import TOKENS, PlayedModel
from tests.scripted_queue import ScriptedQueue


class Stage(Protocol):
    """A backend, and what its agent does next; `failure` is a status that its CLI does not ask again about."""

    backend: AgentBackend
    failure: int

    def says(self, text: str) -> None: ...
    def hangs(self) -> None: ...
    def recovers(self) -> None: ...
    def fails(self, status: int) -> None: ...


class Scripted:
    """The scripted backend."""

    failure = 529

    def __init__(self) -> None:
        self.backend: AgentBackend = ScriptedAgentBackend(script=self._next)
        self._replies: list[ScriptedReply] = []

    def says(self, text: str) -> None:
        self._replies.append(ScriptedReply(text=text))

    def hangs(self) -> None:
        self._replies.append(ScriptedReply(text="late", delay_seconds=60))

    def recovers(self) -> None:
        self._replies.clear()

    def fails(self, status: int) -> None:
        self._replies.append(ScriptedReply(error=ModelFailed(status=status, reason="scripted")))

    def _next(self, persona: AgentPersona, prompt: str, history: object) -> ScriptedReply:
        return self._replies.pop(0) if self._replies else ScriptedReply(text=f"echo: {prompt}")


class Real:
    """The real CLI of Claude."""

    failure = 529

    def __init__(self, backend: AgentBackend, model: ScriptedQueue) -> None:
        self.backend = backend
        self._model = model

    def says(self, text: str) -> None:
        # An empty reply makes the CLI itself ask once more.
        self._model.push(*(ModelReply(text=text) for _ in range(1 if text else 2)))

    def hangs(self) -> None:
        self._model.stick(ModelReply(hang=True))

    def recovers(self) -> None:
        self._model.stick(None)

    def fails(self, status: int) -> None:
        self._model.push(ModelReply(status=status))


class OverProtocol:
    """An agent that speaks the Agent Client Protocol, and a file that says what it does."""

    failure = 529

    def __init__(self, backend: AgentBackend, steps: AgentSteps) -> None:
        self.backend = backend
        self._steps = steps

    def says(self, text: str) -> None:
        self._steps.push({"text": text})

    def hangs(self) -> None:
        self._steps.push({"hangs": True})

    def recovers(self) -> None:
        self._steps.clear()

    def fails(self, status: int) -> None:
        self._steps.push({"fails": status})


class OtherCli:
    """Another real CLI, and the model that it asks. Where that is overloaded each asks it again for minutes."""

    failure = 400

    def __init__(self, backend: AgentBackend, model: PlayedModel) -> None:
        self.backend = backend
        self._model = model

    def says(self, text: str) -> None:
        step = ModelStep(text=text, tokens=TOKENS)
        # After an empty reply a CLI may ask once more.
        (self._model.push if text else self._model.stick)(step)

    def hangs(self) -> None:
        self._model.hang()

    def recovers(self) -> None:
        self._model.recover()

    def fails(self, status: int) -> None:
        self._model.stick(ModelStep(status=status))


# Which promise a CLI cannot keep, and why.
EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("gemini", "test_a_resumed_session_answers_under_its_old_id"): "it loads no session of another process",
}
Stages = Callable[[], AbstractAsyncContextManager[Stage]]
