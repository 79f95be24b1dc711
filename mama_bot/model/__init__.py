"""The nouns of mama-bot: frozen values, stripped of platform, CLI and database types."""

from mama_bot.model.access import Origin, Pairing, PairingState
from mama_bot.model.badges import Badge, BadgeKind, badge_of
from mama_bot.model.boards import (
    CONVERSATION_BOARD,
    MOST_PRIORITY,
    REPOSITORY_BOARD,
    USUAL_PRIORITY,
    BoardId,
    Contributor,
    Dependency,
    DependencyKind,
    ItemChange,
    ItemId,
    ItemQuery,
    ItemStatus,
    ListedItem,
    NewItem,
    NewTopicPost,
    TakenIn,
    TopicPost,
    TopicPostId,
    TopicSummary,
    WorkItem,
    board_of,
)
from mama_bot.model.budget_accounts import (
    Account,
    Balance,
    BudgetScope,
    BudgetUnit,
    DayOfSpending,
    RaisedCap,
    Spending,
    Spent,
)
from mama_bot.model.checked_out import (
    SCRATCH,
    Checkout,
    CheckoutState,
    MissingContents,
    RefusedOffer,
    RefusedServer,
    RepositoryView,
)
from mama_bot.model.claims import (
    TEST_FILES,
    UNREAD,
    WORST_FIRST,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimReceipt,
    ClaimState,
    Grade,
    HostCheck,
    ReceiptRun,
)
from mama_bot.model.commands import (
    ARGUMENTS,
    BUTTONS_ONLY,
    CHANGE_NAMED,
    DECIDING,
    DESCRIPTIONS,
    KOREAN_NAMES,
    WRITTEN_ALONE,
    Answer,
    Command,
    CommandName,
    Offer,
    written_command,
)
from mama_bot.model.conversations import (
    Attachment,
    Author,
    AuthorKind,
    ConversationKey,
    InboundMessage,
    Repeat,
)
from mama_bot.model.dead_letters import DeadLetter, LetterKind
from mama_bot.model.declarations import (
    Declaration,
    DeclaredOutcome,
    DeclaredVerdict,
    Misdeclared,
)
from mama_bot.model.delegated_work import (
    BringingPlan,
    BroughtHow,
    DelegateTree,
    StoredDelegateTree,
    WorkBrought,
    WorkPlace,
)
from mama_bot.model.enquiries import NOTHING_KNOWN, Enquiry, Standing
from mama_bot.model.examinations import Examination
from mama_bot.model.facts import (
    CHECK_KINDS,
    DEED_KINDS,
    CheckFact,
    CommandFact,
    DeedFact,
    Facts,
    FileFact,
    Freshness,
    LookFact,
    ReviewFact,
    Witness,
)
from mama_bot.model.hearing import Hearing
from mama_bot.model.hook_deliveries import (
    HookDelivery,
    HookIgnored,
    HookOutcome,
    HookRefusal,
    HookRefused,
    HookRepeated,
    HookStored,
    Unwanted,
)
from mama_bot.model.ids import (
    PAGE,
    ChangeId,
    DeedId,
    MessageId,
    Platform,
    PostId,
    SessionId,
    TurnId,
    repeated_id,
    text_hash,
    written_id,
)
from mama_bot.model.judgements import (
    Allow,
    Amend,
    Approval,
    Ask,
    Attempt,
    Block,
    Cleared,
    Decision,
    Evidence,
    Exhausted,
    Figure,
    FigureName,
    Finding,
    Judgement,
    Outcome,
    Phase,
    SentBack,
    StageVerdict,
    Verdict,
    Withheld,
)
from mama_bot.model.lacks import Lack, Need
from mama_bot.model.measures import (
    AgentMeasures,
    Goal,
    GoalMeasure,
    Measures,
    Objections,
    Percentiles,
    RetrySpending,
    Share,
)
from mama_bot.model.menus import (
    MENU_HANDLERS,
    SYSTEM_VARIABLES,
    ArgumentKind,
    CriticalAction,
    MenuArgument,
    MenuCommand,
    PersonaVariable,
    Requirement,
)
from mama_bot.model.message_standings import InLine, MessageStanding, StandingState, WaitingLine
from mama_bot.model.moments import AgentStops, Compacts, Moment, SessionStarts, ToolAsked, ToolEnded
from mama_bot.model.node_events import (
    CheckTold,
    CommandAnswered,
    CommandAsked,
    MessageCame,
    ModelWaited,
    NodeEvent,
    OwnersTold,
    PagePosted,
    QuestionSettled,
    SeenProgress,
    SessionsForgotten,
    StandingMarked,
    ToolSeen,
)
from mama_bot.model.own_text import OwnText, Trial
from mama_bot.model.parts import OutgoingFile, Part
from mama_bot.model.posts import (
    ContextEntry,
    Notice,
    NoticeKind,
    Post,
    Receipt,
    Reply,
    SharedContext,
    ToldBefore,
    language_of_post,
)
from mama_bot.model.progress_events import (
    AgentEvent,
    AttemptJudged,
    CheckSeen,
    LongText,
    ModelRetried,
    Progress,
    Prompt,
    Stopping,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnFinished,
    TurnStarted,
    TurnWorking,
    UsageTold,
)
from mama_bot.model.pull_requests import (
    CheckState,
    CommitChecks,
    ForgeAccess,
    ForgeCheck,
    ForgeKind,
    Mergeability,
    PullRequest,
    PullRequestProposal,
    PullRequestState,
    ReviewComment,
    ReviewOpinion,
    WatchedPullRequest,
)
from mama_bot.model.receipts import called_command, claims_of, host_checks_of, receipt_of
from mama_bot.model.reports import Report, ReportNote, ReportStanding, ReportState, objections
from mama_bot.model.repository_rules import GitRule, RuleEntry, changed_rules
from mama_bot.model.reviews import Review, ReviewMove, ReviewStatus, WorkDiff
from mama_bot.model.rule_records import MOST_FAILURE_CHARACTERS, RuleBlock, RuleRecord
from mama_bot.model.rule_states import MOST_COUNTERS, MOST_PATHS, ChecksState, RuleState, TaskState
from mama_bot.model.runs import (
    NO_COUNTS,
    CallReading,
    Counts,
    FileFate,
    FileTouch,
    LeftTree,
    Look,
    LookKind,
    Run,
    RunEnd,
    RunKind,
    TreeChange,
    WorkTreeState,
)
from mama_bot.model.team import AgentPersona, Checklist, Delegation, DelegationForm, Tier
from mama_bot.model.team_calls import TeamAnswer, TeamCall, TeamTool
from mama_bot.model.texts import well_formed, words
from mama_bot.model.tool_questions import (
    GRANTED,
    QUESTION_PREFIX,
    QuestionAnswer,
    QuestionState,
    StoredQuestion,
    ToolQuestion,
    question_reference,
    read_question_reference,
)
from mama_bot.model.tools import FILE_WRITERS, ToolCall, ToolKind, ToolTurn
from mama_bot.model.tree_diffs import DiffFile, TreeDiff, Unshown
from mama_bot.model.triggers import ScheduleStanding, TriggerPause
from mama_bot.model.troubles import Trouble, TroubleKind
from mama_bot.model.turns import (
    NO_SESSION,
    Audience,
    Draft,
    Reminders,
    ToolRecord,
    ToolRun,
    Turn,
    TurnKind,
    TurnState,
    Usage,
    session_name,
)
from mama_bot.model.views import (
    Added,
    ConversationSummary,
    ConversationView,
    Exchange,
    OutboxEntry,
    QueueState,
    StopAsked,
    StopScope,
    StoredTurn,
)
from mama_bot.model.work_deeds import (
    RIGHT_OF,
    Conflicting,
    ConflictingFile,
    ConflictKind,
    Deed,
    DeedOutcome,
    DeedPlan,
    DeedRequest,
    DeedRight,
    Discarded,
    DiscardPlan,
    DiscardWork,
    MergeBranch,
    Merged,
    MergePlan,
    NotDone,
    Opened,
    OpenPullRequest,
    PushBranch,
    Pushed,
    PushPlan,
    Refusal,
    Restored,
    RestoreWork,
    StoredDeed,
    TreeMark,
    UndoChange,
    Undone,
    UndoPlan,
    WorkChange,
)
from mama_bot.model.workflows import NO_WORKFLOW, StepStanding, WorkflowStanding
