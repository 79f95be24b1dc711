"""What the core asks of the outside world, and what the outside world may ask of the core."""

from mama_bot.protocols.agents import (
    AgentBackend,
    AgentSession,
    AtStop,
    CallReader,
    CallTeam,
    Declarations,
    Meanwhile,
    TeamTools,
    WorkTrees,
)
from mama_bot.protocols.board_records import Items, Topics
from mama_bot.protocols.budget_records import SpendingRecords
from mama_bot.protocols.checkout_records import CheckoutRecords
from mama_bot.protocols.clock import Clock
from mama_bot.protocols.deed_records import DeedRecords
from mama_bot.protocols.delegate_tree_records import DelegateTreeRecords
from mama_bot.protocols.event_channels import NodeEvents
from mama_bot.protocols.forges import Forge, PullRequestRecords
from mama_bot.protocols.gateways import (
    ConversationHistory,
    Gateway,
    GatewayState,
    Inlet,
    KeptConversations,
    Measurements,
    Receipts,
    VerdictReports,
)
from mama_bot.protocols.hooks import HookDesk
from mama_bot.protocols.judges import Approver, Judge, LeasedSession, SessionPool, SessionWatch, TextJudge, ToolGuard
from mama_bot.protocols.question_records import ToolQuestions
from mama_bot.protocols.rule_stores import RuleRecords, RuleReports, RuleStates, WorkflowChoices
from mama_bot.protocols.stores import (
    ContextStore,
    Inbox,
    Outbox,
    OutboxBell,
    Pairings,
    Posted,
    ReviewDecisions,
    ReviewStates,
    Stops,
    TurnStore,
)
from mama_bot.protocols.transcript_records import SessionTranscripts
from mama_bot.protocols.workspace_changes import ChangedFiles, LineCounts, PresentFiles, Standings
