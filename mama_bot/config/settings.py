"""The sections of the settings: frozen, closed to unknown keys."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from mama_bot.log import LogFormat, LogLevel
from mama_bot.model import ClaimKind, Exhausted

PREFIX = "MAMA_"
NESTING = "__"


def _no_truth(value: object) -> object:
    """YAML reads `yes` and `on` as true, which pydantic would take for 1."""
    if isinstance(value, bool):
        raise ValueError("expected a number")  # noqa: TRY004 - pydantic wants a ValueError
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
Number = Annotated[float, BeforeValidator(_no_truth), Field(allow_inf_nan=False)]
Count = Annotated[Whole, Field(ge=1)]
Seconds = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, le=1)]


class Section(BaseModel):
    """A part of the settings: frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Mode(StrEnum):
    """Whether a stage's decision is only written down, or carried out."""

    OBSERVE = "observe"
    ENFORCE = "enforce"


class OnFailure(StrEnum):
    """What a stage that itself fails means for the draft."""

    ALLOW = "allow"
    NEEDS_REVIEW = "needs_review"
    WITHHOLD = "withhold"


class AgentSource(StrEnum):
    """Which model answers: AUTO takes the real one where a login or key is found, else the scripted one."""

    AUTO = "auto"
    REAL = "real"
    SCRIPTED = "scripted"


class LogSettings(Section):
    """`log`."""

    format: LogFormat = LogFormat.CONSOLE
    level: LogLevel = LogLevel.INFO


class WebSettings(Section):
    """`web`: the local page."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: Annotated[Whole, Field(ge=0, le=65535)] = 8642
    key: SecretStr | None = None
    max_message_characters: Count = 100_000


class PoolSettings(Section):
    """`pool`: the agent processes."""

    size: Count = 5
    idle_seconds: Seconds = 600
    wait_seconds: Seconds = 900
    max_turns_per_process: Count = 200
    max_memory_megabytes: Count = 600


class ClaudeSettings(Section):
    """`claude`: the claude CLI."""

    source: AgentSource = AgentSource.AUTO
    cli_path: Path | None = None
    model: str = "claude-sonnet-4-5"
    max_turns: Count = 80
    max_budget_usd: Annotated[Number, Field(gt=0)] = 5.0
    api_retries: Annotated[Whole, Field(ge=0, le=10)] = 4
    api_timeout_seconds: Seconds = 300
    start_seconds: Seconds = 60
    silence_seconds: Seconds = 600
    in_turn_retries: Annotated[Whole, Field(ge=0, le=6)] = 2
    in_turn_seconds: Seconds = 600


class TurnSettings(Section):
    """`turns`: how exchanges run."""

    concurrency: Count = 8
    deadline_seconds: Seconds = 1800
    hop_budget: Annotated[Whole, Field(ge=0)] = 8
    crash_retries: Annotated[Whole, Field(ge=0)] = 2
    drain_seconds: Annotated[Number, Field(ge=0)] = 20


class QueueSettings(Section):
    """`queue`: messages that wait."""

    limit: Count = 1000
    per_conversation: Count = 50


class ContextSettings(Section):
    """`context`: what an agent sees of the conversation."""

    max_entries: Count = 30
    max_characters: Count = 12_000


class StoreSettings(Section):
    """`store`: where everything durable lives; without a URL, SQLite in the data directory."""

    url: SecretStr | None = None


class CategoryRule(Section):
    """A pattern (RE2) that sends a person's message to a persona."""

    pattern: str
    persona: str


class RouterSettings(Section):
    """`router`: who answers a person."""

    default_persona: str = "lead"
    free_chat: tuple[str, ...] = ()
    categories: tuple[CategoryRule, ...] = ()


class StageSettings(Section):
    """What every stage has."""

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    on_failure: OnFailure = OnFailure.NEEDS_REVIEW
    timeout_seconds: Seconds = 10


class ResponseValidatorSettings(StageSettings):
    """`enforcement.response_validator`: shares are of the characters of prose, in whole sentences."""

    agent_threshold: Share = 0.20
    person_threshold: Share = 0.40
    person_retries: Annotated[Whole, Field(ge=0)] = 1
    agent_exhausted: Exhausted = Exhausted.WITHHOLD
    person_exhausted: Exhausted = Exhausted.POST_WITH_NOTE
    praise: tuple[str, ...] = ()
    whitelist: tuple[str, ...] = ()


class EvidenceStrength(StrEnum):
    """How strong evidence for an approval is, weakest first."""

    WORD = "word"
    NAMED_CHECK = "named_check"
    CONCRETE = "concrete"
    CONFIRMED = "confirmed"


class ReviewGateSettings(StageSettings):
    """`enforcement.review_gate`."""

    least_evidence: EvidenceStrength = EvidenceStrength.NAMED_CHECK
    exhausted: Exhausted = Exhausted.DOWNGRADE
    whitelist: tuple[str, ...] = ()


class ScopeGuardSettings(StageSettings):
    """`enforcement.scope_guard`."""

    violation_threshold: Count = 3
    always_expected: tuple[str, ...] = (
        "*.lock",
        "*.lockb",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "go.sum",
        "go.work.sum",
        "packages.lock.json",
        "Package.resolved",
        "gradle.lockfile",
        ".terraform.lock.hcl",
        "__pycache__/",
        "*.pyc",
        "*.egg-info/",
        ".pytest_cache/",
        ".mypy_cache/",
        ".ruff_cache/",
        ".coverage",
        "node_modules/",
        "*.tsbuildinfo",
        "__snapshots__/",
        ".DS_Store",
    )
    generated: tuple[str, ...] = ()


class TodoTrackerSettings(StageSettings):
    """`enforcement.todo_tracker`."""

    on_failure: OnFailure = OnFailure.ALLOW
    reminder: bool = True
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

    def of(self, kind: ClaimKind) -> ClaimPolicy:
        """The policy for a kind of claim."""
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


class ClaimCheckSettings(StageSettings):
    """`enforcement.claim_check`: what a draft claims against the record of tools.

    `junit_xml` are files, in the workspace, in which the project's tests leave their results.
    """

    exhausted: Exhausted = Exhausted.DOWNGRADE
    kinds: ClaimPolicies = ClaimPolicies()
    commands: RunCommands = RunCommands()
    junit_xml: tuple[str, ...] = ()


class WorkspaceCheckSettings(StageSettings):
    """`enforcement.workspace_checks`: when the checks that `workspaces` configures are run, and what a FAIL means."""

    timeout_seconds: Seconds = 1200
    exhausted: Exhausted = Exhausted.DOWNGRADE


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
    """`enforcement`: the chain; the order of the stages is the order of the drawing and cannot be changed."""

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    max_retries: Annotated[Whole, Field(ge=0)] = 2
    breaker_rejections: Annotated[Whole, Field(ge=0)] = 3
    words: WordSettings = WordSettings()
    response_validator: ResponseValidatorSettings = ResponseValidatorSettings()
    review_gate: ReviewGateSettings = ReviewGateSettings()
    scope_guard: ScopeGuardSettings = ScopeGuardSettings()
    todo_tracker: TodoTrackerSettings = TodoTrackerSettings()
    claim_check: ClaimCheckSettings = ClaimCheckSettings()
    workspace_checks: WorkspaceCheckSettings = WorkspaceCheckSettings()


class CheckOf(StrEnum):
    """What a check is run on: the files as they are on disk, or the commit that is checked out."""

    WORKING_TREE = "working_tree"
    COMMIT = "commit"


class WorkspaceCheck(Section):
    """`workspaces.NAME.checks`: a command that the service itself runs before a completion or an approval is accepted.

    It runs in a clean work tree, in `directory` there, with `environment` and nothing else that is secret. The files
    that `from_base` names (a path, a directory with a slash at its end, a pattern) are those that were there when the
    turn began, whatever the agent made of them.
    """

    name: str
    argv: Annotated[tuple[str, ...], Field(min_length=1)]
    directory: str = "."
    timeout_seconds: Seconds = 300
    environment: Mapping[str, str] = Field(default_factory=dict)
    of: CheckOf = CheckOf.WORKING_TREE
    from_base: tuple[str, ...] = ()


class WorkspaceSettings(Section):
    """A repository that personas may work in, by name."""

    path: Path
    checks: tuple[WorkspaceCheck, ...] = ()


class ReviewRequirement(Section):
    """`reviews.require_review_for`: work that needs a review: of these personas, on these paths, of this size.

    Each that is set must hold; all unset: nothing needs a review. `changed_lines` counts added and removed lines.
    """

    personas: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    changed_lines: Count | None = None


class ReviewSettings(Section):
    """`reviews`: worker, reviewer, and back."""

    require_review_for: tuple[ReviewRequirement, ...] = ()
    reviewer: str = "reviewer"
    max_attempts: Count = 3


class Settings(BaseSettings):
    """All settings; the environment (`MAMA_POOL__SIZE=5`) stands above the file."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix=PREFIX,
        env_nested_delimiter=NESTING,
        nested_model_default_partial_update=True,
    )

    data_directory: Path = Path("data")
    personas_directory: Path = Path("personas")
    log: LogSettings = LogSettings()
    web: WebSettings = WebSettings()
    claude: ClaudeSettings = ClaudeSettings()
    pool: PoolSettings = PoolSettings()
    turns: TurnSettings = TurnSettings()
    queue: QueueSettings = QueueSettings()
    context: ContextSettings = ContextSettings()
    store: StoreSettings = StoreSettings()
    router: RouterSettings = RouterSettings()
    workspaces: Mapping[str, WorkspaceSettings] = Field(default_factory=dict)
    reviews: ReviewSettings = ReviewSettings()
    enforcement: EnforcementSettings = EnforcementSettings()
