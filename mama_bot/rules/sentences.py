"""What people read of rules: of those that fail, and of what is wrong in their files."""

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

CHANGED_BEFORE = Said(
    "{rule} would change {argument!r} too, which an earlier rule changed",
    "앞선 규칙이 바꾼 {argument!r:을/를} {rule}도 바꾸려고 합니다",
)

# An example that came out otherwise than its rule says.
NOT_DONE = Said("{place}: {rule} {deed}: {example}", "{place}: {rule:이/가} {deed}: {example}")
NOT_PASSED = Said(
    "{place}: {rule} {deed}, and has to let pass: {example}",
    "{place}: {rule:이/가} {deed} 통과시켜야 합니다: {example}",
)
DOES_NOT_BLOCK = Said("does not block", "막지 않습니다")
DOES_NOT_ASK = Said("does not ask about", "묻지 않습니다")
DOES_NOT_CHANGE = Said("does not change", "바꾸지 않습니다")
DOES_NOT_WARN = Said("does not warn of", "경고하지 않습니다")
DOES_NOT_SPEAK = Said("does not speak of", "알아보지 못합니다")
BLOCKS = Said("blocks", "막지만")
ASKS = Said("asks about", "묻지만")
CHANGES = Said("changes", "바꾸지만")
WARNS = Said("warns of", "경고하지만")
SPEAKS = Said("speaks of", "알아보지만")

# What is wrong in a file of rules.
AT_KEY = Said("{name}.{key}: {problem}", "{name}.{key}: {problem}")
UNDER = Said("{place}: {problem}", "{place}: {problem}")
LARGER_FILE = Said("This file is larger than {most:,} characters.", "이 파일은 {most:,}자보다 큽니다.")
UNKNOWN_HERE = Said("{name!r} is not known here. {hint}", "{name!r:은/는} 여기에 쓸 수 없습니다. {hint}")
EXPECTED_LISTS = Said(
    "Expected `rules:` with a list of rules, or `workflows:` with a list of workflows.",
    "`rules:` 아래에 규칙 목록을, 또는 `workflows:` 아래에 워크플로 목록을 쓰세요.",
)
TOO_MANY_RULES = Said("These are more than {most:,} rules.", "규칙이 {most:,}개보다 많습니다.")
EXPECTED_RULE = Said(
    "Expected a rule: keys and values, `name:` the first of them.",
    "규칙은 키와 값으로 쓰고, 맨 앞에 `name:`을 쓰세요.",
)
NO_RULE_NAME = Said(
    "{key}: expected small letters, digits and `_`, a letter first: {name}.",
    "{key}: 소문자로 시작하고 소문자, 숫자, `_`만 쓰세요. 예: {name}.",
)
NO_KEY_OF_RULE = Said("{key!r} is no key of a rule. {hint}", "규칙에는 {key!r:이라는/라는} 키가 없습니다. {hint}")
NO_KIND_OF_EXAMPLES = Said(
    "{key!r} is no kind of examples. {hint}", "예제에는 {key!r:이라는/라는} 종류가 없습니다. {hint}"
)
UNKNOWN_VALUE = Said("{key}: {value!r} is not known. {hint}", "{key}: {value!r:은/는} 쓸 수 없습니다. {hint}")
JUDGED_BY_CHAIN = Said(
    "what an agent says is judged by the chain (`enforcement` in config.yaml), not by rules.",
    "에이전트가 하는 말은 규칙이 아니라 체인(config.yaml의 `enforcement`)이 판단합니다.",
)
UNKNOWN_TOOL = Said(
    "no tool and no kind of tools is called {name!r}. {hint}",
    "{name!r:이라는/라는} 도구나 도구 종류가 없습니다. {hint}",
)
NEEDS_MESSAGE = Said(
    "a rule that decides {verb!r} needs a `message:` for the agent.",
    "{verb!r:으로/로} 결정하는 규칙에는 에이전트에게 전할 `message:`가 필요합니다.",
)
MODIFY_AND_SET = Said(
    "`decision: modify` and `set:` belong together.", "`decision: modify`와 `set:`은 함께 써야 합니다."
)
NEEDS_COUNTER = Said(
    "`decision: count` needs the name of a counter: `counts:`.",
    "`decision: count`에는 셀 이름이 필요합니다: `counts:`.",
)
WITHOUT_EFFECT = Said(
    "{verb!r} can do nothing at `event: {event}`. What can: {listed}.",
    "`event: {event}`에서는 {verb!r:이/가} 아무 일도 하지 못합니다. 쓸 수 있는 것: {listed}.",
)
SOFT_TELLS_NOBODY = Said(
    "`soft` only tells, and at `event: {event}` nobody is told anything.",
    "`soft`는 알리기만 하는데, `event: {event}`에서는 아무에게도 알리지 않습니다.",
)
CHECKPOINT_ASKS = Said(
    "a person lets a checkpoint pass: it needs `decision: ask`.",
    "체크포인트는 사람이 통과시킵니다. `decision: ask`가 필요합니다.",
)
APPROVERS_ANSWER = Said("only `decision: ask` has somebody to answer.", "`decision: ask`에만 답할 사람이 있습니다.")
NAMES_NOBODY = Said(
    "{name!r} names nobody. {hint} Or a person or role: slack/U123.",
    "{name!r:은/는} 아무도 가리키지 않습니다. {hint} 사람이나 역할도 쓸 수 있습니다: slack/U123.",
)
RULE_TWICE = Said(
    "A rule {name!r} stands in this file twice (first on line {line}).",
    "이 파일에 규칙 {name!r:이/가} 두 번 있습니다(처음은 {line}번째 줄).",
)

# What is wrong with a condition.
A_TEXT = Said("text", "텍스트")
A_WHOLE_NUMBER = Said("whole number", "정수")
A_TRUTH = Said("truth (true or false)", "참거짓(true 또는 false)")
A_NUMBER = Said("number", "수")
TWO_KINDS = Said("a {first} and a {second}", "{first:과/와} {second}")
ONE_KIND = Said("a {first}", "{first}")
UNKNOWN_NAME = Said("{name!r} is not known. {hint}", "{name!r:이라는/라는} 이름은 없습니다. {hint}")
UNKNOWN_FIELD = Said(
    "{name!r} is no field of {owner}. {hint}", "{owner}에는 {name!r:이라는/라는} 필드가 없습니다. {hint}"
)
FIELD_ELSEWHERE = Said("{name!r} is a field of {owner}: {written}.", "{name!r:은/는} {owner}의 필드입니다: {written}.")
FOR_A_TEXT_NO_LIST = Said(
    "`{name}` is for a text, and this is a list: .exists(x, x… .{name}(…)) asks each of its elements.",
    "`{name}`: 텍스트에만 쓸 수 있는데 이것은 목록입니다. .exists(x, x… .{name}(…))로 원소마다 확인하세요.",
)
FOR_A_TEXT = Said(
    "`{name}` is for a text, and {owner} is none; texts of it are {texts}.",
    "`{name}`: 텍스트에만 쓸 수 있는데 {owner:은/는} 텍스트가 아닙니다. 그 안의 텍스트: {texts}.",
)
CANNOT_TAKE = Said("`{sign}` cannot take {kinds}.", "`{sign}`: {kinds}에는 쓸 수 없습니다.")
NO_EXPRESSION = Said(
    "this is no expression ({why}). A text stands in quotes of its own, `==` compares, `&&` and `||` join.",
    "식이 아닙니다({why}). 텍스트는 따옴표 안에 쓰고, 비교는 `==`, 연결은 `&&`와 `||`로 합니다.",
)
LONGER_EXPRESSION = Said("it is longer than {most} characters.", "{most}자보다 깁니다.")
HAS_TO_BE_TRUTH = Said("it is a {kind}, and has to be true or false.", "{kind}입니다. 참이나 거짓이 되는 식을 쓰세요.")
HAS_TO_BE_TEXT = Said(
    "it is a {kind}, and has to be a text, which stands in quotes of its own: \"'npm ci'\".",
    "{kind}입니다. 텍스트가 되어야 하고, 텍스트는 따옴표 안에 씁니다: \"'npm ci'\".",
)

# What is wrong with a call that somebody wrote.
EXPECTED_CALL = Said(
    "Expected a command line, or `tool:` with its arguments.", "명령줄이나, `tool:`과 그 인수를 쓰세요."
)
EXPECTED_FACTS = Said(
    "given: expected keys and values, such as `given: {{checks: failed}}`.",
    "given: 키와 값으로 쓰세요. 예: `given: {{checks: failed}}`.",
)
UNKNOWN_FACT = Said(
    "given: {name!r} is nothing that an example can give. {hint}",
    "given: 예제에 {name!r:은/는} 쓸 수 없습니다. {hint}",
)
WHICH_TOOL = Said(
    'Which tool? Expected a command line, or `tool:` with its name: {{"tool": "Read"}}.',
    '어떤 도구인가요? 명령줄이나, 도구 이름과 함께 `tool:`을 쓰세요: {{"tool": "Read"}}.',
)
NO_SUCH_TOOL = Said("tool: no tool is called {name!r}. {hint}", "tool: {name!r:이라는/라는} 도구는 없습니다. {hint}")

# What is wrong with the files together, and with what the settings say of their rules.
RULES_UNREADABLE = Said("The rules cannot be read: {reason}.", "규칙을 읽을 수 없습니다: {reason}.")
TOO_MANY_FILES = Said("There are more than {most} files of rules.", "규칙 파일이 {most}개보다 많습니다.")
RULE_STANDS_ELSEWHERE = Said(
    "A rule {name!r} stands in {place} too. Rename or remove one of them.",
    "규칙 {name!r:이/가} {place}에도 있습니다. 하나의 이름을 바꾸거나 지우세요.",
)
WORKFLOW_STANDS_ELSEWHERE = Said(
    "A workflow {name!r} stands in {place} too. Rename or remove one of them.",
    "워크플로 {name!r:이/가} {place}에도 있습니다. 하나의 이름을 바꾸거나 지우세요.",
)
NO_SUCH_RULE = Said("there is no rule {name!r}. {hint}", "{name!r:이라는/라는} 규칙은 없습니다. {hint}")
OFF_AND_ON = Said(
    "the rule {name!r} is disabled and enabled. Remove one of them.",
    "규칙 {name!r:이/가} 꺼짐과 켜짐에 모두 있습니다. 한쪽에서 지우세요.",
)
NO_SUCH_CHECKPOINT = Said(
    "no rule has a checkpoint {name!r}. {hint}", "체크포인트 {name!r:을/를} 쓰는 규칙이 없습니다. {hint}"
)

# What is wrong with a workflow.
EXPECTED_WORKFLOWS = Said(
    "Expected a list of workflows, {most} at most.", "워크플로 목록을 쓰세요. 최대 {most}개입니다."
)
WORKFLOW_TWICE = Said(
    "A workflow {name!r} stands in this file twice.", "이 파일에 워크플로 {name!r:이/가} 두 번 있습니다."
)
EXPECTED_WORKFLOW = Said(
    "Expected a workflow: keys and values, `name:` the first of them.",
    "워크플로는 키와 값으로 쓰고, 맨 앞에 `name:`을 쓰세요.",
)
EXPECTED_STEP = Said(
    "Expected a step: keys and values, `name:` the first of them.",
    "단계는 키와 값으로 쓰고, 맨 앞에 `name:`을 쓰세요.",
)
RESERVED_NAME = Said(
    "name: {name!r} has a meaning of its own. Choose another.",
    "name: {name!r:은/는} 따로 쓰이는 이름입니다. 다른 이름을 쓰세요.",
)
STEP_TWICE = Said("{workflow}: the step {name!r} stands here twice.", "{workflow}: 단계 {name!r:이/가} 두 번 있습니다.")
NO_KEY_OF_WORKFLOW = Said(
    "{key!r} is no key of a workflow. {hint}", "워크플로에는 {key!r:이라는/라는} 키가 없습니다. {hint}"
)
NO_KEY_OF_STEP = Said("{key!r} is no key of a step. {hint}", "단계에는 {key!r:이라는/라는} 키가 없습니다. {hint}")
NO_EXPRESSIONS_IN_MANDATE = Said(
    "a mandate has no expressions in braces: it is the same in each turn.",
    "지시에는 중괄호 식을 쓸 수 없습니다. 매번 같은 문장입니다.",
)
NOTHING_AFTER_LAST = Said(
    "nothing comes after the last step that a person could let go on: hard, soft or none.",
    "마지막 단계 뒤에는 사람이 이어 가게 할 단계가 없습니다. hard, soft, none 가운데 하나를 쓰세요.",
)
LAST_HOLDS_NOTHING = Said(
    "the last step is shown from the beginning, so its hard edge holds nothing.",
    "마지막 단계는 처음부터 끝난 것으로 보이므로 hard가 아무것도 막지 못합니다.",
)
