"""What the chain itself says: the signs before banners, attempts that are spent, stages that failed."""

from mama_bot.model import Verdict
from mama_bot.wording import Said

MARKED = {
    Verdict.PASSED: Said("ℹ️ Note: {banner}", "ℹ️ 참고: {banner}"),
    Verdict.NOTED: Said("ℹ️ Note: {banner}", "ℹ️ 참고: {banner}"),
    Verdict.NEEDS_REVIEW: Said("⚠️ NEEDS_REVIEW: {banner}", "⚠️ NEEDS_REVIEW: {banner}"),
}
SPENT = Said("{reason} ({count:attempt|attempts})", "{reason} ({count}회 시도)")
NOT_CARRIED_OUT = Said(
    "The check {stage} could not be carried out.",
    "검사 {stage:을/를} 실행하지 못했습니다.",
)
NOBODY_ASKED = Said(
    "{reason} Nobody can be asked yet, so the reply is held back: {question}",
    "{reason} 아직 물어볼 수 없어 답변을 보류합니다: {question}",
)
DELEGATIONS_NOT_READ = Said(
    "What this reply asks of others could not be read, and nothing of it is carried out.",
    "이 답변이 다른 에이전트에게 맡긴 일을 읽지 못해 아무것도 실행하지 않습니다.",
)
