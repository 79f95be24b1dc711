"""Which workflow work is held to: what an owner chose for the chat, its repository, its persona, the service."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from mama_bot.model import NO_WORKFLOW, AgentPersona, ConversationKey, Tier
from mama_bot.protocols import WorkflowChoices
from mama_bot.rules.workflow import Workflow


class ChosenBy(StrEnum):
    """What decides which workflow is active, the strongest first."""

    CHAT = "chat"
    REPOSITORY = "repository"
    PERSONA = "persona"
    SERVICE = "service"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveWorkflow:
    """The workflow that is active (None: none), and what decided so."""

    workflow: Workflow | None
    chosen_by: ChosenBy


class ActiveWorkflows:
    """Knows the active workflow; `default` is that of the service, `of_repository` those of repositories by name."""

    def __init__(
        self,
        *,
        workflows: Mapping[str, Workflow],
        default: str,
        of_repository: Mapping[str, str],
        choices: WorkflowChoices,
    ) -> None:
        self.workflows = workflows
        self._default = default
        self._of_repository = of_repository
        self._choices = choices

    def go_by(self, workflows: Mapping[str, Workflow], default: str) -> None:
        """Know these from now on."""
        self.workflows, self._default = workflows, default

    async def active(
        self, key: ConversationKey, repository: str, persona: AgentPersona | None = None
    ) -> ActiveWorkflow:
        """Return the workflow of a conversation in a repository, for a persona where it names one."""
        candidates = (
            (ChosenBy.CHAT, await self._choices.choice(key) or ""),
            (ChosenBy.REPOSITORY, self._of_repository.get(repository, "")),
            (ChosenBy.PERSONA, persona.workflow if persona is not None else ""),
        )
        # What is not there any more, since its file is gone, was chosen by nobody.
        known = (*self.workflows, NO_WORKFLOW)
        chosen = ((who, name) for who, name in candidates if name in known)
        who, name = next(chosen, (ChosenBy.SERVICE, self._default))
        return ActiveWorkflow(workflow=self.workflows.get(name), chosen_by=who)

    async def held(
        self, persona: AgentPersona, key: ConversationKey, repository: str, *, read_only: bool
    ) -> AgentPersona:
        """Return a persona as it works there: held to its workflow and told of it, where it may change anything."""
        if read_only or persona.tier is not Tier.WORKER:
            return replace(persona, workflow=NO_WORKFLOW)
        workflow = (await self.active(key, repository, persona)).workflow
        if workflow is None:
            return replace(persona, workflow=NO_WORKFLOW)
        instructions = f"{persona.instructions or persona.prompt}\n{workflow.mandates}"
        return replace(persona, workflow=workflow.name, instructions=instructions)
