"""The sections of `enforcement`: the chain and its stages."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from mama_bot.config.section import Count, Seconds, Section, Share, Whole
from mama_bot.model import ClaimKind, Exhausted, Turn, words


class Mode(StrEnum):
    """Whether a stage's decision is only written down, or carried out."""

    OBSERVE = "observe"
    ENFORCE = "enforce"


class OnFailure(StrEnum):
    """What a stage that itself fails means for the draft."""

    ALLOW = "allow"
    NEEDS_REVIEW = "needs_review"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a stage sends a draft back, and what becomes of it then; None: as often as the chain allows."""

    most: int | None = None
    exhausted: Exhausted = Exhausted.WITHHOLD


class StageSettings(Section):
    """What every stage has."""

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    on_failure: OnFailure = OnFailure.NEEDS_REVIEW
    timeout_seconds: Seconds = 10

    def retries(self, turn: Turn) -> Retries:  # noqa: ARG002 - some settings tell people from agents
        """Return what holds when the stage blocks a draft of a turn."""
        return Retries()


class BlockingStageSettings(StageSettings):
    """What a stage has that blocks: `exhausted` says what becomes of a draft that was sent back often enough."""

    exhausted: Exhausted = Exhausted.DOWNGRADE

    def retries(self, turn: Turn) -> Retries:  # noqa: ARG002
        """Return what holds for whatever the stage blocks."""
        return Retries(exhausted=self.exhausted)


class ResponseValidatorSettings(StageSettings):
    """`enforcement.response_validator`: shares are of the characters of prose, in whole sentences.

    `learned` says that a reply of a turn without any call is also judged by its words as a whole.
    """

    agent_threshold: Share = 0.20
    person_threshold: Share = 0.40
    person_retries: Annotated[Whole, Field(ge=0)] = 1
    agent_exhausted: Exhausted = Exhausted.WITHHOLD
    person_exhausted: Exhausted = Exhausted.POST_WITH_NOTE
    praise: tuple[str, ...] = ()
    whitelist: tuple[str, ...] = ()
    learned: bool = True

    def retries(self, turn: Turn) -> Retries:
        """Return what holds for a reply to an agent, or to a person."""
        if turn.agent_to_agent:
            return Retries(exhausted=self.agent_exhausted)
        return Retries(most=self.person_retries, exhausted=self.person_exhausted)


class EvidenceStrength(StrEnum):
    """How strong evidence for an approval is, weakest first."""

    WORD = "word"
    NAMED_CHECK = "named_check"
    CONCRETE = "concrete"
    CONFIRMED = "confirmed"


class ReviewGateSettings(BlockingStageSettings):
    """`enforcement.review_gate`."""

    least_evidence: EvidenceStrength = EvidenceStrength.CONFIRMED
    whitelist: tuple[str, ...] = ()


class ScopeGuardSettings(StageSettings):
    """`enforcement.scope_guard`."""

    violation_threshold: Count = 3
    always_expected: tuple[str, ...] = words(
        "*.lock *.lockb package-lock.json npm-shrinkwrap.json pnpm-lock.yaml go.sum go.work.sum packages.lock.json "
        "Package.resolved gradle.lockfile .terraform.lock.hcl __pycache__/ *.pyc *.egg-info/ .pytest_cache/ "
        ".mypy_cache/ .ruff_cache/ .coverage node_modules/ *.tsbuildinfo __snapshots__/ .DS_Store"
    )
    generated: tuple[str, ...] = ()


class TodoTrackerSettings(StageSettings):
    """`enforcement.todo_tracker`."""

    reminder: bool = True
    ask_for_outcome: bool = True
    stagnation_turns: Count = 3


class ClaimPolicy(StrEnum):
    """What a claim means that the record does not show: it goes back in an approval and in the completion of a task
    and is marked elsewhere; it is only marked; or it is not looked at. A contradicted one goes back unless IGNORE.
    """

    BLOCK = "block"
    MARK = "mark"
    IGNORE = "ignore"


class ClaimPolicies(Section):
    """`enforcement.claim_check.kinds`: by kind of claim."""

    tests: ClaimPolicy = ClaimPolicy.BLOCK
    build: ClaimPolicy = ClaimPolicy.BLOCK
    types: ClaimPolicy = ClaimPolicy.BLOCK
    lint: ClaimPolicy = ClaimPolicy.BLOCK
    format: ClaimPolicy = ClaimPolicy.BLOCK
    created: ClaimPolicy = ClaimPolicy.BLOCK
    changed: ClaimPolicy = ClaimPolicy.BLOCK
    deleted: ClaimPolicy = ClaimPolicy.BLOCK
    reproduced: ClaimPolicy = ClaimPolicy.BLOCK
    benchmark: ClaimPolicy = ClaimPolicy.BLOCK
    committed: ClaimPolicy = ClaimPolicy.BLOCK
    pushed: ClaimPolicy = ClaimPolicy.BLOCK
    merged: ClaimPolicy = ClaimPolicy.BLOCK
    published: ClaimPolicy = ClaimPolicy.BLOCK
    deployed: ClaimPolicy = ClaimPolicy.BLOCK
    ran: ClaimPolicy = ClaimPolicy.BLOCK
    checked: ClaimPolicy = ClaimPolicy.BLOCK
    only_these: ClaimPolicy = ClaimPolicy.BLOCK
    reviewed: ClaimPolicy = ClaimPolicy.BLOCK
    ci: ClaimPolicy = ClaimPolicy.MARK

    def of(self, kind: ClaimKind) -> ClaimPolicy:
        """Return the policy for a kind of claim."""
        policy: ClaimPolicy = getattr(self, kind.value)
        return policy


class RunCommands(Section):
    """`enforcement.claim_check.commands`: expressions (RE2) of a project's own commands, by what they do."""

    tests: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    benchmark: tuple[str, ...] = ()
    publish: tuple[str, ...] = ()
    deploy: tuple[str, ...] = ()


class ClaimCheckSettings(BlockingStageSettings):
    """`enforcement.claim_check`: what a draft claims against the record of tools.

    `junit_xml` are files, in the workspace, in which the project's tests leave their results.
    """

    kinds: ClaimPolicies = ClaimPolicies()
    commands: RunCommands = RunCommands()
    junit_xml: tuple[str, ...] = ()


class WorkspaceCheckSettings(BlockingStageSettings):
    """`enforcement.workspace_checks`: when the checks that `workspaces` configures are run, and what a FAIL means."""

    timeout_seconds: Seconds = 600


class DelegationCheckSettings(BlockingStageSettings):
    """The check of delegations, which nobody can switch off: what cannot be carried out is posted with a note."""

    exhausted: Exhausted = Exhausted.POST_WITH_NOTE


class WordSettings(Section):
    """`enforcement.words`: further entries (RE2) for the word lists, by kind; the lists say what a kind is."""

    admiration: tuple[str, ...] = ()
    boast: tuple[str, ...] = ()
    filler: tuple[str, ...] = ()
    confirmation: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    technical: tuple[str, ...] = ()
    fact: tuple[str, ...] = ()
    approval: tuple[str, ...] = ()
    named_check: tuple[str, ...] = ()
    concrete: tuple[str, ...] = ()
    contradiction: tuple[str, ...] = ()
    doubt: tuple[str, ...] = ()

    @property
    def by_kind(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The kinds with entries of their own."""
        return tuple((kind, listed) for kind, listed in self if listed)


class EnforcementSettings(Section):
    """`enforcement`: the chain; the order of the stages is the order of the drawing and cannot be changed.

    `record_line` says that replies carry the line of facts.
    """

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    max_retries: Annotated[Whole, Field(ge=0)] = 2
    breaker_rejections: Annotated[Whole, Field(ge=0)] = 3
    record_line: bool = True
    words: WordSettings = WordSettings()
    response_validator: ResponseValidatorSettings = ResponseValidatorSettings()
    review_gate: ReviewGateSettings = ReviewGateSettings()
    scope_guard: ScopeGuardSettings = ScopeGuardSettings()
    todo_tracker: TodoTrackerSettings = TodoTrackerSettings()
    claim_check: ClaimCheckSettings = ClaimCheckSettings()
    workspace_checks: WorkspaceCheckSettings = WorkspaceCheckSettings()
