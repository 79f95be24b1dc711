"""What the answers to commands say, in English and Korean; placeholders are filled by `str.format`."""

from collections.abc import Mapping
from dataclasses import dataclass

from mama_bot.wording import Said

STOPPING_SERVICE = Said(
    "The service is stopping. Send the message again in a moment.",
    "서비스를 멈추는 중입니다. 잠시 뒤에 다시 보내 주세요.",
)
EMPTY = Said("The message is empty. Write what the team should do.", "빈 메시지입니다. 팀이 할 일을 써 주세요.")
TOO_LONG = Said(
    "The message has {size:,} characters; at most {most:,} fit. Put the text into a file of the workspace and name the "
    "file, or send it in parts.",
    "메시지가 {size:,}자입니다. {most:,}자까지 보낼 수 있습니다. 글을 작업 공간의 파일에 넣고 그 이름을 쓰거나, 나누어 "
    "보내 주세요.",
)

OWNERS_DECIDE = Said("Only an owner can approve or deny this.", "승인과 거절은 소유자만 할 수 있습니다.")
YOUR_CODE = Said(
    "I do not know you yet. Your code is {code}: an owner confirms it with `mama-bot pair {code}` on the machine, "
    "or with the button that they were sent. Then write again.",
    "아직 모르는 분입니다. 코드는 {code} 입니다. 소유자가 서버에서 `mama-bot pair {code}` 명령을 실행하거나 "
    "받은 버튼을 누르면 연결됩니다. 그 뒤에 다시 써 주세요.",
)
PAIRED_NOW = Said("You are paired now. Write it again.", "이제 연결되었습니다. 다시 써 주세요.")
CONFIRMED = Said(
    "An owner confirmed your request: the team answers you now. Write here, or mention it in a channel.",
    "소유자가 요청을 승인했습니다. 이제 팀이 답합니다. 여기에 쓰거나 채널에서 팀을 멘션하세요.",
)
ASKS_TO_TALK = Said(
    "{who} wants to talk to the team on {platform}. Code {code}.",
    "{who} 님이 {platform}에서 팀과 대화하려고 합니다. 코드 {code}.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The phrases of one language."""

    team: str
    model: str
    default_model: str
    may_ask: str
    busy: str
    idle: str
    nothing_runs: str
    works: str
    starting: str
    tools: str
    sent_back: str
    next_up: str
    waits: str
    hears: str
    deaf: str
    deaf_reason: str
    queue_here: str
    queue_all: str
    stopping: str
    stopping_already: str
    cancelled: str
    nothing_to_stop: str
    reset: str
    reset_refused: str
    usage_title: str
    usage_head: tuple[str, str, str, str, str]
    everyone: str
    usage_none: str
    bad_days: str
    unknown_cost: str
    unknown_post: str
    receipt_none: str
    receipt_none_yet: str
    receipt_title: str
    unrecorded: str
    confirmed: str
    unsupported: str
    contradicted: str
    no_claims: str
    service_check: str
    passed: str
    failed: str
    exit_status: str
    unfinished: str
    figures: Mapping[str, str]
    commit: str
    dirty: str
    more: str
    reported: str
    nothing_to_report: str
    paired: str
    denied: str
    work_approved: str
    work_rejected: str
    no_such_approval: str
    help: str
    failed_command: str
    refusals: Mapping[str, str]


ENGLISH = Words(
    team="**The team**",
    model="model {model}",
    default_model="default model",
    may_ask="may ask {names}",
    busy="at work here",
    idle="idle here",
    nothing_runs="Nothing runs in this conversation.",
    works="**{name}** has been at work for {time}",
    starting="A message was just taken up.",
    tools="{n} tool calls",
    sent_back="sent back {n}×",
    next_up="Then: {names}.",
    waits="Messages that wait here: {n}.",
    hears="Connected: {names}.",
    deaf="**{name}** does not hear",
    deaf_reason="**{name}** does not hear: {reason}",
    queue_here="Here: {running} running, {waiting} waiting.",
    queue_all="In the whole service: {running} running, {waiting} waiting; there is room for {limit}.",
    stopping="Stopping what runs here. What waits behind it is not stopped: send /stop again for that.",
    stopping_already="It is being stopped already.",
    cancelled="Nothing ran here; the messages that waited are cancelled.",
    nothing_to_stop="Nothing runs or waits here.",
    reset="The agents begin anew here: they see nothing of what was said before. The messages stay in the history.",
    reset_refused="Somebody is at work here. Stop it first (/stop), then send /reset again.",
    usage_title="**The last {days} days**, in the whole service",
    usage_head=("Who", "Replies", "Sent back", "Tokens", "Cost"),
    everyone="All",
    usage_none="Nothing was written in the last {days} days.",
    bad_days="/usage takes a number of days from 1 to {most}, for example /usage 7.",
    unknown_cost="unknown",
    unknown_post="That message is no reply of the team that is known here. Answer a reply, or send the command alone.",
    receipt_none="There is no receipt for this reply: it claims nothing, and nothing was run for it.",
    receipt_none_yet="There is no receipt in this conversation yet.",
    receipt_title="**Receipt {number}** · {name} · `{hash}`",
    unrecorded="This agent does not report its tool calls: its claims were judged by their words alone.",
    confirmed="confirmed",
    unsupported="not shown by the record",
    contradicted="contradicted by the record",
    no_claims="It claims nothing that a record could show.",
    service_check="check by the service",
    passed="passed",
    failed="failed",
    exit_status="exit {n}",
    unfinished="not finished",
    figures={
        "passed": "{n} passed",
        "failed": "{n} failed",
        "errors": "{n} errors",
        "skipped": "{n} skipped",
        "deselected": "{n} deselected",
    },
    commit="commit `{commit}`",
    dirty="with changes",
    more="… and more: the page, or `mama-bot receipt {number}`, shows all.",
    reported="Reported as no. {number}. The text, the verdict and your note are kept for whoever runs this service.",
    nothing_to_report="No check objected to anything here of late: there is no verdict to report.",
    paired="`{name}` is served from now on.",
    denied="`{name}` is not served.",
    work_approved="Recorded: the work of {name} is approved, by you.",
    work_rejected="Recorded: the work of {name} is rejected, by you. The changes stay as they are: say what to mend.",
    no_such_approval="There is no open request with this code.",
    help=(
        "**How to talk to the team**\n"
        "- Mention the bot, answer one of its messages, or write to it directly.\n"
        "- `@name` asks one of the team: {mentions}. Without a name, {default} decides who works.\n"
        "- Messages of one conversation are answered one after the other.\n\n"
        "**Commands**\n{commands}"
    ),
    failed_command="The command could not be carried out: something went wrong inside the service. Try it again.",
    refusals={},
)

KOREAN = Words(
    team="**팀**",
    model="모델 {model}",
    default_model="기본 모델",
    may_ask="{names}에게 요청 가능",
    busy="이 대화에서 작업 중",
    idle="이 대화에서 쉬는 중",
    nothing_runs="이 대화에서 진행 중인 작업이 없습니다.",
    works="**{name}**: {time}째 작업 중",
    starting="방금 메시지를 받아 시작하고 있습니다.",
    tools="도구 {n}회",
    sent_back="돌려보냄 {n}회",
    next_up="다음: {names}.",
    waits="여기서 기다리는 메시지: {n}개.",
    hears="연결됨: {names}.",
    deaf="**{name}**: 메시지를 받지 못하고 있습니다",
    deaf_reason="**{name}**: 메시지를 받지 못하고 있습니다. {reason}",
    queue_here="이 대화: 진행 {running}, 대기 {waiting}.",
    queue_all="서비스 전체: 진행 {running}, 대기 {waiting}, 최대 {limit}.",
    stopping="진행 중인 작업을 멈춥니다. 뒤에서 기다리는 메시지는 남습니다. 취소하려면 /stop을 한 번 더 보내세요.",
    stopping_already="이미 멈추는 중입니다.",
    cancelled="진행 중인 작업은 없었고, 기다리던 메시지를 취소했습니다.",
    nothing_to_stop="진행 중이거나 기다리는 것이 없습니다.",
    reset="에이전트가 이 대화를 새로 시작합니다. 앞의 대화는 보지 않으며, 메시지는 기록에 남습니다.",
    reset_refused="지금 작업 중입니다. 먼저 /stop으로 멈춘 뒤 /reset을 다시 보내세요.",
    usage_title="**최근 {days}일**, 서비스 전체",
    usage_head=("누구", "답변", "돌려보냄", "토큰", "비용"),
    everyone="전체",
    usage_none="최근 {days}일 동안 쓴 글이 없습니다.",
    bad_days="/usage에는 1부터 {most}까지의 일수를 적으세요. 예: /usage 7",
    unknown_cost="알 수 없음",
    unknown_post="여기서 아는 팀의 답변이 아닙니다. 답변에 답장하거나 명령만 보내세요.",
    receipt_none="이 답변에는 근거 기록이 없습니다. 주장한 것도, 실행한 것도 없습니다.",
    receipt_none_yet="이 대화에는 아직 근거 기록이 없습니다.",
    receipt_title="**근거 {number}** · {name} · `{hash}`",
    unrecorded="이 에이전트는 도구 호출을 알리지 않아 글만 보고 판정했습니다.",
    confirmed="확인됨",
    unsupported="기록에 없음",
    contradicted="기록과 다름",
    no_claims="기록으로 확인할 주장은 없습니다.",
    service_check="서비스의 검사",
    passed="통과",
    failed="실패",
    exit_status="종료 코드 {n}",
    unfinished="끝나지 않음",
    figures={
        "passed": "통과 {n}",
        "failed": "실패 {n}",
        "errors": "오류 {n}",
        "skipped": "건너뜀 {n}",
        "deselected": "제외 {n}",
    },
    commit="커밋 `{commit}`",
    dirty="변경 있음",
    more="… 전체는 웹 페이지나 `mama-bot receipt {number}`에서 볼 수 있습니다.",
    reported="{number}번으로 신고했습니다. 글과 판정, 메모는 이 서비스를 운영하는 사람을 위해 보관됩니다.",
    nothing_to_report="최근에 검사가 지적한 것이 없어 신고할 판정이 없습니다.",
    paired="이제 `{name}` 님도 이용할 수 있습니다.",
    denied="`{name}` 님의 요청을 거절했습니다.",
    work_approved="기록했습니다: {name}의 작업을 승인했습니다.",
    work_rejected="기록했습니다: {name}의 작업을 거절했습니다. 변경은 그대로 있으니 고칠 점을 쓰세요.",
    no_such_approval="결정을 기다리는 요청이 없습니다. 이미 처리되었거나 기한이 지났습니다.",
    help=(
        "**팀과 대화하는 방법**\n"
        "- 봇을 멘션하거나, 봇의 메시지에 답장하거나, 직접 메시지를 보내세요.\n"
        "- `@이름`으로 한 사람에게 묻습니다: {mentions}. 이름이 없으면 {default}이(가) 나눕니다.\n"
        "- 한 대화의 메시지는 차례대로 답합니다.\n\n"
        "**명령**\n{commands}"
    ),
    failed_command="서비스 내부에 문제가 생겨 명령을 수행하지 못했습니다. 다시 시도해 주세요.",
    refusals={
        "already_reported": "이미 신고된 판정입니다.",
        "too_many_reports": "처리되지 않은 신고가 너무 많아 지금은 더 받을 수 없습니다.",
        "note_too_long": "메모가 너무 깁니다. 줄여 주세요.",
        "no_such_verdict": "이 대화에 그런 판정이 없습니다.",
        "nothing_objected": "이 답변을 지적한 검사가 없습니다.",
    },
)


def words(*, korean: bool) -> Words:
    """The phrases of a language."""
    return KOREAN if korean else ENGLISH


def elapsed(seconds: float, *, korean: bool) -> str:
    """A span of time, to the second."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    if korean:
        return f"{minutes}분 {rest}초" if minutes else f"{rest}초"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
