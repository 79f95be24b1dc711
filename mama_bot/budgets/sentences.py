"""What people are told of budgets."""

from collections.abc import Mapping

from mama_bot.model import Balance, BudgetScope, BudgetUnit
from mama_bot.wording import Said

AMOUNTS: Mapping[BudgetUnit, Said] = {
    BudgetUnit.TOKENS: Said("{amount:,.0f} tokens", "{amount:,.0f}토큰"),
    BudgetUnit.USD: Said("${amount:,.2f}", "${amount:,.2f}"),
    BudgetUnit.SECONDS: Said("{amount:,.0f} s of work", "작업 {amount:,.0f}초"),
}
SCOPES: Mapping[BudgetScope, Said] = {
    BudgetScope.TASK: Said("this task", "이 작업"),
    BudgetScope.TURN: Said("this turn", "이 차례"),
    BudgetScope.CONVERSATION: Said("this conversation today", "오늘 이 대화"),
    BudgetScope.AGENT: Said("{subject} today", "오늘 {subject}"),
    BudgetScope.PERSON: Said("whoever asked, today", "오늘 요청한 사람"),
    BudgetScope.DAY: Said("the whole service today", "오늘 서비스 전체"),
}
LEAST_SHOWN = 0.01
NEXT_TO_NOTHING = Said("less than $0.01", "$0.01 미만")
CAP_REACHED = Said(
    "the budget of {scope} is spent ({spent} of {most}{held}).",
    "{scope}의 예산을 다 썼습니다({most} 중 {spent}{held}).",
)
HELD = Said(", {amount} more held by running work", ", 진행 중인 작업이 {amount} 예약")
NEW_TASK = Said(
    "A new message, or Continue, begins with a new one; an owner raises it with `/budget {scope} {example}`.",
    "새 메시지나 계속 버튼은 새 예산으로 시작합니다. 소유자는 `/budget {scope} {example}` 명령으로 늘릴 수 있습니다.",
)
NEW_DAY = Said(
    "It begins anew at 00:00 {zone}; an owner raises it until then with `/budget {scope} {example}`.",
    "{zone} 0시에 다시 시작합니다. 소유자는 `/budget {scope} {example}` 명령으로 그때까지 늘릴 수 있습니다.",
)
WITH_WAY = Said("{reached} {way}", "{reached} {way}")


def amount(unit: BudgetUnit, value: float) -> Said:
    """Return an amount with its unit: `amount(BudgetUnit.USD, 1.5)` is "$1.50"."""
    if unit is BudgetUnit.USD and 0 < value < LEAST_SHOWN:
        return NEXT_TO_NOTHING
    return AMOUNTS[unit].of(amount=value)


def scope_words(balance: Balance) -> Said:
    """Return whose budget it is."""
    return SCOPES[balance.scope].of(subject=balance.subject)
