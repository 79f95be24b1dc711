"""What a person is told of what was spent and may be spent."""

from collections.abc import Mapping

from mama_bot.model import BudgetScope
from mama_bot.wording import Said

BUDGETS_TITLE = Said("**Budgets** (a day begins at 00:00 {zone})", "**예산** (하루는 {zone} 0시에 시작)")
BALANCE = Said(
    "- {scope}: {spent} of {most}, {left} left{held}{raised}", "- {scope}: {most} 중 {spent}, 남음 {left}{held}{raised}"
)
WITHOUT_CAP = Said("- {scope}: {spent}, no cap", "- {scope}: {spent}, 한도 없음")
HELD_NOW = Said(" ({amount} held by running work)", " (진행 중인 작업이 {amount} 예약)")
RAISED_TODAY = Said(", set by an owner for today", ", 소유자가 오늘만 조정")
BUDGET_USAGE = Said(
    "Write /budget alone, or /budget SCOPE AMOUNT: task, turn, conversation, agent NAME, person ID or day, and $5, "
    "20000 (tokens) or, for a task, 45m.",
    "/budget 만 쓰거나 /budget 범위 금액으로 쓰세요. 범위는 작업, 차례, 대화, 에이전트 이름, 사람 ID, 하루이고 "
    "금액은 $5, 20000(토큰), 작업은 45m도 됩니다.",
)
OWNERS_BUDGET = Said("Only an owner can change a budget.", "예산은 소유자만 바꿀 수 있습니다.")
NO_SUCH_AGENT = Said("There is no agent {name}. {meant}", "{name}: 없는 에이전트입니다. {meant}")
CAP_SET = Said(
    "Until 00:00 {zone}: {scope} may take {most}. What was stopped for it goes on with Continue.",
    "{zone} 0시까지 {scope}: {most}까지 쓸 수 있습니다. 멈춘 작업은 계속 버튼으로 이어집니다.",
)
PERSON_OF = Said("{subject} today", "오늘 {subject}")
TASKS_HERE = Said("each task here", "이 대화의 작업마다")
TURNS_HERE = Said("each turn here", "이 대화의 차례마다")
SCOPE_WORDS: Mapping[str, BudgetScope] = {
    **{scope.value: scope for scope in BudgetScope},
    "작업": BudgetScope.TASK,
    "차례": BudgetScope.TURN,
    "대화": BudgetScope.CONVERSATION,
    "에이전트": BudgetScope.AGENT,
    "사람": BudgetScope.PERSON,
    "하루": BudgetScope.DAY,
}
