"""A workflow: steps in order, what shows each of them, and the rules that hold an agent to that order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import assert_never

from mama_bot.model import NO_WORKFLOW, Phase, StepStanding, Tier, ToolTurn, WorkflowStanding
from mama_bot.rules.conditions import Bound, Condition, ConditionFailed
from mama_bot.rules.matchers import Matcher
from mama_bot.rules.messages import Message
from mama_bot.rules.rule import Band, Rule, Strictness, Verb, WhenBroken
from mama_bot.wording import Said

_REFUSED = (
    "Refused by the workflow {workflow}: its step {step} comes before {later}, and nothing that you did shows it "
    "yet. {mandate}"
)
_WARNED = (
    "The workflow {workflow} has its step {step} before {later}, and nothing that you did shows it yet. {mandate} "
    "This call ran all the same."
)
_UNFINISHED = "The workflow {workflow} ends with its step {step}, and nothing that you did shows it yet. {mandate}"
_STANDS = "You work by the workflow {name}. As the record of this session shows: {{workflow.progress}}."
_ASKED = "A person has to let you go on from the step {step} of the workflow {workflow}."
_PERSON = Said(
    "It goes on from “{step}” to “{later}” (workflow {workflow}).",
    "{workflow} 워크플로의 “{step}” 다음인 “{later}” 단계로 넘어갑니다.",
)
_KEPT_KNOWN = Said(
    "How far a session is with the workflow {workflow} stays known to its agent.",
    "세션이 {workflow} 워크플로의 어디까지 왔는지 에이전트가 계속 알게 합니다.",
)
_COMES_BEFORE = Said(
    "By the workflow {workflow}, {step} comes before {later}.",
    "{workflow} 워크플로에서는 {step} 다음에 {later:이/가} 옵니다.",
)
_LETS_GO_ON = Said(
    "By the workflow {workflow}, a person lets work go on from {step}.",
    "{workflow} 워크플로에서는 {step} 다음으로 넘어갈 때 사람이 승인합니다.",
)
_ENDS_WITH = Said(
    "By the workflow {workflow}, work ends with {step}.",
    "{workflow} 워크플로에서는 {step:으로/로} 작업이 끝납니다.",
)
_MANDATES = """\
# The order of work here: the workflow {name}

{about} Code reads from your tool calls which steps are shown, never from what you write.

{steps}
"""
_SAID = {
    "hard": " What later steps do is refused before that.",
    "soft": " You are warned where a later step comes before it.",
    "ask": " What later steps do is refused before that, and then a person is asked whether you may go on.",
    "none": "",
}


class Edge(StrEnum):
    """What becomes of a later step before this one is shown: refused (HARD), warned of once (SOFT), nothing (NONE).

    ASK refuses it like HARD, and once this one is shown a person is asked, once in a conversation, at a checkpoint.
    """

    HARD = "hard"
    ASK = "ask"
    SOFT = "soft"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """One step: what the agent is to do, what shows that it was done, and which calls belong to it (None: none).

    `edge` is the way out of it. `line` is where it stands.
    """

    name: str
    title: Said
    mandate: str
    proof: Condition
    edge: Edge
    matcher: Matcher | None = None
    condition: Condition = field(default_factory=lambda: Condition("true"))
    line: int = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Workflow:
    """Steps in their order; `shipped` says that it came with mama-bot."""

    name: str
    about: str
    steps: tuple[Step, ...]
    file: Path = Path()
    line: int = 1
    shipped: bool = False

    def open_steps(self, bound: Bound) -> tuple[str, ...]:
        """Return the steps that nothing shows yet; a proof that cannot be evaluated shows nothing."""
        return tuple(step.name for step in self.steps if not _shown(step, bound))

    def standing(self, open_steps: tuple[str, ...]) -> WorkflowStanding:
        """Return how far work is where these steps are open."""
        return WorkflowStanding(
            name=self.name,
            steps=tuple(
                StepStanding(name=step.name, en=step.title.en, ko=step.title.ko, shown=step.name not in open_steps)
                for step in self.steps
            ),
        )

    @cached_property
    def mandates(self) -> str:
        """What an agent is told of it, the same for each of its turns."""
        steps = "\n".join(
            f"{number}. {step.name}: {step.mandate}{_SAID[step.edge.value] if step is not self.steps[-1] else ''}"
            for number, step in enumerate(self.steps, 1)
        )
        return _MANDATES.format(name=self.name, about=self.about, steps=steps)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that it is made of: they speak while it is the active one."""
        return (self._told_anew, *self._edges(), *self._ending())

    @property
    def _told_anew(self) -> Rule:
        return Rule(
            name=f"{self.name}_standing",
            policy=f"{self.name}_standing",
            about=_KEPT_KNOWN.of(workflow=self.name),
            phase=Phase.SESSION_START,
            condition=Condition(f"{self._active} && task.looks + task.edits + task.plans > 0"),
            verb=Verb.TELL,
            message=Message(_STANDS.format(name=self.name)),
            band=Band.P10,
            when_broken=WhenBroken.ALLOW,
            file=self.file,
            line=self.line,
            shipped=self.shipped,
            workflow=self.name,
        )

    @property
    def _active(self) -> str:
        return f'workflow.name == "{self.name}"'

    def _edges(self) -> Iterator[Rule]:
        for number, step in enumerate(self.steps):
            for later in self.steps[number + 1 :]:
                if later.matcher is None or step.edge is Edge.NONE:
                    continue
                yield self._edge(step, later, later.matcher)
                if step.edge is Edge.ASK:
                    yield self._checkpoint(step, later, later.matcher)

    def _edge(self, step: Step, later: Step, matcher: Matcher) -> Rule:
        name = edge_name(self.name, step.name, later.name)
        conditions = [self._active, f'"{step.name}" in workflow.open', f"({later.condition.expression}\n)"]
        match step.edge:
            case Edge.HARD | Edge.ASK:
                words, strictness = _REFUSED, Strictness.HARD
            case Edge.SOFT:
                words, strictness = _WARNED, Strictness.SOFT
                conditions.append(f'!("{name}" in workflow.warned)')
            case Edge.NONE:
                raise ValueError("An edge that is none makes no rule.")
            case unexpected:
                assert_never(unexpected)
        hard = strictness is Strictness.HARD
        return Rule(
            name=name,
            policy=name,
            about=_COMES_BEFORE.of(workflow=self.name, step=step.name, later=later.name),
            matcher=matcher,
            condition=Condition(" && ".join(conditions)),
            strictness=strictness,
            message=Message(words.format(workflow=self.name, step=step.name, later=later.name, mandate=step.mandate)),
            when_broken=WhenBroken.BLOCK if hard else WhenBroken.ALLOW,
            file=self.file,
            line=step.line,
            shipped=self.shipped,
            workflow=self.name,
        )

    def _checkpoint(self, step: Step, later: Step, matcher: Matcher) -> Rule:
        name = f"{self.name}_{step.name}_approved_before_{later.name}"
        shown = f'!("{step.name}" in workflow.open)'
        return Rule(
            name=name,
            policy=name,
            about=_LETS_GO_ON.of(workflow=self.name, step=step.name),
            matcher=matcher,
            condition=Condition(f"{self._active} && {shown} && ({later.condition.expression}\n)"),
            verb=Verb.ASK,
            checkpoint=f"{self.name}_{step.name}",
            message=Message(_ASKED.format(step=step.name, workflow=self.name)),
            person=_PERSON.of(step=step.title, later=later.title, workflow=self.name),
            file=self.file,
            line=step.line,
            shipped=self.shipped,
            workflow=self.name,
        )

    def _ending(self) -> Iterator[Rule]:
        """Yield what keeps an agent from stopping once: its work was begun, and the last step is not shown."""
        last, earlier = self.steps[-1], [step for step in self.steps[:-1] if step.matcher is not None]
        if last.edge is not Edge.HARD:
            return
        begun = f' && !("{earlier[-1].name}" in workflow.open)' if earlier else ""
        name = edge_name(self.name, last.name, "end")
        yield Rule(
            name=name,
            policy=name,
            about=_ENDS_WITH.of(workflow=self.name, step=last.name),
            phase=Phase.STOP,
            # A subagent ends with its part; what is not shown yet is for whoever sent it.
            condition=Condition(f'{self._active} && persona.subagent == "" && "{last.name}" in workflow.open{begun}'),
            message=Message(_UNFINISHED.format(workflow=self.name, step=last.name, mandate=last.mandate)),
            when_broken=WhenBroken.ALLOW,
            file=self.file,
            line=last.line,
            shipped=self.shipped,
            workflow=self.name,
        )


def edge_name(workflow: str, step: str, later: str) -> str:
    """Return the name of the rule that holds a later step back until a step is shown."""
    return f"{workflow}_{step}_before_{later}"


def workflow_of(turn: ToolTurn, workflows: Mapping[str, Workflow], default: str) -> Workflow | None:
    """Return the workflow that a turn is held to; None where nothing is to be changed, or none was chosen."""
    if turn.read_only or turn.persona.tier is not Tier.WORKER:
        return None
    name = turn.persona.workflow or default
    return None if name == NO_WORKFLOW else workflows.get(name)


def _shown(step: Step, bound: Bound) -> bool:
    try:
        return step.proof.holds(bound)
    except ConditionFailed:
        return False
