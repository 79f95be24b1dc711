"""The command /workflow: the order of work in a conversation, how far it is, and, for owners, another order."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from mama_bot.config import nearest
from mama_bot.intake import workflow_sentences as says
from mama_bot.model import (
    NO_WORKFLOW,
    Answer,
    Author,
    Command,
    ConversationKey,
    Platform,
    SessionId,
    WorkflowStanding,
)
from mama_bot.protocols import RuleStates, WorkflowChoices
from mama_bot.rules.active_workflow import ActiveWorkflow, ActiveWorkflows
from mama_bot.wording import Language

AS_CONFIGURED = "default"

SessionOf = Callable[[ConversationKey, str], Awaitable[SessionId | None]]


class WorkflowCommand:
    """Answers /workflow, and says how far a persona is.

    `repository_of` is where a command's conversation works, `session_of` the session that a persona has in it.
    """

    def __init__(
        self,
        *,
        workflows: ActiveWorkflows,
        choices: WorkflowChoices,
        states: RuleStates,
        session_of: SessionOf,
        repository_of: Callable[[Command], Awaitable[str]],
        is_owner: Callable[[Platform, Author], bool],
        now: Callable[[], datetime],
    ) -> None:
        self._workflows = workflows
        self._choices = choices
        self._states = states
        self._session_of = session_of
        self._repository_of = repository_of
        self._is_owner = is_owner
        self._now = now

    async def answer(self, command: Command, language: Language) -> Answer:
        """Show the workflow of a conversation, or choose another where one is named."""
        name = command.argument.strip()
        names = (*self._workflows.workflows, NO_WORKFLOW, AS_CONFIGURED)
        if not name:
            lines = [*self._lines(await self._active(command), language)]
            return Answer(text="\n".join([*lines, says.OTHER_WORKFLOWS.to(language, names=_listed(names))]))
        if not self._is_owner(command.key.platform, command.author):
            return Answer(text=says.OWNERS_CHOOSE_WORKFLOWS.to(language), done=False)
        if name not in names:
            meant = nearest(name, names)
            return Answer(text=says.NO_SUCH_WORKFLOW.to(language, name=name[:60], meant=meant), done=False)
        chosen = "" if name == AS_CONFIGURED else name
        await self._choices.choose(command.key, chosen, by=command.author.id, at=self._now())
        lines = [*self._lines(await self._active(command), language), says.FROM_THE_NEXT_TURN.to(language)]
        return Answer(text="\n".join(lines))

    async def standing_of(self, key: ConversationKey, persona: str) -> WorkflowStanding | None:
        """Return how far a persona is by the workflow that its session is held to; None where it is held to none."""
        session = await self._session_of(key, persona)
        state = await self._states.load(session) if session is not None else None
        workflow = self._workflows.workflows.get(state.task.workflow) if state is not None else None
        return workflow.standing(state.task.open_steps) if workflow is not None and state is not None else None

    async def _active(self, command: Command) -> ActiveWorkflow:
        return await self._workflows.active(command.key, await self._repository_of(command))

    def _lines(self, active: ActiveWorkflow, language: Language) -> list[str]:
        reason = says.WORKFLOW_CHOSEN_BY[active.chosen_by]
        if active.workflow is None:
            return [says.WORKS_BY_NONE.to(language, reason=reason)]
        workflow = active.workflow
        lines = [says.WORKS_BY.to(language, name=workflow.name, reason=reason)]
        for number, step in enumerate(workflow.steps, 1):
            edge = (says.EDGES if step is not workflow.steps[-1] else says.LAST_EDGES).get(step.edge)
            lines.append(f"{number}. {step.title.to(language)}{edge.to(language) if edge is not None else ''}")
        return lines


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
