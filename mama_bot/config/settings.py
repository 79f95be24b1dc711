"""The sections of the settings: frozen, closed to unknown keys."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from mama_bot.log import LogFormat, LogLevel
from mama_bot.model import Exhausted

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


class ReviewGateSettings(StageSettings):
    """`enforcement.review_gate`."""

    least_evidence: EvidenceStrength = EvidenceStrength.NAMED_CHECK
    exhausted: Exhausted = Exhausted.DOWNGRADE
    whitelist: tuple[str, ...] = ()


class ScopeGuardSettings(StageSettings):
    """`enforcement.scope_guard`."""

    violation_threshold: Count = 3
    always_expected: tuple[str, ...] = ("*.lock", "package-lock.json", "__pycache__/*", "*.pyc")


class TodoTrackerSettings(StageSettings):
    """`enforcement.todo_tracker`."""

    on_failure: OnFailure = OnFailure.ALLOW
    reminder: bool = True


class EnforcementSettings(Section):
    """`enforcement`: the chain; the order of the stages is the order of the drawing and cannot be changed."""

    enabled: bool = True
    mode: Mode = Mode.ENFORCE
    max_retries: Annotated[Whole, Field(ge=0)] = 2
    response_validator: ResponseValidatorSettings = ResponseValidatorSettings()
    review_gate: ReviewGateSettings = ReviewGateSettings()
    scope_guard: ScopeGuardSettings = ScopeGuardSettings()
    todo_tracker: TodoTrackerSettings = TodoTrackerSettings()


class WorkspaceSettings(Section):
    """A repository that personas may work in, by name."""

    path: Path


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
    enforcement: EnforcementSettings = EnforcementSettings()
