"""The sections of the settings: frozen, closed to unknown keys."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from mama_bot.config.budget_settings import BudgetSettings
from mama_bot.config.enforcement_settings import EnforcementSettings
from mama_bot.config.forge_settings import PullRequestSettings
from mama_bot.config.loop_settings import DriftSettings, LoopSettings
from mama_bot.config.mcp_settings import McpServerSettings
from mama_bot.config.platform_settings import DiscordSettings, SlackSettings, TelegramSettings
from mama_bot.config.repository_settings import RepositorySettings, WorkTreeSettings
from mama_bot.config.section import Count, Number, PortRange, Seconds, Section, Whole
from mama_bot.config.trigger_settings import ScheduleSettings, WebhookSettings
from mama_bot.log import LogFormat, LogLevel

PREFIX = "MAMA_"
NESTING = "__"


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
    max_age_seconds: Seconds = 21_600
    start_failures: Count = 5
    start_rest_seconds: Seconds = 60


class Containment(StrEnum):
    """Whether agents run in a sandbox."""

    WHEN_POSSIBLE = "when_possible"
    REQUIRED = "required"
    NEVER = "never"


class ContainedPart(StrEnum):
    """What a sandbox holds in: files, connections by TCP, signals, and sockets with a path or an abstract name."""

    FILES = "files"
    CONNECTIONS = "connections"
    SIGNALS = "signals"
    SOCKETS = "sockets"


class LimitSettings(Section):
    """`sandbox.limits`: how much of this machine one agent or check may take, with all that it starts.

    `file_megabytes` is the largest file that it may write, `free_disk_megabytes` what it leaves free on a disk.
    """

    processes: Count = 512
    memory_megabytes: Count = 4096
    file_megabytes: Count = 8192
    free_disk_megabytes: Annotated[Whole, Field(ge=0)] = 512


class SandboxSettings(Section):
    """`sandbox`: what agents reach of this machine beside their workspace.

    Further paths may be read, or written; `connect` are further ports that they may connect to, as 5432 or "7000-7010",
    `sockets` sockets that they may use. What `may_lack` names is not asked for where a sandbox is required.
    """

    mode: Containment = Containment.WHEN_POSSIBLE
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    connect: tuple[PortRange, ...] = ()
    sockets: tuple[Path, ...] = ()
    may_lack: tuple[ContainedPart, ...] = ()
    limits: LimitSettings = LimitSettings()


class ClaudeSettings(Section):
    """`claude`: the claude CLI."""

    source: AgentSource = AgentSource.AUTO
    cli_path: Path | None = None
    model: str = "claude-sonnet-4-5"
    fallback_model: str | None = None
    max_turns: Count = 80
    max_budget_usd: Annotated[Number, Field(gt=0)] = 5.0
    api_retries: Annotated[Whole, Field(ge=0, le=10)] = 10
    patience_seconds: Seconds = 120
    api_timeout_seconds: Seconds = 300
    start_seconds: Seconds = 60
    first_event_seconds: Seconds = 60
    silence_seconds: Seconds = 420
    in_turn_retries: Annotated[Whole, Field(ge=0, le=6)] = 2
    in_turn_seconds: Seconds = 600


class AcpSettings(Section):
    """`acp`: whatever agent is spoken to over the Agent Client Protocol."""

    start_seconds: Seconds = 60
    silence_seconds: Seconds = 600
    in_turn_seconds: Seconds = 600


class CliSettings(AcpSettings):
    """`gemini`, `opencode`, `codex`: one of the CLIs that are spoken to over it."""

    cli_path: Path | None = None
    model: str | None = None


class Steer(StrEnum):
    """When an agent at work is told of a message of whoever it works for: at once, or when they ask for it."""

    AT_ONCE = "at_once"
    ON_REQUEST = "on_request"


class TurnSettings(Section):
    """`turns`: how exchanges run."""

    concurrency: Count = 8
    deadline_seconds: Seconds = 1800
    hop_budget: Annotated[Whole, Field(ge=0)] = 8
    delegation_seconds: Seconds = 1500
    answer_seconds: Seconds = 900
    crash_retries: Annotated[Whole, Field(ge=0)] = 2
    drain_seconds: Annotated[Number, Field(ge=0)] = 20
    steer: Steer = Steer.AT_ONCE


class DelegateWork(StrEnum):
    """What becomes of a delegation's work, where a conversation works in a repository: it is made in a work tree of its
    own and merged into the sender's, or left on a branch; or all work in one work tree.
    """

    MERGED = "merged"
    BRANCH = "branch"
    SHARED = "shared"


class DelegationSettings(Section):
    """`delegation`: where those work to whom an agent hands something on."""

    work_trees: DelegateWork = DelegateWork.MERGED


class QueueSettings(Section):
    """`queue`: messages that wait."""

    limit: Count = 2000
    per_conversation: Count = 500


class ContextSettings(Section):
    """`context`: what an agent sees of the conversation."""

    max_tokens: Count = 6_000


class AlarmSettings(Section):
    """`alarms`: when owners are told, in their direct messages, that the service is not well."""

    enabled: bool = True
    deaf_seconds: Seconds = 120
    unwritable_seconds: Seconds = 30
    free_disk_megabytes: Annotated[Whole, Field(ge=0)] = 1024
    look_seconds: Seconds = 10
    well_seconds: Annotated[Number, Field(ge=0)] = 60


class BackupSettings(Section):
    """`backups`: made by the service itself while it runs; without a directory, in `backups` of the data directory."""

    every_hours: Annotated[Number, Field(ge=0, le=8760)] = 0
    keep: Count = 7
    everything: bool = False
    directory: Path | None = None


class RetentionSettings(Section):
    """`retention`: after how many days, and beyond which size of the database, finished conversations are deleted."""

    days: Annotated[Whole, Field(ge=0)] = 0
    megabytes: Annotated[Whole, Field(ge=0)] = 0


class ReloadSettings(Section):
    """`reload`: how often the files of the settings are looked at while the service runs; 0: never."""

    look_seconds: Annotated[Number, Field(ge=0)] = 2


class ServiceRole(StrEnum):
    """What a process does: ALL; or, as one of several nodes, connections to platforms, agents, or the page."""

    ALL = "all"
    GATEWAY = "gateway"
    WORKER = "worker"
    PAGE = "page"


class NodeSettings(Section):
    """`nodes`: how processes that each have a role share the work; the same for all of them.

    One that was silent for so long is taken over by the others. In a `shared_directory`, which each of them reaches by
    that path, are the files of conversations: then any worker goes on with any of them. At `health_port` of
    `health_host` a node says how it is, from its start on.
    """

    silence_seconds: Annotated[Number, Field(ge=2, le=300)] = 20
    shared_directory: Path | None = None
    health_host: str = "127.0.0.1"
    health_port: Annotated[int, Field(ge=0, le=65535)] = 0


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


class ReviewRequirement(Section):
    """`reviews.require_review_for`: work that needs a review: of these personas, on these paths, of this size.

    Each that is set must hold; all unset: nothing needs a review. `changed_lines` counts added and removed lines.
    """

    personas: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    changed_lines: Count | None = None


class ConsensusSettings(Section):
    """`reviews.consensus`: who reviews at once in the place of `reviews.reviewer`, and how many of them decide."""

    reviewers: tuple[str, ...] = ()
    quorum: Annotated[int, Field(ge=1)] = 2


class ReviewSettings(Section):
    """`reviews`: worker, reviewer, and back."""

    require_review_for: tuple[ReviewRequirement, ...] = ()
    reviewer: str = "reviewer"
    consensus: ConsensusSettings = ConsensusSettings()
    max_attempts: Count = 3

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who reviews: several at once, or one."""
        return self.consensus.reviewers or (self.reviewer,)


# What a key of the top level became where renaming it would change what it means.
FORMER = {
    "workspaces": "'workspaces' are 'repositories' now: for each of them write `source:` in place of `path:`, and "
    "`mode: in_place` where the team shall go on working in that very directory.",
}


class RuleSettings(Section):
    """`rules`: which rules of tools are switched off or on, by name, what they guard, and the order of work.

    `workflow` is what work is held to where neither the chat, nor its repository, nor the persona names another. After
    `give_up_after_blocks` blocked calls a turn gets no further try (0: rules leave that alone).
    """

    disabled: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()
    protected_branches: tuple[str, ...] = ("main", "master")
    workflow: str = "light"
    approval_seconds: Annotated[float, Field(ge=1, le=86_400)] = 600.0
    failures_to_open: Annotated[int, Field(ge=1, le=1_000)] = 3
    cooldown_seconds: Annotated[float, Field(ge=1, le=86_400)] = 300.0
    give_up_after_blocks: Annotated[Whole, Field(ge=0, le=20)] = 0


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
    rules_directory: Path = Path("rules")
    log: LogSettings = LogSettings()
    web: WebSettings = WebSettings()
    discord: DiscordSettings = DiscordSettings()
    slack: SlackSettings = SlackSettings()
    telegram: TelegramSettings = TelegramSettings()
    claude: ClaudeSettings = ClaudeSettings()
    gemini: CliSettings = CliSettings()
    opencode: CliSettings = CliSettings()
    codex: CliSettings = CliSettings()
    acp: AcpSettings = AcpSettings()
    pool: PoolSettings = PoolSettings()
    sandbox: SandboxSettings = SandboxSettings()
    turns: TurnSettings = TurnSettings()
    budgets: BudgetSettings = BudgetSettings()
    loops: LoopSettings = LoopSettings()
    drift: DriftSettings = DriftSettings()
    queue: QueueSettings = QueueSettings()
    context: ContextSettings = ContextSettings()
    store: StoreSettings = StoreSettings()
    nodes: NodeSettings = NodeSettings()
    alarms: AlarmSettings = AlarmSettings()
    reload: ReloadSettings = ReloadSettings()
    backups: BackupSettings = BackupSettings()
    retention: RetentionSettings = RetentionSettings()
    router: RouterSettings = RouterSettings()
    variables: Mapping[str, str] = Field(default_factory=dict)
    repositories: Mapping[str, RepositorySettings] = Field(default_factory=dict)
    default_repository: str = ""
    mcp_servers: Mapping[str, McpServerSettings] = Field(default_factory=dict)
    skills_directory: Path = Path("skills")
    work_trees: WorkTreeSettings = WorkTreeSettings()
    delegation: DelegationSettings = DelegationSettings()
    pull_requests: PullRequestSettings = PullRequestSettings()
    schedules: Mapping[str, ScheduleSettings] = Field(default_factory=dict)
    webhooks: Mapping[str, WebhookSettings] = Field(default_factory=dict)
    reviews: ReviewSettings = ReviewSettings()
    enforcement: EnforcementSettings = EnforcementSettings()
    rules: RuleSettings = RuleSettings()
