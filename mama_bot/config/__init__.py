"""Settings: `config.yaml` under the environment, secrets from the environment or a secrets file, parsed once."""

from mama_bot.config.accepted import STAGES, accepted_file, add_accepted, with_whitelisted
from mama_bot.config.budget_settings import BudgetReserve, BudgetSettings, Cap, TaskCap
from mama_bot.config.check_problems import warnings_of
from mama_bot.config.cron_lines import CronLine
from mama_bot.config.document import Document, nearest, nearest_name, parse_document, read_text
from mama_bot.config.enforcement_settings import (
    ClaimCheckSettings,
    ClaimPolicies,
    ClaimPolicy,
    DelegationCheckSettings,
    EnforcementSettings,
    EvidenceStrength,
    Mode,
    OnFailure,
    ResponseValidatorSettings,
    Retries,
    ReviewGateSettings,
    RunCommands,
    ScopeGuardSettings,
    StageSettings,
    TodoTrackerSettings,
)
from mama_bot.config.forge_settings import ForgePlace, ForgeSettings, PullRequestSettings, forge_place
from mama_bot.config.loader import OWN_NAME, SHARED_NAME, load_settings, mistake, sentence_of
from mama_bot.config.loop_settings import DriftSettings, LoopSettings
from mama_bot.config.mcp_settings import McpServerSettings
from mama_bot.config.page_problems import MIN_KEY_CHARACTERS
from mama_bot.config.platform_settings import (
    AccessSettings,
    PlatformSettings,
    SlackSettings,
    TelegramSettings,
    Threads,
)
from mama_bot.config.provision_settings import GitAccess, ProvisionSettings
from mama_bot.config.repository_problems import problems_of_source
from mama_bot.config.repository_settings import (
    ASKER,
    EVERYBODY,
    OWNERS,
    CheckInstall,
    CheckOf,
    CheckpointLevel,
    InstructionsFrom,
    RepositoryMode,
    RepositorySettings,
    WorkspaceCheck,
    WorkTreeSettings,
    is_skill_name,
    is_url,
)
from mama_bot.config.secret_files import secret_file_paths, with_secret_files
from mama_bot.config.settings import (
    AcpSettings,
    AgentSource,
    CategoryRule,
    ClaudeSettings,
    CliSettings,
    ConsensusSettings,
    ContainedPart,
    Containment,
    ContextSettings,
    DelegateWork,
    DelegationSettings,
    PoolSettings,
    QueueSettings,
    RetentionSettings,
    ReviewRequirement,
    ReviewSettings,
    RouterSettings,
    RuleSettings,
    ServiceRole,
    Settings,
    Steer,
    TurnSettings,
    WebSettings,
)
from mama_bot.config.templates import FieldPath, field_path, parse_template
from mama_bot.config.trigger_problems import problems_of_asked, problems_of_missing
from mama_bot.config.trigger_settings import HookKind, HookProof, ScheduleSettings, WebhookSettings
from mama_bot.config.variables import read_secrets
