"""What is said of the open items of a delegation, to the agent and to people."""

from mama_bot.wording import Said

OPEN = Said("{left} of {items} items are open.", "항목 {items}개 중 {left}개가 남았습니다.")
REMINDER = Said(
    "Still open from EXPECTED OUTCOME ({left}): {listed}. Finish them, or say why they stay open.",
    "EXPECTED OUTCOME 중 남은 항목({left}): {listed}. 마무리하거나, 남겨 두는 이유를 쓰세요.",
)
NO_PROGRESS = Said(
    "No progress for {turns:turn|turns in a row}, so no further reminder. Still open ({left}): {listed}",
    "{turns}번 연속으로 새로 끝난 항목이 없어 더는 알리지 않습니다. 남은 항목({left}): {listed}",
)
