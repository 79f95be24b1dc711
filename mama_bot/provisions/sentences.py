"""Why what a repository brings is refused, for whoever may allow it."""

from mama_bot.wording import Said

NOT_ALLOWED = Said(
    en="nobody has allowed it. `mama-bot doctor` shows what it declares, and the line that allows it.",
    ko="아무도 허용하지 않았습니다. `mama-bot doctor`가 선언 내용과 허용하는 설정 줄을 보여 줍니다.",
)
CHANGED = Said(
    en="it is declared otherwise than it was when it was allowed: {parts} changed. `mama-bot doctor` shows what it "
    "declares now.",
    ko="허용했을 때와 선언이 다릅니다. {parts}: 바뀌었습니다. `mama-bot doctor`가 지금의 선언 내용을 보여 줍니다.",
)
CHANGED_UNKNOWN = Said(
    en="it is declared otherwise than it was when it was allowed. `mama-bot doctor` shows what it declares now.",
    ko="허용했을 때와 선언이 다릅니다. `mama-bot doctor`가 지금의 선언 내용을 보여 줍니다.",
)
LOADS_CODE = Said(
    en="it sets {name}, by which a program runs code that is not its own: that is never allowed.",
    ko="다른 코드를 실행하게 하는 변수 {name:을/를} 설정합니다. 허용할 수 없습니다.",
)
LEAVES = Said(
    en="{path} leads out of the repository: that is never allowed.",
    ko="{path:은/는} 저장소 밖으로 이어집니다. 허용할 수 없습니다.",
)
OTHER_ADDRESS = Said(
    en="it is asked at an address that is neither https: nor http:, or that holds a password: that is never allowed.",
    ko="주소가 https:나 http:가 아니거나 비밀번호를 담고 있습니다. 허용할 수 없습니다.",
)
UNREADABLE = Said(
    en="its declaration cannot be read: it needs a `command` with `args`, or a `url`.",
    ko="선언을 읽을 수 없습니다. `command`와 `args`, 또는 `url`이 있어야 합니다.",
)
