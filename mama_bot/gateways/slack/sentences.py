"""What is said on Slack alone."""

from collections.abc import Mapping

from mama_bot.wording import Said

WORKING = Said("is working…", "작업 중…")
ELSEWHERE = Said("It does not lie on Slack.", "Slack에 있는 파일이 아닙니다.")
NO_SCOPE = Said("The bot may not read files here.", "봇에게 파일을 읽을 권한이 없습니다.")

# What is not answered.
GIVEN_UP = Said(
    "⚠️ This message could not be taken up, although it was tried again and again; the log of the service says why. "
    "Please send it again, perhaps in other words.",
    "⚠️ 여러 번 시도했지만 이 메시지를 처리하지 못했습니다. 이유는 서비스 로그에 있습니다. "
    "다시 보내 주세요. 다른 말로 쓰면 될 수도 있습니다.",
)
CUT = Said(
    "⚠️ While mama-bot was away more was written in {channel} of Slack than it reads: ask again what was not answered.",
    "⚠️ mama-bot이 자리를 비운 동안 Slack {channel}에 읽을 수 있는 것보다 많은 메시지가 쓰였습니다. "
    "답을 받지 못한 것은 다시 요청하세요.",
)

# Why nothing is heard.
NOT_YET = Said("Slack was not reached yet.", "아직 Slack에 연결되지 않았습니다.")
ENDED = Said("The gateway to Slack has ended.", "Slack 연결이 끝났습니다.")
CONNECTING_AGAIN = Said("Connecting again: {reason}.", "다시 연결하는 중입니다: {reason}.")
UNKNOWN_BOT = Said("Slack does not say who the bot is: {reason}", "Slack이 봇이 누구인지 알려 주지 않습니다: {reason}")
NO_CONNECTION = Said("No connection to Slack can be opened: {reason}", "Slack에 연결할 수 없습니다: {reason}")
NO_ANSWER = Said("no answer in time", "제때 응답이 없습니다")
HTTP_STATUS = Said("HTTP status {status}", "HTTP 상태 {status}")
OTHER_TROUBLE = Said("{error}", "{error}")
CODE_WITH_REMEDY = Said("{about}: {remedy}", "{about}: {remedy}")
# Why a connection is of no use any more, by the name of its end.
ENDS: Mapping[str, Said] = {
    "REPLACED": Said("Slack asked for a new connection", "Slack이 새 연결을 요청했습니다"),
    "CLOSED": Said("the connection was lost", "연결이 끊겼습니다"),
    "SILENT": Said("the connection was open, but silent", "연결은 열려 있지만 응답이 없습니다"),
}
# What to do about an error, by Slack's word for it.
REMEDIES: Mapping[str, Said] = {
    "channel_not_found": Said(
        "the channel is gone or private: invite the bot to it with /invite",
        "채널이 없거나 비공개입니다. /invite로 봇을 초대하세요",
    ),
    "not_in_channel": Said(
        "the bot is not in the channel: invite it with /invite", "봇이 채널에 없습니다. /invite로 초대하세요"
    ),
    "is_archived": Said("the channel is archived: unarchive it", "보관된 채널입니다. 보관을 해제하세요"),
    "invalid_auth": Said(
        "the token is not valid: copy the Bot User OAuth Token of the app into slack.bot_token",
        "토큰이 올바르지 않습니다. 앱의 Bot User OAuth Token을 slack.bot_token에 넣으세요",
    ),
    "not_authed": Said("no token was sent: set slack.bot_token", "토큰이 없습니다. slack.bot_token을 설정하세요"),
    "account_inactive": Said(
        "the app was removed from the workspace: install it again",
        "앱이 워크스페이스에서 제거되었습니다. 다시 설치하세요",
    ),
    "token_revoked": Said(
        "the token was revoked: install the app again and set slack.bot_token",
        "토큰이 취소되었습니다. 앱을 다시 설치하고 slack.bot_token을 설정하세요",
    ),
    "token_expired": Said(
        "the token has expired: turn token rotation off, or set a new slack.bot_token",
        "토큰이 만료되었습니다. 토큰 교체(rotation)를 끄거나 새 slack.bot_token을 설정하세요",
    ),
    "not_allowed_token_type": Said(
        "this call needs the other kind of token: slack.app_token begins with xapp-",
        "다른 종류의 토큰이 필요합니다. slack.app_token은 xapp-로 시작합니다",
    ),
    "missing_scope": Said(
        "the app lacks a scope: add it under OAuth & Permissions, and install the app again",
        "앱에 권한(scope)이 부족합니다. OAuth & Permissions에서 추가하고 앱을 다시 설치하세요",
    ),
}
