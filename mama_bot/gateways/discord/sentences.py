"""Why nothing is heard on Discord."""

from mama_bot.wording import Said

NOT_YET = Said("Not connected to Discord yet.", "아직 디스코드에 연결되지 않았습니다.")
ENDED = Said("The gateway to Discord has ended.", "디스코드 연결이 끝났습니다.")
NO_TOKEN = Said(
    "Discord does not accept the bot token. Make a new one in {portal}, and set MAMA_DISCORD__TOKEN.",
    "디스코드가 봇 토큰을 받아들이지 않습니다. {portal}에서 새로 만들어 MAMA_DISCORD__TOKEN에 설정하세요.",
)
NO_CONTENT = Said(
    "The application may not read the content of messages: only mentions and direct messages reach the team. "
    'Switch on "Message Content Intent" in {portal}, and restart the service.',
    "애플리케이션이 메시지 내용을 읽을 수 없어 멘션과 다이렉트 메시지만 팀에 전달됩니다. "
    '{portal}에서 "Message Content Intent"를 켜고 서비스를 다시 시작하세요.',
)
CLOSED = Said(
    "Discord closed the connection (code {code}). It is tried again.",
    "디스코드가 연결을 닫았습니다(코드 {code}). 다시 시도합니다.",
)
FAILED = Said(
    "The connection to Discord failed ({error}). It is tried again.",
    "디스코드 연결에 실패했습니다({error}). 다시 시도합니다.",
)
CONNECTING_AGAIN = Said(
    "The connection to Discord is being made again ({reason}).", "디스코드에 다시 연결하는 중입니다({reason})."
)
NOT_READ = Said(
    "⚠️ What was written in {channel} of Discord while mama-bot was away is not known: Discord does not let the bot see "
    "that channel any more. Let it, if it is to answer there, and ask again what was not answered.",
    "⚠️ mama-bot이 자리를 비운 동안 Discord {channel}에 쓰인 메시지를 알 수 없습니다. 디스코드가 봇에게 그 채널을 "
    "더 이상 보여 주지 않습니다. 거기서 답해야 한다면 권한을 주고, 답을 받지 못한 것은 다시 요청하세요.",
)
CONNECTION_ENDED = Said("the connection ended", "연결이 끊겼습니다")
NO_HEARTBEAT = Said(
    "Discord has not acknowledged a heartbeat for two intervals; the connection is being watched.",
    "디스코드가 하트비트에 두 번 답하지 않아 연결을 지켜보고 있습니다.",
)
