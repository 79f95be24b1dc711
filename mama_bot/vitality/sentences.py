"""What owners read of a service that is not well, and that it is well again."""

from collections.abc import Mapping

from mama_bot.model import TroubleKind
from mama_bot.wording import Said

DEAF = Said(
    "⚠️ mama-bot hears nothing on {platform}: what is written there is not answered. {reason}",
    "⚠️ mama-bot이 {platform}에서 아무것도 듣지 못합니다. 거기에 쓴 메시지에는 답하지 못합니다. {reason}",
)
NO_REASON = Said("The log says more.", "자세한 내용은 로그에 있습니다.")
DEAF_NO_MORE = Said("✅ mama-bot hears {subject} again.", "✅ mama-bot이 {subject:을/를} 다시 듣습니다.")
BEHIND_NO_MORE = Said(
    "✅ mama-bot waits for nothing any more that was written on {subject} while it was away.",
    "✅ mama-bot이 자리를 비운 동안 {subject}에 쓰인 메시지를 더 기다리지 않습니다.",
)
UNWRITABLE = Said(
    "⚠️ mama-bot cannot write to its database, so messages are refused: {reason}",
    "⚠️ mama-bot이 데이터베이스에 쓸 수 없어 메시지를 받지 못합니다: {reason}",
)
NO_ANSWER = Said("it does not answer within {seconds} s.", "{seconds}초 안에 응답하지 않습니다.")
WRITABLE_AGAIN = Said(
    "✅ mama-bot's database can be written again.", "✅ mama-bot의 데이터베이스에 다시 쓸 수 있습니다."
)
DISK_LOW = Said(
    "⚠️ The disk of mama-bot's data is nearly full: {free} MB are left. Free some space, or see `mama-bot prune`.",
    "⚠️ mama-bot 데이터의 디스크가 거의 찼습니다. {free}MB 남았습니다. 공간을 비우거나 `mama-bot prune`을 쓰세요.",
)
DISK_ENOUGH = Said(
    "✅ The disk of mama-bot's data has room again.", "✅ mama-bot 데이터의 디스크에 다시 공간이 있습니다."
)
LACKS = Said("⚠️ mama-bot cannot work: {sentence}", "⚠️ mama-bot이 일할 수 없습니다: {sentence}")
LACKS_NO_MORE = Said(
    "✅ What mama-bot needs is there again ({subject}).", "✅ mama-bot에 필요한 것이 다시 있습니다({subject})."
)
BACKUP_FAILED = Said(
    "⚠️ The backup of mama-bot failed: {reason}",
    "⚠️ mama-bot의 백업이 실패했습니다: {reason}",
)
BACKUP_MADE = Said("✅ The backup of mama-bot was made again.", "✅ mama-bot의 백업이 다시 만들어졌습니다.")
BUDGET_SPENT = Said("⚠️ mama-bot answers nobody: {reason}", "⚠️ mama-bot이 아무에게도 답하지 못합니다: {reason}")
BUDGET_AGAIN = Said("✅ mama-bot has a budget again.", "✅ mama-bot에 다시 예산이 있습니다.")
SETTINGS_REFUSED = Said(
    "⚠️ The changed settings of mama-bot were not taken, those before them hold: {reason}",
    "⚠️ 바뀐 mama-bot 설정을 적용하지 못해 이전 설정이 유지됩니다: {reason}",
)
SETTINGS_TAKEN = Said("✅ The settings of mama-bot are in order again.", "✅ mama-bot의 설정이 다시 올바릅니다.")
STALLED = Said("⚠️ mama-bot is not looking after itself any more.", "⚠️ mama-bot이 더 이상 스스로를 점검하지 못합니다.")
DRAINING = Said(
    "mama-bot is about to stop: what runs is finished, nothing new begins.",
    "mama-bot이 곧 멈춥니다. 진행 중인 일을 마치고 새로 시작하지는 않습니다.",
)

# Of each kind that owners are told of; None where it is past when it is told. That the service stops, or looks no more,
# only the page and systemd hear.
OVER: Mapping[TroubleKind, Said | None] = {
    TroubleKind.DEAF: DEAF_NO_MORE,
    TroubleKind.BEHIND: BEHIND_NO_MORE,
    TroubleKind.LOST: None,
    TroubleKind.STORE: WRITABLE_AGAIN,
    TroubleKind.DISK: DISK_ENOUGH,
    TroubleKind.LACKING: LACKS_NO_MORE,
    TroubleKind.BACKUP: BACKUP_MADE,
    TroubleKind.BUDGET: BUDGET_AGAIN,
    TroubleKind.SETTINGS: SETTINGS_TAKEN,
}
