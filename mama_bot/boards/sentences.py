"""What people and agents are told of boards."""

from mama_bot.wording import Said

NO_ITEM = Said("There is no item {id} on this board.", "이 보드에는 항목 {id:이/가} 없습니다.")
CYCLE = Said(
    "That would be a cycle, in which an item waits for itself: {path}. Nothing was changed.",
    "항목이 자기 자신을 기다리는 순환이 됩니다: {path}. 아무것도 바꾸지 않았습니다.",
)
NO_TITLE = Said(
    "An item needs a title, of at most {most} characters.", "항목에는 제목이 필요하며 {most}자까지 쓸 수 있습니다."
)
NO_KIND = Said(
    "The type of an item is a plain word like task, bug or feature, not {kind}.",
    "항목의 유형은 task, bug, feature 같은 한 단어여야 합니다: {kind}",
)
NO_PRIORITY = Said(
    "A priority is a number from 0 (first) to 4, not {priority}.",
    "우선순위는 0(가장 먼저)부터 4까지의 숫자입니다: {priority}",
)
NO_REASON = Said("Closing an item needs a reason.", "항목을 닫으려면 이유가 필요합니다.")
CLOSED_ALREADY = Said("Item {id} is closed already: {reason}", "항목 {id:은/는} 이미 닫혔습니다: {reason}")
TOO_LONG = Said(
    "That is too long: at most {most} characters are kept on a board.",
    "너무 깁니다. 보드에는 {most}자까지 남길 수 있습니다.",
)
NO_TOPIC = Said(
    "A topic is named by one word of letters, figures and . : / _ -, at most {most} characters, not {topic}.",
    "주제 이름은 글자, 숫자와 . : / _ - 로 된 한 단어이며 {most}자까지입니다: {topic}",
)
UNKNOWN_TOPIC = Said("Nothing was posted to {topic} yet. {hint}", "{topic}에는 아직 글이 없습니다. {hint}")
NO_TEXT = Said("There is nothing to post.", "남길 내용이 없습니다.")
NO_POST = Said("There is no post {id} on this board.", "이 보드에는 글 {id:이/가} 없습니다.")
FULL = Said(
    "This board holds {most:,} entries, which is all that it takes.",
    "이 보드에는 항목이 {most:,}개 있어 더 남길 수 없습니다.",
)

# What is told of lines of a file that are left out; for whoever imports it.
BAD_LINE = Said("line {number}: left out, {reason}", "{number}번째 줄: 제외함, {reason}")
TORN = Said("the last line is torn", "마지막 줄이 잘려 있음")
NOT_JSON = Said("it is not a JSON object", "JSON 객체가 아님")
LACKS = Said("it has no usable {field}", "{field} 값이 없거나 쓸 수 없음")
MANY_CYCLES = Said(
    "More than {most} items of the file wait for themselves: nothing was taken in.",
    "파일에서 자기 자신을 기다리는 항목이 {most}개를 넘습니다. 아무것도 가져오지 않았습니다.",
)
NESTED = Said("it is nested more than {most} deep", "{most}단계보다 깊이 중첩됨")
LONG_LINE = Said("it has more than {most:,} characters", "{most:,}자를 넘음")
LEFT_CYCLE = Said(
    "{id}: a dependency was left out, it would be a cycle: {path}", "{id}: 순환이 되는 의존 관계를 제외함: {path}"
)

# An item in words.
WAITS_FOR = Said("waits for {ids}", "대기: {ids}")
STANDS = Said("Status: {status}", "상태: {status}")
OPEN = Said("open", "열림")
IN_PROGRESS = Said("in progress", "진행 중")
BLOCKED = Said("blocked", "막힘")
DEFERRED = Said("deferred", "미룸")
CLOSED = Said("closed", "닫힘")
CREATED_BY = Said("Created by {name}, {at}", "만든 사람: {name}, {at}")
CHANGED_BY = Said("Changed by {name}, {at}", "마지막으로 바꾼 사람: {name}, {at}")
LABELS = Said("Labels: {labels}", "라벨: {labels}")
CLOSED_FOR = Said("Closed: {reason}", "닫은 이유: {reason}")

# /items and /topics.
NO_ITEMS_HERE = Said("There is nothing to do here that anybody wrote down.", "적어 둔 할 일이 없습니다.")
MORE_ITEMS = Said(
    "There are more: `mama-bot item list` shows all.", "더 있습니다. `mama-bot item list`로 모두 볼 수 있습니다."
)
ITEMS_USAGE = Said(
    "There is no item {id} here. Write /items alone, or with ready, all, an id, add TITLE, or close ID REASON.",
    "여기에는 항목 {id:이/가} 없습니다. /items 만 쓰거나 ready, all, 번호, add 제목, close 번호 이유를 붙이세요.",
)
NO_TOPICS_HERE = Said("The agents told each other nothing here yet.", "에이전트들이 아직 주고받은 글이 없습니다.")
TOPIC_ROW = Said("- `{name}` · {n:post|posts} · {time}", "- `{name}` · 글 {n}개 · {time}")
NOTHING_POSTED = Said("Nothing was posted to {name}.", "{name}에 남긴 글이 없습니다.")
FROM_A_FILE = Said("from a file of the repository", "저장소 파일에서")
