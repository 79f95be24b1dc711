"""What people ask of the service itself, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from mama_bot.model.access import Origin
from mama_bot.model.conversations import Author, ConversationKey
from mama_bot.model.ids import Platform, PostId
from mama_bot.wording import Language, Said


class CommandName(StrEnum):
    """What can be asked by a command, or (the last three) by a button alone."""

    AGENTS = "agents"
    STATUS = "status"
    QUEUE = "queue"
    STOP = "stop"
    CANCEL = "cancel"
    TELL = "tell"
    RETRY = "retry"
    CONTINUE = "continue"
    REVIEW = "review"
    RESET = "reset"
    USAGE = "usage"
    BUDGET = "budget"
    RECEIPT = "receipt"
    REPORT = "report"
    REPO = "repo"
    WORKFLOW = "workflow"
    DIFF = "diff"
    UNDO = "undo"
    REDO = "redo"
    MERGE = "merge"
    DISCARD = "discard"
    RESTORE = "restore"
    PUSH = "push"
    PR = "pr"
    ITEMS = "items"
    TOPICS = "topics"
    SCHEDULES = "schedules"
    APPROVE = "approve"
    DENY = "deny"
    ANSWER = "answer"
    HELP = "help"
    ALWAYS = "always"
    RENAME = "rename"
    DELETE = "delete"


BUTTONS_ONLY = frozenset({CommandName.ALWAYS, CommandName.RENAME, CommandName.DELETE})
DECIDING = frozenset({CommandName.APPROVE, CommandName.DENY, CommandName.ALWAYS, CommandName.ANSWER})

# What a platform's menu of commands shows; at most 100 characters (Discord).
DESCRIPTIONS: Mapping[CommandName, Said] = {
    CommandName.AGENTS: Said("Who is in the team, and what each can do", "팀에 누가 있고 무엇을 하는지"),
    CommandName.STATUS: Said(
        "What runs in this conversation, and for how long", "이 대화에서 무엇이 얼마나 진행 중인지"
    ),
    CommandName.QUEUE: Said("What waits, here and in the whole service", "이 대화와 서비스 전체에서 기다리는 메시지"),
    CommandName.STOP: Said(
        "Stop what runs here, or what waits when nothing runs; 2: one branch of it; all: both",
        "진행 중인 작업을 멈춤 (없으면 기다리는 메시지를 취소). 2: 그 가지 하나만, all: 둘 다",
    ),
    CommandName.CANCEL: Said(
        "Cancel what waits here; what runs goes on", "기다리는 메시지를 취소 (진행 중인 작업은 계속)"
    ),
    CommandName.TELL: Said(
        "Tell the agent at work now what you wrote and waits here", "기다리는 메시지를 작업 중인 에이전트에게 바로 전달"
    ),
    CommandName.RETRY: Said(
        "Ask again what failed last, from the beginning", "마지막으로 실패한 요청을 처음부터 다시 요청"
    ),
    CommandName.CONTINUE: Said(
        "Let the agent go on where its last turn was cut off", "에이전트가 끊긴 곳에서 이어서 작업"
    ),
    CommandName.REVIEW: Said(
        "Have another agent review the work of the latest reply", "마지막 답변의 작업을 다른 에이전트가 리뷰"
    ),
    CommandName.RESET: Said(
        "Begin anew here: the agents forget this conversation", "새로 시작: 에이전트가 이 대화를 잊음"
    ),
    CommandName.USAGE: Said("Tokens, cost and verdicts of the last days", "최근 토큰, 비용, 판정"),
    CommandName.BUDGET: Said(
        "What may still be spent here; SCOPE AMOUNT: another cap for today (owners)",
        "남은 예산. 범위와 금액: 오늘의 한도를 바꿈 (소유자)",
    ),
    CommandName.RECEIPT: Said(
        "What stands behind the latest reply: commands, results, checks", "마지막 답변의 근거: 명령, 결과, 검사"
    ),
    CommandName.REPORT: Said(
        "Report that the latest verdict was wrong, or a reply that passed; with a note if you like",
        "마지막 판정이나 통과한 답변이 잘못되었다고 신고 (메모 가능)",
    ),
    CommandName.REPO: Said(
        "Which repository this conversation works in, and what stands there", "이 대화가 작업하는 저장소와 그 상태"
    ),
    CommandName.WORKFLOW: Said(
        "In which order work is done here, and how far it is", "이 대화에서 작업하는 순서와 진행 단계"
    ),
    CommandName.DIFF: Said(
        "Show what the latest reply changed; all: everything since the work began",
        "마지막 답변이 바꾼 내용을 표시. all: 작업을 시작한 뒤의 변경 전체",
    ),
    CommandName.UNDO: Said(
        "Take back what the latest turn changed; nothing that came after is lost",
        "마지막 차례의 변경을 되돌림 (그 뒤의 변경은 그대로)",
    ),
    CommandName.REDO: Said("Bring back what was undone last", "마지막으로 되돌린 변경을 되살림"),
    CommandName.MERGE: Said(
        "Merge the work of this conversation into the branch it began from", "이 대화의 작업을 시작한 브랜치에 병합"
    ),
    CommandName.DISCARD: Said(
        "Put the work of this conversation away and begin anew", "이 대화의 작업을 치워 두고 새로 시작"
    ),
    CommandName.RESTORE: Said("Bring back the work that was discarded last", "마지막으로 버린 작업을 되살림"),
    CommandName.PUSH: Said(
        "Push the branch of this conversation to its repository (owners)", "이 대화의 브랜치를 저장소에 푸시 (소유자)"
    ),
    CommandName.PR: Said(
        "Open a pull request of this conversation's branch, or show the open one (owners)",
        "이 대화의 브랜치로 풀 리퀘스트를 열거나 열린 것을 보기 (소유자)",
    ),
    CommandName.ITEMS: Said(
        "What the team has to do here; ready, all, one by its id; add TITLE, close ID REASON",
        "이 저장소에서 할 일. ready, all, 번호. add 제목, close 번호 이유",
    ),
    CommandName.TOPICS: Said("What the agents told each other here, by topic", "에이전트들이 주제별로 주고받은 글"),
    CommandName.SCHEDULES: Said(
        "What asks here without a person, and when next; owners let it rest", "사람 없이 요청하는 일정과 훅, 다음 시각"
    ),
    CommandName.APPROVE: Said(
        "Let a call run that an agent waits with; NUMBER always: and what its rule asks here later",
        "에이전트가 기다리는 호출을 허용. 번호 뒤에 always: 이 대화에서는 같은 규칙을 계속 허용",
    ),
    CommandName.DENY: Said(
        "Deny a call that an agent waits with, with a reason if you like", "에이전트가 기다리는 호출을 거절 (이유 가능)"
    ),
    CommandName.ANSWER: Said(
        "Answer what an agent asks: NUMBER and your words, or the number of a choice",
        "에이전트의 질문에 답변. 질문 번호와 답 또는 선택지 번호",
    ),
    CommandName.HELP: Said("How to talk to the team", "팀과 대화하는 방법"),
}
# The same commands as somebody types them who writes Korean: `/상태` is `/status`.
KOREAN_NAMES: Mapping[str, CommandName] = {
    "팀": CommandName.AGENTS,
    "에이전트": CommandName.AGENTS,
    "상태": CommandName.STATUS,
    "대기": CommandName.QUEUE,
    "대기열": CommandName.QUEUE,
    "중지": CommandName.STOP,
    "정지": CommandName.STOP,
    "취소": CommandName.CANCEL,
    "전달": CommandName.TELL,
    "재시도": CommandName.RETRY,
    "다시": CommandName.RETRY,
    "계속": CommandName.CONTINUE,
    "리뷰": CommandName.REVIEW,
    "초기화": CommandName.RESET,
    "사용량": CommandName.USAGE,
    "예산": CommandName.BUDGET,
    "근거": CommandName.RECEIPT,
    "영수증": CommandName.RECEIPT,
    "신고": CommandName.REPORT,
    "저장소": CommandName.REPO,
    "워크플로": CommandName.WORKFLOW,
    "변경": CommandName.DIFF,
    "되돌리기": CommandName.UNDO,
    "되살리기": CommandName.REDO,
    "병합": CommandName.MERGE,
    "버리기": CommandName.DISCARD,
    "복원": CommandName.RESTORE,
    "푸시": CommandName.PUSH,
    "풀리퀘스트": CommandName.PR,
    "할일": CommandName.ITEMS,
    "주제": CommandName.TOPICS,
    "일정": CommandName.SCHEDULES,
    "승인": CommandName.APPROVE,
    "거절": CommandName.DENY,
    "답변": CommandName.ANSWER,
    "도움말": CommandName.HELP,
}
ARGUMENTS: Mapping[CommandName, Said] = {
    CommandName.STOP: Said("all: also what waits", "all: 기다리는 메시지도"),
    CommandName.USAGE: Said("How many days back", "며칠 전까지"),
    CommandName.BUDGET: Said("task, person, day …, and $5 or 20000", "작업, 사람, 하루 등과 $5 또는 20000"),
    CommandName.MERGE: Said("anyway: also what is not in order", "anyway: 문제가 있어도"),
    CommandName.DIFF: Said("all: everything since the work began", "all: 작업 전체"),
    CommandName.RECEIPT: Said("The number of a receipt", "근거의 번호"),
    CommandName.REPORT: Said(
        "What is wrong; missed: a reply that passed; #12: of that receipt; a rule: of what it stopped",
        "무엇이 잘못되었는지. 놓침: 통과한 답변. #12: 그 근거의 답변. 규칙 이름: 그 규칙이 막은 호출",
    ),
    CommandName.PR: Said("Its title", "제목"),
    CommandName.REPO: Said("Another repository for this channel (owners)", "이 채널의 다른 저장소 (소유자)"),
    CommandName.WORKFLOW: Said("Another workflow for this chat (owners)", "이 대화의 다른 워크플로 (소유자)"),
    CommandName.APPROVE: Said("The number of the question; always: from now on", "질문 번호. always: 앞으로도 계속"),
    CommandName.DENY: Said("The number of the question, and why", "질문 번호와 이유"),
    CommandName.ANSWER: Said("The number of the question, and the answer", "질문 번호와 답"),
    CommandName.HELP: Said("What one command does", "명령 하나의 설명"),
    CommandName.ITEMS: Said(
        "ready, all, an id, add TITLE, close ID REASON", "ready, all, 번호, add 제목, close 번호 이유"
    ),
    CommandName.TOPICS: Said("The name of a topic", "주제 이름"),
    CommandName.SCHEDULES: Said("pause NAME, or resume NAME (owners)", "pause 이름 또는 resume 이름 (소유자)"),
}
# What stands behind these is no part of them, and they do something: written on, they are refused.
WRITTEN_ALONE = frozenset(
    {
        *(CommandName.UNDO, CommandName.REDO, CommandName.DISCARD, CommandName.RESTORE, CommandName.PUSH),
        *(CommandName.RESET, CommandName.CANCEL, CommandName.TELL, CommandName.RETRY, CommandName.CONTINUE),
    }
)
# Before the change that a button of the service is about, where the button stands under none of its posts.
CHANGE_NAMED = "change-"
# How a command is typed where its name with a slash is not enough: some of them belong to the platform.
_WRITTEN: Mapping[Platform, str] = {Platform("slack"): "/mama {name}"}


def written_command(name: CommandName, platform: Platform) -> str:
    """Return what a person types for a command on a platform."""
    return _WRITTEN.get(platform, "/{name}").format(name=name.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command or a pressed button; it is answered at once, outside the conversation's queue.

    `argument` is what stands behind the name (for APPROVE, DENY and ALWAYS
    what is approved, by id or number). `platform_id` is the
    platform's id of the message that the button stands under, or that the command answers: RECEIPT and REPORT are
    about it, or about the latest reply where it is "". `post_id` says the same where the gateway knows it.
    `language` is that of the answer.
    """

    name: CommandName
    key: ConversationKey
    author: Author
    origin: Origin
    argument: str = ""
    platform_id: str = ""
    post_id: PostId | None = None
    language: Language = Language.ENGLISH


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A command that whoever was answered may give by a button, `label` being what stands on it."""

    name: CommandName
    label: str
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command led to, as Markdown, and what to offer below it.

    `done` is false when it could not be carried out, and the text says why.
    """

    text: str
    done: bool = True
    offers: tuple[Offer, ...] = ()
