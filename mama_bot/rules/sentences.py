"""What people read of rules that fail."""

from mama_bot.wording import Said

OPENED_QUESTION = Said(
    "The rule {rule} is not working, so nobody checked this call. May it run?",
    "규칙 {rule:이/가} 작동하지 않아 이 호출을 아무것도 확인하지 못했습니다. 실행할까요?",
)
RULE_OPENED = Said(
    "The rule {rule} failed {count:time|times} in a row and is left out for now. {holds} Last failure: `{failure}`",
    "규칙 {rule:이/가} 연속으로 {count}번 실패하여 당분간 제외됩니다. {holds} 마지막 오류: `{failure}`",
)
ASKED_ABOUT = Said("Each call that it is about waits for a person.", "해당하는 호출은 모두 사람의 승인을 기다립니다.")
HELD_UP = Said("What it is about is held up.", "해당하는 동작은 막힙니다.")
RUNS = Said(
    "What it is about runs; agents are told to keep to it.", "해당하는 호출은 실행되며, 에이전트에게 지키라고 알립니다."
)
RULE_CLOSED = Said("The rule {rule} works again.", "규칙 {rule:이/가} 다시 작동합니다.")
