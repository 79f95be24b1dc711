"""What a person is told of the order of work."""

from collections.abc import Mapping

from mama_bot.rules.active_workflow import ChosenBy
from mama_bot.rules.workflow import Edge
from mama_bot.wording import Said

WORKS_BY = Said(
    "Work here goes by the workflow **{name}** ({reason}):", "이 대화는 **{name}** 워크플로를 따릅니다({reason}):"
)
WORKS_BY_NONE = Said("Work here goes by no workflow ({reason}).", "이 대화는 워크플로를 따르지 않습니다({reason}).")
WORKFLOW_CHOSEN_BY: Mapping[ChosenBy, Said] = {
    ChosenBy.CHAT: Said("chosen for this chat", "이 대화에서 선택"),
    ChosenBy.REPOSITORY: Said("as its repository says", "저장소 설정"),
    ChosenBy.PERSONA: Said("as the persona says", "에이전트 설정"),
    ChosenBy.SERVICE: Said("the default", "기본값"),
}
EDGES: Mapping[Edge, Said] = {
    Edge.HARD: Said(": what comes later is refused before that", ": 그 전에는 다음 단계를 거부"),
    Edge.ASK: Said(
        ": what comes later is refused before that, then a person is asked", ": 그 전에는 거부, 그다음에는 승인 필요"
    ),
    Edge.SOFT: Said(": who goes on without it is warned", ": 건너뛰면 경고"),
}
LAST_EDGES: Mapping[Edge, Said] = {
    Edge.HARD: Said(": who stops without it is sent back once", ": 없이 끝내면 한 번 돌려보냄"),
}
OTHER_WORKFLOWS = Said(
    "An owner chooses another for this chat with `/workflow NAME`: {names}.",
    "소유자는 `/workflow 이름`으로 이 대화의 워크플로를 바꿀 수 있습니다: {names}.",
)
OWNERS_CHOOSE_WORKFLOWS = Said("Only an owner can choose the workflow.", "워크플로는 소유자만 고를 수 있습니다.")
NO_SUCH_WORKFLOW = Said("There is no workflow {name}. {meant}", "{name}: 없는 워크플로입니다. {meant}")
FROM_THE_NEXT_TURN = Said("It holds from the next turn on.", "다음 차례부터 적용됩니다.")
AT_STEP = Said("step {number} of {all}: {step} ({name})", "{all}단계 중 {number}: {step} ({name})")
ALL_SHOWN = Said("all steps shown ({name})", "모든 단계 확인 ({name})")
WORKFLOW_STOOD = Said("Workflow {name}: {steps}", "워크플로 {name}: {steps}")
